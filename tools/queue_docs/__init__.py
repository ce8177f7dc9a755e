"""Writes docs/queues: a page and a figure for each queue discipline, the gallery's table, the table of costs.

`make docs` writes what follows from the code's tables and from simulations, which are exact everywhere; `make
docs-cost` measures. What is written here is never edited by hand.
"""

"""Charts as data: what is drawn, with its units and notes, whoever draws it.

`plots` draws these descriptions with Matplotlib, `report` hands them to the script of a page.
"""

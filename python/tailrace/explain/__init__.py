"""Pasted reports explained: what a text states is run as a scenario, and each statement held against the model.

`pasted` recognises lines of programs, `model` makes the scenario, `statements` the verdicts; `explanation` does it all.
"""

"""Studies: many variants of a scenario, run into a store, and their results as tables.

Owns the declaration of a sweep and the cells that follow from it, the execution of its runs, searches, and the
objects that show the results. The store does not know scenarios; this folder connects the two.
"""

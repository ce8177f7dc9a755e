"""Studies: many variants of a scenario, run into a store, and what they found as tables.

Owns what a sweep declares and the cells that follow from it, the formulas in it, how its runs are done, and the
object that shows what came out. The store knows nothing of scenarios; here is who does.
"""

"""The notebooks of docs/notebooks: done from top to bottom as they stand, with what comes out kept small and without times.

`python -m notebooks` writes their outputs anew; a test does the same and compares.
"""

"""The notebooks of docs/notebooks, done from top to bottom as they stand; what comes out is kept small, without times.

`python -m notebooks` writes their outputs anew; a test does the same and compares.
"""

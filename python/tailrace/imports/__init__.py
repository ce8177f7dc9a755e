"""Files of other programs as scenarios that run: what is taken from where stands beside each value.

`readers` has the table of kinds; each kind is one file with a function that makes a `draft.ScenarioDraft` of
`input_file.InputFile`s.
"""

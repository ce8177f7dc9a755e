"""Published papers done again: their scenarios are run, their claims judged, their figures redrawn.

A paper is a folder with scenarios and `claims.toml`. `declared` reads that file into what `paper` describes; `studies`
runs its scenarios, once for every reading of what the paper leaves open; `quantities` takes numbers out of the runs,
`checks` (a file a kind) compares them with what the paper says, `judging` puts the verdicts together, and `page` and
`front` write what people read. Nothing here knows any paper.
"""

"""Published papers done again: their scenarios are run, their claims judged, their figures redrawn.

A paper is a folder with scenarios and `claims.toml`. `claims_file` reads that file into what `paper` describes;
`studies` runs its scenarios, once for every reading of what the paper leaves open; `claim_quantities` takes numbers
from the runs, `checks` (a file for each kind) compares them with the paper's, `judgement` puts the verdicts together,
and `markdown_page`, `front_page` and `report_page` write pages. Nothing here depends on a single paper.
"""

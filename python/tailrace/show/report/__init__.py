"""Reports: what a result folder found, as one HTML page that needs nothing else.

`page` puts a page together; `of_result`, `of_comparison`, `of_sweep` and `of_search` say what is on it.
`findings`, `phases` and `contrasts` are what it says in words, `series` and `cells` hold what its script (`assets`)
draws, and `stills` is what is there without.
"""

from __future__ import annotations

from tailrace.show.report.destination import check_target, write
from tailrace.show.report.document import Report, of, of_folder

__all__ = ["Report", "check_target", "of", "of_folder", "write"]

"""Reports: the findings of a result folder as one HTML page that needs nothing else.

`html_page` puts a page together; `of_result`, `of_comparison`, `of_sweep` and `of_search` choose its contents.
`result_findings`, `phases` and `contrasts` write the sentences, `time_figures` and `cell_figure` choose the charts of
a page, which `charts` writes for the scripts of `assets`, and `static_figures` replaces them without scripts.
"""

from __future__ import annotations

from tailrace.show.report.destination import check_target, write
from tailrace.show.report.document import Report, of, of_folder

__all__ = ["Report", "check_target", "of", "of_folder", "write"]

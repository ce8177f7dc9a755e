"""Figures of sweeps: a metric against a swept parameter, as lines, bars, boxes, distributions or a map.

`request` is what is asked for, `subject` the values that the runs have, `design` which parameter goes where; a file a
form draws one panel, `sheet` puts panels, titles and legends together.
"""

from __future__ import annotations

from tailrace.show.plots.swept.request import KINDS, Options, Request, file_name
from tailrace.show.plots.swept.sheet import figure

__all__ = ["KINDS", "Options", "Request", "figure", "file_name"]

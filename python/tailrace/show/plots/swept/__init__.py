"""Figures of sweeps: a metric against a swept parameter, as lines, bars, boxes, distributions or a map.

`request` has the options, `run_values` the values of the runs, `design` assigns parameters to axis, lines and panels;
a file for each form draws one panel, `sheet` puts panels, titles and legends together.
"""

from __future__ import annotations

from tailrace.show.plots.swept.request import KINDS, Options, Request, file_name
from tailrace.show.plots.swept.sheet import figure

__all__ = ["KINDS", "Options", "Request", "figure", "file_name"]

"""Figures of results over time, drawn with Matplotlib and without a display."""

from __future__ import annotations

from tailrace.show.charts.time_metrics import METRICS
from tailrace.show.plots.figures import FORMATS, every_name, names_for, needed, overlay, save_all, single
from tailrace.show.plots.style import SIZES

__all__ = [
    "FORMATS",
    "METRICS",
    "SIZES",
    "every_name",
    "names_for",
    "needed",
    "overlay",
    "save_all",
    "single",
]

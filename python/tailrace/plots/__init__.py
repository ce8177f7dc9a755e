"""Figures of results over time, drawn with Matplotlib and without a display."""

from __future__ import annotations

from tailrace.plots.figures import FORMATS, every_name, names_for, needed, overlay, save_all, single
from tailrace.plots.metrics import METRICS
from tailrace.plots.style import SIZES

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

"""Figures of results over time, drawn with Matplotlib and without a display."""

from __future__ import annotations

from tailrace.plots.figures import FORMATS, METRICS, names_for, names_for_all, overlay, save_all, single

__all__ = ["FORMATS", "METRICS", "names_for", "names_for_all", "overlay", "save_all", "single"]

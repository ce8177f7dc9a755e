"""Charts over time with Matplotlib: one panel of lines, panels below each other, small panels beside each other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from tailrace.show.charts.curves import Array, Curve
from tailrace.show.charts.description import SAMPLES, Chart, Series
from tailrace.show.plots import layout, spans, style

# Factor by which an axis may exceed the highest line.
_HEADROOM = 1.6
# Marks lines of binned means, as opposed to raw samples.
_CURVE = "curve"
# A sheet narrower than this, in inches, has two small panels beside each other, else three.
_NARROW = 5.0
# The background of a panel that shows one of several.
# Samples as recorded.
_RAW = "#aaaaaa"
_PALE, _OTHERS = "#c8c8c8", "all others"


def draw(axes: Axes, curve: Curve, index: int, label: str) -> None:
    """A line with its band."""
    look = style.line(index)
    axes.plot(curve.time_s, curve.mean, label=label, gid=_CURVE, **look)
    alone = _without_neighbours(curve.mean)
    if alone.any():
        axes.plot(curve.time_s[alone], curve.mean[alone], ".", ms=2.5, color=look["color"], label="_")
    if curve.band:
        axes.fill_between(curve.time_s, *curve.band, color=look["color"], alpha=0.18, lw=0)


def _without_neighbours(values: Array) -> NDArray[np.bool_]:
    """Values between gaps, which a line alone would not show."""
    there = np.concatenate([[False], np.isfinite(values), [False]])
    return np.asarray(there[1:-1] & ~there[:-2] & ~there[2:])


def single(chart: Chart, title: str, label: Callable[[Series], str]) -> Figure:
    """All lines in one panel; samples as recorded lie behind the means, which hide their swing."""
    sheet, (axes,) = layout.figure(1, title)
    shown = [series for panel in chart.panels for series in panel.series]
    for series in sorted(shown, key=lambda one: one.kind != SAMPLES):
        if series.kind == SAMPLES:
            axes.plot(series.curve.time_s, series.curve.mean, color=_RAW, lw=0.7, label=label(series))
        else:
            draw(axes, series.curve, series.place, label(series))
    finish(sheet, [axes], chart, legend=len(shown) > 1 or chart.parts == "queue")
    return sheet


def stacked(chart: Chart, title: str) -> Figure:
    """Panels below each other, each on its own scale, with a line for each series."""
    sheet, panels = layout.figure(max(1, len(chart.panels)), title)
    for axes, panel in zip(panels, chart.panels, strict=False):
        if len(chart.panels) > 1:
            axes.set_title(layout.panel_title(panel.part, 1))
        for series in panel.series:
            draw(axes, series.curve, series.place, series.label)
    finish(sheet, panels, chart, legend=True)
    return sheet


def multiples(chart: Chart, title: str, *, pale: bool = False, of_results: bool = False) -> Figure:
    """Small panels on one scale.

    Where each has one line, which is what it is called after, there is no legend; with `pale` the lines of all others
    lie behind it. `of_results` says that each is of the result after which it is called.
    """
    rows = chart.panels
    alone = all(len(row.series) == 1 and row.series[0].label == row.part for row in rows) or pale
    columns = 2 if style.look().size.width < _NARROW else 3
    sheet, panels = layout.figure(len(rows), title, columns, same_scale=False)
    for axes, row in zip(panels, rows, strict=True):
        axes.set_title(layout.panel_title(row.part, columns))
        if of_results:
            spans.of_one(axes, row.part)
        for other in (line.curve for panel in rows if pale and panel is not row for line in panel.series):
            axes.plot(other.time_s, other.mean, color=_PALE, lw=0.7, label=_OTHERS)
        for series in row.series:
            draw(axes, series.curve, 0 if alone else series.place, "_" if alone else series.label)
    end = _end(panels)
    for axes in panels:
        _frame(axes, end)
    _same_scale([axes for axes, row in zip(panels, rows, strict=True) if not row.apart])
    sheet.supylabel(str(chart.vertical), fontsize="medium")
    # The lowest panel of a column may have a spare place below it. (A label of the sheet would lie on the legend.)
    for axes in panels[-columns:]:
        axes.tick_params(labelbottom=True)
        axes.set_xlabel(str(chart.horizontal))
    layout.legend_of(sheet, panels, 4)
    return sheet


def finish(sheet: Figure, panels: Sequence[Axes], chart: Chart, *, legend: bool) -> None:
    """Axes with their units, and the legend."""
    end = _end(panels)
    for axes in panels:
        vertical = chart.vertical
        axes.set_ylabel(f"{vertical.quantity}\n({vertical.unit})" if len(panels) > 1 else str(vertical))
        _frame(axes, end)
    panels[-1].set_xlabel(str(chart.horizontal))
    if legend:
        layout.legend_of(sheet, panels)


def _frame(axes: Axes, end: float) -> None:
    axes.margins(x=0)
    axes.set_xlim(0, end or None)
    if axes.lines:
        _limit_height(axes)
    else:
        layout.say(axes, "not recorded")


def _same_scale(panels: Sequence[Axes]) -> None:
    highest = max((axes.get_ylim()[1] for axes in panels if axes.lines), default=1.0)
    for axes in panels:
        axes.set_ylim(0, highest)


def _limit_height(axes: Axes) -> None:
    """From zero, and not so high that a wide interval flattens all lines: with few runs one bin's can be huge."""
    values = np.concatenate([np.asarray(line.get_ydata(), dtype=np.float64) for line in axes.lines])
    if not np.isfinite(values).any() or np.nanmin(values) < 0:
        return
    highest = float(np.nanmax(values))
    axes.set_ylim(0, min(axes.get_ylim()[1], _HEADROOM * highest) if highest > 0 else None)


def _end(panels: Sequence[Axes]) -> float:
    """A curve's points lie in the middle of its bins: the last bin ends half a bin later."""
    times: list[Any] = [
        line.get_xdata() for axes in panels for line in axes.lines if line.get_gid() == _CURVE
    ]
    return max((float(of[-1] + of[0]) for of in times), default=0.0)

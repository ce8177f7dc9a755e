"""Forms of figures over time: one panel of lines, panels below each other, small panels beside each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from tailrace.show.plots import layout, spans, style
from tailrace.show.plots.curves import Array, Curve
from tailrace.show.plots.time_metrics import Metric

# Names and curves of a panel's lines.
Lines: TypeAlias = Sequence[tuple[str, Curve]]

# Factor by which an axis may exceed the highest line.
_HEADROOM = 1.6
# Marks lines of binned means, as opposed to raw samples.
_CURVE = "curve"
# A sheet narrower than this, in inches, has two small panels beside each other, else three.
_NARROW = 5.0
# The background of a panel that shows one of several.
_PALE, _OTHERS = "#c8c8c8", "all others"


@dataclass(frozen=True)
class Panel:
    """A panel to be; one that stands for many, whose values are of another size, has a scale of its own."""

    title: str
    lines: Lines
    apart: bool = False


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


def stacked(metric: Metric, title: str, rows: Sequence[Panel], looks: Mapping[str, int]) -> Figure:
    """Panels below each other, each on its own scale, with a line for each result."""
    sheet, panels = layout.figure(max(1, len(rows)), title)
    for axes, row in zip(panels, rows, strict=False):
        if len(rows) > 1:
            axes.set_title(layout.panel_title(row.title, 1))
        for label, curve in row.lines:
            draw(axes, curve, looks[label], label)
    finish(sheet, panels, metric, legend=True)
    return sheet


def multiples(
    metric: Metric,
    title: str,
    rows: Sequence[Panel],
    looks: Mapping[str, int],
    *,
    pale: bool = False,
    of_results: bool = False,
) -> Figure:
    """Small panels on one scale.

    Where each has one line, which is what it is called after, there is no legend; with `pale` the lines of all others
    lie behind it. `of_results` says that each is of the result after which it is called.
    """
    alone = all(len(row.lines) == 1 and row.lines[0][0] == row.title for row in rows) or pale
    columns = 2 if style.look().size.width < _NARROW else 3
    sheet, panels = layout.figure(len(rows), title, columns, same_scale=False)
    for axes, row in zip(panels, rows, strict=True):
        axes.set_title(layout.panel_title(row.title, columns))
        if of_results:
            spans.of_one(axes, row.title)
        for curve in (line for other in rows if pale and other is not row for _, line in other.lines):
            axes.plot(curve.time_s, curve.mean, color=_PALE, lw=0.7, label=_OTHERS)
        for label, curve in row.lines:
            draw(axes, curve, 0 if alone else looks[label], "_" if alone else label)
    end = _end(panels)
    for axes in panels:
        _frame(axes, end)
    _same_scale([axes for axes, row in zip(panels, rows, strict=True) if not row.apart])
    sheet.supylabel(f"{_subject(metric)} ({metric.axis})", fontsize="medium")
    # The lowest panel of a column may have a spare place below it. (A label of the sheet would lie on the legend.)
    for axes in panels[-columns:]:
        axes.tick_params(labelbottom=True)
        axes.set_xlabel("time (s)")
    layout.legend_of(sheet, panels, 4)
    return sheet


def finish(sheet: Figure, panels: Sequence[Axes], metric: Metric, *, legend: bool) -> None:
    """Axes with their units, and the legend."""
    end = _end(panels)
    for axes in panels:
        subject = _subject(metric)
        axes.set_ylabel(f"{subject}\n({metric.axis})" if len(panels) > 1 else f"{subject} ({metric.axis})")
        _frame(axes, end)
    panels[-1].set_xlabel("time (s)")
    if legend:
        layout.legend_of(sheet, panels)


def _subject(metric: Metric) -> str:
    return metric.title.partition(",")[0]


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

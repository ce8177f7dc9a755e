"""Points with intervals along an axis of numbers, joined to lines."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from tailrace.show.plots import style
from tailrace.show.plots.swept.axis import Axis
from tailrace.show.plots.swept.design import Line, Panel, Point

_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<")
_PALE, OTHERS = "#c8c8c8", "all others"
# Marks lines that are no measurement of the panel.
BESIDE = "beside"


def ends(point: Point) -> tuple[float, float]:
    """Ends of the 95 % interval; of one run, which has none, the value itself."""
    mean = point.mean
    if mean.ends is not None:
        return mean.ends
    half = mean.ci95 or 0.0
    return mean.mean - half, mean.mean + half


def reach(points: list[Point]) -> Any:  # noqa: ANN401 - what Matplotlib takes
    """Distances from means to the ends of intervals; None where no point has one, 0 at a point without."""
    if all(point.mean.ci95 is None for point in points):
        return None
    return np.array([_parts(point) for point in points]).T


def _parts(point: Point) -> tuple[float, float]:
    if point.mean.ci95 is None:
        return math.nan, math.nan
    low, high = ends(point)
    return point.mean.mean - low, high - point.mean.mean


def cap() -> float:
    """Width of an error bar's cap, in points."""
    return 0.25 * style.look().size.text


def draw(axes: Axes, panel: Panel, axis: Axis, *, joined: bool = True, alone: bool = False) -> None:
    """A line each, with error bars; `alone` where its panel is called after it."""
    for line in panel.lines:
        _draw(axes, line, axis, joined=joined, alone=alone)
    axes.margins(x=0.06)


def _draw(axes: Axes, line: Line, axis: Axis, *, joined: bool, alone: bool) -> None:
    points = [point for point in line.points if axis.at(point.x) is not None]
    if not points:
        return
    place = 0 if alone else line.place
    look = style.line(place)
    if not joined:
        look["linestyle"] = "none"
    axes.errorbar(
        [axis.at(point.x) or 0.0 for point in points],
        [point.mean.mean for point in points],
        yerr=reach(points),
        label="_" if alone else line.label,
        marker=_MARKERS[place % len(_MARKERS)],
        markersize=1.6 * cap(),
        capsize=cap(),
        elinewidth=0.9,
        **look,
    )


def draw_pale(axes: Axes, panels: list[Panel], axis: Axis) -> None:
    """The lines of other panels, behind."""
    for line in (line for panel in panels for line in panel.lines):
        points = [point for point in line.points if axis.at(point.x) is not None]
        xs = [axis.at(point.x) or 0.0 for point in points]
        axes.plot(
            xs, [point.mean.mean for point in points], color=_PALE, lw=0.7, label=OTHERS, zorder=1, gid=BESIDE
        )

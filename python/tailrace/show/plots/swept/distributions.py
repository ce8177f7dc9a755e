"""Distributions of values: boxes, and empirical distribution functions."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba

from tailrace.show.plots import style
from tailrace.show.plots.swept.axis import Axis
from tailrace.show.plots.swept.design import Panel

_WIDTH = 0.8
# Values up to this number are shown as points beside their box.
_FEW = 12
BOX_NOTE = "box: quartiles and median, whiskers: furthest values within 1.5 boxes, dots: single values"


def draw_boxes(axes: Axes, panel: Panel, axis: Axis, count: int, *, alone: bool = False) -> None:
    """`count` boxes at each value of the axis."""
    width = _WIDTH / count
    for line in panel.lines:
        colour = style.COLOURS[line.place % len(style.COLOURS)]
        shift = (line.place - (count - 1) / 2) * width if count > 1 else 0.0
        places = [(axis.at(point.x) or 0.0) + shift for point in line.points]
        few = max((len(point.each) for point in line.points), default=0) <= _FEW
        axes.boxplot(
            [point.each for point in line.points],
            positions=places,
            widths=width * 0.8,
            manage_ticks=False,
            patch_artist=True,
            showfliers=not few,
            label="_" if alone or not line.label else line.label,
            boxprops={"facecolor": to_rgba(colour, 0.3), "edgecolor": colour},
            medianprops={"color": colour, "linewidth": 1.8},
            whiskerprops={"color": colour},
            capprops={"color": colour},
            flierprops={"marker": ".", "markersize": 3, "markeredgecolor": colour},
        )
        if few:
            for place, point in zip(places, line.points, strict=True):
                axes.plot([place] * len(point.each), point.each, ".", ms=3, color=colour, label="_", zorder=3)


def draw_cdf(axes: Axes, panel: Panel, factor: float = 1.0, *, alone: bool = False) -> None:
    """For each line the share of values that are at most so large."""
    for line in panel.lines:
        values, shares = cdf(line.each)
        name = "_" if alone or not line.label else line.label
        axes.plot(
            values * factor,
            shares,
            drawstyle="steps-post",
            label=name,
            **style.line(0 if alone else line.place),
        )


def cdf(values: list[float]) -> tuple[np.ndarray, np.ndarray]:
    """Values in rising order and the share of all that is at most so large; it begins with none.

    >>> [of.tolist() for of in cdf([3.0, 1.0])]
    [[1.0, 1.0, 3.0], [0.0, 0.5, 1.0]]
    """
    ordered = np.sort(np.asarray(values, dtype=np.float64))
    if not len(ordered):
        return ordered, ordered
    return np.append(ordered[0], ordered), np.arange(len(ordered) + 1) / len(ordered)

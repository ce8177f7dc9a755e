"""Bars with intervals for words, those of several lines beside each other."""

from __future__ import annotations

from matplotlib.axes import Axes

from tailrace.show.plots import style
from tailrace.show.plots.swept import lines
from tailrace.show.plots.swept.axis import Axis
from tailrace.show.plots.swept.design import Panel

# Hatches that tell bars apart beside colours.
HATCHES = ("", "///", "...", "xxx", "---", "\\\\\\", "ooo", "+++")
_WIDTH = 0.8


def draw(axes: Axes, panel: Panel, axis: Axis, count: int, *, alone: bool = False) -> None:
    """`count` bars at each word, of which some panels may lack one."""
    width = _WIDTH / count
    # No wider than its bar, in points.
    room = axes.bbox.width / axes.figure.dpi * 72
    cap = min(lines.cap(), 0.3 * width * room / max(1, len(axis.values)))
    for line in panel.lines:
        shift = (line.place - (count - 1) / 2) * width if count > 1 else 0.0
        points = list(line.points)
        axes.bar(
            [(axis.at(point.x) or 0.0) + shift for point in points],
            [point.mean.mean for point in points],
            width * 0.92,
            yerr=lines.reach(points),
            label="_" if alone or not line.label else line.label,
            color=style.COLOURS[line.place % len(style.COLOURS)],
            hatch=HATCHES[line.place % len(HATCHES)],
            edgecolor="white",
            linewidth=0.5,
            error_kw={"capsize": cap, "capthick": 0.7, "elinewidth": 0.7, "ecolor": "#222222"},
        )
    axes.set_axisbelow(True)

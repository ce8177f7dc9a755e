"""Figures of Multipath TCP for several results: a panel for each result, or a line for each in shared panels.

Windows and stacks cannot lie over each other and still be read, so each result has a panel, all on one scale and with
one colour a path. Progress and reordering are a line a result.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import polars as pl
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tailrace.plots import layout, multipath, reordering, style
from tailrace.plots.curves import Curve, Grouped, total

if TYPE_CHECKING:
    from tailrace.result import Result

# More panels than this are not read.
_MOST_PANELS = 12


def _subflow_cwnd(results: Mapping[str, Result], title: str) -> Figure:
    """A panel for each result: the subflows of its first connection, in its first run."""
    found = {
        label: multipath.connections(result, result.subflow_series)[0]
        for label, result in results.items()
        if multipath.is_in(result)
    }
    first = {label: own[0] for label, own in found.items()}
    several = any(len(own) > 1 for own in found.values())
    names = {label: f"{label}: {name}" if several else label for label, (name, _) in first.items()}
    note = f"first run{', first connection' if several else ''}, {_seeds(results)}"
    sheet, panels = _sheet(len(names), f"{title}: congestion window of each subflow over time", note)
    colours: dict[str, int] = {}
    for axes, (label, (_, rows)) in zip(panels, first.items(), strict=False):
        axes.set_title(layout.panel_title(names[label], len(panels)))
        multipath.draw_windows(axes, rows, colours)
    _finish(sheet, panels, results, "congestion window (kB)")
    return sheet


def _path_throughput(results: Mapping[str, Result], title: str) -> Figure:
    """A panel for each result and flow group: what was given to each path, stacked."""
    stacks = {
        (label, group): result
        for label, result in results.items()
        if multipath.is_in(result)
        for group in multipath.groups(result)
    }
    several = len({group for _, group in stacks}) > 1
    names = {key: f"{key[0]}: {key[1]}" if several else key[0] for key in stacks}
    counts = [result.n for result in results.values()]
    note = f"{'mean of ' if max(counts) > 1 else ''}{layout.band_note(counts, band=False)}, {_seeds(results)}"
    sheet, panels = _sheet(len(names), f"{title}: throughput by path over time, copies included", note)
    colours: dict[str, int] = {}
    for axes, (key, result) in zip(panels, stacks.items(), strict=False):
        axes.set_title(layout.panel_title(names[key], len(panels)))
        multipath.draw_stack(axes, result, key[1], colours)
    _finish(sheet, panels, results, "throughput (Mbit/s)")
    return sheet


def _data_sequence(results: Mapping[str, Result], title: str) -> Figure:
    """A line for each result: what was delivered in order, and below it what waited at the receiver."""
    groups = list(
        dict.fromkeys(
            group
            for result in results.values()
            if multipath.is_in(result)
            for group in multipath.groups(result)
        )
    )
    counts = [result.n for result in results.values()]
    note = f"{layout.band_note(counts, band=max(counts) > 1)}, {_seeds(results)}"
    headline = f"{title}: data sequence over time\n{note}"
    sheet, panels = layout.figure(2 * max(1, len(groups)), headline)
    for group, place in zip(groups, range(0, len(panels), 2), strict=True):
        above, below = panels[place : place + 2]
        for index, (label, result) in enumerate(results.items()):
            for axes, column, scale in ((above, "delivered_bytes", 1e-6), (below, "waiting_bytes", 1e-3)):
                curve = _of_group(result, group, column)
                if curve:
                    _line(axes, curve, scale, index, label)
        if len(groups) > 1:
            above.set_title(group)
        above.set_ylabel("delivered in order\n(MB)")
        below.set_ylabel("at the receiver,\nout of order (kB)")
    multipath.finish(sheet, panels, _end(results))
    return sheet


# By the names of their files.
OVERLAYS: dict[str, Callable[[Mapping[str, Result], str], Figure]] = {
    "subflow_cwnd": _subflow_cwnd,
    "path_throughput": _path_throughput,
    "data_sequence": _data_sequence,
    "reordering": reordering.overlay,
}


def _of_group(result: Result, group: str, column: str) -> Curve | None:
    """The sum over a group's connections, mean over runs."""
    series = result.connection_series
    rows = series.filter(pl.col("group").cast(pl.String) == group) if len(series) else series
    return Grouped.of(rows, "flow").curve(column, total) if len(rows) else None


def _line(axes: Axes, curve: Curve, scale: float, index: int, label: str) -> None:
    look = style.line(index)
    axes.plot(curve.time_s, curve.mean * scale, label=label, **look)
    if curve.half is not None:
        low, high = (curve.mean - curve.half) * scale, (curve.mean + curve.half) * scale
        axes.fill_between(curve.time_s, low, high, color=look["color"], alpha=0.18, lw=0)


def _sheet(count: int, headline: str, note: str) -> tuple[Figure, list[Axes]]:
    shown = min(count, _MOST_PANELS)
    if shown < count:
        note += f", {shown} of {count} panels"
    return layout.figure(max(1, shown), f"{headline}\n{note}", 2 if shown >= layout.TWO_COLUMNS else 1)


def _finish(sheet: Figure, panels: list[Axes], results: Mapping[str, Result], axis: str) -> None:
    end = _end(results)
    highest = max((axes.get_ylim()[1] for axes in panels), default=1.0)
    entries: dict[str, Artist] = {}
    for axes in panels:
        axes.set_xlim(0, end)
        if axes.lines or axes.collections:
            axes.set_ylim(0, highest)
        else:
            axes.text(0.5, 0.5, "not recorded", transform=axes.transAxes, ha="center", color="#666666")
        handles, labels = axes.get_legend_handles_labels()
        entries.update(
            {label: handle for handle, label in zip(handles, labels, strict=True) if label not in entries}
        )
    # Of the last panel in each column: the one on the right may stand above an empty place.
    for axes in panels[-2:] if len(panels) >= layout.TWO_COLUMNS else panels[-1:]:
        axes.set_xlabel("time (s)")
        axes.tick_params(labelbottom=True)
    sheet.supylabel(axis, fontsize=10)
    if entries:
        layout.legend(sheet, list(entries.values()), list(entries), 3)


def _end(results: Mapping[str, Result]) -> float:
    ends = [
        result.connection_series["time_s"].max() for result in results.values() if multipath.is_in(result)
    ]
    return max((float(end) for end in ends if isinstance(end, float)), default=1.0)


def _seeds(results: Mapping[str, Result]) -> str:
    seeds = sorted({result.seed for result in results.values()})
    return f"seed{'s' if len(seeds) > 1 else ''} {', '.join(map(str, seeds))}"

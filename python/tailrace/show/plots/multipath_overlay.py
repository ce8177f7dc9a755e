"""Figures of Multipath TCP for several results: a panel for each result, or a line for each in shared panels.

Windows and stacks cannot lie over each other and still be read, so each result has a panel, all on one scale and with
one colour a path. Progress and reordering are a line a result.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING

import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tailrace.show.charts import data_direction, notes, path_rates
from tailrace.show.charts.curves import Curve, Grouped, total
from tailrace.show.plots import layout, multipath, reordering, spans, style

if TYPE_CHECKING:
    from tailrace.data.result import Result

# More panels than this are not read.
_MOST_PANELS = 12


def _subflow_cwnd(results: Mapping[str, Result], title: str) -> Figure:
    """A panel for each result: the subflows of its first connection, in its first run."""
    found = {
        label: multipath.connections(result, data_direction.drawn(result, result.subflow_series))[0]
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
        axes.set_title(layout.panel_title(names[label], _columns(len(panels))))
        spans.of_one(axes, label)
        subflows = multipath.draw_windows(axes, rows, colours)
        if subflows > path_rates.MOST_LINES:
            note_left_out = f"{names[label]}, {path_rates.MOST_LINES} of {subflows} subflows"
            axes.set_title(layout.panel_title(note_left_out, _columns(len(panels))))
    _finish(sheet, panels, results, "congestion window (kB)")
    return sheet


def _stacked(stack: path_rates.Stack, results: Mapping[str, Result], title: str) -> Figure:
    """A panel for each result and flow group: the rate of each path, stacked."""
    stacks = {
        (label, group): result
        for label, result in results.items()
        for group in path_rates.stacked(stack, result)
    }
    several = len({group for _, group in stacks}) > 1
    names = {key: f"{key[0]}: {key[1]}" if several else key[0] for key in stacks}
    counts = [result.n for result in results.values()]
    note = f"{'mean of ' if max(counts) > 1 else ''}{notes.band_note(counts, band=False)}, {_seeds(results)}"
    sheet, panels = _sheet(len(names), f"{title}: {stack.headline}", note)
    colours: dict[str, int] = {}
    for axes, (key, result) in zip(panels, stacks.items(), strict=False):
        axes.set_title(layout.panel_title(names[key], _columns(len(panels))))
        spans.of_one(axes, key[0])
        multipath.draw_stack(axes, path_rates.panel(stack, result, key[1], colours))
    _finish(sheet, panels, results, f"{stack.axis} (Mbit/s)")
    return sheet


def _data_sequence(results: Mapping[str, Result], title: str) -> Figure:
    """Draws data delivered in order, and below it data that waited at the receiver: a line for each result, or each
    group.
    """
    found = {
        label: dict.fromkeys(multipath.groups(result), result)
        for label, result in results.items()
        if multipath.is_in(result)
    }
    rows, swapped = layout.crossed(found), len(found) > style.MOST_LINES
    looks = layout.looks(rows)
    counts = [result.n for result in results.values()]
    note = f"{notes.band_note(counts, band=max(counts) > 1)}, {_seeds(results)}"
    if swapped and len(rows) < len(found):
        note += f", {len(rows)} of {len(found)} results"
    sheet, panels = layout.figure(2 * max(1, len(rows)), f"{title}: data sequence over time\n{note}")
    for (name, lines), above, below in zip(rows, panels[::2], panels[1::2], strict=False):
        for label, result in lines.items():
            group = label if swapped else name
            for axes, column, scale in ((above, "delivered_bytes", 1e-6), (below, "waiting_bytes", 1e-3)):
                curve = _of_group(result, group, column)
                if curve:
                    _line(axes, curve, scale, looks[label], label)
        if len(rows) > 1:
            above.set_title(name)
        above.set_ylabel("delivered in order\n(MB)")
        below.set_ylabel("at the receiver,\nout of order (kB)")
    multipath.finish(sheet, panels, _end(results))
    return sheet


# By the names of their files.
OVERLAYS: dict[str, Callable[[Mapping[str, Result], str], Figure]] = {
    "subflow_cwnd": _subflow_cwnd,
    **{name: partial(_stacked, stack) for name, stack in path_rates.STACKS.items()},
    "data_sequence": _data_sequence,
    "reordering": reordering.overlay,
}


def _of_group(result: Result, group: str, column: str) -> Curve | None:
    """The sum over a group's connections, mean over runs."""
    series = data_direction.drawn(result, result.connection_series)
    rows = series.filter(pl.col("group").cast(pl.String) == group) if len(series) else series
    return Grouped.of(rows, "flow").curve(column, total) if len(rows) else None


def _line(axes: Axes, curve: Curve, scale: float, index: int, label: str) -> None:
    look = style.line(index)
    axes.plot(curve.time_s, curve.mean * scale, label=label, **look)
    if curve.band:
        low, high = (end * scale for end in curve.band)
        axes.fill_between(curve.time_s, low, high, color=look["color"], alpha=0.18, lw=0)


def _sheet(count: int, headline: str, note: str) -> tuple[Figure, list[Axes]]:
    shown = min(count, _MOST_PANELS)
    if shown < count:
        note += f", {shown} of {count} panels"
    return layout.figure(max(1, shown), f"{headline}\n{note}", _columns(shown))


def _columns(panels: int) -> int:
    return 2 if panels >= layout.TWO_COLUMNS else 1


def _finish(sheet: Figure, panels: list[Axes], results: Mapping[str, Result], axis: str) -> None:
    end = _end(results)
    highest = max((axes.get_ylim()[1] for axes in panels), default=1.0)
    for axes in panels:
        axes.set_xlim(0, end)
        if axes.lines or axes.collections:
            axes.set_ylim(0, highest)
        else:
            layout.say(axes, "not recorded")
    # The last panel in each column has the axis: the one on the right may stand above an empty place.
    for axes in panels[-_columns(len(panels)) :]:
        axes.set_xlabel("time (s)")
        axes.tick_params(labelbottom=True)
    sheet.supylabel(axis, fontsize="medium")
    layout.legend_of(sheet, panels, 3)


def _end(results: Mapping[str, Result]) -> float:
    series = (rows for result in results.values() for rows in (result.connection_series, result.path_series))
    ends = [rows["time_s"].max() for rows in series if len(rows)]
    return max((float(end) for end in ends if isinstance(end, float)), default=1.0)


def _seeds(results: Mapping[str, Result]) -> str:
    seeds = notes.seeds_note([result.seed for result in results.values()])
    return f"{seeds}{data_direction.note(results.values())}"

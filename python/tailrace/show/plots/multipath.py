"""Figures of Multipath TCP: windows of subflows, throughput by path, progress of the byte stream, reordering."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tailrace.show.charts import data_direction, notes, path_rates
from tailrace.show.charts.curves import natural
from tailrace.show.charts.description import LAYER, TOTAL, Panel
from tailrace.show.charts.path_rates import MOST_LINES, STACKS
from tailrace.show.plots import layout, reordering, style

if TYPE_CHECKING:
    from tailrace.data.result import Result

# More connections, or lines in a panel, are not read.
_MOST_CONNECTIONS = 6
# Hatches that tell layers apart once the colours are used up.
_HATCHES = ("", "///", "...", "xxx")


def is_in(result: Result) -> bool:
    """Whether a sampled flow used Multipath TCP."""
    return len(result.subflow_series) > 0 and len(result.connection_series) > 0


def is_worth(name: str, result: Result) -> bool:
    """Whether there is something for a figure.

    Of kernels' connections there is no reordering; earlier versions recorded no series of paths.
    """
    if name in STACKS:
        return len(STACKS[name].rows(result)) > 0
    return is_in(result) and (name != "reordering" or len(result.reordering) > 0)


def _subflow_cwnd(result: Result) -> Figure:
    """A panel for each connection of run 1, a line for each subflow while it may carry data."""
    found, note = connections(result, data_direction.drawn(result, result.subflow_series))
    title = f"{result.name}: congestion window of each subflow over time\n{note}"
    sheet, panels = layout.figure(max(1, len(found)), title)
    for axes, (name, rows) in zip(panels, found, strict=False):
        subflows = draw_windows(axes, rows, {})
        if subflows > MOST_LINES:
            axes.set_title(f"{name}, {MOST_LINES} of {subflows} subflows")
        elif len(found) > 1:
            axes.set_title(name)
        axes.set_ylabel("congestion window\n(kB)")
    finish(sheet, panels, _end(result.subflow_series))
    return sheet


def draw_windows(axes: Axes, rows: pl.DataFrame, looks: dict[str, int]) -> int:
    """A line for each subflow of a connection; returns how many there are, of which not all may have been drawn.

    `looks` remembers which line looks how, so that a subflow looks the same in the next panel.
    """
    subflows = rows.partition_by("subflow", "link", maintain_order=True)
    subflows.sort(key=lambda of: (of["subflow"][0], natural(str(of["link"][0]))))
    times = rows.select(pl.col("time_s").unique().sort())
    for own in subflows[:MOST_LINES]:
        # A gap where it could carry nothing: before it joined, after it failed, while another had its place.
        held = times.join(own.filter(pl.col("usable") == 1), on="time_s", how="left", maintain_order="left")
        label = f"{own['link'][0]} (subflow {own['subflow'][0]})"
        look = style.line(looks.setdefault(label, len(looks)))
        axes.plot(held["time_s"], held["cwnd_bytes"] / 1e3, label=label, **{**look, "lw": 1.0})
    return len(subflows)


def _stacked(name: str, result: Result) -> Figure:
    """A panel for each flow group: the rate of each path, stacked; what was delivered as a line."""
    chart = path_rates.chart(name, result)
    note = (
        f"{'mean of ' if result.n > 1 else ''}{notes.band_note([result.n], band=False)}, seed {result.seed}"
        f"{', ' if chart.note else ''}{chart.note}"
    )
    sheet, panels = layout.figure(max(1, len(chart.panels)), f"{result.name}: {chart.headline}\n{note}")
    for axes, panel in zip(panels, chart.panels, strict=False):
        if len(chart.panels) > 1:
            axes.set_title(panel.part)
        draw_stack(axes, panel)
        axes.set_ylabel(f"{chart.vertical.quantity}\n({chart.vertical.unit})")
    finish(sheet, panels, _end(STACKS[name].rows(result)))
    return sheet


def draw_stack(axes: Axes, panel: Panel) -> None:
    """Layers that lie on each other, and lines over them."""
    layers = [series for series in panel.series if series.kind == LAYER]
    if not layers:
        return
    places = [series.place for series in layers]
    axes.stackplot(
        layers[0].curve.time_s,
        [np.nan_to_num(series.curve.mean) for series in layers],
        labels=[series.label for series in layers],
        colors=[style.COLOURS[place % len(style.COLOURS)] for place in places],
        hatch=[_HATCHES[place // len(style.COLOURS) % len(_HATCHES)] for place in places],
        alpha=0.6,
        lw=0,
    )
    for series in panel.series:
        if series.kind == TOTAL:
            axes.plot(series.curve.time_s, series.curve.mean, color="#000000", lw=1.2, label=series.label)


def _data_sequence(result: Result) -> Figure:
    """Two panels for each connection of run 1: the stream's progress, and what is between sender and application."""
    found, note = connections(result, data_direction.drawn(result, result.connection_series))
    title = f"{result.name}: data sequence over time\n{note}"
    sheet, panels = layout.figure(2 * max(1, len(found)), title, 2, same_scale=False)
    for (name, rows), left, right in zip(found, panels[::2], panels[1::2], strict=False):
        if len(found) > 1:
            left.set_title(name)
        times = rows["time_s"]
        for index, (column, label) in enumerate(
            (
                ("sent_bytes", "sent"),
                ("delivered_bytes", "delivered in order"),
                ("acked_bytes", "acknowledged"),
            )
        ):
            # Kernels do not tell of all.
            if rows[column].null_count() < len(rows):
                left.plot(times, rows[column] / 1e6, label=label, **style.line(index))
        left.set_ylabel("data sequence (MB)")
        open_bytes = rows["sent_bytes"].cast(pl.Float64) - rows["acked_bytes"].cast(pl.Float64)
        for kept, label, colour in (
            (open_bytes, "sent, not acknowledged", style.COLOURS[6]),
            (rows["waiting_bytes"], "at the receiver, out of order", style.COLOURS[3]),
        ):
            if kept.null_count() < len(kept):
                right.plot(times, kept / 1e3, label=label, color=colour, lw=0.9)
        right.set_ylabel("on the way (kB)")
    finish(sheet, panels, _end(result.connection_series), columns=2)
    return sheet


# By the names of their files.
FIGURES: dict[str, Callable[[Result], Figure]] = {
    "subflow_cwnd": _subflow_cwnd,
    **{name: partial(_stacked, name) for name in STACKS},
    "data_sequence": _data_sequence,
    "reordering": reordering.single,
}


# -- which rows ------------------------------------------------------------------------------------------------


def groups(result: Result) -> list[str]:
    """The flow groups that used Multipath TCP, as far as its subflows were recorded."""
    return _groups(result.subflow_series) if is_in(result) else []


def _groups(rows: pl.DataFrame) -> list[str]:
    return sorted(rows["group"].cast(pl.String).unique(), key=natural)


def connections(result: Result, series: pl.DataFrame) -> tuple[list[tuple[str, pl.DataFrame]], str]:
    """The connections of the first run, as many as are read, with a note that says which these are."""
    if not len(series):
        return [], f"seed {result.seed}"
    first = int(series["run"].to_numpy().min())
    run = series.filter(pl.col("run") == first)
    flows = run.partition_by("group", "flow", maintain_order=True)
    named = [(f"{rows['group'].cast(pl.String)[0]}[{rows['flow'][0]}]", rows) for rows in flows]
    named.sort(key=lambda pair: natural(pair[0]))
    note = f"run {first} of {result.n}" if result.n > 1 else "1 run"
    if len(named) > _MOST_CONNECTIONS:
        note += f", {_MOST_CONNECTIONS} of {len(named)} connections"
    return named[:_MOST_CONNECTIONS], f"{note}, seed {result.seed}{data_direction.note([result])}"


def _end(series: pl.DataFrame) -> float:
    return float(series["time_s"].to_numpy().max()) if len(series) else 1.0


# -- drawing ---------------------------------------------------------------------------------------------------


def finish(sheet: Figure, panels: Sequence[Axes], end: float, columns: int = 1) -> None:
    """Axes, and a legend."""
    for axes in panels:
        axes.margins(x=0)
        axes.set_xlim(0, end)
        if axes.lines or axes.collections:
            axes.set_ylim(bottom=0)
        else:
            layout.say(axes, "not recorded")
    for axes in panels[-columns:]:
        axes.set_xlabel("time (s)")
    _legends(sheet, panels, columns)


def _legends(sheet: Figure, panels: Sequence[Axes], columns: int) -> None:
    """Adds one legend for all rows if all have the same entries, else one beside each."""
    rows = [panels[start : start + columns] for start in range(0, len(panels), columns)]
    entries = [[axes.get_legend_handles_labels() for axes in row] for row in rows]
    labels = [[label for _, names in row for label in names] for row in entries]
    if any(names != labels[0] for names in labels):
        for axes in (axes for axes in panels if axes.lines):
            axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize="small")
    else:
        layout.legend_of(sheet, panels, 3)

"""Figures of Multipath TCP: windows of subflows, throughput by path, progress of the byte stream, reordering."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tailrace.show.plots import data_direction, layout, reordering, style
from tailrace.show.plots.curves import Curve, Grouped, natural, total

if TYPE_CHECKING:
    from tailrace.data.result import Result

# More connections, or lines in a panel, are not read.
_MOST_CONNECTIONS = 6
MOST_LINES = 7
_OTHERS = "other paths"
# Hatches that tell layers apart once the colours are used up.
_HATCHES = ("", "///", "...", "xxx")
_FLOW = ("run", "group", "flow")


@dataclass(frozen=True)
class Stack:
    """A rate that lies in layers, one a path."""

    headline: str
    axis: str
    # `mbps` by `run`, `time_s`, `group` and `link`, in rows whose paths come in the order of their colours.
    rates: Callable[[Result], pl.DataFrame]
    # The rows that these come of: without any, there is nothing to draw.
    rows: Callable[[Result], pl.DataFrame]


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


def _stacked(stack: Stack, result: Result) -> Figure:
    """A panel for each flow group: the rate of each path, stacked; what was delivered as a line."""
    found = stacked(stack, result)
    note = (
        f"{'mean of ' if result.n > 1 else ''}{layout.band_note([result.n], band=False)}, seed {result.seed}"
        f"{data_direction.note([result])}"
    )
    title = f"{result.name}: {stack.headline}\n{note}"
    sheet, panels = layout.figure(max(1, len(found)), title)
    for axes, group in zip(panels, found, strict=False):
        if len(found) > 1:
            axes.set_title(group)
        draw_stack(stack, axes, result, group, {})
        axes.set_ylabel(f"{stack.axis}\n(Mbit/s)")
    finish(sheet, panels, _end(stack.rows(result)))
    return sheet


def draw_stack(stack: Stack, axes: Axes, result: Result, group: str, looks: dict[str, int]) -> None:
    """The rate of each path of a group, stacked; `looks` remembers the colours of paths for the next panel."""
    mine = pl.col("group").cast(pl.String) == group
    rates = stack.rates(result)
    paths = _by_path(rates.filter(mine)) if len(rates) else {}
    if not paths:
        return
    for link in paths:
        looks.setdefault(link, len(looks))
    # The same order from below in every panel.
    ordered = sorted(paths, key=lambda link: looks[link])
    times = paths[ordered[0]].time_s
    layers = [np.nan_to_num(paths[link].mean) for link in ordered]
    colours = [style.COLOURS[looks[link] % len(style.COLOURS)] for link in ordered]
    hatches = [_HATCHES[looks[link] // len(style.COLOURS) % len(_HATCHES)] for link in ordered]
    axes.stackplot(times, layers, labels=ordered, colors=colours, hatch=hatches, alpha=0.6, lw=0)
    if not len(result.connection_series):
        return
    own = data_direction.drawn(result, result.connection_series).filter(mine)
    delivered = _rates(own, "delivered_bytes", "flow")
    curve = Grouped.of(delivered, "flow").curve("mbps", total)
    if curve:
        axes.plot(curve.time_s, curve.mean, color="#000000", lw=1.2, label="delivered in order")


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


def _given(result: Result) -> pl.DataFrame:
    """Bytes that connections gave subflows, by the link on which these leave the sender."""
    return _rates(data_direction.drawn(result, result.subflow_series), "scheduled_bytes", "subflow", "link")


def _came_first(result: Result) -> pl.DataFrame:
    """Bytes that receivers got by each path before they had them from another."""
    series = data_direction.drawn(result, result.path_series)
    if not len(series):
        return series
    rate = (pl.col("goodput_bps") * 1e-6).alias("mbps")
    return series.sort("time_s", maintain_order=True).with_columns(rate).rename({"path": "link"})


STACKS = {
    "path_goodput": Stack(
        "goodput by path over time", "goodput", _came_first, lambda result: result.path_series
    ),
    "path_throughput": Stack(
        "throughput by path over time, copies included",
        "throughput",
        _given,
        lambda result: result.subflow_series,
    ),
}
# By the names of their files.
FIGURES: dict[str, Callable[[Result], Figure]] = {
    "subflow_cwnd": _subflow_cwnd,
    **{name: partial(_stacked, stack) for name, stack in STACKS.items()},
    "data_sequence": _data_sequence,
    "reordering": reordering.single,
}


# -- which rows ------------------------------------------------------------------------------------------------


def groups(result: Result) -> list[str]:
    """The flow groups that used Multipath TCP, as far as its subflows were recorded."""
    return _groups(result.subflow_series) if is_in(result) else []


def stacked(stack: Stack, result: Result) -> list[str]:
    """The flow groups that have such a figure."""
    return _groups(rows) if len(rows := stack.rows(result)) else []


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


def _rates(series: pl.DataFrame, counter: str, *member: str) -> pl.DataFrame:
    """Rate of a counter of bytes since the sample before, as `mbps`.

    A subflow's place may be taken by another once it is over, whose counter begins at zero again: a counter that
    fell counts from there.
    """
    step = float(np.median(np.diff(times))) if len(times := np.unique(series["time_s"])) > 1 else _end(series)
    keys = list(dict.fromkeys([*_FLOW, *member]))
    value = pl.col(counter).cast(pl.Float64)
    before = value.shift(1, fill_value=0.0).over(keys)
    gained = pl.when(value < before).then(value).otherwise(value - before)
    return series.sort("time_s", maintain_order=True).with_columns((gained * 8e-6 / step).alias("mbps"))


def _by_path(series: pl.DataFrame) -> dict[str, Curve]:
    """The rate of all flows together, by path."""
    rates = series.with_columns(pl.col("link").cast(pl.String))
    # In the order of the subflows, so that a path has the same colour in the figure of the windows.
    links = rates["link"].unique(maintain_order=True).to_list()
    if len(links) > MOST_LINES:
        shares = (
            rates.group_by("link").agg(pl.col("mbps").sum()).sort("mbps", "link", descending=[True, False])
        )
        kept = shares["link"].to_list()[: MOST_LINES - 1]
        named = pl.when(pl.col("link").is_in(kept)).then("link").otherwise(pl.lit(_OTHERS))
        rates, links = rates.with_columns(named.alias("link")), [*kept, _OTHERS]
    sums = rates.group_by("run", "time_s", "link").agg(pl.col("mbps").sum())
    # A path without a subflow carries nothing, which is a zero and not a gap: layers lie on each other.
    every = rates.select("run", "time_s").unique().join(pl.DataFrame({"link": links}), how="cross")
    whole = every.join(sums, on=["run", "time_s", "link"], how="left").with_columns(
        pl.col("mbps").fill_null(0.0)
    )
    # In a fixed order: sums of floating-point numbers depend on it.
    binned = Grouped.of(whole.sort("run", "time_s", "link"), "link")
    found = {link: binned.curve("mbps", total, [link]) for link in links}
    return {link: curve for link, curve in found.items() if curve}


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

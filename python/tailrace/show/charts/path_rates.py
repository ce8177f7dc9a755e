"""Rates of Multipath TCP by path: layers of a stack, and what was delivered in order as a line over it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from tailrace.show.charts import data_direction
from tailrace.show.charts.curves import Curve, Grouped, natural, total
from tailrace.show.charts.description import LAYER, TOTAL, Axis, Chart, Panel, Series, Span

if TYPE_CHECKING:
    from tailrace.data.result import Result

# More layers are not told apart: the smallest are one.
MOST_LINES = 7
_OTHERS = "other paths"
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


def chart(name: str, result: Result, spans: Sequence[Span] = ()) -> Chart:
    """The rate of each path over time, with a panel for each flow group."""
    stack = STACKS[name]
    looks: dict[str, int] = {}
    panels = [panel(stack, result, group, looks) for group in stacked(stack, result)]
    if len(panels) == 1:
        panels = [replace(panels[0], part="")]
    note = data_direction.note([result]).removeprefix(", ")
    return Chart(
        name,
        stack.headline.removesuffix(" over time"),
        stack.headline,
        Axis(stack.axis, "Mbit/s"),
        panels,
        note,
        "flows",
        spans=spans,
    )


def panel(stack: Stack, result: Result, group: str, looks: dict[str, int]) -> Panel:
    """The rate of each path of a group; `looks` remembers the places of paths for the next panel."""
    mine = pl.col("group").cast(pl.String) == group
    rates = stack.rates(result)
    paths = _by_path(rates.filter(mine)) if len(rates) else {}
    if not paths:
        return Panel(group, [])
    for link in paths:
        looks.setdefault(link, len(looks))
    # The same order from below in every panel.
    ordered = sorted(paths, key=lambda link: looks[link])
    layers = [Series(link, looks[link], paths[link], LAYER) for link in ordered]
    return Panel(group, [*layers, *_delivered(result, mine)])


def _delivered(result: Result, mine: pl.Expr) -> list[Series]:
    """Rate at which data was delivered in order."""
    if not len(result.connection_series):
        return []
    own = data_direction.drawn(result, result.connection_series).filter(mine)
    curve = Grouped.of(_rates(own, "delivered_bytes", "flow"), "flow").curve("mbps", total)
    return [Series("delivered in order", MOST_LINES - 1, curve, TOTAL)] if curve else []


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


def stacked(stack: Stack, result: Result) -> list[str]:
    """The flow groups that have such a figure."""
    return _groups(rows) if len(rows := stack.rows(result)) else []


def _groups(rows: pl.DataFrame) -> list[str]:
    return sorted(rows["group"].cast(pl.String).unique(), key=natural)


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

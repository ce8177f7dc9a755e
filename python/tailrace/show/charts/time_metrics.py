"""Metrics of figures over time: axis, and a curve for each part of a result.

A part is a flow group, a direction of one, or a queue. All results of a figure show the same parts in the same order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import polars as pl

from tailrace.show.charts.curves import Curve, Grouped, average, total
from tailrace.stats import summary_measures

if TYPE_CHECKING:
    from tailrace.data.result import Result


@dataclass(frozen=True)
class Part:
    """A line or panel: its name, and the groups or the queue that it is of."""

    label: str
    members: tuple[str, ...]
    column: str
    # Among all parts that there could be: in every figure it looks the same.
    place: int = 0


# The curve of some members of a table that has been binned.
Read = Callable[[Grouped, Part], Curve | None]


@dataclass(frozen=True)
class Metric:
    """A metric with its axis."""

    name: str
    title: str
    axis: str
    table: str
    column: str
    # From the column to the axis.
    scale: float
    read: Read
    # Aggregation over the groups of a part.
    together: str = "mean"
    # Further columns that it is read from.
    also: tuple[str, ...] = ()

    @property
    def member(self) -> str:
        """The column of the table that tells parts apart."""
        return "queue" if self.table == "queue_series" else "group"

    def dwarfs(self, part: Part) -> bool:
        """Whether the part is a sum of many, beside which single ones would be flat lines."""
        return len(part.members) > 1 and self.together == "sum"


def _sums(scale: float) -> Read:
    return lambda rows, part: _scaled(rows.curve(part.column, total, part.members), scale)


def _means(scale: float) -> Read:
    return lambda rows, part: _scaled(rows.curve(part.column, average, part.members), scale)


def _losses(rows: Grouped, part: Part) -> Curve | None:
    return _scaled(rows.ratio_so_far("lost_packets", "sent_packets", part.members), 100)


def _scaled(curve: Curve | None, scale: float) -> Curve | None:
    return curve.scaled(scale) if curve else None


_RATE = _sums(1e-6)
_GROUPS = "group_series"
METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        Metric("queue", "queue length", "packets", "queue_series", "backlog_packets", 1.0, _means(1)),
        Metric(
            "cwnd",
            "congestion window, mean of open TCP flows",
            "segments",
            _GROUPS,
            "cwnd_mean_segments",
            1.0,
            _means(1),
        ),
        Metric("goodput", "goodput", "Mbit/s", _GROUPS, "goodput_bps", 1e-6, _RATE, "sum"),
        Metric("throughput", "throughput", "Mbit/s", _GROUPS, "throughput_bps", 1e-6, _RATE, "sum"),
        Metric("delay", "one-way delay", "ms", _GROUPS, "one_way_delay_s", 1e3, _means(1e3)),
        Metric("jitter", "application-level jitter", "ms", _GROUPS, "jitter_s", 1e3, _means(1e3)),
        Metric(
            "loss",
            "packets lost so far",
            "% of sent",
            _GROUPS,
            "loss_ratio",
            100.0,
            _losses,
            "all together",
            ("lost_packets", "sent_packets"),
        ),
    )
}
_BACK = "reverse_one_way_delay_s"


def parts_of(metric: Metric, results: Sequence[Result], most: int, queue: str | None = None) -> list[Part]:
    """The parts that are shown of these results, in the order of the scenario; the smallest are one beyond `most`."""
    if metric.member == "queue":
        name = summary_measures.studied_queue([result.aggregate for result in results], queue)
        return [Part(name, (name,), metric.column)] if name else []
    # In the order of the scenario.
    order = list(dict.fromkeys(name for result in results for name in _groups_of(result)))
    forward = _having(metric.column, results)
    back = _having(_BACK, results) if metric.name == "delay" else set()
    parts = [Part(n, (n,), metric.column, i) for i, n in enumerate(order) if n in forward]
    # Groups in which servers alone send have their data's delay there.
    parts += [Part(n, (n,), _BACK, i) for i, n in enumerate(order) if n in back - forward]
    parts.sort(key=lambda part: part.place)
    parts += [
        Part(f"{n}, back", (n,), _BACK, len(order) + i) for i, n in enumerate(order) if n in back & forward
    ]
    if len(parts) <= most:
        return parts
    # Without what comes back to those that send themselves.
    parts = [part for part in parts if part.place < len(order)]
    sizes = _sizes(results)
    columns = list(dict.fromkeys(part.column for part in parts))
    largest = sorted(parts, key=lambda part: -sizes.get(part.label, 0.0))[: max(0, most - len(columns))]
    kept = [replace(part, place=place) for place, part in enumerate(p for p in parts if p in largest)]
    for column in columns:
        rest = tuple(part.label for part in parts if part not in largest and part.column == column)
        whose = "groups" if column == metric.column else "downloads"
        if rest:
            kept.append(Part(f"{len(rest)} other {whose}, {metric.together}", rest, column, len(kept)))
    return kept


def has_any(metric: Metric, result: Result) -> bool:
    """Whether there is a value at all."""
    columns = [metric.column, *([_BACK] if metric.name == "delay" else [])]
    rows = result.columns(metric.table, *columns)
    return any(rows[name].is_not_null().any() for name in rows.columns)


def curves(metric: Metric, result: Result, parts: Sequence[Part]) -> dict[str, Curve]:
    """The curve of each part that has something to show, by its label."""
    wanted = {"run", "time_s", metric.member, metric.column, *metric.also, *(part.column for part in parts)}
    rows = result.columns(metric.table, *sorted(wanted))
    if rows.is_empty() or not parts:
        return {}
    shown = {name for part in parts for name in part.members}
    member = pl.col(metric.member).cast(pl.String)
    grouped = Grouped.of(rows.filter(member.is_in(shown)), metric.member)
    there = set(grouped.members)
    found = {
        part.label: metric.read(grouped, replace(part, members=tuple(m for m in part.members if m in there)))
        for part in parts
    }
    return {label: curve for label, curve in found.items() if curve}


def _groups_of(result: Result) -> list[str]:
    rows = result.columns(_GROUPS, "group")
    return rows["group"].cast(pl.String).unique(maintain_order=True).to_list() if len(rows) else []


def _having(column: str, results: Sequence[Result]) -> set[str]:
    """The groups that have a value somewhere."""
    tables = [result.columns(_GROUPS, "group", column) for result in results]
    rows = [table.filter(pl.col(column).is_not_null()) for table in tables if column in table.columns]
    return {name for found in rows for name in found["group"].cast(pl.String).unique().to_list()}


def _sizes(results: Sequence[Result]) -> Mapping[str, float]:
    """Goodput of each group, summed over the results."""
    sizes: dict[str, float] = {}
    for result in results:
        for name, group in (result.aggregate.get("groups") or {}).items():
            rate = summary_measures.leaf(group, ("goodput_bps", "sum"))
            sizes[name] = sizes.get(name, 0.0) + (rate["mean"] if rate else 0.0)
    return sizes

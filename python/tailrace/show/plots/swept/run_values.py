"""Values shown by a figure of a sweep: of a metric in each run, or of single flows or connections."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import polars as pl

from tailrace.errors import UsageError
from tailrace.show.plots.swept.request import Request
from tailrace.stats import bootstrap, host_programs, reach, statistics
from tailrace.stats.metrics import QUANTITY, Metric
from tailrace.text import near_misses, quantities

if TYPE_CHECKING:
    from tailrace.study.sweep_result import Sweep

# Whom a metric is of, as titles and legends say it.
WHOSE = {
    "group": "flows",
    "queue": "queue",
    "connection": "connection",
    "path": "path",
    "attack": "attack",
    host_programs.ALL: "programs",
    host_programs.PROGRAM: "program",
    host_programs.HOST: "host",
    QUANTITY: "part",
}
# Columns of tables that hold no quantity.
_NO_QUANTITIES = frozenset({"cell", "run", "flow", "connection", "client_port", "subflows"})
# Delay of a flow in the direction of its data: that of what the server sends, where it alone does.
_DELAY = "delay_mean_s"
# Short for columns of tables.
_COLUMNS = {
    "goodput": "goodput_bps",
    "throughput": "throughput_bps",
    "loss": "loss_ratio",
    "delay": _DELAY,
    "rtt": "rtt_mean_s",
    "completion": "completion_s",
    "duration": "duration_s",
}


@dataclass(frozen=True)
class Subject:
    """The values: `rows` has `cell`, `run`, `part`, `value`, and `each`, the values of which that is the mean."""

    name: str
    unit: str
    rows: pl.DataFrame
    # Flow groups, queues, connections or paths, in their order; one that is "" where there is no choice.
    parts: Sequence[str]
    whose: str = "flows"
    # Rows of `each`: runs, flows or connections.
    of: str = "runs"
    bounds: statistics.Bounds | None = None
    note: str = ""
    # The unit that the metric has by itself.
    plain: str = ""

    @property
    def axis(self) -> str:
        """Label of an axis."""
        return f"{self.name} ({self.unit})" if self.unit else self.name

    def in_readable_unit(self) -> Subject:
        """The same in a multiple of its unit in which the values read well."""
        unit = quantities.kept_or_readable(self.rows["value"].drop_nulls(), self.unit)
        if unit.name == self.unit:
            return replace(self, plain=self.unit)
        scaled = self.rows.with_columns(
            pl.col("value") * unit.factor, pl.col("each").list.eval(pl.element() * unit.factor)
        )
        return replace(self, unit=unit.name, rows=scaled, plain=self.unit)


def of(sweep: Sweep, request: Request) -> Subject:
    """Values for a request; an error where no run has one."""
    if request.of == "runs":
        found = _of_runs(sweep, sweep.metrics([request.metric]), request.queue)
    else:
        found = _of_rows(sweep, request)
    if found.rows.is_empty():
        raise UsageError(f"no run has a value of {request.metric}")
    there = set(found.rows["part"].unique())
    return replace(found, parts=[part for part in found.parts if part in there]).in_readable_unit()


def _of_runs(sweep: Sweep, metrics: Sequence[Metric], queue: str | None) -> Subject:
    first = metrics[0]
    check_mean(first)
    note = ""
    if first.of == "queue" and (len(metrics) > 1 or queue is not None):
        metrics, note = _one_queue(sweep, metrics, queue)
    rows = pl.concat([_of_metric(sweep, metric) for metric in metrics])
    during = f" in {first.window}" if first.window else ""
    unit = unit_of(first)
    if unit.factor != 1:
        rows = rows.with_columns(pl.col("value") * unit.factor)
    return Subject(
        f"{reach.said(first.figure) or first.name.replace('_', ' ')}{during}",
        unit.name,
        rows.with_columns(pl.concat_list("value").alias("each")),
        [metric.owner or "" for metric in metrics],
        WHOSE[first.of],
        bounds=_scaled(first.bounds, unit.factor),
        note=note,
    )


def check_mean(metric: Metric) -> None:
    """Refuses other statistics over runs."""
    if metric.over != bootstrap.MEAN:
        raise UsageError(
            f"figures show means: {metric.heading} is for tables (--columns); --kind box has medians"
        )


def unit_of(metric: Metric) -> quantities.Unit:
    """The unit in which a metric is drawn, and how much of it one of the metric's is."""
    return quantities.Unit(metric.unit) if metric.unit else quantities.of_name(metric.figure)


def _scaled(bounds: statistics.Bounds | None, factor: float) -> statistics.Bounds | None:
    return (bounds[0] * factor, bounds[1] * factor) if bounds else None


def _of_metric(sweep: Sweep, metric: Metric) -> pl.DataFrame:
    # Cells that say the same have the same runs, which are counted once.
    rows = sweep.metric(metric).select("cell", "run", "value").unique(maintain_order=True)
    return rows.filter(pl.col("value").is_not_null()).with_columns(pl.lit(metric.owner or "").alias("part"))


def _one_queue(sweep: Sweep, metrics: Sequence[Metric], queue: str | None) -> tuple[Sequence[Metric], str]:
    """The queue that was asked for, or as in other figures the busiest: the one that drops most, then most used."""
    names = [metric.owner or "" for metric in metrics]
    if queue is not None:
        near_misses.known(queue, names, "queue")
        return [metric for metric in metrics if metric.owner == queue], ""
    sums = (
        sweep.figures.filter((pl.col("of") == "queue") & pl.col("window").is_null())
        .filter(pl.col("figure").str.contains(r"^dropped_packets\.|^utilization$"))
        .group_by("name", pl.col("figure") == "utilization")
        .agg(pl.col("value").sum())
    )
    weights = {(name, used): value for name, used, value in sums.iter_rows()}
    busiest = max(names, key=lambda name: (weights.get((name, False), 0), weights.get((name, True), 0)))
    return [metric for metric in metrics if metric.owner == busiest], f"the busiest of {len(names)} queues"


# -- single flows and connections ------------------------------------------------------------------------------


def _of_rows(sweep: Sweep, request: Request) -> Subject:
    table = sweep.frame(request.of)
    if table.is_empty():
        raise UsageError(f"{sweep.place} has no table {request.of}: no run is stored, or none was recorded")
    if {"start_s", "end_s"} <= set(table.columns) and "duration_s" not in table.columns:
        table = table.with_columns((pl.col("end_s") - pl.col("start_s")).alias("duration_s"))
    ways = [
        name for name in ("one_way_delay_mean_s", "reverse_one_way_delay_mean_s") if name in table.columns
    ]
    if ways:
        table = table.with_columns(pl.coalesce(ways).alias(_DELAY))
    table = table.drop([name for name in sweep.columns if name in table.columns])
    groups = table["group"].cast(pl.String).unique(maintain_order=True).to_list()
    there = [name for name, kind in table.schema.items() if kind.is_numeric() and table[name].count()]
    group, column = column_of(request.metric, there, groups)
    unit = quantities.of_name(column)
    kept = table.filter(pl.col(column).is_not_null())
    if group:
        kept = kept.filter(pl.col("group").cast(pl.String) == group)
    shown = [group] if group else groups
    part = pl.col("group").cast(pl.String) if len(groups) > 1 else pl.lit("")
    # The same flow of two cells that say the same is one.
    identity = ["cell", "run", "group", "flow", *(["connection"] if "connection" in kept.columns else [])]
    rows = (
        kept.unique(identity, keep="first", maintain_order=True)
        .with_columns(part.alias("part"), pl.col(column).cast(pl.Float64) * unit.factor)
        .group_by("cell", "run", "part", maintain_order=True)
        .agg(pl.col(column).mean().alias("value"), pl.col(column).alias("each"))
    )
    bounds = _scaled(statistics.bounds_of(column), unit.factor)
    named = column.removesuffix("_bps").removesuffix("_s").removesuffix("_ratio").removesuffix("_bytes")
    name = f"{named.replace('_', ' ')} of single {request.of}"
    return Subject(name, unit.name, rows, shown if len(groups) > 1 else [""], "flows", request.of, bounds)


def column_of(text: str, columns: Iterable[str], groups: Sequence[str]) -> tuple[str, str]:
    """The group, if one is named, and the column of numbers that a text means."""
    there = [name for name in columns if name not in _NO_QUANTITIES]
    group = next((name for name in groups if text.startswith(f"{name}.")), "")
    wanted = text.removeprefix(f"{group}.") if group else text
    column = wanted if wanted in there else _COLUMNS.get(wanted, wanted)
    if column == "completion_s" and column not in there:
        # Exchanges have none, and what earlier versions wrote.
        column = "duration_s"
    if column not in there:
        short = [name for name, full in _COLUMNS.items() if full in there]
        close = difflib.get_close_matches(wanted, [*short, *there], n=3, cutoff=0.5)
        hint = f"; did you mean {' or '.join(close)}?" if close else ""
        raise UsageError(f"there is no column {wanted!r} of numbers{hint} (there are {', '.join(there)})")
    return group, column

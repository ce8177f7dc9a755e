"""Charts of metrics over time: means over runs in bins, and single runs as they were recorded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from tailrace.show.charts import data_direction, goodput_peaks, notes, time_metrics
from tailrace.show.charts.curves import Curve
from tailrace.show.charts.description import SAMPLES, Axis, Chart, Panel, Series, Span
from tailrace.show.charts.time_metrics import Metric, Part

if TYPE_CHECKING:
    from tailrace.data.result import Result


@dataclass(frozen=True)
class Source:
    """Results that lie over each other, by label; one by itself has none."""

    results: Mapping[str, Result]
    # The queue under study; None for the busiest.
    queue: str | None = None

    @property
    def is_alone(self) -> bool:
        """Whether there is one."""
        return len(self.results) == 1 and "" in self.results

    @property
    def first(self) -> Result:
        """The one whose names hold for all."""
        return next(iter(self.results.values()))


@dataclass(frozen=True)
class Wanted:
    """Parts of a chart."""

    # More parts than this are not shown; the smallest are one.
    parts: int
    # Results that are drawn; the note counts all.
    results: int | None = None
    # Whether every queue is a part, with the one under study in front.
    every_queue: bool = False
    # Single runs that are shown as recorded.
    runs: int = 0


def chart(source: Source, metric: Metric, wanted: Wanted, spans: Sequence[Span] = ()) -> Chart:
    """A metric over time: of one result a panel with a line for each part, of several a panel for each part.

    Queues have a panel each in any case.
    """
    results = list(source.results.values())
    parts = _parts(source, metric, wanted)
    shown = dict(list(source.results.items())[: wanted.results])
    found = {label: time_metrics.curves(metric, result, parts) for label, result in shown.items()}
    there = [part for part in parts if any(part.label in curves for curves in found.values())]
    panels = [*_means(source, metric, there, found), *_runs(source, metric, parts, wanted.runs)]
    every = [curve for curves in found.values() for curve in curves.values()]
    note = _note(metric, results, every, there)
    if metric.name == "goodput" and (peaks := goodput_peaks.note(shown, found)):
        note += f"; {peaks}"
    if len(shown) < len(results):
        note += f", {len(shown)} of {len(results)} results"
    head, comma, how = metric.title.partition(",")
    of = f" of {there[0].label}" if len(there) == 1 else ""
    return Chart(
        metric.name,
        metric.title,
        f"{head}{of}{comma}{how} over time",
        Axis(head, metric.axis),
        panels,
        note,
        "queue" if metric.member == "queue" else "flows",
        spans=spans,
    )


def _parts(source: Source, metric: Metric, wanted: Wanted) -> list[Part]:
    """The parts, of queues all that there are if wanted."""
    results = list(source.results.values())
    chosen = time_metrics.parts_of(metric, results, wanted.parts, source.queue)
    if metric.member != "queue" or not wanted.every_queue:
        return chosen
    others = dict.fromkeys(name for result in results for name in result.aggregate.get("queues") or {})
    rest = [name for name in others if name not in {part.label for part in chosen}]
    return [*chosen, *(Part(name, (name,), metric.column) for name in rest)][: wanted.parts]


def _note(metric: Metric, results: Sequence[Result], curves: Iterable[Curve], parts: Sequence[Part]) -> str:
    """Runs, seeds, and what was left out."""
    runs = notes.band_note([result.n for result in results], band=any(curve.band for curve in curves))
    note = f"{runs}, {notes.seeds_note([result.seed for result in results])}"
    rest = sum(len(part.members) for part in parts if len(part.members) > 1)
    if rest:
        note += f", the {len(parts) - 1} largest of {rest + len(parts) - 1} groups, the others as one"
    if metric.name == "cwnd":
        note += data_direction.window_note(results)
    return note


def _means(
    source: Source, metric: Metric, parts: Sequence[Part], found: Mapping[str, Mapping[str, Curve]]
) -> Iterator[Panel]:
    """Panels of means with their bands."""
    if source.is_alone and metric.member != "queue":
        curves = found[""]
        lines = [
            Series(part.label, part.place, curves[part.label], is_sum=metric.dwarfs(part)) for part in parts
        ]
        if lines:
            yield Panel("", lines)
        return
    for part in parts:
        lines = [
            Series(
                part.label if source.is_alone else label,
                place,
                curves[part.label],
                is_sum=metric.dwarfs(part),
            )
            for place, (label, curves) in enumerate(found.items())
            if part.label in curves
        ]
        yield Panel(part.label, lines, place=part.place)


def _runs(source: Source, metric: Metric, parts: Sequence[Part], most: int) -> Iterator[Panel]:
    """Panels of the first few runs as they were recorded."""
    if not most:
        return
    plain = [part for part in parts if len(part.members) == 1]
    tables = {label: _samples(result, metric, plain) for label, result in source.results.items()}
    for run in sorted({run for table in tables.values() for run in table})[:most]:
        if source.is_alone and metric.member != "queue":
            there = tables[""].get(run, {})
            lines = [
                Series(part.label, part.place, there[part.label], SAMPLES)
                for part in plain
                if part.label in there
            ]
            if lines:
                yield Panel("", lines, f"run {run}")
            continue
        for part in plain:
            lines = [
                Series(part.label if source.is_alone else label, place, table[run][part.label], SAMPLES)
                for place, (label, table) in enumerate(tables.items())
                if part.label in table.get(run, {})
            ]
            if lines:
                yield Panel(part.label, lines, f"run {run}", part.place)


def _samples(result: Result, metric: Metric, parts: Sequence[Part]) -> dict[int, dict[str, Curve]]:
    """Run -> part -> samples."""
    columns = sorted({part.column for part in parts})
    rows = result.columns(metric.table, "run", "time_s", metric.member, *columns)
    if rows.is_empty():
        return {}
    rows = rows.with_columns(pl.col(metric.member).cast(pl.String))
    found: dict[int, dict[str, Curve]] = {}
    for part in parts:
        own = rows.filter((pl.col(metric.member) == part.members[0]) & pl.col(part.column).is_not_null())
        for (run,), mine in own.partition_by("run", as_dict=True, maintain_order=True).items():
            values = mine[part.column].cast(pl.Float64).to_numpy() * metric.scale
            found.setdefault(int(str(run)), {})[part.label] = Curve(mine["time_s"].to_numpy(), values)
    return found

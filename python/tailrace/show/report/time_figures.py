"""Interactive figures over time, of the curves that static ones have: means over runs, and single runs as recorded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from tailrace.show.plots import data_direction, spans, time_metrics
from tailrace.show.plots.curves import Array, Grouped, natural, total
from tailrace.show.plots.time_metrics import METRICS, Metric, Part
from tailrace.show.report.charts import Chart, Line, View
from tailrace.show.report.downsampling import thinned

if TYPE_CHECKING:
    from tailrace.data.result import Result

# Values of single runs in a page, of which each takes some seven bytes.
_BUDGET = 240_000
# Points of a line: more than a screen has columns, and fewer than this tell nothing.
_MOST_POINTS, _FEWEST_POINTS = 2000, 120
# Runs that can be looked at by themselves: of a result, and of a variant.
_MOST_RUNS = 5
# More parts than this are not read, and are in the tables.
_MOST_PARTS = 12
# Lines of single flows, of variables.
_MOST_FLOWS = 21
_USUAL = ("queue", "goodput", "delay", "cwnd", "loss", "throughput", "jitter")
_MEAN = "mean over all runs"


@dataclass(frozen=True)
class Source:
    """Results that lie over each other, by label; one by itself has none."""

    results: Mapping[str, Result]
    queue: str | None = None

    @property
    def alone(self) -> bool:
        """Whether there is one."""
        return len(self.results) == 1

    @property
    def first(self) -> Result:
        """The one whose names hold for all."""
        return next(iter(self.results.values()))


def charts(source: Source) -> list[Chart]:
    """Charts with data."""
    lines = len(source.results) * 4 * len(_USUAL) * (_MOST_RUNS if source.alone else 1)
    most = max(_FEWEST_POINTS, min(_MOST_POINTS, _BUDGET // lines))
    shades = spans.of(list(source.results.values()))
    found = [_over_time(source, METRICS[name], most, shades) for name in _USUAL]
    if source.alone:
        found += [
            _flows(source.first, most, shades),
            _paths(source.first, shades),
            _law(source.first, most, shades),
        ]
    return [chart for chart in found if chart and any(view.lines for view in chart.views)]


# -- the figures over time of all results ----------------------------------------------------------------------


def _over_time(source: Source, metric: Metric, most: int, shades: Sequence[spans.Span]) -> Chart | None:
    results = list(source.results.values())
    if not any(time_metrics.has_any(metric, result) for result in results):
        return None
    parts = _parts(metric, results, source.queue)
    if not parts:
        return None
    views = [*_means(source, metric, parts), *_runs(source, metric, parts, most)]
    kind = "queue" if metric.member == "queue" else "flows"
    return Chart(metric.name, metric.title, views, shades, kind)


def _parts(metric: Metric, results: Sequence[Result], queue: str | None) -> list[Part]:
    """The parts, of queues all that there are with the one under study in front."""
    chosen = time_metrics.parts_of(metric, results, _MOST_PARTS, queue)
    if metric.member != "queue":
        return chosen
    others = dict.fromkeys(name for result in results for name in result.aggregate.get("queues") or {})
    rest = [name for name in others if name not in {part.label for part in chosen}]
    return [*chosen, *(Part(name, (name,), metric.column) for name in rest)][:_MOST_PARTS]


def _means(source: Source, metric: Metric, parts: Sequence[Part]) -> Iterator[View]:
    """The curves that the static figures have, too."""
    found = {label: time_metrics.curves(metric, result, parts) for label, result in source.results.items()}
    counts = {result.n for result in source.results.values()}
    note = "mean of each hundredth of the time" + (
        ", band: 95 % interval over the runs" if max(counts) > 1 else ""
    )
    by_part = not source.alone or metric.member == "queue"
    for name, lines in _arranged(source, parts, by_part=by_part):
        curves = [
            (label, look, found[result][part.label])
            for label, look, result, part in lines
            if part.label in found[result]
        ]
        if curves:
            times = max((curve.time_s for _, _, curve in curves), key=len)
            drawn = [
                Line(label, look, curve.mean, curve.band)
                for label, look, curve in curves
                if len(curve.time_s) == len(times)
            ]
            yield View(name, _MEAN, metric.axis, times, drawn, note)


# Label and look of a line, and of which result and part it is.
_Wanted = tuple[str, int, str, Part]


def _arranged(source: Source, parts: Sequence[Part], *, by_part: bool) -> Iterator[tuple[str, list[_Wanted]]]:
    """Lines of each view: the parts of one result, or all results of a part."""
    if not by_part:
        (label,) = source.results
        yield "", [(part.label, part.place, label, part) for part in parts]
        return
    for part in parts:
        lines = [
            (part.label if source.alone else label, place, label, part)
            for place, label in enumerate(source.results)
        ]
        yield part.label, lines


def _runs(source: Source, metric: Metric, parts: Sequence[Part], most: int) -> Iterator[View]:
    """Single runs as they were recorded: of one result the first few, of several the first."""
    plain = [part for part in parts if len(part.members) == 1]
    tables = {label: _samples(result, metric, plain) for label, result in source.results.items()}
    runs = sorted({run for table in tables.values() for run in table})[: _MOST_RUNS if source.alone else 1]
    by_part = not source.alone or metric.member == "queue"
    for run in runs:
        for name, lines in _arranged(source, plain, by_part=by_part):
            columns = [
                (label, look, *tables[result][run][part.label])
                for label, look, result, part in lines
                if run in tables[result] and part.label in tables[result][run]
            ]
            if columns:
                yield _sampled(name, f"run {run}", metric.axis, columns, most)


def _sampled(
    part: str, runs: str, axis: str, columns: Sequence[tuple[str, int, Array, Array]], most: int
) -> View:
    """Series on the times of the first; those of other times, as of a run that ended early, are filled up."""
    times = max((times for _, _, times, _ in columns), key=len)
    values = [_on(times, own, column) for _, _, own, column in columns]
    placed, thin, each = thinned(times, values, most)
    note = "samples as recorded" if each == 1 else f"least and largest of every {each} samples"
    lines = [Line(label, look, column) for (label, look, _, _), column in zip(columns, thin, strict=True)]
    return View(part, runs, axis, placed, lines, note)


def _on(times: Array, own: Array, column: Array) -> Array:
    if len(own) == len(times):
        return column
    places = np.searchsorted(times, own - 1e-9)
    found = np.full(len(times), np.nan)
    inside = places < len(times)
    found[places[inside]] = column[inside]
    return found


def _samples(
    result: Result, metric: Metric, parts: Sequence[Part]
) -> dict[int, dict[str, tuple[Array, Array]]]:
    """Run -> part -> times and values."""
    columns = sorted({part.column for part in parts})
    rows = result.columns(metric.table, "run", "time_s", metric.member, *columns)
    if rows.is_empty():
        return {}
    rows = rows.with_columns(pl.col(metric.member).cast(pl.String))
    scale = _SCALES[metric.name]
    found: dict[int, dict[str, tuple[Array, Array]]] = {}
    for part in parts:
        own = rows.filter((pl.col(metric.member) == part.members[0]) & pl.col(part.column).is_not_null())
        for (run,), mine in own.partition_by("run", as_dict=True, maintain_order=True).items():
            values = mine[part.column].cast(pl.Float64).to_numpy() * scale
            found.setdefault(int(str(run)), {})[part.label] = mine["time_s"].to_numpy(), values
    return found


# From a column to the axis of its figure.
_SCALES = {
    "queue": 1.0,
    "cwnd": 1.0,
    "goodput": 1e-6,
    "throughput": 1e-6,
    "delay": 1e3,
    "jitter": 1e3,
    "loss": 100.0,
}


# -- single flows, paths and the state of disciplines, of one result -------------------------------------------

_OF_FLOWS = (
    ("cwnd_segments", "congestion window", "segments", 1.0),
    ("goodput_bps", "goodput", "Mbit/s", 1e-6),
    ("rtt_s", "smoothed round-trip time", "ms", 1e3),
    ("one_way_delay_s", "one-way delay", "ms", 1e3),
    ("in_flight_bytes", "in flight", "kB", 1e-3),
    ("playback_buffer_s", "playback buffer", "s", 1.0),
)


def _flows(result: Result, most: int, shades: Sequence[spans.Span]) -> Chart | None:
    """The flows of the first run, each by itself, where there are several."""
    names = [name for name, *_ in _OF_FLOWS]
    rows = result.table("flow_series")
    rows = rows.select(
        [name for name in ("run", "time_s", "group", "flow", "end", *names) if name in rows.columns]
    )
    if rows.is_empty():
        return None
    run = rows["run"].to_numpy().min()
    rows = rows.filter(pl.col("run") == run).with_columns(
        pl.format("{}[{}]", pl.col("group").cast(pl.String), pl.col("flow")).alias("label")
    )
    labels = sorted(rows["label"].unique().to_list(), key=natural)[:_MOST_FLOWS]
    if len(labels) <= 1:
        return None
    views = [
        _long_form(rows, (column, scale), labels, (title, f"run {run}", axis), most)
        for column, title, axis, scale in _OF_FLOWS
        if column in rows.columns and rows[column].is_not_null().any()
    ]
    return Chart("flows", "single flows", views, shades, "what")


def _law(result: Result, most: int, shades: Sequence[spans.Span]) -> Chart | None:
    """State variables of the discipline of the queue under study, a view for each."""
    rows = result.columns("law_series", "run", "time_s", "queue", "variable", "value")
    if rows.is_empty():
        return None
    run = rows["run"].to_numpy().min()
    rows = rows.filter(pl.col("run") == run).with_columns(
        pl.col("queue").cast(pl.String).alias("label"), pl.col("variable").cast(pl.String)
    )
    names = rows["variable"].unique(maintain_order=True).to_list()[:_MOST_PARTS]
    views = []
    for name in names:
        own = rows.filter(pl.col("variable") == name)
        labels = own["label"].unique(maintain_order=True).to_list()[:_MOST_PARTS]
        views.append(_long_form(own, ("value", 1.0), labels, (name, f"run {run}", name), most))
    return Chart("law", "state of the queue discipline", views, shades, "variable")


def _long_form(
    rows: pl.DataFrame,
    column: tuple[str, float],
    labels: Sequence[str],
    heads: tuple[str, str, str],
    most: int,
) -> View:
    """Rows with a `label` as a view with a line each."""
    name, scale = column
    part, runs, axis = heads
    columns = []
    for look, label in enumerate(labels):
        # A flow whose ends both sample has two rows a time.
        own = (
            rows.filter(pl.col("label") == label)
            .group_by("time_s", maintain_order=True)
            .agg(pl.col(name).drop_nulls().first())
            .with_columns(pl.col(name).cast(pl.Float64).fill_null(np.nan))
        )
        if own[name].is_not_nan().any():
            columns.append((label, look, own["time_s"].to_numpy(), own[name].to_numpy() * scale))
    return _sampled(part, runs, axis, columns, most) if columns else View(part, runs, axis, [], [])


def _paths(result: Result, shades: Sequence[spans.Span]) -> Chart | None:
    """Bytes that came by each path of Multipath TCP before any other."""
    rows = data_direction.drawn(result, result.path_series)
    if rows.is_empty() or "goodput_bps" not in rows.columns:
        return None
    sums = (
        rows.with_columns(pl.col("path").cast(pl.String))
        .group_by("run", "time_s", "path", maintain_order=True)
        .agg(pl.col("goodput_bps").sum())
    )
    grouped = Grouped.of(sums, "path")
    names = sums["path"].unique(maintain_order=True).to_list()[:_MOST_PARTS]
    curves = [(name, grouped.curve("goodput_bps", total, [name])) for name in names]
    lines = [
        Line(name, look, curve.mean * 1e-6, curve.scaled(1e-6).band)
        for look, (name, curve) in enumerate(curves)
        if curve
    ]
    view = View("", _MEAN, "Mbit/s", grouped.middles, lines, "mean of each hundredth of the time")
    return Chart("paths", "goodput by path of Multipath TCP", [view], shades)

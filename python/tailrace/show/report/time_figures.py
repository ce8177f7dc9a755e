"""Charts over time of a page: metrics as static figures have them, single flows, paths, the state of disciplines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from tailrace.data.sending_end import SERVER
from tailrace.show.charts import flow_windows, over_time, path_rates, time_metrics
from tailrace.show.charts.curves import Curve, natural
from tailrace.show.charts.description import SAMPLES, Axis, Chart, Panel, Series, Span
from tailrace.show.charts.over_time import Source, Wanted
from tailrace.show.charts.time_metrics import METRICS
from tailrace.show.plots import spans

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


def most_points(source: Source) -> int:
    """Points of a line that the page has room for."""
    lines = len(source.results) * 4 * len(_USUAL) * (_MOST_RUNS if len(source.results) == 1 else 1)
    return max(_FEWEST_POINTS, min(_MOST_POINTS, _BUDGET // lines))


def charts(source: Source) -> list[Chart]:
    """Charts with data."""
    results = list(source.results.values())
    alone = len(results) == 1
    shades = spans.of(results)
    wanted = Wanted(_MOST_PARTS, every_queue=True, runs=_MOST_RUNS if alone else 1)
    found: list[Chart | None] = [
        over_time.chart(source, METRICS[name], wanted, shades)
        for name in _USUAL
        if any(time_metrics.has_any(METRICS[name], result) for result in results)
    ]
    if alone:
        found += [_flows(source.first, shades), _paths(source.first, shades), _law(source.first, shades)]
    return [drawn for chart in found if chart and (drawn := _with_lines(chart)).panels]


def _with_lines(chart: Chart) -> Chart:
    return replace(chart, panels=[panel for panel in chart.panels if panel.series])


# -- single flows, paths and the state of disciplines, of one result -------------------------------------------

_REVERSE = "reverse_one_way_delay_s"
_OF_FLOWS = (
    ("goodput_bps", "goodput", "Mbit/s", 1e-6),
    ("rtt_s", "smoothed round-trip time", "ms", 1e3),
    ("one_way_delay_s", "one-way delay", "ms", 1e3),
    ("in_flight_bytes", "in flight", "kB", 1e-3),
    ("playback_buffer_s", "playback buffer", "s", 1.0),
)


def _flows(result: Result, shades: Sequence[Span]) -> Chart | None:
    """The flows of the first run, each by itself, where there are several."""
    names = [name for name, *_ in _OF_FLOWS]
    rows = result.table("flow_series")
    rows = rows.select(
        [name for name in ("run", "time_s", "group", "flow", "end", *names, _REVERSE) if name in rows.columns]
    )
    if rows.is_empty():
        return None
    run = rows["run"].to_numpy().min()
    rows = rows.filter(pl.col("run") == run).with_columns(
        pl.format("{}[{}]", pl.col("group").cast(pl.String), pl.col("flow")).alias("label")
    )
    if {"end", "one_way_delay_s", _REVERSE} <= set(rows.columns):
        # Of downloads the delay of what servers send.
        from_server = pl.col("end").cast(pl.String) == SERVER
        along = pl.when(from_server).then(_REVERSE).otherwise("one_way_delay_s")
        rows = rows.with_columns(along.alias("one_way_delay_s"))
    labels = sorted(rows["label"].unique().to_list(), key=natural)[:_MOST_FLOWS]
    if len(labels) <= 1:
        return None
    views = _windows(result, labels)
    views += [
        _long_form(rows, (column, scale), labels, (title, f"run {run}", axis))
        for column, title, axis, scale in _OF_FLOWS
        if column in rows.columns and rows[column].is_not_null().any()
    ]
    return _chart("flows", "single flows", views, shades, "what")


def _law(result: Result, shades: Sequence[Span]) -> Chart | None:
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
        views.append(_long_form(own, ("value", 1.0), labels, (name, f"run {run}", name)))
    return _chart("law", "state of the queue discipline", views, shades, "variable")


def _long_form(
    rows: pl.DataFrame,
    column: tuple[str, float],
    labels: Sequence[str],
    heads: tuple[str, str, str],
) -> Panel:
    """Rows with a `label` as a panel with a line each."""
    name, scale = column
    part, runs, axis = heads
    lines = []
    for look, label in enumerate(labels):
        # A flow whose ends both sample has two rows a time.
        own = (
            rows.filter(pl.col("label") == label)
            .group_by("time_s", maintain_order=True)
            .agg(pl.col(name).drop_nulls().first())
            .with_columns(pl.col(name).cast(pl.Float64).fill_null(np.nan))
        )
        if own[name].is_not_nan().any():
            curve = Curve(own["time_s"].to_numpy(), own[name].to_numpy() * scale)
            lines.append(Series(label, look, curve, SAMPLES))
    return Panel(part, lines, runs, vertical=Axis(part, axis))


def _chart(name: str, subject: str, panels: Sequence[Panel], shades: Sequence[Span], parts: str) -> Chart:
    """A chart whose panels have axes of their own."""
    return Chart(name, subject, f"{subject} over time", Axis(subject, ""), panels, "", parts, spans=shades)


def _paths(result: Result, shades: Sequence[Span]) -> Chart | None:
    """Bytes that came by each path of Multipath TCP before any other."""
    if "goodput_bps" not in result.path_series.columns:
        return None
    return path_rates.chart("path_goodput", result, shades)


def _windows(result: Result, labels: Sequence[str]) -> list[Panel]:
    """Windows of flows in one panel, in which each looks as in the panels of other quantities."""
    chart = flow_windows.chart(result)
    every = [series for panel in chart.panels for series in panel.series] if chart else []
    lines = [replace(series, place=labels.index(series.label)) for series in every if series.label in labels]
    if not chart or not lines:
        return []
    return [Panel("congestion window", lines, chart.panels[0].runs, vertical=chart.vertical)]

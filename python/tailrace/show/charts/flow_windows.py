"""The congestion window of each TCP flow by itself, of the first run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from tailrace.show.charts import data_direction
from tailrace.show.charts.curves import Curve, natural
from tailrace.show.charts.description import SAMPLES, Axis, Chart, Panel, Series

if TYPE_CHECKING:
    from tailrace.data.result import Result

_SUBJECT = "congestion window of each TCP flow"


def chart(result: Result) -> Chart | None:
    """A panel for each sampled flow, in order of their names; None where no window was recorded."""
    read = ("run", "time_s", "group", "flow", "end", "cwnd_segments")
    series = result.columns("flow_series", *read)
    if series.is_empty():
        return None
    first = int(series["run"].to_numpy().min())
    rows = _of_senders(result, series.filter(pl.col("run") == first))
    windows = pl.col("cwnd_segments").is_not_null().any().over("group", "flow")
    rows = rows.filter(windows).with_columns(pl.col("group").cast(pl.String))
    flows = sorted(
        rows.select("group", "flow").unique().iter_rows(), key=lambda flow: natural(f"{flow[0]} {flow[1]}")
    )
    panels = [
        _panel(
            rows.filter((pl.col("group") == group) & (pl.col("flow") == flow)), (group, flow), place, first
        )
        for place, (group, flow) in enumerate(flows)
    ]
    run = f"run {first} of {result.n}" if result.n > 1 else "1 run"
    note = f"{run}, seed {result.seed}{data_direction.window_note([result])}"
    axis = Axis("congestion window", "segments")
    return Chart("flow_windows", _SUBJECT, f"{_SUBJECT} over time", axis, panels, note, "flow")


def _panel(own: pl.DataFrame, flow: tuple[str, int], place: int, run: int) -> Panel:
    window = own["cwnd_segments"].cast(pl.Float64).fill_null(float("nan")).to_numpy()
    group, number = flow
    line = Series(f"{group}[{number}]", place, Curve(own["time_s"].to_numpy(), window), SAMPLES)
    return Panel(f"{group} flow {number}", [line], f"run {run}", place)


def count_in_first_run(result: Result) -> int:
    """Number of flows over TCP in the first run, sampled or not."""
    over_tcp = pl.col("transport").cast(pl.String) == "tcp"
    first = result.flows["run"].min() if result.flows.height else None
    return len(result.flows.filter((pl.col("run") == first) & over_tcp))


def _of_senders(result: Result, rows: pl.DataFrame) -> pl.DataFrame:
    """Without samples in which the other end of a group's flows has sent more, as before a first response."""
    ends = data_direction.window_senders(result)
    kept = [(pl.col("group") == group) & (pl.col("end") == end) for group, end in ends.items()]
    return rows.filter(pl.any_horizontal(kept)) if kept else rows

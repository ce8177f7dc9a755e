"""The congestion window of each TCP flow by itself: a panel a flow, of the first run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
from matplotlib.figure import Figure

from tailrace.show.plots import data_direction, layout, style
from tailrace.show.plots.curves import natural

if TYPE_CHECKING:
    from tailrace.data.result import Result

# More panels than this are not read; the figure then shows means.
_MOST_PANELS = 12


def figure(result: Result) -> Figure | None:
    """The figure, where there are a few TCP flows and each of them was sampled."""
    read = ("run", "time_s", "group", "flow", "end", "cwnd_segments")
    series = result.columns("flow_series", *read)
    if series.is_empty():
        return None
    first = int(series["run"].to_numpy().min())
    rows = _of_senders(result, series.filter(pl.col("run") == first))
    windows = pl.col("cwnd_segments").is_not_null().any().over("group", "flow")
    rows = rows.filter(windows).with_columns(
        pl.concat_str([pl.col("group").cast(pl.String), pl.col("flow").cast(pl.String)], separator=" ").alias(
            "label"
        )
    )
    labels = sorted(rows["label"].unique().to_list(), key=natural)
    if not 1 < len(labels) <= _MOST_PANELS or len(labels) < _flows_over_tcp(result, first):
        return None
    columns = 3 if len(labels) > 4 else 2  # noqa: PLR2004
    run = f"run {first} of {result.n}" if result.n > 1 else "1 run"
    headline = f"{result.name}: congestion window of each TCP flow over time\n{run}, seed {result.seed}"
    headline += data_direction.window_note([result])
    sheet, panels = layout.figure(len(labels), headline, columns)
    for axes, label in zip(panels, labels, strict=True):
        flow = rows.filter(pl.col("label") == label)
        axes.plot(flow["time_s"], flow["cwnd_segments"], **{**style.line(0), "lw": 0.9})
        axes.set_title(_flow_label(label))
    for axes in panels:
        axes.set_ylim(bottom=0)
        axes.margins(x=0)
        axes.set_xlim(left=0)
    # A label of the sheet would lie on the legend.
    for axes in panels[-columns:]:
        axes.tick_params(labelbottom=True)
        axes.set_xlabel("time (s)")
    sheet.supylabel("congestion window (segments)", fontsize="medium")
    return sheet


def _of_senders(result: Result, rows: pl.DataFrame) -> pl.DataFrame:
    """Without samples in which the other end of a group's flows has sent more, as before a first response."""
    ends = data_direction.window_senders(result)
    kept = [(pl.col("group") == group) & (pl.col("end") == end) for group, end in ends.items()]
    return rows.filter(pl.any_horizontal(kept)) if kept else rows


def _flows_over_tcp(result: Result, run: int) -> int:
    over_tcp = pl.col("transport").cast(pl.String) == "tcp"
    return len(result.flows.filter((pl.col("run") == run) & over_tcp))


def _flow_label(label: str) -> str:
    """`tcp tcp[3]` repeats itself; `tcp 3` does not."""
    group, _, flow = label.partition(" ")
    return flow if flow.startswith(group) else f"{group} flow {flow}" if flow.isdecimal() else label

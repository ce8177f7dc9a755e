"""A figure for each discipline: what a flood does to TCP, to the queue, and to the discipline's own state."""

from __future__ import annotations

import io
import re
from pathlib import Path

import numpy as np
import polars as pl

import tailrace
from queue_docs.catalog import FLOOD, PLACE, Entry, entries
from tailrace import api
from tailrace.show.plots import style

QUEUE = "g1->g2"
_STEP = {
    "record.interval": "300 ms",
    "record.max_series_flows": 100,
    "flow.flood.start": "20 s",
    "flow.flood.stop": "40 s",
}
_PATH = re.compile(r' d="([^"]*)"')
_NUMBER = re.compile(r"-?\d+\.\d+")
_SPACE = re.compile(r" ?([MLCQz]) ?")
_WIDTH, _PANEL, _MARGIN = 6.4, 1.05, 0.6


def write(names: list[str] | None = None, place: Path = PLACE / "figures", kind: str = "svg") -> list[Path]:
    """Draws the figures of the named disciplines, or of all."""
    place.mkdir(parents=True, exist_ok=True)
    chosen = [entry for entry in entries() if names is None or entry["name"] in names]
    base = tailrace.Scenario.of(FLOOD)
    cells = {
        entry["name"]: base.replaced({**_STEP, "runs": 1, "link.bottleneck.queue": entry["name"]})
        for entry in chosen
    }
    results = api.run_variants(cells).results
    return [draw(entry, results[entry["name"]], place / f"{entry['name']}.{kind}") for entry in chosen]


def draw(entry: Entry, result: tailrace.Result, path: Path) -> Path:
    """Draws one figure."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    # The same curve in another unit is drawn once.
    states = [state for state in entry["states"] if state != "average_bytes"]
    panels = 2 + len(states)
    with mpl.rc_context({**style.RC, "font.size": 8, "axes.labelsize": 8, "lines.linewidth": 1.0}):
        figure = Figure(figsize=(_WIDTH, _MARGIN + _PANEL * panels), layout="constrained")
        axes = figure.subplots(panels, 1, sharex=True, squeeze=False)[:, 0]
        for index, (group, label) in enumerate([("tcp", "20 TCP flows"), ("flood", "flood")]):
            time, rate = goodput(result, group)
            axes[0].plot(time, rate, label=label, **style.line(index))
        axes[0].set_ylabel("goodput\nMbit/s")
        # Data held back behind a gap arrives at once, and may exceed the link's rate.
        axes[0].set_ylim(0, 13)
        axes[0].legend(loc="lower right", bbox_to_anchor=(1, 0.95), ncols=2)
        queue = result.queue_series.filter(pl.col("queue").cast(pl.String) == QUEUE)
        axes[1].plot(queue["time_s"], queue["sojourn_s"].fill_null(np.nan) * 1e3, color=style.COLOURS[2])
        axes[1].set_ylabel("sojourn\nms")
        law = result.law_series.filter(pl.col("queue").cast(pl.String) == QUEUE)
        for axis, state in zip(axes[2:], states, strict=True):
            rows = law.filter(pl.col("variable").cast(pl.String) == state)
            axis.plot(rows["time_s"], rows["value"], color=style.COLOURS[3])
            axis.set_ylabel(state.replace("_", "\n", 1), fontsize=7)
        for axis in axes:
            axis.set_ylim(bottom=min(0.0, axis.get_ylim()[0]))
            axis.axvspan(20, 40, color="#f2f2f2", zorder=0, linewidth=0)
        axes[-1].set_xlabel("time s")
        axes[-1].set_xlim(0, 60)
        if path.suffix != ".svg":
            figure.savefig(path)
            return path
        drawn = io.StringIO()
        figure.savefig(drawn, format="svg", metadata={"Date": None, "Creator": None})
    path.write_text(smaller(drawn.getvalue()), encoding="utf-8")
    return path


def smaller(svg: str) -> str:
    """The same drawing with coordinates to a tenth of a point, which is finer than a pixel.

    >>> smaller('<path d="M 43.384615 78.949447 \\nL 452 3.0002 \\n"/>')
    '<path d="M43.4 78.9L452 3"/>'
    """

    def path(match: re.Match[str]) -> str:
        numbers = _NUMBER.sub(lambda number: f"{float(number[0]):.1f}".removesuffix(".0"), match[1])
        joined = _SPACE.sub(r"\1", " ".join(numbers.split()))
        return f' d="{joined}"'

    return _PATH.sub(path, svg)


def goodput(result: tailrace.Result, group: str) -> tuple[np.ndarray, np.ndarray]:
    """The sum over a group's flows, Mbit/s; zero where none of them runs."""
    rows = result.flow_series.filter(pl.col("group").cast(pl.String) == group)
    sums = rows.group_by("time_s").agg(pl.col("goodput_bps").sum())
    times = np.unique(result.queue_series["time_s"].to_numpy())
    whole = pl.DataFrame({"time_s": times}).join(sums, on="time_s", how="left").sort("time_s")
    return times, whole["goodput_bps"].fill_null(0.0).to_numpy() / 1e6

"""One figure a metric: for one result, or as overlay of several."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tailrace import present
from tailrace.errors import UsageError
from tailrace.plots import layout, multipath, multipath_overlay, style
from tailrace.plots.curves import Curve, Grouped, average, natural, total

if TYPE_CHECKING:
    from tailrace.result import Result

FORMATS = ("png", "svg")
# How much higher than the highest line an axis may reach.
_HEADROOM = 1.6
# Marks lines of binned means, as opposed to raw samples.
_CURVE = "curve"
# More panels than this are not read; the figure shows a mean instead.
_MOST_PANELS = 12


@dataclass(frozen=True)
class Metric:
    """What is drawn, with its axis; `curves` gives a curve for each part (flow group or queue)."""

    name: str
    title: str
    axis: str
    curves: Callable[[Result], dict[str, Curve]]


def _queue_curves(result: Result) -> dict[str, Curve]:
    rows, name = _studied_queue(result)
    curve = Grouped.of(rows, "queue").curve("backlog_packets", average) if len(rows) else None
    return {name: curve} if curve else {}


def _group_curves(
    column: str, combine: Callable[[Any], Any], scale: float
) -> Callable[[Result], dict[str, Curve]]:
    def curves(result: Result) -> dict[str, Curve]:
        found = {name: rows.curve(column, combine) for name, rows in _groups(result, column).items()}
        return {name: _scaled(curve, scale) for name, curve in found.items() if curve}

    return curves


def _loss_curves(result: Result) -> dict[str, Curve]:
    found = {
        name: rows.ratio_so_far("lost_packets", "sent_packets")
        for name, rows in _groups(result, "lost_packets").items()
    }
    return {name: _scaled(curve, 100) for name, curve in found.items() if curve}


METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        Metric("queue", "queue length", "packets", _queue_curves),
        Metric(
            "cwnd",
            "congestion window, mean of TCP flows",
            "segments",
            _group_curves("cwnd_segments", average, 1),
        ),
        Metric("throughput", "throughput", "Mbit/s", _group_curves("throughput_bps", total, 1e-6)),
        Metric("delay", "one-way delay", "ms", _group_curves("one_way_delay_s", average, 1e3)),
        Metric("jitter", "application-level jitter", "ms", _group_curves("jitter_s", average, 1e3)),
        Metric("loss", "packets lost so far", "% of sent", _loss_curves),
    )
}


def single(result: Result, name: str) -> Figure:
    """A metric of one result over time, or one of its figures of Multipath TCP."""
    if name in multipath.FIGURES:
        with mpl.rc_context(style.RC):
            return multipath.FIGURES[name](result)
    metric = _metric(name)
    with mpl.rc_context(style.RC):
        if name == "cwnd":
            figure = _cwnd_panels(result, metric)
            if figure is not None:
                return figure
        curves = metric.curves(result)
        figure, (axes,) = layout.figure(1, _headline(metric.title, result))
        if name == "queue" and len(curves):
            _raw_queue(axes, result)
        for index, (label, curve) in enumerate(curves.items()):
            _draw(axes, curve, index, label if len(curves) > 1 or result.n == 1 else f"{label}, mean")
        _finish(figure, [axes], metric, legend=len(curves) > 1 or name == "queue")
        return figure


def names_for(result: Result) -> list[str]:
    """The figures that the result has something for: Multipath TCP's only where it was used."""
    return [*METRICS, *(multipath.FIGURES if multipath.is_in(result) else ())]


def names_for_all(results: Iterable[Result]) -> list[str]:
    """The figures that any of the results has something for."""
    return [*METRICS, *(multipath.FIGURES if any(map(multipath.is_in, results)) else ())]


def overlay(results: Mapping[str, Result], name: str, title: str) -> Figure:
    """A metric of several results over time, a panel for each flow group (or queue), or a figure of Multipath TCP."""
    if name in multipath_overlay.OVERLAYS:
        with mpl.rc_context(style.RC):
            return multipath_overlay.OVERLAYS[name](results, title)
    metric = _metric(name)
    with mpl.rc_context(style.RC):
        found = {label: metric.curves(result) for label, result in results.items()}
        parts = list(dict.fromkeys(part for curves in found.values() for part in curves))
        note = layout.band_note([result.n for result in results.values()], band=_has_band(found))
        seeds = sorted({result.seed for result in results.values()})
        note += f", seed{'s' if len(seeds) > 1 else ''} {', '.join(map(str, seeds))}"
        figure, panels = layout.figure(max(1, len(parts)), f"{title}: {_subject(metric)}\n{note}")
        for axes, part in zip(panels, parts, strict=False):
            if len(parts) > 1:
                axes.set_title(part)
            for index, (label, curves) in enumerate(found.items()):
                if part in curves:
                    _draw(axes, curves[part], index, label)
        _finish(figure, panels, metric, legend=bool(parts))
        return figure


def save_all(figures: Mapping[str, Figure], place: Path, formats: Sequence[str] = FORMATS) -> list[Path]:
    """Writes each figure as `<name>.<format>`; closes nothing, since nothing was opened on a screen."""
    place.mkdir(parents=True, exist_ok=True)
    written = []
    with mpl.rc_context(style.RC), warnings.catch_warnings():
        # A name in a script that the font lacks shows as boxes; the numbers are still right.
        warnings.filterwarnings("ignore", "Glyph .* missing from font")
        for name, figure in figures.items():
            for kind in formats:
                path = place / f"{name}.{kind}"
                figure.savefig(path, metadata={"Date": None} if kind == "svg" else None)
                written.append(path)
    return written


# -- which rows ------------------------------------------------------------------------------------------------


def _metric(name: str) -> Metric:
    if name not in METRICS:
        every = ", ".join([*METRICS, *multipath.FIGURES])
        raise UsageError(f"there is no figure {name!r}; there are {every}")
    return METRICS[name]


def _studied_queue(result: Result) -> tuple[pl.DataFrame, str]:
    name = present.busiest_queue(result.aggregate)
    series = result.queue_series
    if name is None or not len(series):
        return pl.DataFrame(), ""
    return series.filter(pl.col("queue").cast(pl.String) == name), name


def _groups(result: Result, column: str) -> dict[str, Grouped]:
    """The sampled flows of each group that has the column."""
    series = result.flow_series
    if column not in series.columns:
        return {}
    # In the order of the whole table, so that groups have the same place and colour in every figure.
    keys = series["group"].cast(pl.String).unique(maintain_order=True).to_list()
    sampled = series.filter(pl.col(column).is_not_null())
    rows = {key: sampled.filter(pl.col("group").cast(pl.String) == key) for key in keys}
    return {key: Grouped.of(found, "flow") for key, found in rows.items() if len(found)}


def _scaled(curve: Curve, scale: float) -> Curve:
    return Curve(curve.time_s, curve.mean * scale, None if curve.half is None else curve.half * scale)


# -- drawing ---------------------------------------------------------------------------------------------------


def _draw(axes: Axes, curve: Curve, index: int, label: str) -> None:
    look = style.line(index)
    axes.plot(curve.time_s, curve.mean, label=label, gid=_CURVE, **look)
    if curve.half is not None:
        axes.fill_between(
            curve.time_s,
            curve.mean - curve.half,
            curve.mean + curve.half,
            color=look["color"],
            alpha=0.18,
            lw=0,
        )


def _raw_queue(axes: Axes, result: Result) -> None:
    """The samples of run 1 as they are, behind the mean, which hides their swing."""
    rows, _ = _studied_queue(result)
    run = rows.filter(pl.col("run") == rows["run"].min())
    axes.plot(
        run["time_s"], run["backlog_packets"], color="#aaaaaa", lw=0.7, label=f"run {run['run'][0]}, samples"
    )


def _cwnd_panels(result: Result, metric: Metric) -> Figure | None:
    """Each TCP flow of run 1 in its own panel, if they are few enough."""
    series = result.flow_series
    if "cwnd_segments" not in series.columns:
        return None
    rows = series.filter(pl.col("cwnd_segments").is_not_null())
    if not len(rows):
        return None
    rows = rows.filter(pl.col("run") == rows["run"].min())
    names = rows.select(
        pl.concat_str([pl.col("group").cast(pl.String), pl.col("flow").cast(pl.String)], separator=" ")
    )
    rows = rows.with_columns(names.to_series().alias("label"))
    labels = sorted(rows["label"].unique().to_list(), key=natural)
    if not 1 < len(labels) <= _MOST_PANELS:
        return None
    columns = 3 if len(labels) > 4 else 2  # noqa: PLR2004
    run = f"run {rows['run'][0]} of {result.n}" if result.n > 1 else "1 run"
    headline = f"{result.name}: congestion window of each TCP flow over time\n{run}, seed {result.seed}"
    figure, panels = layout.figure(len(labels), headline, columns)
    for axes, label in zip(panels, labels, strict=True):
        flow = rows.filter(pl.col("label") == label)
        axes.plot(flow["time_s"], flow["cwnd_segments"], lw=0.9, **style.line(0))
        axes.set_title(_flow_label(label))
    for axes in panels:
        axes.set_ylim(bottom=0)
        axes.margins(x=0)
        axes.set_xlim(left=0)
    figure.supxlabel("time (s)", fontsize=10)
    figure.supylabel(f"congestion window ({metric.axis})", fontsize=10)
    return figure


def _flow_label(label: str) -> str:
    """`tcp tcp[3]` repeats itself; `tcp 3` does not."""
    group, _, flow = label.partition(" ")
    return flow if flow.startswith(group) else f"{group} flow {flow}" if flow.isdecimal() else label


def _finish(figure: Figure, panels: Sequence[Axes], metric: Metric, *, legend: bool) -> None:
    # A curve's points lie in the middle of its bins: the last bin ends half a bin later.
    right = max((times[-1] + times[0] for axes in panels for times in _times_of_curves(axes)), default=0.0)
    for axes in panels:
        subject = metric.title.partition(",")[0]
        axes.set_ylabel(f"{subject}\n({metric.axis})" if len(panels) > 1 else f"{subject} ({metric.axis})")
        axes.margins(x=0)
        axes.set_xlim(0, right or None)
        if not axes.lines:
            axes.text(0.5, 0.5, "not recorded", transform=axes.transAxes, ha="center", color="#666666")
        else:
            _limit_height(axes)
    panels[-1].set_xlabel("time (s)")
    handles, labels = panels[0].get_legend_handles_labels()
    if legend and handles:
        layout.legend(figure, handles, labels)


def _limit_height(axes: Axes) -> None:
    """From zero, and not so high that a wide interval flattens all lines: with few runs one bin's can be huge."""
    values = np.concatenate([np.asarray(line.get_ydata(), dtype=np.float64) for line in axes.lines])
    if np.nanmin(values) < 0:
        return
    highest = float(np.nanmax(values))
    axes.set_ylim(0, min(axes.get_ylim()[1], _HEADROOM * highest) if highest > 0 else None)


def _times_of_curves(axes: Axes) -> list[Any]:
    return [line.get_xdata() for line in axes.lines if line.get_gid() == _CURVE]


def _subject(metric: Metric) -> str:
    return f"{metric.title} over time"


def _headline(title: str, result: Result) -> str:
    note = layout.band_note([result.n], band=result.n > 1)
    return f"{result.name}: {title} over time\n{note}, seed {result.seed}"


def _has_band(found: Mapping[str, Mapping[str, Curve]]) -> bool:
    return any(curve.half is not None for curves in found.values() for curve in curves.values())

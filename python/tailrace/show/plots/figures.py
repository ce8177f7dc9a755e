"""Figures over time, one for each metric: of one result, or as overlay of several."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import matplotlib as mpl
import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tailrace.show.plots import (
    cwnd,
    data_direction,
    layout,
    multipath,
    multipath_overlay,
    panels,
    single_flows,
    spans,
    style,
    time_metrics,
)
from tailrace.show.plots.curves import Curve
from tailrace.show.plots.panels import Panel
from tailrace.show.plots.time_metrics import METRICS, Metric, Part
from tailrace.text import near_misses

if TYPE_CHECKING:
    from tailrace.data.result import Result

FORMATS = ("png", "svg")
# Default figures; those of Multipath TCP are added where it was used.
_USUAL = ("queue", "cwnd", "goodput", "delay")
_USUAL_OF_MULTIPATH = ("subflow_cwnd", "path_throughput")
# More panels than this are not read: of groups, and of results, which somebody has chosen.
_MOST_PARTS, _MOST_RESULTS = 12, 24
# More panels than this below each other make a sheet that no screen holds.
_IN_ONE_COLUMN = 4
_NOT_OVER_TIME = frozenset({"reordering"})
# Words in a file by which it is known as ours. When it was written is not what it shows.
_DRAWN = "drawn by tailrace"
_METADATA: dict[str, Any] = {
    "png": {"Comment": _DRAWN},
    "svg": {"Date": None, "Source": _DRAWN},
    "pdf": {"CreationDate": None, "Keywords": _DRAWN},
}


def every_name() -> list[str]:
    """All figures that there are."""
    return [*METRICS, *multipath.FIGURES]


def names_for(results: Sequence[Result], wanted: Sequence[str] = ()) -> list[str]:
    """The figures to draw: the wanted ones; or of `all`, else of the usual ones, those that there is something for."""
    if wanted and list(wanted) != ["all"]:
        return list(dict.fromkeys(near_misses.known(name, every_name(), "figure") for name in wanted))
    names = every_name() if wanted else [*_USUAL, *_USUAL_OF_MULTIPATH]
    return [name for name in names if _is_worth(name, results)]


def _is_worth(name: str, results: Sequence[Result]) -> bool:
    """Multipath TCP's figures where it was used, windows where TCP was."""
    if name in multipath.FIGURES:
        return any(multipath.is_worth(name, result) for result in results)
    return any(time_metrics.has_any(METRICS[name], result) for result in results)


def needed(name: str, transports: Collection[str], *, queues: bool) -> str | None:
    """Requirement of a figure that a scenario lacks: flows by certain transports, or queues."""
    if name in multipath.FIGURES:
        return None if "mptcp" in transports else 'flows over Multipath TCP (transport = "mptcp")'
    if name == "cwnd":
        return None if {"tcp", "mptcp"} & set(transports) else 'flows over TCP (transport = "tcp")'
    if name == "queue" and not queues:
        return "a queue under study: a link between two routers, or one with a queue of its own"
    return None


def single(result: Result, name: str, **options: Unpack[style.Options]) -> Figure:
    """A metric of one result over time, or one of its figures of Multipath TCP."""
    near_misses.known(name, every_name(), "figure")
    shown = _chosen(result, options)
    with _drawing(options):
        figure = _single(shown, name, options.get("queue"))
        if name not in _NOT_OVER_TIME:
            spans.shade(figure, {"": result})
        return figure


def _single(result: Result, name: str, queue: str | None) -> Figure:
    if name in multipath.FIGURES:
        return multipath.FIGURES[name](result)
    each = cwnd.figure(result) if name == "cwnd" else None
    return each or _of_one(METRICS[name], result, queue)


def overlay(
    results: Mapping[str, Result], name: str, title: str, /, **options: Unpack[style.Options]
) -> Figure:
    """A metric of several results over time, or a figure of Multipath TCP."""
    near_misses.known(name, every_name(), "figure")
    shown = {label: _chosen(result, options) for label, result in results.items()}
    with _drawing(options):
        if name in multipath_overlay.OVERLAYS:
            figure = multipath_overlay.OVERLAYS[name](shown, title)
        else:
            figure = _of_several(METRICS[name], shown, title, options.get("queue"))
        if name not in _NOT_OVER_TIME:
            spans.shade(figure, results)
        return figure


def _chosen(result: Result, options: style.Options) -> Result:
    flows = options.get("flows")
    return single_flows.of(result, flows) if flows else result


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
                figure.savefig(path, metadata=_METADATA.get(kind))
                # Laid out once, so that all formats are the same picture.
                figure.set_layout_engine("none")
                written.append(path)
    return written


def is_drawn(file: Path) -> bool:
    """Whether a file is a figure that was drawn here. Those of versions up to 0.2.0 do not say so."""
    return file.is_file() and _DRAWN.encode() in file.read_bytes()


def _drawing(options: style.Options) -> AbstractContextManager[None]:
    return style.drawing(options.get("size", "screen"), title=options.get("title", True))


# -- one result ------------------------------------------------------------------------------------------------


def _of_one(metric: Metric, result: Result, queue: str | None) -> Figure:
    """A line for each part in one panel, or of many parts a panel for each."""
    parts = time_metrics.parts_of(metric, [result], _MOST_PARTS, queue)
    curves = time_metrics.curves(metric, result, parts)
    parts = [part for part in parts if part.label in curves]
    title = f"{result.name}: {_subject(metric, parts)}\n{_note(metric, [result], curves.values(), parts)}"
    if len(parts) > style.MOST_LINES:
        rows = [Panel(p.label, [(p.label, curves[p.label])], metric.dwarfs(p)) for p in parts]
        return panels.multiples(metric, title, rows, {})
    sheet, (axes,) = layout.figure(1, title)
    if metric.name == "queue" and curves:
        _raw_queue(axes, result, parts[0])
    for part in parts:
        mean = ", mean" if len(parts) == 1 and result.n > 1 else ""
        panels.draw(axes, curves[part.label], part.place, part.label + mean)
    panels.finish(sheet, [axes], metric, legend=len(parts) > 1 or metric.name == "queue")
    return sheet


def _raw_queue(axes: Axes, result: Result, part: Part) -> None:
    """The samples of the first run as they are, behind the mean, which hides their swing."""
    rows = result.columns("queue_series", "run", "time_s", "queue", "backlog_packets")
    rows = rows.filter(pl.col("queue").cast(pl.String) == part.label)
    run = rows.filter(pl.col("run") == rows["run"].min())
    label = f"run {run['run'][0]}, samples"
    axes.plot(run["time_s"], run["backlog_packets"], color="#aaaaaa", lw=0.7, label=label)


# -- several results -------------------------------------------------------------------------------------------


def _of_several(metric: Metric, results: Mapping[str, Result], title: str, queue: str | None) -> Figure:
    """A panel for each part with a line for each result; of more results than lines can be told apart the reverse."""
    swapped = len(results) > style.MOST_LINES
    most = style.MOST_LINES if swapped else _MOST_PARTS
    parts = time_metrics.parts_of(metric, list(results.values()), most, queue)
    shown = list(results)[:_MOST_RESULTS]
    found = {label: time_metrics.curves(metric, results[label], parts) for label in shown}
    parts = [part for part in parts if any(part.label in curves for curves in found.values())]
    every = [curve for curves in found.values() for curve in curves.values()]
    note = _note(metric, list(results.values()), every, parts)
    if len(shown) < len(results):
        note += f", {len(shown)} of {len(results)} results"
    headline = f"{title}: {_subject(metric, parts)}\n{note}"
    if swapped:
        looks = {part.label: part.place for part in parts}
        rows = [
            Panel(label, [(name, curves[name]) for name in looks if name in curves])
            for label, curves in found.items()
        ]
        return panels.multiples(metric, headline, rows, looks, pale=len(parts) == 1, of_results=True)
    looks = {label: index for index, label in enumerate(found)}
    rows = [
        Panel(
            part.label,
            [(label, found[label][part.label]) for label in looks if part.label in found[label]],
            metric.dwarfs(part),
        )
        for part in parts
    ]
    form = panels.multiples if len(rows) > _IN_ONE_COLUMN else panels.stacked
    return form(metric, headline, rows, looks)


# -- what is said of them --------------------------------------------------------------------------------------


def _subject(metric: Metric, parts: Sequence[Part]) -> str:
    """Title of a metric; it names the part if there is only one."""
    of = f" of {parts[0].label}" if len(parts) == 1 else ""
    head, comma, how = metric.title.partition(",")
    return f"{head}{of}{comma}{how} over time"


def _note(metric: Metric, results: Sequence[Result], curves: Iterable[Curve], parts: Sequence[Part]) -> str:
    """Runs, seeds, and what was left out."""
    runs = layout.band_note([result.n for result in results], band=any(curve.band for curve in curves))
    note = f"{runs}, {layout.seeds_note([result.seed for result in results])}"
    rest = sum(len(part.members) for part in parts if len(part.members) > 1)
    if rest:
        note += f", the {len(parts) - 1} largest of {rest + len(parts) - 1} groups, the others as one"
    if metric.name == "cwnd":
        note += data_direction.window_note(results)
    return note

"""Figures over time, one for each metric: of one result, or as overlay of several."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import matplotlib as mpl
from matplotlib.figure import Figure

from tailrace.errors import UsageError
from tailrace.show.charts import over_time, time_metrics
from tailrace.show.charts.description import ALL_RUNS, SAMPLES, Series
from tailrace.show.charts.over_time import Source, Wanted
from tailrace.show.charts.time_metrics import METRICS, Metric
from tailrace.show.plots import cwnd, multipath, multipath_overlay, panels, single_flows, spans, style
from tailrace.show.plots.frame import Frame
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
        return None if {"tcp", "mptcp", "quic"} & set(transports) else 'flows over TCP (transport = "tcp")'
    if name == "queue" and not queues:
        return "a queue under study: a link between two routers, or one with a queue of its own"
    return None


def single(result: Result, name: str, **options: Unpack[style.Options]) -> Figure:
    """A metric of one result over time, or one of its figures of Multipath TCP."""
    near_misses.known(name, every_name(), "figure")
    shown = _chosen(result, options)
    frame = Frame.made(options)
    if frame.names:
        raise UsageError("other names are of the variants of a comparison, or of the values of a sweep")
    with _drawing(options):
        figure = _single(shown, name, options.get("queue"))
        if name not in _NOT_OVER_TIME:
            spans.shade(figure, {"": result})
        frame.settle(figure)
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
    frame = Frame.made(options)
    frame.known(results)
    results = {frame.named(label): result for label, result in results.items()}
    shown = {label: _chosen(result, options) for label, result in results.items()}
    with _drawing(options):
        if name in multipath_overlay.OVERLAYS:
            figure = multipath_overlay.OVERLAYS[name](shown, title)
        else:
            figure = _of_several(METRICS[name], shown, title, options.get("queue"))
        if name not in _NOT_OVER_TIME:
            spans.shade(figure, results)
        frame.settle(figure)
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


# -- charts of metrics -----------------------------------------------------------------------------------------


def _of_one(metric: Metric, result: Result, queue: str | None) -> Figure:
    """A line for each part in one panel, or of many parts a panel for each."""
    is_queue = metric.member == "queue"
    wanted = Wanted(_MOST_PARTS, runs=int(is_queue))
    chart = over_time.chart(Source({"": result}, queue), metric, wanted)
    title = f"{result.name}: {chart.headline}\n{chart.note}"
    means = [series for panel in chart.means for series in panel.series]
    if len(means) > style.MOST_LINES:
        return panels.multiples(chart.one_a_panel(), title)
    run = next((panel.runs for panel in chart.panels if panel.runs != ALL_RUNS), "")
    mean = ", mean" if len(means) == 1 and result.n > 1 else ""

    def label(series: Series) -> str:
        return f"{run}, samples" if series.kind == SAMPLES else series.label + mean

    return panels.single(chart, title, label)


def _of_several(metric: Metric, results: Mapping[str, Result], title: str, queue: str | None) -> Figure:
    """A panel for each part with a line for each result; of more results than lines can be told apart the reverse."""
    swapped = len(results) > style.MOST_LINES
    wanted = Wanted(style.MOST_LINES if swapped else _MOST_PARTS, _MOST_RESULTS)
    chart = over_time.chart(Source(results, queue), metric, wanted)
    headline = f"{title}: {chart.headline}\n{chart.note}"
    if swapped:
        pale = len(chart.panels) == 1
        return panels.multiples(chart.crossed(), headline, pale=pale, of_results=True)
    form = panels.multiples if len(chart.panels) > _IN_ONE_COLUMN else panels.stacked
    return form(chart, headline)

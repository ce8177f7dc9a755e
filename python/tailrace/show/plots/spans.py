"""Events of a scenario as shades behind figures over time: windows, faults, attacks."""

from __future__ import annotations

import json
import math
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import polars as pl
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from tailrace import _native
from tailrace.scenario import flow_groups
from tailrace.show.charts.description import Span
from tailrace.show.plots import layout, style
from tailrace.stats import summary_measures
from tailrace.stats.formulas import Quantity, value_of

if TYPE_CHECKING:
    from tailrace.data.result import Result

# Share of a sheet's width that an axis has, about.
_AXIS = 0.85
# Pulses, and pauses between them, that are narrower than this in points are one band.
_NARROWEST = 2.0
# More than this is no longer a choice of things to be shown.
_MOST_WINDOWS = 12
_LOOKS: Mapping[str, Mapping[str, Any]] = {
    "window": {"facecolor": "#000000", "alpha": 0.06},
    "attack": {"facecolor": "#B00000", "alpha": 0.12},
    "fault": {"facecolor": "none", "edgecolor": "#999999", "hatch": "///"},
}
# Marks shades among what an axis holds.
SHADE = "shade"


def of(results: Sequence[Result]) -> list[Span]:
    """The spans that all these results have alike; others would be untrue of some.

    Of attacks those that all have that have one: a variant without it is there to be compared with.
    """
    return _alike([list(all_of(result)) for result in results])


def _alike(each: Sequence[Sequence[Span]]) -> list[Span]:
    same = _common([[span for span in found if span.what != "attack"] for found in each])
    attacks = [found for found in ([span for span in own if span.what == "attack"] for own in each) if found]
    # A constant attack lasts during the bursts of others, too.
    bursts = _common([found for found in attacks if not all(span.whole for span in found)])
    everywhere = len(attacks) == len(each)
    return [
        *(span for span in same if not span.whole),
        *(replace(span, everywhere=everywhere) for span in bursts if not span.whole),
    ]


def _common(each: Sequence[Sequence[Span]]) -> list[Span]:
    """Spans of the first sequence that are in all."""
    return [span for span in each[0] if all(span in other for other in each[1:])] if each else []


def all_of(result: Result) -> Iterator[Span]:
    """Spans of one result, including those that last from beginning to end."""
    said = _scenario(result)
    end = _seconds(said.get("duration")) or math.inf
    yield from _windows(result)
    for span in [*_faults(said, end), *_attacks(said, result, end)]:
        if span.start < span.end < math.inf:
            yield replace(span, whole=span.start <= 0 and span.end >= end)


def _scenario(result: Result) -> Mapping[str, Any]:
    """The resolved scenario; a file that somebody has spoilt shades nothing, and results are drawn all the same."""
    try:
        return tomllib.loads(result.scenario_toml)
    except tomllib.TOMLDecodeError:
        return {}


def _tables(said: Mapping[str, Any], section: str) -> list[Mapping[str, Any]]:
    found = said.get(section)
    return [table for table in found if isinstance(table, Mapping)] if isinstance(found, list) else []


def _windows(result: Result) -> Iterator[Span]:
    windows: Mapping[str, Mapping[str, Any]] = result.aggregate.get("windows") or {}
    for name, window in list(windows.items())[:_MOST_WINDOWS]:
        ends = [summary_measures.leaf(window, (key,)) for key in ("start_s", "end_s")]
        if ends[0] and ends[1] and ends[1]["mean"] is not None:
            yield Span("window", name, ends[0]["mean"] or 0.0, ends[1]["mean"])


def _faults(said: Mapping[str, Any], end: float) -> Iterator[Span]:
    for fault in _tables(said, "fault"):
        places = next((fault[key] for key in ("link", "host", "router") if key in fault), None)
        where = ", ".join(map(str, places)) if isinstance(places, list) else places
        name = f"{fault.get('kind', '')} ({where})"
        start, until = _seconds(fault.get("at")) or 0.0, _until(fault)
        if fault.get("count") != 0:
            yield Span("fault", name, start, end if until is None else min(until, end))


def _until(fault: Mapping[str, Any]) -> float | None:
    """When the last link of a fault is as before; the resolved scenario says how many go one after the other."""
    back, count = _seconds(fault.get("back_every")), fault.get("count")
    if back is None or not isinstance(count, int):
        return _seconds(fault.get("until"))
    last = (_seconds(fault.get("at")) or 0.0) + (_seconds(fault.get("every")) or 0.0) * (count - 1)
    return last + back * count


# -- attacks ---------------------------------------------------------------------------------------------------


def _attacks(said: Mapping[str, Any], result: Result, end: float) -> Iterator[Span]:
    for section, group in flow_groups.running(said):
        if not flow_groups.is_attack(section, group):
            continue
        name, attack = str(group.get("name")), section == flow_groups.ATTACK
        stop = _seconds(group.get("stop"))
        last = end if stop is None else min(stop, end)
        table = group if attack else group.get("app")
        bursts = _bursts(table, _starts(result, name), last, attack=attack)
        for start, until in _merged(bursts, end):
            yield Span("attack", name, start, min(until, last))


def _starts(result: Result, group: str) -> list[float]:
    """When the flows of a group started, in all runs."""
    flows = result.flows
    if "start_s" not in flows.columns:
        return []
    own = flows.filter((pl.col("group").cast(pl.String) == group) & pl.col("start_s").is_not_null())
    return sorted(own["start_s"].unique().to_list())


def _bursts(table: object, starts: Sequence[float], end: float, *, attack: bool) -> list[tuple[float, float]]:
    """When an attack sends, as the engine has it; where that does not know, from the first start to the end.

    `table` is an application, or where `attack` is true an attack: those have kinds of their own.
    """
    text = json.dumps(table, default=str)
    found = ((start, _native.bursts(text, attack, end - start)) for start in starts if start < end)
    return sorted(
        (start + since, start + until)
        for start, bursts in found
        for since, until in (bursts if bursts is not None else [(0.0, end - start)])
    )


def _merged(bursts: Sequence[tuple[float, float]], duration: float) -> list[tuple[float, float]]:
    """Bursts that overlap or nearly touch are one; all are, if a figure could not show one of them."""
    if not bursts:
        return []
    narrowest = _NARROWEST * duration / (style.look().size.width * 72 * _AXIS)
    found = [bursts[0]]
    for start, end in bursts[1:]:
        if start - found[-1][1] < narrowest:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((start, end))
    if any(end - start < narrowest for start, end in found):
        return [(found[0][0], found[-1][1])]
    return found


def _seconds(text: object) -> float | None:
    """A duration of a resolved scenario; nothing for what is drawn by chance."""
    if not isinstance(text, str):
        return None
    found = value_of(repr(text))
    return found.value if isinstance(found, Quantity) else None


# -- drawing ---------------------------------------------------------------------------------------------------


def of_one(axes: Axes, label: str) -> None:
    """Notes that a panel shows one of several results."""
    axes.set_label(label)


def shade(sheet: Figure, results: Mapping[str, Result]) -> None:
    """Draws them behind all panels over time, and says so in the legend.

    Behind a panel of one result are its own, behind others those that are alike.
    """
    panels = [axes for axes in sheet.axes if axes.get_visible() and (axes.lines or axes.collections)]
    each = {label: list(all_of(result)) for label, result in results.items()}
    alike = _alike(list(each.values()))
    shades = [_alike([each[str(axes.get_label())]]) if axes.get_label() in each else alike for axes in panels]
    every = list(dict.fromkeys(span for spans in shades for span in spans))
    if not every:
        return
    for axes, spans in zip(panels, shades, strict=True):
        limits = axes.get_xlim()
        _shade(axes, spans)
        axes.set_xlim(limits)
    _name_windows(panels[0], [span for span in shades[0] if span.what == "window"])
    _tell(sheet, every)


def _shade(axes: Axes, spans: Sequence[Span]) -> None:
    for span in spans:
        axes.axvspan(span.start, span.end, zorder=0, lw=0, gid=SHADE, label="_", **_LOOKS[span.what])


def _name_windows(axes: Axes, windows: Sequence[Span]) -> None:
    """Each in its place, where it is wide enough for its name."""
    low, high = axes.get_xlim()
    size = style.look().size
    points = axes.get_position().width * size.width * 72
    for span in windows:
        room = (min(span.end, high) - max(span.start, low)) / (high - low) * points
        if len(span.name) * 0.5 * size.text <= room:
            axes.annotate(
                span.name,
                ((max(span.start, low) + min(span.end, high)) / 2, 1.0),
                xycoords=axes.get_xaxis_transform(),
                xytext=(0, -2),
                textcoords="offset points",
                ha="center",
                va="top",
                fontsize="small",
                color=layout.GREY,
            )


def _tell(sheet: Figure, spans: Sequence[Span]) -> None:
    entries: dict[str, Artist] = {}
    for legend in list(sheet.legends):
        texts = (text.get_text() for text in legend.get_texts())
        handles = zip(texts, legend.legend_handles, strict=True)
        entries |= {text: handle for text, handle in handles if handle is not None}
        legend.remove()
    for span in spans:
        entries.setdefault(_said(span), Patch(lw=0, **_LOOKS[span.what]))
    layout.legend(sheet, list(entries.values()), list(entries))


def _said(span: Span) -> str:
    if span.what == "window":
        return span.what
    # A line may be called as the attack is.
    if span.what == "attack":
        return f"{span.name} under way{'' if span.everywhere else ' (not in all)'}"
    return f"fault: {span.name}"

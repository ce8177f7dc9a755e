"""Peaks of goodput above a line's rate: data that arrived behind a gap count when the gap is filled, all at once."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from tailrace.stats import summary_measures
from tailrace.stats.formulas import Quantity, value_of

if TYPE_CHECKING:
    from tailrace.data.result import Result
    from tailrace.show.charts.curves import Curve

NOTE = (
    "goodput above the line's rate is data that waited behind a lost packet and is counted when that arrives; "
    "throughput shows what the line carries"
)
# Share by which goodput must exceed the line's rate: intervals do not end with packets.
_MARGIN = 1.05
_MBIT = 1e-6


def note(results: Mapping[str, Result], found: Mapping[str, Mapping[str, Curve]]) -> str:
    """Line that explains such peaks; empty where a figure has none."""
    there = any(_has_peak(results[label], curves) for label, curves in found.items())
    return NOTE if there else ""


def _has_peak(result: Result, curves: Mapping[str, Curve]) -> bool:
    """Whether a part whose goodput is mostly below the line's rate exceeds it at times."""
    line = line_rate(result)
    if line is None or result.aggregate.get("paths"):
        return False
    least = _MARGIN * line * _MBIT
    means = [curve.mean[np.isfinite(curve.mean)] for curve in curves.values()]
    return any(len(mean) and mean.max() > least and np.median(mean) <= least for mean in means)


def line_rate(result: Result) -> float | None:
    """Rate in bit/s of the link whose queue is under study; None where it has none that is written as a number."""
    queue = summary_measures.studied_queue([result.aggregate])
    try:
        said = tomllib.loads(result.scenario_toml)
    except tomllib.TOMLDecodeError:
        return None
    # A link whose rate changes has no line to be above of.
    faults = [fault for fault in said.get("fault") or [] if isinstance(fault, dict)]
    if any("rate" in fault or "rate" in str(fault.get("kind")) for fault in faults):
        return None
    links = said.get("link") or []
    start, arrow, end = (queue or "").partition("->")
    for link in links if arrow else []:
        ends = [str(name).partition("[")[0] for name in link.get("between") or []]
        if {start.partition("[")[0], end.partition("[")[0]} == set(ends):
            return _rate(link, is_back=start.partition("[")[0] != ends[0])
    return None


def _rate(link: Mapping[str, Any], *, is_back: bool) -> float | None:
    reverse = link.get("reverse")
    said = reverse.get("rate") if is_back and isinstance(reverse, Mapping) else None
    text = said or link.get("rate")
    found = value_of(repr(text)) if isinstance(text, str) else None
    return found.value if isinstance(found, Quantity) else None

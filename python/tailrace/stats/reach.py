"""Time to reach a rate and keep it: `reach_80_2s`, `reach_8Mbit`, `reach_80_of_before_2s@outage`.

It counts from the start of the group's first flow, or of the window, to the first interval of `group_series` from which
on the group's goodput is at or above the rate for as long as asked, which is a second where nobody says. The rate is
stated, or a share (in %) of the group's own mean in the time covered, or before the window.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from tailrace.errors import UsageError

if TYPE_CHECKING:
    import polars as pl

# `group_series` of all runs, with a column `cell`; None where no run has it.
Series: TypeAlias = "Callable[[], pl.LazyFrame | None]"

# The figure without which there are no series, and with it what says from when to when.
INTERVAL = "bins.interval_s"
_START, _END, _MEAN = "bins.start_s", "bins.end_s", "goodput_bps.sum"

_NAME = re.compile(r"reach_(\d+)(kbit|Mbit|Gbit|_of_before)?(?:_(\d+)(ms|s))?")
_BITS = {"kbit": 1e3, "Mbit": 1e6, "Gbit": 1e9}
_SECONDS = {"ms": 1e-3, "s": 1.0}
_HOLD_S = 1.0
# Times are sums of floats, and so are rates.
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Target:
    """Target of a metric `reach_...`."""

    # In bit/s, or as a share.
    amount: float
    is_share: bool
    # A share of what there was before the window, not of the mean within.
    of_before: bool
    hold_s: float


def target(name: str) -> Target | None:
    """Target for a metric's name; None for other metrics.

    >>> target("reach_80_500ms")
    Target(amount=0.8, is_share=True, of_before=False, hold_s=0.5)
    >>> target("reach_8Mbit").amount, target("reach_90_of_before").of_before, target("reach")
    (8000000.0, True, None)
    """
    found = _NAME.fullmatch(name)
    if found is None:
        return None
    amount, kind, hold, unit = found.groups()
    hold_s = int(hold) * _SECONDS[unit] if hold else _HOLD_S
    if kind in _BITS:
        return Target(int(amount) * _BITS[kind], is_share=False, of_before=False, hold_s=hold_s)
    return Target(int(amount) / 100, is_share=True, of_before=kind is not None, hold_s=hold_s)


def said(name: str) -> str | None:
    """Title of such a metric; None for other metrics.

    >>> said("reach_80_500ms"), said("reach_8Mbit"), said("reach_90_of_before_2s")
    ('time to reach 80 % for 500 ms', 'time to reach 8 Mbit/s for 1 s', 'time to reach 90 % of the rate before for 2 s')
    """
    found = _NAME.fullmatch(name)
    if found is None:
        return None
    amount, kind, hold, unit = found.groups()
    rate = {None: f"{amount} %", "_of_before": f"{amount} % of the rate before"}.get(
        kind, f"{amount} {kind}/s"
    )
    return f"time to reach {rate} for {hold or f'{_HOLD_S:g}'} {unit or 's'}"


@dataclass(frozen=True)
class Span:
    """From when to when a rate may be reached, and how long an interval is."""

    start_s: float
    end_s: float
    interval_s: float


def time_to_reach(
    times: Sequence[float], rates: Sequence[float], span: Span, rate: float, hold_s: float
) -> float | None:
    """From the start of a span to the first interval from which on a rate is kept; None where it never is.

    `times` are the ends of intervals, one after the other.

    >>> time_to_reach([1, 2, 3, 4, 5, 6], [0, 9, 2, 8, 9, 8], Span(0.0, 6.0, 1.0), 8.0, 2.0)
    3.0
    >>> time_to_reach([1, 2, 3, 4, 5, 6], [0, 9, 2, 8, 9, 8], Span(0, 6, 1), 8.0, 4.0)
    """
    wanted = max(1, math.ceil(hold_s / span.interval_s - _ROUNDING))
    kept = 0
    for end, found in zip(times, rates, strict=True):
        begins = end - span.interval_s
        if begins < span.start_s - _ROUNDING:
            continue
        if end > span.end_s + _ROUNDING:
            break
        kept = kept + 1 if found >= rate * (1 - _ROUNDING) else 0
        if kept == wanted:
            return max(0.0, end - wanted * span.interval_s - span.start_s)
    return None


def mean_before(times: Sequence[float], rates: Sequence[float], from_s: float, span: Span) -> float | None:
    """The mean rate of the intervals between a time and the start of a span; None where there is none.

    >>> mean_before([1, 2, 3, 4], [5, 10, 20, 90], 1.0, Span(3, 4, 1))
    15.0
    """
    ends = zip(times, rates, strict=True)
    before = [
        found
        for end, found in ends
        if end - span.interval_s >= from_s - _ROUNDING and end <= span.start_s + _ROUNDING
    ]
    return math.fsum(before) / len(before) if before else None


def values(figures: pl.DataFrame, wanted: tuple[str, str | None, str | None], series: Series) -> pl.DataFrame:
    """`cell`, `run` and `value` in seconds of a metric by its name, of a group (None: the only one) and a window."""
    import polars as pl

    name, owner, window = wanted
    asked = target(name)
    rows = series()
    if asked is None or rows is None:
        raise UsageError(f"{name} is computed from group_series, which these runs have not")
    own = figures.filter(pl.col("of") == "group")
    if owner is not None:
        own, rows = own.filter(pl.col("name") == owner), rows.filter(pl.col("group") == owner)
    begun = _by_run(own.filter(pl.col("window").is_null()), [_START])
    covered = own.filter(pl.col("window").is_null() if window is None else pl.col("window") == window)
    spans = _by_run(covered, [_START, _END, INTERVAL, _MEAN])
    kept = rows.select("cell", "run", "time_s", "goodput_bps").sort("cell", "run", "time_s").collect()
    found = []
    for (cell, run), one in kept.group_by("cell", "run", maintain_order=True):
        start_s, end_s, interval_s, mean = spans.get((cell, run), (None,) * 4)
        if start_s is None or end_s is None or interval_s is None:
            continue
        span = Span(start_s, end_s, interval_s)
        times, rates = one["time_s"].to_list(), one["goodput_bps"].fill_null(0.0).to_list()
        if asked.of_before:
            (first,) = begun.get((cell, run), (None,))
            mean = mean_before(times, rates, first or 0.0, span)
        rate = asked.amount * (mean or 0.0) if asked.is_share else asked.amount
        # A share of nothing is no rate to be reached; what is asked for as nothing is there from the first interval on.
        is_there = rate > 0 or asked.amount == 0
        reached = time_to_reach(times, rates, span, rate, asked.hold_s) if is_there else None
        found.append((cell, run, reached))
    schema = {"cell": pl.UInt32, "run": pl.UInt32, "value": pl.Float64}
    return pl.DataFrame(found, schema=schema, orient="row")


def _by_run(rows: pl.DataFrame, names: Sequence[str]) -> dict[tuple[object, ...], tuple[float | None, ...]]:
    """Figures by cell and run."""
    found: dict[tuple[object, ...], dict[str, float]] = {}
    for cell, run, figure, value in rows.select("cell", "run", "figure", "value").iter_rows():
        if figure in names:
            found.setdefault((cell, run), {})[figure] = value
    return {key: tuple(row.get(name) for name in names) for key, row in found.items()}

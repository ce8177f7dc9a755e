"""Tolerances between studies: `goodput=5%`, `delay=2ms`, `goodput=-5%` for a fall alone, `dropped=10% from 10`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from tailrace.errors import UsageError
from tailrace.stats.formulas import Quantity, value_of
from tailrace.stats.metrics import Metric

_UNITS: Mapping[str, tuple[tuple[int, int, int], float]] = {
    # The end of a figure's name -> what it is measured in, and how many of these one is.
    "s": ((0, 1, 0), 1.0),
    "bps": ((1, -1, 0), 1.0),
    "bytes": ((1, 0, 0), 1 / 8),
    "packets": ((0, 0, 1), 1.0),
}
_PURE = (0, 0, 0)
# Between a limit and the least that it is for.
_FROM = " from "
# Units of counts, for which a plain number is clear.
_COUNTED = frozenset({_PURE, (0, 0, 1)})


@dataclass(frozen=True)
class Tolerance:
    """A limit, in the metric's unit or as a share of A's mean."""

    # Text as given.
    text: str
    limit: float
    relative: bool
    # -1: only a fall counts, 1: only a rise, 0: both.
    direction: int = 0
    # Bound below which both sides pass, since chance alone decides.
    least: float = 0.0

    def allowed(self, before: float) -> tuple[float, float]:
        """From where to where a difference is within it."""
        limit = self.limit * abs(before) if self.relative else self.limit
        return (-limit if self.direction <= 0 else -math.inf), (limit if self.direction >= 0 else math.inf)


@dataclass(frozen=True)
class Verdict:
    """Verdict of a tolerance about a difference."""

    tolerance: Tolerance
    # "kept", "broken", "open" where the interval reaches beyond what is allowed but not all of it, "not judged" where
    # both sides have less than the tolerance is for.
    state: str
    broken: bool
    # Excess of the mean difference over the limit, in the metric's unit.
    excess: float

    @property
    def word(self) -> str:
        """In a table."""
        return f"{self.tolerance.text}: {self.state}"


def parse(text: str) -> tuple[str, str]:
    """`METRIC=LIMIT`.

    >>> parse("tcp.goodput=-5 %")
    ('tcp.goodput', '-5 %')
    """
    name, equals, limit = text.rpartition("=")
    if not equals or not name.strip() or not limit.strip():
        raise UsageError(f"--tolerance takes METRIC=LIMIT (goodput=5%, delay=2ms); got {text!r}")
    return name.strip(), limit.strip()


def of(text: str, metric: Metric) -> Tolerance:
    """The limit of a metric: a share with %, a quantity with a unit, or of what is counted a number; and its least."""
    limit, starts, least = text.partition(_FROM)
    found = _limit(limit.strip(), metric)
    if not starts:
        return found
    start = _limit(least.strip(), metric)
    if start.relative or start.direction:
        raise UsageError(
            f"tolerance {text!r} of {metric.heading} begins with no quantity: say "
            f"10% from {_with_unit('5', metric)}"
        )
    return replace(found, text=text, least=start.limit)


def _limit(text: str, metric: Metric) -> Tolerance:
    plain = text.lstrip("+-").strip()
    direction = {"+": 1, "-": -1}.get(text[0], 0)
    if plain.endswith("%"):
        return Tolerance(text, _number(plain[:-1], text) / 100, relative=True, direction=direction)
    found = value_of(f'"{plain}"')
    if not isinstance(found, Quantity) or not math.isfinite(found.value):
        raise UsageError(f"tolerance {text!r} of {metric.heading} is no number, share (5%) or quantity (2ms)")
    unit, scale = unit_of(metric)
    if found.unit == _PURE:
        if unit not in _COUNTED and found.value:
            raise UsageError(
                f"tolerance {text!r} of {metric.heading} has no unit: "
                f"say {text}% of the mean, or {_with_unit(text, metric)}"
            )
        return Tolerance(text, found.value, relative=False, direction=direction)
    if found.unit != unit:
        raise UsageError(
            f"tolerance {text!r} is in {found.unit_name}, {metric.heading} is not; "
            f"say 5% of the mean, or as in {_with_unit('5', metric)}"
        )
    return Tolerance(text, found.value * scale * metric.scale, relative=False, direction=direction)


def unit_of(metric: Metric) -> tuple[tuple[int, int, int], float]:
    """Unit of a metric's number, by the end of its name: `rtt_s.mean`, `goodput_bps.sum`."""
    ends = [part.rpartition("_")[2] for part in metric.figure.split(".") if "_" in part]
    return next((_UNITS[end] for end in ends if end in _UNITS), (_PURE, 1.0))


def judge(
    tolerance: Tolerance, before: float, change: float, ends: tuple[float, float] | None, *, strict: bool
) -> Verdict:
    """Broken is a difference whose whole interval is beyond the limit; `strict`, one that is not wholly within.

    A single pair has no interval: there the difference itself counts.
    """
    if max(abs(before), abs(before + change)) < tolerance.least:
        return Verdict(tolerance, "not judged", broken=False, excess=0.0)
    low, high = tolerance.allowed(before)
    first, last = ends or (change, change)
    beyond = last < low or first > high
    within = low <= first and last <= high
    state = "broken" if beyond else "kept" if within else "open"
    return Verdict(tolerance, state, beyond or (strict and not within), max(low - change, change - high, 0.0))


def _with_unit(text: str, metric: Metric) -> str:
    """The number with the unit that tables show, or that the figure is in."""
    ends = {"s": "s", "bps": "bit/s", "bytes": "B", "packets": "packets"}
    parts = [part.rpartition("_")[2] for part in metric.figure.split(".")]
    return f"{text} {metric.unit or next((ends[part] for part in parts if part in ends), '')}".strip()


def _number(text: str, whole: str) -> float:
    try:
        found = float(text)
    except ValueError:
        found = math.nan
    if not math.isfinite(found):
        raise UsageError(f"tolerance {whole!r} is no share such as 5%")
    return found

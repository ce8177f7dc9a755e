"""Statistics over independent runs: means with Student-t intervals, Jain's index.

Intervals are always taken across runs, never across samples of one run, which are correlated.

A share (a loss ratio, a utilization, Jain's index) has bounds, which mean ± half width oversteps, and to cut it off
there would not make it cover what it promises: its distribution is skewed near a bound. Its interval is therefore
taken where there are no bounds, on the logit, and carried back (the delta method: the logit's standard error is the
mean's over m(1 - m)). Of 3 to 10 beta-distributed runs, from nearly symmetric to very skewed, it covered the mean in
84 to 96 of 100 cases, Student's in 67 to 95, the percentile bootstrap in 47 to 90. Far from the bounds it is Student's.

What is bounded on one side alone keeps Student's interval, cut off at the bound: 0 of what cannot be negative (a rate,
a time, a count), 1 of damage, which is no more than all. No true mean lies beyond, so as many of the cut intervals hold
it as of the whole ones. The same on the logarithm would hold it a little more often where runs are skewed, but reaches
to the twentyfold of the mean where there are few runs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias

# Identity and bookkeeping of a run: nothing to average.
_NOT_AVERAGED = frozenset({"run", "seed", "fingerprint"})
# Numbers between two bounds, beside all that end in `_ratio`.
_SHARES = frozenset({"utilization", "jain"})
# Units at the end of a number's name of which there cannot be less than none.
_AMOUNTS = ("_bps", "_s", "_bytes", "_packets", "_segments")
# Rounding error by which a share may miss its bounds.
_ROUNDING = 1e-9

Bounds: TypeAlias = tuple[float, float]
# Bounds of amounts, which are not negative.
AMOUNT: Bounds = (0.0, math.inf)
# Bounds of a loss share, which is negative if more arrived than was sent.
LOSS: Bounds = (-math.inf, 1.0)


@dataclass(frozen=True)
class Interval:
    """A mean with half the width of its 95 % confidence interval (None for a single value).

    `ends` are those of an interval that the mean does not halve: a share's, or one that is cut off at 0.
    """

    mean: float
    ci95: float | None
    n: int
    ends: tuple[float, float] | None = None

    def as_dict(self) -> dict[str, float | int | None]:
        """The leaf of the result contract."""
        leaf: dict[str, float | int | None] = {"mean": self.mean, "ci95": self.ci95, "n": self.n}
        return {**leaf, "low": self.ends[0], "high": self.ends[1]} if self.ends else leaf


def interval(values: Sequence[float], bounds: Bounds | None = None) -> Interval | None:
    """Mean and 95 % interval of independent values; None where there are none.

    Of values that lie between `bounds` the interval does, too.

    >>> interval([0.0, 1.0, 2.0], AMOUNT).ends[0]
    0.0
    >>> interval([0.2, 0.9, 1.0], LOSS).ends[1]
    1.0
    >>> interval([1.0, 2.0, 3.0]).ci95.__format__(".3f")
    '2.484'
    """
    n = len(values)
    if n == 0:
        return None
    mean = math.fsum(values) / n
    if n == 1:
        return Interval(mean, None, 1)
    variance = math.fsum((v - mean) ** 2 for v in values) / (n - 1)
    half = student_t_975(n - 1) * math.sqrt(variance / n)
    if bounds is None or min(values) < bounds[0] - _ROUNDING or max(values) > bounds[1] + _ROUNDING:
        return Interval(mean, half, n)
    one_sided = math.isinf(bounds[0]) or math.isinf(bounds[1])
    low, high = max(bounds[0], mean - half), min(bounds[1], mean + half)
    if one_sided and (low, high) == (mean - half, mean + half):
        return Interval(mean, half, n)
    low, high = (low, high) if one_sided else share_ends(mean, half, bounds)
    return Interval(mean, (high - low) / 2, n, (low, high))


def paired(before: Sequence[float], after: Sequence[float]) -> Interval | None:
    """Mean and 95 % interval of `after - before`, run by run: Student's t on the differences.

    >>> found = paired([1.0, 2.0, 3.0], [2.0, 4.0, 6.0])
    >>> found.mean, round(found.ci95, 3)
    (2.0, 2.484)
    """
    return interval([b - a for a, b in zip(before, after, strict=True)])


def welch(before: Sequence[float], after: Sequence[float]) -> Interval | None:
    """Mean and 95 % interval of the difference of independent runs, whose variances may differ (Welch 1947).

    Degrees of freedom are Satterthwaite's, rounded down; `n` is the smaller number of runs.
    """
    if not before or not after:
        return None
    means = [math.fsum(values) / len(values) for values in (before, after)]
    change, n = means[1] - means[0], min(len(before), len(after))
    if n == 1:
        return Interval(change, None, 1)
    # Variance of each mean.
    of_means = [
        math.fsum((v - mean) ** 2 for v in values) / (len(values) - 1) / len(values)
        for values, mean in zip((before, after), means, strict=True)
    ]
    total = math.fsum(of_means)
    if total == 0:
        return Interval(change, 0.0, n)
    parts = [variance**2 / (len(v) - 1) for variance, v in zip(of_means, (before, after), strict=True)]
    freedom = int(total**2 / math.fsum(parts) + _ROUNDING)
    return Interval(change, student_t_975(freedom) * math.sqrt(total), n)


def share_ends(mean: float, half: float, bounds: Bounds = (0.0, 1.0)) -> tuple[float, float]:
    """The interval of a share between bounds, from its mean and the half width of its Student-t interval.

    >>> [round(end, 3) for end in share_ends(0.5, 0.01)]
    [0.49, 0.51]
    >>> [round(end, 3) for end in share_ends(0.98, 0.04)]
    [0.864, 0.997]
    """
    low, high = bounds
    width = high - low
    share = (mean - low) / width if width > 0 else 0.0
    room = share * (1 - share)
    # At a bound all values are equal.
    if room <= 0 or half <= 0:
        return mean, mean
    step = half / width / room
    # The logistic of logit(m) ± step, in the form that cannot overflow.
    fewer, more = share * math.exp(-step), (1 - share) * math.exp(-step)
    return low + width * fewer / (fewer + 1 - share), low + width * share / (share + more)


@lru_cache(maxsize=256)
def student_t_975(freedom: int) -> float:
    """The 97.5 % quantile of Student's t with `freedom` degrees of freedom.

    The distribution function is a finite sum for whole degrees (Abramowitz & Stegun 26.7.3 and 26.7.4); it is
    inverted by bisection. Beyond 2000 degrees the quantile equals the normal one to the third decimal.

    >>> round(student_t_975(4), 3)
    2.776
    """
    if freedom < 1:
        raise ValueError("Student's t needs at least one degree of freedom")
    if freedom > 2000:  # noqa: PLR2004
        return 1.959963984540054
    low, high = 0.0, 13.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _central_probability(middle, freedom) < 0.95 else (low, middle)  # noqa: PLR2004
    return (low + high) / 2


def students_p(t: float, freedom: int) -> float:
    """The probability that Student's t with so many degrees of freedom is further from 0 than `t`.

    >>> round(students_p(-2.776, 4), 3)
    0.05
    """
    return max(0.0, 1.0 - _central_probability(abs(t), freedom))


def _central_probability(t: float, freedom: int) -> float:
    """P(-t < T < t)."""
    theta = math.atan(t / math.sqrt(freedom))
    sine, cosine = math.sin(theta), math.cos(theta)
    odd = freedom % 2
    term = cosine if odd else 1.0
    total = term if freedom > 1 else 0.0
    for k in range(2 + odd, freedom - 1, 2):
        term *= (k - 1) / k * cosine * cosine
        total += term
    return 2 / math.pi * (theta + sine * total) if odd else sine * total


def jain(values: Sequence[float]) -> float | None:
    """Jain's fairness index: 1 when all are equal, 1/n when one has everything (Jain, Chiu & Hawe 1984).

    >>> jain([1.0, 1.0, 0.0, 0.0])
    0.5
    """
    squares = math.fsum(v * v for v in values)
    return math.fsum(values) ** 2 / (len(values) * squares) if squares > 0 else None


def aggregate(runs: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The runs' entries folded into one of the same shape whose numbers are mean, ci95 and n over the runs."""
    folded = _fold([{k: v for k, v in run.items() if k not in _NOT_AVERAGED} for run in runs])
    return folded if isinstance(folded, dict) else {}


def bounds_of(figure: str) -> Bounds | None:
    """Between what a figure lies, by its name; None where that does not tell.

    >>> bounds_of("loss_ratio"), bounds_of("rtt_s.p99"), bounds_of("voice.r_factor")
    ((0.0, 1.0), (0.0, inf), None)
    """
    parts = figure.split(".")
    if parts[-1] in _SHARES or parts[-1].endswith("_ratio"):
        return 0.0, 1.0
    return AMOUNT if any(part.endswith(_AMOUNTS) for part in parts) else None


def _bounds_of(key: str, beside: dict[str, Any]) -> Bounds | None:
    """The same of a key beside others."""
    if key != "jain":
        return bounds_of(key)
    flows = beside.get("flows")
    # The least Jain's index is one over the number of flows.
    return (1 / flows if isinstance(flows, int) and flows > 0 else 0.0), 1.0


def _fold(values: Sequence[Any], bounds: Bounds | None = None) -> object:
    present = [v for v in values if v is not None]
    if not present:
        return None
    if all(isinstance(v, dict) for v in present):
        keys = dict.fromkeys(key for v in present for key in v)
        # `sum` of a rate is one.
        return {
            key: _fold([v.get(key) for v in present], _bounds_of(key, present[0]) or bounds) for key in keys
        }
    if all(isinstance(v, list) for v in present):
        # Position by position: runs of one scenario have the same connections in the same order.
        return [_fold([v[i] for v in present if i < len(v)]) for i in range(max(map(len, present)))]
    if all(isinstance(v, int | float) and not isinstance(v, bool) for v in present):
        # Whole numbers are counts.
        counted = AMOUNT if all(isinstance(v, int) for v in present) else None
        found = interval([float(v) for v in present if math.isfinite(v)], bounds or counted)
        return found.as_dict() if found else None
    return present[0] if all(v == present[0] for v in present) else None

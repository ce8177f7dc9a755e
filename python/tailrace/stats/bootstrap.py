"""Percentiles, extremes and the coefficient of variation over runs, with intervals from the bootstrap.

The interval is the percentile bootstrap's (Efron & Tibshirani 1993, chapter 13): the statistic of as many runs drawn
with replacement, 2000 times; its 2.5th and 97.5th percentiles. The draws are the same each time and for every cell.
No draw reaches beyond the smallest and largest run, so a percentile has an interval only from so many runs that these
two hold it in 95 of 100 cases: 6 for a median, 59 for a 95th percentile. Extremes have none: resampling says nothing
about what lies beyond them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from tailrace.stats.statistics import Interval, interval

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]

MEAN = "mean"
_RESAMPLES = 2000
_SEED = 1
_COVERAGE = 0.95
_PERCENTILE = re.compile(r"p(\d{1,2})")
# A spread of fewer has no bootstrap worth the name.
_FEWEST_FOR_SPREAD = 6


def is_known(over: str) -> bool:
    """Whether there is such a statistic: `mean`, `median`, `p1` to `p99`, `min`, `max`, `cv`."""
    return over in {MEAN, "min", "max", "cv"} or _share(over) is not None


def estimate(
    values: Sequence[float], over: str, bounds: tuple[float, float] | None = None
) -> Interval | None:
    """A statistic over independent runs with its 95 % interval; None without runs, or where it has no value.

    >>> estimate([3.0, 1.0, 2.0], "median")
    Interval(mean=2.0, ci95=None, n=3, ends=None)
    """
    if over == MEAN:
        return interval(values, bounds)
    if not values or (over == "cv" and (len(values) == 1 or not math.fsum(values))):
        return None
    import numpy as np  # a tenth of a second that most commands need not wait

    seen = np.asarray([values], dtype=np.float64)
    found = float(_statistic(seen, over)[0])
    if len(values) < fewest(over):
        return Interval(found, None, len(values))
    drawn = _statistic(seen[0][_places(len(values))], over)
    low, high = (float(end) for end in np.nanquantile(drawn, [0.025, 0.975]))
    return Interval(found, (high - low) / 2, len(values), (low, high))


@lru_cache(maxsize=128)
def fewest(over: str) -> float:
    """From how many runs on a statistic has an interval.

    >>> fewest("median"), fewest("p95"), fewest("p99")
    (6, 59, 299)
    """
    share = _share(over)
    if share is None:
        return _FEWEST_FOR_SPREAD if over == "cv" else math.inf
    n = 1
    while 1 - share**n - (1 - share) ** n < _COVERAGE:
        n += 1
    return n


def _share(over: str) -> float | None:
    """Share of runs below a percentile."""
    found = _PERCENTILE.fullmatch(over)
    if over == "median":
        return 0.5
    return int(found[1]) / 100 if found and int(found[1]) else None


def _statistic(rows: Floats, over: str) -> Floats:
    """Statistic of each row."""
    import numpy as np

    share = _share(over)
    found: Any
    if share is not None:
        found = np.quantile(rows, share, axis=1)
    elif over == "cv":
        mean = np.abs(rows.mean(axis=1))
        found = np.divide(rows.std(axis=1, ddof=1), mean, out=np.full(len(rows), np.nan), where=mean > 0)
    else:
        found = rows.min(axis=1) if over == "min" else rows.max(axis=1)
    return np.asarray(found, dtype=np.float64)


@lru_cache(maxsize=16)
def _places(n: int) -> npt.NDArray[np.int64]:
    """Indices of the runs in each resample. The legacy generator's stream stays the same in all versions of NumPy."""
    import numpy as np

    return np.random.RandomState(_SEED).randint(0, n, size=(_RESAMPLES, n), dtype=np.int64)

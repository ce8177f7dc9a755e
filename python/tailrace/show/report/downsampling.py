"""Long series for a screen: of each of many equal spans of time the least and the largest value, in their order.

No peak is lost and none is made up; when within its span a value occurred is what is lost.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tailrace.show.charts.curves import Array


def thinned(times: Array, columns: Sequence[Array], most: int) -> tuple[Array, list[Array], int]:
    """Times and columns of at most so many points, and how many samples a pair of points stands for (1: as recorded).

    >>> times = np.arange(6.0)
    >>> found = thinned(times, [np.array([1.0, 5.0, 2.0, 4.0, 0.0, 3.0])], 4)
    >>> [list(map(float, column)) for column in (found[0], found[1][0])], found[2]
    ([[0.0, 2.0, 3.0, 5.0], [1.0, 5.0, 4.0, 0.0]], 3)
    """
    count = len(times)
    if count <= most:
        return times, list(columns), 1
    width = -(-count // max(1, most // 2))
    spans = -(-count // width)
    starts = np.arange(spans) * width
    ends = np.minimum(starts + width, count) - 1
    placed = np.empty(2 * spans)
    placed[0::2], placed[1::2] = times[starts], times[ends]
    return placed, [_extremes(column, spans, width) for column in columns], width


def _extremes(column: Array, spans: int, width: int) -> Array:
    """Extremes of each span in the order in which they occurred; empty where there are none."""
    padded = np.full(spans * width, np.nan)
    padded[: len(column)] = column
    rows: NDArray[np.float64] = padded.reshape(spans, width)
    there = ~np.isnan(rows)
    with warnings.catch_warnings():
        # A span without a value has none, which is not worth a warning.
        warnings.simplefilter("ignore", RuntimeWarning)
        least, most = np.nanmin(rows, axis=1), np.nanmax(rows, axis=1)
    rising = np.where(there, rows, np.inf).argmin(axis=1) <= np.where(there, rows, -np.inf).argmax(axis=1)
    found = np.empty(2 * spans)
    found[0::2], found[1::2] = np.where(rising, least, most), np.where(rising, most, least)
    return found

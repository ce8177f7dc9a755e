"""From tables to curves: samples gathered into bins of time, means over runs with their intervals.

Within a run a bin averages a flow's samples, then flows are combined (summed or averaged); across runs each bin has
its mean and Student-t interval. Bins are a hundredth of the duration, but no finer than the samples.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tailrace.statistics import student_t_975

Array: TypeAlias = NDArray[np.float64]
# (bins × members) to (bins): how the members of a group make one value.
Combine: TypeAlias = Callable[[Array], Array]

_BINS = 100


@dataclass(frozen=True)
class Curve:
    """A line with an optional band around it."""

    time_s: Array
    mean: Array
    half: Array | None = None


def total(values: Array) -> Array:
    """The sum over members; nothing where all are missing."""
    return np.where(np.isnan(values).all(axis=1), np.nan, np.nansum(values, axis=1))


def average(values: Array) -> Array:
    """The mean over members that have a value."""
    with warnings.catch_warnings():
        # A bin without any value is "nothing", not worth a warning.
        warnings.simplefilter("ignore", RuntimeWarning)
        return np.asarray(np.nanmean(values, axis=1), dtype=np.float64)


@dataclass(frozen=True)
class Grouped:
    """Samples of some members (flows or queues) of all runs, on common bins of time."""

    edges: Array
    frame: pl.DataFrame
    members: list[str]

    @classmethod
    def of(cls, frame: pl.DataFrame, member: str) -> Grouped:
        """Bins the rows of a series table; `member` is the column that tells flows or queues apart."""
        times = np.unique(frame["time_s"].to_numpy())
        end = float(times[-1]) if len(times) else 1.0
        step = float(np.median(np.diff(times))) if len(times) > 1 else end or 1.0
        bins = int(min(_BINS, max(1, round(end / step))))
        edges = np.linspace(0.0, end or 1.0, bins + 1)
        # A sample stands for the interval before it, so an edge belongs to the bin that it ends.
        position = np.clip(np.searchsorted(edges, frame["time_s"].to_numpy() - 1e-9) - 1, 0, bins - 1)
        keyed = frame.with_columns(
            pl.Series("bin", position.astype(np.int64)), pl.col(member).cast(pl.String).alias("member")
        )
        return cls(edges, keyed, sorted(keyed["member"].unique().to_list(), key=natural))

    @property
    def middles(self) -> Array:
        """The time each bin stands for."""
        return (self.edges[:-1] + self.edges[1:]) / 2

    def curve(self, column: str, combine: Combine) -> Curve | None:
        """Mean over runs of the members' combined value in each bin."""
        return self._over_runs(lambda run: combine(self._matrix(run, column, last=False)))

    def ratio_so_far(self, part: str, whole: str) -> Curve | None:
        """Mean over runs of the ratio of two cumulative counts, each summed over the members."""

        def one_run(run: pl.DataFrame) -> Array:
            counted = [total(_carried(self._matrix(run, name, last=True))) for name in (part, whole)]
            with np.errstate(invalid="ignore", divide="ignore"):
                return np.where(counted[1] > 0, counted[0] / counted[1], np.nan)

        return self._over_runs(one_run)

    def _over_runs(self, one_run: Callable[[pl.DataFrame], Array]) -> Curve | None:
        runs = [one_run(rows) for rows in self.frame.partition_by("run", maintain_order=True)]
        if not runs or all(np.isnan(run).all() for run in runs):
            return None
        stacked = np.column_stack(runs)
        if len(runs) == 1:
            return Curve(self.middles, stacked[:, 0])
        count = np.count_nonzero(~np.isnan(stacked), axis=1)
        mean = average(stacked)
        squares = total((stacked - mean[:, None]) ** 2)
        quantile = np.array([student_t_975(n - 1) if n > 1 else np.nan for n in count.tolist()])
        with np.errstate(invalid="ignore", divide="ignore"):
            half = quantile * np.sqrt(squares / (count - 1) / count)
        return Curve(self.middles, mean, half)

    def _matrix(self, rows: pl.DataFrame, column: str, *, last: bool) -> Array:
        """bins × members; NaN where a member has no sample."""
        value = pl.col(column).drop_nulls()
        cells = rows.group_by("bin", "member", maintain_order=True).agg(
            value.last() if last else value.mean()
        )
        matrix = np.full((len(self.edges) - 1, len(self.members)), np.nan)
        places = {name: index for index, name in enumerate(self.members)}
        across = cells["member"].replace_strict(places, return_dtype=pl.Int64).to_numpy()
        matrix[cells["bin"].to_numpy(), across] = cells[column].cast(pl.Float64).fill_null(np.nan).to_numpy()
        return matrix


def _carried(matrix: Array) -> Array:
    """Cumulative counts keep their value where no sample was taken (a flow that ended)."""
    filled = matrix.copy()
    for index in range(1, len(filled)):
        gaps = np.isnan(filled[index])
        filled[index, gaps] = filled[index - 1, gaps]
    return filled


def natural(text: str) -> tuple[tuple[int, str], ...]:
    """Sort key that puts `tcp[2]` before `tcp[10]`.

    >>> sorted(["tcp[10]", "tcp[2]"], key=natural)
    ['tcp[2]', 'tcp[10]']
    """
    parts: list[tuple[int, str]] = []
    digits = ""
    for character in text + "\0":
        if character.isdecimal():
            digits += character
            continue
        if digits:
            parts.append((int(digits), ""))
            digits = ""
        parts.append((-1, character))
    return tuple(parts)

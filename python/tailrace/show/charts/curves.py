"""From tables to curves: samples gathered into bins of time, means over runs with their intervals.

Within a run a bin averages a member's samples, then members are combined (summed or averaged); across runs each bin
has its mean and 95 % interval. Bins are a hundredth of the duration, but no finer than the samples.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tailrace.stats.statistics import share_ends, student_t_975

Array: TypeAlias = NDArray[np.float64]
# (bins × members) to (bins): how the members of a group make one value.
Combine: TypeAlias = Callable[[Array], Array]

_BINS = 100


@dataclass(frozen=True)
class Curve:
    """A line with an optional band around it."""

    time_s: Array
    mean: Array
    band: tuple[Array, Array] | None = None

    def scaled(self, scale: float) -> Curve:
        """The same in another unit."""
        band = (self.band[0] * scale, self.band[1] * scale) if self.band else None
        return Curve(self.time_s, self.mean * scale, band)


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
    """Samples of some members (flows, groups or queues) of all runs, on common bins of time."""

    edges: Array
    frame: pl.DataFrame
    members: list[str]
    runs: list[int]

    @classmethod
    def of(cls, frame: pl.DataFrame, member: str) -> Grouped:
        """Bins the rows of a series table; `member` is the column that tells the members apart."""
        times = frame["time_s"].unique().sort().to_numpy()
        end = float(times[-1]) if len(times) else 1.0
        step = float(np.median(np.diff(times))) if len(times) > 1 else end or 1.0
        bins = int(min(_BINS, max(1, round(end / step))))
        edges = np.linspace(0.0, end or 1.0, bins + 1)
        # A sample stands for the interval before it, so an edge belongs to the bin that it ends.
        position = np.clip(np.searchsorted(edges, frame["time_s"].to_numpy() - 1e-9) - 1, 0, bins - 1)
        keyed = frame.with_columns(
            pl.Series("bin", position.astype(np.int64)), pl.col(member).cast(pl.String).alias("member")
        )
        members = sorted(keyed["member"].unique().to_list(), key=natural)
        return cls(edges, keyed, members, keyed["run"].unique().sort().to_list())

    @property
    def middles(self) -> Array:
        """The time each bin stands for."""
        return (self.edges[:-1] + self.edges[1:]) / 2

    def curve(self, column: str, combine: Combine, members: Sequence[str] | None = None) -> Curve | None:
        """Mean over runs of the members' combined value in each bin; of all members, or of some."""
        cube = self._cube(column, members, last=False)
        return self._over_runs([combine(run) for run in cube])

    def ratio_so_far(self, part: str, whole: str, members: Sequence[str] | None = None) -> Curve | None:
        """Mean over runs of the ratio of two cumulative counts, each summed over the members."""
        counts = (self._cube(name, members, last=True) for name in (part, whole))
        parts, wholes = ([total(_carried(run)) for run in cube] for cube in counts)
        with np.errstate(invalid="ignore", divide="ignore"):
            ratios = [np.where(w > 0, p / w, np.nan) for p, w in zip(parts, wholes, strict=True)]
        return self._over_runs(ratios, share=True)

    def _over_runs(self, runs: Sequence[Array], *, share: bool = False) -> Curve | None:
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
        if not share or np.nanmax(stacked) > 1:
            return Curve(self.middles, mean, (mean - half, mean + half))
        ends = np.array(
            [share_ends(m, h) if np.isfinite(h) else (h, h) for m, h in zip(mean, half, strict=True)]
        )
        return Curve(self.middles, mean, (ends[:, 0], ends[:, 1]))

    def _cube(self, column: str, members: Sequence[str] | None, *, last: bool) -> Array:
        """runs × bins × members; NaN where a member has no sample."""
        chosen = self.members if members is None else list(members)
        rows = self.frame if members is None else self.frame.filter(pl.col("member").is_in(chosen))
        value = pl.col(column).drop_nulls()
        cells = rows.group_by("run", "bin", "member", maintain_order=True).agg(
            value.last() if last else value.mean()
        )
        cube = np.full((len(self.runs), len(self.edges) - 1, len(chosen)), np.nan)
        if not len(cells):
            return cube
        across = _places(cells["member"], chosen)
        values = cells[column].cast(pl.Float64).fill_null(np.nan).to_numpy()
        cube[_places(cells["run"], self.runs), cells["bin"].to_numpy(), across] = values
        return cube


def _places(column: pl.Series, order: Sequence[object]) -> NDArray[np.int64]:
    places = {name: index for index, name in enumerate(order)}
    return column.replace_strict(places, return_dtype=pl.Int64).to_numpy()


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

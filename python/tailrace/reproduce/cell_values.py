"""Values of a quantity in one cell, run by run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tailrace.stats.statistics import Bounds, Interval, interval


@dataclass(frozen=True)
class Values:
    """A number for each run, its unit, and between what it must lie."""

    unit: str
    runs: Mapping[int, float]
    bounds: Bounds | None = None

    @property
    def interval(self) -> Interval | None:
        """Mean and interval over the runs."""
        return interval(list(self.runs.values()), self.bounds)

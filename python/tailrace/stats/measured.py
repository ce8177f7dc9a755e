"""Runs by cell, whatever holds them: a result is one cell, a comparison has one a variant, a sweep has many."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from tailrace.errors import UsageError
from tailrace.stats import metrics, reach
from tailrace.stats.metrics import Known, Metric
from tailrace.stats.parameters import Parameter

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class MeasuredCell:
    """A variant."""

    # Under which its runs are found; None where none could be begun.
    number: int | None
    label: str
    parameters: Sequence[object]
    # Equal for cells of two studies that are the same variant.
    key: str


@dataclass(frozen=True)
class Measured:
    """All runs of a study, with their figures."""

    title: str
    parameters: Sequence[Parameter]
    cells: Sequence[MeasuredCell]
    figures: pl.DataFrame
    # Cell and run -> seed: all that ended.
    seeds: Mapping[tuple[int, int], int]
    notes: Sequence[str] = ()
    # The scenario, every default filled in; of variants the first's.
    scenario: str = ""
    # The series of groups, where there are any, for metrics that are made of them.
    series: reach.Series | None = None

    @cached_property
    def known(self) -> Known:
        """Metrics that there are."""
        if self.figures.is_empty():
            raise UsageError(f"{self.title} holds no run yet")
        return Known(self.figures)

    def metrics(self, names: Sequence[str] = ()) -> list[Metric]:
        """Metrics for names; without any, the usual ones of a table."""
        return self.known.metrics(names)

    def values(self, metric: Metric) -> dict[int, dict[int, float]]:
        """Cell -> run -> value, where there is one."""
        found: dict[int, dict[int, float]] = {}
        for cell, run, value in (
            metrics.values(self.figures, metric, self.series).select("cell", "run", "value").iter_rows()
        ):
            if value is not None:
                found.setdefault(cell, {})[run] = value
        return found

    @cached_property
    def runs(self) -> dict[int, int]:
        """Number of runs of each cell that ended."""
        found: dict[int, int] = {}
        for cell, _ in self.seeds:
            found[cell] = found.get(cell, 0) + 1
        return found

"""Runs by cell, whatever holds them: a result is one cell, a comparison has one a variant, a sweep has many."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from tailrace.errors import UsageError
from tailrace.stats import metrics, numbers, reach
from tailrace.stats.metrics import Known, Metric
from tailrace.stats.parameters import Parameter

if TYPE_CHECKING:
    import polars as pl

    from tailrace.data.result import Result


@dataclass(frozen=True)
class MeasuredCell:
    """One variant."""

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
        """What metrics there are."""
        if self.figures.is_empty():
            raise UsageError(f"{self.title} holds no run yet")
        return Known(self.figures)

    def metrics(self, names: Sequence[str] = ()) -> list[Metric]:
        """What names of metrics stand for; without any, what a table shows by itself."""
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
        """How many runs of each cell ended."""
        found: dict[int, int] = {}
        for cell, _ in self.seeds:
            found[cell] = found.get(cell, 0) + 1
        return found


def of_results(results: Mapping[str, Result], title: str) -> Measured:
    """One cell a result, called by its label."""
    numbered = list(enumerate(results.items(), start=1))
    entries = [(cell, run["run"], run) for cell, (_, result) in numbered for run in result.summary["runs"]]
    return Measured(
        title,
        [Parameter("variant")],
        [MeasuredCell(cell, label, [label], label) for cell, (label, _) in numbered],
        numbers.frame(entries),
        {(cell, run): entry["seed"] for cell, run, entry in entries},
        scenario=next((result.scenario_toml for result in results.values()), ""),
        series=lambda: _series(results),
    )


def _series(results: Mapping[str, Result]) -> pl.LazyFrame | None:
    """Of all that have series, with the numbers of their cells."""
    import polars as pl

    tables = [result.scan("group_series") for result in results.values()]
    rows = [
        table.with_columns(cell=pl.lit(cell, pl.UInt32))
        for cell, table in enumerate(tables, start=1)
        if table.collect_schema()
    ]
    return pl.concat(rows, how="diagonal") if rows else None


def of_result(result: Result) -> Measured:
    """One cell without parameters."""
    found = of_results({result.name: result}, result.name)
    cell = MeasuredCell(1, result.name, [], "")
    return replace(found, title=result.name, parameters=[], cells=[cell])

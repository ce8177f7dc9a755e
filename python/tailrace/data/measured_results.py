"""Runs of results as tables of metrics and differences take them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

from tailrace.stats import numbers
from tailrace.stats.measured import Measured, MeasuredCell
from tailrace.stats.parameters import Parameter

if TYPE_CHECKING:
    import polars as pl


class Runs(Protocol):
    """Runs of one scenario, as a `Result` has them."""

    @property
    def name(self) -> str:
        """The scenario's name."""

    @property
    def scenario_toml(self) -> str:
        """The resolved scenario."""

    @property
    def summary(self) -> Mapping[str, Any]:
        """The document of the result contract."""

    def scan(self, name: str) -> pl.LazyFrame:
        """A table, read when it is collected."""


def of_results(results: Mapping[str, Runs], title: str) -> Measured:
    """A cell for each result, named by its label."""
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


def _series(results: Mapping[str, Runs]) -> pl.LazyFrame | None:
    """Series of all results that have any, with the numbers of their cells."""
    import polars as pl

    tables = [result.scan("group_series") for result in results.values()]
    rows = [
        table.with_columns(cell=pl.lit(cell, pl.UInt32))
        for cell, table in enumerate(tables, start=1)
        if table.collect_schema()
    ]
    return pl.concat(rows, how="diagonal") if rows else None


def of_result(result: Runs) -> Measured:
    """A single cell without parameters."""
    found = of_results({result.name: result}, result.name)
    cell = MeasuredCell(1, result.name, [], "")
    return replace(found, title=result.name, parameters=[], cells=[cell])

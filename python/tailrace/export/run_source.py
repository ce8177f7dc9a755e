"""A run of a result, a comparison or a sweep, for export."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tailrace.data import store
from tailrace.data.comparison import Comparison
from tailrace.data.result import Result
from tailrace.errors import UsageError
from tailrace.stats import formulas
from tailrace.study.sweep_result import Sweep
from tailrace.text import near_misses

if TYPE_CHECKING:
    import polars as pl

# A scenario as the file has it, every default filled in.
Scenario = Mapping[str, Any]


@dataclass(frozen=True)
class Run:
    """A run with its tables."""

    place: Path
    # The scenario's name, and the cell's label where there is one.
    title: str
    number: int
    seed: int
    fingerprint: str
    scenario: Scenario
    _table: Callable[[str], pl.DataFrame]
    # Settings of a cell by names of columns, as TOML text.
    axes: Mapping[str, str] = field(default_factory=dict)

    def table(self, name: str) -> pl.DataFrame:
        """A table's rows of this run; no rows where it was not recorded."""
        import polars as pl

        found = self._table(name)
        return found if found.is_empty() else found.filter(pl.col("run") == self.number)

    def samples(self) -> dict[tuple[Any, ...], pl.DataFrame]:
        """The `flow_series` of each flow that was sampled, by group and position; it may be that none was."""
        found = self.table("flow_series")
        if found.is_empty():
            return {}
        return found.partition_by("group", "flow", as_dict=True, maintain_order=True)

    def series(self, name: str) -> pl.DataFrame:
        """The same of a time series, which has to be there."""
        found = self.table(name)
        if not found.is_empty():
            return found
        if self.interval_s is None:
            why, remedy = 'interval = "off"', "interval='100 ms'"
        else:
            why, remedy = "max_series_flows = 0", "max_series_flows=64"
        raise UsageError(
            f"{self.place} has no {name}: it was run with {why} in [record]; run it again with --set record.{remedy}"
        )

    @cached_property
    def duration_s(self) -> float:
        """When the run ended."""
        return self._seconds("duration")

    @cached_property
    def warmup_s(self) -> float:
        """When statistics began."""
        return self._seconds("warmup")

    @cached_property
    def interval_s(self) -> float | None:
        """The sampling interval; None where nothing was sampled."""
        interval = str(self.axes.get("record.interval", self.scenario["record"]["interval"])).strip('"')
        return None if interval == "off" else _seconds(interval)

    def _seconds(self, key: str) -> float:
        return _seconds(str(self.axes.get(key, self.scenario[key])).strip('"'))


def of(place: Path, number: int = 1, label: str | None = None) -> Run:
    """A run of a folder: of a result, or of the variant or cell that `label` names."""
    if store.is_store(place):
        return _of_sweep(Sweep.load(place), number, label)
    if Comparison.is_folder(place):
        results = Comparison.load(place).results
        chosen = _chosen(place, list(results), label, "variant")
        return _of_result(results[chosen], place, number, chosen)
    if label is not None:
        raise UsageError(f"{place} is one result, which has no cells; leave --cell out")
    return _of_result(Result.load(place), place, number)


def _of_result(result: Result, place: Path, number: int, label: str = "") -> Run:
    runs = {entry["run"]: entry for entry in result.summary["runs"]}
    _check_run(place, list(runs), number)
    return Run(
        place,
        _title(result.name, label),
        number,
        runs[number]["seed"],
        runs[number]["fingerprint"],
        tomllib.loads(result.scenario_toml),
        result.table,
    )


def _of_sweep(sweep: Sweep, number: int, label: str | None) -> Run:
    import polars as pl

    cells = {row["label"]: row for row in sweep.plan}
    chosen = _chosen(sweep.place, list(cells), label, "cell")
    cell = cells[chosen]["cell"]
    landed = sweep.runs.filter(pl.col("label") == chosen)
    _check_run(sweep.place, landed["run"].to_list(), number)
    own = landed.row(by_predicate=pl.col("run") == number, named=True)

    def table(name: str) -> pl.DataFrame:
        found = sweep.frame(name)
        return found if found.is_empty() else found.filter(pl.col("cell") == cell, pl.col("label") == chosen)

    return Run(
        sweep.place,
        _title(sweep.name, chosen),
        number,
        own["seed"],
        own["fingerprint"],
        tomllib.loads(sweep.scenario_toml),
        table,
        cells[chosen]["axes"],
    )


def _chosen(place: Path, labels: Sequence[str], label: str | None, kind: str) -> str:
    if label is not None:
        return near_misses.known(label, labels, kind)
    if len(labels) == 1:
        return labels[0]
    raise UsageError(
        f"{place} has {len(labels)} {kind}s; choose one with --cell, such as --cell '{labels[0]}'"
    )


def _check_run(place: Path, numbers: Sequence[int], number: int) -> None:
    if number in numbers:
        return
    there = f"{min(numbers)} to {max(numbers)}" if len(numbers) > 1 else "only 1" if numbers else "none yet"
    raise UsageError(f"{place} has no run {number} (there is {there}); choose one with --run")


def _title(name: str, label: str) -> str:
    return f"{name} {label}" if label else name


def _seconds(text: str) -> float:
    value = formulas.value_of(f'"{text}"')
    if not isinstance(value, formulas.Quantity):
        raise UsageError(f"{text!r} is no duration")
    return value.value

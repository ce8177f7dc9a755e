"""Numbers out of the runs: `METRIC where PARAMETER=VALUE, ... in STUDY`, a number for each run of one cell.

A quantity is a metric of sweeps, or what the file declares under its name: a statistic of a series, or a formula over
other quantities.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tailrace.errors import UsageError
from tailrace.reproduce import series_statistics
from tailrace.reproduce.cell_values import Values
from tailrace.reproduce.checks.outcome import UNKNOWN, Number
from tailrace.reproduce.paper import Paper, Table
from tailrace.reproduce.toml_keys import Keys
from tailrace.stats.formulas import Formula, Quantity
from tailrace.stats.statistics import AMOUNT, Interval
from tailrace.study.cell_selection import conditions, places

if TYPE_CHECKING:
    from tailrace.study.sweep_result import Sweep

_TEXT = re.compile(r"(?P<of>.+?)(?: where (?P<where>.+?))?(?: in (?P<study>[\w-]+))?")


@dataclass(frozen=True)
class Wanted:
    """Parts of a quantity's text."""

    of: str
    where: tuple[str, ...]
    study: str

    @classmethod
    def parsed(cls, text: str, study: str, keys: Keys) -> Wanted:
        """From the text; the study is the claim's where it names none."""
        found = _TEXT.fullmatch(text.strip())
        if found is None:
            raise keys.fail(f"{text!r} is no quantity: METRIC where PARAMETER=VALUE in STUDY")
        return cls(found["of"].strip(), tuple(conditions(found["where"] or "")), found["study"] or study)

    @property
    def label(self) -> str:
        """For people: where the values are that tell it from others."""
        words = [part.partition("=")[2] for part in self.where]
        return " ".join([self.of, *words])


class Measured:
    """The numbers of a paper under one reading."""

    def __init__(self, paper: Paper, study: str, sweeps: Callable[[str], Sweep]) -> None:
        self._paper = paper
        self._study = study
        self._sweeps = sweeps

    def one(self, text: str, keys: Keys) -> Number:
        """Number for a text."""
        return self._number(Wanted.parsed(text, self._study, keys), keys)

    def along(self, text: str, parameter: str, keys: Keys) -> list[tuple[str, Number]]:
        """The same for every value of a parameter, in the order of the sweep."""
        wanted = Wanted.parsed(text, self._study, keys)
        sweep = self._sweep(wanted, keys)
        try:
            name = sweep.column(parameter)
            there = places(sweep, wanted.where)
        except UsageError as error:
            raise keys.fail(str(error)) from None
        said = sweep.parameters[name].parameter.said
        labels = list(dict.fromkeys(said(sweep.parameters[name].values[place]) for place in there))
        cells = [replace(wanted, where=(*wanted.where, f"{name}={label}")) for label in labels]
        return [(label, self._number(one, keys)) for label, one in zip(labels, cells, strict=True)]

    def table(self, name: str) -> Table:
        """A table of the paper."""
        return self._paper.tables[name]

    def every(self, of: str, keys: Keys) -> tuple[str, list[tuple[int, int, float]]]:
        """Values of all cells: the unit, and cell, run and value of each."""
        sweep = self._sweeps(self._study)
        unit, rows = "", []
        for cell in dict.fromkeys(row["cell"] for row in sweep.plan if row["cell"] is not None):
            found = self._of_cell(of, sweep, cell, keys)
            unit = found.unit
            rows += [(cell, run, value) for run, value in found.runs.items()]
        return unit, rows

    def _number(self, wanted: Wanted, keys: Keys) -> Number:
        found = self._values(wanted, keys)
        return Number(wanted.label, found.unit, found.runs, found.interval)

    def _sweep(self, wanted: Wanted, keys: Keys) -> Sweep:
        if wanted.study not in self._paper.studies:
            raise keys.fail(
                f"there is no study {wanted.study!r} (there are {', '.join(self._paper.studies)})"
            )
        return self._sweeps(wanted.study)

    def _values(self, wanted: Wanted, keys: Keys) -> Values:
        sweep = self._sweep(wanted, keys)
        try:
            cell = _cell(sweep, wanted)
        except UsageError as error:
            raise keys.fail(str(error)) from None
        return self._of_cell(wanted.of, sweep, cell, keys)

    def _of_cell(self, of: str, sweep: Sweep, cell: int, keys: Keys) -> Values:
        declared = self._paper.quantities.get(of)
        try:
            if declared is None:
                return _metric(sweep, of, cell)
            if "formula" in declared.table:
                return self._formula(declared, sweep, cell)
            return series_statistics.values(sweep, declared, cell)
        except UsageError as error:
            if str(error).startswith(keys.source.name):
                raise
            raise keys.fail(str(error)) from None

    def _formula(self, declared: Keys, sweep: Sweep, cell: int) -> Values:
        """Run by run, over plain numbers in the units that their quantities are shown in."""
        formula = Formula(str(declared.table["formula"]), declared.title)
        found = {
            name: self._of_cell(self._name(name, declared), sweep, cell, declared) for name in formula.names
        }
        shared = set.intersection(*(set(values.runs) for values in found.values()))
        runs = {
            run: _evaluated(formula, {name: v.runs[run] for name, v in found.items()})
            for run in sorted(shared)
        }
        return Values(
            str(declared.table.get("unit", "")), {r: v for r, v in runs.items() if not math.isnan(v)}, AMOUNT
        )

    def _name(self, name: str, declared: Keys) -> str:
        """Names of a formula are quantities of the file, or metrics that its `of` gives names."""
        given = declared.table.get("of", {})
        return str(given.get(name, name)) if isinstance(given, Mapping) else name


def _evaluated(formula: Formula, numbers: Mapping[str, float]) -> float:
    try:
        found = formula({name: Quantity(value) for name, value in numbers.items()})
    except (UsageError, ZeroDivisionError):
        return math.nan
    return found.value if isinstance(found, Quantity) else math.nan


def _metric(sweep: Sweep, of: str, cell: int) -> Values:
    metrics = sweep.metrics([of])
    if len(metrics) > 1:
        listed = ", ".join(f"{one.owner}.{one.name}" for one in metrics)
        raise UsageError(f"{of} is of several: say one of {listed}")
    found = sweep.measured.values(metrics[0]).get(cell, {})
    return Values(metrics[0].unit, dict(sorted(found.items())), metrics[0].bounds)


def _cell(sweep: Sweep, wanted: Wanted) -> int:
    """The one cell that is meant."""
    rows = [sweep.plan[place] for place in places(sweep, wanted.where)]
    numbers = {row["cell"] for row in rows}
    if len(numbers) > 1:
        labels = ", ".join(row["label"] for row in rows[:4])
        raise UsageError(f"{wanted.label!r} is of {len(rows)} cells ({labels}, ...): say `where` it is meant")
    number = numbers.pop()
    if number is None:
        raise UsageError(f"cell {rows[0]['label']!r} cannot be run: {rows[0]['error']}")
    return int(number)


class Rehearsal:
    """In place of the runs before there are any: texts are read, and whatever they ask for is 1."""

    def __init__(self, paper: Paper, study: str) -> None:
        self._paper = paper
        self._study = study

    def one(self, text: str, keys: Keys) -> Number:
        """Reads the text."""
        wanted = Wanted.parsed(text, self._study, keys)
        if wanted.study not in self._paper.studies:
            raise keys.fail(
                f"there is no study {wanted.study!r} (there are {', '.join(self._paper.studies)})"
            )
        return Number(wanted.label, UNKNOWN, {1: 1.0}, Interval(1.0, None, 1))

    def along(self, text: str, parameter: str, keys: Keys) -> list[tuple[str, Number]]:
        """Two values of the parameter, whatever it is."""
        return [(parameter, self.one(text, keys))] * 2

    def table(self, name: str) -> Table:
        """A table of the paper."""
        return self._paper.tables[name]

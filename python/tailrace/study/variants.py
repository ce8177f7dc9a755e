"""Variants of one scenario: the grid of a file's `[sweep]`, or of `--set-each` options."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tailrace.scenario.scenario import Scenario
from tailrace.study import cells, declaration
from tailrace.study.declaration import Declaration


@dataclass(frozen=True)
class Variant:
    """A name for tables and figures, and what it sets."""

    label: str
    overrides: Mapping[str, str]


def of_scenario(scenario: Scenario) -> list[Variant]:
    """The cells of the file's `[sweep]`, in the order of the file; empty where it has none."""
    return of_declaration(scenario, Declaration())


def of_declaration(scenario: Scenario, own: Declaration) -> list[Variant]:
    """The cells of a declaration that has axes; others join the file's `[sweep]`, as conditions do."""
    has_axes = own.grid or own.zips or own.names or own.presets or own.ranges or own.name_ranges
    declared = own if has_axes else declaration.of_file(scenario).joined(own)
    if not declared:
        return []
    return _cells(cells.Plan(declared, scenario.seed, cells.base(declared, scenario.written)))


def of_options(options: Sequence[str]) -> list[Variant]:
    """`path=first,second,...` each; several options span a grid.

    >>> [v.label for v in of_options(["queue=droptail,{ kind = 'red', ecn = true }"])]
    ['droptail', 'red']
    """
    return _cells(cells.Plan(declaration.of_options(declaration.Options(set_each=options))))


def _cells(plan: cells.Plan) -> list[Variant]:
    found = list(plan.cells())
    labels = _distinct([cell.label for cell in found])
    return [Variant(label, cell.overrides) for label, cell in zip(labels, found, strict=True)]


def warnings(cells: Mapping[str, Scenario]) -> list[str]:
    """Probable mistakes in any of several scenarios, equal ones once; `""` is the file itself."""
    found = Warned()
    for label, scenario in cells.items():
        found.look(label, scenario)
    return found.said()


class Warned:
    """Probable mistakes in any number of scenarios, which are examined one after the other."""

    def __init__(self) -> None:
        # Equal warnings -> label and text of the first, and their number.
        self._alike: dict[tuple[object, ...], tuple[str, str, int]] = {}
        self._of_file: set[tuple[object, ...]] = set()
        self._looked = 0

    def look(self, label: str, scenario: Scenario) -> None:
        """Takes the warnings of one more; `""` is the file itself."""
        self._looked += 1
        for text, warning in scenario.found():
            what = tuple(warning.get(key) for key in ("message", "line", "column"))
            first, said, count = self._alike.get(what, (label, text, 0))
            self._alike[what] = first, said, count + 1
            if not label:
                self._of_file.add(what)

    def said(self) -> list[str]:
        """Each once, with where it is unless that is everywhere, or in the file itself."""
        return [
            text if what in self._of_file or count == self._looked else text + _whose(label, text, count - 1)
            for what, (label, text, count) in self._alike.items()
        ]


def _whose(label: str, text: str, more: int) -> str:
    if f"variant {label!r}" in text:
        return f"\n  = likewise in {more} more" if more else ""
    return f"\n  = in variant {label!r}" + (f" and {more} more" if more else "")


def _distinct(labels: Sequence[str]) -> list[str]:
    """`red`, `red` become `red-1`, `red-2`: labels name folders, too."""
    total, counts = Counter(labels), dict.fromkeys(labels, 0)
    distinct = []
    for label in labels:
        counts[label] += 1
        distinct.append(f"{label}-{counts[label]}" if total[label] > 1 else label)
    return distinct

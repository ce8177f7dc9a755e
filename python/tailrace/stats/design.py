"""Design of a study: its axes, zipped parameters as one, and the cases in which all but one axis are equal."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tailrace.stats.measured import Measured, MeasuredCell
    from tailrace.stats.metrics import Metric

# Values of a parameter that is on or off.
_SWITCH = frozenset({"false", "true"})


@dataclass(frozen=True)
class Axis:
    """A parameter that is varied by itself, with those that change together with it."""

    measured: Measured
    # Positions of its parameters, the leading one first.
    places: tuple[int, ...]

    @property
    def name(self) -> str:
        """Name of the leading parameter."""
        return self.measured.parameters[self.places[0]].name

    @cached_property
    def values(self) -> list[str]:
        """Values in the order of the study."""
        return list(dict.fromkeys(self.said(cell) for cell in self.measured.cells))

    @cached_property
    def is_names(self) -> bool:
        """Whether its values are names rather than numbers."""
        return all(isinstance(cell.parameters[self.places[0]], str) for cell in self.measured.cells)

    @property
    def is_switch(self) -> bool:
        """Whether it is on or off."""
        return self.is_names and set(self.values) <= _SWITCH

    @cached_property
    def sets_rates(self) -> bool:
        """Whether links are of different rates along it: what such links carry is no finding."""
        links = _links(self.measured.scenario)
        parameters = [self.measured.parameters[place] for place in self.places]
        return any(p.unit == "bit/s" and not links.isdisjoint(p.name.split(".")[:-1]) for p in parameters)

    def said(self, cell: MeasuredCell) -> str:
        """Value of a cell: that of the leading parameter, and with it what differs of the others."""
        texts = [self.measured.parameters[place].said(cell.parameters[place]) for place in self.places]
        return ", ".join(dict.fromkeys(texts))

    def number(self, cell: MeasuredCell) -> float | None:
        """Value of a cell on a scale; None for names."""
        value = cell.parameters[self.places[0]]
        return float(value) if isinstance(value, int | float) else None

    def compares(self, metric: Metric) -> bool:
        """Whether cells along it may be compared by a metric: not by rates where the link's own rate differs."""
        return not (self.sets_rates and metric.unit.endswith("bit/s"))


def _links(scenario: str) -> set[str]:
    """Names of the links, which their parameters are called after."""
    try:
        said = tomllib.loads(scenario)
    except tomllib.TOMLDecodeError:
        return set()
    return {"link", *(str(link["name"]) for link in said.get("link") or [] if "name" in link)}


def axes(measured: Measured) -> list[Axis]:
    """Axes in the order of the parameters; a parameter whose value follows from another's is of its axis.

    Zipped parameters, those of a preset, and those of a sample are such.
    """
    columns = [
        [repr(cell.parameters[place]) for cell in measured.cells] for place in range(len(measured.parameters))
    ]
    leads: dict[int, list[int]] = {}
    for place in range(len(columns)):
        lead = next(
            (
                other
                for other in range(len(columns))
                if other != place
                and _follows(columns[place], columns[other])
                and (other < place or not _follows(columns[other], columns[place]))
            ),
            place,
        )
        leads.setdefault(lead, []).append(place)
    merged: dict[int, list[int]] = {}
    for lead, places in leads.items():
        merged.setdefault(_root(lead, leads), []).extend(places)
    return [
        Axis(measured, (lead, *sorted(place for place in places if place != lead)))
        for lead, places in sorted(merged.items())
    ]


def _follows(column: Sequence[str], other: Sequence[str]) -> bool:
    """Whether each value of `other` goes with a single value of `column`."""
    found: dict[str, str] = {}
    return all(found.setdefault(key, value) == value for key, value in zip(other, column, strict=True))


def _root(lead: int, leads: dict[int, list[int]]) -> int:
    """Lead of a lead, where that one follows another in turn."""
    above = next((other for other, places in leads.items() if lead in places), lead)
    return lead if above == lead else _root(above, leads)


@dataclass(frozen=True)
class Case:
    """Cells that differ along one axis alone."""

    # Values of the other axes, `rate=5 Mbit/s`; empty where there are none.
    label: str
    cells: Sequence[MeasuredCell]


def cases(axis: Axis, others: Sequence[Axis]) -> list[Case]:
    """Cases of an axis: for each value of the others the cells that are there, as far as there are several."""
    found: dict[str, list[MeasuredCell]] = {}
    for cell in axis.measured.cells:
        label = ", ".join(f"{other.name}={other.said(cell)}" for other in others)
        found.setdefault(label, []).append(cell)
    return [Case(label, cells) for label, cells in found.items() if len(cells) > 1]


def leading(found: Sequence[Axis], is_mentioned: Callable[[str], bool]) -> Axis | None:
    """Axis whose names are compared first: one that the question mentions, else the first, a switch last."""
    names = [axis for axis in found if axis.is_names and len(axis.values) > 1]
    plain = [axis for axis in names if not axis.is_switch]
    asked = [axis for axis in plain if any(is_mentioned(text) for text in (axis.name, *axis.values))]
    return next(iter([*asked, *plain, *names]), None)

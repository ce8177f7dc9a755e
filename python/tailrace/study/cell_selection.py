"""Selection of a figure's cells: `load=0.5`, `queue=red,codel`, or a formula such as `load < 0.9`."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from tailrace.errors import UsageError
from tailrace.stats.formulas import Formula, Quantity, Value, value_of
from tailrace.study.cells import environment
from tailrace.text import near_misses, quantities
from tailrace.text.value_labels import split_list

if TYPE_CHECKING:
    from tailrace.study.variation import Variation

# An assignment: one equals sign after a name alone, whose words have a space between them; anything else is a formula.
_WORD = r"[\w.\[\]*>:/&+'-]"
_ASSIGNED = re.compile(rf"\s*({_WORD}+(?: {_WORD}+)*(?<=[\w\]*]))\s*=(?!=)\s*(.+?)\s*")

# Signs that make a text a condition.
_SIGN = re.compile(r"[=<>]")

# By the place of a cell in the sweep.
_Test: TypeAlias = Callable[[int], bool]


def places(sweep: Variation, where: Sequence[str]) -> list[int]:
    """The places of the chosen cells in the sweep, in its order."""
    tests = [_test(sweep, text) for text in where]
    found = [place for place in range(len(sweep.plan)) if all(test(place) for test in tests)]
    if not found:
        raise UsageError(f"no cell is left where {' and '.join(where)}" if where else "the sweep has no cell")
    return found


def assigned(text: str) -> str | None:
    """The parameter of `parameter=value`; None of a formula."""
    found = _ASSIGNED.fullmatch(text)
    return found[1] if found else None


def conditions(text: str) -> list[str]:
    """`parameter=value, ...` one by one. A comma within a value, such as a preset's name, parts nothing.

    >>> conditions("queue=red, access=Wi-Fi waits 1 ms, loses 1 %, load < 0.9")
    ['queue=red', 'access=Wi-Fi waits 1 ms, loses 1 %', 'load < 0.9']
    """
    found: list[str] = []
    for part in filter(None, split_list(text)):
        if found and not _SIGN.search(part):
            found[-1] += f", {part}"
        else:
            found.append(part)
    return found


def _test(sweep: Variation, text: str) -> _Test:
    assigned = _ASSIGNED.fullmatch(text)
    if assigned is None:
        formula = Formula(text, "--where")
        return lambda place: formula.holds(environment(sweep.plan[place]["axes"]))
    name = sweep.column(assigned[1])
    # A word may hold commas.
    values = [assigned[2]] if assigned[2] in _shown(sweep, name) else split_list(assigned[2])
    kept = {place for value in values for place in _having(sweep, name, value)}
    return lambda place: place in kept


def _shown(sweep: Variation, name: str) -> list[str]:
    """Values of a parameter in every cell, as tables show them."""
    unit = sweep.unit(name)
    return [quantities.said(value, unit) for value in sweep.cells[name]]


def _having(sweep: Variation, name: str, wanted: str) -> list[int]:
    """The cells in which a parameter has a value; an error where there is none."""
    texts, meant = [row["axes"].get(name) for row in sweep.plan], value_of(wanted)
    shown = _shown(sweep, name)
    found = [
        place
        for place, text in enumerate(texts)
        if shown[place] == wanted or (text is not None and _same(value_of(text), meant))
    ]
    if not found:
        near_misses.known(wanted, list(dict.fromkeys(shown)), f"cell with {name} =")
    return found


def _same(one: Value, other: Value) -> bool:
    if isinstance(one, Quantity) and isinstance(other, Quantity):
        return one.unit == other.unit and math.isclose(one.value, other.value, rel_tol=1e-9, abs_tol=0.0)
    return one == other

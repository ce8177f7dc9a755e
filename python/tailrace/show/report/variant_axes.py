"""Axes of a comparison: the keys in which the scenarios of its variants differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tailrace.show.report import resolved_scenario
from tailrace.stats import design
from tailrace.stats.parameters import Column, Parameter
from tailrace.study import cells
from tailrace.text import toml_text, value_labels

if TYPE_CHECKING:
    from tailrace.data.comparison import Comparison
    from tailrace.stats.measured import Measured

# Tables of a scenario whose keys are looked at one by one; others, such as a queue, are one value.
_OPENED = frozenset({"app", "transport", "behaviour", "reverse", "record"})
# Keys that tell variants apart by name alone.
_NAMES = frozenset({"name", "question"})
# Keys of which more make no axes that anybody asked for.
_MOST_KEYS = 40


def parted(comparison: Comparison) -> Measured:
    """Runs of a comparison with a parameter for each key in which variants differ.

    Where these make one axis, its values are the labels of the variants.
    """
    measured = comparison.measured
    said = [dict(_keys(resolved_scenario.of(r.scenario_toml))) for r in comparison.results.values()]
    paths = dict.fromkeys(path for keys in said for path in keys)
    differing = [path for path in paths if len({repr(keys.get(path)) for keys in said}) > 1]
    if not differing or len(differing) > _MOST_KEYS:
        return measured
    names = cells.column_names(differing)
    plan = [
        {"axes": {names[path]: toml_text.value(keys[path]) for path in differing if path in keys}}
        for keys in said
    ]
    columns = [Column(name, plan) for name in names.values()]
    found = _with(measured, [(column.parameter, list(column.values)) for column in columns])
    if len(design.axes(found)) > 1:
        return found
    # The only axis is told by the labels, which people chose or know from tables.
    name = next(iter(names.values())) if len(names) == 1 else "variant"
    labels: list[object] = [cell.label for cell in measured.cells]
    return _with(
        measured,
        [(Parameter(name), labels), *((column.parameter, list(column.values)) for column in columns)],
    )


def _with(measured: Measured, columns: list[tuple[Parameter, list[object]]]) -> Measured:
    placed = [
        replace(cell, parameters=[values[place] for _, values in columns])
        for place, cell in enumerate(measured.cells)
    ]
    return replace(measured, parameters=[parameter for parameter, _ in columns], cells=placed)


def _keys(said: Mapping[str, Any]) -> Iterator[tuple[str, object]]:
    """Paths and values as `--set` has them; a table of a list goes by its name, or by its place."""
    for key, value in said.items():
        if key in _NAMES or key == "sweep":
            continue
        if key in value_labels.SECTIONS and isinstance(value, list):
            for place, table in enumerate(value):
                if isinstance(table, Mapping):
                    name = str(table.get("name", place))
                    yield from _inside(f"{key}.{name}", {k: v for k, v in table.items() if k != "name"})
        elif isinstance(value, Mapping):
            yield from _inside(key, value)
        else:
            yield key, value


def _inside(path: str, table: Mapping[str, Any]) -> Iterator[tuple[str, object]]:
    for key, value in table.items():
        if isinstance(value, Mapping) and key in _OPENED:
            yield from _inside(f"{path}.{key}", value)
        else:
            yield f"{path}.{key}", value

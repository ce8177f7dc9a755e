"""A paper's table beside ours, and tables of what it did not ask."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from tailrace.reproduce.checks.table import cell
from tailrace.reproduce.claim_quantities import Measured
from tailrace.reproduce.paper import Beyond, Paper, Table
from tailrace.reproduce.studies import Sweeps
from tailrace.stats.statistics import Interval
from tailrace.study.cell_selection import places
from tailrace.text import interval_text, text_table

if TYPE_CHECKING:
    from tailrace.study.sweep_result import Sweep

_ASCENDING = "least"
_DESCENDING = "most"


def beside(paper: Paper, table: Table, sweeps: Sweeps) -> text_table.Grid:
    """Each number of the paper, and ours under every reading under which its row was run."""
    readings = [name for name in table.readings if (table.study, name) in sweeps]
    rows, units = [], [""] * len(table.columns)
    for row, numbers in table.paper.items():
        shown = [("paper", [_number(value) for value in numbers])]
        there = [reading for reading in readings if _has(table, row, sweeps.of(table.study, reading))]
        if not there:
            raise table.keys.fail(f"{row!r} is no {table.along} that was run under any reading", row)
        for reading in there:
            measured = Measured(paper, table.study, partial(_under, sweeps, reading))
            found = [measured.one(cell(table, row, column), table.keys) for column in table.columns]
            units = [number.unit for number in found]
            shown.append(
                (
                    reading or "ours",
                    [interval_text.mean_with_interval(_leaf(number.interval)) for number in found],
                )
            )
        rows += [[row if place == 0 else "", who, *cells] for place, (who, cells) in enumerate(shown)]
    headings = [f"{name} [{unit}]" if unit else name for name, unit in zip(table.columns, units, strict=True)]
    note = "ours: mean ± half width of the 95 % interval over the runs"
    return text_table.Grid(f"{table.place}: {table.title}", [table.along, "", *headings], rows, 2, [note])


def _has(table: Table, row: str, sweep: Sweep) -> bool:
    """Whether the row was run: a reading may leave out what it does not change."""
    parameter = sweep.parameters[sweep.column(table.along)]
    return row in map(parameter.parameter.said, parameter.values)


def _under(sweeps: Sweeps, reading: str, study: str) -> Sweep:
    return sweeps.of(study, reading)


def _leaf(interval: Interval | None) -> dict[str, float | int | None] | None:
    return interval.as_dict() if interval is not None else None


def _number(value: float) -> str:
    return interval_text.NO_VALUE if math.isnan(value) else f"{value:g}"


def of_beyond(one: Beyond, sweep: Sweep, reading: str) -> text_table.Grid:
    """All cells with some metrics, or for each value of a parameter the cell where a metric is least or most."""
    grid = _chosen(one, sweep)
    return replace(grid, title=f"{grid.title} ({reading})") if reading else grid


def _chosen(one: Beyond, sweep: Sweep) -> text_table.Grid:
    if one.worst is None:
        return _only(one.where, sweep, sweep.table(list(one.columns)).grid(None))
    keys = replace(one.keys, table=one.worst, _taken=set())
    per, of = keys.take("per", str), keys.take("of", str)
    way = keys.one_of("way", [_ASCENDING, _DESCENDING], _ASCENDING)
    keys.finish()
    return _extremes(sweep, one, per, of, way)


def _kept(where: Sequence[str], sweep: Sweep) -> list[int]:
    """Rows that are shown."""
    return places(sweep, where) if where else list(range(len(sweep.plan)))


def _only(where: Sequence[str], sweep: Sweep, grid: text_table.Grid) -> text_table.Grid:
    """The rows that are meant, without the parameters that all of them have alike, which the title names."""
    if not where:
        return grid
    rows = [grid.rows[at] for at in _kept(where, sweep)]
    shown = [at for at in range(len(grid.columns)) if at >= grid.labels or len({row[at] for row in rows}) > 1]
    return text_table.Grid(
        f"{grid.title}, only {' and '.join(where)}",
        [grid.columns[at] for at in shown],
        [[row[at] for at in shown] for row in rows],
        sum(at < grid.labels for at in shown),
        grid.notes,
    )


def _extremes(sweep: Sweep, one: Beyond, per: str, of: str, way: str) -> text_table.Grid:
    whole = sweep.table([of, *one.columns])
    name = sweep.column(per)
    place = [parameter.name for parameter in whole.parameters].index(name)
    best: dict[object, int] = {}
    for at in _kept(one.where, sweep):
        row = whole.rows[at]
        value, key = row.values[0], row.parameters[place]
        if value is None:
            continue
        held = whole.rows[best[key]].values[0] if key in best else None
        nearer = value.mean < held.mean if held and way == _ASCENDING else held and value.mean > held.mean
        if held is None or nearer:
            best[key] = at
    ranked = sorted(best.values(), key=[_mean(row.values[0]) for row in whole.rows].__getitem__)
    if way == _DESCENDING:
        ranked.reverse()
    grid = whole.grid(None)
    title = f"{sweep.name}: for each {per} the cell with the {way} {of}"
    return text_table.Grid(title, grid.columns, [grid.rows[at] for at in ranked], grid.labels, grid.notes)


def _mean(value: Interval | None) -> float:
    return value.mean if value is not None else math.nan

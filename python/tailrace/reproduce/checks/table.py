"""A whole table of the paper: how many of its numbers come out."""

from __future__ import annotations

import math
from collections.abc import Iterator

from tailrace.reproduce.checks.outcome import Finding, Number, Numbers, share, within
from tailrace.reproduce.paper import Outcome, Table
from tailrace.reproduce.toml_keys import Keys


def judge(keys: Keys, numbers: Numbers) -> Finding:
    """`table`, all of it or `rows` and `columns`; at least `share` of the numbers lie `within` of the paper's."""
    told = numbers.table(keys.take("table", str))
    near = share(keys, "within")
    if near is None:
        raise keys.fail('say how near is near enough: `within = "10 %"`')
    wanted = share(keys, "share", 1.0) or 1.0
    rows, columns = keys.texts("rows", list(told.paper)), keys.texts("columns", list(told.columns))
    keys.finish()
    cells = list(_cells(told, rows, columns, numbers, keys))
    outcomes = [
        within(*number.ends, paper - near * abs(paper), paper + near * abs(paper))
        for _, number, paper in cells
    ]
    sure = sum(outcome is Outcome.HOLDS for outcome in outcomes) / len(cells)
    possible = sum(outcome is not Outcome.FAILS for outcome in outcomes) / len(cells)
    off = [
        f"{name} {number.said} ({paper:g})"
        for (name, number, paper), outcome in zip(cells, outcomes, strict=True)
        if outcome is Outcome.FAILS
    ]
    ours = f"{sum(o is not Outcome.FAILS for o in outcomes)} of {len(cells)} within {100 * near:g} %"
    ours += f"; not {', '.join(off)}" if off else ""
    text = f"{100 * wanted:g} % of the numbers within {100 * near:g} %"
    return Finding(within(sure, possible, wanted, 1.0), ours, text)


def _cells(
    told: Table, rows: tuple[str, ...], columns: tuple[str, ...], numbers: Numbers, keys: Keys
) -> Iterator[tuple[str, Number, float]]:
    """Name, ours and the paper's number of each cell of which the paper has one."""
    headings = list(told.columns)
    for names, there in ((rows, list(told.paper)), (columns, headings)):
        for name in names:
            if name not in there:
                raise keys.fail(f"table {told.name} has no {name!r} (there are {', '.join(there)})")
    for row in rows:
        for column in columns:
            paper = told.paper[row][headings.index(column)]
            if not math.isnan(paper):
                yield f"{row} {column}", numbers.one(cell(told, row, column), keys), paper


def cell(told: Table, row: str, column: str) -> str:
    """The quantity of a cell of a table."""
    of = told.columns[column]
    selected = f"{told.along}={row}"
    return f"{of}, {selected}" if " where " in of else f"{of} where {selected}"

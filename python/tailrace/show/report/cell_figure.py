"""The interactive figure of a table of cells: any metric over any parameter, with intervals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tailrace.show.report.charts import numbers
from tailrace.text import quantities

if TYPE_CHECKING:
    from tailrace.stats.metric_table import Table
    from tailrace.stats.metrics import Metric
    from tailrace.stats.statistics import Interval

# Cells beyond these are in the folder's own table.
MOST_CELLS = 3000


def plain(table: Table, first: Metric | None = None) -> dict[str, Any]:
    """For the page's script: parameters, metrics with the one that is shown first, and a row a cell."""
    rows = table.rows[:MOST_CELLS]
    columns = [[row.parameters[place] for row in rows] for place in range(len(table.parameters))]
    scales = [_scale(p.unit, column) for p, column in zip(table.parameters, columns, strict=True)]
    return {
        "first": table.metrics.index(first) if first in table.metrics else 0,
        "parameters": [
            {"name": p.name, "unit": scale.name if numeric else "", "numeric": numeric}
            for p, (numeric, scale) in zip(table.parameters, scales, strict=True)
        ],
        "metrics": [
            {"name": m.heading.removesuffix(f" [{m.unit}]") if m.unit else m.heading, "unit": m.unit}
            for m in table.metrics
        ],
        "rows": [
            {
                "label": row.label,
                "at": [_place(value, *scale) for value, scale in zip(row.parameters, scales, strict=True)],
                "said": [p.said(value) for p, value in zip(table.parameters, row.parameters, strict=True)],
                "values": [_ends(value) for value in row.values],
                "runs": row.runs,
            }
            for row in rows
        ],
    }


def _scale(unit: str, column: Sequence[object]) -> tuple[bool, quantities.Unit]:
    """Whether a parameter's values are numbers, and the unit that suits them."""
    there = [value for value in column if value is not None]
    numeric = bool(there) and all(isinstance(value, int | float) for value in there)
    return numeric, quantities.readable(
        (float(value) for value in there if isinstance(value, int | float)), unit
    ) if numeric else quantities.Unit("")


def _place(value: object, numeric: bool, scale: quantities.Unit) -> float | None:
    return numbers([float(value) * scale.factor])[0] if numeric and isinstance(value, int | float) else None


def _ends(value: Interval | None) -> list[float | None] | None:
    """Mean, and from where to where its interval reaches."""
    if value is None:
        return None
    if value.ci95 is None:
        return [*numbers([value.mean]), None, None]
    low, high = value.ends or (value.mean - value.ci95, value.mean + value.ci95)
    return numbers([value.mean, low, high])

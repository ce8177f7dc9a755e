"""The table of a sweep: a row a cell, its parameters and metrics with intervals, in the forms that people need."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tailrace import present, statistics
from tailrace.study.metrics import Metric

if TYPE_CHECKING:
    from tailrace.study.sweep import Sweep

FORMATS = ("md", "csv", "json", "latex")
# What a terminal is shown of a long table.
_MOST_ROWS = 60


@dataclass(frozen=True)
class Row:
    """One cell; `values` has an interval or None for each metric."""

    label: str
    parameters: Sequence[object]
    values: Sequence[statistics.Interval | None]
    runs: int


@dataclass(frozen=True)
class Table:
    """All cells of a sweep."""

    title: str
    parameters: Sequence[str]
    metrics: Sequence[Metric]
    rows: Sequence[Row]
    notes: Sequence[str] = ()

    def grid(self, most: int | None = _MOST_ROWS) -> present.Grid:
        """For a terminal, a notebook or Markdown."""
        shown = self.rows[:most]
        more = len(self.rows) - len(shown)
        rows = [
            [*(_word(value) for value in row.parameters), *(_number(value) for value in row.values)]
            for row in shown
        ]
        notes = [*self.notes, *([f"{more} more rows are in table.csv"] if more else [])]
        headings = [metric.heading for metric in self.metrics]
        return present.Grid(self.title, [*self.parameters, *headings], rows, len(self.parameters), notes)

    def text(self, form: str) -> str:
        """As Markdown, CSV, JSON or LaTeX, all rows."""
        match form:
            case "csv":
                return self._csv()
            case "json":
                return json.dumps(self.records(), indent=2, allow_nan=False) + "\n"
            case "latex":
                return self._latex()
        return present.markdown(self.grid(None))

    def records(self) -> list[dict[str, Any]]:
        """A dictionary a cell: parameters, `runs`, and `{mean, low, high, n}` of each metric."""
        return [
            {
                "label": row.label,
                **dict(zip(self.parameters, row.parameters, strict=True)),
                "runs": row.runs,
                **{m.heading: _leaf(v) for m, v in zip(self.metrics, row.values, strict=True)},
            }
            for row in self.rows
        ]

    def _csv(self) -> str:
        out = io.StringIO()
        sheet = csv.writer(out, lineterminator="\n")
        ends = [f"{metric.heading} {end}" for metric in self.metrics for end in ("mean", "low", "high")]
        sheet.writerow([*self.parameters, "runs", *ends])
        for row in self.rows:
            leaves = [_leaf(value) or {} for value in row.values]
            numbers = [leaf.get(end) for leaf in leaves for end in ("mean", "low", "high")]
            sheet.writerow([*row.parameters, row.runs, *numbers])
        return out.getvalue()

    def _latex(self) -> str:
        """With booktabs; intervals as a half width, or as a range where the mean does not halve it."""
        headings = [*self.parameters, *(metric.heading for metric in self.metrics)]
        form = "l" * len(self.parameters) + "r" * len(self.metrics)
        lines = [f"\\begin{{tabular}}{{{form}}}", "\\toprule", _latex_row(headings), "\\midrule"]
        lines += [_latex_row([*map(_word, row.parameters), *map(_number, row.values)]) for row in self.rows]
        return "\n".join([*lines, "\\bottomrule", "\\end{tabular}", ""])


def of(sweep: Sweep, metrics: Sequence[Metric]) -> Table:
    """A table of these metrics."""
    import polars as pl

    names = sweep.varied or sweep.columns
    cells = sweep.cells
    found: list[dict[int, list[float]]] = []
    for metric in metrics:
        values = sweep.metric(metric).filter(pl.col("value").is_not_null())
        by_cell: dict[int, list[float]] = {}
        for cell, value in values.select("cell", "value").iter_rows():
            by_cell.setdefault(cell, []).append(value)
        found.append(by_cell)
    done = dict(sweep.runs.group_by("cell").len().iter_rows())
    rows = [
        Row(
            row["label"],
            [row[name] for name in names],
            [
                statistics.interval(
                    numbers.get(row["cell"], []), (0.0, metric.scale) if metric.is_share else None
                )
                for metric, numbers in zip(metrics, found, strict=True)
            ],
            done.get(row["cell"], 0),
        )
        for row in cells.iter_rows(named=True)
    ]
    counts = sorted({row.runs for row in rows})
    over = (
        f"{counts[0]} to {counts[-1]} runs"
        if len(counts) > 1
        else f"{counts[0]} run{'s' if counts[0] != 1 else ''}"
    )
    notes = [
        f"mean ± half width of the 95 % interval over {over}"
        if counts[-1] > 1
        else f"{over} a cell: no intervals"
    ]
    failed = len(sweep.failures)
    if failed:
        notes.append(f"{failed} cells or runs failed: see `failures`")
    units = [f"{name} [{sweep.unit(name)}]" if sweep.unit(name) else name for name in names]
    return Table(sweep.name, units, metrics, rows, notes)


def _leaf(value: statistics.Interval | None) -> dict[str, Any] | None:
    if value is None:
        return None
    half = value.ci95
    low, high = value.ends or ((None, None) if half is None else (value.mean - half, value.mean + half))
    return {"mean": value.mean, "low": low, "high": high, "n": value.n}


def _number(value: statistics.Interval | None) -> str:
    return present.number(value.as_dict() if value else None)


def _word(value: object) -> str:
    return present.NONE if value is None else f"{value:g}" if isinstance(value, float) else str(value)


_LATEX = str.maketrans(
    {c: f"\\{c}" for c in "&%$#_{}"} | {"~": "\\textasciitilde{}", "^": "\\textasciicircum{}"}
)


def _latex_row(cells: Sequence[str]) -> str:
    plain = [cell.replace("\\", "\\textbackslash{}").translate(_LATEX) for cell in cells]
    plain = [cell.replace("±", "$\\pm$").replace("−", "$-$").replace(present.NONE, "--") for cell in plain]
    return " & ".join(plain) + " \\\\"

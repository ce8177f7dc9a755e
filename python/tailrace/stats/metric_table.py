"""The table of a study: a row a cell, its parameters and metrics with intervals."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tailrace.stats import bootstrap, host_programs, statistics, table_forms
from tailrace.stats.measured import Measured
from tailrace.stats.metrics import Metric
from tailrace.stats.parameters import Parameter
from tailrace.text import interval_text, text_table

# Rows that a terminal is shown of a long table.
_MOST_ROWS = 60
_OF_SOME = re.compile(r" \(\d+ of \d+\)$")


@dataclass(frozen=True)
class Row:
    """A cell; `values` has an interval or None for each metric."""

    label: str
    parameters: Sequence[object]
    values: Sequence[statistics.Interval | None]
    runs: int


@dataclass(frozen=True)
class Table:
    """All cells of a study."""

    title: str
    parameters: Sequence[Parameter]
    metrics: Sequence[Metric]
    rows: Sequence[Row]
    notes: Sequence[str] = ()

    def grid(self, most: int | None = _MOST_ROWS) -> text_table.Grid:
        """For a terminal, a notebook or Markdown."""
        shown = self.rows[:most]
        more = len(self.rows) - len(shown)
        said = [parameter.said for parameter in self.parameters]
        rows = [
            [
                *(words(value) for words, value in zip(said, row.parameters, strict=True)),
                *(
                    _number(value, row.runs, metric.least)
                    for value, metric in zip(row.values, self.metrics, strict=True)
                ),
            ]
            for row in shown
        ]
        notes = [*self.notes, *([f"{more} more rows are in table.csv"] if more else [])]
        headings = [*(parameter.name for parameter in self.parameters), *(m.heading for m in self.metrics)]
        return text_table.Grid(self.title, headings, rows, len(self.parameters), [*notes, *_signs(rows)])

    def text(self, form: str) -> str:
        """Markdown, CSV, JSON or LaTeX text with all rows."""
        return table_forms.text(self, form)

    def records(self) -> list[dict[str, Any]]:
        """A dictionary a cell: parameters, `runs`, and `{mean, low, high, n}` of each metric.

        Of another statistic than the mean `value` in place of `mean`.
        """
        return [
            {
                "label": row.label,
                **{p.heading: p.plain(v) for p, v in zip(self.parameters, row.parameters, strict=True)},
                "runs": row.runs,
                **{m.heading: _leaf(m, v) for m, v in zip(self.metrics, row.values, strict=True)},
            }
            for row in self.rows
        ]

    def sheet(self) -> list[list[Any]]:
        """Headings, and a row a cell."""
        ends = [f"{metric.heading} {end}" for metric in self.metrics for end in _ends(metric)]
        rows: list[list[Any]] = [[*(parameter.heading for parameter in self.parameters), "runs", *ends]]
        for row in self.rows:
            leaves = [(m, _leaf(m, v) or {}) for m, v in zip(self.metrics, row.values, strict=True)]
            numbers = [leaf.get(end) for metric, leaf in leaves for end in _ends(metric)]
            plain = [p.plain(value) for p, value in zip(self.parameters, row.parameters, strict=True)]
            rows.append([*plain, row.runs, *numbers])
        return rows

    def __rich__(self) -> text_table.RichGrid:
        return text_table.RichGrid(self.grid())

    def _repr_html_(self) -> str:
        return text_table.html([self.grid()])

    def __str__(self) -> str:
        return text_table.plain(self)


def of(measured: Measured, metrics: Sequence[Metric]) -> Table:
    """A table of these metrics."""
    found = [measured.values(metric) for metric in metrics]
    rows = [
        Row(
            cell.label,
            cell.parameters,
            [
                bootstrap.estimate(
                    list(values.get(cell.number or 0, {}).values()), metric.over, metric.bounds
                )
                for metric, values in zip(metrics, found, strict=True)
            ],
            measured.runs.get(cell.number or 0, 0),
        )
        for cell in measured.cells
    ]
    notes = [
        _over([row.runs for row in rows]),
        *_without_intervals(metrics, rows),
        *measured.notes,
        *host_programs.names_note(measured.figures),
    ]
    return Table(measured.title, measured.parameters, metrics, rows, notes)


def _signs(rows: Sequence[Sequence[str]]) -> list[str]:
    """Legend of − and +, and of numbers of runs, where they occur."""
    uneven = any(f" {interval_text.BELOW}" in cell for row in rows for cell in row)
    some = any(_OF_SOME.search(cell) for row in rows for cell in row)
    return [
        *([interval_text.ASYMMETRY_NOTE] if uneven else []),
        *(["(2 of 5): so many runs have a value"] if some else []),
    ]


def _over(counts: Sequence[int]) -> str:
    few, many = min(counts), max(counts)
    over = f"{few} to {many} runs" if few != many else f"{few} run{'s' if few != 1 else ''}"
    return (
        f"mean ± half width of the 95 % interval over {over}" if many > 1 else f"{over} a cell: no intervals"
    )


def _without_intervals(metrics: Sequence[Metric], rows: Sequence[Row]) -> list[str]:
    """From how many runs on percentiles would have intervals."""
    most = max(row.runs for row in rows)
    short = dict.fromkeys(m.over for m in metrics if most < bootstrap.fewest(m.over) < float("inf"))
    return [f"{over}: an interval takes {bootstrap.fewest(over):g} runs" for over in short]


def _ends(metric: Metric) -> tuple[str, str, str, str]:
    return ("mean" if metric.over == bootstrap.MEAN else "value"), "low", "high", "n"


def _leaf(metric: Metric, value: statistics.Interval | None) -> dict[str, Any] | None:
    if value is None:
        return None
    half = value.ci95
    low, high = value.ends or ((None, None) if half is None else (value.mean - half, value.mean + half))
    return {_ends(metric)[0]: value.mean, "low": low, "high": high, "n": value.n}


def _number(value: statistics.Interval | None, runs: int, least: float) -> str:
    """With how many runs it is of, where these are not all."""
    said = interval_text.mean_or_bound(value.as_dict() if value else None, 1.0, least)
    return f"{said} ({value.n} of {runs})" if value and value.n < runs else said

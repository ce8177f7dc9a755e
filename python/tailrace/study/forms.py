"""Tables in the forms that people need: Markdown, CSV, JSON, LaTeX with booktabs."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from typing import Any, Protocol

from tailrace import present
from tailrace.errors import UsageError

FORMATS = ("md", "csv", "json", "latex")


class Tabular(Protocol):
    """A table with a form for people, one for spreadsheets, and one for programs."""

    def grid(self, most: int | None = ...) -> present.Grid:
        """For a terminal, a notebook, Markdown or LaTeX; at most so many rows."""

    def sheet(self) -> list[list[Any]]:
        """Headings and rows of plain numbers."""

    def records(self) -> list[dict[str, Any]]:
        """A dictionary a row."""


def check(form: str | None) -> None:
    """Refuses a form that there is not."""
    if form is not None and form not in FORMATS:
        raise UsageError(f"--format is one of {', '.join(FORMATS)}, not {form!r}")


def text(table: Tabular, form: str) -> str:
    """As Markdown, CSV, JSON or LaTeX, all rows."""
    match form:
        case "csv":
            out = io.StringIO()
            csv.writer(out, lineterminator="\n").writerows(table.sheet())
            return out.getvalue()
        case "json":
            return json.dumps(table.records(), indent=2, allow_nan=False) + "\n"
        case "latex":
            return _latex(table.grid(None))
    return present.markdown(table.grid(None))


def word(value: object) -> str:
    """A parameter."""
    return present.NONE if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def _latex(grid: present.Grid) -> str:
    """Intervals as a half width, or as a range where the mean does not halve it."""
    columns = "l" * grid.labels + "r" * (len(grid.columns) - grid.labels)
    lines = [f"\\begin{{tabular}}{{{columns}}}", "\\toprule", _latex_row(grid.columns), "\\midrule"]
    lines += [_latex_row(row) for row in grid.rows]
    return "\n".join([*lines, "\\bottomrule", "\\end{tabular}", ""])


_LATEX = str.maketrans(
    {c: f"\\{c}" for c in "&%$#_{}"} | {"~": "\\textasciitilde{}", "^": "\\textasciicircum{}"}
)


def _latex_row(cells: Sequence[str]) -> str:
    plain = [cell.replace("\\", "\\textbackslash{}").translate(_LATEX) for cell in cells]
    plain = [cell.replace("±", "$\\pm$").replace("−", "$-$").replace(present.NONE, "--") for cell in plain]
    return " & ".join(plain) + " \\\\"

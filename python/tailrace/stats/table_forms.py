"""Tables in the forms that people need: Markdown, CSV, JSON, LaTeX with booktabs."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

from tailrace.errors import UsageError
from tailrace.system import ownership
from tailrace.text import interval_text, text_table

FORMATS = ("md", "csv", "json", "latex")


class Tabular(Protocol):
    """A table with a form for people, one for spreadsheets, and one for programs."""

    def grid(self, most: int | None = ...) -> text_table.Grid:
        """For a terminal, a notebook, Markdown or LaTeX; at most so many rows."""

    def sheet(self) -> list[list[Any]]:
        """Headings and rows of plain numbers."""

    def records(self) -> list[dict[str, Any]]:
        """A dictionary a row."""


def check(form: str | None) -> None:
    """Refuses a form that there is not."""
    if form is not None and form not in FORMATS:
        raise UsageError(f"--format is one of {', '.join(FORMATS)}, not {form!r}")


def write(place: Path, *, md: Tabular, csv: Tabular) -> None:
    """table.md and table.csv of a folder, whose own they become."""
    ownership.claim(place, ["table.md", "table.csv"])
    (place / "table.md").write_text(text(md, "md"), encoding="utf-8")
    (place / "table.csv").write_text(text(csv, "csv"), encoding="utf-8")


def text(table: Tabular, form: str) -> str:
    """Markdown, CSV, JSON or LaTeX text with all rows."""
    match form:
        case "csv":
            out = io.StringIO()
            csv.writer(out, lineterminator="\n").writerows(table.sheet())
            return out.getvalue()
        case "json":
            return json.dumps(table.records(), indent=2, allow_nan=False) + "\n"
        case "latex":
            return _latex(table.grid(None))
    return text_table.markdown(table.grid(None))


def _latex(grid: text_table.Grid) -> str:
    """Intervals as a half width, or as a range where the mean does not halve it; the notes as comments."""
    columns = "l" * grid.labels + "r" * (len(grid.columns) - grid.labels)
    lines = [f"\\begin{{tabular}}{{{columns}}}", "\\toprule", _latex_row(grid.columns), "\\midrule"]
    lines += [_latex_row(row) for row in grid.rows]
    comments = [f"% {' '.join(note.split())}" for note in grid.notes]
    return "\n".join([*comments, *lines, "\\bottomrule", "\\end{tabular}", ""])


# Characters that LaTeX takes for commands or its usual fonts lack, and line breaks, which names may have.
_LATEX = str.maketrans(
    {character: f"\\{character}" for character in "&%$#_{}"}
    | {"~": "\\textasciitilde{}", "^": "\\textasciicircum{}", "\\": "\\textbackslash{}"}
    | {"<": "$<$", ">": "$>$", "|": "$|$", "±": "$\\pm$", "−": "$-$", interval_text.NO_VALUE: "--"}
    | {
        "µ": "$\\mu$",
        "×": "$\\times$",
        "≤": "$\\leq$",
        "≥": "$\\geq$",
        "→": "$\\rightarrow$",
        "\n": " ",
        "\t": " ",
    }
)


def _latex_row(cells: Sequence[str]) -> str:
    return " & ".join(cell.replace("->", "→").translate(_LATEX) for cell in cells) + " \\\\"

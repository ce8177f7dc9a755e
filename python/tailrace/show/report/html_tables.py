"""Tables in a page: each can be read without a script, and with it be sorted and copied."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tailrace.show.report.markup import Markup, tag
from tailrace.text.text_table import Grid

# Longer tables are in the folder.
_MOST_ROWS = 300
# From so many rows on a table is rolled within its place.
_TALL = 24
# From so many letters on a cell is a sentence.
_LONG = 48


@dataclass(frozen=True)
class Sheet:
    """A table, and where all of it is when it is too long for a page."""

    grid: Grid
    rest: str = ""
    # A caption that the section's heading does not say already.
    caption: str | None = None

    def markup(self) -> Markup:
        """The table with its caption and notes."""
        grid = self.grid
        rows = _filled(grid)[:_MOST_ROWS]
        more = len(grid.rows) - len(rows)
        title = self.caption if self.caption is not None else grid.title
        notes = [
            *grid.notes,
            *([f"{more} more rows{f' are in {self.rest}' if self.rest else ''}"] if more else []),
        ]
        table = tag(
            "table",
            tag("caption", title) if title else None,
            tag(
                "thead",
                tag("tr", [_heading(text, place < grid.labels) for place, text in enumerate(grid.columns)]),
            ),
            tag("tbody", [_row(row, grid.labels) for row in rows]),
            cls="data",
        )
        return tag(
            "div",
            tag(
                "div",
                table,
                cls="scroll tall" if len(rows) > _TALL else "scroll",
                tabindex="0",
                role="region",
                aria_label=title or "table",
            ),
            [tag("p", note, cls="note") for note in notes],
            cls="sheet",
        )


def _filled(grid: Grid) -> list[list[str]]:
    """With the name of a row that goes on in those below it: sorted, each has to stand by itself."""
    rows: list[list[str]] = []
    for row in grid.rows:
        cells = list(row)
        if grid.labels > 1 and rows and cells and not cells[0]:
            cells[0] = rows[-1][0]
        rows.append(cells)
    return rows


def _heading(text: str, label: bool) -> Markup:
    return tag("th", text, scope="col", cls=None if label else "number")


def _kind(cell: str) -> str | None:
    """Sentences are broken into lines, names are not."""
    return "long" if len(cell) > _LONG else None


def _row(cells: Sequence[str], labels: int) -> Markup:
    first, *rest = cells
    return tag(
        "tr",
        tag("th", first, scope="row"),
        [
            tag("td", cell, cls=_kind(cell) if place < labels else "number")
            for place, cell in enumerate(rest, start=1)
        ],
    )

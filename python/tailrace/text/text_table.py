"""Tables of text with three renderings: terminal, notebook (HTML), Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from html import escape
from typing import TYPE_CHECKING

from tailrace.text.names import visible

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
    from rich.table import Table


# Wide enough for the numbers where nobody's window limits them.
PIPED_WIDTH = 160


@dataclass(frozen=True)
class Grid:
    """A table of text. The first `labels` columns name the row, the others hold numbers."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    labels: int = 1
    notes: Sequence[str] = field(default=())

    def __post_init__(self) -> None:
        """Names come from scenarios and result folders of any origin: none may steer the terminal that shows it."""
        object.__setattr__(self, "title", visible(self.title))
        for name in ("columns", "notes"):
            object.__setattr__(self, name, [visible(text) for text in getattr(self, name)])
        object.__setattr__(self, "rows", [[visible(cell) for cell in row] for row in self.rows])


class RichGrid:
    """For a terminal: a table, or where that would cut numbers short a list for each row."""

    def __init__(self, grid: Grid) -> None:
        self._grid = grid

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        from rich.measure import Measurement
        from rich.text import Text

        broken = replace(self._grid, columns=[heading.replace(" ", "\n") for heading in self._grid.columns])
        rows = [[_broken(cell) for cell in row] for row in broken.rows]
        # Left to itself Rich cuts words in one column before it wraps another.
        tries = [(self._grid, 1), (broken, 1), (broken, 0), (replace(broken, rows=rows), 0)]
        for grid, gap in tries:
            table = rich_grid(grid, gap)
            if Measurement.get(console, options.update(max_width=10_000), table).maximum <= options.max_width:
                yield table
                return
        labels = self._grid.labels
        yield Text(self._grid.title, style="bold")
        for row in self._grid.rows:
            yield Text("\n" + " ".join(cell for cell in row[:labels] if cell))
            for heading, cell in zip(self._grid.columns[labels:], row[labels:], strict=True):
                if cell:
                    yield Text(f"  {heading}: {cell}")
        yield Text("\n".join(["", *self._grid.notes]))


def _broken(cell: str) -> str:
    """A cell in as many lines as it has parts."""
    for part in (" ± ", " −", " +"):
        cell = cell.replace(part, f"\n{part[1:]}")
    return cell.replace(", ", ",\n")


def rich_grid(grid: Grid, gap: int = 1) -> Table:
    """For a terminal, with so much more than one space between columns."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(
        title=Text(grid.title, style="bold") if grid.title else None,
        title_justify="left",
        caption=Text("\n".join(grid.notes)) if grid.notes else None,
        caption_justify="left",
        box=box.SIMPLE_HEAD,
        padding=(0, gap, 0, 0),
    )
    for position, heading in enumerate(grid.columns):
        label = position < grid.labels
        table.add_column(Text(heading), justify="left" if label else "right", no_wrap=label)
    for row in grid.rows:
        table.add_row(*(Text(cell) for cell in row))
    return table


def plain(shown: RenderableType) -> str:
    """Without colours, as wide as the terminal, or as its numbers need where there is none."""
    import io
    import sys

    from rich.console import Console

    width = None if sys.stdout is not None and sys.stdout.isatty() else PIPED_WIDTH
    out = io.StringIO()
    console = Console(file=out, width=width, color_system=None, highlight=False)
    console.print(shown)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()).strip("\n")


def html(grids: Sequence[Grid]) -> str:
    """For a notebook."""
    return "\n".join(_html_grid(grid) for grid in grids)


def _html_grid(grid: Grid) -> str:
    head = "".join(f"<th>{escape(heading)}</th>" for heading in grid.columns)
    body = "\n".join(
        "<tr>"
        + "".join(
            f'<td style="text-align:{"left" if i < grid.labels else "right"}">{escape(cell)}</td>'
            for i, cell in enumerate(row)
        )
        + "</tr>"
        for row in grid.rows
    )
    notes = "".join(f"<p><small>{escape(note)}</small></p>" for note in grid.notes)
    return f"<table><caption>{escape(grid.title)}</caption>\n<tr>{head}</tr>\n{body}\n</table>{notes}"


def markdown(grid: Grid) -> str:
    """For a report or an issue."""

    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"

    rule = ["---" if i < grid.labels else "---:" for i in range(len(grid.columns))]
    table = [line(grid.columns), line(rule), *(line(row) for row in grid.rows)]
    notes = [f"\n{note}" for note in grid.notes]
    return "\n".join([f"**{grid.title}**", "", *table, *notes]) + "\n"

"""Results as tables: in a terminal, in a notebook, as Markdown. One description, three renderings."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
    from rich.table import Table

    from tailrace.result import Result

NONE = "–"


@dataclass(frozen=True)
class Grid:
    """A table of text. The first `labels` columns name the row, the others hold numbers."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    labels: int = 1
    notes: Sequence[str] = field(default=())


@dataclass(frozen=True)
class Measure:
    """A column: its heading, where its leaf is, and what to multiply SI units by."""

    heading: str
    path: tuple[str, ...]
    scale: float = 1.0


GROUP_MEASURES = (
    Measure("throughput Mbit/s", ("throughput_bps", "sum"), 1e-6),
    Measure("goodput Mbit/s", ("goodput_bps", "sum"), 1e-6),
    Measure("loss %", ("loss_ratio",), 100),
    Measure("delay ms", ("one_way_delay_s", "mean"), 1e3),
    Measure("Jain", ("jain",)),
)
QUEUE_MEASURES = (
    Measure("queue packets", ("backlog_packets", "mean")),
    Measure("sojourn ms", ("sojourn_s", "mean"), 1e3),
    Measure("use %", ("utilization",), 100),
)


def leaf(tree: Mapping[str, Any], path: Sequence[str]) -> Mapping[str, Any] | None:
    """The `{mean, ci95, n}` at a path of an aggregate, if it is there."""
    found: Any = tree
    for key in path:
        found = found.get(key) if isinstance(found, Mapping) else None
    return found if isinstance(found, Mapping) and "mean" in found and "ci95" in found else None


def number(entry: Mapping[str, Any] | None, scale: float = 1.0) -> str:
    """`mean ± half width`, both to the digits that the interval supports.

    >>> number({"mean": 1.23456e6, "ci95": 4.5e4, "n": 5}, 1e-6)
    '1.235 ± 0.045'
    >>> number({"mean": 0.5, "ci95": None, "n": 1})
    '0.5'
    """
    if entry is None or entry["mean"] is None:
        return NONE
    mean, half = entry["mean"] * scale, entry["ci95"]
    if half is None:
        return f"{mean:.4g}"
    half *= scale
    if half <= abs(mean) * 1e-4:
        return f"{mean:.4g} ± 0"
    # Two digits of the half width.
    decimals = min(4, max(0, 1 - math.floor(math.log10(half))))
    return f"{mean:.{decimals}f} ± {half:.{decimals}f}"


def busiest_queue(aggregate: Mapping[str, Any]) -> str | None:
    """The queue under study: the one that drops most, and of those that drop equally the most used."""

    def weight(name: str) -> tuple[float, float]:
        queue = queues[name]
        drops = queue.get("dropped_packets") or {}
        dropped = sum((leaf(drops, (reason,)) or {"mean": 0.0})["mean"] for reason in drops)
        return dropped, (leaf(queue, ("utilization",)) or {"mean": 0.0})["mean"]

    queues: Mapping[str, Any] = aggregate.get("queues") or {}
    return max(queues, key=weight) if queues else None


def result_grids(result: Result) -> list[Grid]:
    """Flow groups and queues of one result."""
    aggregate = result.aggregate
    groups: Mapping[str, Any] = aggregate.get("groups") or {}
    queues: Mapping[str, Any] = aggregate.get("queues") or {}
    over = f"mean ± 95 % interval over {_runs(result.n)}" if result.n > 1 else _runs(result.n)
    grids = [
        Grid(
            f"{result.name}: {over}, seed {result.seed}",
            ["flows", "", *(m.heading for m in GROUP_MEASURES), "retransmits", "timeouts"],
            [
                [
                    name,
                    _described(group),
                    *(number(leaf(group, m.path), m.scale) for m in GROUP_MEASURES),
                    number(leaf(group, ("retransmitted_packets",))),
                    number(leaf(group, ("timeouts",))),
                ]
                for name, group in groups.items()
            ],
            labels=2,
        )
    ]
    if queues:
        grids.append(
            Grid(
                "queues",
                ["queue", "", *(m.heading for m in QUEUE_MEASURES), "dropped", "marked"],
                [
                    [
                        name,
                        str(queue.get("kind", "")),
                        *(number(leaf(queue, m.path), m.scale) for m in QUEUE_MEASURES),
                        _drops(queue),
                        number(leaf(queue, ("marked_packets",))),
                    ]
                    for name, queue in queues.items()
                ],
                labels=2,
            )
        )
    return grids


def comparison_grid(results: Mapping[str, Result], title: str) -> Grid:
    """One row a variant and flow group, the queue under study beside the first."""
    flows, queues = comparison_grids(results, title)
    beside = {row[0]: row[1:] for row in queues.rows}
    blank = [""] * (len(queues.columns) - 1)
    rows = [[*row, *(beside.get(row[0], blank))] for row in flows.rows]
    return Grid(
        title, [*flows.columns, *queues.columns[1:]], rows, labels=2, notes=[*flows.notes, *queues.notes]
    )


def comparison_grids(results: Mapping[str, Result], title: str) -> tuple[Grid, Grid]:
    """The flow groups of each variant, and its queue under study."""
    rows: list[list[str]] = []
    queue_rows: list[list[str]] = []
    studied = set()
    for label, result in results.items():
        for position, (name, group) in enumerate((result.aggregate.get("groups") or {}).items()):
            numbers = [number(leaf(group, m.path), m.scale) for m in GROUP_MEASURES]
            rows.append([label if position == 0 else "", name, *numbers])
        queue_name = busiest_queue(result.aggregate)
        queue: Mapping[str, Any] = (result.aggregate.get("queues") or {}).get(queue_name) or {}
        queue_rows.append([label, *(number(leaf(queue, m.path), m.scale) for m in QUEUE_MEASURES)])
        studied.add(str(queue_name))
    counts = sorted({result.n for result in results.values()})
    notes = [
        f"mean ± half width of the 95 % interval (Student t) over {_runs(*counts)}",
        "throughput and goodput: sum over the group's flows; delay: one way, end to end",
    ]
    flows = Grid(
        title, ["variant", "flows", *(m.heading for m in GROUP_MEASURES)], rows, labels=2, notes=notes
    )
    place = f"queue: {', '.join(sorted(studied))}"
    return flows, Grid("", ["variant", *(m.heading for m in QUEUE_MEASURES)], queue_rows, notes=[place])


def _runs(*counts: int) -> str:
    text = " to ".join(str(count) for count in dict.fromkeys((counts[0], counts[-1])))
    return f"{text} run{'' if counts == (1,) else 's'}"


def _described(group: Mapping[str, Any]) -> str:
    flows = leaf(group, ("flows",))
    count = f"{flows['mean']:g}" if flows else ""
    return f"{count} {group.get('role') or ''}".strip()


def _drops(queue: Mapping[str, Any]) -> str:
    drops: Mapping[str, Any] = queue.get("dropped_packets") or {}
    parts = [f"{number(leaf(drops, (reason,)))} {reason}" for reason in drops if leaf(drops, (reason,))]
    return ", ".join(part for part in parts if not part.startswith("0 ")) or "0"


def rich_result(result: Result) -> RenderableType:
    """For a terminal."""
    from rich.console import Group

    return Group(*(RichGrid(grid) for grid in result_grids(result)))


class RichComparison:
    """For a terminal: one table where it fits, else flows and queues below each other."""

    def __init__(self, results: Mapping[str, Result], title: str) -> None:
        self._results = results
        self._title = title

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        from rich.measure import Measurement

        wide = rich_grid(comparison_grid(self._results, self._title))
        if Measurement.get(console, options.update(max_width=10_000), wide).maximum <= options.max_width:
            yield wide
        else:
            yield from (RichGrid(grid) for grid in comparison_grids(self._results, self._title))


class RichGrid:
    """For a terminal: a table, or where that would cut numbers short a list for each row."""

    def __init__(self, grid: Grid) -> None:
        self._grid = grid

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        from rich.measure import Measurement
        from rich.text import Text

        broken = replace(self._grid, columns=[heading.replace(" ", "\n") for heading in self._grid.columns])
        rows = [[cell.replace(" ± ", "\n± ").replace(", ", ",\n") for cell in row] for row in broken.rows]
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

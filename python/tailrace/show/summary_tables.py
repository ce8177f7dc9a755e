"""Results as tables: in a terminal, in a notebook, as Markdown. One description, three renderings."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from typing import TYPE_CHECKING, Any

from tailrace.errors import UsageError
from tailrace.stats import completion_notes, host_programs
from tailrace.text.names import visible

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
    from rich.table import Table

    from tailrace.data.result import Result

NONE = "–"
# How much larger than the other a part of an interval is before both are shown.
_UNEVEN = 1.25
# The parts of such an interval.
BELOW, ABOVE = "−", "+"
UNEVEN = f"{BELOW} and {ABOVE}: an asymmetric interval, which reaches this far below and above the mean"
# Digits of a mean that are worth reading, and the share of it that is left where floats should have come out even.
_MOST_DIGITS = 6
_ARITHMETIC = 1e-12
# Below this a number has no exponent.
_PLAIN = 1e7
# Names that an error lists.
_MOST_NAMED = 20
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


@dataclass(frozen=True)
class Measure:
    """A column: its heading, where its leaf is, and what to multiply SI units by.

    One that is `rare` is shown only where some row has more than nothing there; where `beside` is there, too, that
    row does not count. What is less than `least`, in the unit of the column, is said to be less.
    """

    heading: str
    path: tuple[str, ...]
    scale: float = 1.0
    rare: bool = False
    beside: tuple[str, ...] = ()
    least: float = 0.0

    def of(self, row: Mapping[str, Any]) -> str:
        """What the column shows of a row."""
        return measured(leaf(row, self.path), self.scale, self.least)


# What tells a flow whose transport measures round trips from one that was asked to.
_CONNECTED = ("connections", "opened")
GROUP_MEASURES = (
    Measure("goodput Mbit/s", ("goodput_bps", "sum"), 1e-6),
    Measure("throughput Mbit/s", ("throughput_bps", "sum"), 1e-6),
    Measure("loss %", ("loss_ratio",), 100),
    Measure("delay ms", ("one_way_delay_s", "mean"), 1e3),
    Measure("delay back ms", ("reverse_one_way_delay_s", "mean"), 1e3, rare=True),
    Measure("Jain", ("jain",)),
    Measure("completed", ("completed",), rare=True),
    Measure("completion ms", ("completion_s", "mean"), 1e3, rare=True),
    Measure("95th ms", ("completion_s", "p95"), 1e3, rare=True),
    Measure("round trip ms", ("rtt_s", "mean"), 1e3, rare=True, beside=_CONNECTED),
    Measure("99th ms", ("rtt_s", "p99"), 1e3, rare=True, beside=_CONNECTED),
)
PATH_MEASURES = (
    Measure("goodput Mbit/s", ("goodput_bps",), 1e-6),
    Measure("loss %", ("loss_ratio",), 100),
    Measure("delay ms", ("one_way_delay_s", "mean"), 1e3),
    Measure("99th ms", ("one_way_delay_s", "p99"), 1e3),
    Measure("packets sent", ("sent_packets",)),
    Measure("lost", ("lost_packets",)),
)
HOST_MEASURES = (
    Measure("packets sent outside of flows", ("sent_packets",)),
    Measure("of these lost", ("lost_packets",)),
    Measure("marked", ("marked_packets",)),
    Measure("received in all", ("received_packets",)),
    Measure("MB received", ("received_bytes",), 1e-6),
)
# More hosts are in the summary.
_MOST_HOSTS = 12
# More paths have a table of their own.
_MOST_PATHS = 8
COMPLETION = (
    "completion: of a transfer from the opening of its connection, of a request from its sending, to the last byte; "
    "mean and 95th percentile"
)
QUEUE_MEASURES = (
    # Less than any queue holds or delays: at 100 Gbit/s a packet of 1500 B takes 0.12 us.
    Measure("queue packets", ("backlog_packets", "mean"), least=1e-3),
    Measure("sojourn ms", ("sojourn_s", "mean"), 1e3, least=1e-4),
    Measure("use %", ("utilization",), 100),
    Measure("detected after ms", ("flagged", "detection_s"), 1e3, rare=True),
    Measure("flagged rightly", ("flagged", "true_positive"), rare=True),
    Measure("wrongly", ("flagged", "false_positive"), rare=True),
)


def leaf(tree: Mapping[str, Any], path: Sequence[str]) -> Mapping[str, Any] | None:
    """The `{mean, ci95, n}` at a path of an aggregate, if it is there."""
    found: Any = tree
    for key in path:
        found = found.get(key) if isinstance(found, Mapping) else None
    return found if isinstance(found, Mapping) and "mean" in found and "ci95" in found else None


def measured(entry: Mapping[str, Any] | None, scale: float, least: float) -> str:
    """A `number`, or where all of its interval is less than `least`, that it is.

    >>> [measured({"mean": mean, "ci95": 4e-6, "n": 5}, 1, 1e-3) for mean in (1e-5, 0.5)]
    ['<0.001', '0.500000 ± 0.000004']
    >>> measured({"mean": 0.0, "ci95": None, "n": 1}, 1, 1e-3), measured(None, 1, 1e-3) == NONE
    ('0', True)
    """
    if entry is not None and entry["mean"]:
        high = entry.get("high", entry["mean"] + (entry["ci95"] or 0))
        if entry["mean"] > 0 and high * scale < least:
            return f"<{least:.6f}".rstrip("0")
    return number(entry, scale)


def number(entry: Mapping[str, Any] | None, scale: float = 1.0) -> str:
    """`mean ± half width`, both to the digits that the interval supports.

    >>> number({"mean": 1.23456e6, "ci95": 4.5e4, "n": 5}, 1e-6)
    '1.235 ± 0.045'
    >>> number({"mean": 0.5, "ci95": None, "n": 1})
    '0.5'

    No more digits of the mean than anybody reads; what is less than the last of them is said to be less.

    >>> number({"mean": 0.995, "ci95": 4e-5, "n": 5}, 100), number({"mean": 2.0, "ci95": 1e-9, "n": 5})
    ('99.5000 ± 0.0040', '2.00000 ± <0.00001')
    """
    if entry is None or entry["mean"] is None:
        return NONE
    mean, half = entry["mean"] * scale, entry["ci95"]
    if half is None:
        return _alone(mean)
    half *= scale
    if half <= abs(mean) * _ARITHMETIC:
        return f"{_alone(mean)} ± 0"
    below, above = mean - entry.get("low", 0) * scale, entry.get("high", 0) * scale - mean
    even = "low" not in entry or (max(below, above) < _UNEVEN * min(below, above) and half <= abs(mean))
    # Two digits of the half width, or of the larger part of an interval that its mean does not halve.
    decimals = max(0, 1 - _exponent(half if even else max(below, above)))
    most = max(0, _MOST_DIGITS - 1 - _exponent(mean)) if mean else decimals
    if decimals > most and float(f"{half:.{most}f}") == 0:
        return f"{mean:.{most}f} ± <{10.0**-most:.{most}f}"
    decimals = min(decimals, most)
    if even:
        return f"{mean:.{decimals}f} ± {half:.{decimals}f}"
    return f"{mean:.{decimals}f} {BELOW}{below:.{decimals}f} {ABOVE}{above:.{decimals}f}"


def _alone(value: float) -> str:
    """A number without an interval: four digits, without an exponent where the number is not much longer.

    >>> _alone(0.123456), _alone(45000.0), _alone(1.5e9)
    ('0.1235', '45000', '1.5e+09')
    """
    text = f"{value:.4g}"
    return f"{value:.0f}" if "e+" in text and abs(value) < _PLAIN else text


def _exponent(value: float) -> int:
    return math.floor(math.log10(abs(value)))


def studied_queue(aggregates: Sequence[Mapping[str, Any]], wanted: str | None = None) -> str | None:
    """The one queue that is shown of all results: the wanted one, or the busiest.

    Of the queues that most results have it is the one that drops most in all of them together, and of those that drop
    equally the most used.
    """
    queues: list[Mapping[str, Any]] = [aggregate.get("queues") or {} for aggregate in aggregates]
    names = list(dict.fromkeys(name for found in queues for name in found))
    if wanted is not None:
        return known(wanted, names, "queue")

    def weight(name: str) -> tuple[int, float, float]:
        having = [found[name] for found in queues if name in found]
        drops = [queue.get("dropped_packets") or {} for queue in having]
        dropped = sum((leaf(by, (reason,)) or {"mean": 0.0})["mean"] for by in drops for reason in by)
        used = sum((leaf(queue, ("utilization",)) or {"mean": 0.0})["mean"] for queue in having)
        return len(having), dropped, used

    return max(names, key=weight) if names else None


def known(name: str, names: Sequence[str], kind: str) -> str:
    """The name, if it is one of these; else an error with the nearest."""
    if name in names:
        return name
    import difflib  # only when something is wrong

    close = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    hint = f"; did you mean {close[0]!r}?" if close else ""
    raise UsageError(f"there is no {kind} {name!r}{hint} (there {_listed(names)})")


def _listed(names: Sequence[str]) -> str:
    few = ", ".join(names[:_MOST_NAMED])
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return f"are {few}{more}" if len(names) > 1 else f"is {few}" if names else "is none"


def _measures(
    rows: Iterable[Mapping[str, Any]], measures: Sequence[Measure] = GROUP_MEASURES
) -> list[Measure]:
    """The columns of these groups or queues."""
    every = list(rows)

    def is_there(measure: Measure) -> bool:
        counting = (row for row in every if not measure.beside or leaf(row, measure.beside) is None)
        found = (leaf(row, measure.path) for row in counting)
        return any(entry and entry["mean"] for entry in found)

    return [measure for measure in measures if not measure.rare or is_there(measure)]


def result_grids(result: Result) -> list[Grid]:
    """Flow groups and queues of one result."""
    aggregate = result.aggregate
    groups: Mapping[str, Any] = aggregate.get("groups") or {}
    queues: Mapping[str, Any] = aggregate.get("queues") or {}
    over = f"mean ± 95 % interval over {_runs(result.n)}" if result.n > 1 else _runs(result.n)
    title = f"{result.name}: {over}, seed {result.seed}"
    ran = host_programs.rows(result.summary["runs"])
    grids = [_group_grid(title, aggregate)] if groups or not ran else []
    if ran:
        heading = f"programs of {title}" if not grids else "programs"
        notes = host_programs.notes(result.summary["runs"])
        grids.append(Grid(heading, list(host_programs.COLUMNS), ran, labels=2, notes=notes))
        grids += _host_grids(aggregate.get("foreign_hosts") or {})
    queue_measures = _measures(queues.values(), QUEUE_MEASURES)
    grids += _path_grids(aggregate.get("paths") or {})
    if queues:
        grids.append(
            Grid(
                "queues",
                ["queue", "", *(m.heading for m in queue_measures), "dropped", "marked"],
                [
                    [
                        name,
                        queue_kind(queue),
                        *(m.of(queue) for m in queue_measures),
                        _drops(queue),
                        number(leaf(queue, ("marked_packets",))),
                    ]
                    for name, queue in queues.items()
                ],
                labels=2,
            )
        )
    if grids and (note := _equal_runs(result)):
        grids[0] = replace(grids[0], notes=[*grids[0].notes, note])
    return [*grids, *_window_grids(aggregate)]


def _equal_runs(result: Result) -> str:
    """Says so where chance had no part, which cannot always be known before: kernels draw, but it may not matter."""
    prints = [run["fingerprint"] for run in result.summary["runs"]]
    if len(prints) > 1 and len(set(prints)) == 1:
        return f"all {len(prints)} runs are the same, packet by packet: chance had no part in them, so ± 0 is no news"
    return ""


def _group_grid(title: str, aggregate: Mapping[str, Any]) -> Grid:
    """The flow groups."""
    groups: Mapping[str, Any] = aggregate.get("groups") or {}
    measures = _measures(groups.values())
    return Grid(
        title,
        ["flows", "", *(m.heading for m in measures), "retransmits", "timeouts"],
        [
            [
                name,
                _described(group),
                *(m.of(group) for m in measures),
                number(leaf(group, ("retransmitted_packets",))),
                number(leaf(group, ("timeouts",))),
            ]
            for name, group in groups.items()
        ],
        labels=2,
        notes=[
            *([COMPLETION] if any(m.path[0] == "completion_s" for m in measures) else []),
            *completion_notes.notes(aggregate),
        ],
    )


def _path_grids(paths: Mapping[str, Any]) -> list[Grid]:
    """What flows over Multipath TCP sent by each path, if there are any."""
    rows = [[name, *(m.of(path) for m in PATH_MEASURES)] for name, path in list(paths.items())[:_MOST_PATHS]]
    more = f"and {len(paths) - _MOST_PATHS} more: table paths" if len(paths) > _MOST_PATHS else ""
    columns = ["path", *(m.heading for m in PATH_MEASURES)]
    return [Grid("paths", columns, rows, notes=[more] if more else [])] if rows else []


def _host_grids(hosts: Mapping[str, Any]) -> list[Grid]:
    """What hosts with kernels sent by programs, and received: a queue does not have what never came to it."""
    rows = [[name, *(m.of(host) for m in HOST_MEASURES)] for name, host in list(hosts.items())[:_MOST_HOSTS]]
    more = (
        f"and {len(hosts) - _MOST_HOSTS} more: foreign_hosts in summary.json"
        if len(hosts) > _MOST_HOSTS
        else ""
    )
    columns = ["host", *(m.heading for m in HOST_MEASURES)]
    return [Grid("hosts", columns, rows, notes=[more] if more else [])] if rows else []


def _window_grids(aggregate: Mapping[str, Any]) -> list[Grid]:
    """The flow groups in each window, and the one queue that drops most in all of them."""
    windows: Mapping[str, Mapping[str, Any]] = aggregate.get("windows") or {}
    measures = _measures(group for window in windows.values() for group in window["groups"].values())
    studied = studied_queue(list(windows.values()))
    queue_measures = _of_queue(windows.values(), studied)
    rows, queue_rows = [], []
    for name, window in windows.items():
        for position, (flows, group) in enumerate(window["groups"].items()):
            numbers = [m.of(group) for m in measures]
            rows.append([f"{name}, {_time(window)}" if position == 0 else "", flows, *numbers])
        queue: Mapping[str, Any] = window["queues"].get(studied) or {}
        numbers = [m.of(queue) for m in queue_measures]
        queue_rows.append([name, *numbers, _drops(queue), number(leaf(queue, ("marked_packets",)))])
    grids = (
        [Grid("windows", ["window", "flows", *(m.heading for m in measures)], rows, labels=2)] if rows else []
    )
    if studied:
        columns = ["window", *(m.heading for m in queue_measures), "dropped", "marked"]
        grids.append(Grid("", columns, queue_rows, notes=[f"queue of every window: {studied}"]))
    return grids


def _of_queue(results: Iterable[Mapping[str, Any]], name: str | None) -> list[Measure]:
    """The columns of the queue under study."""
    return _measures(((found.get("queues") or {}).get(name) or {} for found in results), QUEUE_MEASURES)


def _time(window: Mapping[str, Any]) -> str:
    """From when to when a window lasts."""
    start, end = (leaf(window, (key,)) or {"mean": math.nan} for key in ("start_s", "end_s"))
    return f"{start['mean'] or 0:.6g}\N{EN DASH}{end['mean'] or 0:.6g} s"


def comparison_grid(results: Mapping[str, Result], title: str, queue: str | None = None) -> Grid:
    """One row a variant and flow group, the queue under study beside the first."""
    flows, queues = comparison_grids(results, title, queue)
    beside = {row[0]: row[1:] for row in queues.rows}
    blank = [""] * (len(queues.columns) - 1)
    rows = [[*row, *(beside.get(row[0], blank))] for row in flows.rows]
    notes = [*flows.notes, *queues.notes]
    return Grid(title, [*flows.columns, *queues.columns[1:]], rows, labels=flows.labels, notes=notes)


def comparison_grids(
    results: Mapping[str, Result], title: str, wanted: str | None = None
) -> tuple[Grid, Grid]:
    """The flow groups of each variant, and the one queue under study in each."""
    rows: list[list[str]] = []
    queue_rows: list[list[str]] = []
    aggregates = {label: result.aggregate for label, result in results.items()}
    groups_of = {label: found.get("groups") or {} for label, found in aggregates.items()}
    measures = _measures(group for groups in groups_of.values() for group in groups.values())
    studied = studied_queue(list(aggregates.values()), wanted)
    queue_measures = _of_queue(aggregates.values(), studied) if studied else []
    for label, aggregate in aggregates.items():
        for position, (name, group) in enumerate(groups_of[label].items()):
            numbers = [m.of(group) for m in measures]
            rows.append([label if position == 0 else "", name, *numbers])
        if not groups_of[label]:
            rows.append([label, *[""] * (1 + len(measures))])
        queue: Mapping[str, Any] = (aggregate.get("queues") or {}).get(studied) or {}
        queue_rows.append([label, *(m.of(queue) for m in queue_measures)])
    notes = [
        *(
            f"{label}: {note}"
            for label, found in aggregates.items()
            for note in completion_notes.notes(found)
        ),
        *host_programs.notes_of_variants(
            {label: result.summary["runs"] for label, result in results.items()}
        ),
    ]
    if any(m.path[0] == "completion_s" for m in measures):
        notes.append(COMPLETION)
    what = (
        _over([result.n for result in results.values()]),
        "throughput and goodput: sum over the group's flows; delay: one way, end to end",
    )
    columns = ["variant", "flows", *(m.heading for m in measures)]
    flows = Grid(title, columns, rows, labels=2, notes=[*what, *notes])
    if not any(groups_of.values()):
        flows = _of_programs(results, title, notes) or flows
    place = [f"queue of every variant: {studied}", *limits_note(results, studied)] if studied else []
    return flows, Grid("", ["variant", *(m.heading for m in queue_measures)], queue_rows, notes=place)


def _of_programs(results: Mapping[str, Result], title: str, notes: Sequence[str]) -> Grid | None:
    """In place of flow groups, where there are none: what became of the programs of each variant."""
    from tailrace.stats import measured, metric_table

    found = measured.of_results(results, title)
    if found.figures.is_empty():
        return None
    grid = metric_table.of(found, [metric for metric in found.metrics() if metric.of != "queue"]).grid(None)
    return Grid(title, grid.columns, grid.rows, labels=1, notes=[*grid.notes, *notes])


def _over(counts: Sequence[int]) -> str:
    """What the numbers are of: one run has no interval."""
    over = _runs(*sorted(set(counts)))
    if max(counts) == 1:
        return f"{over}: no intervals"
    return f"mean ± half width of the 95 % interval over {over} ({UNEVEN})"


def _runs(*counts: int) -> str:
    text = " to ".join(str(count) for count in dict.fromkeys((counts[0], counts[-1])))
    return f"{text} run{'' if counts == (1,) else 's'}"


def _described(group: Mapping[str, Any]) -> str:
    flows = leaf(group, ("flows",))
    count = f"{flows['mean']:g}" if flows else ""
    return f"{count} {group.get('role') or ''}".strip()


def queue_kind(queue: Mapping[str, Any]) -> str:
    """What the queue is, and whose form of it where there are several: `codel (linux)`."""
    form = queue.get("form")
    return f"{queue.get('kind', '')} ({form})" if form else str(queue.get("kind", ""))


def limits_note(results: Mapping[str, Result], name: str | None) -> list[str]:
    """Says so where variants differ in what the queue called `name` may hold: then they compare buffers, too."""
    limits: dict[str, list[str]] = {}
    for label, result in results.items():
        queue: Mapping[str, Any] = (result.aggregate.get("queues") or {}).get(name) or {}
        if queue.get("limit"):
            limits.setdefault(str(queue["limit"]), []).append(label)
    if len(limits) <= 1:
        return []
    held = "; ".join(f"{limit}: {', '.join(labels)}" for limit, labels in limits.items())
    return [f"its limit differs ({held}); `queue_limit` of the link is one for all"]


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

    def __init__(self, results: Mapping[str, Result], title: str, queue: str | None = None) -> None:
        self._results = results
        self._title = title
        self._queue = queue

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        from rich.measure import Measurement

        wide = rich_grid(comparison_grid(self._results, self._title, self._queue))
        if Measurement.get(console, options.update(max_width=10_000), wide).maximum <= options.max_width:
            yield wide
        else:
            flows, queues = comparison_grids(self._results, self._title, self._queue)
            # Without a queue under study there are labels alone.
            yield from (RichGrid(grid) for grid in (flows, queues) if grid is flows or len(grid.columns) > 1)


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

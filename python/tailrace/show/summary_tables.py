"""Results as tables: in a terminal, in a notebook, as Markdown. One description, three renderings."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tailrace.stats import completion_notes, host_programs
from tailrace.stats.summary_measures import (
    GROUP_MEASURES,
    HOST_MEASURES,
    PATH_MEASURES,
    QUEUE_MEASURES,
    Measure,
    leaf,
    studied_queue,
)
from tailrace.text.interval_text import ASYMMETRY_NOTE, mean_with_interval
from tailrace.text.text_table import Grid, RichGrid, rich_grid

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType, RenderResult

    from tailrace.data.result import Result
# More hosts are in the summary.
_MOST_HOSTS = 12
# More paths have a table of their own.
_MOST_PATHS = 8
COMPLETION = (
    "completion: of a transfer from the opening of its connection, of a request from its sending, to the last byte; "
    "mean and 95th percentile"
)


def _measures(
    rows: Iterable[Mapping[str, Any]], measures: Sequence[Measure] = GROUP_MEASURES
) -> list[Measure]:
    """The columns of these groups or queues."""
    every = list(rows)

    def is_there(measure: Measure) -> bool:
        counting = (row for row in every if not measure.beside or leaf(row, measure.beside) is None)
        found = (measure.leaf(row) for row in counting)
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
                        mean_with_interval(leaf(queue, ("marked_packets",))),
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
                mean_with_interval(leaf(group, ("retransmitted_packets",))),
                mean_with_interval(leaf(group, ("timeouts",))),
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
    """Table of what flows over Multipath TCP sent by each path, if there are any."""
    rows = [[name, *(m.of(path) for m in PATH_MEASURES)] for name, path in list(paths.items())[:_MOST_PATHS]]
    more = f"and {len(paths) - _MOST_PATHS} more: table paths" if len(paths) > _MOST_PATHS else ""
    columns = ["path", *(m.heading for m in PATH_MEASURES)]
    return [Grid("paths", columns, rows, notes=[more] if more else [])] if rows else []


def _host_grids(hosts: Mapping[str, Any]) -> list[Grid]:
    """Table of packets that hosts with kernels sent by programs, and received: a queue does not see all of them."""
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
        queue_rows.append(
            [name, *numbers, _drops(queue), mean_with_interval(leaf(queue, ("marked_packets",)))]
        )
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
    """Table with a row for each variant and flow group, the queue under study beside the first."""
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
    from tailrace.data import measured_results
    from tailrace.stats import metric_table

    found = measured_results.of_results(results, title)
    if found.figures.is_empty():
        return None
    grid = metric_table.of(found, [metric for metric in found.metrics() if metric.of != "queue"]).grid(None)
    return Grid(title, grid.columns, grid.rows, labels=1, notes=[*grid.notes, *notes])


def _over(counts: Sequence[int]) -> str:
    """Note about the number of runs: a single run has no interval."""
    over = _runs(*sorted(set(counts)))
    if max(counts) == 1:
        return f"{over}: no intervals"
    return f"mean ± half width of the 95 % interval over {over} ({ASYMMETRY_NOTE})"


def _runs(*counts: int) -> str:
    text = " to ".join(str(count) for count in dict.fromkeys((counts[0], counts[-1])))
    return f"{text} run{'' if counts == (1,) else 's'}"


def _described(group: Mapping[str, Any]) -> str:
    flows = leaf(group, ("flows",))
    count = f"{flows['mean']:g}" if flows else ""
    return f"{count} {group.get('role') or ''}".strip()


def queue_kind(queue: Mapping[str, Any]) -> str:
    """Kind of the queue, with its form where there are several: `codel (linux)`."""
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
    parts = [
        f"{mean_with_interval(leaf(drops, (reason,)))} {reason}" for reason in drops if leaf(drops, (reason,))
    ]
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

"""Contrasts between variants or cells of a sweep, in words: highest, lowest, and what is not significant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tailrace.show.report.statements import Statement, brief, listed, quantity
from tailrace.stats import differences, host_programs, statistics

if TYPE_CHECKING:
    from tailrace.stats.measured import Measured, MeasuredCell
    from tailrace.stats.metrics import Metric

# More metrics than this are in the table alone.
_MOST_METRICS = 8
_MOST_BY_WORDS = 3
# Labels of so many letters are short; so many of either are named.
_SHORT, _MOST_SHORT, _MOST_LONG = 16, 6, 3
# Rounding error as a share of the largest value.
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Standing:
    """A cell's mean of a metric."""

    cell: MeasuredCell
    found: statistics.Interval

    def said(self, unit: str) -> str:
        """Text with the cell and the value."""
        return f"{self.cell.label} ({quantity(brief(self.found.as_dict()), unit)})"


def of(measured: Measured) -> list[Statement]:
    """A sentence a metric."""
    return [statement for metric in told(measured) if (statement := _statement(measured, metric))]


def by_words(measured: Measured) -> list[Statement]:
    """Statements about the first parameter in words (a discipline, say): its best value with all others as they are."""
    place = next((i for i in range(len(measured.parameters)) if _is_words(measured, i)), None)
    cases = _cases(measured, place) if place is not None and len(measured.parameters) > 1 else []
    if place is None or len(cases) < 2:  # noqa: PLR2004 - one case is what the other sentences tell
        return []
    return [
        statement
        for metric in told(measured)[:_MOST_BY_WORDS]
        if (statement := _won(measured, metric, place, cases))
    ]


def _is_words(measured: Measured, place: int) -> bool:
    values = {cell.parameters[place] for cell in measured.cells}
    return len(values) > 1 and all(isinstance(value, str) for value in values)


def _cases(measured: Measured, place: int) -> list[list[MeasuredCell]]:
    """Cells that differ in one parameter alone, as far as there are several."""
    found: dict[str, list[MeasuredCell]] = {}
    for cell in measured.cells:
        rest = [value for i, value in enumerate(cell.parameters) if i != place]
        found.setdefault(repr(rest), []).append(cell)
    return [cells for cells in found.values() if len(cells) > 1]


def _won(
    measured: Measured, metric: Metric, place: int, cases: Sequence[Sequence[MeasuredCell]]
) -> Statement | None:
    values = measured.values(metric)
    won: dict[str, list[bool]] = {}
    for cells in cases:
        standings = _standings(cells, metric, values)
        if len(standings) != len(cells):
            continue
        if _is_burden(metric):
            standings.reverse()
        best = standings[0].cell
        changes = differences.from_one(measured, best, [one.cell for one in standings[1:]], metric)
        clear = all(change.significant for _, change in changes)
        won.setdefault(str(best.parameters[place]), []).append(clear)
    if not won:
        return None
    ranked = sorted(won.items(), key=lambda pair: -len(pair[1]))
    end = "lowest" if _is_burden(metric) else "highest"
    total = sum(len(each) for each in won.values())
    parts = [f"{name} in {len(each)} ({_clearly(each)})" for name, each in ranked]
    text = f"All else being equal, it is {end} with {listed(parts)} of {total} cases."
    return Statement(f"{_name(metric)}, by {measured.parameters[place].name}", text)


def _clearly(won: Sequence[bool]) -> str:
    return f"significantly in {sum(won) if any(won) else 'none'}"


def told(measured: Measured) -> list[Metric]:
    """The metrics that are put into words: of flows that are no attack, and of the busiest queue."""
    known = measured.known
    usual = measured.metrics()
    busiest = _busiest(measured, [metric for metric in usual if metric.name == "utilization"])
    attackers = known.attackers if len(known.attackers) < len(known.owners["group"]) else set()
    kept = [
        metric
        for metric in usual
        if not (metric.of == "group" and metric.owner in attackers)
        and not (metric.of == "queue" and metric.owner not in {None, busiest})
        and _is_news(measured, metric)
    ]
    return kept[:_MOST_METRICS]


def _is_news(measured: Measured, metric: Metric) -> bool:
    """Tests for counts of programs that differ: mostly as many run everywhere, and none fails."""
    if metric.of != host_programs.ALL:
        return True
    return len({value for runs in measured.values(metric).values() for value in runs.values()}) > 1


def _busiest(measured: Measured, utilizations: Sequence[Metric]) -> str | None:
    """The queue whose link is used most in all cells together."""

    def use(metric: Metric) -> float:
        return sum(sum(runs.values()) / len(runs) for runs in measured.values(metric).values() if runs)

    return max(utilizations, key=use).owner if utilizations else None


def _statement(measured: Measured, metric: Metric) -> Statement | None:
    values = measured.values(metric)
    standings = _standings(measured.cells, metric, values)
    if len(standings) < 2:  # noqa: PLR2004 - one is nothing to compare
        return None
    name, unit = _name(metric), metric.unit
    highest, lowest = standings[0], standings[-1]
    room = abs(highest.found.mean - lowest.found.mean)
    if room <= _ROUNDING * max(abs(highest.found.mean), abs(lowest.found.mean)):
        return Statement(name, f"The same everywhere: {quantity(brief(highest.found.as_dict()), unit)}.")
    ends = [("highest", highest, "lower"), ("lowest", lowest, "higher")]
    # In front stands what is wanted of it.
    (best, one, other_way), (worst, other, _) = ends[::-1] if _is_burden(metric) else ends
    text = f"{best.capitalize()} with {one.said(unit)}, {worst} with {other.said(unit)}."
    rest = [standing.cell for standing in standings if standing is not one]
    unproven = _unproven(measured, metric, one.cell, rest, (best, other_way))
    return Statement(name, f"{text} {unproven}".rstrip())


# Metrics of which less is better; of all others more is.
_BURDENS = (
    "loss",
    "delay",
    "rtt",
    "completion",
    "slowdown",
    "silence",
    "sojourn",
    "backlog",
    "detection",
    "page_load",
    "damage",
    "dropped",
    "duration",
    "failed_programs",
    "running_programs",
)
_NAMES = {
    "rtt": "round trip",
    "sojourn": "time in queue",
    "jain": "Jain's index",
    "detection": "time to the first flag",
}


def _is_burden(metric: Metric) -> bool:
    return metric.name.startswith(_BURDENS) and metric.name != "completion_goodput"


def _name(metric: Metric) -> str:
    """A metric as a sentence is headed: `Goodput of tcp`."""
    word = _NAMES.get(metric.name, metric.name.replace("_", " "))
    of = (
        f" of {metric.owner}"
        if metric.owner and metric.of != "queue"
        else f" at {metric.owner}"
        if metric.owner
        else ""
    )
    during = f" in {metric.window}" if metric.window else ""
    return f"{word[:1].upper()}{word[1:]}{of}{during}"


def _standings(
    cells: Sequence[MeasuredCell], metric: Metric, values: Mapping[int, Mapping[int, float]]
) -> list[Standing]:
    """From the highest to the lowest."""
    found = []
    for cell in cells:
        runs = list(values.get(cell.number or 0, {}).values())
        interval = statistics.interval(runs, metric.bounds)
        if interval is not None:
            found.append(Standing(cell, interval))
    return sorted(found, key=lambda standing: -standing.found.mean)


def _unproven(
    measured: Measured,
    metric: Metric,
    best: MeasuredCell,
    others: Sequence[MeasuredCell],
    words: tuple[str, str],
) -> str:
    """Cells that are not shown to differ from the best: their difference may be chance."""
    end, other_way = words
    changes = differences.from_one(measured, best, others, metric)
    known = {cell.label: change for cell, change in changes if change.significant is not None}
    if not known:
        return ""
    alike = [label for label, change in known.items() if not change.significant]
    if not alike:
        return f"{'All others are' if len(others) > 1 else 'The other is'} significantly {other_way}."
    if len(alike) == len(others):
        return f"No difference from the {end} is significant: all may be chance."
    most = _MOST_SHORT if all(len(label) <= _SHORT for label in alike) else _MOST_LONG
    return f"Not significantly {other_way} than the {end}: {listed(alike, most)}."

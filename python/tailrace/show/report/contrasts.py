"""Sentences of contrasts: what is better than the base value, what is worse, and what is not shown to differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tailrace.show.report import contrast
from tailrace.show.report.statements import Statement, brief, listed, quantity
from tailrace.stats import bootstrap, differences, preferences, reach, statistics

if TYPE_CHECKING:
    from tailrace.show.report.contrast import Changed, Contrast, Design
    from tailrace.stats.design import Axis
    from tailrace.stats.measured import Measured, MeasuredCell
    from tailrace.stats.metrics import Metric

# Values that are told one by one; of more the best few are.
_MOST_VALUES = 4
_MOST_NAMED = 3
# Cases that are told one by one; more are counted.
_MOST_CASES = 4
# Metrics of contrasts that do not lead.
_MOST_BESIDE = 2
# Rounding error as a share of the largest value.
_ROUNDING = 1e-9
_NAMES = {
    "rtt": "round trip",
    "rtt_p99": "round trip p99",
    "sojourn": "time in queue",
    "sojourn_p99": "time in queue p99",
    "jain": "Jain's index",
    "detection": "time to the first flag",
    "mos": "MOS",
    "silence": "longest silence",
    "damage": "damage of the attack",
}


def of(
    measured: Measured, metrics: Sequence[Metric], question: str = "", baseline: str = ""
) -> list[Statement]:
    """A sentence a metric, the first metric's in front."""
    return statements(contrast.of(measured, question, baseline), metrics)


def statements(design: Design, metrics: Sequence[Metric]) -> list[Statement]:
    """Sentences of the leading contrast, with those of others behind its first."""
    lead = design.leading
    if lead is None:
        compared = [metric for metric in metrics if all(axis.compares(metric) for axis in design.axes)]
        extremes = [_extremes(design.measured, metric) for metric in compared]
        return [*(one for one in extremes if one), *_left_out(design, metrics)]
    found = [_sentence(lead, metric) for metric in metrics if lead.compares(metric)]
    beside = [
        _sentence(other, metric, by=True)
        for other in design.contrasts[1:]
        for metric in [metric for metric in metrics if other.compares(metric)][:_MOST_BESIDE]
    ]
    along = [_along(design, axis, metrics) for axis in design.numbers]
    told = [*found[:1], *beside, *along, *found[1:]]
    return [*(one for one in told if one), *_left_out(design, metrics)]


# -- names -----------------------------------------------------------------------------------------------------


def _sentence(found: Contrast, metric: Metric, *, by: bool = False) -> Statement | None:
    """How the values of an axis do in a metric, against the base value."""
    changes = found.changes(metric)
    values = [value for value in found.axis.values if value != found.base]
    rows = {value: [one for one in changes if found.axis.said(one.cell) == value] for value in values}
    rows = {value: own for value, own in rows.items() if any(one.change and one.change.change for one in own)}
    if not rows:
        return None
    told = _told(metric, rows, len(found.cases))
    about = f"{named(metric)}, by {found.axis.name}" if by else named(metric)
    return Statement(about, f"Against {_base_of(found, changes, metric)}: {told}.")


def _base_of(found: Contrast, changes: Sequence[Changed], metric: Metric) -> str:
    """Base value; where there is one case with what it has."""
    base = f"{found.axis.name}={found.base}" if found.axis.is_switch else found.base
    before = next((one.change.before for one in changes if one.change and one.change.before), None)
    if len(found.cases) != 1 or before is None:
        return base
    return f"{base} ({quantity(brief(before.as_dict()), metric.unit)})"


def _told(metric: Metric, rows: dict[str, list[Changed]], cases: int) -> str:
    if len(rows) > _MOST_VALUES:
        return _of_many(metric, rows, cases)
    if cases == 1:
        return "; ".join(_of_one(value, own[0], metric) for value, own in rows.items())
    return "; ".join(_of_cases(value, own, metric, cases) for value, own in rows.items())


def _of_one(value: str, found: Changed, metric: Metric) -> str:
    """A value in the only case."""
    change = found.change
    if change is None or change.change is None or change.after is None:
        return f"{value} has no value"
    return f"{value} ({brief(change.after.as_dict())}) {_verdict(found, metric)}"


def _verdict(found: Changed, metric: Metric) -> str:
    """Word and amount of a difference."""
    change = found.change.change if found.change else None
    if change is None:
        return "has no value to compare"
    if not found.word:
        side = "higher" if change.mean > 0 else "lower"
        return f"is {_amount(change, metric)} {side}" if change.mean else "is the same"
    if found.word == preferences.NOT_SHOWN:
        if change.mean == 0 and not change.ci95:
            return "is the same"
        return f"is not shown to differ ({_signed(change, metric)})"
    return f"is {found.word} by {_amount(change, metric)}"


def _amount(change: statistics.Interval, metric: Metric) -> str:
    """Size of a difference without its sign."""
    return quantity(brief(replace(change, mean=abs(change.mean)).as_dict()), metric.unit)


def _signed(change: statistics.Interval, metric: Metric) -> str:
    sign = "+" if change.mean >= 0 else "−"
    return f"{sign}{_amount(change, metric)}"


def _of_cases(value: str, own: Sequence[Changed], metric: Metric, cases: int) -> str:
    """A value in several cases: in all of them alike, in some, or by numbers."""
    words = list(dict.fromkeys(one.word for one in own))
    if len(own) > _MOST_CASES:
        return _counted(value, own, cases)
    if len(words) == 1 and words[0] in {preferences.BETTER, preferences.WORSE}:
        every = "both" if cases == 2 else f"all {cases}"  # noqa: PLR2004 - two
        amounts = listed(f"{_plain(one, metric)} ({one.case.label})" for one in own)
        where = f"in {every} cases" if len(own) == cases else f"in {len(own)} of {cases} cases"
        return f"{value} is {words[0]} {where}, by {quantity(amounts, '')}"
    return f"{value} " + ", ".join(f"with {one.case.label} {_verdict(one, metric)}" for one in own)


def _counted(value: str, own: Sequence[Changed], cases: int) -> str:
    """A value by the numbers of cases in which it is what."""
    words = dict.fromkeys(one.word for one in own)
    counts = [f"{word or 'without an interval'} in {_count(own, word)}" for word in words]
    return f"{value} is {listed(counts)} of {cases} cases"


def _plain(one: Changed, metric: Metric) -> str:
    change = one.change.change if one.change else None
    return _amount(change, metric) if change else "–"


def _count(own: Sequence[Changed], word: str) -> int:
    return sum(one.word == word for one in own)


def _of_many(metric: Metric, rows: dict[str, list[Changed]], cases: int) -> str:
    """Many values: the best few, and how many are what."""
    sign = preferences.direction(metric) or 1

    def worth(own: Sequence[Changed]) -> float:
        means = [one.change.change.mean for one in own if one.change and one.change.change]
        return sign * sum(means) / len(means)

    ranked = sorted(rows, key=lambda value: -worth(rows[value]))
    every = [one for own in rows.values() for one in own]
    words = [word for word in dict.fromkeys(one.word for one in every) if word]
    if words == [preferences.NOT_SHOWN]:
        return f"none of {len(rows)} is shown to differ"
    best = [
        _of_one(value, rows[value][0], metric) if cases == 1 else _counted(value, rows[value], cases)
        for value in ranked[:_MOST_NAMED]
    ]
    counts = listed(f"{_count(every, word)} {word}" for word in words)
    rest = f"; of all {len(every)} comparisons {counts}" if counts else ""
    return f"{'; '.join(best)}{rest}"


# -- numbers ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Standing:
    """A cell's mean of a metric."""

    cell: MeasuredCell
    found: statistics.Interval

    def said(self, unit: str) -> str:
        """Text with the cell and the value."""
        return f"{self.cell.label} ({quantity(brief(self.found.as_dict()), unit)})"


def _extremes(measured: Measured, metric: Metric) -> Statement | None:
    """Highest and lowest of cells that are told apart by numbers."""
    standings = _standings(measured, metric)
    if len(standings) < 2:  # noqa: PLR2004 - one is nothing to compare
        return None
    unit, highest, lowest = metric.unit, standings[0], standings[-1]
    room = abs(highest.found.mean - lowest.found.mean)
    if room <= _ROUNDING * max(abs(highest.found.mean), abs(lowest.found.mean)):
        return Statement(
            named(metric), f"The same everywhere: {quantity(brief(highest.found.as_dict()), unit)}."
        )
    ends = [("highest", highest), ("lowest", lowest)]
    # In front stands what is wanted of it.
    (best, one), (worst, other) = ends[::-1] if preferences.direction(metric) < 0 else ends
    text = f"{best.capitalize()} with {one.said(unit)}, {worst} with {other.said(unit)}."
    rest = [standing.cell for standing in standings if standing is not one]
    return Statement(named(metric), f"{text} {_unproven(measured, metric, one.cell, rest)}".rstrip())


def _standings(measured: Measured, metric: Metric) -> list[_Standing]:
    """Cells from the highest to the lowest."""
    values = measured.values(metric)
    found = []
    for cell in measured.cells:
        runs = list(values.get(cell.number or 0, {}).values())
        interval = bootstrap.estimate(runs, metric.over, metric.bounds) if runs else None
        if interval is not None:
            found.append(_Standing(cell, interval))
    return sorted(found, key=lambda standing: -standing.found.mean)


def _unproven(measured: Measured, metric: Metric, best: MeasuredCell, others: Sequence[MeasuredCell]) -> str:
    """Cells that are not shown to differ from the first named one."""
    if metric.over != bootstrap.MEAN:
        return ""
    changes = differences.from_one(measured, best, others, metric)
    known = [
        (cell.label, preferences.word(metric, change.change))
        for cell, change in changes
        if change.significant is not None
    ]
    if not known:
        return ""
    alike = [label for label, word in known if word == preferences.NOT_SHOWN]
    words = dict.fromkeys(word for _, word in known if word != preferences.NOT_SHOWN)
    if not alike:
        return f"All others are {listed(words)}."
    if len(alike) == len(known):
        return "No difference from the first is shown: all may be chance."
    return (
        f"Not shown to differ from the first: {listed(alike, _MOST_NAMED)}; the others are {listed(words)}."
    )


def _along(design: Design, axis: Axis, metrics: Sequence[Metric]) -> Statement | None:
    """Course of the first metric along an axis of numbers, for each value of the leading axis."""
    lead = design.leading
    metric = next((one for one in metrics if axis.compares(one)), None)
    if lead is None or metric is None or len(design.axes) > 2 or len(lead.axis.values) > _MOST_VALUES:  # noqa: PLR2004 - the two axes
        return None
    parts = []
    standings = _standings(design.measured, metric)
    for value in lead.axis.values:
        own = [
            one
            for one in standings
            if lead.axis.said(one.cell) == value and axis.number(one.cell) is not None
        ]
        own.sort(key=lambda one: axis.number(one.cell) or 0.0)
        if len(own) > 1:
            ends = [brief(one.found.as_dict()) for one in (own[0], own[-1])]
            parts.append((value, ends, [axis.said(one.cell) for one in (own[0], own[-1])]))
    if not parts:
        return None
    low, high = parts[0][2]
    text = "; ".join(
        f"{value} {quantity(f'{ends[0]} to {ends[1]}', metric.unit)}" for value, ends, _ in parts
    )
    return Statement(f"{named(metric)}, by {axis.name}", f"From {low} to {high}: {text}.")


def _left_out(design: Design, metrics: Sequence[Metric]) -> list[Statement]:
    """Note about metrics that mean nothing across links of different rates."""
    axes = [contrast.axis for contrast in design.contrasts[:1]] or design.axes
    for axis in axes:
        out = [named(metric) for metric in metrics if not axis.compares(metric)]
        if out:
            text = f"{listed(out)}: the rates of links differ along {axis.name}, so more is no finding."
            return [Statement("Not compared", text)]
    return []


def named(metric: Metric) -> str:
    """A metric as a sentence is headed: `Goodput of tcp`."""
    word = reach.said(metric.name) or _NAMES.get(metric.name, metric.name.replace("_", " "))
    of_owner = f" of {metric.owner}" if metric.of != "queue" else f" at {metric.owner}"
    during = f" in {metric.window}" if metric.window else ""
    over = "" if metric.over == bootstrap.MEAN else f" ({metric.over} over runs)"
    return f"{word[:1].upper()}{word[1:]}{of_owner if metric.owner else ''}{during}{over}"

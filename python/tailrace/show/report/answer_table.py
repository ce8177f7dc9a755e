"""Table of the answer: the values of the leading axis, case by case, with the first metrics and a word for each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tailrace.show.report.markup import Markup, tag
from tailrace.show.report.statements import brief
from tailrace.stats import bootstrap, preferences
from tailrace.text import interval_text

if TYPE_CHECKING:
    from tailrace.show.report.contrast import Changed, Contrast
    from tailrace.stats.metrics import Metric

# Metrics beside each other, and rows: more are in the table of all cells.
_MOST_METRICS, _MOST_ROWS = 4, 12
_CLASSES = {preferences.BETTER: "better", preferences.WORSE: "worse"}


def markup(found: Contrast | None, metrics: Sequence[Metric]) -> Markup | None:
    """The table; None where nothing is compared, or where it would push all else off the first screen."""
    if found is None:
        return None
    shown = list(metrics[:_MOST_METRICS])
    kept = _kept(found, shown[0]) if shown else set()
    columns = {
        metric: [one for one in found.changes(metric) if found.axis.said(one.cell) in kept]
        for metric in shown
    }
    rows = next(iter(columns.values()), [])
    if not rows or len(rows) > _MOST_ROWS:
        return None
    heads = [axis.name for axis in found.others] + [found.axis.name]
    body = [_row(found, place, columns) for place in range(len(rows))]
    table = tag(
        "table",
        tag("caption", f"Against {found.axis.name}={found.base}, all else being equal", cls="hidden"),
        tag(
            "thead",
            tag(
                "tr",
                [tag("th", text, scope="col") for text in heads],
                [tag("th", metric.heading, scope="col", cls="number") for metric in shown],
            ),
        ),
        tag("tbody", body),
        cls="verdicts",
    )
    every = len(found.axis.values)
    note = (
        f"{found.base} and the best {len(kept) - 1} of the {every - 1} others by the first metric; the table"
    )
    return tag(
        "div",
        table,
        tag("p", f"{note} below has all.", cls="note") if len(kept) < every else None,
        cls="scroll answer-table",
        tabindex="0",
        role="region",
        aria_label="Answer by metric",
    )


def _kept(found: Contrast, metric: Metric) -> set[str]:
    """Values that the table has room for: the base, and the best by a metric on average over the cases."""
    most = max(1, _MOST_ROWS // max(1, len(found.cases)) - 1)
    changes: dict[str, list[float]] = {}
    for one in found.changes(metric):
        if one.change is not None and one.change.change is not None:
            changes.setdefault(found.axis.said(one.cell), []).append(one.change.change.mean)
    sign = preferences.direction(metric) or 1
    others = [value for value in found.axis.values if value != found.base]
    if len(others) > most:
        ranked = sorted(changes, key=lambda value: -sign * sum(changes[value]) / len(changes[value]))
        others = ranked[:most]
    return {found.base, *others}


def _row(found: Contrast, place: int, columns: dict[Metric, list[Changed]]) -> Markup:
    one = next(iter(columns.values()))[place]
    labels = [*(axis.said(one.cell) for axis in found.others), found.axis.said(one.cell)]
    first, *rest = labels
    cells = [_cell(found, metric, changes[place]) for metric, changes in columns.items()]
    return tag("tr", tag("th", first, scope="row"), [tag("td", text) for text in rest], cells)


def _cell(found: Contrast, metric: Metric, one: Changed) -> Markup:
    """A value, and below it how it differs."""
    runs = found.measured.values(metric).get(one.cell.number or 0, {})
    value = bootstrap.estimate(list(runs.values()), metric.over, metric.bounds)
    text = interval_text.mean_or_bound(value.as_dict() if value else None, 1.0, metric.least)
    return tag("td", text, _word(found, metric, one), cls="number")


def _word(found: Contrast, metric: Metric, one: Changed) -> Markup | None:
    if found.axis.said(one.cell) == found.base:
        return tag("small", "baseline") if found.compares(metric) else None
    change = one.change.change if one.change else None
    if change is None:
        return None
    amount = brief(change.as_dict())
    sign = "+" if change.mean > 0 else ""
    text = f"{one.word}: {sign}{amount}" if one.word else f"{sign}{amount}"
    return tag("small", text.replace("-", "−"), cls=_CLASSES.get(one.word))

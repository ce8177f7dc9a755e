"""The report of a search: that of its trials as a sweep, and before it which trial is the best and how to run it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from tailrace.show.report import of_sweep, provenance
from tailrace.show.report.html_page import Page, Section
from tailrace.show.report.html_tables import Sheet
from tailrace.show.report.statements import Statement, brief, counted, listed, quantity
from tailrace.study import search_driver

if TYPE_CHECKING:
    from tailrace.stats.statistics import Interval
    from tailrace.study.search_result import Search

LUCK = Statement(
    "Luck",
    "The best of many trials is partly luck. Run it again with another seed and more runs before you rely on it.",
    True,
)


def page(search: Search, columns: Sequence[str] = ()) -> Page:
    """All of it."""
    of_trials = of_sweep.page(search.sweep, columns)
    sections = [_trials(search) if one.name == "tables" else one for one in of_trials.sections]
    if search.has_best:
        note = "Add --seed 2 --runs 20 to see how much of it is luck."
        best = provenance.repeated([f"tailrace {search.command}"], note)
        sections = [Section("best", "Run the best trial", [best]), *sections]
    return replace(
        of_trials,
        kind=f"search of {counted(search.count, 'trial')}",
        statements=[*_statements(search), *of_trials.statements],
        facts=[("trials", str(search.count)), *of_trials.facts[1:]],
        sections=sections,
    )


def _trials(search: Search) -> Section:
    every = [Sheet(search.ranked_table().grid(None), "table.csv", "Every trial, the best first").markup()]
    return Section("tables", "Trials", every)


def _statements(search: Search) -> list[Statement]:
    states = [trial.state for trial in search.judged]
    refused = [
        f"{states.count(state)} {state}"
        for state in (search_driver.NOT_ALLOWED, search_driver.FAILED)
        if state in states
    ]
    text = f"Of {counted(search.count, 'trial')} {listed(refused)}: none of these can be the best."
    left_out = [Statement("Left out", text)] if refused else []
    if not search.has_best:
        return [Statement("Best", "No trial is what was asked for.", True), *left_out]
    return [_best(search), *_as_good(search), *left_out, LUCK]


def _best(search: Search) -> Statement:
    best, metric = search.best, search.metric
    least = "largest" if search.maximizes else "smallest"
    said = quantity(brief(best.value.as_dict()), metric.unit)
    values = listed(f"{name} = {value}" for name, value in search.shown(best.number))
    return Statement("Best", f"Trial {best.number} has the {least} {search.goal}: {said}, with {values}.")


def _as_good(search: Search) -> list[Statement]:
    """Trials that cannot be told from the best by their intervals."""
    best = search.best
    near = [
        f"trial {number}"
        for number, trial in enumerate(search.judged, start=1)
        if number != best.number
        and trial.state == search_driver.OK
        and trial.values[0] is not None
        and _overlap(_ends(best.value), _ends(trial.values[0]))
    ]
    text = f"The 95 % intervals of {listed(near)} overlap with that of the best: they may be as good."
    return [Statement("As good", text)] if near else []


def _ends(value: Interval) -> tuple[float, float]:
    return value.ends or (value.mean - (value.ci95 or 0), value.mean + (value.ci95 or 0))


def _overlap(one: tuple[float, float], other: tuple[float, float]) -> bool:
    return one[0] <= other[1] and other[0] <= one[1]

"""Runs scenarios by label into a working store, as a sweep of them, and makes a result of each."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tailrace.data.comparison import Comparison
from tailrace.data.result import Result
from tailrace.errors import RunError
from tailrace.study import precision, sweep_runner
from tailrace.study.cells import Cell

if TYPE_CHECKING:
    from tailrace.data.working_store import WorkingStore
    from tailrace.execution.execute import Watch
    from tailrace.scenario.scenario import Scenario
    from tailrace.study.precision import Goals, Missed
    from tailrace.study.sweep_runner import Survey, Way


@dataclass(frozen=True)
class Variants:
    """Scenarios by label, and the one of which they are variants."""

    base: Scenario
    cells: Mapping[str, Scenario]
    # Name of what tells them apart, for those who read the store as a sweep.
    axis: str = "variant"

    def survey(self) -> Survey:
        """The cells of the sweep over them."""
        found = sweep_runner.Survey()
        for label, scenario in self.cells.items():
            found.take(Cell(label, {}, {self.axis: repr(label)} if label else {}), scenario)
        each = zip(found.cells, self.cells.values(), strict=True)
        # A label does not say how a scenario is made: it stays in memory.
        found.cells = [
            planned and replace(planned, scenario=scenario, is_given=True) for planned, scenario in each
        ]
        return found


@dataclass(frozen=True)
class Ended:
    """Outcome of the runs of scenarios."""

    # Number of runs that were asked for, and of these how many an earlier command had done.
    runs: int
    known: int
    landed: int
    errors: Sequence[str]
    interrupted: bool
    missed: Sequence[Missed] = ()


def run(
    variants: Variants,
    store: WorkingStore,
    *,
    goals: Goals | None = None,
    way: Way | None = None,
    watched: Callable[[int], AbstractContextManager[Watch]],
    stop: Callable[[], bool] = lambda: False,
) -> Ended:
    """Does all runs that have not landed; with goals as many as these take.

    Raises
    ------
    ScenarioError
        if a kernel refuses a setting of a scenario
    RunError
        if no run ended although nobody stopped them
    """
    surveyed = variants.survey()
    missed: Sequence[Missed] = ()
    way = way or sweep_runner.Here(refusing=True)
    if goals:
        done, missed = precision.run(
            variants.base, surveyed, store, goals, way=way, watched=watched, stop=stop
        )
    else:
        with watched(len(sweep_runner.share(surveyed))) as watch:
            done = sweep_runner.run(variants.base, surveyed, store, way, watch, stop)
    errors = _errors(store)
    there = store.landed()
    landed = len({(cell, run) for _, cell, runs in _plan(store) for run in range(1, runs + 1)} & there)
    if not landed and not done.interrupted:
        raise RunError("\n".join(errors) or "no run ended")
    return Ended(done.runs, done.known, landed, errors, done.interrupted, missed)


def _plan(store: WorkingStore) -> list[tuple[str, int, int]]:
    """Label, cell and number of runs of each scenario, as it was run."""
    rows = json.loads(store.index.fact(sweep_runner.PLAN) or "[]")
    return [(row["label"], row["cell"], row["runs"]) for row in rows]


def _errors(store: WorkingStore) -> list[str]:
    """Message of each run that failed."""
    failures = store.index.failures()
    return [
        f"{f'{label} run {run}'.strip()} failed: {error}"
        for label, cell, runs in _plan(store)
        for of_cell, run, error in failures
        if of_cell == cell and run <= runs
    ]


def results(variants: Variants, store: WorkingStore, ended: Ended) -> dict[str, Result]:
    """A result of each scenario of which any run ended, by label."""
    plan = _plan(store)
    most = {cell: max(runs for _, other, runs in plan if other == cell) for _, cell, _ in plan}
    found = store.cell_runs(most)
    made = {}
    for label, cell, runs in plan:
        own = found[cell].first(runs)
        if own.entries:
            asked = variants.cells[label]
            scenario = asked if asked.runs == runs else asked.replaced({"runs": runs})
            made[label] = Result.of_cell(scenario, own, _status(ended, complete=len(own.entries) == runs))
    return made


def single(variants: Variants, store: WorkingStore, ended: Ended) -> Result:
    """The result of the only scenario."""
    (result,) = results(variants, store, ended).values()
    return result


def comparison(variants: Variants, store: WorkingStore, ended: Ended) -> Comparison:
    """The results of scenarios side by side."""
    status = _status(ended, complete=ended.landed == ended.runs)
    return Comparison(results(variants, store, ended), variants.base.name, status)


def _status(ended: Ended, *, complete: bool) -> str:
    if complete:
        return "complete"
    return "interrupted" if ended.interrupted else "failed"

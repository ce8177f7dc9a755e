"""More runs of each cell until its mean is known as closely as wanted: `--until-ci 5%`.

The sequential procedure of Law & Kelton (2000, section 9.4.1), in rounds: where the 95 % interval's half width is more
than the wanted share of the mean, the next round has as many runs as the interval would take if the runs went on to
scatter so, at least a quarter more and at most twice as many. What is decided depends on runs 1 to n of a cell alone,
whatever else has landed: the same command ends with the same runs wherever it was stopped in between.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from tailrace.data.store.parts import FIGURES
from tailrace.errors import UsageError
from tailrace.execution.execute import FinishedRun, Job, Outcome
from tailrace.stats import bootstrap, metrics, numbers
from tailrace.stats.metrics import Known, Metric
from tailrace.stats.reach import Series
from tailrace.study import attack_damage, sweep_runner

if TYPE_CHECKING:
    import polars as pl

    from tailrace.data.store import Writer
    from tailrace.execution.execute import Watch
    from tailrace.scenario.scenario import Scenario
    from tailrace.stats.statistics import Interval
    from tailrace.study.sharding import Shard

# With fewer the first interval is too much a matter of luck to decide by.
FEWEST_RUNS = 5
# Where nobody says.
MOST_RUNS = 100


@dataclass(frozen=True)
class Goal:
    """Precision goal of a metric: the half width as a share of the mean."""

    metric: str
    share: float


@dataclass(frozen=True)
class Goals:
    """All that must be reached, and with how many runs of a cell at most."""

    goals: Sequence[Goal]
    most: int = MOST_RUNS

    @property
    def first(self) -> int:
        """The runs of the first round, if the scenario has no more."""
        return min(FEWEST_RUNS, self.most)


@dataclass(frozen=True)
class Missed:
    """A cell that is known less closely than wanted."""

    label: str
    metric: str
    runs: int
    # The half width as a share of the mean; None where there is no value, or no interval.
    share: float | None

    def __str__(self) -> str:
        known = "no interval" if self.share is None else f"±{100 * self.share:.3g} %"
        where = f"{self.label}: " if self.label else ""
        return f"{where}{self.metric} {known} after {self.runs} runs"


def parse(
    text: str | None, columns: Sequence[str] = (), most: int | None = None, shard: Shard | None = None
) -> Goals | None:
    """`5%` (of the first of `columns`), `goodput=5%`, or several with commas.

    >>> parse("goodput=5%,tcp.rtt=10%").goals
    [Goal(metric='goodput', share=0.05), Goal(metric='tcp.rtt', share=0.1)]
    """
    if text is None:
        if most is not None:
            raise UsageError("--max-runs is the ceiling of --until-ci, and there is none")
        return None
    _check_whole(shard)
    goals = []
    for part in text.split(","):
        name, equals, limit = part.rpartition("=")
        if not equals and not columns:
            raise UsageError(
                f"--until-ci {part.strip()} of what? --until-ci goodput=5%, or --columns goodput"
            )
        goals.append(Goal(name.strip() if equals else columns[0], _share(limit)))
    return Goals(goals, most or MOST_RUNS)


def _check_whole(shard: Shard | None) -> None:
    if shard:
        raise UsageError(
            "how closely a cell is known takes all its runs, of which a shard has some: do without shards"
        )


def asked_by(goals: Goals | None) -> list[str]:
    """Metrics with a goal."""
    return [goal.metric for goal in goals.goals] if goals else []


def of_python(
    until_ci: Mapping[str, float] | None, most: int | None, shard: Shard | None = None
) -> Goals | None:
    """`{"goodput": 0.05}`."""
    if until_ci is None:
        return None
    _check_whole(shard)
    outside = next((name for name, share in until_ci.items() if not 0 < share < 1), None)
    if outside is not None or not until_ci:
        raise UsageError(
            f"until_ci has shares between 0 and 1 by metric, such as {{'goodput': 0.05}}: {until_ci!r}"
        )
    return Goals([Goal(name, share) for name, share in until_ci.items()], most or MOST_RUNS)


def _share(text: str) -> float:
    """`5%` or `0.05`."""
    plain = text.strip()
    try:
        share = float(plain.removesuffix("%")) / (100 if plain.endswith("%") else 1)
    except ValueError:
        share = math.nan
    if not 0 < share < 1:
        raise UsageError(f"--until-ci takes METRIC=SHARE (goodput=5%); got {text.strip()!r}")
    return share


def next_count(runs: int, found: Interval | None, share: float, most: int) -> int:
    """Number of runs that a cell is to have; unchanged where they suffice."""
    if found is None or runs >= most or is_reached(found, share):
        return runs
    if found.ci95 is None or found.mean == 0:
        return min(most, 2 * runs)
    wanted = math.ceil(runs * (found.ci95 / (share * abs(found.mean))) ** 2)
    return min(most, max(runs + max(1, runs // 4), min(wanted, 2 * runs)))


def is_reached(found: Interval, share: float) -> bool:
    """Whether an interval is as narrow as wanted. Of a mean of 0 only one without width is."""
    return found.ci95 is not None and found.ci95 <= share * abs(found.mean)


# -- of sweeps -----------------------------------------------------------------------------------------------------


def begun(surveyed: sweep_runner.Survey, goals: Goals) -> sweep_runner.Survey:
    """The first round."""
    counts = {p.id: min(max(p.runs, goals.first), goals.most) for p in surveyed.cells if p}
    return with_runs(surveyed, counts)


def with_runs(surveyed: sweep_runner.Survey, counts: Mapping[str, int]) -> sweep_runner.Survey:
    """The same cells with other numbers of runs, by their ids."""
    cells = [planned and replace(planned, runs=counts[planned.id]) for planned in surveyed.cells]
    return replace(surveyed, cells=cells)


def run(
    scenario: Scenario,
    surveyed: sweep_runner.Survey,
    writer: Writer,
    goals: Goals,
    *,
    way: sweep_runner.Way | None = None,
    watched: Callable[[int], AbstractContextManager[Watch]],
    stop: Callable[[], bool] = lambda: False,
) -> tuple[sweep_runner.Done, list[Missed]]:
    """Rounds of runs until every cell is known closely enough, or has as many as it may; and those that are not.

    `watched` makes the watch of a round which ends with so many runs.
    """
    plan, fresh = begun(surveyed, goals), 0
    while True:
        with watched(len(sweep_runner.share(plan))) as watch:
            done = sweep_runner.run(scenario, plan, writer, way, watch, stop)
        fresh += done.runs - done.known
        done = replace(done, known=done.runs - fresh)
        if done.interrupted:
            return done, []
        counts, missed = _judged(plan, writer, goals)
        if counts == {p.id: p.runs for p in plan.cells if p}:
            return done, missed
        plan = with_runs(plan, counts)


def _judged(plan: sweep_runner.Survey, writer: Writer, goals: Goals) -> tuple[dict[str, int], list[Missed]]:
    """Next number of runs for each cell, and the goals that are missed."""
    cells = {planned.id: planned for planned in plan.cells if planned}
    counts = {name: planned.runs for name, planned in cells.items()}
    table = writer.frame(FIGURES)
    if table is None or table.is_empty():
        return counts, []
    numbers = writer.index.cells()
    pairs = [(numbers[name], numbers[p.without.id]) for name, p in cells.items() if p.without]
    if pairs:
        import polars as pl

        table = pl.concat([table, attack_damage.figures(table, pairs)])
    missed = []
    for goal, metric in _metrics(table, goals):
        values = _values(table, metric, lambda: writer.scan("group_series"))
        for name, planned in cells.items():
            of_cell = values.get(numbers[name], {})
            first = [value for run, value in sorted(of_cell.items()) if run <= planned.runs]
            count, short = _weighed(first, metric, goal, planned.runs, goals.most)
            counts[name] = max(counts[name], count)
            missed += [replace(one, label=planned.cell.label) for one in short]
    return counts, missed


def _weighed(
    values: Sequence[float], metric: Metric, goal: Goal, runs: int, most: int
) -> tuple[int, list[Missed]]:
    """Next number of runs for a cell, and the goals that it misses."""
    found = bootstrap.estimate(values, metric.over, metric.bounds)
    reached = found is not None and is_reached(found, goal.share)
    missed = [] if reached else [Missed("", metric.heading, runs, relative(found))]
    return next_count(runs, found, goal.share, most), missed


def relative(found: Interval | None) -> float | None:
    """The half width as a share of the mean."""
    if found is None or found.ci95 is None or found.mean == 0:
        return None
    return found.ci95 / abs(found.mean)


def _metrics(table: pl.DataFrame, goals: Goals) -> list[tuple[Goal, Metric]]:
    known = Known(table)
    return [(goal, metric) for goal in goals.goals for metric in known.metric(goal.metric)]


def _values(table: pl.DataFrame, metric: Metric, series: Series | None = None) -> dict[int, dict[int, float]]:
    """Cell -> run -> value."""
    found: dict[int, dict[int, float]] = {}
    for cell, number, value in metrics.values(table, metric, series).iter_rows():
        if value is not None:
            found.setdefault(cell, {})[number] = value
    return found


# -- of one scenario -----------------------------------------------------------------------------------------------


def of_scenario(
    scenario: Scenario, goals: Goals, done: Callable[[Sequence[Job]], Outcome]
) -> tuple[Scenario, Outcome, list[Missed]]:
    """The same for the runs of one scenario, which `done` does; it comes back with as many runs as it took."""
    count, outcome = min(max(scenario.runs, goals.first), goals.most), Outcome([])
    while True:
        more = done([Job(scenario, number) for number in range(len(outcome.finished) + 1, count + 1)])
        outcome = Outcome(
            [*outcome.finished, *more.finished], [*outcome.errors, *more.errors], more.interrupted
        )
        ended = [run for run in outcome.finished if run]
        if outcome.interrupted or not ended:
            return scenario.replaced({"runs": count}), outcome, []
        table = numbers.frame((1, run.run, run.entry) for run in ended)
        series = partial(_series, scenario, ended)
        weighed = [
            _weighed(
                list(_values(table, metric, series).get(1, {}).values()), metric, goal, count, goals.most
            )
            for goal, metric in _metrics(table, goals)
        ]
        wanted = max(following for following, _ in weighed)
        if wanted == count:
            return scenario.replaced({"runs": count}), outcome, [one for _, short in weighed for one in short]
        count = wanted


def _series(scenario: Scenario, ended: Sequence[FinishedRun]) -> pl.LazyFrame | None:
    """Series of groups in all runs so far."""
    from tailrace.data import measured_results
    from tailrace.data.result import Result

    series = measured_results.of_result(Result.of_runs(scenario, ended)).series
    return series() if series else None


def told(missed: Sequence[Missed], cells: int = 0, most_listed: int = 5) -> str:
    """Message about missed goals; without cells, of one scenario."""
    few = [f"  {one}" for one in missed[:most_listed]]
    more = len(missed) - len(few)
    if not cells:
        return "\n".join(["not known as closely as --until-ci wants; --max-runs allows more runs:", *few])
    count = len({one.label for one in missed})
    return "\n".join(
        [
            f"{count} of {cells} cells are not known as closely as --until-ci wants; --max-runs allows more:",
            *few,
            *([f"  and {more} more"] if more else []),
        ]
    )

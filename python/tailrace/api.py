"""Running experiments from Python."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from tailrace import _native
from tailrace.data.comparison import Comparison
from tailrace.data.interrupted import Interrupted
from tailrace.data.result import Result
from tailrace.errors import UsageError
from tailrace.execution import execute
from tailrace.execution.execute import Job, Outcome
from tailrace.scenario.scenario import Algorithms, Codes, Overrides, Scenario, ScenarioLike

if TYPE_CHECKING:
    from tailrace.study.precision import Goals, Missed
    from tailrace.study.search_result import Search
    from tailrace.study.sweep_result import Sweep

# A `distributed.Client`, of a package that need not be there.
DaskClient: TypeAlias = Any


def run(  # noqa: PLR0913 - what can be said
    source: ScenarioLike,
    *,
    seed: int | None = None,
    runs: int | None = None,
    set: Overrides | None = None,  # noqa: A002 - the name of the command line
    allow: Codes = (),
    algorithms: Algorithms = (),
    jobs: int | None = None,
    until_ci: Mapping[str, float] | None = None,
    max_runs: int | None = None,
    progress: bool = False,
) -> Result:
    """Runs a scenario and returns what it found.

    `source` is a path, TOML text, a dictionary, a `Scenario` or one of `tailrace.build`; `set` overrides values by
    their path in the file, `allow` has codes of warnings that are not wanted, `algorithms` classes of one's own that
    the scenario names. `jobs` runs go in parallel (default: one a processor); results do not depend on it. With
    `until_ci={"goodput": 0.05}` there are more runs, at most `max_runs`, until the half width of the metric's 95 %
    interval is so small a share of its mean. Ctrl-C stops the runs under way and raises `Interrupted`, a
    `KeyboardInterrupt` that holds what had ended.

    >>> import tailrace
    >>> result = tailrace.run("papers/kochher/kochher.toml", runs=2, set={"duration": "20 s"})  # doctest: +SKIP
    >>> result.aggregate["groups"]["tcp"]["jain"]  # doctest: +SKIP
    {'mean': ..., 'ci95': ..., 'n': 2}
    """
    from tailrace.study import precision

    scenario = Scenario.of(source, merged(set, seed, runs), allow, algorithms)
    goals = precision.of_python(until_ci, max_runs)
    scenario, outcome, _ = until(scenario, goals, lambda todo: watched(todo, jobs, quiet=not progress))
    finished = execute.completed(outcome)
    result = result_of(scenario, outcome) if finished else None
    if outcome.interrupted or result is None:
        raise Interrupted(result)
    return result


def run_variants(
    variants: Mapping[str, ScenarioLike],
    *,
    jobs: int | None = None,
    progress: bool = False,
    title: str = "comparison",
) -> Comparison:
    """Runs several scenarios by label, all their runs in one pool, and puts the results side by side.

    Each is a path, TOML text, a dictionary, a `Scenario` or one of `tailrace.build`, as for `run`.
    """
    scenarios = {label: Scenario.of(source) for label, source in variants.items()}
    todo = [job for label, scenario in scenarios.items() for job in jobs_of(scenario, label)]
    outcome = watched(todo, jobs, quiet=not progress)
    comparison = comparison_of(scenarios, todo, outcome, title)
    if outcome.interrupted or comparison is None:
        raise Interrupted(comparison)
    return comparison


def sweep(  # noqa: PLR0913 - what can be said
    source: ScenarioLike,
    axes: Mapping[str, Any] | None = None,
    *,
    together: Sequence[Mapping[str, Sequence[Any]]] = (),
    let: Mapping[str, Any] | None = None,
    derive: Mapping[str, str] | None = None,
    presets: Mapping[str, Mapping[str, Any]] | None = None,
    when: str | Sequence[str] = (),
    samples: int | None = None,
    independent: bool = False,
    set: Overrides | None = None,  # noqa: A002 - the name of the command line
    algorithms: Algorithms = (),
    runs: int | None = None,
    seed: int | None = None,
    jobs: int | None = None,
    output: str | os.PathLike[str] | None = None,
    fresh: bool = False,
    until_ci: Mapping[str, float] | None = None,
    max_runs: int | None = None,
    shard: tuple[int, int] | None = None,
    client: DaskClient = None,
    damage: bool = False,
    progress: bool = False,
) -> Sweep:
    """Runs a scenario for every combination of values, beside those of its own `[sweep]`.

    `axes` has lists of values by path (`{"link.bottleneck.queue": ["red", "codel"]}`), or `"uniform(1 ms, 10 ms)"` to
    draw `samples` of; those of `together` go side by side; `let` has names for the formulas of `derive` and `when`.
    With `until_ci={"goodput": 0.05}` cells get more runs, at most `max_runs`, until the half width of the metric's
    95 % interval is so small a share of its mean. Runs land in the folder `output` as they end, and what has landed
    there is not done again unless `fresh`; without `output` it is a temporary one. Of shards, such as `(3, 100)`, only
    the runs of that one are done; `merge` puts them together. With a `client` (`distributed.Client`) runs are done by
    its workers. With `damage` each cell is run without its attack, too, for the metrics `damage`, `damage_bytes` and
    `potency`. `algorithms` are as for `run`. Cells that cannot be run are in `.failures`. Ctrl-C raises
    `KeyboardInterrupt`; what landed stays.

    >>> periods = {"flow.attack.app.period": ["0.5 s", "1 s", "2 s"]}
    >>> tailrace.sweep("attack.toml", periods, runs=5).groups  # doctest: +SKIP
    """
    from tailrace.data.store import Writer
    from tailrace.study import cells, dask_workers, declaration, precision, sweep_runner
    from tailrace.study.attack_damage import is_named
    from tailrace.study.sharding import Shard
    from tailrace.study.sweep_result import Sweep

    part = Shard(*shard) if shard is not None else None
    goals = precision.of_python(until_ci, max_runs, part)
    scenario = Scenario.of(source, merged(set, seed, runs), algorithms=algorithms)
    own = declaration.of_python(
        axes,
        together=together,
        let=let,
        derive=derive,
        presets=presets,
        when=when,
        samples=samples,
        independent=independent,
    )
    declared = declaration.of_file(scenario).joined(own)
    surveyed = sweep_runner.survey(
        scenario,
        cells.Plan(declared, scenario.seed, cells.base(declared, scenario.written)),
        damage=damage or is_named(until_ci or ()),
    )
    place = Path(tempfile.mkdtemp(prefix="tailrace-") if output is None else output)
    about = {"scenario": scenario.name, "file": scenario.file_name}
    with Writer.opened(place, about, fresh=fresh) as writer:
        from tailrace.execution import progress as display

        def watched(total: int) -> display.Monitor:
            return display.watch(quiet=not progress, total=total)

        way = sweep_runner.Here(jobs) if client is None else dask_workers.Cluster(client)
        if goals:
            done, _ = precision.run(scenario, surveyed, writer, goals, way=way, watched=watched)
        else:
            with watched(len(sweep_runner.share(surveyed, part))) as watch:
                done = sweep_runner.run(scenario, surveyed, writer, way, watch, shard=part)
    if done.interrupted:
        raise KeyboardInterrupt
    found = Sweep(place, temporary=output is None)
    if output is not None and part is None:
        found.write_table()
    return found


def search(  # noqa: PLR0913 - what can be said
    source: ScenarioLike,
    over: Mapping[str, Any],
    *,
    maximize: str | None = None,
    minimize: str | None = None,
    let: Mapping[str, Any] | None = None,
    derive: Mapping[str, str] | None = None,
    when: str | Sequence[str] = (),
    subject_to: str | Sequence[str] = (),
    trials: int = 100,
    sampler: str = "tpe",
    batch: int = 4,
    set: Overrides | None = None,  # noqa: A002 - the name of the command line
    algorithms: Algorithms = (),
    runs: int | None = None,
    seed: int | None = None,
    jobs: int | None = None,
    output: str | os.PathLike[str] | None = None,
    fresh: bool = False,
    client: DaskClient = None,
    progress: bool = False,
) -> Search:
    """Tries values until a metric is as large, or as small, as it gets; a `[sweep]` of the scenario plays no part.

    `over` has by path `"uniform(1 ms, 100 ms)"`, `"log_uniform(...)"` or a list of values; `let` the same by names for
    the formulas of `derive`; `when` must hold for a trial to be run, `subject_to`, which may name metrics, for it to
    count. Of each trial there are all `runs`. Trials are proposed by `sampler`, a `batch` of them at a time: what is
    found depends on these, the seed and nothing else. Runs land in the folder `output`; the same call goes on there.

    >>> search = tailrace.search(
    ...     "flood.toml", {"link.bottleneck.queue.target": "uniform(1 ms, 50 ms)"}, maximize="tcp.goodput"
    ... )  # doctest: +SKIP
    >>> search.best.overrides  # doctest: +SKIP
    """
    from tailrace.data.store import Writer
    from tailrace.study import dask_workers, declaration, search_checks, search_driver, sweep_runner
    from tailrace.study.search_result import Search

    scenario = Scenario.of(source, merged(set, seed, runs), algorithms=algorithms)
    wanted = search_driver.Wanted(
        *search_driver.goal(maximize, minimize),
        over=declaration.searched_python(over),
        let=declaration.searched_python(let or {}),
        derive=dict(derive or {}),
        when=[when] if isinstance(when, str) else list(when),
        subject_to=[subject_to] if isinstance(subject_to, str) else list(subject_to),
        trials=trials,
        sampler=sampler,
        batch=batch,
    ).checked()
    search_checks.check(wanted, scenario)
    place = Path(tempfile.mkdtemp(prefix="tailrace-") if output is None else output)
    about = {"scenario": scenario.name, "file": scenario.file_name}
    way = sweep_runner.Here(jobs) if client is None else dask_workers.Cluster(client)
    with Writer.opened(place, about, fresh=fresh) as writer:
        from tailrace.execution import progress as display

        hunt = search_driver.Hunt(scenario, wanted, writer)
        with display.watch(quiet=not progress, total=trials * scenario.runs) as watch:
            interrupted = hunt.run(way, watch)
    if interrupted:
        raise KeyboardInterrupt
    found = Search(place, temporary=output is None)
    if output is not None:
        found.write_tables()
    return found


def merge(places: Sequence[str | os.PathLike[str]], output: str | os.PathLike[str]) -> Sweep:
    """Puts the folders of a sweep's shards together; the result is that of the sweep run at once.

    They must be of one sweep and one engine, and runs that several have must be equal. What is in `output` already
    stays. Runs that nobody has done are missing from `.runs`; the same `sweep` with this `output` does them.
    """
    from tailrace.study import merge_stores
    from tailrace.study.sweep_result import Sweep

    merge_stores.merge([Path(place) for place in places], Path(output))
    found = Sweep(Path(output))
    found.write_table()
    return found


def list_queues() -> list[dict[str, Any]]:
    """The queue disciplines: name, description, parameters with defaults and sources."""
    queues: list[dict[str, Any]] = catalog()["queues"]
    return queues


def catalog(algorithms: Algorithms = ()) -> dict[str, list[dict[str, Any]]]:
    """Everything a scenario can name, by kind: `queues`, `cc`, ...; also classes of one's own."""
    everything: dict[str, list[dict[str, Any]]] = json.loads(_beside(_native.catalog, algorithms))
    return everything


def schema(algorithms: Algorithms = ()) -> str:
    """The JSON Schema of scenario files, which may name classes of one's own, too."""
    return _beside(_native.schema, algorithms)


def _beside(asked: Callable[[list[_native.Plugin]], str], own: Algorithms) -> str:
    if not own:
        return asked([])
    from tailrace.scenario.algorithms import outsiders

    try:
        return asked(outsiders(own))
    except ValueError as error:
        raise UsageError(str(error)) from None


# -- what the command line shares ------------------------------------------------------------------------------


def merged(overrides: Overrides | None, seed: int | None, runs: int | None) -> dict[str, object]:
    """`seed` and `runs` are keys of a scenario like any other."""
    found = dict(overrides or {})
    if seed is not None:
        found["seed"] = seed
    if runs is not None:
        found["runs"] = runs
    return found


def watched(jobs: Sequence[Job], threads: int | None, *, quiet: bool) -> Outcome:
    """Runs jobs under a progress display."""
    from tailrace.execution import progress  # Rich loads when something is shown

    with progress.watch(quiet=quiet, total=len(jobs)) as watch:
        return execute.execute(jobs, threads, watch)


def until(
    scenario: Scenario, goals: Goals | None, done: Callable[[Sequence[Job]], Outcome]
) -> tuple[Scenario, Outcome, list[Missed]]:
    """The runs of a scenario, or as many as the goals take; the scenario says how many that were."""
    if goals is None:
        return scenario, done(jobs_of(scenario)), []
    from tailrace.study import precision

    return precision.of_scenario(scenario, goals, done)


def jobs_of(scenario: Scenario, label: str = "") -> list[Job]:
    """A job for each run; runs count from 1."""
    return [Job(scenario, number, label) for number in range(1, scenario.runs + 1)]


def result_of(scenario: Scenario, outcome: Outcome) -> Result:
    """The result of one scenario's jobs."""
    finished = execute.completed(outcome)
    return Result.of_runs(
        scenario, finished, _status(outcome, complete=len(finished) == len(outcome.finished))
    )


def comparison_of(
    variants: Mapping[str, Scenario], todo: Sequence[Job], outcome: Outcome, title: str
) -> Comparison | None:
    """The results of several scenarios' jobs, without those of which no run ended; None without any."""
    finished = execute.completed(outcome)
    results = {}
    for label, scenario in variants.items():
        own = [run for job, run in zip(todo, outcome.finished, strict=True) if job.label == label]
        ended = [run for run in own if run is not None]
        if ended:
            status = _status(outcome, complete=len(ended) == len(own))
            results[label] = Result.of_runs(scenario, ended, status)
    status = _status(outcome, complete=len(finished) == len(todo))
    return Comparison(results, title, status) if results else None


def _status(outcome: Outcome, *, complete: bool) -> str:
    if complete:
        return "complete"
    return "interrupted" if outcome.interrupted else "failed"

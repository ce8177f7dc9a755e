"""Runs a sweep into a store: what has landed is not done again, what fails is noted, and the rest goes on."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol, TypeAlias

from tailrace import _native
from tailrace.data.store import Landing, Writer
from tailrace.data.store.index import unwritable
from tailrace.errors import ScenarioError, UsageError
from tailrace.execution import execute, identity, tasks
from tailrace.execution.execute import Job, Watch
from tailrace.execution.streaming import Rows
from tailrace.scenario.scenario import Scenario
from tailrace.study import variants
from tailrace.study.attack_damage import Without
from tailrace.study.cells import Cell, Plan
from tailrace.study.scenario_cache import ScenarioCache
from tailrace.study.sharding import Shard, dealt
from tailrace.system import memory_limit

# Keys of the plan, the engine and the scenario in a store.
PLAN, ENGINE, SCENARIO = "plan", "engine", "scenario"
# Key in the plan of the cell without the attack.
WITHOUT = "without_attack"
# The words of a command line that does all of it, but for where.
COMMAND = "command"
# The metrics that its table was asked to have, with commas.
COLUMNS = "columns"


@dataclass(frozen=True)
class Planned:
    """A cell that can be run."""

    cell: Cell
    id: str
    runs: int
    # Bytes of memory of a run under way.
    memory: int
    # The same without its attack, where that is run, too.
    without: Planned | None = None
    # Scenario of the cell, where there was room to keep it.
    scenario: Scenario | None = field(default=None, repr=False, compare=False)
    # Whether that alone says how the cell is made: its overrides do not.
    is_given: bool = False


# A cell, its number in the store, and which run of it.
Todo: TypeAlias = tuple[Planned, int, int]


class Way(Protocol):
    """A way to do runs: on threads of this process, on a cluster."""

    def __call__(
        self,
        scenario: Scenario,
        todo: Sequence[Todo],
        writer: Writer,
        watch: Watch,
        stop: Callable[[], bool],
    ) -> tuple[int, bool]:
        """Does all of them, and lets them land; how many failed, and whether it was stopped before the end."""


@dataclass
class Survey:
    """All cells of a sweep, read once: which can be run, and what is wrong with the others."""

    # The columns that follow from others.
    derived: list[str] = field(default_factory=list)
    cells: list[Planned | None] = field(default_factory=list)
    all: list[Cell] = field(default_factory=list)
    errors: dict[int, ScenarioError] = field(default_factory=dict)
    warned: variants.Warned = field(default_factory=variants.Warned)
    # Simulated time of runs to be done: equal cells share them.
    simulated_s: float = 0.0
    # Makes the cells without attack, where they are wanted.
    without: Without | None = None
    _others: dict[str, Planned] = field(default_factory=dict)
    _ids: set[str] = field(default_factory=set)
    _cache: ScenarioCache = field(default_factory=ScenarioCache)

    @property
    def runs(self) -> int:
        """Number of runs in all."""
        return len(share(self))

    @property
    def alike(self) -> int:
        """Number of cells equal to one before them."""
        there = [planned.id for planned in self.cells if planned]
        return len(there) - len(set(there))

    def look(self, scenario: Scenario, cell: Cell) -> None:
        """Reads one more cell."""
        try:
            variant = scenario.variant(cell.label, cell.overrides)
        except ScenarioError as error:
            self.errors[len(self.cells)] = error
            self.pass_over(cell)
        else:
            self.take(cell, variant, self._without(scenario, cell) if self.without else None)

    def take(self, cell: Cell, variant: Scenario, without: Planned | None = None) -> None:
        """Takes a cell that has been read."""
        self.all.append(cell)
        self.cells.append(self._planned(cell, variant, without))
        self.warned.look(cell.label, variant)

    def _planned(self, cell: Cell, variant: Scenario, without: Planned | None = None) -> Planned:
        memory, _ = variant.native.memory
        planned = Planned(cell, identity.of_cell(variant), variant.runs, memory, without)
        if planned.id in self._ids:
            return planned
        self.simulated_s += variant.runs * variant.duration_s
        self._ids.add(planned.id)
        return replace(planned, scenario=self._cache.keep(variant))

    def _without(self, scenario: Scenario, cell: Cell) -> Planned | None:
        """Cells that differ in the attack alone have the same one."""
        if self.without is None:
            return None
        other = self.without.cell(cell)
        key = repr(sorted(other.overrides.items()))
        if key not in self._others:
            self._others[key] = self._planned(other, scenario.variant(other.label, other.overrides))
        return self._others[key]

    def pass_over(self, cell: Cell) -> None:
        """Counts a cell that is not to be run."""
        self.all.append(cell)
        self.cells.append(None)


def survey(
    scenario: Scenario, plan: Plan, looked: Callable[[float], None] = lambda _: None, *, damage: bool = False
) -> Survey:
    """Reads every cell. Where none can be run the error of the first is raised.

    With `damage` each is to be run without its attack, too.
    """
    if "runs" in plan.columns:
        raise UsageError("`runs` is no axis of a sweep: say with --runs how many each cell has")
    found = Survey(plan.derived, without=Without(scenario) if damage else None)
    for cell in plan.cells():
        found.look(scenario, cell)
        looked(len(found.all) / plan.size)
    if not found.all:
        raise UsageError("the sweep has no cells: its conditions hold for none")
    if len(found.errors) == len(found.all):
        raise next(iter(found.errors.values()))
    return found


@dataclass
class Done:
    """Outcome of a sweep."""

    runs: int
    # Number of these that an earlier command had done.
    known: int
    failed: int
    interrupted: bool


def run(
    scenario: Scenario,
    surveyed: Survey,
    writer: Writer,
    way: Way | None = None,
    watch: Watch | None = None,
    stop: Callable[[], bool] = lambda: False,
    shard: Shard | None = None,
) -> Done:
    """Does all runs that have not landed yet, or a shard's; run 1 of every cell comes before run 2 of any."""
    check_engine(writer)
    numbers = enter(writer, scenario, surveyed)
    runs = share(surveyed, shard)
    todo = lacking(runs, numbers, writer)
    failed, interrupted = 0, False
    watch = watch or execute.Silent()
    watch.found(len(runs) - len(todo))
    if todo:
        failed, interrupted = (way or Here())(scenario, todo, writer, watch, stop)
    return Done(len(runs), len(runs) - len(todo), failed + len(surveyed.errors), interrupted)


def scenarios(scenario: Scenario, surveyed: Survey) -> Iterator[Scenario]:
    """Scenarios of the cells that can be run, one after the other."""
    for planned in filter(None, surveyed.cells):
        yield of_cell(scenario, planned)


def of_cell(scenario: Scenario, planned: Planned) -> Scenario:
    """Scenario of a cell."""
    return planned.scenario or scenario.variant(planned.cell.label, planned.cell.overrides)


def landed(writer: Writer, surveyed: Survey, shard: Shard | None = None) -> int:
    """Number of runs that an earlier command has done."""
    runs = share(surveyed, shard)
    numbers = writer.index.cells()
    known = [(planned, number) for planned, number in runs if planned.id in numbers]
    return len(known) - len(lacking(known, numbers, writer))


def replaced(writer: Writer, scenario: Scenario) -> str | None:
    """Message if the store was filled from another scenario."""
    text = writer.index.fact(SCENARIO)
    if text is None or not writer.index.runs():
        return None
    about = json.loads(text)
    if about["name"] != scenario.name:
        held = f"runs of the scenario {about['name']!r}"
    elif _without_runs(about["toml"]) != _without_runs(scenario.to_toml()):
        held = "runs of an older form of this scenario"
    else:
        return None
    return (
        f"note: {writer.place} holds {held}: what this one has not stays there, but is not shown; "
        "-o keeps them apart"
    )


def _without_runs(toml: str) -> dict[str, object]:
    """Content of a scenario without its number of runs and swept values, which may grow within a sweep."""
    said = tomllib.loads(toml)
    return {key: value for key, value in said.items() if key not in {"runs", "sweep", "figure"}}


def lacking(runs: Sequence[tuple[Planned, int]], numbers: Mapping[str, int], writer: Writer) -> list[Todo]:
    """Runs that are not stored."""
    landed = writer.landed()
    return [
        (planned, numbers[planned.id], number)
        for planned, number in runs
        if (numbers[planned.id], number) not in landed
    ]


def enter(writer: Writer, scenario: Scenario, surveyed: Survey) -> dict[str, int]:
    """Enters all cells, and the plan as whoever shows it needs it; the number of each cell by its id."""
    every = [planned for planned in surveyed.cells if planned]
    ids = list(dict.fromkeys(one.id for planned in every for one in (planned, planned.without) if one))
    known = dict(zip(ids, writer.index.add_cells(ids), strict=True))
    rows: list[dict[str, object]] = [
        {
            "cell": known[planned.id] if planned else None,
            "label": cell.label,
            "axes": cell.axes,
            "sets": cell.overrides,
            "runs": planned.runs if planned else 0,
            **({WITHOUT: known[planned.without.id]} if planned and planned.without else {}),
        }
        for cell, planned in zip(surveyed.all, surveyed.cells, strict=True)
    ]
    for place, error in surveyed.errors.items():
        rows[place]["error"] = execute.error_text(error)
    writer.index.state(PLAN, json.dumps(rows))
    writer.index.state(ENGINE, identity.ENGINE)
    about = {
        "name": scenario.name,
        "question": scenario.question,
        "file": scenario.file_name,
        "seed": scenario.seed,
        "derived": surveyed.derived,
    }
    writer.index.state(SCENARIO, json.dumps({**about, "toml": scenario.to_toml()}))
    return known


def check_engine(writer: Writer) -> None:
    """Results of two engines do not mix."""
    made_by = writer.index.fact(ENGINE)
    if made_by not in {None, identity.ENGINE} and writer.index.runs():
        raise UsageError(
            f"the runs in {writer.place} are of another engine ({made_by}; this one is {identity.ENGINE}), whose "
            "results may differ: --fresh repeats them, -o leaves them for that version to continue"
        )


def share(surveyed: Survey, shard: Shard | None = None) -> list[tuple[Planned, int]]:
    """The runs of a sweep, or of a shard of it, in the order in which they are done: cell and number."""
    cells: dict[str, Planned] = {}
    for planned in _every(surveyed):
        # Cells that say the same in other words share their runs.
        if planned.id not in cells or cells[planned.id].runs < planned.runs:
            cells[planned.id] = planned
    most = max((planned.runs for planned in cells.values()), default=0)
    runs = [
        (planned, number)
        for number in range(1, most + 1)
        for planned in cells.values()
        if number <= planned.runs
    ]
    if shard is None:
        return runs
    return [runs[place] for place in dealt([(planned.id, number) for planned, number in runs], shard)]


def _every(surveyed: Survey) -> Iterator[Planned]:
    """All that is run: cells, and of each the one without its attack, with as many runs."""
    for planned in filter(None, surveyed.cells):
        yield planned
        if planned.without:
            yield replace(planned.without, runs=planned.runs)


class Here:
    """On threads of this process: so many, or as many as it has processors and memory for."""

    def __init__(self, threads: int | None = None, *, refusing: bool = False) -> None:
        self._threads = threads
        # Whether an error in a scenario ends all runs instead of being noted as a failure of its run.
        self._refusing = refusing

    def __call__(
        self,
        scenario: Scenario,
        todo: Sequence[Todo],
        writer: Writer,
        watch: Watch,
        stop: Callable[[], bool],
    ) -> tuple[int, bool]:
        """Scenarios that were not kept are made when it is their turn: memory does not grow with the sweep."""
        sink = _Landing(writer, refusing=self._refusing)
        jobs = _jobs(scenario, todo)
        fitting = memory_limit.runs_at_once(max(planned.memory for planned, _, _ in todo), 0)
        most = min(self._threads or execute.default_jobs(), len(todo), fitting)
        interrupted = execute.stream(jobs, len(todo), sink, most, watch, stop)
        return sink.failed, interrupted


def _jobs(scenario: Scenario, todo: Sequence[Todo]) -> Iterator[Job]:
    """Jobs of runs; runs of a cell share its scenario where that is kept, or where they follow on one another."""
    before, variant = None, scenario
    for planned, cell, run_number in todo:
        if planned is not before:
            before, variant = planned, of_cell(scenario, planned)
        yield Job(variant, run_number, planned.cell.label, cell)


class _Landing:
    """Lets runs land as they end. Its jobs are those of cells."""

    def __init__(self, writer: Writer, *, refusing: bool) -> None:
        self._writer = writer
        self._refusing = refusing
        self.failed = 0

    def task(self, job: Job) -> tuple[_native.Task, Rows]:
        """Task whose captures go to their final place while it runs, and long series into files."""
        rows = Rows(self._writer.spill, job.run, job.cell)
        native = job.scenario.native
        captures = self._writer.captures_of(job.cell, job.run) if native.captures else None
        return tasks.of(native, job.run, captures, rows), rows

    def take(self, job: Job, output: _native.Output, rows: Rows, wall_s: float) -> Landing:
        """Packs a run for the store, in the thread that ran it."""
        names = [name for name, _ in output.captures()]
        self._writer.name_captures(job.cell, job.run, names)
        return Landing(
            cell=job.cell,
            run=output.run,
            seed=output.seed,
            fingerprint=output.fingerprint,
            wall_s=wall_s,
            summary=output.summary,
            tables=rows.packed(output),
            captures=len(names),
            files=rows.settle() if rows else {},
        )

    def keep(
        self,
        ended: Sequence[tuple[int, Job, Landing]],
        failed: Sequence[tuple[int, Job, BaseException]],
    ) -> None:
        """All that ended since the last time lands together."""
        for _, _, error in failed:
            if isinstance(error, OSError):  # nothing is wrong with the run
                raise unwritable(self._writer.place, error.strerror or error)
            if isinstance(error, ScenarioError) and self._refusing:
                raise error
        self.failed += len(failed)
        failures = [(job.cell, job.run, execute.error_text(e)) for _, job, e in failed]
        self._writer.land([(landing, ()) for _, _, landing in ended], failures)

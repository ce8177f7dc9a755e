"""The runs of a paper: a sweep for each study and reading, in folders of their own that are gone on with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tailrace.errors import UsageError
from tailrace.reproduce.paper import Own, Paper, Reading, Study
from tailrace.scenario.scenario import Scenario
from tailrace.text import names

if TYPE_CHECKING:
    from tailrace.execution.progress import Monitor
    from tailrace.study.cells import Plan
    from tailrace.study.sweep_result import Sweep
    from tailrace.study.sweep_runner import Survey


@dataclass(frozen=True)
class Task:
    """A study under a reading."""

    study: Study
    reading: Reading
    scenario: Scenario
    surveyed: Survey
    place: Path

    @property
    def label(self) -> str:
        """For people."""
        return f"{self.study.name} ({self.reading.name})" if self.reading.name else self.study.name


def tasks(paper: Paper, place: Path, *, quick: bool) -> list[Task]:
    """All that is to be run, checked: every scenario can be read, every cell looked at."""
    return [
        _task(study, paper.readings[name], place, quick=quick)
        for study in paper.studies.values()
        if not (quick and study.quick.skip)
        for name in study.readings
    ]


def _task(study: Study, reading: Reading, place: Path, *, quick: bool) -> Task:
    from tailrace.study import cells, declaration, sweep_runner

    own = study.own.get(reading.name) or Own(None, {}, {})
    overrides: dict[str, Any] = {**study.sets, **reading.sets, **own.sets}
    runs = study.runs
    if quick:
        overrides |= study.quick.sets
        runs = study.quick.runs or runs
    if runs is not None:
        overrides["runs"] = runs
    scenario = Scenario.of(own.scenario or study.scenario, overrides)
    declared = declaration.of_file(scenario)
    for sweep in (study.sweep, own.sweep):
        rest = {key: value for key, value in sweep.items() if key != "axes"}
        declared = declared.joined(declaration.of_python(sweep.get("axes"), **rest))
    plan: Plan = cells.Plan(declared, scenario.seed, cells.base(declared, scenario.written))
    surveyed = sweep_runner.survey(scenario, plan, damage=study.damage)
    for at, error in surveyed.errors.items():
        raise study.keys.fail(f"cell {surveyed.all[at].label!r} cannot be run:\n{error.shown}")
    called = names.of_folder("-".join(filter(None, [study.name, reading.name])))
    return Task(study, reading, scenario, surveyed, place / "runs" / called)


def run(task: Task, watch: Monitor, jobs: int | None, stop: Callable[[], bool], *, fresh: bool) -> bool:
    """Does what is missing of it; whether it was stopped before the end."""
    from tailrace.data.store import Writer
    from tailrace.study import sweep_runner

    about = {"scenario": task.scenario.name, "file": task.scenario.file_name}
    task.place.parent.mkdir(parents=True, exist_ok=True)
    with Writer.opened(task.place, about, fresh=fresh) as writer:
        done = sweep_runner.run(task.scenario, task.surveyed, writer, sweep_runner.Here(jobs), watch, stop)
    if done.failed:
        raise UsageError(
            f"{done.failed} runs of {task.label} failed; tailrace sweep {task.study.scenario} tells why"
        )
    return done.interrupted


@dataclass
class Sweeps:
    """The sweeps of a paper that have been run, opened when they are asked for."""

    tasks: Mapping[tuple[str, str], Task]
    _open: dict[tuple[str, str], Sweep] = field(default_factory=dict)

    def of(self, study: str, reading: str) -> Sweep:
        """Sweep of a study under a reading."""
        from tailrace.study.sweep_result import Sweep

        key = (study, reading)
        if key not in self.tasks:
            raise UsageError(f"study {study} was not run under reading {reading or 'as the paper says'!r}")
        if key not in self._open:
            self._open[key] = Sweep.load(self.tasks[key].place)
        return self._open[key]

    def __contains__(self, key: tuple[str, str]) -> bool:
        return key in self.tasks

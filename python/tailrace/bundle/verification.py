"""Verification of a bundle: its runs are done again, and each must have the fingerprint that was recorded."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from tailrace import _native
from tailrace.bundle.archive import Bundle
from tailrace.bundle.experiment import Experiment, RecordedRun
from tailrace.errors import UsageError
from tailrace.execution import execute, identity, tasks
from tailrace.execution.execute import Job, Watch
from tailrace.execution.streaming import Rows, Spill
from tailrace.scenario.scenario import Algorithms, Scenario


@dataclass
class Verified:
    """Outcomes of the runs of one experiment."""

    experiment: Experiment
    equal: int = 0
    # Each with the fingerprint that came out instead.
    different: list[tuple[RecordedRun, str]] = field(default_factory=list)
    # Reasons for runs that could not be done.
    errors: list[str] = field(default_factory=list)


@dataclass
class Verification:
    """Outcomes of a bundle's runs, or of the sample of them that was asked for."""

    verified: list[Verified]
    # Engines that made the runs and are not this one: fingerprints are promised for equal engines only.
    other_engines: list[str]
    interrupted: bool

    @property
    def equal(self) -> int:
        """Number of runs equal to the bit."""
        return sum(one.equal for one in self.verified)

    @property
    def different(self) -> int:
        """Number of runs with another fingerprint."""
        return sum(len(one.different) for one in self.verified)

    @property
    def failed(self) -> int:
        """Number of runs that could not be done."""
        return sum(len(one.errors) for one in self.verified)


def chosen(bundle: Bundle, sample: int | None) -> list[tuple[Experiment, RecordedRun]]:
    """All runs of a bundle, or so many of them: spread over the experiments, and the same ones each time."""
    every = [(experiment, run) for experiment in bundle.experiments for run in experiment.runs]
    if sample is None or sample >= len(every):
        return every
    picked = sorted(random.Random(1).sample(range(len(every)), sample))  # noqa: S311 - a choice, no secret
    return [every[place] for place in picked]


def verify(
    bundle: Bundle,
    sample: int | None = None,
    algorithms: Algorithms = (),
    threads: int | None = None,
    watch: Watch | None = None,
    stop: Callable[[], bool] = lambda: False,
) -> Verification:
    """Does the runs again on this machine and compares their fingerprints."""
    todo = chosen(bundle, sample)
    found = {id(experiment): Verified(experiment) for experiment, _ in todo}
    lacking = {id(experiment): _lacking(experiment, algorithms) for experiment, _ in todo}
    for experiment, run in todo:
        if reason := lacking[id(experiment)]:
            found[id(experiment)].errors.append(f"{experiment.name} run {run.run}: {reason}")
    able = [(experiment, run) for experiment, run in todo if not lacking[id(experiment)]]
    most = min(threads or execute.default_jobs(), len(able))
    spill = Spill()
    try:
        sink = _Comparing(able, found, spill)
        interrupted = execute.stream(_jobs(able, algorithms), len(able), sink, most, watch, stop)
    finally:
        spill.close()
    others = {experiment.engine for experiment, _ in todo if experiment.engine} - {identity.ENGINE}
    return Verification(list(found.values()), sorted(others), interrupted)


def _lacking(experiment: Experiment, algorithms: Algorithms) -> str:
    """Kernel that an experiment names and this machine does not have, with the remedy; empty where it has all."""
    scenario = Scenario(experiment.toml, experiment.name, algorithms=algorithms)
    try:
        if scenario.native.kernels:
            identity.of_cell(scenario)
    except UsageError as error:
        return str(error)
    return ""


def _jobs(todo: Sequence[tuple[Experiment, RecordedRun]], algorithms: Algorithms) -> Iterator[Job]:
    """A job for each run; the scenario of an experiment is read once."""
    latest: tuple[Experiment, Scenario] | None = None
    for place, (experiment, run) in enumerate(todo):
        if latest is None or latest[0] is not experiment:
            latest = (experiment, Scenario(experiment.toml, experiment.name, algorithms=algorithms))
        yield Job(latest[1], run.run, experiment.name, place)


class _Comparing:
    """Keeps of each run only whether its fingerprint is the recorded one."""

    def __init__(
        self, todo: Sequence[tuple[Experiment, RecordedRun]], found: Mapping[int, Verified], spill: Spill
    ) -> None:
        self._todo = todo
        self._found = found
        self._spill = spill

    def task(self, job: Job) -> tuple[_native.Task, Rows]:
        """Series and captures go to temporary files, as for any run."""
        rows = Rows(self._spill, job.run)
        captures = rows.folder() if job.scenario.native.captures else None
        return tasks.of(job.scenario.native, job.run, captures, rows), rows

    def take(self, job: Job, output: _native.Output, rows: Rows, wall_s: float) -> str:  # noqa: ARG002 - of a sink
        """The fingerprint of a run that ended."""
        return output.fingerprint

    def keep(
        self, ended: Sequence[tuple[int, Job, str]], failed: Sequence[tuple[int, Job, BaseException]]
    ) -> None:
        """Compares those that ended since the last time."""
        for place, _, fingerprint in ended:
            experiment, run = self._todo[place]
            verified = self._found[id(experiment)]
            if fingerprint == run.fingerprint:
                verified.equal += 1
            else:
                verified.different.append((run, fingerprint))
        for place, job, error in failed:
            experiment, _ = self._todo[place]
            self._found[id(experiment)].errors.append(f"{job}: {execute.error_text(error)}")

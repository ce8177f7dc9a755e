"""Runs jobs on threads: the simulator holds no interpreter lock, so runs go in parallel."""

from __future__ import annotations

import json
import os
import threading
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from tailrace import _native
from tailrace.errors import RunError, ScenarioError
from tailrace.scenario import Scenario

# How often progress is looked at; also how soon Ctrl-C is noticed.
_POLL_S = 0.1


@dataclass(frozen=True)
class Job:
    """One run of one scenario."""

    scenario: Scenario
    run: int
    label: str = ""

    def __str__(self) -> str:
        return f"{self.label} run {self.run}".strip()


@dataclass(frozen=True)
class FinishedRun:
    """What a run that reached its end left behind."""

    run: int
    seed: int
    fingerprint: str
    entry: dict[str, Any]
    raw_tables: dict[str, dict[str, tuple[str, bytes, list[str]]]]
    captures: list[tuple[str, bytes]]


@dataclass
class Outcome:
    """What became of a list of jobs; `finished` has None where a job did not end."""

    finished: list[FinishedRun | None]
    errors: list[str] = field(default_factory=list)
    interrupted: bool = False


class Watch(Protocol):
    """Told how the jobs come on."""

    def progress(self, fraction: float) -> None:
        """The share of all simulated time that is done."""

    def ended(self, job: Job, wall_s: float) -> None:
        """A job reached its end."""


class Silent:
    """Watches nothing."""

    def progress(self, fraction: float) -> None:
        """Says nothing."""

    def ended(self, job: Job, wall_s: float) -> None:
        """Says nothing."""


def default_jobs() -> int:
    """The processors this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1


def execute(jobs: Sequence[Job], threads: int | None = None, watch: Watch | None = None) -> Outcome:
    """Runs all jobs, at most `threads` at a time; results come in the order of `jobs` whatever ends first.

    Ctrl-C stops the runs under way and keeps those that ended. An error in a scenario is raised; any other
    failure of a run is noted and the others go on.
    """
    pool = _Pool(jobs)
    watch = watch or Silent()
    workers = [
        threading.Thread(target=pool.work, daemon=True)
        for _ in range(max(1, min(threads or default_jobs(), len(jobs))))
    ]
    interrupted = False
    try:
        for worker in workers:
            worker.start()
        while any(worker.is_alive() for worker in workers):
            pool.wait(_POLL_S)
            pool.report(watch)
        pool.report(watch)
    except KeyboardInterrupt:
        interrupted = True
        pool.stop()
    except BaseException:
        pool.stop()
        raise
    for worker in workers:
        worker.join()
    if pool.scenario_error is not None:
        raise pool.scenario_error
    return Outcome(pool.finished, pool.errors, interrupted)


class _Pool:
    """The jobs still to do, those under way, and those done."""

    def __init__(self, jobs: Sequence[Job]) -> None:
        self.jobs = jobs
        self.finished: list[FinishedRun | None] = [None] * len(jobs)
        self.errors: list[str] = []
        self.scenario_error: ScenarioError | None = None
        self._todo = deque(range(len(jobs)))
        self._tasks: dict[int, _native.Task] = {}
        self._ended: deque[tuple[int, float]] = deque()
        self._done = 0
        self._lock = threading.Lock()
        self._news = threading.Event()

    def work(self) -> None:
        """Takes jobs until there are none: the body of a worker."""
        while True:
            with self._lock:
                if not self._todo:
                    break
                index = self._todo.popleft()
                job = self.jobs[index]
                task = self._tasks[index] = _native.Task(job.scenario.native, job.run)
            self._execute(index, job, task)
            with self._lock:
                self._done += 1
                del self._tasks[index]
        self._news.set()

    def _execute(self, index: int, job: Job, task: _native.Task) -> None:
        start = time.perf_counter()
        try:
            output = task.execute()
            if output.interrupted:
                return
            self.finished[index] = FinishedRun(
                run=output.run,
                seed=output.seed,
                fingerprint=output.fingerprint,
                entry=json.loads(output.summary),
                raw_tables=output.tables(),
                captures=output.captures(),
            )
        except _native.ScenarioError as error:
            self.scenario_error = ScenarioError(error.args[0], json.loads(error.args[1]))
            self.stop()
        except BaseException as error:  # noqa: BLE001 - a panic of the simulator is no Exception; it must not be lost
            self.errors.append(f"{job} failed: {type(error).__name__}: {error}")
        else:
            self._ended.append((index, time.perf_counter() - start))
            self._news.set()

    def stop(self) -> None:
        """Lets no job start and asks those under way to end."""
        with self._lock:
            self._todo.clear()
            for task in self._tasks.values():
                task.cancel()

    def wait(self, seconds: float) -> None:
        """Until a job ended, or so long."""
        self._news.wait(seconds)
        self._news.clear()

    def report(self, watch: Watch) -> None:
        """Passes on what happened since the last time."""
        while self._ended:
            index, wall_s = self._ended.popleft()
            watch.ended(self.jobs[index], wall_s)
        with self._lock:
            under_way = sum(task.progress() for task in self._tasks.values())
            done = self._done
        watch.progress((done + under_way) / max(1, len(self.jobs)))


def completed(outcome: Outcome) -> list[FinishedRun]:
    """The runs that ended, in order; an error if none did although nobody stopped them."""
    runs = [run for run in outcome.finished if run is not None]
    if not runs and not outcome.interrupted:
        raise RunError("\n".join(outcome.errors) or "no run ended")
    return runs

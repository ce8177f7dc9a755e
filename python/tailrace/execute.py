"""Runs jobs on threads: the simulator holds no interpreter lock, so runs go in parallel."""

from __future__ import annotations

import json
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from tailrace import _native, machine
from tailrace.errors import RunError, ScenarioError
from tailrace.scenario import Scenario

# How often progress is looked at; also how soon Ctrl-C is noticed.
_POLL_S = 0.1
# How long runs that are to stop may take to do so; they look often, unless something is wrong with them.
_GRACE_S = 5.0
# What the threads of runs are called.
WORKER = "tailrace run"


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


def _fitting(jobs: Sequence[Job]) -> int:
    """How many of the jobs fit into memory at once."""
    sizes = [job.scenario.native.memory for job in jobs]
    return machine.runs_at_once(max((run for run, _ in sizes), default=0), sum(kept for _, kept in sizes))


def execute(
    jobs: Sequence[Job],
    threads: int | None = None,
    watch: Watch | None = None,
    stop: Callable[[], bool] = lambda: False,
) -> Outcome:
    """Runs all jobs, at most `threads` at a time; results come in the order of `jobs` whatever ends first.

    Ctrl-C, or a `stop` that turns true, stops the runs under way and keeps those that ended. An error in a scenario is
    raised; any other failure of a run is noted and the others go on.
    """
    pool = _Pool(jobs)
    workers = [
        threading.Thread(target=pool.work, name=WORKER, daemon=True)
        for _ in range(max(1, min(threads or default_jobs(), len(jobs), _fitting(jobs))))
    ]
    interrupted = False
    try:
        for worker in workers:
            worker.start()
        interrupted = pool.watched(workers, watch or Silent(), stop)
    except KeyboardInterrupt:
        interrupted = True
    finally:
        pool.stop()
    pool.leave(workers)
    if pool.scenario_error is not None:
        raise pool.scenario_error
    return Outcome(list(pool.finished), list(pool.errors), interrupted)


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

    def watched(self, workers: Sequence[threading.Thread], watch: Watch, stop: Callable[[], bool]) -> bool:
        """Reports until the workers have ended; whether they were stopped."""
        while any(worker.is_alive() for worker in workers):
            self.wait(_POLL_S)
            self.report(watch)
            if stop():
                return any(run is None for run in self.finished)
        self.report(watch)
        return False

    def leave(self, workers: Sequence[threading.Thread]) -> None:
        """Lets workers that were stopped come to their end, but waits for none that does not heed it."""
        end = time.monotonic() + _GRACE_S
        while any(worker.is_alive() for worker in workers) and time.monotonic() < end:
            self.wait(_POLL_S)

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

"""Runs jobs on threads: the simulator holds no interpreter lock, so runs go in parallel."""

from __future__ import annotations

import json
import math
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from tailrace import _native
from tailrace.errors import RunError, ScenarioError
from tailrace.execution import tasks
from tailrace.execution.capture import Capture, numbered
from tailrace.execution.streaming import RawTables, Rows, Spill
from tailrace.scenario.scenario import Scenario
from tailrace.system import memory_limit

if TYPE_CHECKING:
    import polars as pl

# Interval between looks at progress; bounds the delay until Ctrl-C is noticed.
_POLL_S = 0.1
# Time that stopping runs may take; they check often, unless something is wrong with them.
_GRACE_S = 5.0
# Runs that end within so long after a delivery are delivered together: keeping many costs hardly more than keeping one.
GATHERED_S = 0.1
# Finished runs that may wait for delivery before no other is begun; half of this starts a delivery.
_MOST_UNDELIVERED = 64
# Name of the threads of runs.
WORKER = "tailrace run"

T = TypeVar("T")


@dataclass(frozen=True)
class Job:
    """A run of a scenario, to be done."""

    scenario: Scenario
    run: int
    label: str = ""
    # The number of its cell in a sweep.
    cell: int = 0

    def __str__(self) -> str:
        return f"{self.label} run {self.run}".strip()


@dataclass(frozen=True)
class FinishedRun:
    """Output of a run that reached its end."""

    run: int
    seed: int
    fingerprint: str
    entry: dict[str, Any]
    raw_tables: RawTables
    captures: list[Capture]
    # Tables of a run that was read from a result, or whose rows left it while it went on.
    frames: Mapping[str, pl.DataFrame | pl.LazyFrame] = field(default_factory=dict)
    # Owner of the files of these frames.
    holder: object = None


@dataclass
class Outcome:
    """Outcome of a list of jobs; `finished` has None where a job did not end."""

    finished: list[FinishedRun | None]
    errors: list[str] = field(default_factory=list)
    interrupted: bool = False


class Watch(Protocol):
    """Told how the jobs come on."""

    def found(self, runs: int) -> None:
        """Counts runs that were there before the jobs began."""

    def progress(self, fraction: float) -> None:
        """The share of the jobs' simulated time that is done."""

    def ended(self, job: Job, wall_s: float) -> None:
        """A job reached its end."""


class Silent:
    """Watches nothing."""

    def found(self, runs: int) -> None:
        """Says nothing."""

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


def fitting(jobs: Iterable[Job]) -> int:
    """Number of jobs that fit into memory at once with their output, unless that is streamed."""
    sizes = [job.scenario.native.memory for job in jobs]
    left = sum(kept for _, kept in sizes)
    return memory_limit.runs_at_once(max((run for run, _ in sizes), default=0), left)


class Sink(Protocol[T]):
    """Where runs go that ended. `keep` is called by the thread that watches, the others by that of the run."""

    def task(self, job: Job) -> tuple[_native.Task, Rows]:
        """The task of a job that is about to begin, and where its long series go."""

    def take(self, job: Job, output: _native.Output, rows: Rows, wall_s: float) -> T:
        """Result that is kept of a run."""

    def keep(
        self, ended: Sequence[tuple[int, Job, T]], failed: Sequence[tuple[int, Job, BaseException]]
    ) -> None:
        """Some more runs have ended, each with its place among the jobs."""


def execute(
    jobs: Sequence[Job],
    threads: int | None = None,
    watch: Watch | None = None,
    stop: Callable[[], bool] = lambda: False,
    kept: Callable[[Sequence[tuple[Job, FinishedRun]]], None] = lambda _: None,
    spill: Spill | None = None,
) -> Outcome:
    """Runs all jobs, at most `threads` at a time; results come in the order of `jobs` whatever ends first.

    `kept` is told of those that ended, soon after they did; long series wait in the `spill`.

    Ctrl-C, or a `stop` that turns true, stops the runs under way and keeps those that ended. An error in a scenario is
    raised; any other failure of a run is noted and the others go on.
    """
    sink = _Collected(len(jobs), kept, spill or Spill())
    most = min(threads or default_jobs(), len(jobs), fitting(jobs))
    interrupted = stream(iter(jobs), len(jobs), sink, most, watch, stop)
    return Outcome(sink.finished, sink.errors, interrupted)


def stream(
    jobs: Iterator[Job],
    total: int,
    sink: Sink[T],
    threads: int,
    watch: Watch | None = None,
    stop: Callable[[], bool] = lambda: False,
) -> bool:
    """Runs jobs as they come, at most `threads` at a time, and hands each to the sink when it has ended.

    Whether it was interrupted: by Ctrl-C, or by a `stop` that turned true. What ended before is in the sink. An error
    of the sink stops the runs and is raised.
    """
    pool = _Pool(jobs, total, sink)
    workers = [threading.Thread(target=pool.work, name=WORKER, daemon=True) for _ in range(max(1, threads))]
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
    pool.deliver(watch or Silent())
    if pool.error is not None:
        raise pool.error
    return interrupted


class _Collected:
    """Keeps everything in memory, in the order of the jobs."""

    def __init__(
        self, count: int, kept: Callable[[Sequence[tuple[Job, FinishedRun]]], None], spill: Spill
    ) -> None:
        self.finished: list[FinishedRun | None] = [None] * count
        self._kept = kept
        self._spill = spill
        self.errors: list[str] = []

    def task(self, job: Job) -> tuple[_native.Task, Rows]:
        rows = Rows(self._spill, job.run)
        captures = rows.folder() if job.scenario.native.captures else None
        return tasks.of(job.scenario.native, job.run, captures, rows), rows

    def take(self, job: Job, output: _native.Output, rows: Rows, wall_s: float) -> FinishedRun:  # noqa: ARG002 - of a sink
        left = output.tables()
        captured = [name for name, _ in output.captures()]
        return FinishedRun(
            run=output.run,
            seed=output.seed,
            fingerprint=output.fingerprint,
            entry=json.loads(output.summary),
            raw_tables=rows.finish(left) if rows else left,
            captures=[
                Capture(job.run, name, numbered(rows.folder(), number))
                for number, name in enumerate(captured)
            ],
            frames=rows.scans() if rows else {},
            holder=rows,
        )

    def keep(
        self, ended: Sequence[tuple[int, Job, FinishedRun]], failed: Sequence[tuple[int, Job, BaseException]]
    ) -> None:
        for place, _, run in ended:
            self.finished[place] = run
        if ended:
            self._kept([(job, run) for _, job, run in ended])
        for _, job, error in failed:
            if isinstance(error, ScenarioError):
                raise error
            self.errors.append(f"{job} failed: {error_text(error)}")


def error_text(error: BaseException) -> str:
    """Reason for which a run failed. The simulator's own errors are sentences; others need their type's name."""
    is_own = isinstance(error, ScenarioError) or type(error).__module__ == _native.HookError.__module__
    return str(error).rstrip() if is_own else f"{type(error).__name__}: {error}"


def _refused(job: Job, host: str, why: str, asks: tuple[str | None, Sequence[str]]) -> ScenarioError:
    """A kernel does not take a setting of a host, or the congestion control of a flow, at its place in the file."""
    flow, known = asks
    if flow is None:
        place = _said_of_setting(job.scenario, f"host.{host.partition('[')[0]}.sysctl", why)
        instead = f"did you mean `{known[0]}`?" if known else None
    else:
        place = f"{_table_of(job.scenario, flow)}.{flow}.transport.cc"
        ours = [control["name"] for control in json.loads(_native.catalog())["cc"]]
        instead = f"it has {', '.join(name for name in ours if name in known)}"
    return job.scenario.objected([(place, f"host {host}: {why}", instead)])


def _said_of_setting(scenario: Scenario, table: str, why: str) -> str:
    """The table of settings, or what set the one that is meant on the command line, or for a variant."""
    given = (path.removeprefix(f"{table}.") for path in scenario.given if path.startswith(f"{table}."))
    named = next((name for name in given if name in why.split()), None)
    return table if named is None else f"{table}.{named}"


def _table_of(scenario: Scenario, flow: str) -> str:
    """Attacks are flows, too."""
    try:
        scenario.written(f"flow.{flow}")
    except ValueError:
        return "attack"
    return "flow"


class _Pool(Generic[T]):
    """The jobs still to do, those under way, and those that ended but are not delivered yet."""

    def __init__(self, jobs: Iterator[Job], total: int, sink: Sink[T]) -> None:
        self.error: BaseException | None = None
        self._jobs = enumerate(jobs)
        self._total = total
        self._sink = sink
        self._stopped = False
        self._tasks: dict[int, _native.Task] = {}
        self._ended: list[tuple[int, Job, T, float]] = []
        self._failed: list[tuple[int, Job, BaseException]] = []
        self._done = 0
        self._delivered = -math.inf
        self._lock = threading.Lock()
        self._room = threading.Condition(self._lock)
        # Set when something has ended, and when that is so much that no more is to be gathered.
        self._news, self._plenty = threading.Event(), threading.Event()

    def work(self) -> None:
        """Takes jobs until there are none: the body of a worker."""
        while (begun := self._next()) is not None:
            self._execute(*begun)
            with self._lock:
                self._done += 1
                del self._tasks[begun[0]]
        self._news.set()
        self._plenty.set()

    def _next(self) -> tuple[int, Job, _native.Task, Rows] | None:
        """The next job, as soon as there is room for what it leaves behind."""
        with self._room:
            while len(self._ended) >= _MOST_UNDELIVERED and not self._stopped:
                self._room.wait()
            try:
                place, job = (-1, None) if self._stopped else next(self._jobs, (-1, None))
                if job is None:
                    return None
                task, rows = self._sink.task(job)
            except BaseException as error:  # noqa: BLE001 - raised by the thread that watches
                self.error, self._stopped = error, True
                return None
            self._tasks[place] = task
        return place, job, task, rows

    def _execute(self, place: int, job: Job, task: _native.Task, rows: Rows) -> None:
        start = time.perf_counter()
        try:
            output = task.execute()
            if output.interrupted:
                return
            wall_s = time.perf_counter() - start
            taken = self._sink.take(job, output, rows, wall_s)
        except _native.ScenarioError as error:
            self._fail(place, job, ScenarioError(error.args[0], json.loads(error.args[1])))
        except _native.RefusedError as error:
            self._fail(place, job, _refused(job, *error.args))
        except BaseException as error:  # noqa: BLE001 - a panic of the simulator is no Exception; it must not be lost
            self._fail(place, job, error)
        else:
            with self._lock:
                self._ended.append((place, job, taken, wall_s))
                self._tell()

    def _fail(self, place: int, job: Job, error: BaseException) -> None:
        with self._lock:
            self._failed.append((place, job, error))
            self._tell()

    def _tell(self) -> None:
        """Wakes the thread that watches, but not for every run."""
        undelivered = len(self._ended) + len(self._failed)
        if undelivered == 1:
            self._news.set()
        if undelivered >= _MOST_UNDELIVERED // 2:
            self._plenty.set()

    def stop(self) -> None:
        """Lets no job start and asks those under way to end."""
        with self._room:
            self._stopped = True
            for task in self._tasks.values():
                task.cancel()
            self._room.notify_all()

    def watched(self, workers: Sequence[threading.Thread], watch: Watch, stop: Callable[[], bool]) -> bool:
        """Delivers and reports until the workers have ended; whether they were stopped."""
        while any(worker.is_alive() for worker in workers):
            self.wait(_POLL_S)
            self.gather()
            self.deliver(watch)
            self.report(watch)
            if stop():
                self.deliver(watch)
                return self._done < self._total or bool(self._tasks)
        self.deliver(watch)
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

    def gather(self) -> None:
        """Lets some more runs end, where the last delivery was a short while ago."""
        if self._ended or self._failed:
            self._plenty.wait(max(0.0, self._delivered + GATHERED_S - time.monotonic()))

    def deliver(self, watch: Watch) -> None:
        """Hands over what has ended since the last time."""
        with self._room:
            ended, self._ended = self._ended, []
            failed, self._failed = self._failed, []
            self._plenty.clear()
            self._room.notify_all()
        if ended or failed:
            self._delivered = time.monotonic()
            self._sink.keep([(place, job, run) for place, job, run, _ in ended], failed)
        for _, job, _, wall_s in ended:
            watch.ended(job, wall_s)

    def report(self, watch: Watch) -> None:
        """Says how far it all is."""
        with self._lock:
            under_way = sum(task.progress() for task in self._tasks.values())
            done = self._done
        watch.progress((done + under_way) / max(1, self._total))


def completed(outcome: Outcome) -> list[FinishedRun]:
    """The runs that ended, in order; an error if none did although nobody stopped them."""
    runs = [run for run in outcome.finished if run is not None]
    if not runs and not outcome.interrupted:
        raise RunError("\n".join(outcome.errors) or "no run ended")
    return runs

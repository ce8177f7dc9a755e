"""A sweep on the workers of a Dask cluster: batches of runs go out, what they leave comes back to the one who writes.

A lost worker costs the batch that it was at, which Dask gives to another. What a batch sends back is what a run leaves
behind here: packed tables, summary, captures and files of long series; so the store cannot tell where a run was done.
"""

from __future__ import annotations

import functools
import logging
import math
import pickle
import queue
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from tailrace import _native
from tailrace.data.store import Landing, Writer
from tailrace.errors import RunError, UsageError
from tailrace.execution import execute, identity, tasks
from tailrace.execution.capture import Capture, numbered
from tailrace.execution.execute import Job, Watch
from tailrace.execution.streaming import Rows, Spill
from tailrace.scenario.scenario import Scenario

if TYPE_CHECKING:
    from tailrace.study.sweep_runner import Todo, Way

# Client of a package that need not be installed.
_Client: TypeAlias = Any
_Future: TypeAlias = Any
_Module: TypeAlias = Any

LOCAL = "local"
# Duration of a batch. Shorter ones cost scheduling; longer ones lose more with a worker, and end raggedly.
_BATCH_S = 1.5
# A batch that takes so long ends with the run that it is at; the others are given out again.
_LONGEST_BATCH_S = 5.0
_LARGEST_BATCH = 500
_BATCH_BYTES = 32 << 20
# Batches that are out for each thread of the cluster: one that runs, and one that waits for it.
_BATCHES_A_THREAD = 2
_POLL_S = 0.1
_LOOK_EVERY_S = 1.0
_CONNECT_S = 10
# A terminal sends Ctrl-C to all processes; those that work hear from the one that it is meant for.
_HEEDLESS = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)"
_FETCH_S = 30


@dataclass(frozen=True)
class Work:
    """A run to be done."""

    label: str
    overrides: Mapping[str, str]
    cell: int
    run: int
    # Pickled scenario of the cell, where its overrides do not say how it is made.
    scenario: bytes | None = None


@dataclass(frozen=True)
class Batch:
    """Some runs of one scenario, and the engine that they are for."""

    engine: str
    # Pickled, so that a worker with another engine need not understand it; with it goes what is in files that it names.
    scenario: bytes
    work: tuple[Work, ...]


@dataclass(frozen=True)
class Ended:
    """Outcome of a run: stored with captures, or failed."""

    landing: Landing | None
    captures: list[Capture]
    error: str = ""
    # Long series, each as the Parquet file that it was written to while the run went on.
    series: Mapping[str, bytes] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """Bytes that come back."""
        files = sum(capture.size for capture in self.captures) + sum(map(len, self.series.values()))
        return files + (self.landing.size if self.landing else 0)


# -- on a worker ---------------------------------------------------------------------------------------------------


def engine() -> str:
    """The engine of the process that is asked."""
    return _native.__engine__


def perform(batch: Batch, patience_s: float = _LONGEST_BATCH_S) -> list[Ended]:
    """Does the runs of a batch; the last ones are missing where the time is up."""
    if batch.engine != engine():
        raise UsageError(_other_engine("a worker", engine(), batch.engine))
    scenario = _scenario(batch.scenario)
    start = time.monotonic()
    ended: list[Ended] = []
    for work in batch.work:
        ended.append(_ended(scenario, work))
        if time.monotonic() - start > patience_s:
            break
    return ended


@functools.lru_cache(maxsize=64)
def _scenario(packed: bytes) -> Scenario:
    scenario: Scenario = pickle.loads(packed)  # noqa: S301 - whoever submits a batch may run what they like here
    return scenario


def _ended(scenario: Scenario, work: Work) -> Ended:
    kept = Spill()
    try:
        variant = (
            scenario.variant(work.label, work.overrides)
            if work.scenario is None
            else _scenario(work.scenario)
        )
        rows = Rows(kept, work.run, work.cell)
        captures = rows.folder() if variant.native.captures else None
        start = time.perf_counter()
        output = tasks.of(variant.native, work.run, captures, rows).execute()
        wall_s = time.perf_counter() - start
        landing = Landing(
            cell=work.cell,
            run=output.run,
            seed=output.seed,
            fingerprint=output.fingerprint,
            wall_s=wall_s,
            summary=output.summary,
            tables=rows.packed(output),
        )
        captured = [
            Capture(output.run, name, numbered(rows.folder(), number).read_bytes())
            for number, (name, _) in enumerate(output.captures())
        ]
        return Ended(
            landing, captured, series={name: file.read_bytes() for name, file in rows.settle().items()}
        )
    except BaseException as error:  # noqa: BLE001 - a panic of the simulator is no Exception; it must not be lost
        return Ended(None, [], execute.error_text(error))
    finally:
        kept.close()


def _other_engine(who: str, theirs: str, ours: str) -> str:
    return f"{who} has another engine ({theirs}; here it is {ours}), whose results may differ: install the same there"


# -- here ----------------------------------------------------------------------------------------------------------


@contextmanager
def way(address: str | None, jobs: int | None) -> Iterator[Way]:
    """Execution of runs for a command: on a cluster, or without an address here."""
    from tailrace.study.sweep_runner import Here

    if address is None:
        yield Here(jobs)
        return
    with connected(address, jobs) as cluster:
        yield cluster


@contextmanager
def connected(address: str, jobs: int | None = None) -> Iterator[Cluster]:
    """The cluster of a scheduler's address, or `local`: processes of this machine, made for the time being."""
    distributed = _distributed()
    # Lost workers and schedulers are told of here, in words that say what to do.
    for name in ("distributed", "distributed.client"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    if jobs is not None and address != LOCAL:
        raise UsageError(
            "--jobs is for this machine; a cluster's workers say themselves how much they do at once"
        )
    if address == LOCAL:
        with (
            distributed.LocalCluster(
                n_workers=jobs or execute.default_jobs(),
                threads_per_worker=1,
                dashboard_address="127.0.0.1:0",  # a free port: another sweep may have the usual one
                silence_logs=logging.CRITICAL,
                preload=[_HEEDLESS],
            ) as cluster,
            distributed.Client(cluster) as client,
        ):
            yield Cluster(client)
        return
    try:
        client = distributed.Client(address, timeout=_CONNECT_S)
    except (OSError, ValueError, TimeoutError) as error:
        raise UsageError(f"no Dask scheduler answers at {address}: {error}") from None
    with client:
        yield Cluster(client)


def _distributed() -> _Module:
    try:
        import distributed
    except ImportError:
        raise UsageError("Dask is not installed: pip install 'tailrace[dask]'") from None
    return distributed


class Cluster:
    """Does runs on the workers of a client (`distributed.Client`)."""

    def __init__(self, client: _Client) -> None:
        self._client = client

    def __call__(
        self,
        scenario: Scenario,
        todo: Sequence[Todo],
        writer: Writer,
        watch: Watch,
        stop: Callable[[], bool],
    ) -> tuple[int, bool]:
        """Does all runs; how many failed, and whether it was stopped before the end."""
        self._check_engines()
        conversation = _Conversation(self._client, scenario, todo, writer, watch)
        try:
            interrupted = conversation.until(stop)
        except KeyboardInterrupt:
            interrupted = True
        finally:
            conversation.end()
        return conversation.failed, interrupted

    def _check_engines(self) -> None:
        try:
            found = self._client.run(engine)
        except ImportError as error:
            raise UsageError(f"a worker cannot take part: {error}; install tailrace there") from None
        for worker, theirs in found.items():
            if theirs != identity.ENGINE:
                raise UsageError(_other_engine(f"worker {worker}", theirs, identity.ENGINE))


class _Conversation:
    """Batches that are out, and runs that are to go out."""

    def __init__(
        self,
        client: _Client,
        scenario: Scenario,
        todo: Sequence[Todo],
        writer: Writer,
        watch: Watch,
    ) -> None:
        self.failed = 0
        self._client = client
        self._scenario = scenario
        self._packed = pickle.dumps(scenario)
        self._writer = writer
        self._watch = watch
        self._total = len(todo)
        of_cells = {cell: planned for planned, cell, _ in todo if planned.is_given}
        given = {cell: pickle.dumps(planned.scenario) for cell, planned in of_cells.items()}
        self._pending = deque(
            Work(p.cell.label, p.cell.overrides, cell, run, given.get(cell)) for p, cell, run in todo
        )
        # Runs whose workers died are retried one by one.
        self._suspects: deque[Work] = deque()
        self._out: dict[_Future, tuple[Work, ...]] = {}
        self._back: queue.SimpleQueue[_Future] = queue.SimpleQueue()
        self._pace = _Pace()
        self._threads = 0
        self._looked = -math.inf

    def until(self, stop: Callable[[], bool]) -> bool:
        """Talks until everything has landed; whether it was stopped before."""
        while self._pending or self._suspects or self._out:
            self._send()
            self._receive()
            self._watch.progress(self._pace.runs / max(1, self._total))
            if stop():
                return bool(self._pending or self._suspects or self._out)
        return False

    def end(self) -> None:
        """Calls back what is still out."""
        with suppress(Exception):
            self._client.cancel(list(self._out), force=True)

    def _send(self) -> None:
        """Keeps all threads of the cluster busy, and no more, so that few results wait for the writer."""
        if time.monotonic() - self._looked > _LOOK_EVERY_S:
            self._looked = time.monotonic()
            self._threads = sum(self._client.nthreads().values())
        while len(self._out) < max(1, self._threads) * _BATCHES_A_THREAD and (
            self._pending or self._suspects
        ):
            if self._suspects:
                work: tuple[Work, ...] = (self._suspects.popleft(),)
            else:
                share = math.ceil(len(self._pending) / (max(1, self._threads) * _BATCHES_A_THREAD))
                count = min(self._pace.batch, share)
                work = tuple(self._pending.popleft() for _ in range(count))
            future = self._client.submit(perform, self._batch(work), pure=False)
            self._out[future] = work
            future.add_done_callback(self._back.put)

    def _batch(self, work: tuple[Work, ...]) -> Batch:
        return Batch(identity.ENGINE, self._packed, work)

    def _receive(self) -> None:
        """Lets land what has come back."""
        back = []
        with suppress(queue.Empty):
            back.append(self._back.get(timeout=_POLL_S))
            while True:
                back.append(self._back.get_nowait())
        if not back and self._client.status in {"closed", "closing"}:
            raise _lost()
        ended: list[tuple[Work, Ended]] = []
        for future in back:
            work = self._out.pop(future)
            ended += zip(work, found := self._fetched(future, work), strict=False)
            if found:
                self._pending.extendleft(reversed(work[len(found) :]))
        self._land(ended)

    def _fetched(self, future: _Future, work: tuple[Work, ...]) -> list[Ended]:
        """Runs that a batch left; empty where it is to be done again."""
        distributed = _distributed()
        try:
            found: list[Ended] = future.result(timeout=_FETCH_S)
        except distributed.KilledWorker:
            # Time and again, so one of its runs may be the cause.
            if len(work) == 1:
                return [Ended(None, [], "every worker that did it was lost (its memory may not suffice)")]
            self._suspects.extend(work)
            return []
        except TimeoutError:
            # Its worker was lost after it had ended: it is being done again.
            self._out[future] = work
            future.add_done_callback(self._back.put)
            return []
        except (distributed.client.FutureCancelledError, OSError):
            raise _lost() from None
        except ImportError as error:
            raise UsageError(f"a worker cannot take part: {error}; install tailrace there") from None
        return found

    def _land(self, ended: Sequence[tuple[Work, Ended]]) -> None:
        if not ended:
            return
        landed = [(self._here(one, one.landing), one.captures) for _, one in ended if one.landing]
        failures = [(work.cell, work.run, one.error) for work, one in ended if one.landing is None]
        self.failed += len(failures)
        self._writer.land(landed, failures)
        for work, one in ended:
            self._pace.note(one)
            if one.landing is not None:
                job = Job(self._scenario, work.run, work.label, work.cell)
                self._watch.ended(job, one.landing.wall_s)

    def _here(self, ended: Ended, landing: Landing) -> Landing:
        """With its series in files of this machine."""
        if not ended.series:
            return landing
        folder = self._writer.spill.folder()
        files = {name: folder / f"{name}.parquet" for name in ended.series}
        for name, file in files.items():
            file.write_bytes(ended.series[name])
        return replace(landing, files=files)


def _lost() -> RunError:
    return RunError(
        "the connection to the Dask scheduler is lost; stored runs are kept, and the same command continues"
    )


class _Pace:
    """Duration and output of runs, which decide how many are a batch."""

    def __init__(self) -> None:
        self.runs = 0
        self._wall_s = 0.0
        self._bytes = 0

    def note(self, ended: Ended) -> None:
        """Counts an ended run."""
        self.runs += 1
        if ended.landing is not None:
            self._wall_s += ended.landing.wall_s
            self._bytes += ended.size

    @property
    def batch(self) -> int:
        """Runs of a batch; one as long as nothing is known."""
        if not self.runs or not self._bytes:
            return 1
        by_time = _BATCH_S * self.runs / max(self._wall_s, 1e-9)
        by_size = _BATCH_BYTES * self.runs / self._bytes
        return max(1, min(_LARGEST_BATCH, int(min(by_time, by_size))))

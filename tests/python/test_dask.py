"""Sweeps on a Dask cluster: two processes on this machine, one of which is killed."""

import os
import pickle
import signal

import pytest

import tailrace
from conftest import SMALL
from tailrace import _native
from tailrace.data import working_store
from tailrace.data.store import Writer
from tailrace.errors import UsageError
from tailrace.execution import identity, progress
from tailrace.execution.capture import Capture
from tailrace.study import dask_workers, result_runs, sweep_runner
from tailrace.study.cells import Cell

distributed = pytest.importorskip("distributed")

CAPTURING = f'{SMALL}\n[[capture]]\nat = "bottleneck"\n'
AXES = {"link.bottleneck.queue": ["droptail", "red"], "link.bottleneck.rate": ["1 Mbit/s", "2 Mbit/s"]}


@pytest.fixture(scope="module")
def client():
    with dask_workers.connected("local", 2) as cluster:
        yield cluster._client


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    return tailrace.sweep(CAPTURING, AXES, runs=10, output=tmp_path_factory.mktemp("here") / "s")


def captured(place):
    return {str(f.relative_to(place)): f.read_bytes() for f in sorted(place.glob("captures/*/*"))}


def test_a_worker_that_is_killed_costs_nothing_but_time(client, here, tmp_path, monkeypatch):
    before = client.run(os.getpid)
    real, batches = Writer.land, []

    def landing(writer, runs, failures=()):
        real(writer, runs, failures)
        batches.append(len(runs))
        if len(batches) == 1:
            os.kill(next(iter(before.values())), signal.SIGKILL)

    monkeypatch.setattr(Writer, "land", landing)
    there = tailrace.sweep(CAPTURING, AXES, runs=10, output=tmp_path / "s", client=client)
    # A cluster begins with single runs.
    assert batches[0] <= 4
    assert set(client.run(os.getpid).values()) != set(before.values())
    assert there.table().text("csv") == here.table().text("csv")
    for name in here:
        assert there[name].equals(here[name]), name
    assert there.runs.drop("wall_s").equals(here.runs.drop("wall_s"))
    assert captured(there.place) == captured(here.place)
    assert len(captured(there.place)) == 40
    assert there.failures.is_empty()


def test_what_has_landed_when_it_is_stopped_is_not_done_again(client, here, tmp_path):
    scenario = tailrace.Scenario.of(CAPTURING, set={"runs": 10})
    surveyed = sweep_runner.survey(scenario, planned())
    with Writer.opened(tmp_path / "s", {}) as writer:
        stop = lambda: bool(writer.index.runs())  # noqa: E731 - as soon as something has landed
        done = sweep_runner.run(scenario, surveyed, writer, dask_workers.Cluster(client), stop=stop)
        landed = len(writer.index.runs())
    assert done.interrupted
    assert 0 < landed < 40
    # The rest is done here: nothing tells where a run was done.
    with Writer.opened(tmp_path / "s", {}) as writer:
        assert sweep_runner.run(scenario, surveyed, writer).known == landed
    assert tailrace.Sweep.load(tmp_path / "s").table().text("csv") == here.table().text("csv")


def planned():
    from tailrace.study import cells, declaration

    return cells.Plan(declaration.of_python(AXES), 7)


def test_a_run_that_fails_is_recorded_and_the_others_go_on(client, tmp_path):
    scenario = tailrace.Scenario.of(SMALL)
    good = sweep_runner.Planned(Cell("good", {}, {}), "1", 1, 1)
    bad = sweep_runner.Planned(Cell("bad", {"link.bottleneck.queue": "nonsense"}, {}), "2", 1, 1)
    with Writer.opened(tmp_path / "s", {}) as writer:
        writer.index.add_cells(["of the bad one", "of the good one"])
        todo = [(bad, 1, 1), (good, 2, 1)]
        found = dask_workers.Cluster(client)(
            scenario, todo, writer, sweep_runner.execute.Silent(), lambda: False
        )
        assert found == (1, False)
        assert [row[:2] for row in writer.index.runs()] == [(2, 1)]
        ((cell, run, error),) = writer.index.failures()
    assert (cell, run) == (1, 1)
    assert "nonsense" in error


def test_workers_with_another_engine_are_refused(client, tmp_path, monkeypatch):
    monkeypatch.setattr(identity, "ENGINE", "0.0.1+0")
    with pytest.raises(UsageError, match=r"worker tcp://.* has another engine \(.*; here it is 0\.0\.1\+0\)"):
        tailrace.sweep(SMALL, AXES, runs=1, output=tmp_path / "s", client=client)
    # One that joins later is met by the first batch that it is given.
    batch = dask_workers.Batch("0.0.1+0", b"", (dask_workers.Work("", {}, 1, 1),))
    with pytest.raises(UsageError, match="another engine"):
        client.submit(dask_workers.perform, batch, pure=False).result()


def test_a_batch_whose_time_is_up_leaves_the_rest():
    work = tuple(dask_workers.Work("", {}, 1, run) for run in (1, 2, 3))
    batch = dask_workers.Batch(identity.ENGINE, pickle.dumps(tailrace.Scenario(SMALL)), work)
    assert [ended.landing.run for ended in dask_workers.perform(batch, patience_s=0)] == [1]
    assert len(dask_workers.perform(batch, patience_s=60)) == 3


def test_a_worker_has_what_is_in_files_that_only_a_cell_names(tmp_path):
    (tmp_path / "slow.trace").write_text("100\n")
    (tmp_path / "small.toml").write_text(SMALL)
    scenario = tailrace.Scenario.of(tmp_path / "small.toml")
    cell = {"link.bottleneck.rate": '"trace(slow.trace)"'}
    here = scenario.variant("slow", cell)
    (tmp_path / "slow.trace").unlink()
    batch = dask_workers.Batch(
        identity.ENGINE, pickle.dumps(scenario), (dask_workers.Work("slow", cell, 1, 1),)
    )
    (ended,) = dask_workers.perform(batch)
    assert ended.landing, ended.error
    assert ended.landing.fingerprint == _native.Task(here.native, 1).execute().fingerprint


def test_long_series_and_captures_of_a_worker_are_those_of_a_run_here(client, tmp_path):
    axes = {"link.bottleneck.queue": ["red"]}
    here = tailrace.sweep(CAPTURING, axes, runs=2, output=tmp_path / "here")
    client.run(exec, "from tailrace.execution import streaming; streaming.AT_ONCE_BYTES = 4000")
    there = tailrace.sweep(CAPTURING, axes, runs=2, output=tmp_path / "there", client=client)
    client.run(
        exec,
        "from tailrace import _native; from tailrace.execution import streaming; "
        "streaming.AT_ONCE_BYTES = _native.ROWS_AT_ONCE_BYTES",
    )
    for name in ("flow_series", "group_series", "queue_series", "events"):
        assert there.frame(name).equals(here.frame(name)), name
    assert captured(tmp_path / "there") == captured(tmp_path / "here") != {}
    assert not list((tmp_path / "there").glob(".tailrace*"))


def test_variants_of_a_comparison_are_those_of_runs_here(client, tmp_path):
    cells = {
        queue: tailrace.Scenario.of(CAPTURING, {"link.bottleneck.queue": queue, "runs": 3})
        for queue in ("droptail", "red")
    }
    variants = result_runs.Variants(tailrace.Scenario.of(CAPTURING), cells)
    with working_store.opened(tmp_path / "c") as store:
        way = dask_workers.Cluster(client)
        ended = result_runs.run(variants, store, way=way, watched=lambda _: progress.watch(quiet=True))
        there = result_runs.comparison(variants, store, ended)
        store.remove()
    here = tailrace.run_variants(cells)
    for label, result in here.items():
        assert there[label].fingerprint == result.fingerprint
        assert there[label].captures == result.captures
        for name in result:
            assert there[label][name].equals(result[name]), name


def test_batches_grow_with_what_is_known():
    pace = dask_workers._Pace()
    assert pace.batch == 1
    landing = sweep_runner.Landing(1, 1, 1, "", 0.015, "", b"x" * 1000)
    pace.note(dask_workers.Ended(landing, []))
    assert pace.batch == 100
    pace.note(dask_workers.Ended(landing, [Capture(1, "a", b"x" * (32 << 20))]))
    assert pace.batch == 1


def test_a_scheduler_that_does_not_answer_is_named(monkeypatch):
    monkeypatch.setattr(dask_workers, "_CONNECT_S", 0.2)
    with (
        pytest.raises(UsageError, match=r"no Dask scheduler answers at tcp://127\.0\.0\.1:1"),
        dask_workers.connected("tcp://127.0.0.1:1"),
    ):
        pass


class Done:
    """A future that has ended."""

    def __init__(self, result):
        self._result = result

    def add_done_callback(self, callback):
        callback(self)

    def result(self, timeout):  # noqa: ARG002 - as Dask calls it
        return self._result()


class Deadly:
    """A client of one thread, on which every batch with a certain run kills its workers."""

    status = "running"

    def __init__(self, deadly):
        self.deadly = deadly
        self.sizes = []

    def nthreads(self):
        return {"worker": 1}

    def run(self, function):
        return {"worker": function()}

    def cancel(self, futures, *, force):  # noqa: ARG002
        assert not futures

    def submit(self, function, batch, *, pure):  # noqa: ARG002
        self.sizes.append(len(batch.work))

        def result():
            if self.deadly in [work.run for work in batch.work]:
                raise distributed.KilledWorker("perform", "worker", 3)
            return function(batch)

        return Done(result)


def test_a_run_that_kills_its_workers_is_found_and_the_others_of_its_batch_are_done(tmp_path):
    scenario = tailrace.Scenario.of(SMALL, set={"runs": 12})
    client = Deadly(5)
    cell = sweep_runner.Planned(Cell("only", {}, {}), "1", 12, 1)
    with Writer.opened(tmp_path / "s", {}) as writer:
        assert writer.index.add_cells([cell.id]) == [1]
        todo = [(cell, 1, run) for run in range(1, 13)]
        found = dask_workers.Cluster(client)(
            scenario, todo, writer, sweep_runner.execute.Silent(), lambda: False
        )
        assert found == (1, False)
        assert [row[1] for row in writer.index.runs()] == [run for run in range(1, 13) if run != 5]
        ((_, run, error),) = writer.index.failures()
    assert run == 5
    assert "every worker that did it was lost" in error
    assert max(client.sizes) > 1

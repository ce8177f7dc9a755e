"""Long series leave a run while it goes on, and nobody can tell from what comes out."""

import gc
import os
import pickle
import signal
import subprocess
import sys
import time

import polars as pl
import pytest

import tailrace
from conftest import SMALL
from tailrace.data import loading, working_store
from tailrace.errors import RunError, UsageError
from tailrace.execution import progress, streaming
from tailrace.scenario.scenario import Scenario
from tailrace.study import result_runs

SERIES = ("group_series", "flow_series", "queue_series", "law_series", "events")


@pytest.fixture
def short_chunks(monkeypatch):
    """Rows leave a hundred times in a run."""
    monkeypatch.setattr(streaming, "AT_ONCE_BYTES", 4000)


@pytest.fixture(autouse=True)
def own_temporary_folder(tmp_path_factory, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path_factory.mktemp("temporary")))


def kept(scenario, store):
    """Result of runs in a working store."""
    variants = result_runs.Variants(scenario, {"": scenario})
    ended = result_runs.run(variants, store, watched=lambda _: progress.watch(quiet=True))
    return result_runs.single(variants, store, ended), ended


def chunks_of(result):
    return [holder._chunks for holder in result._holders]


def alike(one, other):
    for name in loading.TABLES:
        assert one.table(name).equals(other.table(name)), name
        assert one.table(name).schema == other.table(name).schema, name
    assert one.fingerprint == other.fingerprint


@pytest.fixture(scope="module")
def in_memory():
    return tailrace.run(SMALL)


@pytest.mark.usefixtures("short_chunks")
def test_a_pickle_has_the_rows_in_it(in_memory):
    alike(pickle.loads(pickle.dumps(tailrace.run(SMALL))), in_memory)


@pytest.mark.usefixtures("short_chunks")
def test_a_result_is_the_same_whether_rows_left_or_not(in_memory, tmp_path):
    assert not any(chunks_of(in_memory))
    found = tailrace.run(SMALL)
    assert all(len(chunks["flow_series"]) > 5 and len(chunks["events"]) > 5 for chunks in chunks_of(found))
    assert isinstance(found._tables["flow_series"], pl.LazyFrame)
    in_memory.save(tmp_path / "a")
    found.save(tmp_path / "b")
    alike(found, in_memory)
    alike(tailrace.Result.load(tmp_path / "b"), tailrace.Result.load(tmp_path / "a"))


@pytest.mark.usefixtures("short_chunks")
def test_columns_are_read_by_themselves(in_memory):
    found = tailrace.run(SMALL)
    columns = ("run", "time_s", "goodput_bps")
    assert found.columns("group_series", *columns).equals(in_memory.group_series.select(columns))
    assert in_memory.columns("group_series", *columns).equals(in_memory.group_series.select(columns))
    assert found.columns("group_series", "nothing").is_empty()
    assert isinstance(found._tables["group_series"], pl.LazyFrame)
    assert found.unsettled == in_memory.unsettled
    longest = pl.col("time_s").max()
    assert found.scan("flow_series").select(longest).collect().item() == in_memory.flow_series["time_s"].max()


@pytest.mark.usefixtures("short_chunks")
def test_nothing_is_left_of_the_files_when_nobody_has_the_result():
    found = tailrace.run(SMALL)
    (place,) = {chunk.parents[2] for chunks in chunks_of(found) for own in chunks.values() for chunk in own}
    assert place.is_dir()
    del found
    gc.collect()
    assert not place.exists()


def test_large_tables_of_a_folder_are_not_read_until_asked_for(in_memory, tmp_path, monkeypatch):
    monkeypatch.setattr(loading, "_MANY_VALUES", 100)
    monkeypatch.setattr(loading, "_WORTH_LOOKING", 0)
    in_memory.save(tmp_path / "r")
    loaded = tailrace.Result.load(tmp_path / "r")
    loaded.columns("flow_series", "run")
    assert isinstance(loaded._tables["flow_series"], pl.LazyFrame)
    alike(loaded, in_memory)
    again = tailrace.Result.load(tmp_path / "r")
    again.save(tmp_path / "copy")
    alike(tailrace.Result.load(tmp_path / "copy"), in_memory)


def test_damage_of_a_large_table_is_named_when_it_is_read(in_memory, tmp_path, monkeypatch):
    monkeypatch.setattr(loading, "_MANY_VALUES", 100)
    monkeypatch.setattr(loading, "_WORTH_LOOKING", 0)
    in_memory.save(tmp_path / "r")
    file = tmp_path / "r" / "flow_series.parquet"
    data = bytearray(file.read_bytes())
    data[4:2000] = bytes(1996)
    file.write_bytes(data)
    with pytest.raises(UsageError, match=r"flow_series\.parquet is not what was written"):
        tailrace.Result.load(tmp_path / "r").table("flow_series")


def test_a_sweep_is_the_same_whether_rows_left_or_not(tmp_path, monkeypatch):
    axes = {"link.bottleneck.queue": ["droptail", "red"]}
    plain = tailrace.sweep(SMALL, axes, runs=2, output=tmp_path / "plain")
    monkeypatch.setattr(streaming, "AT_ONCE_BYTES", 4000)
    found = tailrace.sweep(SMALL, axes, runs=2, output=tmp_path / "found")
    assert len(found._reader.index.parts()) == 4
    for name in (*SERIES, "flows", "queues", "figures"):
        where = pl.col("figure").is_in(["wall_s", "peak_rss_bytes"]).not_() if name == "figures" else True
        assert found.frame(name).filter(where).equals(plain.frame(name).filter(where)), name
    assert str(found.table()) == str(plain.table())
    assert not list((tmp_path / "found").glob(".*"))


def test_a_killed_sweep_leaves_no_rows_behind(tmp_path):
    script = (
        "import tailrace; from tailrace.execution import streaming; streaming.AT_ONCE_BYTES = 4000\n"
        f"tailrace.sweep({SMALL!r}, {{'link.bottleneck.queue': ['red']}}, output={str(tmp_path / 's')!r},"
        " set={'duration': '2000 s'})"
    )
    child = subprocess.Popen([sys.executable, "-c", script])
    while not list((tmp_path / "s").glob(".tailrace-work-*/new/1/*.parquet")):
        assert child.poll() is None
        time.sleep(0.01)
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    tailrace.sweep(SMALL, {"link.bottleneck.queue": ["red"]}, output=tmp_path / "s")
    assert not list((tmp_path / "s").glob(".*"))


@pytest.mark.usefixtures("short_chunks")
def test_long_runs_of_a_killed_command_are_taken_over(in_memory, tmp_path):
    target = tmp_path / "r"
    with working_store.opened(target) as store:
        kept(Scenario.of(SMALL, {"runs": 2}), store)
    with working_store.opened(target) as store:
        found, ended = kept(Scenario.of(SMALL), store)
        found.save(target)
        store.remove()
    assert ended.known == 2
    alike(found, in_memory)
    alike(tailrace.Result.load(target), in_memory)


@pytest.mark.usefixtures("short_chunks")
def test_more_runs_are_added_to_long_ones(in_memory, tmp_path, monkeypatch):
    monkeypatch.setattr(loading, "_MANY_VALUES", 100)
    monkeypatch.setattr(loading, "_WORTH_LOOKING", 0)
    for runs in (2, 3):
        with working_store.opened(tmp_path / "r") as store:
            found, ended = kept(Scenario.of(SMALL, {"runs": runs}), store)
            found.save(tmp_path / "r")
            store.remove()
    assert ended.known == 2
    alike(tailrace.Result.load(tmp_path / "r"), in_memory)


@pytest.mark.usefixtures("short_chunks")
def test_a_full_disk_ends_the_run_and_says_so(monkeypatch, tmp_path):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tailrace.execution.polars_frames.write", full)
    with pytest.raises(RunError, match="No space left on device"):
        tailrace.run(SMALL)
    with pytest.raises(RunError, match="free some space"):
        tailrace.sweep(SMALL, {"link.bottleneck.queue": ["red"]}, output=tmp_path / "s")

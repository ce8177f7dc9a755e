"""Shards of a sweep, and what they are together."""

import collections
import json
import shutil
import sqlite3

import polars as pl
import pytest

import tailrace
from conftest import SMALL, command_line
from tailrace.data.store import Writer, copying
from tailrace.errors import RunError, UsageError
from tailrace.execution import identity
from tailrace.study import sharding
from tailrace.study.sharding import Shard, dealt

CAPTURING = f'{SMALL}\n[[capture]]\nat = "bottleneck"\n'
AXES = {"link.bottleneck.queue": ["droptail", "red"], "link.bottleneck.rate": ["1 Mbit/s", "2 Mbit/s"]}


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    return tailrace.sweep(CAPTURING, AXES, runs=2, output=tmp_path_factory.mktemp("whole") / "s")


@pytest.fixture(scope="module")
def shards(tmp_path_factory):
    """All three of them; the second's cells have other numbers, since it did another sweep before."""
    place = tmp_path_factory.mktemp("shards")
    tailrace.sweep(CAPTURING, {"link.bottleneck.queue": ["codel"]}, runs=1, output=place / "2")
    for number in (1, 2, 3):
        tailrace.sweep(CAPTURING, AXES, runs=2, shard=(number, 3), output=place / str(number))
    return [place / str(number) for number in (1, 2, 3)]


def captured(place):
    return {
        f"{row['label']} run {run} {file.name}": file.read_bytes()
        for row in tailrace.Sweep.load(place).plan
        for run in (1, 2)
        for file in sorted((place / "captures" / f"cell{row['cell']}-run{run}").iterdir())
    }


def same(one, other):
    assert one.table().text("csv") == other.table().text("csv")
    assert set(one) == set(other)
    for name in one:
        assert one[name].drop("cell").equals(other[name].drop("cell")), name
    assert one.runs.drop("wall_s").equals(other.runs.drop("wall_s"))
    assert one.cells.equals(other.cells)
    assert captured(one.place) == captured(other.place)


def test_every_run_falls_to_one_shard_and_all_have_as_many_of_everything():
    runs = [(f"cell {cell}", run) for run in range(1, 6) for cell in range(60)]
    shares = [dealt(runs, Shard(number, 12)) for number in range(1, 13)]
    assert sorted(place for share in shares for place in share) == list(range(300))
    assert {len(share) for share in shares} == {25}
    for share in shares:
        # What a plain division by place would do: one cell in twelve, five times.
        assert len({runs[place][0] for place in share}) > 15
        assert set(collections.Counter(runs[place][1] for place in share).values()) == {5}
    # More runs leave those before where they are.
    more = runs + [(f"cell {cell}", 6) for cell in range(60)]
    assert [place for place in dealt(more, Shard(3, 12)) if place < 300] == shares[2]


@pytest.mark.parametrize("text", ["3", "0/3", "4/3", "a/b", "1/", "-1/3", "1/99999999999", "1/2/3", "²/3"])
def test_what_is_no_shard_is_said(text):
    with pytest.raises(UsageError, match="shard"):
        sharding.Shard.parse(text)


def test_shards_together_are_the_sweep_run_at_once(whole, shards, tmp_path):
    counts = [tailrace.Sweep.load(place).runs.height for place in shards]
    assert sorted(counts) == [2, 3, 3]
    # Each knows what it is part of.
    assert [len(tailrace.Sweep.load(place).plan) for place in shards] == [4, 4, 4]
    same(tailrace.merge(shards, tmp_path / "out"), whole)
    # Again, and in another order into another folder.
    same(tailrace.merge(shards, tmp_path / "out"), whole)
    same(tailrace.merge(shards[::-1], tmp_path / "back"), whole)


def test_shares_can_come_one_by_one_and_a_sweep_does_what_is_missing(whole, shards, tmp_path):
    out = tmp_path / "out"
    for place in shards[:2]:
        found = tailrace.merge([place], out)
    lacking = tailrace.Sweep.load(shards[2]).runs.height
    assert found.runs.height == 8 - lacking
    begun = tailrace.sweep(CAPTURING, AXES, runs=2, output=out)
    same(begun, whole)
    # A folder may be a share and where it all goes.
    third = tmp_path / "third"
    shutil.copytree(shards[2], third)
    same(tailrace.merge([third, shards[0], shards[1]], third), whole)


def test_a_merge_that_was_stopped_goes_on(whole, shards, tmp_path, monkeypatch):
    monkeypatch.setattr(copying, "PART_BYTES", 1)
    out, adopted = tmp_path / "out", []
    real = Writer.adopt

    def stopped(writer, frames, runs):
        if len(adopted) == 1:
            # As if it were killed when the files are written and the index does not know them.
            writer._written(frames, [run for run, _ in runs])
            raise KeyboardInterrupt
        adopted.append(len(runs))
        real(writer, frames, runs)

    monkeypatch.setattr(Writer, "adopt", stopped)
    with pytest.raises(KeyboardInterrupt):
        tailrace.merge(shards, out)
    assert tailrace.Sweep.load(out).runs.height == adopted[0]
    monkeypatch.setattr(Writer, "adopt", real)
    same(tailrace.merge(shards, out), whole)


def test_runs_that_are_in_no_part_yet_are_merged_too(whole, tmp_path, monkeypatch):
    monkeypatch.setattr(Writer, "finish", lambda _: None)
    for number in (1, 2, 3):
        tailrace.sweep(CAPTURING, AXES, runs=2, shard=(number, 3), output=tmp_path / str(number))
    assert not list(tmp_path.glob("*/parts/*"))
    same(tailrace.merge([tmp_path / str(number) for number in (1, 2, 3)], tmp_path / "out"), whole)


def test_a_run_that_is_not_the_same_everywhere_is_named(shards, tmp_path):
    bad = tmp_path / "bad"
    shutil.copytree(shards[0], bad)
    index = sqlite3.connect(bad / "index.sqlite")
    index.execute("UPDATE runs SET fingerprint = 'f00'")
    index.commit()
    with pytest.raises(
        RunError, match=r"run \d of cell '(droptail|red) rate=. Mbit/s' has fingerprint .* f00"
    ):
        tailrace.merge([shards[0], bad], tmp_path / "out")
    assert not (tmp_path / "out").exists()
    tailrace.merge([shards[0]], tmp_path / "out")
    with pytest.raises(RunError, match="broken"):
        tailrace.merge([bad], tmp_path / "out")


@pytest.mark.parametrize(
    ("text", "axes", "runs", "message"),
    [
        (CAPTURING, AXES, 3, r"scenarios differ: 'runs = 3' and 'runs = 2'"),
        (CAPTURING.replace("10 ms", "11 ms"), AXES, 2, r"scenarios differ: 'delay = \"11 ms\"'"),
        (
            CAPTURING,
            {"link.bottleneck.queue": ["red", "codel"]},
            2,
            r"sweeps differ: cell 'red' and 1 more are only",
        ),
        (CAPTURING, {k: v[::-1] for k, v in AXES.items()}, 2, r"not at the same place"),
    ],
)
def test_what_is_of_another_sweep_is_refused_and_the_difference_named(
    shards, tmp_path, text, axes, runs, message
):
    tailrace.sweep(text, axes, runs=runs, shard=(1, 8), output=tmp_path / "other")
    with pytest.raises(UsageError, match=message):
        tailrace.merge([shards[0], tmp_path / "other"], tmp_path / "out")
    assert not (tmp_path / "out").exists()
    before = tailrace.merge([shards[0]], tmp_path / "out").runs
    with pytest.raises(UsageError, match="differ"):
        tailrace.merge([tmp_path / "other"], tmp_path / "out")
    assert tailrace.Sweep.load(tmp_path / "out").runs.equals(before)


def test_engines_do_not_mix(shards, tmp_path, monkeypatch):
    monkeypatch.setattr(identity, "ENGINE", "0.0.1+0")
    tailrace.sweep(CAPTURING, AXES, runs=2, shard=(1, 3), output=tmp_path / "old")
    with pytest.raises(UsageError, match=r"engines differ, 0\.0\.1\+0"):
        tailrace.merge([shards[1], tmp_path / "old"], tmp_path / "out")


def test_a_damaged_share_is_named(shards, tmp_path):
    bad = tmp_path / "bad"
    shutil.copytree(shards[0], bad)
    (part,) = bad.glob("parts/*-flows.parquet")
    part.write_bytes(part.read_bytes()[:-1])
    with pytest.raises(UsageError, match=r"flows\.parquet is damaged"):
        tailrace.merge([bad, shards[1]], tmp_path / "out")
    with pytest.raises(UsageError, match="not a sweep's folder"):
        tailrace.merge([tmp_path], tmp_path / "out")


def test_what_failed_stays_noted_until_it_lands(tmp_path):
    axes = {"link.bottleneck.queue.limit": ["20 packets", "20 bananas"]}
    for number in (1, 2):
        tailrace.sweep(SMALL, axes, runs=2, shard=(number, 2), output=tmp_path / str(number))
    with Writer.opened(tmp_path / "1", {}) as writer:
        # As if that run had failed there.
        ((cell, run, *_),) = writer.index.runs()
        writer.index.drop_part(1)
        writer.land([], [(cell, run, "it broke")])
    found = tailrace.merge([tmp_path / "1", tmp_path / "2"], tmp_path / "out")
    assert found.failures.select("label", "run").rows() == [("20 packets", run), ("20 bananas", 0)]
    assert tailrace.sweep(SMALL, axes, runs=2, output=tmp_path / "out").failures.height == 1


@pytest.mark.usefixtures("small_file")
def test_the_command_line_says_what_is_missing_and_what_does_it(tmp_path):
    queues, rates = "link.bottleneck.queue=droptail,red", "link.bottleneck.rate=1 Mbit/s,2 Mbit/s"
    sweep = ["sweep", "small.toml", "--set-each", queues, "--set-each", rates, "--runs", "2"]
    at_once = command_line(*sweep, "-q", "-o", "whole", cwd=tmp_path)
    assert at_once.returncode == 0, at_once.stderr
    for number in (1, 2, 3):
        where = ["-o", f"s{number}"] if number < 3 else []
        done = command_line(*sweep, "--shard", f"{number}/3", *where, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert f"shard {number}/3: {2 if number == 3 else 3} runs" in done.stderr
    (third,) = (tmp_path / "results").iterdir()
    assert "shard=3-of-3" in third.name
    done = command_line("merge", "s1", "s2", "-o", "out", "-q", cwd=tmp_path)
    assert done.returncode == 3
    assert "2 of 8 runs are missing, of cells '" in done.stderr
    command = done.stderr.partition("`")[2].partition("`")[0]
    assert command == (
        "tailrace sweep small.toml --set-each link.bottleneck.queue=droptail,red"
        " --set-each 'link.bottleneck.rate=1 Mbit/s,2 Mbit/s' --runs 2 -o out"
    )
    done = command_line("merge", third, "-o", "out", "--format", "json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert [row["runs"] for row in json.loads(done.stdout)] == [2] * 4
    assert (tmp_path / "out" / "table.csv").read_bytes() == (tmp_path / "whole" / "table.csv").read_bytes()
    assert pl.read_csv(tmp_path / "out" / "table.csv").height == 4

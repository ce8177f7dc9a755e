"""Captures of results: on the disk while a run goes on, found again in a loaded result, equal by what is in them."""

import pickle
from pathlib import Path

import pytest

import tailrace
from conftest import SMALL
from tailrace.execution.capture import Capture

CAPTURED = SMALL + '\n[[capture]]\nat = "src[0]"\n[[capture]]\nat = "bottleneck"\n'


@pytest.fixture(scope="module")
def captured():
    return tailrace.run(CAPTURED, runs=2)


def test_a_run_writes_them_to_the_disk_while_it_goes_on(captured):
    assert [(capture.run, capture.name) for capture in captured.captures] == [
        (run, name) for run in (1, 2) for name in ("bottleneck.pcapng", "src-0.pcapng")
    ]
    for capture in captured.captures:
        assert isinstance(capture.data, Path)
        assert capture.read_bytes()[:4] == b"\x0a\x0d\x0d\x0a"
        assert capture.size == len(capture.read_bytes())


def test_what_nothing_captures_has_no_folder_for_it(small):
    assert small.captures == []


def test_a_loaded_result_has_them(captured, tmp_path):
    loaded = tailrace.Result.load(captured.save(tmp_path / "a"))
    # In the same order, whatever that of the scenario is.
    assert loaded.captures == captured.captures
    again = tailrace.Result.load(loaded.save(tmp_path / "b"))
    assert again.captures == captured.captures


def test_they_outlast_the_result_that_they_were_pickled_from(captured):
    kept = pickle.loads(pickle.dumps(captured.captures))
    assert kept == captured.captures
    assert all(isinstance(capture.data, bytes) for capture in kept)


def test_they_are_equal_by_what_is_in_them():
    one = Capture(1, "a.pcapng", b"x")
    assert one == Capture(1, "a.pcapng", b"x")
    assert len({one, Capture(1, "a.pcapng", b"x")}) == 1
    assert one != Capture(2, "a.pcapng", b"x")
    assert one != Capture(1, "b.pcapng", b"x")
    assert one != Capture(1, "a.pcapng", b"y")
    assert one != "a.pcapng"

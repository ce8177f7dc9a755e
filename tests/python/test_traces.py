"""Traces of Mahimahi: read beside the scenario, carried with it, written."""

import os
import pickle

import pytest

import tailrace
from conftest import SMALL, command_line
from tailrace.errors import ScenarioError

TRACE = "3\n3\n8\n20\n"
RATE = 'rate = "2 Mbit/s"'


@pytest.fixture
def traced(tmp_path):
    """A scenario in a folder with its trace."""
    (tmp_path / "traces").mkdir()
    (tmp_path / "traces" / "up.trace").write_text(TRACE)
    file = tmp_path / "traced.toml"
    file.write_text(SMALL.replace(RATE, 'rate = "trace(traces/up.trace)"'))
    return file


def test_a_trace_is_found_beside_the_scenario_and_goes_with_it(traced, monkeypatch, tmp_path):
    monkeypatch.chdir("/")
    scenario = tailrace.Scenario.of(os.path.relpath(traced, "/"))
    packed = pickle.dumps(scenario)
    (tmp_path / "traces" / "up.trace").unlink()
    for back in (pickle.loads(packed), tailrace.Scenario.of(scenario.to_toml())):
        assert back.to_toml() == scenario.to_toml()
    with pytest.raises(ScenarioError, match=r"there is no file .*up.trace; paths begin where the scenario"):
        tailrace.Scenario.of(traced)


def test_traces_are_an_axis(traced, tmp_path):
    (tmp_path / "slow.trace").write_text("100\n")
    sweep = tailrace.sweep(
        traced, {"link.bottleneck.rate": ["trace(slow.trace)", "trace(traces/up.trace)"]}, runs=1
    )
    assert sweep.cells["bottleneck.rate"].to_list() == ["trace(slow.trace)", "trace(traces/up.trace)"]
    slow, fast = sweep.metric("tcp.goodput")["value"].to_list()
    # One packet in 100 ms carries 0.12 Mbit/s.
    assert slow < 0.12 < fast


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", 'of "traces/up.trace": it has no times'),
        (b"5\n3\n", 'line 2 of "traces/up.trace": 3 comes after 5; times never go back'),
        (b"5\n-3\n", "line 2 .*times begin at 0"),
        (b"5\n99999999999\n", "line 2 .*49 days"),
        (b"\xff\xfe", "it is not UTF-8 text"),
        (None, "it is not a file"),
    ],
)
def test_what_is_no_trace_is_said_with_its_line(traced, tmp_path, text, message):
    file = tmp_path / "traces" / "up.trace"
    file.unlink()
    if text is None:
        file.mkdir()
    else:
        file.write_bytes(text)
    with pytest.raises(ScenarioError, match=message):
        tailrace.Scenario.of(traced)


def test_what_is_exported_and_taken_in_again_gives_the_same_run(traced, tmp_path):
    first = tailrace.run(traced, runs=1, set={"link.bottleneck.queue": "codel"})
    first.save(tmp_path / "result")
    for source in ("result", "traced.toml"):
        done = command_line(
            "export", "mahimahi", source, "--link", "bottleneck", "-o", "out.trace", cwd=tmp_path
        )
        assert done.returncode == 0, done.stderr
        assert (tmp_path / "out.trace").read_text() == TRACE
    rate = {"link.bottleneck.rate": "trace(out.trace)", "link.bottleneck.queue": "codel"}
    again = tailrace.run(traced, runs=1, set=rate)
    assert again.flows.equals(first.flows)
    assert again.summary["runs"][0]["fingerprint"] == first.summary["runs"][0]["fingerprint"]


@pytest.mark.usefixtures("traced")
def test_a_direction_that_is_not_there_is_an_error(tmp_path):
    for name, message in [
        ("bottlneck", "did you mean bottleneck?"),
        ("r1->r3", "there is no link or queue"),
    ]:
        done = command_line("export", "mahimahi", "traced.toml", "--link", name, "-o", "o", cwd=tmp_path)
        assert done.returncode == 2
        assert message in done.stderr
    (tmp_path / "empty").mkdir()
    done = command_line("export", "mahimahi", "empty", "--link", "x", "-o", "o", cwd=tmp_path)
    assert "has no scenario.toml" in done.stderr
    assert not (tmp_path / "o").exists()
    # The way back has the rate of a link of its own.
    done = command_line("export", "mahimahi", "traced.toml", "--link", "src[0]->r1", "-o", "o", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "o").read_text().startswith("1\n2\n2\n3\n")

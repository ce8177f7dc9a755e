"""Comparisons and twins that are killed again and again end with the folder of one that nobody disturbed."""

import signal
import sqlite3
import time

import pytest

import tailrace
from conftest import SMALL, command_line, started

PAIR = """
name = "pair"
duration = "2 s"

[[host]]
name = "a"
[[host]]
name = "b"
[[link]]
name = "l"
between = ["a", "b"]
rate = "10 Mbit/s"
delay = "10 ms"
[[flow]]
name = "f"
from = "a"
to = "b"
start = "uniform(0 s, 1 s)"
transport = "tcp"
app = "bulk"
"""
COMPARE = (
    "compare",
    "small.toml",
    "--set-each",
    "link.bottleneck.queue=red,codel",
    "--runs",
    "30",
    "-j",
    "1",
)
TWIN = ("twin", "small.toml", "--runs", "4", "-j", "1", "--tolerance", "goodput=99%")


def landed(place):
    """Number of runs in the store beside a folder and in the folder."""
    index = place.with_name(f"{place.name}.unfinished") / "index.sqlite"
    try:
        with sqlite3.connect(f"file:{index}?mode=rw", uri=True, timeout=60) as opened:
            return len(opened.execute("SELECT fingerprint FROM runs").fetchall())
    except sqlite3.OperationalError:
        return 0


def disturbed(command, folder, numbers):
    """Sends each signal to the command as soon as another run has landed; how many commands it met."""
    met = 0
    for number in numbers:
        before = landed(folder / "torn")
        with started([*command, "--no-plots", "-q", "-o", "torn"], folder) as process:
            while process.poll() is None and landed(folder / "torn") <= before:
                time.sleep(0.005)
            met += process.poll() is None
            process.send_signal(number)
            assert process.wait(timeout=120) in {0, 130, -number}
    return met


def check_equal(torn, whole):
    """The same results in every table."""
    assert list(torn) == list(whole)
    for label, result in whole.items():
        assert torn[label].fingerprint == result.fingerprint
        assert torn[label].manifest["status"] == "complete"
        assert list(torn[label]) == list(result)
        for name in result:
            assert torn[label][name].equals(result[name]), (label, name)
        assert torn[label].aggregate["groups"] == result.aggregate["groups"]


@pytest.mark.parametrize("text", [SMALL + '\n[[capture]]\nat = "bottleneck"\n'])
def test_a_comparison_that_is_killed_again_and_again_loses_nothing(tmp_path, text):
    (tmp_path / "small.toml").write_text(text)
    signals = (signal.SIGKILL, signal.SIGINT, signal.SIGKILL)
    assert disturbed(COMPARE, tmp_path, signals) >= 2
    for place in ("torn", "whole"):
        done = command_line(*COMPARE, "--no-plots", "-o", place, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert ("runs were already there" in done.stderr) == (place == "torn")
    torn, whole = (tailrace.Comparison.load(tmp_path / place) for place in ("torn", "whole"))
    check_equal(torn, whole)
    assert all(torn[label].captures == whole[label].captures for label in whole)
    assert {path.name for path in tmp_path.iterdir()} == {"small.toml", "torn", "whole"}


@pytest.mark.usefixtures("kernel")
def test_a_twin_that_is_killed_again_and_again_loses_nothing(tmp_path):
    (tmp_path / "small.toml").write_text(PAIR)
    disturbed(TWIN, tmp_path, (signal.SIGKILL, signal.SIGINT))
    for place in ("torn", "whole"):
        done = command_line(*TWIN, "--no-plots", "-o", place, cwd=tmp_path)
        assert done.returncode in {0, 4}, done.stderr
        assert ("runs were already there" in done.stderr) == (place == "torn")
    check_equal(*(tailrace.Comparison.load(tmp_path / place) for place in ("torn", "whole")))
    assert {path.name for path in tmp_path.iterdir()} == {"small.toml", "torn", "whole"}

"""Kills a sweep again and again at random moments and resumes it: `sweep_kills.py FOLDER KILLS RUNS SEED`.

At the end the tables must be those of a sweep that nobody disturbed, byte for byte, and nothing else may be left.
"""

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import tailrace

CELLS = 10


def command(place, runs):
    text = Path(place).with_suffix(".toml")
    return [
        *(
            sys.executable,
            "-m",
            "tailrace",
            "sweep",
            str(text),
            "--runs",
            str(runs // CELLS),
            "-o",
            str(place),
        ),
        *("--set-each", "link.bottleneck.rate=" + ",".join(f"{n} Mbit/s" for n in range(1, CELLS + 1)), "-q"),
    ]


def landed(place):
    """The runs in the index, each with its fingerprint."""
    try:
        with sqlite3.connect(f"file:{place}/index.sqlite?mode=rw", uri=True, timeout=60) as index:
            return dict(index.execute("SELECT cell || ' ' || run, fingerprint FROM runs").fetchall())
    except sqlite3.OperationalError:
        return {}


def moment(source, done, runs, kills):
    """How many runs may have landed before the next kill; the last few come when parts and tables are written."""
    return runs if kills <= 2 else min(runs - 1, done + source.randint(0, 2 * (runs - done) // kills))


def wait(child, place, count, seconds):
    """Until so many runs have landed, at first no longer than so many seconds; whether there is somebody to kill."""
    end = time.monotonic() + (seconds if count < CELLS else 600)
    while child.poll() is None and len(landed(place)) < count and time.monotonic() < end:
        time.sleep(0.002)
    time.sleep(seconds / 30)
    return child.poll() is None


def main():
    folder, kills, runs, seed = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
    source = random.Random(seed)
    from conftest import SMALL

    text = SMALL + '\n[[capture]]\nat = "bottleneck"\n'
    whole, torn = folder / "whole", folder / "torn"
    for place in (whole, torn):
        place.with_suffix(".toml").write_text(text)
    begun = time.monotonic()
    subprocess.run(command(whole, runs), check=True, stdout=subprocess.DEVNULL)
    takes = time.monotonic() - begun
    killed, before = 0, {}
    while True:
        child = subprocess.Popen(command(torn, runs), stdout=subprocess.DEVNULL, start_new_session=True)
        if killed < kills and wait(
            child, torn, moment(source, len(before), runs, kills - killed), takes * source.random()
        ):
            os.killpg(child.pid, signal.SIGKILL)
            killed += 1
        child.wait()
        now = landed(torn)
        assert before.items() <= now.items(), "a run that had landed is gone, or was done again"
        before = now
        if child.returncode == 0:
            break
    assert killed == kills, f"over after {killed} kills"
    for name in ("table.csv", "table.md"):
        assert (torn / name).read_bytes() == (whole / name).read_bytes(), name
    one, other = tailrace.Sweep.load(whole), tailrace.Sweep.load(torn)
    for name in one:
        assert one[name].equals(other[name]), name
    assert one.runs.drop("wall_s").equals(other.runs.drop("wall_s"))
    captures = sorted(file.relative_to(whole) for file in whole.glob("captures/*/*"))
    assert len(captures) == runs
    assert captures == sorted(file.relative_to(torn) for file in torn.glob("captures/*/*"))
    assert all((whole / file).read_bytes() == (torn / file).read_bytes() for file in captures)
    names = {file.name for file in torn.iterdir()}
    assert names == {"captures", "index.sqlite", "lock", "manifest.json", "parts", "table.csv", "table.md"}, (
        names
    )


if __name__ == "__main__":
    main()

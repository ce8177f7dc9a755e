"""Fixtures of all tests: a small real experiment, the command line, signals, and which tests stay together."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import types
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

import in_process
import tailrace
from tailrace.kernels import kernel_store

# Tests that must not run beside one another. The longest come first: no process is left alone with them at the end.
GROUPS = {
    "test_contributing": "cargo",
    "test_papers": "papers",
    **dict.fromkeys(
        ("test_damage", "test_folder", "test_interrupted_views", "test_keeping", "test_shards", "test_spill"),
        "kills",
    ),
}

ROOT = Path(__file__).resolve().parents[2]
KOCHHER = ROOT / "papers" / "kochher" / "kochher.toml"

# Two TCP flows and a CBR flow share 2 Mbit/s for 6 s: drops, timeouts and every table within a few milliseconds.
SMALL = """
name = "small"
question = "Does it work?"
duration = "6 s"
runs = 3
seed = 7

[record]
interval = "100 ms"
events = true

[[host]]
name = "src"
count = 3
[[host]]
name = "dst"
[[router]]
name = "r1"
[[router]]
name = "r2"

[[link]]
between = ["src[*]", "r1"]
rate = "20 Mbit/s"
delay = "uniform(1 ms, 5 ms)"
[[link]]
name = "bottleneck"
between = ["r1", "r2"]
rate = "2 Mbit/s"
delay = "10 ms"
queue = { kind = "droptail", limit = "20 packets" }
[[link]]
between = ["r2", "dst"]
rate = "20 Mbit/s"
delay = "1 ms"

[[flow]]
name = "tcp"
from = "src[0..2]"
to = "dst"
start = "uniform(0 s, 100 ms)"
transport = { kind = "tcp", cc = "newreno" }
app = { kind = "bulk" }
[[flow]]
name = "cbr"
role = "attack"
from = "src[2]"
to = "dst"
transport = { kind = "udp" }
app = { kind = "cbr", rate = "500 kbit/s", size = "500 B", jitter = 0.1, random_phase = true }
"""


def pytest_configure() -> None:
    """Gives children of tests the signals that `nohup` and a shell's `&` have ignored.

    A handler of Python's is reset when another program starts, and an ignored signal is not. This process goes on
    ignoring them.
    """
    for number in (signal.SIGINT, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, lambda *_: None)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keeps the tests of a file in one process of pytest-xdist, and those of all kernels, too."""
    order = {group: place for place, group in enumerate(("kernels", *dict.fromkeys(GROUPS.values())))}

    def group_of(item: pytest.Item) -> str:
        file = item.path.stem
        return "kernels" if file.startswith("test_kernel_") else GROUPS.get(file, str(item.path))

    for item in items:
        item.add_marker(pytest.mark.xdist_group(group_of(item)))
    items.sort(key=lambda item: order.get(group_of(item), len(order)))


@pytest.fixture(scope="session")
def kernel() -> str:
    """The newest kernel that is there; without one, tests that run one are skipped."""
    kept = kernel_store.kernels()
    if not kept:
        pytest.skip("there is no kernel: `tailrace kernel build 6.12` builds one")
    return kept[0].version


@pytest.fixture(scope="module", params=["6.12", "6.1"])
def series(request: pytest.FixtureRequest) -> str:
    """Each kernel that tests run, one after the other."""
    name = str(request.param)
    if not any(kept.name == name for kept in kernel_store.kernels()):
        pytest.skip(f"there is no kernel {name}: `tailrace kernel build {name}` builds one")
    return name


@pytest.fixture(scope="session")
def small() -> tailrace.Result:
    return tailrace.run(SMALL)


@pytest.fixture(scope="session")
def small_codel() -> tailrace.Result:
    return tailrace.run(SMALL, set={"link.bottleneck.queue": "codel"})


@pytest.fixture
def small_file(tmp_path: Path) -> Path:
    path = tmp_path / "small.toml"
    path.write_text(SMALL, encoding="utf-8")
    return path


def command_line(
    *arguments: object,
    cwd: Path,
    environment: Mapping[str, str] = types.MappingProxyType({}),
    input: str = "",  # noqa: A002 - as of `subprocess.run`
    process: bool = False,
) -> subprocess.CompletedProcess[str]:
    """`tailrace ...`, in this process unless a process is asked for; the exit code is the caller's to look at."""
    command = [*map(str, arguments)]
    variables = {"NO_COLOR": "1", "COLUMNS": "160", **environment}
    if not process:
        return in_process.run(command, cwd, variables, input)
    return subprocess.run(
        [sys.executable, "-m", "tailrace", *command],
        cwd=cwd,
        input=input,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={**os.environ, **variables},
    )


@contextlib.contextmanager
def started(
    arguments: Sequence[object], cwd: Path, before: Sequence[str] = (), **options: object
) -> Iterator[subprocess.Popen[str]]:
    """`tailrace ...` as a process, which ends with the test even where the test fails: some would run for hours."""
    command = [*before, sys.executable, "-m", "tailrace", *map(str, arguments)]
    process = subprocess.Popen(command, cwd=cwd, text=True, **options)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()

"""What the tests share: a small real experiment and the command line as a process."""

from __future__ import annotations

import os
import subprocess
import sys
import types
from collections.abc import Mapping
from pathlib import Path

import pytest

import tailrace
from tailrace.kernels import kernel_store

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
    **options: object,
) -> subprocess.CompletedProcess[str]:
    """`tailrace ...` as a process; the exit code is the caller's to look at."""
    return subprocess.run(
        [sys.executable, "-m", "tailrace", *map(str, arguments)],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={**os.environ, "NO_COLOR": "1", "COLUMNS": "160", **environment},
        **options,
    )

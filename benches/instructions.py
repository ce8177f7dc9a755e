#!/usr/bin/env python3
"""Instructions a packet-hop, by callgrind: the same on every machine, so that growth is seen when it happens.

Each case is run at two lengths, of which the difference is taken: set-up cancels out. What was counted when it was
last looked at is in instructions.json; a case that differs from it by more than 2 % fails. `--bless` writes that file
anew: say in the commit why.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from run import PEERS, ROOT, build

CASES = ROOT / "benches" / "cases"
KNOWN = Path(__file__).with_name("instructions.json")
TOLERANCE = 0.02
COLLECTED = re.compile(r"Collected : (\d+)")


@dataclass(frozen=True)
class Case:
    """What is run, and for how many simulated seconds, shorter and longer."""

    name: str
    file: str
    seconds: tuple[int, int]
    n: int = 0
    changes: tuple[str, ...] = field(default=())


FAIR = 'link.bottleneck.queue={ kind = "fq_codel" }'
ALL = [
    Case("D, N = 10", "d", (20, 50), 10),
    Case("D, N = 100", "d", (4, 8), 100),
    Case("D, N = 1000", "d", (2, 3), 1000),
    Case("A, N = 400", "a.toml", (6, 12)),
    Case("floor, N = 100", "floor", (3, 6), 100),
    Case("D, N = 100, fq_codel", "d", (4, 8), 100, (FAIR,)),
    Case("100 connections of Multipath TCP, 4 subflows", "multipath.toml", (3, 6)),
    Case(
        "100 connections of Multipath TCP, 8 paths",
        "eight_paths.toml",
        (2, 4),
        changes=("host.client.count=100",),
    ),
    Case("one long flow, CUBIC", "long_flow.toml", (4, 10)),
    Case("short transfers", "arrivals.toml", (2, 5)),
    Case("UDP alone", "udp.toml", (5, 15)),
]


def main() -> int:
    """A line for each case; fails where one differs from what is known."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--bless", action="store_true", help="what is counted now is what is known")
    chosen = options.parse_args()
    if not shutil.which("valgrind"):
        print("!! valgrind is missing: INSTRUCTIONS ARE NOT COUNTED")
        return 0
    program = build()
    known = json.loads(KNOWN.read_text(encoding="utf-8")) if KNOWN.exists() else {}
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as pool:
        counted = list(pool.map(lambda case: instructions(program, case, Path(folder)), ALL))
    print("| case | known | now | change |\n| --- | ---: | ---: | ---: |")
    found = {case.name: round(count, 1) for case, count in zip(ALL, counted, strict=True)}
    changes = {name: count / known[name] - 1 if name in known else None for name, count in found.items()}
    for name, change in changes.items():
        print(row(name, known.get(name), found[name], change))
    if chosen.bless:
        KNOWN.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
        return 0
    wrong = [name for name, change in changes.items() if change is None or abs(change) > TOLERANCE]
    if wrong:
        print(f"\nmore than {TOLERANCE:.0%} from what is known, or new: {'; '.join(wrong)}")
        print("If that is meant: `make instructions BLESS=1`, and say in the commit why.")
    return 1 if wrong else 0


def row(name: str, known: float | None, now: float, change: float | None) -> str:
    """A line of the table."""
    if known is None or change is None:
        return f"| {name} | | {now:.0f} | new |"
    return f"| {name} | {known:.0f} | {now:.0f} | {change:+.1%} |"


def instructions(program: Path, case: Case, folder: Path) -> float:
    """Instructions of a packet-hop."""
    file = scenario_file(case, folder)
    short, long = (counted(program, arguments(case, file, seconds), folder) for seconds in case.seconds)
    return (long[0] - short[0]) / (long[1] - short[1])


def scenario_file(case: Case, folder: Path) -> Path:
    """The scenario; D is made for its number of flows."""
    if case.file != "d":
        return next(
            place / case.file for place in (CASES, PEERS) if (place / case.file).exists() or place == PEERS
        )
    made = subprocess.run(
        [sys.executable, PEERS / "make_d.py", str(case.n)], capture_output=True, text=True, check=True
    )
    file = folder / f"d{case.n}.toml"
    file.write_text(made.stdout, encoding="utf-8")
    return file


def arguments(case: Case, file: Path, seconds: int) -> list[str]:
    """What the benchmark is told."""
    if case.file == "floor":
        return ["floor", "--n", str(case.n), "--duration", str(seconds), "--json"]
    changes = [f"duration={seconds} s", *case.changes]
    return ["run", str(file), *(word for change in changes for word in ("--set", change)), "--json"]


def counted(program: Path, words: list[str], folder: Path) -> tuple[int, int]:
    """Instructions and packet-hops of a run."""
    command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out.%p", str(program), *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found = COLLECTED.search(done.stderr)
    if done.returncode or not found:
        sys.exit(f"{' '.join(words)}: {done.stderr}")
    return int(found[1]), int(json.loads(done.stdout)["packet_hops"])


if __name__ == "__main__":
    sys.exit(main())

"""The table of what a packet costs in each discipline: nanoseconds, and instructions counted by callgrind."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from queue_docs.catalog import PLACE, ROOT, by_family, entries, table

FLOWS = (1, 400, 100_000)
# Pairs of two counted runs, of which the difference is taken: set-up cancels out, and every flow has been seen.
_SHORT, _LONG = 2_000, 7_000
_COLLECTED = re.compile(r"Collected : (\d+)")

_INTRO = """<!-- Written by `make docs-cost`, which measures. Do not edit. -->

# What a packet costs

One enqueue and one dequeue in each discipline with its defaults, while 40 packets of 1000 bytes wait and packets arrive
in turn from 1, 400 and 100 000 flows. Time in nanoseconds: the least of 40 batches of 10 000 packets, release profile,
on {machine}; it moves with the machine, and the column for droptail says by how much to scale.
Instructions: callgrind, the difference of two lengths of the same run; these do not move. A packet that is dropped on
arrival costs less than one that waits, so what drops much of this load looks cheap.

No discipline allocates memory per packet once its buffers have grown (`crates/qdisc/tests/it/allocation.rs`).
"""


def write(path: Path = PLACE / "cost.md") -> list[Path]:
    """Builds the benchmark, measures, and writes the table."""
    program = build()
    found = entries()
    times = measured(program)
    names = [entry["name"] for entry in found]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        keys = [(name, flows) for name in names for flows in FLOWS]
        counts = dict(zip(keys, pool.map(lambda key: instructions(program, *key), keys), strict=True))
    parts = [_INTRO.format(machine=machine()).rstrip()]
    head = ["queue", *(f"ns, {_flows(n)}" for n in FLOWS), *(f"instructions, {_flows(n)}" for n in FLOWS)]
    for family, members in by_family(found).items():
        rows = [
            [
                f"[`{entry['name']}`]({entry['name']}.md)",
                *(f"{times[entry['name'], flows]:.0f}" for flows in FLOWS),
                *(f"{counts[entry['name'], flows]:.0f}" for flows in FLOWS),
            ]
            for entry in members
        ]
        parts += [f"## {family[0].upper()}{family[1:]}", table(head, rows, right=1)]
    path.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    return [path]


def build() -> Path:
    """The benchmark's program."""
    command = [
        "cargo",
        "bench",
        "--locked",
        "-q",
        "-p",
        "tailrace-qdisc",
        "--bench",
        "cost",
        "--no-run",
        "--message-format=json",
    ]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    messages = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return next(Path(m["executable"]) for m in messages if m.get("executable"))


def measured(program: Path) -> dict[tuple[str, int], float]:
    """Nanoseconds by discipline and number of flows."""
    done = subprocess.run([program], stdout=subprocess.PIPE, text=True, check=True)
    rows = [line.split() for line in done.stdout.splitlines()]
    return {(name, int(flows)): float(ns) for name, flows, ns in rows}


def instructions(program: Path, name: str, flows: int) -> float:
    """Instructions a pair."""
    return (
        _counted(program, name, flows, flows + _LONG) - _counted(program, name, flows, flows + _SHORT)
    ) / (_LONG - _SHORT)


def _counted(program: Path, name: str, flows: int, pairs: int) -> int:
    if not shutil.which("valgrind"):
        sys.exit("valgrind is not installed; it counts the instructions")
    with tempfile.TemporaryDirectory() as folder:
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out", str(program), name]
        done = subprocess.run(
            [*command, str(flows), str(pairs)], stderr=subprocess.PIPE, text=True, check=True
        )
    found = _COLLECTED.search(done.stderr)
    if not found:
        sys.exit(f"valgrind did not count: {done.stderr}")
    return int(found[1])


def machine() -> str:
    """The processor's name."""
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return "an unknown processor"


def _flows(number: int) -> str:
    return "1 flow" if number == 1 else f"{number:,} flows".replace(",", " ")

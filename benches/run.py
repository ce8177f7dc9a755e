#!/usr/bin/env python3
"""What a packet-hop costs: the reference scenarios beside the bare engine's floor, measured in the same minutes.

Floor and scenario take turns, so that a machine whose mood changes changes both; medians and the ratio within a pair
are printed. For ns-2 and ns-3 see benches/peers.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PEERS = ROOT / "benches" / "peers" / "tailrace"


@dataclass(frozen=True)
class Case:
    """A reference scenario with N flows (benches/peers/README.md) and so many simulated seconds."""

    scenario: str
    n: int
    seconds: int


CASES = [
    Case("D", 10, 120),
    Case("D", 100, 60),
    Case("D", 400, 30),
    Case("A", 400, 150),
    Case("D", 1000, 20),
    Case("D", 10000, 5),
]


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("-k", type=int, default=3, help="repetitions of each case (default 3)")
    options.add_argument("--quick", action="store_true", help="a tenth of the simulated time, once")
    options.add_argument("--json", type=Path, help="keep every repetition's numbers in this file")
    chosen = options.parse_args()
    program = build()
    kept = []
    print("| scenario | N | ns a hop | floor | ratio | events a hop | set-up s | peak MB |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    with tempfile.TemporaryDirectory() as folder:
        for case in CASES:
            seconds = max(2, case.seconds // 10) if chosen.quick else case.seconds
            file = scenario_file(case, seconds, Path(folder))
            pairs = [
                (
                    measure(program, floor_arguments(case.n)),
                    measure(program, run_arguments(case, seconds, file)),
                )
                for _ in range(1 if chosen.quick else chosen.k)
            ]
            print(row(case, pairs), flush=True)
            kept += [{"case": vars(case), "seconds": seconds, "floor": f, "run": r} for f, r in pairs]
    if chosen.json:
        chosen.json.write_text(json.dumps(kept, indent=2) + "\n", encoding="utf-8")
    return 0


def build() -> Path:
    """The benchmark program, in the release profile that is shipped."""
    command = [
        "cargo",
        "build",
        "--locked",
        "--release",
        "--quiet",
        "-p",
        "tailrace-bench",
        "--message-format",
        "json",
    ]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    messages = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return Path(next(m["executable"] for m in reversed(messages) if m.get("executable")))


def scenario_file(case: Case, seconds: int, folder: Path) -> Path:
    if case.scenario == "A":
        return PEERS / "a.toml"
    made = subprocess.run(
        [sys.executable, PEERS / "make_d.py", str(case.n), str(seconds)],
        capture_output=True,
        text=True,
        check=True,
    )
    file = folder / f"d{case.n}.toml"
    file.write_text(made.stdout, encoding="utf-8")
    return file


def floor_arguments(n: int) -> list[str]:
    # A flow of the floor makes about 800 hops a simulated second: some four million in all.
    return ["floor", "--n", str(n), "--duration", str(max(1, 5000 // n)), "--json"]


def run_arguments(case: Case, seconds: int, file: Path) -> list[str]:
    return ["run", str(file), "--n", str(case.n), "--set", f"duration={seconds} s", "--json"]


def measure(program: Path, arguments: list[str]) -> dict[str, float]:
    done = subprocess.run([program, *arguments], stdout=subprocess.PIPE, text=True, check=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def row(case: Case, pairs: list[tuple[dict[str, float], dict[str, float]]]) -> str:
    def median(values: list[float]) -> float:
        return statistics.median(values)

    cost = median([run["ns_per_hop"] for _, run in pairs])
    floor = median([floor["ns_per_hop"] for floor, _ in pairs])
    ratio = median([run["ns_per_hop"] / floor["ns_per_hop"] for floor, run in pairs])
    events = median([run["events"] / run["packet_hops"] for _, run in pairs])
    setup = median([run["setup_s"] for _, run in pairs])
    memory = median([run["peak_rss_bytes"] for _, run in pairs]) / 1e6
    return (
        f"| {case.scenario} | {case.n} | {cost:.0f} | {floor:.0f} | {ratio:.2f} | {events:.2f} "
        f"| {setup:.3f} | {memory:.1f} |"
    )


if __name__ == "__main__":
    sys.exit(main())

"""Attacks of two papers against simulated TCP and against kernels: `python -m validation.attacks`.

Each discipline of the paper is run with simulated hosts and with each kernel, from the same seeds.
The attack, links and disciplines are the same code on both sides. Prints a table in Markdown.
"""

from __future__ import annotations

import argparse
import sys
import tomllib
from pathlib import Path
from typing import Any

import tailrace
from tailrace.kernels import kernel_store
from tailrace.stats.statistics import interval

HERE = Path(__file__).parent
# Pulses hit or miss: runs differ much.
RUNS = {"lddos": 12, "flood": 3}
# The hosts that have kernels, and what of the results stands in the table.
STUDIES = {
    "lddos": (
        ("sender", "receiver"),
        ("goodput Mbit/s", "timeouts", "retransmits", "queue packets", "attack Mbit/s"),
    ),
    "flood": (
        ("tcp_source", "tcp_sink"),
        ("goodput Mbit/s", "Jain", "retransmits", "queue packets", "attack Mbit/s"),
    ),
}
# Profiles of simulated hosts: in Multipath TCP each kernel has its own.
PROFILES = {"lddos": ("linux_6_12", "linux_6_1"), "flood": ("linux",)}


def measured(run: dict[str, Any]) -> dict[str, float | None]:
    """Numbers of one run for the table."""
    tcp, attack = run["groups"]["tcp"], run["groups"]["attack"]
    # The first is the bottleneck that the attack crosses.
    queue = next(iter(run["queues"].values()))
    return {
        "goodput Mbit/s": tcp["goodput_bps"]["sum"] / 1e6,
        "timeouts": tcp["timeouts"],
        "retransmits": tcp["retransmitted_packets"],
        "Jain": tcp["jain"],
        "queue packets": queue["backlog_packets"]["mean"],
        "attack Mbit/s": attack["goodput_bps"]["sum"] / 1e6,
    }


def cell(values: list[float | None]) -> str:
    """Mean and half width of its 95 % interval; nothing where a kernel does not tell."""
    found = interval([value for value in values if value is not None])
    return f"{found.mean:.3g} ± {found.ci95 or 0:.2g}" if found else "none"


def rows(study: str, kernels: list[str], runs: int) -> None:
    """Runs a study, and prints a line for each discipline and kind of host."""
    file = HERE / f"{study}.toml"
    _, columns = STUDIES[study]
    disciplines = tomllib.loads(file.read_text())["sweep"]["link.bottleneck.queue"]
    print(f"| discipline | hosts | {' | '.join(columns)} |")
    print(f"| --- | --- | {' | '.join('---' for _ in columns)} |", flush=True)
    for discipline in disciplines:
        for side in [*PROFILES[study], *kernels]:
            result = tailrace.run(file, runs=runs, set=asked(study, side, discipline), allow=["other-form"])
            found = [measured(run) for run in result.summary["runs"]]
            cells = [cell([one[column] for one in found]) for column in columns]
            name = f"simulated, `{side}`" if side.startswith("linux") else side
            print(f"| `{discipline['kind']}` | {name} | {' | '.join(cells)} |", flush=True)


def asked(study: str, side: str, discipline: dict[str, Any]) -> dict[str, object]:
    """Overrides of the file: the discipline, and kernels or the profile of simulated hosts."""
    simulated = side.startswith("linux")
    hosts, _ = STUDIES[study]
    changes: dict[str, object] = {f"host.{host}.kernel": "none" if simulated else side for host in hosts}
    if simulated:
        changes["flow.tcp.transport.profile"] = side
    return {**changes, "link.bottleneck.queue": discipline}


def main() -> int:
    """Both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--study", choices=sorted(STUDIES), action="append", help="both, without this")
    parser.add_argument("--kernel", action="append", help="a kernel; all that there are, without this")
    parser.add_argument("--runs", type=int, help="of each (12 of pulses, 3 of the flood)")
    options = parser.parse_args()
    kernels = options.kernel or [kernel.name for kernel in kernel_store.kernels()]
    for study in options.study or STUDIES:
        print(f"\n{study}: {tailrace.Scenario.of(HERE / f'{study}.toml').question}\n")
        rows(study, kernels, options.runs or RUNS[study])
    return 0


if __name__ == "__main__":
    sys.exit(main())

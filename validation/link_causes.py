"""Causes of differences between Linux 6.1 and 6.12 over eight links: `python -m validation.link_causes`.

Each kernel is given what the other has, as far as its settings go: the size of the send buffer, the first window. The
network is that of `link_failures`; without failures, programs that set their buffers run in the kernels.
"""

from __future__ import annotations

import re
import statistics
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field

import tailrace
from validation import bulk
from validation.link_failures import WINDOWS, Case, at_both_ends, is_simulated, shown

# Starts of flows without failure.
STARTS = 3
WMEM, RMEM = "net.ipv4.tcp_wmem", "net.ipv4.tcp_rmem"
# The server's, but for the first two.
COUNTERS = ("MPTCPRetrans", "SubflowStale", "DuplicateData", "NoDSSInWindow")
LOOK = '{ at = "79 s", command = "nstat -asz" }'


@dataclass(frozen=True)
class Trial:
    """A kernel with settings that are not its own."""

    kernel: str
    says: str = "as it is"
    sysctl: dict[str, str] = field(default_factory=dict)


TRIALS = (
    Trial("6.12"),
    Trial("6.12", "send buffers of 114 KiB a subflow, 0.9 MiB together", {WMEM: "4096 16384 116736"}),
    Trial("6.12", "receive buffer up to 32 MiB", {RMEM: "4096 131072 33554432"}),
    Trial("6.12", "`stale_loss_cnt = 1`", {"net.mptcp.stale_loss_cnt": "1"}),
    Trial("6.1"),
    Trial("6.1", "a send buffer of 4 MiB from the start", {WMEM: "4096 4194304 4194304"}),
)


def failing(trial: Trial) -> str:
    """A row: half of the links gone, both ends see it."""
    values = ", ".join(f'"{name}" = "{value}"' for name, value in trial.sysctl.items())
    more = f"sysctl = {{ {values} }}\nrun = [{LOOK}]\n"
    text = re.sub(r'kernel = "none"\n', lambda found: found[0] + more, Case("both", 4).text(trial.kernel))
    runs = tailrace.run(at_both_ends(text, trial.kernel)).summary["runs"]
    means = [
        shown([run["windows"][w]["groups"]["data"]["goodput_bps"]["mean"] / 1e6 for run in runs])
        for w in WINDOWS
    ]
    counts = [", ".join(str(counted(run, name)) for run in runs) for name in COUNTERS]
    return " | ".join([trial.kernel, trial.says, *means, *counts])


def counted(run: dict[str, list[dict[str, str]]], name: str) -> int:
    """A counter of both ends together, of which one has it."""
    found = (re.search(rf"MPTcpExt{name}\s+(\d+)", program["output"]) for program in run["programs"])
    return sum(int(one[1]) for one in found if one)


def buffers(kib: int) -> Iterator[str]:
    """Rows: eight links without failure, buffers that programs set."""
    for side, first in (
        ("6.1", False),
        ("6.12", False),
        ("6.12", True),
        ("linux_6_1", False),
        ("linux_6_12", False),
    ):
        runs = [mbit(side, kib, first, 0.1 * n) for n in range(STARTS)]
        named = f"{side}, first window of 64 KiB (`initrwnd 45`)" if first else side
        means = (f"{statistics.fmean(part):.2f}" for part in zip(*runs, strict=True))
        yield f"{kib} KiB | {named} | {' | '.join(means)}"


def mbit(side: str, kib: int, first: bool, start: float) -> list[float]:
    """Goodput in Mbit/s of four times 10 s."""
    if is_simulated(side):
        return bulk.simulated(side, kib, start)
    return bulk.in_kernels(side, kib, first, start)


def main() -> int:
    """Shows all."""
    for kib in (64, 256, 4096):
        for row in buffers(kib):
            print(f"| {row} |", flush=True)
    print()
    for trial in TRIALS:
        print(f"| {failing(trial)} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

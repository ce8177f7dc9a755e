"""Whether runs with kernels repeat, to the byte and the nanosecond: `python -m validation.repeats`.

Every scenario is run several times on one processor and several times wherever the system likes, under each kernel.
Compared are the run's fingerprint, what programs said, and captures of all that the hosts sent and received: each
packet's time and bytes. Run it on an idle machine and beside a compiler.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
import time
from typing import Any

import tailrace
from tailrace.kernels import kernel_store

ENDS = """
[[host]]
name = "a"
kernel = "KERNEL"
RUN_A
[[host]]
name = "b"
kernel = "KERNEL"
RUN_B
[[link]]
between = ["a", "b"]
name = "link"
rate = "10 Mbit/s"
delay = "10 ms"
queue = QUEUE
"""

HEAD = """
name = "repeats"
duration = "10 s"
[[capture]]
name = "at-a"
at = "A"
snaplen = "1500 B"
[[capture]]
name = "at-b"
at = "B"
snaplen = "1500 B"
"""

FLOW = """
[[flow]]
name = "f"
from = "a"
to = "b"
transport = { kind = "tcp", cc = "cubic" }
app = "bulk"
"""

TEN = """
[[host]]
name = "a"
count = 10
kernel = "KERNEL"
namespace = "sources"
[[host]]
name = "b"
kernel = "KERNEL"
[[router]]
name = "r"
[[link]]
between = ["a[*]", "r"]
rate = "100 Mbit/s"
delay = "uniform(1 ms, 5 ms)"
[[link]]
between = ["r", "b"]
rate = "20 Mbit/s"
delay = "10 ms"
queue = { kind = "fq_codel", limit = "100 packets" }
[[flow]]
name = "f"
from = "a[*]"
to = "b"
transport = { kind = "tcp", cc = "cubic" }
app = "bulk"
start = "uniform(0 s, 1 s)"
"""

PATHS = """
[[host]]
name = "a"
kernel = "KERNEL"
limits = { subflows = 8, add_addr_accepted = 8 }
endpoints = "2 fullmesh"
[[host]]
name = "b"
kernel = "KERNEL"
limits = { subflows = 8, add_addr_accepted = 8 }
endpoints = "2 signal"
[[link]]
name = "one"
between = ["a", "b"]
rate = "5 Mbit/s"
delay = "10 ms"
queue = "droptail"
[[link]]
name = "two"
between = ["a", "b"]
rate = "5 Mbit/s"
delay = "30 ms"
queue = "droptail"
[[fault]]
at = "3 s"
until = "6 s"
link = "two"
kind = "down"
[[flow]]
name = "f"
from = "a"
to = "b"
transport = { kind = "mptcp", cc = "cubic" }
app = "bulk"
"""

PROGRAMS = {
    "RUN_A": (
        'run = [{ at = "1 s", command = "iperf3 -c b -t 5" }, '
        '{ at = "7 s", command = "curl -s http://b:8000/hostname" }]'
    ),
    "RUN_B": 'run = [{ command = "iperf3 -s -1" }, { command = "cd /etc && python3 -m http.server 8000" }]',
}

FLOOD = """
[[attack]]
name = "flood"
from = "x"
to = "b"
kind = "pulse"
rate = "15 Mbit/s"
size = "500 B"
burst = "200 ms"
period = "1 s"
[[host]]
name = "x"
[[host]]
name = "a"
kernel = "KERNEL"
[[host]]
name = "b"
kernel = "KERNEL"
[[router]]
name = "r"
[[link]]
between = ["x", "r"]
rate = "100 Mbit/s"
delay = "2 ms"
[[link]]
between = ["a", "r"]
rate = "100 Mbit/s"
delay = "2 ms"
[[link]]
between = ["r", "b"]
rate = "10 Mbit/s"
delay = "10 ms"
queue = "fred"
"""


def between(queue: str, programs: dict[str, str] | None = None) -> str:
    """Two hosts and a link with this queue."""
    text = ENDS.replace("QUEUE", queue)
    for word in ("RUN_A", "RUN_B"):
        text = text.replace(word, (programs or {}).get(word, ""))
    return text


SCENARIOS = {
    "one flow": between('{ kind = "droptail", limit = "50 packets" }') + FLOW,
    "ten flows, of hosts that share a kernel": TEN,
    "Multipath TCP, a path fails": PATHS,
    "iperf3 and curl behind pie": between('"pie"', PROGRAMS),
    "a simulated flood through fred": FLOOD + FLOW,
}


def text_of(name: str, kernel: str) -> str:
    """The scenario, with captures at both ends."""
    first = "a[0]" if "ten flows" in name else "a"
    head = HEAD.replace('"A"', f'"{first}"').replace('"B"', '"b"')
    return head + SCENARIOS[name].replace("KERNEL", kernel)


def seen(name: str, kernel: str) -> dict[str, Any]:
    """Description of a run."""
    result = tailrace.run(tailrace.Scenario(text_of(name, kernel)))
    digest = hashlib.sha256()
    packets = 0
    for capture in result.captures:
        content = capture.read_bytes()
        packets += len(content)
        digest.update(content)
    [run] = result.summary["runs"]
    for program in run.get("programs", []):
        if program["exit_code"]:
            # Equal failures would say nothing.
            sys.exit(
                f"{name}, {kernel}: {program['command']!r} at host {program['host']} failed with exit code "
                f"{program['exit_code']}: {program['output'].strip()}. Is it installed?"
            )
    said = json.dumps(run.get("programs", []), sort_keys=True).encode()
    return {
        "fingerprint": run["fingerprint"],
        "captures": digest.hexdigest()[:16],
        "captured_bytes": packets,
        "programs": hashlib.sha256(said).hexdigest()[:16],
    }


def main() -> int:
    """A line for each scenario and kernel; 1 where runs differ."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=3, help="of each scenario, pinned and unpinned")
    parser.add_argument("--kernel", action="append", help="a kernel; all that there are, without this")
    asked = parser.parse_args()
    kernels = asked.kernel or [kernel.name for kernel in kernel_store.kernels()]
    wrong = 0
    for kernel in kernels:
        for name in SCENARIOS:
            all_seen, took = [], []
            for unpinned in (False, True):
                os.environ["TAILRACE_UNPINNED"] = str(int(unpinned))
                began = time.monotonic()
                all_seen += [seen(name, kernel) for _ in range(asked.runs)]
                took.append((time.monotonic() - began) / asked.runs)
            alike = all(other == all_seen[0] for other in all_seen)
            wrong += not alike
            print(
                f"{kernel:8} {name:42} {len(all_seen)} runs {'equal' if alike else 'DIFFER'}, "
                f"{all_seen[0]['fingerprint']}, {all_seen[0]['captured_bytes'] / 1e6:.1f} MB captured, "
                f"{took[0]:.1f} s pinned, {took[1]:.1f} s unpinned",
                flush=True,
            )
            for other in all_seen if not alike else []:
                print(f"  {other}")
    return min(wrong, 1)


if __name__ == "__main__":
    sys.exit(main())

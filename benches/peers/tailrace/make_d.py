#!/usr/bin/env python3
"""Writes reference scenario D of benches/peers for N flows: make_d.py N [SECONDS] > d.toml."""

import argparse

TEMPLATE = """\
# Reference scenario D of benches/peers with N = {n}, written by make_d.py
# (the README there says what is the same in ns-2 and ns-3, and what differs).

name = "peers-d-{n}"
question = "What does a packet-hop cost with {n} bulk TCP flows over drop-tail?"
duration = "{duration:g} s"

[[host]]
name = "src"
count = {n}

[[host]]
name = "dst"
count = {n}

[[router]]
name = "g1"

[[router]]
name = "g2"

[[link]]
between = ["src[*]", "g1"]
rate = "100 Mbit/s"
delay = "uniform(5 ms, 20 ms)"

[[link]]
between = ["g2", "dst[*]"]
rate = "100 Mbit/s"
delay = "uniform(5 ms, 20 ms)"

[[link]]
name = "bottleneck"
between = ["g1", "g2"]
rate = "{n} Mbit/s"
delay = "10 ms"
queue = {{ kind = "droptail", limit = "{limit} packets" }}
reverse = {{ queue = {{ kind = "droptail", limit = "100000 packets" }} }}

# Packets have 1000 bytes: 960 of payload and ns-2's 40 of headers.
[[flow]]
name = "tcp"
from = "src[*]"
to = "dst[*]"
start = "uniform(0 s, 1 s)"
app = {{ kind = "bulk" }}

[flow.transport]
kind = "tcp"
cc = "newreno"
profile = "ns2"
mss = "960 B"
header = "40 B"
iw = 10
window = 136
initial_ssthresh = 136
sack = true
"""


def queue_limit(n: int) -> int:
    """8.75 packets a flow, halves rounded up, as the scripts for ns-2 and ns-3 do."""
    return int(8.75 * n + 0.5)


def scenario_d(n: int, duration: float) -> str:
    """The scenario file."""
    return TEMPLATE.format(n=n, duration=duration, limit=queue_limit(n))


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("n", type=int, metavar="N", help="number of TCP flows")
    parser.add_argument(
        "duration", type=float, nargs="?", default=60.0, metavar="SECONDS", help="simulated time (60)"
    )
    args = parser.parse_args()
    if args.n < 1 or args.duration <= 0:
        parser.error("N and SECONDS must be more than zero")
    print(scenario_d(args.n, args.duration), end="")


if __name__ == "__main__":
    main()

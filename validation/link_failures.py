"""Links that fail and return, with Linux kernels and simulated: `python -m validation.link_failures`.

The network is that of `link-failures.toml`, after Alenazi (2019): eight links, of which n are gone from 20 s to 40 s,
in one of several ways; and 15 MB while half of them are gone from 10 s to 20 s. What has been run is kept, and the same
command goes on.
"""

from __future__ import annotations

import argparse
import itertools
import json
import statistics
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import polars as pl

import tailrace
from tailrace.kernels import kernel_store
from tailrace.stats.statistics import interval
from tailrace.study import twins

FILE = Path(__file__).with_name("link-failures.toml")
LINKS = 8
RUNS = 6
CONTROL = "cubic"


@dataclass(frozen=True)
class Way:
    """Failure of links: how, at which ends, and of the last ones or the first."""

    kind: str
    ends: tuple[str, ...]
    # Somebody manages the server's addresses for the kernel: nothing else in a guest removes the address of a dead
    # interface. Simulated hosts do that by themselves wherever they see the failure.
    managed: bool = False
    first: bool = False

    def lost(self, count: int) -> range:
        """The interfaces."""
        return range(1, count + 1) if self.first else range(LINKS + 1 - count, LINKS + 1)


BOTH = ("client", "server")
WAYS = {
    "both": Way("down", BOTH),
    "managed": Way("down", BOTH, managed=True),
    "managed, the first": Way("down", BOTH, managed=True, first=True),
    "client": Way("down", ("client",)),
    "server": Way("down", ("server",)),
    "silent": Way("blackhole", ("client",)),
}
# From when to when, s, as in the file.
WINDOWS = {"before": (10, 20), "failure": (21, 40), "return": (41, 60), "late": (60, 80)}
# The failure of the transfer, and of all else, s.
OF_TRANSFER, USUAL = (10, 20), (20, 40)


@dataclass(frozen=True)
class Case:
    """`lost` links that are gone in some way, for a flow without end or for 15 MB."""

    way: str
    lost: int
    transfer: bool = False

    @property
    def name(self) -> str:
        """Name in records."""
        return f"{'15 MB, ' if self.transfer else ''}{self.way}, {self.lost} lost"

    def scenario(self, side: str) -> tailrace.Scenario:
        """The case with `side` at both ends: a kernel, or a profile for simulated hosts."""
        return at_both_ends(self.text(side), side)

    def text(self, side: str) -> str:
        """The scenario, whose hosts may be `side`."""
        way = WAYS[self.way]
        lost = way.lost(self.lost)
        start, end = OF_TRANSFER if self.transfer else USUAL
        text = FILE.read_text()
        for old, new in (
            ('"5..9"', f'"{lost.start}..{lost.stop}"'),
            ('["client", "server"]', json.dumps(way.ends)),
            ('"down"', f'"{way.kind}"'),
            ('at = "20 s"\nuntil = "40 s"', f'at = "{start} s"\nuntil = "{end} s"'),
            ('cc = "cubic"', f'cc = "{CONTROL}"'),
            # Otherwise all runs of a kernel would be the same.
            ('delay = "10 ms"', 'delay = "uniform(10 ms, 10.5 ms)"'),
            ("seed = 1\n", f"seed = 1\nruns = {RUNS}\n"),
        ):
            if old not in text:
                raise LookupError(f"{FILE} has no {old}")
            text = text.replace(old, new)
        if self.transfer:
            text = text.replace('app = { kind = "bulk" }', 'app = { kind = "transfer", size = "15 MB" }')
        if way.managed and is_simulated(side):
            # A simulated host's daemon knows of endpoints only, and the kernels' removes the first address, too.
            text = text.replace('endpoints = "2 signal', 'endpoints = "1 signal,2 signal')
        elif way.managed:
            text = text.replace('name = "server"\n', f'name = "server"\nrun = [{self._daemon(start, end)}]\n')
        return text

    def _daemon(self, start: int, end: int) -> str:
        """Commands that take addresses away and announce them again. Endpoint k - 1 is the server's interface k."""
        # The server's addresses come after the client's. Of the first one, which is no endpoint, id 0 is said.
        gone = [(k, f"10.0.0.{LINKS + k}") for k in WAYS[self.way].lost(self.lost)]
        took = (f"delete id {k - 1}" + f" {address}" * (k == 1) for k, address in gone)
        gave = (f"add {address} dev eth{k - 1}" + f" id {k - 1}" * (k > 1) + " signal" for k, address in gone)
        # Starts are apart: of programs that start at the same time, Linux 6.1 runs the last one first.
        return ", ".join(
            f'{{ at = "{at}.001 s", command = "{"; ".join("ip mptcp endpoint " + what for what in all_of_them)}" }}'
            for at, all_of_them in ((start, took), (end, gave))
        )


def is_simulated(side: str) -> bool:
    """A profile is, a kernel is not."""
    return side.startswith("linux_")


def at_both_ends(text: str, side: str) -> tailrace.Scenario:
    """The scenario with a kernel as its hosts, or simulated ones of a profile."""
    simulated = is_simulated(side)
    if simulated:
        text = text.replace('kind = "mptcp"', f'kind = "mptcp", profile = "{side}"')
    kernel = kernel_store.kernels()[0].name if simulated else side
    return twins.of(tailrace.Scenario(text, side), kernel)[twins.SIMULATED if simulated else twins.KERNELS]


def cases() -> Iterator[Case]:
    """All of them, half of the links first."""
    half = LINKS // 2
    for way in WAYS:
        yield Case(way, half)
    for way in ("both", "managed", "silent"):
        yield Case(way, half, transfer=True)
    for lost, way in itertools.product(range(1, LINKS), WAYS):
        if lost != half:
            yield Case(way, lost)


def measured(case: Case, side: str) -> dict[str, list[float]]:
    """For each run the goodput of every window in Mbit/s, or how long the transfer took, s."""
    found = tailrace.run(case.scenario(side))
    if case.transfer:
        return {
            "completion": [run["groups"]["data"]["completion_s"]["mean"] for run in found.summary["runs"]]
        }
    return {window: list(delivered(found, *times)) for window, times in WINDOWS.items()}


def delivered(found: tailrace.Result, start: float, end: float) -> Iterator[float]:
    """For each run what the application was given in that time, Mbit/s, whenever it had come.

    Not the goodput of windows: of a simulated host that leaves out what had come before and waited, which may be
    megabytes here, and of a kernel nobody knows what waits.
    """
    series = found.group_series.filter(pl.col("time_s").is_between(start, end, closed="right"))
    for run in series.partition_by("run", maintain_order=True):
        yield statistics.fmean(run["goodput_bps"].to_list()) / 1e6


def shown(values: list[float]) -> str:
    """Mean and half width of the 95 % interval."""
    if any(value is None for value in values):
        return "not all"
    found = interval(values)
    half = f" ± {found.ci95:.2f}" if found and found.ci95 is not None else ""
    return f"{statistics.fmean(values):.2f}{half}"


Kept = dict[str, dict[str, dict[str, list[float]]]]


def tables(known: Kept, sides: list[str]) -> Iterator[str]:
    """Half of the links in all ways, and every number of links in the windows of the failure and of the return."""
    half = LINKS // 2
    yield "| way | side | " + " | ".join(WINDOWS) + " |"
    yield "| --- | --- |" + " ---: |" * len(WINDOWS)
    for way, side in itertools.product(WAYS, sides):
        if found := known.get(Case(way, half).name, {}).get(side):
            yield f"| {way} | {side} | {' | '.join(shown(found[w]) for w in WINDOWS)} |"
    yield ""
    yield f"| 15 MB | {' | '.join(sides)} |"
    yield "| --- |" + " ---: |" * len(sides)
    for way in ("both", "managed", "silent"):
        if times := known.get(Case(way, half, transfer=True).name):
            yield f"| {way} | {' | '.join(shown(times[s]['completion']) if s in times else '' for s in sides)} |"
    for window in ("failure", "return"):
        yield ""
        yield f"| {window} | side | " + " | ".join(f"n = {n}" for n in range(1, LINKS)) + " |"
        yield "| --- | --- |" + " ---: |" * (LINKS - 1)
        for way, side in itertools.product(WAYS, sides):
            yield f"| {way} | {side} | {' | '.join(by_number(known, way, side, window))} |"


def by_number(
    known: Mapping[str, Mapping[str, Mapping[str, list[float]]]], way: str, side: str, window: str
) -> Iterator[str]:
    """The mean of a window for each number of lost links, as far as it is known."""
    for lost in range(1, LINKS):
        found = known.get(Case(way, lost).name, {}).get(side)
        yield f"{statistics.fmean(found[window]):.2f}" if found else ""


def main() -> int:
    """Runs what is not known yet, and writes the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", type=Path, default=Path("results/link-failures"))
    parser.add_argument("--only", default="", help="cases whose names have this in them")
    parser.add_argument("--side", action="append", help="kernels and profiles (default: all)")
    options = parser.parse_args()
    kernels = [kernel.name for kernel in kernel_store.kernels()]
    sides = options.side or ["linux_6_12", *kernels[:1], "linux_6_1", *kernels[1:]]
    options.output.mkdir(parents=True, exist_ok=True)
    kept = options.output / "found.json"
    known: Kept = json.loads(kept.read_text()) if kept.exists() else {}
    for case, side in itertools.product(cases(), sides):
        if options.only not in case.name or side in known.get(case.name, {}):
            continue
        known.setdefault(case.name, {})[side] = measured(case, side)
        kept.write_text(json.dumps(known, indent=1))
        print(case.name, side, known[case.name][side], file=sys.stderr, flush=True)
    text = "\n".join(tables(known, sides)) + "\n"
    (options.output / "tables.md").write_text(text)
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Tailrace's TCP beside a Linux kernel's in the same network: `python -m validation.twins`.

Every case is run twice, with simulated hosts and with kernels, by the same disciplines and from the same starts of
flows; so every difference is TCP's. A case that six runs leave open gets more. What has been run is kept, and the
same command goes on; after a change of the model, `--again simulated` runs that side anew and leaves the kernels'.
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

import tailrace
from tailrace.kernels import kernel_store
from tailrace.stats.statistics import paired
from tailrace.study import twins

QUEUES = ("droptail", "red", "codel", "fq_codel", "pie", "sfq", "dfs")
COUNTS = (1, 4, 16)
CONTROLS = ("cubic", "reno")
RATES = (10, 50)
PATHS = (2, 8)
RUNS = 6
# Number of runs where the first ones decide nothing.
MORE_RUNS = 24

# Values of all runs by measure.
Measured = dict[str, list[float]]


@dataclass(frozen=True)
class Case:
    """A network with flows."""

    flows: int
    control: str
    queue: str
    rate: int
    paths: int = 1

    @property
    def name(self) -> str:
        """Name in the table."""
        paths = "" if self.paths == 1 else f", {self.paths} paths"
        return f"{self.flows} x {self.control}, {self.queue}, {self.rate} Mbit/s{paths}"

    def text(self, runs: int = RUNS) -> str:
        """The scenario: flows between two hosts, through the queue of a link, or of one a path."""
        multipath = self.paths > 1
        hosts = (
            '[[host]]\nname = "a"\nlimits = { subflows = 8, add_addr_accepted = 8 }\n'
            f'endpoints = "{",".join(f"{i} fullmesh" for i in range(2, self.paths + 1))}"\n'
            '[[host]]\nname = "b"\nlimits = { subflows = 8, add_addr_accepted = 8 }\n'
            f'endpoints = "{",".join(f"{i} signal" for i in range(2, self.paths + 1))}"\n'
            if multipath
            else '[[host]]\nname = "a"\n[[host]]\nname = "b"\n'
        )
        # Without a kernel to have them these would be errors.
        hosts = hosts.replace("\nlimits", '\nkernel = "none"\nlimits')
        link = (
            '[[link]]\nname = "l{}"\nbetween = ["a", "b"]\ndelay = "20 ms"\n'
            f'rate = "{self.rate} Mbit/s"\nqueue = "{self.queue}"\n'
        )
        kind = "mptcp" if multipath else "tcp"
        flow = (
            '[[flow]]\nname = "f{}"\nfrom = "a"\nto = "b"\nstart = "uniform(0 s, 1 s)"\n'
            f'transport = {{{{ kind = "{kind}", cc = "{self.control}" }}}}\n'
            'app = {{ kind = "bulk" }}\n'
        )
        head = f'name = "twin"\nduration = "20 s"\nwarmup = "5 s"\nruns = {runs}\nrecord.interval = "off"\n'
        links, flows = (range(1, n + 1) for n in (self.paths, self.flows))
        return "".join([head, hosts, *(link.format(i) for i in links), *(flow.format(i) for i in flows)])


def cases() -> Iterator[Case]:
    """All of them, the quick ones first."""
    for rate, flows, control, queue in itertools.product(RATES, COUNTS, CONTROLS, QUEUES):
        yield Case(flows, control, queue, rate)
    for paths, control in itertools.product(PATHS, CONTROLS):
        yield Case(1, control, "droptail", 10, paths)


def measured(result: tailrace.Result) -> Measured:
    """For each run what the flows got together, and what stood in the queues and was dropped there."""
    found: Measured = {name: [] for name in twins.ALIKE}
    for run in result.summary["runs"]:
        queues = [queue for name, queue in run["queues"].items() if name.endswith("a->b")]
        found["goodput"].append(sum(g["goodput_bps"]["sum"] for g in run["groups"].values()) / 1e6)
        found["backlog"].append(sum(queue["backlog_packets"]["mean"] for queue in queues))
        found["dropped"].append(float(sum(sum(queue["dropped_packets"].values()) for queue in queues)))
    return found


def both(case: Case, kernel: str, runs: int, known: Mapping[str, Measured]) -> dict[str, Measured]:
    """Measurements of each side of a case, but for those that are `known`."""
    cells = twins.of(tailrace.Scenario(case.text(runs), case.name), kernel)
    enough = {label: found for label, found in known.items() if len(found["goodput"]) >= runs}
    return {label: enough.get(label) or measured(tailrace.run(cell)) for label, cell in cells.items()}


def judged(found: Mapping[str, Measured]) -> list[str]:
    """For each measure both means, and the difference as a share of the kernel's, over runs of equal seeds."""
    words = []
    for name, alike in twins.ALIKE.items():
        sides = [found[side][name] for side in (twins.SIMULATED, twins.KERNELS)]
        ours, theirs = (values[: min(map(len, sides))] for values in sides)
        means = statistics.fmean(ours), statistics.fmean(theirs)
        more = paired(theirs, ours)
        share, half = (
            (x / means[1] if means[1] else 0.0 for x in (more.mean, more.ci95 or 0.0)) if more else (0.0, 0.0)
        )
        verdict = ""
        if abs(share) > alike.share and max(means) >= alike.least:
            verdict = " **!**" if abs(share) - half > alike.share else " ?"
        words.append(f"{means[0]:.4g} | {means[1]:.4g} | {share:+.1%} ± {half:.1%}{verdict}")
    return words


def settled(case: Case, kernel: str, runs: int, known: Mapping[str, Measured]) -> dict[str, Measured]:
    """Both sides of a case: in so many runs, or in as many as a side has already; more where these leave it open."""
    runs = max([runs, *(len(found["goodput"]) for found in known.values())])
    found = both(case, kernel, runs, known)
    is_open = any(word.endswith(" ?") for word in judged(found))
    return both(case, kernel, MORE_RUNS, found) if is_open and runs < MORE_RUNS else found


def main() -> int:
    """0 where all is alike, 4 where something is not."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", type=Path, default=Path("results/twins"))
    parser.add_argument(
        "--kernel", default=kernel_store.kernels()[0].name if kernel_store.kernels() else "6.12"
    )
    parser.add_argument("--only", default="", help="cases whose names have this in them")
    parser.add_argument(
        "--runs",
        type=int,
        default=RUNS,
        help=f"so many of each side; {MORE_RUNS} where they leave a case open",
    )
    again = [twins.SIMULATED, twins.KERNELS]
    parser.add_argument("--again", choices=again, help="run this side anew, though it is known")
    options = parser.parse_args()
    kept = options.output / f"{options.kernel}.json"
    options.output.mkdir(parents=True, exist_ok=True)
    known = json.loads(kept.read_text()) if kept.exists() else {}
    for case in (case for case in cases() if options.only in case.name):
        sides = {k: v for k, v in known.get(case.name, {}).items() if k != options.again}
        known[case.name] = settled(case, options.kernel, options.runs, sides)
        kept.write_text(json.dumps(known, indent=1))
        print(case.name, *judged(known[case.name]), sep=" | ", file=sys.stderr)
    head = (
        "| case | goodput Mbit/s | kernel | | backlog packets | kernel | | dropped | kernel | |\n"
        + "|---" * 10
    )
    names = [case.name for case in cases() if case.name in known]
    rows = [f"| {name} | {' | '.join(judged(known[name]))} |" for name in names]
    (options.output / f"{options.kernel}.md").write_text("\n".join([f"{head}|", *rows]) + "\n")
    return 4 if any("**!**" in row for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Runs the reference scenarios side by side in Tailrace, ns-2, ns-3 and htsim and prints Markdown tables.

Every measurement is a pair: Tailrace and one peer, the same scenario and simulated time, one after the other,
in an order that alternates from pair to pair. Machines drift, so the ratio is taken within each pair; medians
are over pairs. What is missing is said and left out. Only htsim is built here, from its source (--htsim), since
nobody packages it.
"""

from __future__ import annotations

import argparse
import atexit
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

HERE = Path(__file__).resolve().parent
PEERS = ("ns-2", "ns-3", "htsim")


@dataclass(frozen=True)
class Case:
    """One scenario at one size, and how long to simulate it beside each peer."""

    scenario: str
    n: int
    seconds: dict[str, float]
    quick: bool = False


# ns-3 is given less simulated time where it would take minutes; Tailrace runs as long as its pair's peer.
# htsim has neither RED nor ECN, and did not finish N = 10000 in minutes.
CASES = [
    Case("D", 10, {"ns-2": 300, "ns-3": 100, "htsim": 100}, quick=True),
    Case("D", 100, {"ns-2": 60, "ns-3": 20, "htsim": 60}, quick=True),
    Case("D", 400, {"ns-2": 30, "ns-3": 10, "htsim": 30}),
    Case("D", 1000, {"ns-2": 20, "ns-3": 5, "htsim": 20}),
    Case("D", 10000, {"ns-2": 5, "ns-3": 2}),
    Case("A", 400, {"ns-2": 150, "ns-3": 150}, quick=True),
]


@dataclass(frozen=True)
class Tool:
    """A simulator: its name, its version, and the command for a case of so many simulated seconds."""

    name: str
    version: str
    command: Callable[[Case, float], list[str]]


@dataclass(frozen=True)
class Run:
    """What one process said of itself, and the CPU seconds that the system charged it with."""

    said: dict[str, Any]
    process_cpu_s: float

    @property
    def ns_per_hop(self) -> float:
        return float(self.said["run_cpu_s"]) * 1e9 / float(self.said["packet_hops"])


@dataclass(frozen=True)
class Pair:
    """Tailrace (where it is there) and a peer, run one after the other."""

    tailrace: Run | None
    peer: Run


class RunError(Exception):
    """A tool failed, took too long, or printed nothing usable."""


def run(tool: Tool, case: Case, seconds: float, timeout: float) -> Run:
    """Runs one process and reads the JSON line that is about this case."""
    with tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(
            tool.command(case, seconds), stdout=subprocess.PIPE, stderr=errors, text=True
        )
        watchdog = threading.Timer(timeout, process.kill)
        watchdog.start()
        try:
            assert process.stdout is not None
            output = process.stdout.read()
            _, status, usage = os.wait4(process.pid, 0)
        except BaseException:
            process.kill()
            raise
        finally:
            expired = not watchdog.is_alive()
            watchdog.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            errors.seek(0)
            why = f"no result within {timeout:g} s" if expired else errors.read().strip() or "no message"
            raise RunError(f"{tool.name} ended with {process.returncode}: {why}")
    said = find_result(output, case)
    if said is None:
        raise RunError(f"{tool.name} printed no JSON line for scenario {case.scenario}, n = {case.n}")
    result = Run(said, usage.ru_utime + usage.ru_stime)
    # Clocks of 4 to 10 ms are behind either number.
    if float(said["run_cpu_s"]) > result.process_cpu_s + 0.02:
        raise RunError(
            f"{tool.name} claims {said['run_cpu_s']} s of CPU, the system saw {result.process_cpu_s:.3f} s"
        )
    return result


def find_result(output: str, case: Case) -> dict[str, Any] | None:
    """The last JSON line about this case."""
    found = None
    for line in output.splitlines():
        try:
            said = json.loads(line)
        except ValueError:
            continue
        if not isinstance(said, dict) or float(said.get("packet_hops") or 0) <= 0 or "run_cpu_s" not in said:
            continue
        if said.get("scenario") == case.scenario and said.get("n") == case.n:
            found = said
    return found


def run_pair(tailrace: Tool | None, peer: Tool, case: Case, timeout: float, peer_first: bool) -> Pair:
    """Both, one after the other."""
    seconds = case.seconds[peer.name]
    order = [tool for tool in (tailrace, peer) if tool is not None]
    runs = {
        tool.name: run(tool, case, seconds, timeout) for tool in (reversed(order) if peer_first else order)
    }
    return Pair(runs[tailrace.name] if tailrace else None, runs[peer.name])


def measure(tailrace: Tool | None, peer: Tool, case: Case, options: argparse.Namespace) -> list[Pair]:
    """All pairs of a case; an empty list, with the reason on stderr, if the tools cannot do it."""
    pairs: list[Pair] = []
    for k in range(options.repetitions):
        title = f"{case.scenario}, N = {case.n}, {case.seconds[peer.name]:g} s, {peer.name}, pair {k + 1}"
        print(title, file=sys.stderr, flush=True)
        try:
            pairs.append(run_pair(tailrace, peer, case, options.timeout, peer_first=k % 2 == 1))
        except RunError as error:
            print(f"  {error}", file=sys.stderr, flush=True)
            break
    return pairs


def ns2_tool(asked: str | None, headers: str) -> Tool | None:
    """ns-2: Debian calls the binary `ns`, its package `ns2`."""
    path = find_program(asked, "ns2", "ns")
    if path is None:
        return None
    version = ask([path, "-"], "puts [ns-version]\nexit\n") or "2"
    script = str(HERE / "ns2" / "scenario.tcl")
    extra = ["allheaders"] if headers == "all" else []
    return Tool("ns-2", version, lambda c, s: [path, script, c.scenario, str(c.n), f"{s:g}", "0", *extra])


def ns3_tool(asked: str | None) -> Tool | None:
    """The program that ns3/build.sh makes."""
    path = find_program(asked, str(HERE / "ns3" / "scenario"))
    if path is None:
        return None
    version = ask(["pkg-config", "--modversion", "ns3-core"]) or "3"
    return Tool(
        "ns-3",
        version,
        lambda c, s: [path, f"--scenario={c.scenario}", f"--n={c.n}", f"--duration={s:g}"],
    )


def htsim_tool(source: str | None) -> Tool | None:
    """htsim, built from its source: into a folder that goes with this process."""
    if source is None:
        return None
    folder = tempfile.TemporaryDirectory(prefix="tailrace-htsim-")
    atexit.register(folder.cleanup)
    program = Path(folder.name) / "scenario"
    print("building htsim", file=sys.stderr, flush=True)
    built = subprocess.run([str(HERE / "htsim" / "build.sh"), source, str(program)], check=False)
    if built.returncode != 0:
        sys.exit(f"--htsim {source}: htsim could not be built from there (see above)")
    return Tool("htsim", htsim_version(source), lambda c, s: [str(program), str(c.n), f"{s:g}"])


def htsim_version(source: str) -> str:
    """The commit, where the source is a clone."""
    commit = ask(["git", "-C", source, "rev-parse", "--short", "HEAD"])
    return f"({commit})" if commit else ""


def tailrace_tool(asked: str | None) -> Tool | None:
    """Tailrace's own benchmark program, which prints the same keys."""
    if asked is None:
        return None
    path = find_program(asked)
    if path is None:
        sys.exit(f"{asked}: no such program")

    folder = tempfile.TemporaryDirectory(prefix="tailrace-peers-")
    atexit.register(folder.cleanup)

    def command(case: Case, seconds: float) -> list[str]:
        file = scenario_file(case, Path(folder.name))
        label = ["--label", case.scenario, "--n", str(case.n), "--json"]
        return [path, "run", str(file), "--set", f"duration={seconds:g} s", *label]

    return Tool("Tailrace", "", command)


def scenario_file(case: Case, folder: Path) -> Path:
    """The case in Tailrace's own form."""
    if case.scenario == "A":
        return HERE / "tailrace" / "a.toml"
    file = folder / f"d{case.n}.toml"
    if not file.exists():
        command = [sys.executable, str(HERE / "tailrace" / "make_d.py"), str(case.n)]
        made = subprocess.run(command, capture_output=True, text=True, check=True)
        file.write_text(made.stdout, encoding="utf-8")
    return file


def find_program(asked: str | None, *names: str) -> str | None:
    """The program asked for, or the first of `names` that is there."""
    for name in (asked,) if asked else names:
        path = shutil.which(name)
        if path:
            return str(Path(path).resolve()) if os.sep in name else path
    return None


def ask(command: list[str], text: str = "") -> str:
    """First line that a command prints, or nothing."""
    try:
        done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=20, check=True)
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip().partition("\n")[0]


def machine() -> str:
    """One line: processor, cores, memory, system."""
    cpu = platform.processor() or platform.machine()
    for line in lines_of("/proc/cpuinfo"):
        if line.startswith("model name"):
            cpu = line.partition(":")[2].strip()
            break
    memory = ""
    for line in lines_of("/proc/meminfo"):
        if line.startswith("MemTotal"):
            memory = f", {int(line.split()[1]) / 2**20:.0f} GiB"
    return f"{cpu}, {os.cpu_count()} cores{memory}, {platform.system()} {platform.release()}"


def lines_of(path: str) -> list[str]:
    try:
        return Path(path).read_text().splitlines()
    except OSError:
        return []


def spread(values: list[float]) -> str:
    """Median, and the range in brackets where there is one."""
    middle = (
        f"{statistics.median(values):.3g}"
        if statistics.median(values) < 100
        else f"{statistics.median(values):.0f}"
    )
    if len(values) == 1:
        return middle
    return (
        f"{middle} ({min(values):.3g}-{max(values):.3g})"
        if max(values) < 100
        else f"{middle} ({min(values):.0f}-{max(values):.0f})"
    )


def median_of(runs: list[Run], key: str, scale: float = 1.0) -> str:
    """Median of a number that the tools say, or a dash."""
    values = [float(r.said[key]) * scale for r in runs if r.said.get(key) is not None]
    return f"{statistics.median(values):.4g}" if values else "-"


def sides(pairs: list[Pair]) -> tuple[list[Run], list[Run]]:
    return [p.tailrace for p in pairs if p.tailrace], [p.peer for p in pairs]


Results = list[tuple[Case, Tool, list[Pair]]]


def speed_table(results: Results) -> str:
    """Cost of a packet-hop, set-up and memory."""
    rows = [
        "| scenario | N | simulated s | peer | pairs | ns/hop Tailrace | ns/hop peer | ratio "
        "| set-up s Tailrace | set-up s peer | peak MiB Tailrace | peak MiB peer |",
        "|" + " --- |" * 12,
    ]
    for case, peer, pairs in results:
        start = f"| {case.scenario} | {case.n} | {case.seconds[peer.name]:g} | {peer.name} | {len(pairs)} |"
        if not pairs:
            rows.append(start + " - | did not finish |" + " - |" * 5)
            continue
        ours, theirs = sides(pairs)
        ratios = [p.peer.ns_per_hop / p.tailrace.ns_per_hop for p in pairs if p.tailrace]
        cells = [
            spread([r.ns_per_hop for r in ours]) if ours else "-",
            spread([r.ns_per_hop for r in theirs]),
            spread(ratios) if ratios else "-",
            *(median_of(side, "setup_s") for side in (ours, theirs)),
            *(median_of(side, "peak_rss_bytes", 2**-20) for side in (ours, theirs)),
        ]
        rows.append(f"{start} {' | '.join(cells)} |")
    return "\n".join(rows)


def load_table(results: Results) -> str:
    """What was simulated, so that a reader sees whether the loads are alike."""
    rows = [
        "| scenario | N | simulated s | tool | packet-hops | TCP goodput Mbit/s | bottleneck departures "
        "| bottleneck drops | dropped % |",
        "|" + " --- |" * 9,
    ]
    for case, peer, pairs in results:
        for name, side in zip(("Tailrace", peer.name), sides(pairs), strict=True):
            if side:
                rows.append(load_row(case, case.seconds[peer.name], name, side[-1].said))
    return "\n".join(rows)


def load_row(case: Case, seconds: float, name: str, said: dict[str, Any]) -> str:
    def shown(key: str, scale: float = 1.0) -> str:
        return f"{float(said[key]) * scale:.6g}" if said.get(key) is not None else "-"

    drops, departures = said.get("bottleneck_drops"), said.get("bottleneck_departures")
    share = f"{100 * drops / (drops + departures):.2f}" if drops is not None and departures else "-"
    cells = [
        case.scenario,
        str(case.n),
        f"{seconds:g}",
        name,
        f"{float(said['packet_hops']):.0f}",
        shown("tcp_goodput_bps", 1e-6),
        shown("bottleneck_departures"),
        shown("bottleneck_drops"),
        share,
    ]
    return f"| {' | '.join(cells)} |"


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--tailrace", metavar="PATH", help="the tailrace-bench program; without it only peers are run"
    )
    parser.add_argument("--ns2", metavar="PATH", help="ns-2 (default: ns2 or ns in the search path)")
    parser.add_argument(
        "--ns2-headers",
        choices=("used", "all"),
        default="used",
        help="what ns-2's packets carry: the headers in use, its best case, or all it knows, its default",
    )
    parser.add_argument("--ns3", metavar="PATH", help="what ns3/build.sh built (default: ns3/scenario)")
    parser.add_argument(
        "--htsim",
        metavar="FOLDER",
        help="htsim's source (github.com/Broadcom/csg-htsim), built anew each time",
    )
    parser.add_argument("-k", "--repetitions", type=int, default=3, help="pairs of each case and peer (3)")
    parser.add_argument(
        "--timeout", type=float, default=1800, metavar="SECONDS", help="for one process (1800)"
    )
    parser.add_argument("--only", action="append", metavar="CASE", help="D:100, say; may be repeated")
    parser.add_argument("--peer", action="append", choices=PEERS, help="only this peer; may be repeated")
    parser.add_argument("--seconds", type=float, metavar="S", help="simulate so long in every case")
    parser.add_argument(
        "--quick", action="store_true", help="a smoke run: small cases, 2 s simulated, one pair"
    )
    parser.add_argument("--json", metavar="FILE", help="also write every run's numbers there")
    options = parser.parse_args()
    if options.quick:
        options.repetitions = 1
        options.seconds = options.seconds or 2.0
    if options.repetitions < 1 or (options.seconds is not None and options.seconds <= 0):
        parser.error("repetitions and seconds must be more than zero")
    return options


def choose(options: argparse.Namespace) -> list[Case]:
    """The cases asked for, with the simulated time asked for."""
    cases = [c for c in CASES if c.quick or not options.quick]
    if options.only:
        known = {f"{c.scenario}:{c.n}": c for c in CASES}
        if unknown := [name for name in options.only if name not in known]:
            sys.exit(f"unknown case {unknown[0]}; known: {', '.join(known)}")
        cases = [known[name] for name in options.only]
    if options.seconds:
        cases = [replace(c, seconds=dict.fromkeys(c.seconds, options.seconds)) for c in cases]
    return cases


def find_peers(options: argparse.Namespace) -> list[Tool]:
    """The peers that are there; of the others it is said how to get them."""
    wanted = options.peer or PEERS
    found = {
        "ns-2": ns2_tool(options.ns2, options.ns2_headers),
        "ns-3": ns3_tool(options.ns3),
        "htsim": htsim_tool(options.htsim if "htsim" in wanted else None),
    }
    hints = {
        "ns-2": "Debian: apt-get install ns2",
        "ns-3": "Debian: apt-get install libns3-dev, then ns3/build.sh",
        "htsim": "--htsim FOLDER with its source",
    }
    for name in wanted:
        if found[name] is None:
            print(f"{name} not found ({hints[name]})", file=sys.stderr)
    return [tool for name in wanted if (tool := found[name]) is not None]


def write_json(path: str, results: Results) -> None:
    rows = [
        {"peer": peer.name, "pair": k, "tool": name, "process_cpu_s": r.process_cpu_s, **r.said}
        for _, peer, pairs in results
        for k, pair in enumerate(pairs, 1)
        for name, r in (("Tailrace", pair.tailrace), (peer.name, pair.peer))
        if r is not None
    ]
    Path(path).write_text(json.dumps(rows, indent=1) + "\n")


def main() -> None:
    options = parse()
    peers = find_peers(options)
    tailrace = tailrace_tool(options.tailrace)
    if not peers:
        sys.exit("no peer to compare with")
    results = [
        (case, peer, measure(tailrace, peer, case, options))
        for case in choose(options)
        for peer in peers
        if peer.name in case.seconds
    ]
    versions = ", ".join(f"{peer.name} {peer.version.removeprefix('ns-')}" for peer in peers)
    headers = f" ns-2's packets carry {'all' if options.ns2_headers == 'all' else 'only the used'} headers."
    print(f"Machine: {machine()}. Peers: {versions}.{headers}\n")
    print("CPU nanoseconds of the run alone a packet-hop (set-up apart), median (range) over pairs.\n")
    print(speed_table(results))
    print("\nThe load that was simulated (last pair):\n")
    print(load_table(results))
    if options.json:
        write_json(options.json, results)
    if any(not pairs for _, _, pairs in results):
        sys.exit(1)


if __name__ == "__main__":
    main()

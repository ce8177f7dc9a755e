"""The same datagrams at the same instants through a discipline in Linux and here: no TCP between cause and effect.

What differs then is the discipline. Cases are in openloop.toml; those in which chance has a part are run with several
seeds, and what both sides show is compared with what differs among Linux's own runs.
"""

from __future__ import annotations

import argparse
import fnmatch
import functools
import hashlib
import heapq
import json
import random
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from validation import linux
from validation.cases import HERE
from validation.measures import deviation, mean

TABLE = tomllib.loads((HERE / "openloop.toml").read_text(encoding="utf-8"))
ROOT = HERE.parent


@dataclass(frozen=True)
class Shown:
    """Packets of a run."""

    queue: float
    """Mean number of packets that wait."""
    drops: float
    by_second: tuple[float, ...]
    """Mean queue of each second."""
    largest: float
    """Largest share of what arrived that one flow has."""


def pattern(name: str, seed: int) -> str:
    """Lines "NANOSECONDS FLOW BYTES" in the order of time."""
    draw = random.Random(seed)  # noqa: S311 - it is no secret
    lines = heapq.merge(
        *(
            datagrams(part, flow, draw.random())
            for part in TABLE["pattern"][name]
            for flow in range(part["flows"][0], part["flows"][1] + 1)
        )
    )
    return "".join(f"{at} {flow} {TABLE['bytes']}\n" for at, flow in lines)


def datagrams(part: dict[str, Any], flow: int, seed: float) -> Iterator[tuple[int, int]]:
    """When a flow sends."""
    draw = random.Random(seed)  # noqa: S311 - it is no secret
    first, last = part["flows"]
    gap = TABLE["bytes"] * 8 * (last - first + 1) / (part["load"] * TABLE["rate_mbit"] * 1e6)
    at, end = part.get("from", 0.0), part.get("to", TABLE["duration_s"])
    period, on = part.get("period", 1.0), part.get("on", 1.0)
    at += gap * draw.random()
    while at < end:
        if at % period < on:
            yield int(at * 1e9), flow
        at += draw.expovariate(1 / gap) if part.get("poisson") else gap * (0.5 + draw.random())


def in_linux(line: str, text: str, results: Path) -> Shown:
    """Run with the kernel; kept, and reused while nothing it depends on changes."""
    program = build()
    script = guest(line)
    parts = [script, text, (HERE / "linux/pattern.c").read_text("utf-8")]
    kept = results / (hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16] + ".txt")
    if not kept.exists():
        kernel, traffic = linux.prepare()
        with tempfile.TemporaryDirectory(prefix="validation-") as folder:
            place = Path(folder)
            (place / "pattern").write_text(text, encoding="utf-8")
            words = {"PATTERN": str(program), "TRAFFIC": str(traffic.resolve())}
            for word, path in words.items():
                script = script.replace(word, path)
            (place / "init").write_text(script, encoding="utf-8")
            shown = linux.boot(kernel, place, line, 900)
        results.mkdir(parents=True, exist_ok=True)
        kept.write_text(shown, encoding="utf-8")
    return parse(kept.read_text(encoding="utf-8"))


def build() -> Path:
    """The program that sends inside the guest."""
    program, source = linux.folder() / "pattern", HERE / "linux/pattern.c"
    if not program.exists() or program.stat().st_mtime < source.stat().st_mtime:
        subprocess.run(["gcc", "-O2", "-o", str(program), str(source)], check=True)
    return program.resolve()


def guest(line: str) -> str:
    """The guest's first process: sender, router, receiver; the discipline in front of the router's second device."""
    rate = f"{TABLE['rate_mbit']}mbit"
    return script(
        [
            "tc -n r1 qdisc add dev right root handle 1: stab overhead -14 htb default 1",
            f"tc -n r1 class add dev right parent 1: classid 1:1 htb rate {rate} burst 1 cburst 1 quantum 1514",
            f"tc -n r1 qdisc add dev right parent 1:1 handle 10: {line}",
            f"PATTERN {TABLE['duration_s']} sink 10.1.0.2 r1 right src 0 pattern",
        ]
    )


def script(commands: list[str]) -> str:
    """The guest's first process: a sender, a router r1 with devices left and right, a receiver; then `commands`."""
    lines = [
        "#!/bin/sh",
        "export PATH=/usr/sbin:/usr/bin:/sbin:/bin",
        "mount -t proc proc /proc; mount -t sysfs sysfs /sys; mount -t tmpfs tmpfs /run",
        "cd ${0%/*}",
        "for ns in src r1 sink; do ip netns add $ns; done",
        *cable(("src", "eth0"), ("r1", "left"), "10.0.0"),
        *cable(("r1", "right"), ("sink", "eth0"), "10.1.0"),
        "ip -n src route add default via 10.0.0.2; ip -n sink route add default via 10.1.0.1",
        "TRAFFIC prepare @src eth0 @r1 left right ip_forward=1 @sink eth0",
        *commands,
        "TRAFFIC poweroff",
    ]
    return "\n".join(lines) + "\n"


def cable(a: tuple[str, str], b: tuple[str, str], net: str) -> list[str]:
    """Two devices that know each other's address."""
    third = net.split(".")[1]
    macs = [f"02:00:00:00:0{third}:0{end}" for end in (1, 2)]
    lines = [
        f"ip link add {a[1]} netns {a[0]} address {macs[0]} type veth"
        f" peer name {b[1]} netns {b[0]} address {macs[1]}"
    ]
    for i, (ns, device) in enumerate((a, b)):
        lines += [
            f"ip -n {ns} addr add {net}.{i + 1}/24 dev {device}",
            f"ip -n {ns} link set {device} gso_max_segs 1 up",
            f"ip -n {ns} neigh add {net}.{2 - i} lladdr {macs[1 - i]} dev {device} nud permanent",
        ]
    return lines


@functools.cache
def program() -> Path:
    """The program that feeds one of our disciplines; built at the first call."""
    command = [
        "cargo",
        "build",
        "--quiet",
        "-p",
        "tailrace-qdisc",
        "--bench",
        "openloop",
        "--message-format=json",
    ]
    done = subprocess.run(command, check=True, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    messages = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return next(Path(m["executable"]) for m in messages if m.get("executable"))


def here(line: str, text: str, seed: int) -> Shown:
    """Counts of Tailrace's discipline."""
    words = [line, f"{TABLE['rate_mbit'] * 1_000_000}", str(TABLE["duration_s"]), "0", str(seed)]
    done = subprocess.run([program(), *words], input=text, capture_output=True, text=True, check=True)
    return parse(done.stdout)


def parse(text: str) -> Shown:
    """The numbers between "begin" and "done"."""
    samples = [tuple(map(int, m)) for m in re.findall(r"^sample (\d+) (\d+) (\d+)$", text, re.M)]
    arrived = [int(n) for n in re.findall(r"^flow \d+ arrived (\d+)$", text, re.M)]
    per = 100
    seconds = [samples[i : i + per] for i in range(0, len(samples), per)]
    return Shown(
        queue=mean([s[1] for s in samples]),
        drops=samples[-1][2],
        by_second=tuple(mean([s[1] for s in second]) for second in seconds),
        largest=max(arrived) / sum(arrived),
    )


def differs(ours: list[float], theirs: list[float], least: float, share: float) -> bool:
    """Beyond two standard deviations of the reference, the least that counts, and a share of it."""
    m = mean(theirs)
    return abs(mean(ours) - m) > max(2 * deviation(theirs), least, share * m)


NUMBERS = (("queue", 0.5, 0.03, 1), ("drops", 5, 0.05, 0), ("largest", 0.01, 0.03, 3))
"""What is compared: the least difference that counts, as a number and as a share, and the digits that are shown."""


def compare(queue: str, shape: str, seeds: int, results: Path) -> tuple[str, bool]:
    """A row of the table, and whether all is inside."""
    line = TABLE["queue"][queue]
    texts = [pattern(shape, seed) for seed in range(1, seeds + 1)]
    theirs = [in_linux(line, text, results) for text in texts]
    ours = [here(line, text, seed) for seed, text in enumerate(texts, 1)]
    cells, fine = [f"{queue}-{shape}"], True
    for field, least, share, digits in NUMBERS:
        a, b = ([getattr(s, field) for s in side] for side in (ours, theirs))
        out = differs(a, b, least, share)
        fine = fine and not out
        cells.append(
            f"{mean(a):.{digits}f} / {mean(b):.{digits}f} ± {deviation(b):.{digits}f}{' !' if out else ''}"
        )
    return "| " + " | ".join([*cells, " ".join(map(str, seconds_that_differ(ours, theirs)))]) + " |", fine


def seconds_that_differ(ours: list[Shown], theirs: list[Shown]) -> list[int]:
    """The seconds in which the mean queue is another: two packets or 15 %."""
    a, b = (list(zip(*(s.by_second for s in side), strict=True)) for side in (ours, theirs))
    return [i for i, (x, y) in enumerate(zip(a, b, strict=True)) if differs(list(x), list(y), 2.0, 0.15)]


def main() -> int:
    """0: all inside; 4: something is not."""
    parser = argparse.ArgumentParser(prog="python -m validation.openloop", description=__doc__)
    parser.add_argument("only", nargs="*", default=["*"], help="patterns of QUEUE-PATTERN (default: all)")
    parser.add_argument("-n", "--seeds", type=int, default=3, help="patterns drawn for each case (3)")
    parser.add_argument("-j", "--jobs", type=int, default=1, help="cases at a time (1)")
    parser.add_argument("--results", type=Path, default=Path("results/validation/openloop"))
    options = parser.parse_args()
    cases = [
        (queue, shape)
        for queue in TABLE["queue"]
        for shape in TABLE["pattern"]
        if any(fnmatch.fnmatchcase(f"{queue}-{shape}", p) for p in options.only)
    ]
    program()
    print("| case | mean queue, packets | drops | largest flow's share | seconds that differ |")
    print("| --- | --- | --- | --- | --- |")
    all_fine = True
    with ThreadPoolExecutor(options.jobs) as pool:
        rows = pool.map(lambda case: compare(case[0], case[1], options.seeds, options.results), cases)
        for row, fine in rows:
            all_fine = all_fine and fine
            print(row, flush=True)
    return 0 if all_fine else 4


if __name__ == "__main__":
    sys.exit(main())

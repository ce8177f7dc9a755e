"""Multipath TCP beside a Linux kernel in virtual time: `python -m validation.multipath [PATTERN...]`.

Prints for each case and phase what the receiving application got, and how much of what was sent took each path.
Exit codes: 0 alike or explained, 1 something failed, 4 a difference is not explained.
"""

from __future__ import annotations

import argparse
import fnmatch
import re
import subprocess
import sys
import tempfile
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tailrace
from validation import linux
from validation.cases import HERE

TOLERANCE = 0.05
"""Of the goodput, and of each path's share."""
SERVER = "10.9.0.2"
INSTANT = 1e-6
"""Times of series are this exact, s."""
Ticks = dict[int, tuple[int, list[int]]]
"""By second: bytes that the application has got, and that each path was given."""


@dataclass(frozen=True)
class Case:
    """A transfer over several paths."""

    name: str
    paths: tuple[tuple[float, float, int], ...]
    """Mbit/s, one-way delay in ms, packets that may wait."""
    phases: tuple[tuple[float, float], ...]
    duration_s: float
    buffer_kib: int
    flags: tuple[str, ...]
    """Of the endpoints on the second interface and those after it."""
    hole: tuple[int, float, float] | None = None
    note: tuple[int, str] | None = None


@dataclass(frozen=True)
class Phase:
    """What was seen in one phase."""

    goodput_mbit: float
    shares: tuple[float, ...]
    """Of each path in what the sender sent."""


def load() -> tuple[list[Case], dict[str, str]]:
    """The cases, and the notes by name."""
    table = tomllib.loads((HERE / "multipath.toml").read_text(encoding="utf-8"))
    return [case_of(entry, table) for entry in table["case"]], table["notes"]


def case_of(entry: dict[str, Any], table: dict[str, Any]) -> Case:
    """One entry of the table."""
    paths = tuple((p[0], p[1], p[2]) for p in entry["paths"])
    note, hole = entry.get("note"), entry.get("hole")
    return Case(
        name=entry["name"],
        paths=paths,
        phases=tuple((p[0], p[1]) for p in entry["phases"]),
        duration_s=entry.get("duration_s", table["duration_s"]),
        buffer_kib=entry.get("buffer_kib", table["buffer_kib"]),
        flags=tuple(entry.get("flags", ["subflow"] * (len(paths) - 1))),
        hole=(hole[0], hole[1], hole[2]) if hole else None,
        note=(note["phase"], note["text"]) if note else None,
    )


def guest(case: Case, program: Path, prepare: Path) -> dict[str, str]:
    """What the guest reads, by name: `init`, its first process, and batches for ip and tc.

    A namespace for each end, one for each path's router and one that joins them. The client's device delays, the
    router's limits; the way back is delayed by the router.
    """
    routers = [f"p{i}" for i in range(len(case.paths))]
    make = [f"netns add {ns}" for ns in ("client", "server", "core", *routers)]
    inside: dict[str, list[str]] = {}
    devices: dict[str, list[str]] = {}

    def cable(a: tuple[str, str], b: tuple[str, str], net: str) -> None:
        n = sum(line.startswith("link") for line in make)
        macs = [f"02:00:00:00:{n:02x}:{end:02x}" for end in (1, 2)]
        make.append(
            f"link add {a[1]} netns {a[0]} address {macs[0]} type veth"
            f" peer name {b[1]} netns {b[0]} address {macs[1]}"
        )
        for i, (ns, device) in enumerate((a, b)):
            devices.setdefault(ns, []).append(device)
            inside.setdefault(ns, []).extend(
                [
                    f"addr add {net}.{i + 1}/24 dev {device}",
                    f"link set {device} gso_max_segs 1 up",
                    f"neigh add {net}.{2 - i} lladdr {macs[1 - i]} dev {device} nud permanent",
                ]
            )

    queues: dict[str, list[str]] = {"client": []}
    for i, (rate, delay_ms, limit) in enumerate(case.paths):
        cable(("client", f"c{i}"), (routers[i], "left"), f"10.0.{i}")
        cable((routers[i], "right"), ("core", f"r{i}"), f"10.1.{i}")
        inside["client"] += [
            f"route add default via 10.0.{i}.2 dev c{i} metric {100 + i}",
            f"route add default via 10.0.{i}.2 dev c{i} table {101 + i}",
            f"rule add from 10.0.{i}.1 table {101 + i}",
        ]
        inside[routers[i]].append(f"route add default via 10.1.{i}.2")
        inside["core"].append(f"route add 10.0.{i}.0/24 via 10.1.{i}.1")
        netem = f"root netem limit 1000000 delay {delay_ms * 1e3:.0f}us"
        queues["client"].append(f"qdisc add dev c{i} {netem}")
        queues[routers[i]] = [
            "qdisc add dev right root handle 1: stab overhead -14 htb default 1",
            f"class add dev right parent 1: classid 1:1 htb rate {rate * 1e6:.0f}bit burst 1 cburst 1 quantum 1514",
            f"qdisc add dev right parent 1:1 handle 10: pfifo limit {limit}",
            f"qdisc add dev left {netem}",
        ]
    cable(("core", "right"), ("server", "eth0"), "10.9.0")
    inside["server"].append("route add default via 10.9.0.1")
    endpoints = [
        f"ip -n client mptcp endpoint add 10.0.{i}.1 dev c{i} id {i + 1} {flags}"
        for i, flags in enumerate(case.flags, 1)
    ]
    init = [
        "#!/bin/sh",
        "export PATH=/usr/sbin:/usr/bin:/sbin:/bin",
        "mount -t proc proc /proc; mount -t sysfs sysfs /sys; mount -t tmpfs tmpfs /run",
        "echo 0 > /sys/module/tcp_cubic/parameters/hystart",
        "cd ${0%/*}",
        "ip -batch net",
        *(f"ip -n {ns} -batch ip-{ns}" for ns in inside),
        f"{prepare} prepare {settings(case, devices)}",
        *(f"tc -n {ns} -batch tc-{ns}" for ns in queues),
        *endpoints,
        *hole_lines(case),
        f"{program} run {case.duration_s:g} client server {SERVER}",
        f"{program} poweroff",
    ]
    files = {"init": init, "net": make}
    files |= {f"ip-{ns}": lines for ns, lines in inside.items()}
    files |= {f"tc-{ns}": lines for ns, lines in queues.items()}
    return {name: "\n".join(lines) + "\n" for name, lines in files.items()}


def settings(case: Case, devices: dict[str, list[str]]) -> str:
    """For `traffic prepare`: of each namespace the devices without offloads, and what /proc/sys/net/ipv4 gets."""
    size = case.buffer_kib * 1024
    ends = [
        "tcp_congestion_control=cubic",
        "tcp_ecn=0",
        "tcp_no_metrics_save=1",
        f"'tcp_rmem=4096 {size} {size}'",
        "'tcp_wmem=4096 4194304 4194304'",
    ]
    words = []
    for ns, names in devices.items():
        words += ["@" + ns, *names, *(ends if ns in ("client", "server") else ["ip_forward=1"])]
    return " ".join(words)


def hole_lines(case: Case) -> list[str]:
    """At the hole's begin and end, both directions lose everything or nothing."""
    if case.hole is None:
        return []
    path, begin, end = case.hole
    delay = f"netem limit 1000000 delay {case.paths[path][1] * 1e3:.0f}us"

    def change(loss: str) -> str:
        ways = [("client", f"c{path}"), (f"p{path}", "left")]
        return "; ".join(f"tc -n {ns} qdisc change dev {dev} root {delay} loss {loss}" for ns, dev in ways)

    return [f"( sleep {begin:g}; {change('100%')}; sleep {end - begin:g}; {change('0%')} ) &"]


def run_linux(case: Case, timeout: float = 600) -> str:
    """What the guest prints."""
    kernel, traffic = linux.prepare()
    program, source = linux.folder() / "multipath", HERE / "linux" / "multipath.c"
    if not program.exists() or program.stat().st_mtime < source.stat().st_mtime:
        subprocess.run(["gcc", "-O2", "-o", str(program), str(source)], check=True)
    with tempfile.TemporaryDirectory(prefix="validation-") as place:
        for name, text in guest(case, program.resolve(), traffic.resolve()).items():
            (Path(place) / name).write_text(text, encoding="utf-8")
        return linux.boot(kernel, Path(place), case.name, timeout)


def phases_of_linux(case: Case, text: str) -> list[Phase]:
    """From the lines of each second."""
    ticks: Ticks = {0: (0, [0] * len(case.paths))}
    for line in re.findall(r"^tick (.*)$", text, re.M):
        words = line.split()
        sent = dict(zip(words[3::2], map(int, words[4::2]), strict=True))
        ticks[round(float(words[0]))] = (int(words[2]), [sent[f"c{i}"] for i in range(len(case.paths))])
    return [phase(ticks, begin, end) for begin, end in case.phases]


def phase(ticks: Ticks, begin: float, end: float) -> Phase:
    """The difference of two looks."""
    (before, sent_before), (after, sent) = ticks[round(begin)], ticks[round(end)]
    grown = [b - a for a, b in zip(sent_before, sent, strict=True)]
    total = max(1, sum(grown))
    return Phase((after - before) * 8 / (end - begin) / 1e6, tuple(x / total for x in grown))


def scenario(case: Case) -> dict[str, Any]:
    """The case as a scenario file's content."""
    ample = {"kind": "droptail", "limit": "1000000 packets"}
    fast = {"rate": "100 Gbit/s", "queue": ample}
    links: list[dict[str, Any]] = []
    for i, (rate, delay_ms, limit) in enumerate(case.paths):
        links += [
            {"name": f"c{i}", "between": ["client", f"p{i}"], "delay": f"{delay_ms:g} ms"} | fast,
            {
                "name": f"path{i}",
                "between": [f"p{i}", "core"],
                "rate": f"{rate:g} Mbit/s",
                "delay": "0 ms",
                "queue": {"kind": "droptail", "limit": f"{limit} packets"},
                "reverse": fast,
            },
        ]
    links.append({"name": "last", "between": ["core", "server"], "delay": "0 ms"} | fast)
    endpoints = ", ".join(f"{i} {flags}" for i, flags in enumerate(case.flags, 2))
    window = case.buffer_kib * 1024 // 2
    content: dict[str, Any] = {
        "name": case.name,
        "question": "Does Tailrace behave like Linux?",
        "duration": f"{case.duration_s:g} s",
        "record": {"interval": "1 s"},
        "host": [{"name": "client"}, {"name": "server"}],
        "router": [{"name": "core"}, *({"name": f"p{i}"} for i in range(len(case.paths)))],
        "link": links,
        "flow": [
            {
                "name": "mp",
                "from": "client",
                "to": "server",
                "app": "bulk",
                "transport": {
                    "kind": "mptcp",
                    "profile": "linux",
                    "cc": {"kind": "cubic", "form": "linux"},
                    "path_manager": {"kind": "linux", "client": endpoints},
                    "receive_buffer": f"{window} B",
                    "send_buffer": "4194304 B",
                },
            }
        ],
    }
    if case.hole is not None:
        path, begin, end = case.hole
        fault = {"kind": "blackhole", "link": f"c{path}", "at": f"{begin:g} s", "until": f"{end:g} s"}
        content["fault"] = [fault]
    return content


def run_ours(case: Case) -> list[Phase]:
    """Tailrace's phases."""
    result = tailrace.run(scenario(case), jobs=1)
    delivered, subflows = result.connection_series, result.subflow_series
    ticks: Ticks = {0: (0, [0] * len(case.paths))}
    for second in range(1, round(case.duration_s) + 1):
        rows = delivered.filter((delivered["time_s"] - second).abs() < INSTANT)
        here = subflows.filter((subflows["time_s"] - second).abs() < INSTANT)
        sent = dict(zip(here["link"].to_list(), here["scheduled_bytes"].to_list(), strict=True))
        ticks[second] = (
            int(rows["delivered_bytes"][0]),
            [int(sent.get(f"c{i}", ticks[second - 1][1][i])) for i in range(len(case.paths))],
        )
    return [phase(ticks, begin, end) for begin, end in case.phases]


def differs(mine: Phase, theirs: Phase) -> bool:
    """Whether two phases are further apart than counts as alike."""
    goodput = abs(mine.goodput_mbit - theirs.goodput_mbit) > TOLERANCE * theirs.goodput_mbit
    shares = zip(mine.shares, theirs.shares, strict=True)
    return goodput or any(abs(a - b) > TOLERANCE for a, b in shares)


def rows_of(case: Case, mine: list[Phase], theirs: list[Phase]) -> list[tuple[str, str]]:
    """A line of the table for each phase, and its sign: empty, a note's name or `!`."""
    rows = []
    for i, (ours, reference) in enumerate(zip(mine, theirs, strict=True)):
        sign = ""
        if differs(ours, reference):
            sign = case.note[1] if case.note is not None and case.note[0] == i else "!"
        begin, end = case.phases[i]
        shares = [" ".join(f"{100 * x:.0f}" for x in p.shares) for p in (ours, reference)]
        text = f"{ours.goodput_mbit:.2f} / {reference.goodput_mbit:.2f}"
        mark = f" **{sign}**" if sign else ""
        rows.append((f"| {case.name} | {begin:g}-{end:g} | {text}{mark} | {shares[0]} / {shares[1]} |", sign))
    return rows


def main() -> int:
    """See the module."""
    parser = argparse.ArgumentParser(prog="python -m validation.multipath", description=__doc__)
    parser.add_argument("only", nargs="*", default=["*"], help="patterns of case names (default: all)")
    only = parser.parse_args().only
    cases, notes = load()
    lines = ["| case | s | goodput Mbit/s | share of each path, % |", "| --- | --- | --- | --- |"]
    signs, failed = set(), False
    for case in cases:
        if not any(fnmatch.fnmatchcase(case.name, pattern) for pattern in only):
            continue
        try:
            rows = rows_of(case, run_ours(case), phases_of_linux(case, run_linux(case)))
        except linux.MissingReferenceError as error:
            print(error, file=sys.stderr)
            return 1
        except Exception as error:  # noqa: BLE001 - one case's failure must not lose the others
            print(f"{case.name}: {error}", file=sys.stderr)
            failed = True
            continue
        lines += [row for row, _ in rows]
        signs |= {sign for _, sign in rows}
        print(case.name, file=sys.stderr)
    lines += ["", *(f"- **{name}** {text}" for name, text in notes.items() if name in signs)]
    print("\n".join(lines))
    return 1 if failed else 4 if "!" in signs else 0


if __name__ == "__main__":
    sys.exit(main())

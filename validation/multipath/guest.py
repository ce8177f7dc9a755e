"""A case of Multipath TCP in a Linux kernel: what the guest reads and what it prints.

A namespace for each end, one for each path's router and one that joins them. The client's device delays, the router's
limits; the way back is delayed by the router.
"""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import tempfile
from pathlib import Path

from validation import linux
from validation.cases import HERE
from validation.multipath.cases import Case, Fault
from validation.multipath.measures import Course

SERVER = "10.9.0.2"
PROGRAM = HERE / "linux" / "multipath.c"


class Network:
    """Namespaces, devices and addresses as lines for ip and tc."""

    def __init__(self, case: Case, seed: int) -> None:
        self.case = case
        self.delays_us = [round(ms * 1e3) for ms in case.delays_ms(seed)]
        self.routers = [f"p{i}" for i in range(len(case.paths))]
        self.make = [f"netns add {ns}" for ns in ("client", "server", "core", *self.routers)]
        self.inside: dict[str, list[str]] = {}
        self.devices: dict[str, list[str]] = {}
        for i, router in enumerate(self.routers):
            self.cable(("client", f"c{i}"), (router, "left"), f"10.0.{i}")
            self.cable((router, "right"), ("core", f"r{i}"), f"10.1.{i}")
            self.inside["client"] += [*routes(i), f"rule add from 10.0.{i}.1 table {101 + i}"]
            self.inside[router].append(f"route add default via 10.1.{i}.2")
            self.inside["core"].append(f"route add 10.0.{i}.0/24 via 10.1.{i}.1")
        self.cable(("core", "right"), ("server", "eth0"), "10.9.0")
        self.inside["server"].append("route add default via 10.9.0.1")

    def cable(self, a: tuple[str, str], b: tuple[str, str], net: str) -> None:
        """Two devices that know each other's address."""
        n = sum(line.startswith("link") for line in self.make)
        macs = [f"02:00:00:00:{n:02x}:{end:02x}" for end in (1, 2)]
        self.make.append(
            f"link add {a[1]} netns {a[0]} address {macs[0]} type veth"
            f" peer name {b[1]} netns {b[0]} address {macs[1]}"
        )
        for i, (ns, device) in enumerate((a, b)):
            self.devices.setdefault(ns, []).append(device)
            self.inside.setdefault(ns, []).extend(
                [
                    f"addr add {net}.{i + 1}/24 dev {device}",
                    f"link set {device} gso_max_segs 1 up",
                    f"neigh add {net}.{2 - i} lladdr {macs[1 - i]} dev {device} nud permanent",
                ]
            )

    def queues(self) -> dict[str, list[str]]:
        """Lines for tc."""
        found: dict[str, list[str]] = {"client": []}
        for i, path in enumerate(self.case.paths):
            found["client"].append(f"qdisc add dev c{i} {self.netem(i)}")
            found[self.routers[i]] = [
                "qdisc add dev right root handle 1: stab overhead -14 htb default 1",
                f"class add dev right parent 1: classid 1:1 htb rate {path.rate_mbit * 1e6:.0f}bit burst 1 cburst 1"
                " quantum 1514",
                f"qdisc add dev right parent 1:1 handle 10: pfifo limit {path.limit}",
                f"qdisc add dev left {self.netem(i)}",
            ]
        return found

    def netem(self, i: int) -> str:
        """The delay of path `i`."""
        return f"root netem limit 1000000 delay {self.delays_us[i]}us"

    def settings(self) -> str:
        """For `traffic prepare`: of each namespace the devices without offloads, and what /proc/sys/net/ipv4 gets."""
        ends = [
            f"tcp_congestion_control={self.case.tcp}",
            "tcp_ecn=0",
            "tcp_no_metrics_save=1",
            "'tcp_rmem=4096 131072 6291456'",
            "'tcp_wmem=4096 16384 4194304'",
        ]
        words = []
        for ns, names in self.devices.items():
            words += ["@" + ns, *names, *(ends if ns in ("client", "server") else ["ip_forward=1"])]
        return " ".join(words)

    def fault(self, fault: Fault) -> str:
        """A line of shell that lets it begin and end. All its paths change at one instant: no program waits."""
        if fault.kind == "silent":
            begin, end = (self.losing(fault, share) for share in ("100%", "0%"))
        else:
            begin, end = self.links(fault)
        pause = fault.end_s - fault.begin_s
        return f"( sleep {fault.begin_s:g}; {begin}; sleep {pause:g}; {end} ) &"

    def losing(self, fault: Fault, share: str) -> str:
        """Both directions of its paths lose so much."""
        ways = [way for i in fault.paths for way in ((i, "client", f"c{i}"), (i, f"p{i}", "left"))]
        return "; ".join(
            f"tc -n {ns} qdisc change dev {dev} {self.netem(i)} loss {share}" for i, ns, dev in ways
        )

    def links(self, fault: Fault) -> tuple[str, str]:
        """The client's links go down, then their endpoints; they come back in the same order."""
        down = [f"ip -n client link set c{i} down" for i in fault.paths]
        remove = [f"ip -n client mptcp endpoint del id {i + 1}" for i in fault.paths if i]
        up = [f"ip -n client link set c{i} up" for i in fault.paths]
        up += [f"ip -n client {route}" for i in fault.paths for route in (neighbour(i), *routes(i))]
        add = [f"ip -n client {endpoint(self.case, i)}" for i in fault.paths if i]
        return "; ".join(down + remove), "; ".join(up + add)


def routes(i: int) -> list[str]:
    """Routes of the client over its interface `i`: the default, and one for packets from its address."""
    return [
        f"route add default via 10.0.{i}.2 dev c{i} metric {100 + i}",
        f"route add default via 10.0.{i}.2 dev c{i} table {101 + i}",
    ]


def neighbour(i: int) -> str:
    """The router's address behind interface `i`, which is forgotten with the link."""
    return f"neigh replace 10.0.{i}.2 lladdr 02:00:00:00:{2 * i:02x}:02 dev c{i} nud permanent"


def endpoint(case: Case, i: int) -> str:
    """Command that makes interface `i` an endpoint."""
    return f"mptcp endpoint add 10.0.{i}.1 dev c{i} id {i + 1} {case.flags[i - 1]}"


def files(case: Case, seed: int, program: Path, prepare: Path) -> dict[str, str]:
    """Files of the guest by name: `init`, its first process, and batches for ip and tc."""
    net = Network(case, seed)
    queues = net.queues()
    buffers = [1024 * (kib or 0) for kib in (case.receive_kib, case.send_kib)]
    init = [
        "#!/bin/sh",
        "export PATH=/usr/sbin:/usr/bin:/sbin:/bin",
        "mount -t proc proc /proc; mount -t sysfs sysfs /sys; mount -t tmpfs tmpfs /run",
        f"echo {int(case.hystart)} > /sys/module/tcp_cubic/parameters/hystart",
        "for way in r w; do echo 16777216 > /proc/sys/net/core/${way}mem_max; done",
        "cd ${0%/*}",
        "ip -batch net",
        *(f"ip -n {ns} -batch ip-{ns}" for ns in net.inside),
        f"{prepare} prepare {net.settings()}",
        *(f"tc -n {ns} -batch tc-{ns}" for ns in queues),
        *(f"ip -n {ns} mptcp limits set subflows {case.subflows}" for ns in ("client", "server")),
        *(f"ip -n client {endpoint(case, i)}" for i in range(1, len(case.paths)) if i <= len(case.flags)),
        *(net.fault(fault) for fault in case.faults),
        f"{program} run {case.duration_s:g} client server {SERVER} {buffers[0]} {buffers[1]}",
        f"{program} poweroff",
    ]
    found = {"init": init, "net": net.make}
    found |= {f"ip-{ns}": lines for ns, lines in net.inside.items()}
    found |= {f"tc-{ns}": lines for ns, lines in queues.items()}
    return {name: "\n".join(lines) + "\n" for name, lines in found.items()}


def key(case: Case, seed: int) -> str:
    """Hash of everything that determines a run."""
    parts = [json.dumps(files(case, seed, Path("multipath"), Path("traffic"))), PROGRAM.read_text("utf-8")]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:12]


def run(case: Case, seed: int, results: Path, timeout: float = 900) -> str:
    """Output of the guest, which is kept, and reused while nothing it depends on changes."""
    kept = results / f"multipath-{case.name}" / f"{seed}-{key(case, seed)}.txt"
    if kept.exists():
        return kept.read_text(encoding="utf-8")
    kernel, traffic = linux.prepare()
    program = linux.folder() / "multipath"
    if not program.exists() or program.stat().st_mtime < PROGRAM.stat().st_mtime:
        subprocess.run(["gcc", "-O2", "-o", str(program), str(PROGRAM)], check=True)
    with tempfile.TemporaryDirectory(prefix="validation-") as place:
        for name, text in files(case, seed, program.resolve(), traffic.resolve()).items():
            (Path(place) / name).write_text(text, encoding="utf-8")
        printed = linux.boot(kernel, Path(place), case.name, timeout)
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_text(printed, encoding="utf-8")
    return printed


def parse(case: Case, text: str) -> Course:
    """Course of a run from the guest's output."""
    times, received, sent = [0.0], [0.0], [[0.0] * len(case.paths)]
    for line in re.findall(r"^tick (.*?)(?: memory .*)?$", text, re.M):
        words = line.split()
        by_device = dict(zip(words[3::2], map(float, words[4::2]), strict=True))
        times.append(round(float(words[0]), 1))
        received.append(float(words[2]))
        sent.append([by_device[f"c{i}"] for i in range(len(case.paths))])

    def counter(ns: str, name: str) -> float:
        found = re.search(rf"^counter {ns} {name} (\d+)$", text, re.M)
        return float(found.group(1)) if found else 0.0

    silence = re.search(r"^silence ([\d.]+)$", text, re.M)
    return Course(
        times=times,
        received=received,
        sent=sent,
        retransmissions=counter("client", "RetransSegs"),
        timeouts=counter("client", "TCPTimeouts"),
        joins=counter("server", "MPJoinAckRx"),
        silence_s=float(silence.group(1)) if silence else 0.0,
    )

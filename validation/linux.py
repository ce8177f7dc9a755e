"""A case in a Linux kernel in virtual time: the guest's script, and what linux/traffic.c prints inside."""

from __future__ import annotations

import os
import random
import re
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path

from tailrace.kernels import boot_check, run_kernels
from validation.cases import HERE, Case
from validation.measures import Measures, jain, short_share

DEFAULT_FOLDER = HERE / "build" / "linux"
ADDRESS = "10.1.0.2"
TOOLS = ("ip", "tc", "mount")
SEND_BUFFER = 1 << 20
"""Bytes, of each flow."""
SPARING = 22 << 20
"""With so much for all sockets together Linux begins to spare memory, in a guest of 512 MB."""


class MissingReferenceError(Exception):
    """The kernel or a tool it needs is not there; says how to get it."""


def folder() -> Path:
    """Where the kernel was built; `VALIDATION_LINUX` names another place."""
    return Path(os.environ.get("VALIDATION_LINUX", DEFAULT_FOLDER))


def prepare() -> tuple[Path, Path]:
    """The kernel and the traffic program; builds the latter."""
    kernel = folder() / "linux"
    if not kernel.exists():
        raise MissingReferenceError(f"no kernel at {kernel}: run validation/linux/build-kernel first")
    missing = [tool for tool in (*TOOLS, "gcc") if find(tool) is None]
    if missing:
        raise MissingReferenceError(f"missing: {', '.join(missing)}; on Debian: apt-get install iproute2 gcc")
    traffic, source = folder() / "traffic", HERE / "linux" / "traffic.c"
    if not traffic.exists() or traffic.stat().st_mtime < source.stat().st_mtime:
        subprocess.run(["gcc", "-O2", "-o", str(traffic), str(source)], check=True)
    return kernel, traffic


def find(tool: str) -> str | None:
    """In the search path or where administrators' tools lie."""
    return shutil.which(tool, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")


def queue_line(case: Case) -> str:
    """The discipline as tc's words."""
    line: str = case.fill(case.queues["linux"])
    return f"{line} {case.queues.get('linux_ecn', 'ecn')}" if case.ecn else line


def files(case: Case, seed: int, traffic: Path) -> dict[str, str]:
    """Files of the guest by name: `init`, its first process, and batches for ip and tc.

    One namespace for each base round trip, one for the receivers, one for each of two routers. The bottleneck is
    htb, which sends a packet at the start of its transmission; so one transmission more is put into the delay.
    Batches, because starting a program is what costs most in User-Mode Linux.
    """
    net = Network(case, seed)
    found = {"ip-all": "\n".join(net.make) + "\n"}
    found |= {f"ip-{ns}": "\n".join(lines) + "\n" for ns, lines in net.inside.items()}
    found["tc-r1"], found["tc-r2"] = net.tc()
    flows = " ".join(f"src{net.classes.index(ms)}" for ms in case.base_rtts_ms)
    init = [
        "#!/bin/sh",
        "export PATH=/usr/sbin:/usr/bin:/sbin:/bin",
        "mount -t proc proc /proc; mount -t sysfs sysfs /sys; mount -t tmpfs tmpfs /run",
        "echo 0 > /sys/module/tcp_cubic/parameters/hystart",
        "cd ${0%/*}",
        "ip -batch ip-all",
        *(f"ip -n {ns} -batch ip-{ns}" for ns in net.inside),
        *memory_of_sockets(case),
        f"{traffic} prepare {net.settings()}",
        "tc -n r1 -batch tc-r1",
        "tc -n r2 -batch tc-r2",
        f"{traffic} run {case.duration_s:g} {case.warmup_s:g} {seed} sink {ADDRESS} r1 bottleneck flood"
        f" {case.flood_bps:.0f} {case.packet} {case.flood.period_s:g} {case.flood.burst_s:g} {flows}",
        f"{traffic} poweroff",
    ]
    return found | {"init": "\n".join(init) + "\n"}


def memory_of_sockets(case: Case) -> list[str]:
    """Settings that let the send buffers of many flows grow. Windows of sockets at their limit do not grow; then
    less is acknowledged at once.
    """
    enough = case.flows * SEND_BUFFER <= SPARING
    return [] if enough else ["echo 65536 65536 65536 > /proc/sys/net/ipv4/tcp_mem"]


class Network:
    """The guest's namespaces, devices and addresses as lines for ip and tc."""

    def __init__(self, case: Case, seed: int) -> None:
        self.case = case
        self.random = random.Random(seed)  # noqa: S311 - it is no secret
        self.classes = case.classes()
        sources = [f"src{i}" for i in range(len(self.classes))]
        self.inside: dict[str, list[str]] = {ns: [] for ns in ("r1", "r2", "sink", "flood", *sources)}
        self.make = [f"netns add {ns}" for ns in self.inside]
        self.devices: dict[str, list[str]] = {ns: [] for ns in self.inside}
        self.pair(("r1", "bottleneck"), ("r2", "left"), "10.0.0")
        self.pair(("r2", "right"), ("sink", "eth0"), "10.1.0")
        self.pair(("r1", "flood"), ("flood", "eth0"), "10.3.0")
        for i, ns in enumerate(sources):
            self.pair(("r1", f"s{i}"), (ns, "eth0"), f"10.2.{i}")
        gateways = {"r1": "10.0.0.2", "r2": "10.0.0.1", "sink": "10.1.0.1", "flood": "10.3.0.1"}
        gateways |= {ns: f"10.2.{i}.1" for i, ns in enumerate(sources)}
        for ns, gateway in gateways.items():
            self.inside[ns].append(f"route add default via {gateway}")

    def pair(self, a: tuple[str, str], b: tuple[str, str], net: str) -> None:
        """A cable: two devices that know each other's address, and send what they are given as it is."""
        n = sum(line.startswith("link") for line in self.make)
        macs = [f"02:00:00:00:{n:02x}:{end:02x}" for end in (1, 2)]
        self.make.append(
            f"link add {a[1]} netns {a[0]} address {macs[0]} type veth"
            f" peer name {b[1]} netns {b[0]} address {macs[1]}"
        )
        for i, (ns, device) in enumerate((a, b)):
            self.devices[ns].append(device)
            self.inside[ns] += [
                f"addr add {net}.{i + 1}/24 dev {device}",
                f"link set {device} gso_max_segs 1 up",
                f"neigh add {net}.{2 - i} lladdr {macs[1 - i]} dev {device} nud permanent",
            ]

    def settings(self) -> str:
        """For `traffic prepare`: of each namespace the devices without offloads, and what /proc/sys/net/ipv4 gets."""
        tcp = {
            "tcp_congestion_control": self.case.tcp,
            "tcp_ecn": "1" if self.case.ecn else "0",
            "tcp_no_metrics_save": "1",
            "tcp_wmem": "'4096 1048576 33554432'",
            "tcp_rmem": "'4096 6291456 33554432'",
        }
        if self.case.queues.get("sender_hash"):
            # A namespace's router sees what no other machine's could: the hash that the sender's socket put on the
            # packet, which each timeout draws anew.
            tcp["../core/txrehash"] = "0"
        words = []
        for ns, devices in self.devices.items():
            values = {"ip_forward": "1"} if ns in ("r1", "r2") else tcp
            words += ["@" + ns, *devices, *(f"{name}={value}" for name, value in values.items())]
        return " ".join(words)

    def back_us(self, base_rtt_ms: float) -> float:
        """Delay of the way back."""
        jitter = self.random.uniform(0, self.case.rtt_jitter_ms)
        return (base_rtt_ms - self.case.delay_ms + jitter) * 1e3

    def tc(self) -> tuple[str, str]:
        """Lines for the two routers."""
        case = self.case
        forward_us = case.delay_ms * 1e3 + case.packet * 8 / case.rate_mbit
        first = [
            "qdisc add dev bottleneck root handle 1: stab overhead -14 htb default 1",
            f"class add dev bottleneck parent 1: classid 1:1 htb rate {case.rate_bps:.0f}bit burst 1 cburst 1"
            " quantum 1514",
            f"qdisc add dev bottleneck parent 1:1 handle 10: {queue_line(case)}",
            *(line for line in case.fill(case.queues.get("linux_extra", "")).splitlines() if line.strip()),
            *(
                f"qdisc add dev s{i} root netem limit 1000000 delay {self.back_us(ms):.0f}us"
                for i, ms in enumerate(self.classes)
            ),
        ]
        second = f"qdisc add dev right root netem limit 1000000 delay {forward_us:.0f}us"
        return "\n".join(first) + "\n", second + "\n"


def run(case: Case, seed: int, timeout: float = 900) -> str:
    """Output of the guest."""
    kernel, traffic = prepare()
    with tempfile.TemporaryDirectory(prefix="validation-") as place:
        for name, text in files(case, seed, traffic.resolve()).items():
            (Path(place) / name).write_text(text, encoding="utf-8")
        return boot(kernel, Path(place), case.name, timeout)


def boot(kernel: Path, place: Path, name: str, timeout: float) -> str:
    """Output of the guest whose first process is `init` in `place`.

    Tailrace's launcher starts it, as it starts the kernels of hosts: User-Mode Linux of these versions dies of the
    registers of AMX, so it denies what reads them, and programs must do without AVX. The guest ends with this process.
    """
    init = place / "init"
    init.chmod(0o755)
    text = launched(
        [
            str(kernel),
            "mem=512M",
            "rootfstype=hostfs",
            "rootflags=/",
            "ro",
            f"init={init}",
            "con=null",
            "con0=fd:0,fd:1",
            "quiet",
            "time-travel=inf-cpu",
            boot_check.WITHOUT_AVX,
        ],
        place,
        timeout,
    )
    if "\ndone" not in text:
        raise RuntimeError(f"the guest failed on {name}: {text[-1500:]}")
    return text


def launched(command: list[str], place: Path, timeout: float) -> str:
    """Output of a guest. The launcher ends it at the end of its input, which is held open until then."""
    ours, its = socket.socketpair()
    with ours, its:
        guest = subprocess.Popen(
            # The programs are the validation's own, and lie where it was built.
            [str(run_kernels.agent()), "launch", "--unconfined", *command],
            cwd=place,
            stdin=its.fileno(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        its.close()
        with guest:
            try:
                text, _ = guest.communicate(timeout=timeout)
            finally:
                ours.close()
    return text.replace("\r", "")


def parse(text: str, case: Case) -> Measures:
    """The numbers between the warm-up and the end."""
    states = {
        name: State(body) for name, body in re.findall(r"^state (\w+)(.*?)^end state$", text, re.M | re.S)
    }
    warm, end = states["warm"], states["end"]
    time = end.time - warm.time
    queue = re.search(r"^queue mean ([0-9.]+)", text, re.M)
    if queue is None:
        raise ValueError("no line of the queue's mean")
    goodputs = [(e["acked"] - w["acked"]) * 8 / time for w, e in zip(warm.flows, end.flows, strict=True)]

    def grown(name: str) -> float:
        return end.counters.get(name, 0.0) - warm.counters.get(name, 0.0)

    return Measures(
        goodput_bps=sum(goodputs),
        jain=jain(goodputs),
        short_share=short_share(goodputs, case.base_rtts_ms),
        flood_bps=(end.flood_received - warm.flood_received) * case.packet * 8 / time,
        queue_packets=float(queue.group(1)),
        drops=end.drops - warm.drops,
        marks=end.marks - warm.marks,
        retransmissions=grown("RetransSegs"),
        timeouts=grown("TCPTimeouts"),
    )


class State:
    """A snapshot of all counters."""

    def __init__(self, body: str) -> None:
        lines = body.splitlines()
        self.time = float(lines[0])
        self.flows = [pairs(line.split()[3:]) for line in lines if line.startswith("flow ")]
        self.counters = {w[1]: float(w[2]) for w in map(str.split, lines) if w and w[0] == "counter"}
        flood = next((line.split() for line in lines if line.startswith("flood ")), ["", "", "0", "", "0"])
        self.flood_sent, self.flood_received = float(flood[2]), float(flood[4])
        self.drops, self.marks = leaf_counts("\n".join(lines))


def pairs(words: list[str]) -> dict[str, float]:
    """`name value name value` as a dictionary."""
    return {k: float(v) for k, v in zip(words[::2], words[1::2], strict=True)}


def leaf_counts(text: str) -> tuple[float, float]:
    """Drops and marks of the leaf (handle 10:) in what `tc -s qdisc` printed."""
    found = re.search(r"^qdisc \w+ 10: .*?(?=^qdisc |\Z)", text, re.M | re.S)
    if found is None:
        raise ValueError("no qdisc 10: in tc's output")
    leaf = found.group()
    dropped = re.search(r"\(dropped (\d+)", leaf)
    # red, choke, sfb: "marked N"; codel, fq_codel, pie, fq_pie: "ecn_mark N"; cake: a row "marks N" of its only tin.
    marked = re.search(r"\b(?:marked|ecn_mark|marks) +(\d+)", leaf)
    return float(dropped.group(1)) if dropped else 0.0, float(marked.group(1)) if marked else 0.0

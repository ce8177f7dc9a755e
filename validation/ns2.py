"""A case in ns-2: the file that sets its values and sources ns2/dumbbell.tcl, and what that prints."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

from validation.cases import HERE, Case
from validation.measures import Measures, jain, short_share

AGENTS = {
    "newreno": ("Agent/TCP/Newreno", "Agent/TCPSink"),
    "sack1": ("Agent/TCP/Sack1", "Agent/TCPSink/Sack1"),
}


def program() -> str | None:
    """ns-2's executable: Debian calls it `ns`."""
    return shutil.which("ns2") or shutil.which("ns")


def script(case: Case, seed: int) -> str:
    """The case as Tcl."""
    tcp, sink = AGENTS[case.tcp]
    entry = case.fill(case.queues["ns2"])
    queue = entry["class"]
    values = dict(entry.get("set", {})) | (entry.get("ecn", {}) if case.ecn else {})
    settings = " ".join(f"{{Queue/{queue} {name} {value}}}" for name, value in values.items())
    rtts = " ".join(f"{ms / 1e3:.6f}" for ms in case.base_rtts_ms)
    lines = {
        "duration": f"{case.duration_s:g}",
        "warmup": f"{case.warmup_s:g}",
        "seed": str(seed),
        "rate": f"{case.rate_bps:.0f}",
        "delay": f"{case.delay_ms / 1e3:g}",
        "limit": str(entry.get("limit", case.limit)),
        "packet": str(case.packet),
        "tcp": tcp,
        "sink": sink,
        "ecn": str(int(case.ecn)),
        "rtts": f"{{{rtts}}}",
        "flood": f"{case.flood_bps:.0f}",
        "period": f"{case.flood.period_s:g}",
        "burst": f"{case.flood.burst_s:g}",
        "queue": queue,
        "settings": f"{{{settings}}}",
    }
    body = "\n".join(f"set {name} {value}" for name, value in lines.items())
    return f"{body}\nsource [file join $env(VALIDATION) ns2 dumbbell.tcl]\n"


def run(case: Case, seed: int, timeout: float = 1200) -> str:
    """Output of ns-2."""
    ns = program()
    if ns is None:
        raise FileNotFoundError("ns-2 is missing; on Debian: apt-get install ns2")
    with tempfile.TemporaryDirectory(prefix="validation-") as folder:
        file = Path(folder) / "run.tcl"
        file.write_text(script(case, seed), encoding="utf-8")
        done = subprocess.run(
            [ns, str(file)],
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
            cwd=folder,
            env={"VALIDATION": str(HERE), "PATH": "/usr/bin:/bin"},
        )
    if not done.stdout.rstrip().endswith("done"):
        raise RuntimeError(f"ns-2 failed on {case.name}: {done.stderr.strip() or done.stdout[-500:]}")
    return done.stdout


def parse(text: str, case: Case) -> Measures:
    """The numbers between the warm-up and the end."""
    states: dict[str, dict[str, float]] = {}
    state: dict[str, float] = {}
    for line in text.splitlines():
        words = line.split()
        if not words:
            continue
        if words[0] == "state":
            state = states[words[1]] = {"time": float(words[2])}
        elif words[0] in ("queue", "flow", "flood"):
            prefix = words[0] + (words[1] if words[0] == "flow" else "")
            pairs = words[2:] if words[0] == "flow" else words[1:]
            state |= {f"{prefix}.{k}": float(v) for k, v in zip(pairs[::2], pairs[1::2], strict=True)}
    warm, end = states["warm"], states["end"]

    def grown(key: str) -> float:
        return end.get(key, 0.0) - warm.get(key, 0.0)

    def total(key: str) -> float:
        return sum(grown(f"flow{i}.{key}") for i in range(case.flows))

    time = end["time"] - warm["time"]
    # The sinks count whole packets; goodput is payload.
    payload = (case.packet - 40) / case.packet
    goodputs = [grown(f"flow{i}.bytes") * payload * 8 / time for i in range(case.flows)]
    return Measures(
        goodput_bps=sum(goodputs),
        jain=jain(goodputs),
        short_share=short_share(goodputs, case.base_rtts_ms),
        flood_bps=grown("flood.received") * case.packet * 8 / time,
        queue_packets=grown("queue.integral") / time,
        drops=grown("queue.drops"),
        marks=grown("queue.marks"),
        retransmissions=total("retrans"),
        timeouts=total("timeouts"),
    )

"""A case in Tailrace: the scenario, and its result."""

from __future__ import annotations

from typing import Any

import tailrace
from validation.cases import Case
from validation.measures import Measures, short_share

# Header sizes: Linux's depend on options; ns-2 counts 40 bytes a packet.
NS2_TRANSPORT: dict[str, Any] = {
    "profile": "ns2",
    "header": "40 B",
    "iw": 2,
    "window": 10000,
    "initial_ssthresh": 10000,
}
NS2_TCP: dict[str, dict[str, Any]] = {
    "newreno": {"cc": "newreno", "sack": False},
    "sack1": {"cc": "newreno", "sack": True},
}
# Profile `linux` is the newest version. The guests have 6.1, whose windows are half of the memory, so configured that a
# packet takes 768 bytes beside its payload, and devices that take one segment at a time (`gso_max_segs 1`). Buffers are
# as the guests have them: they never limit.
LINUX_TRANSPORT: dict[str, Any] = {
    "profile": "linux",
    "behaviour": {
        "tso": False,
        "tcp_window_share": "auto",
        "packet_overhead": "768 B",
        "send_overhead": "768 B",
    },
    "tcp_rmem": "4096 6291456 33554432",
    "tcp_wmem": "4096 1048576 33554432",
}
LINUX_TCP: dict[str, dict[str, Any]] = {
    "reno": {"cc": "newreno"},
    "cubic": {"cc": {"kind": "cubic", "form": "linux", "hystart": False}},
}


def scenario(case: Case, runs: int, seed: int = 1) -> dict[str, Any]:
    """The case as a scenario file's content."""
    ns2 = case.reference == "ns2"
    # Linux's guests have no access links; a rate that high is as good as none.
    rate = "100 Mbit/s" if ns2 else "100 Gbit/s"
    big = {"kind": "droptail", "limit": "1000000 packets"}
    access = [(ms - 2 * case.delay_ms) / 4 for ms in case.base_rtts_ms]
    links: list[dict[str, Any]] = [
        {
            "name": "bottleneck",
            "between": ["g1", "g2"],
            "rate": f"{case.rate_bps:.0f} bit/s",
            "delay": f"{case.delay_ms:g} ms",
            "queue": queue(case),
            "reverse": {"queue": big} if ns2 else {"queue": big, "rate": rate},
        },
        {"between": ["flood", "g1"], "rate": rate, "delay": "1 ms"},
        {"between": ["g2", "sink"], "rate": rate, "delay": "1 ms"},
    ]
    for i, ms in enumerate(access):
        one: dict[str, Any] = {"rate": rate, "queue": big}
        near, far = f"{ms * 1e3:.0f} us", f"{ms * 1e3 + case.rtt_jitter_ms * 500:.0f} us"
        drawn = f"uniform({near}, {far})" if case.rtt_jitter_ms else near
        links += [
            one | {"between": [f"src[{i}]", "g1"], "delay": drawn},
            one | {"between": ["g2", f"dst[{i}]"], "delay": near},
        ]
    hosts: list[dict[str, Any]] = [{"name": name, "count": case.flows} for name in ("src", "dst")]
    flows: list[dict[str, Any]] = [
        {
            "name": "tcp",
            "from": "src[*]",
            "to": "dst[*]",
            "start": "uniform(0 s, 1 s)",
            "app": {"kind": "bulk"},
            "transport": transport(case),
        }
    ]
    if case.flood.share:
        flows.append(flood(case))
    return {
        "name": case.name,
        "question": "Does Tailrace behave like its reference?",
        "duration": f"{case.duration_s:g} s",
        "warmup": f"{case.warmup_s:g} s",
        "runs": runs,
        "seed": seed,
        "record": {"interval": "off"},
        "host": [*hosts, {"name": "flood"}, {"name": "sink"}],
        "router": [{"name": "g1"}, {"name": "g2"}],
        "link": links,
        "flow": flows,
    }


def flood(case: Case) -> dict[str, Any]:
    """Unresponsive traffic: constant with uneven gaps, or in pulses."""
    header = 0 if case.reference == "ns2" else 28
    app: dict[str, Any] = {
        "rate": f"{case.flood_bps * (case.packet - header) / case.packet:.0f} bit/s",
        "size": f"{case.packet - header} B",
    }
    start = "0 s"
    if case.flood.period_s:
        app |= {"kind": "pulse", "period": f"{case.flood.period_s:g} s", "burst": f"{case.flood.burst_s:g} s"}
        start = f"uniform(0 s, {case.flood.period_s:g} s)"
    else:
        app |= {"kind": "cbr", "jitter": 0.5, "random_phase": True}
    return {
        "name": "flood",
        "role": "attack",
        "from": "flood",
        "to": "sink",
        "start": start,
        "transport": {"kind": "udp", "header": f"{header} B"},
        "app": app,
    }


def transport(case: Case) -> dict[str, Any]:
    """TCP as the reference has it."""
    common: dict[str, Any] = {"kind": "tcp", "ecn": case.ecn}
    if case.reference == "ns2":
        return common | NS2_TRANSPORT | {"mss": f"{case.packet - 40} B"} | NS2_TCP[case.tcp]
    return common | LINUX_TRANSPORT | LINUX_TCP[case.tcp]


def queue(case: Case) -> str | dict[str, Any]:
    """The discipline: where Linux is the reference its tc line, unless the table says otherwise."""
    entry = case.queues
    if case.reference == "linux" and "ours_linux" not in entry:
        line: str = case.fill(entry.get("ours_line", entry["linux"]))
        return f"{line} {entry.get('linux_ecn', 'ecn')}" if case.ecn else line
    table: dict[str, Any] = case.fill(entry["ours_" + case.reference])
    return table | {"ecn": True} if case.ecn else table


def run(case: Case, runs: int, seed: int = 1) -> list[Measures]:
    """Measures of each run."""
    result = tailrace.run(scenario(case, runs, seed), jobs=1)
    rows = result.flows.filter(result.flows["group"] == "tcp").sort("run", "flow")
    per_run = [part["goodput_bps"].to_list() for part in rows.partition_by("run", maintain_order=True)]
    return [
        measure(one, goodputs, case) for one, goodputs in zip(result.summary["runs"], per_run, strict=True)
    ]


def measure(one: dict[str, Any], goodputs: list[float], case: Case) -> Measures:
    """The numbers of one entry of `runs`."""
    tcp, bottleneck = one["groups"]["tcp"], one["queues"]["g1->g2"]
    flood = one["groups"].get("flood")
    dropped = bottleneck["dropped_packets"]
    return Measures(
        goodput_bps=tcp["goodput_bps"]["sum"],
        jain=tcp["jain"] or 0.0,
        short_share=short_share(goodputs, case.base_rtts_ms),
        flood_bps=flood["throughput_bps"]["sum"] if flood else 0.0,
        queue_packets=bottleneck["backlog_packets"]["mean"],
        drops=dropped["overlimit"] + dropped["aqm"] + dropped["policed"],
        marks=bottleneck["marked_packets"],
        retransmissions=tcp["retransmitted_packets"],
        timeouts=tcp["timeouts"],
    )

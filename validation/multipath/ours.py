"""A case of Multipath TCP in Tailrace."""

from __future__ import annotations

from typing import Any

import tailrace
from validation.multipath.cases import Case
from validation.multipath.measures import Course

INTERVAL_S = 0.2
SEGMENT = 1424
"""Bytes of a segment that is sent again."""


def scenario(case: Case, seed: int = 1) -> dict[str, Any]:
    """The case as a scenario file's content."""
    ample = {"kind": "droptail", "limit": "1000000 packets"}
    fast = {"rate": "100 Gbit/s", "queue": ample}
    links: list[dict[str, Any]] = []
    for i, (path, delay_ms) in enumerate(zip(case.paths, case.delays_ms(seed), strict=True)):
        links += [
            {"name": f"c{i}", "between": ["client", f"p{i}"], "delay": f"{delay_ms:g} ms"} | fast,
            {
                "name": f"path{i}",
                "between": [f"p{i}", "core"],
                "rate": f"{path.rate_mbit:g} Mbit/s",
                "delay": "0 ms",
                "queue": {"kind": "droptail", "limit": f"{path.limit} packets"},
                "reverse": fast,
            },
        ]
    links.append({"name": "last", "between": ["core", "server"], "delay": "0 ms"} | fast)
    content: dict[str, Any] = {
        "name": case.name,
        "question": "Does Tailrace behave like Linux?",
        "duration": f"{case.duration_s:g} s",
        "record": {"interval": f"{INTERVAL_S:g} s"},
        "host": [{"name": "client"}, {"name": "server"}],
        "router": [{"name": "core"}, *({"name": f"p{i}"} for i in range(len(case.paths)))],
        "link": links,
        "flow": [
            {"name": "mp", "from": "client", "to": "server", "app": "bulk", "transport": transport(case)}
        ],
    }
    faults = [
        {
            "kind": {"silent": "blackhole", "down": "down"}[fault.kind],
            "link": f"c{i}",
            "at": f"{fault.begin_s:g} s",
            "until": f"{fault.end_s:g} s",
        }
        for fault in case.faults
        for i in fault.paths
    ]
    return content | ({"fault": faults} if faults else {})


def transport(case: Case) -> dict[str, Any]:
    """Transport with the settings of the guest's kernel."""
    endpoints = ", ".join(f"{i} {flags}" for i, flags in enumerate(case.flags, 2))
    buffers = {"receive_buffer": case.receive_kib, "send_buffer": case.send_kib}
    return {
        "kind": "mptcp",
        "profile": "linux_6_1",
        # The guest's devices take one segment at a time (`gso_max_segs 1`), which takes 768 bytes beside its payload.
        "behaviour": {"tso": False, "send_overhead": "768 B"},
        "cc": {"kind": "cubic", "form": "linux", "hystart": case.hystart}
        if case.tcp == "cubic"
        else case.tcp,
        "path_manager": {"kind": "linux", "client": endpoints, "subflows": case.subflows},
    } | {name: f"{kib} KiB" for name, kib in buffers.items() if kib is not None}


def run(case: Case, seed: int) -> Course:
    """Course of one run."""
    result = tailrace.run(scenario(case, seed), jobs=1)
    looks = result.connection_series.select("time_s", "delivered_bytes").rows()
    given = sent_by_path(result, case)
    nothing = [0.0] * len(case.paths)
    times, received, sent = [0.0], [0.0], [nothing]
    last = nothing
    for time, volume in looks:
        times.append(round(time, 3))
        received.append(float(volume))
        # A new subflow counts from zero.
        now = given.get(round(time, 3), nothing)
        grown = [b - a if b >= a else b for a, b in zip(last, now, strict=True)]
        sent.append([a + g for a, g in zip(sent[-1], grown, strict=True)])
        last = now
    summary = result.summary["runs"][0]
    connection = summary["connections"]["mp[0]"]
    # The guest's counters are the client's; those of the group count the server's timeouts, of its FINs, too.
    client = result.connections.row(0, named=True)
    return Course(
        times=times,
        received=received,
        sent=sent,
        retransmissions=client["retransmitted_packets"],
        timeouts=client["timeouts"],
        joins=connection["subflows_established"] - 1,
        silence_s=result.flows["longest_silence_s"][0],
    )


def sent_by_path(result: tailrace.Result, case: Case) -> dict[float, list[float]]:
    """By time: bytes that each path was given, with repetitions; of the subflows that there are."""
    found: dict[float, list[float]] = {}
    columns = ["time_s", "link", "scheduled_bytes", "retransmitted_packets"]
    for time, link, new, again in result.subflow_series.select(columns).iter_rows():
        row = found.setdefault(round(time, 3), [0.0] * len(case.paths))
        row[int(link.removeprefix("c"))] += new + SEGMENT * again
    return found

"""qlog 0.3 (draft-ietf-quic-qlog-main-schema-04, draft-ietf-quic-qlog-quic-events-03) of TCP's congestion control.

A trace a flow and sending end, with `recovery:metrics_updated` events from `flow_series`: congestion window, threshold
of slow start, smoothed round-trip time, bytes in flight. As JSON (`.qlog`) a file has a trace a flow; as JSON text
sequences (`.sqlog`, RFC 7464) it has one trace, in which `group_id` tells flows apart.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tailrace.errors import UsageError
from tailrace.scenario import flow_choice

if TYPE_CHECKING:
    import polars as pl

    from tailrace.export.run_source import Run

CONTAINED, SEQUENCE = ".qlog", ".sqlog"
SUFFIXES = (CONTAINED, SEQUENCE)
_VERSION = "0.3"
_EVENT = "recovery:metrics_updated"
_MILLISECONDS = 1e3
# Column -> what events call it.
_BYTES = {
    "cwnd_bytes": "congestion_window",
    "ssthresh_bytes": "ssthresh",
    "in_flight_bytes": "bytes_in_flight",
}
_PROTOCOLS = {"tcp": "TCP", "mptcp": "MPTCP", "quic": "QUIC"}
_RECORD_SEPARATOR = "\x1e"


@dataclass(frozen=True)
class _Trace:
    """Events of one flow, seen by one of its ends."""

    flow: str
    end: str
    protocol: str
    events: Sequence[Mapping[str, Any]]


def document(run: Run, suffix: str, flows: str | None = None) -> str:
    """The whole file; `flows` chooses some, as in `tcp[0..3]`."""
    traces = list(_traces(run, flows))
    if not traces:
        raise UsageError(
            f"{run.place}: none of these flows has a sampled congestion window in run {run.number}; choose flows over "
            "TCP with --flows, or raise max_series_flows of [record]"
        )
    about = {"title": run.title, "description": f"Simulated by Tailrace: run {run.number}, seed {run.seed}"}
    if suffix == CONTAINED:
        head = {"qlog_version": _VERSION, "qlog_format": "JSON", **about}
        return json.dumps({**head, "traces": [_contained(trace) for trace in traces]}, allow_nan=False) + "\n"
    return "".join(f"{_RECORD_SEPARATOR}{json.dumps(r, allow_nan=False)}\n" for r in _sequence(about, traces))


def _traces(run: Run, flows: str | None) -> Iterator[_Trace]:
    import polars as pl

    run.series("flow_series")  # has to be there
    samples = run.samples()
    transports = {
        (row["group"], row["flow"]): row["transport"] for row in run.table("flows").iter_rows(named=True)
    }
    for group, flow in _wanted(run, flows):
        if (group, flow) not in samples:
            continue
        own = samples[group, flow].filter(pl.col("cwnd_bytes").is_not_null())
        for end in own["end"].unique(maintain_order=True):
            events = list(_events(own.filter(pl.col("end") == end)))
            yield _Trace(f"{group}[{flow}]", end, _PROTOCOLS[transports[group, flow]], events)


def _wanted(run: Run, flows: str | None) -> list[tuple[str, int]]:
    """Group and position of the chosen flows, or of all."""
    there = run.table("flows")
    if flows is None:
        return [(row["group"], row["flow"]) for row in there.iter_rows(named=True)]
    return flow_choice.among(there, flows)


def _events(samples: pl.DataFrame) -> Iterator[dict[str, Any]]:
    """An event a sample in which something changed, with what did."""
    before: dict[str, float] = {}
    for row in samples.iter_rows(named=True):
        now = {name: round(row[column]) for column, name in _BYTES.items() if row[column] is not None}
        if row["rtt_s"] is not None:
            now["smoothed_rtt"] = _milliseconds(row["rtt_s"])
        changed = {name: value for name, value in now.items() if before.get(name) != value}
        before |= changed
        if changed:
            yield {"time": _milliseconds(row["time_s"]), "name": _EVENT, "data": changed}


def _milliseconds(seconds: float) -> float:
    return round(seconds * _MILLISECONDS, 6)


def _common(protocols: Sequence[str]) -> dict[str, Any]:
    # Later drafts call the list of protocols `protocol_types`; unknown fields are to be passed over.
    return {
        "time_format": "relative",
        "reference_time": 0.0,
        "protocol_type": list(protocols),
        "protocol_types": list(protocols),
    }


def _contained(trace: _Trace) -> dict[str, Any]:
    return {
        "title": trace.flow,
        "common_fields": {**_common([trace.protocol]), "group_id": trace.flow},
        "vantage_point": {"name": trace.flow, "type": trace.end},
        "events": list(trace.events),
    }


def _sequence(about: Mapping[str, str], traces: Sequence[_Trace]) -> Iterator[dict[str, Any]]:
    """The head, then all events in order of time."""
    ends = {trace.end for trace in traces}
    head = {
        "common_fields": _common(sorted({trace.protocol for trace in traces})),
        "vantage_point": {"type": ends.pop() if len(ends) == 1 else "unknown"},
    }
    yield {"qlog_version": _VERSION, "qlog_format": "JSON-SEQ", **about, "trace": head}
    grouped = [{**event, "group_id": trace.flow} for trace in traces for event in trace.events]
    yield from sorted(grouped, key=lambda event: event["time"])

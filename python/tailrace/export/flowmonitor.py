"""ns-3's FlowMonitor XML: a `Flow` a flow with its totals, and the addresses and ports that classify it.

The elements, their attributes and the order of these are those of ns-3's manual (Flow Monitor, Output); times are
written as there, `+1500000.0ns`. Attributes that a result does not know are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import quoteattr

from tailrace.data.sending_end import SERVER, SendingEnds
from tailrace.errors import UsageError
from tailrace.scenario.flow_addresses import Network, Way

if TYPE_CHECKING:
    import polars as pl

    from tailrace.export.run_source import Run

SUFFIXES = (".xml",)
# IANA's protocol numbers.
_PROTOCOLS = {"tcp": 6, "mptcp": 6, "quic": 17, "udp": 17}
_BITS_A_BYTE = 8
_NANOSECONDS = 1e9


def document(run: Run) -> str:
    """The whole file."""
    flows = run.table("flows")
    if flows.is_empty():
        raise UsageError(f"{run.place} has no flows in run {run.number}; the scenario has no [[flow]]")
    rows = list(flows.iter_rows(named=True))
    ways = _ways(run, rows)
    samples = run.samples()
    ends = SendingEnds(rows, samples)
    lines = ['<?xml version="1.0" ?>', "<FlowMonitor>", "  <FlowStats>"]
    for number, (row, way) in enumerate(zip(rows, ways, strict=True), start=1):
        stats = {
            "flowId": number,
            **_stats(run, row, samples.get((row["group"], row["flow"])), ends.delay_mean_s(row)),
            "timesForwarded": _forwarded(row, way),
        }
        lines += [f"    <Flow{_attributes(stats)}>", "    </Flow>"]
    lines += ["  </FlowStats>", "  <Ipv4FlowClassifier>"]
    for number, (row, way) in enumerate(zip(rows, ways, strict=True), start=1):
        lines.append(f"    <Flow{_attributes({'flowId': number, **_five(row, way, ends.of_flow(row))})} />")
    lines += [
        "  </Ipv4FlowClassifier>",
        "  <Ipv6FlowClassifier>",
        "  </Ipv6FlowClassifier>",
        "</FlowMonitor>",
    ]
    return "\n".join(lines) + "\n"


def _ways(run: Run, rows: Sequence[Mapping[str, Any]]) -> list[Way]:
    network = Network(run.scenario)
    found = []
    for row in rows:
        way = network.way(row["group"], row["src"], row["dst"])
        if way is None:
            raise UsageError(
                f"{run.title}: the scenario that is varied has no way from {row['src']} to {row['dst']}; run this cell "
                "by itself (tailrace run FILE --set ...), and export that"
            )
        found.append(way)
    return found


def _five(row: Mapping[str, Any], way: Way, sending_end: str) -> dict[str, object]:
    """Five-tuple of a flow's data packets: of a download, from the server."""
    client, server = (way.source, way.source_port), (way.destination, way.destination_port)
    source, destination = (server, client) if sending_end == SERVER else (client, server)
    return {
        "sourceAddress": source[0],
        "destinationAddress": destination[0],
        "protocol": _PROTOCOLS[row["transport"]],
        "sourcePort": source[1],
        "destinationPort": destination[1],
    }


def _stats(
    run: Run, row: Mapping[str, Any], samples: pl.DataFrame | None, delay_s: float | None
) -> dict[str, object]:
    sent, received = row["sent_packets"], row["received_packets"]
    measured_s = run.duration_s - run.warmup_s
    arrived = round((row["throughput_bps"] or 0) * measured_s / _BITS_A_BYTE)
    first_tx, first_rx, last_tx, last_rx = _times(run, row, samples)
    return {
        "timeFirstTxPacket": _time(first_tx),
        "timeFirstRxPacket": _time(first_rx),
        "timeLastTxPacket": _time(last_tx),
        "timeLastRxPacket": _time(last_rx),
        "delaySum": _time((delay_s or 0) * received),
        "jitterSum": _time((row["jitter_mean_s"] or 0) * max(0, received - 1)),
        "txBytes": round(arrived * sent / received) if received else 0,
        "rxBytes": arrived,
        "txPackets": sent,
        "rxPackets": received,
        "lostPackets": row["lost_packets"],
    }


def _times(
    run: Run, row: Mapping[str, Any], samples: pl.DataFrame | None
) -> tuple[float, float, float, float]:
    """First sent and received, last sent and received; as precise as samples are."""
    import polars as pl

    begin = max(row["start_s"], run.warmup_s)
    interval = run.interval_s
    if interval is None or samples is None:
        return begin, begin, run.duration_s, run.duration_s
    sent = pl.col("sent_packets").cast(pl.Int64)
    own = samples.with_columns(sent.diff().fill_null(sent).alias("sent")).filter(
        pl.col("time_s") > run.warmup_s
    )
    busy = own.filter(pl.col("throughput_bps") > 0)["time_s"]
    sending = own.filter(pl.col("sent") > 0)["time_s"]
    last_tx = max([begin, *sending])
    if busy.is_empty():
        return begin, begin, last_tx, begin
    return begin, max(begin, busy[0] - interval), last_tx, busy[-1]


def _forwarded(row: Mapping[str, Any], way: Way) -> int:
    """By each router on the way, of the packets that arrived."""
    return int(row["received_packets"]) * way.routers


def _time(seconds: float) -> str:
    """Time in ns-3's format, in full: older readers take the digits before `.0ns`, newer ones the number before
    `ns`.
    """
    return f"+{round(seconds * _NANOSECONDS)}.0ns"


def _attributes(values: Mapping[str, object]) -> str:
    return "".join(_each(values))


def _each(values: Mapping[str, object]) -> Iterator[str]:
    for name, value in values.items():
        yield f" {name}={quoteattr(str(value))}"

"""Results of `iperf3 --json`: a scenario like the measured path, and the measured rates as a table beside it."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tailrace.imports.draft import ScenarioDraft, assumed, taken
from tailrace.imports.input_file import InputFile
from tailrace.text import tc_units

# Congestion controls of Linux that there are here by the same name.
_CONTROLS = {"reno", "cubic", "vegas", "highspeed", "dctcp", "bbr", "prague"}
# Share of a link's rate that TCP's payload has, about.
_SHARE_OF_PAYLOAD = 0.95
_MOST_STREAMS, _MOST_SECONDS = 128, 3600.0


@dataclass
class Measured:
    """What iperf3 measured."""

    protocol: str = "TCP"
    streams: int = 1
    seconds: float = 10.0
    down: bool = False
    """Whether the server sent (`-R`)."""
    bidirectional: bool = False
    congestion: str = ""
    least_rtt_s: float | None = None
    offered_bps: float | None = None
    rows: list[tuple[float, float, float, int]] = field(default_factory=list)
    """Rows of start, end, rate in bit/s and retransmitted segments, all streams together."""
    mean_bps: float = 0.0
    retransmits: int = 0


def read(files: Sequence[InputFile]) -> ScenarioDraft:
    """A path whose rate and delay follow from what was measured, with the same streams over it."""
    (file,) = files
    try:
        document = json.loads(file.text)
    except (ValueError, RecursionError) as error:
        file.fail(f"it is no JSON ({str(error)[:80]}): give what `iperf3 --json` prints, not its text")
    if not isinstance(document, dict) or not isinstance(document.get("intervals"), list):
        why = document.get("error") if isinstance(document, dict) else None
        file.fail(
            f"iperf3 ended with {why!r}" if why else "it has no `intervals`: give what `iperf3 --json` prints"
        )
    measured = _measured(document)
    if not measured.rows:
        if document.get("error"):
            file.fail(f"iperf3 ended with {str(document['error'])[:80]!r}: repeat the test")
        file.fail("no interval has a rate: the test did not get as far as sending")
    return _draft(file, measured)


def _measured(document: Mapping[str, Any]) -> Measured:
    """Figures of the document; what it lacks, or has in another form, keeps its default."""
    start, test = _table(document.get("start")), _table(_table(document.get("start")).get("test_start"))
    end = _table(document.get("end"))
    found = Measured(
        protocol=str(test.get("protocol", "TCP")).upper(),
        streams=max(1, min(int(_number(test.get("num_streams")) or 1), _MOST_STREAMS)),
        down=bool(test.get("reverse")),
        bidirectional=bool(test.get("bidir")),
        congestion=str(end.get("sender_tcp_congestion") or ""),
        offered_bps=_number(test.get("target_bitrate")) or _number(start.get("target_bitrate")),
    )
    for interval in document["intervals"]:
        total = _table(_table(interval).get("sum"))
        first, last, rate = (_number(total.get(key)) for key in ("start", "end", "bits_per_second"))
        if first is not None and last is not None and rate is not None and not total.get("omitted"):
            found.rows.append((first, last, rate, int(_number(total.get("retransmits")) or 0)))
    if found.rows:
        found.seconds = min(max(row[1] for row in found.rows), _MOST_SECONDS)
        found.mean_bps = sum(row[2] for row in found.rows) / len(found.rows)
        found.retransmits = sum(row[3] for row in found.rows)
    rtts = [_number(_table(_table(each).get("sender")).get("min_rtt")) for each in _list(end.get("streams"))]
    known = [rtt for rtt in rtts if rtt]
    found.least_rtt_s = min(known) / 1e6 if known else None
    return found


def _draft(file: InputFile, measured: Measured) -> ScenarioDraft:
    best = max(row[2] for row in measured.rows)
    mean = tc_units.rate_text(round(measured.mean_bps, -3))
    draft = ScenarioDraft(f"iperf3-{file.stem}", f"Does TCP get the {mean} that iperf3 measured?")
    draft.remark(
        f"Read from {file.name}, a result of iperf3: {mean} on average, {measured.retransmits} retransmissions."
    )
    table = f"{draft.name}-measured.csv"
    draft.files[table] = _csv(measured)
    draft.remark(f"{table} has the measured rates; the same of a run: tailrace export csv, `group_series`.")
    draft.set("duration", taken(f"{max(measured.seconds, 1):g} s", file.name, "length of the test"))
    draft.set("record", {"interval": "1 s"})
    draft.set("runs", 3)
    draft.host("client")
    draft.router("near")
    draft.router("far")
    draft.host("server")
    draft.link("lan", ("client", "near"), rate="10 Gbit/s", delay="10 us")
    rate = tc_units.rate_text(float(f"{best / _SHARE_OF_PAYLOAD:.3g}")) if best >= 1000 else "1 Mbit/s"  # noqa: PLR2004
    draft.link(
        "path",
        ("near", "far"),
        rate=assumed(
            rate, f"the best interval has {tc_units.rate_text(round(best, -3))}, headers come on top"
        ),
        delay=_delay(file, measured),
        queue=assumed("droptail limit 250", "the bottleneck's buffer, which iperf3 does not see"),
    )
    draft.link("far-lan", ("far", "server"), rate="10 Gbit/s", delay="10 us")
    _flows(draft, file, measured)
    return draft


def _delay(file: InputFile, measured: Measured) -> object:
    if measured.least_rtt_s:
        half = tc_units.time_text(float(f"{measured.least_rtt_s / 2:.4g}"))
        return taken(half, file.name, f"half of min_rtt, {tc_units.time_text(measured.least_rtt_s)}")
    return assumed("10 ms", "the receiver's side and UDP do not know the round trip: half of a ping's")


def _flows(draft: ScenarioDraft, file: InputFile, measured: Measured) -> None:
    """Adds the streams: each is a host pair's flow, as those of iperf3 are connections of one pair."""
    start = "uniform(0 s, 100 ms)"
    directions = [("upload", "client", "server"), ("download", "server", "client")]
    if not measured.bidirectional:
        directions = directions[1:] if measured.down else directions[:1]
    for name, source, to in directions:
        for number in range(measured.streams):
            stream = name if measured.streams == 1 else f"{name}-{number + 1}"
            if measured.protocol == "UDP":
                offered = (
                    measured.offered_bps or 0
                ) / measured.streams or measured.mean_bps / measured.streams
                app: object = {"kind": "cbr", "rate": tc_units.rate_text(max(round(offered), 1000))}
                draft.flow(
                    stream, source, to, "udp", taken(app, file.name, "UDP at its target rate"), start=start
                )
                continue
            transport: dict[str, object] = {"kind": "tcp", "profile": "linux"}
            if measured.congestion in _CONTROLS:
                transport["cc"] = measured.congestion
            value = taken(transport, file.name, f"sender_tcp_congestion {measured.congestion or 'not said'}")
            draft.flow(stream, source, to, value, "bulk", start=start)
    if measured.congestion and measured.congestion not in _CONTROLS and measured.protocol != "UDP":
        draft.omit(file.name, f"congestion control {measured.congestion[:40]}: cubic in its place")


def _csv(measured: Measured) -> bytes:
    """The intervals as a table: columns of the tables that `tailrace export csv` writes."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["start_s", "time_s", "goodput_bps", "retransmitted_segments"])
    rows.writerows(
        [f"{first:.6g}", f"{last:.6g}", f"{rate:.9g}", retransmits]
        for first, last, rate, retransmits in measured.rows
    )
    return text.getvalue().encode()


def _table(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _number(value: object) -> float | None:
    good = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e15  # noqa: PLR2004
    return float(value) if good and math.isfinite(float(value)) and float(value) >= 0 else None  # type: ignore[arg-type]

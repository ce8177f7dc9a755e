"""flent's data files (`.flent.gz`, format version 4): goodput of flows, round trips of pings, windows of TCP.

The file says that it is of flent's test `tcp_nup`, of `tcp_ndown` where there are downloads alone, or of
`rrul_be_nflows` where there are uploads and downloads, so that flent draws the plots of that test from it. A flow over
TCP is a stream `TCP upload::1` (in `rrul_be_nflows` `TCP upload BE::1`), whose raw values hold `tcp_cwnd` and
`tcp_rtt`; pings are `Ping (ms) ICMP`. Times count from the start of the run, which the metadata puts at the beginning
of 1970: a simulated run has no date.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from tailrace import _native
from tailrace.data.sending_end import CLIENT, SERVER, SendingEnds

if TYPE_CHECKING:
    from tailrace.export.run_source import Run

SUFFIXES = (".flent.gz",)
_FORMAT_VERSION = 4
_START = "1970-01-01T00:00:00.000000Z"
_MEGABIT, _MILLISECONDS = 1e6, 1e3
_RATE, _TIME = "Mbits/s", "ms"
_PING = "Ping (ms) ICMP"
_DIRECTIONS = {CLIENT: "upload", SERVER: "download"}
_TESTS = {("upload",): "tcp_nup", ("download",): "tcp_ndown", ("upload", "download"): "rrul_be_nflows"}

Samples = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class _Series:
    """Values at the times of all series, and what only some readers ask for."""

    name: str
    unit: str
    values: Mapping[float, float]
    raw: Samples = ()


class _Flows:
    """The flows of a run with their samples."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.groups = run.series("group_series")
        self.samples = run.series("flow_series")
        self._by_flow = run.samples()
        self.rows = list(run.table("flows").iter_rows(named=True))

    @cached_property
    def times(self) -> list[float]:
        """When samples were taken."""
        return self.groups["time_s"].unique().sort().to_list()

    @cached_property
    def by_direction(self) -> dict[str, list[dict[str, Any]]]:
        """Flows over TCP by flent's word for the direction of their data, `upload` or `download`; none without flows.

        A group's flows have one direction, as its goodput has.
        """
        ends = SendingEnds(self.rows, self._by_flow)
        groups: dict[str, list[dict[str, Any]]] = {}
        for row in filter(_is_tcp, self.rows):
            groups.setdefault(row["group"], []).append(row)
        found: dict[str, list[dict[str, Any]]] = {way: [] for way in _DIRECTIONS.values()}
        for group, rows in groups.items():
            found[self._direction(rows, ends.of_group(group))] += rows
        return {way: rows for way, rows in found.items() if rows}

    @property
    def local_flow(self) -> dict[str, Any] | None:
        """The flow whose client is the host that flent would run on: the first that pings, or else the first of all."""
        return next(filter(_comes_back, self.rows), self.rows[0] if self.rows else None)

    def _direction(self, rows: Sequence[Mapping[str, Any]], end: str) -> str:
        """Direction of a group's data, seen from that host; of flows between others, seen from the client."""
        local = self.local_flow["src"] if self.local_flow else None
        for row in rows:
            there = (row["src"], row["dst"]) if end == CLIENT else (row["dst"], row["src"])
            if local in there:
                return "upload" if there[0] == local else "download"
        return _DIRECTIONS[end]

    def stream(self, direction: str) -> str:
        """Name of the streams of a direction, without their numbers: as the test has it that the file is of."""
        return f"TCP {direction}{' BE' if len(self.by_direction) > 1 else ''}"

    def of(self, row: Mapping[str, Any]) -> list[dict[str, Any]]:
        """The samples of a flow, one a time; those of the end that sends more."""
        own = self._by_flow.get((row["group"], row["flow"]))
        return [] if own is None else own.unique("time_s", keep="first", maintain_order=True).to_dicts()

    def total(self, groups: Sequence[str]) -> dict[float, float]:
        """Goodput of all flows of these groups, be they sampled or not."""
        import polars as pl

        kept = self.groups.filter(pl.col("group").is_in(groups))
        summed = kept.group_by("time_s", maintain_order=True).agg(pl.col("goodput_bps").sum())
        return {time: bps / _MEGABIT for time, bps in summed.iter_rows()}


def document(run: Run, file_name: str) -> bytes:
    """The whole file, compressed: the same bytes for the same run."""
    flows = _Flows(run)
    series = [*_streams(flows), *_sums(flows), *_groups(flows), *_pings(flows)]
    content = {
        "version": _FORMAT_VERSION,
        "metadata": _metadata(flows, series, file_name),
        "x_values": flows.times,
        "results": {one.name: [one.values.get(time) for time in flows.times] for one in series},
        "raw_values": {one.name: list(one.raw) for one in series if one.raw},
    }
    return gzip.compress(json.dumps(content, indent=2, sort_keys=True, allow_nan=False).encode(), mtime=0)


def _streams(flows: _Flows) -> Iterator[_Series]:
    """A stream each flow over TCP that was sampled, numbered by direction."""
    for direction, rows in flows.by_direction.items():
        sampled = [samples for row in rows if (samples := flows.of(row))]
        for number, samples in enumerate(sampled, start=1):
            values = {sample["time_s"]: sample["goodput_bps"] / _MEGABIT for sample in samples}
            raw = [_raw_of_stream(sample) for sample in samples]
            yield _Series(f"{flows.stream(direction)}::{number}", _RATE, values, raw)


def _raw_of_stream(sample: Mapping[str, Any]) -> dict[str, Any]:
    found = {"t": sample["time_s"], "val": sample["goodput_bps"] / _MEGABIT}
    if sample["cwnd_segments"] is not None:
        found["tcp_cwnd"] = sample["cwnd_segments"]
    if sample["rtt_s"] is not None:
        found["tcp_rtt"] = sample["rtt_s"] * _MILLISECONDS
    return found


def _sums(flows: _Flows) -> Iterator[_Series]:
    """Sum and mean over flows of TCP in each direction, and of both the totals, as flent computes them."""
    totals = []
    for direction, rows in flows.by_direction.items():
        total = flows.total(list(dict.fromkeys(row["group"] for row in rows)))
        totals.append(total)
        yield _plain(f"TCP {direction} sum", total)
        yield _plain(f"TCP {direction} avg", {time: bps / len(rows) for time, bps in total.items()})
    if len(totals) > 1:
        yield _plain("TCP totals", {t: sum(total.get(t, 0.0) for total in totals) for t in flows.times})


def _groups(flows: _Flows) -> Iterator[_Series]:
    """Each flow group by its name in the scenario, whatever its transport."""
    for name in dict.fromkeys(row["group"] for row in flows.rows):
        yield _plain(f"Goodput {name}", flows.total([name]))


def _pings(flows: _Flows) -> Iterator[_Series]:
    """Flows over UDP whose datagrams come back: what they take there and back, in the mean of each interval."""
    pings = [row for row in flows.rows if _comes_back(row) and flows.of(row)]
    for row in pings:
        values = {
            sample["time_s"]: (sample["one_way_delay_s"] + sample["reverse_one_way_delay_s"]) * _MILLISECONDS
            for sample in flows.of(row)
            if sample["one_way_delay_s"] is not None and sample["reverse_one_way_delay_s"] is not None
        }
        name = _PING if row is pings[0] else f"{_PING} {row['group']}[{row['flow']}]"
        yield _Series(name, _TIME, values, _raw(values))


def _plain(name: str, values: Mapping[float, float]) -> _Series:
    return _Series(name, _RATE, values, _raw(values))


def _raw(values: Mapping[float, float]) -> Samples:
    return [{"t": time, "val": value} for time, value in values.items()]


def _is_tcp(row: Mapping[str, Any]) -> bool:
    return bool(row["transport"] != "udp")


def _comes_back(row: Mapping[str, Any]) -> bool:
    return row["transport"] == "udp" and row["reverse_one_way_delay_mean_s"] is not None


def _metadata(flows: _Flows, series: Sequence[_Series], file_name: str) -> dict[str, Any]:
    run = flows.run
    directions = tuple(flows.by_direction) or ("upload",)
    names = [one.name for one in series]
    streams = {way: sum(name.startswith(f"{flows.stream(way)}::") for name in names) for way in directions}
    local = flows.local_flow
    hosts = list(dict.fromkeys(row["dst"] for row in [*([local] if local else []), *flows.rows]))
    return {
        "NAME": _TESTS[directions],
        "TITLE": f"{run.title} run {run.number}",
        "NOTE": run.scenario.get("question", ""),
        "TEST_PARAMETERS": {f"{way}_streams": str(count) for way, count in streams.items()},
        "HOST": hosts[0] if hosts else "",
        "HOSTS": hosts,
        "LOCAL_HOST": local["src"] if local else "",
        "LENGTH": run.duration_s,
        "TOTAL_LENGTH": run.duration_s,
        "STEP_SIZE": run.interval_s,
        "TIME": _START,
        "T0": _START,
        "IP_VERSION": 4,
        "FLENT_VERSION": f"tailrace-{_native.__version__}",
        "DATA_FILENAME": file_name,
        "SERIES_META": {one.name: {"UNITS": one.unit} for one in series},
    }

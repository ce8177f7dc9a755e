"""Captures of packets as workloads: their flows with starts, sizes and round trips, over a link of their rates."""

from __future__ import annotations

import ipaddress
from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import median

from tailrace.imports.capture_file import CapturedPacket, CaptureReader
from tailrace.imports.capture_flows import (
    CaptureStatistics,
    Conversation,
    Locality,
    statistics_of,
    with_payload,
)
from tailrace.imports.draft import ScenarioDraft, Value, assumed, taken
from tailrace.imports.input_file import InputFile
from tailrace.imports.packet_headers import KNOWN_LINKS, TCP
from tailrace.imports.topology import rate_text

# Flows that stand in the scenario one by one; of more, sizes are drawn from their distribution.
_MOST_FLOWS = 200
# Hosts of the far side; further addresses share the last.
_MOST_HOSTS = 40
# Share of a connection's data below which the other direction is requests and answers that go without saying.
_LITTLE = 0.01
_POINTS = 100
# Delay of the near link, in seconds; the rest of a round trip is on the far links.
_NEAR = 0.1e-3
# Rate of a direction in which hardly anything was sent, bits a second.
_HARDLY_ANY = 1000.0


def read(files: Sequence[InputFile]) -> ScenarioDraft:
    """The flows of a capture between its near side and its far side."""
    file = files[0]
    reader, local = CaptureReader(file), Locality()
    found = statistics_of(_known(reader), local)
    if not found.packets:
        file.fail("has no packets: capture some")
    flows = sorted(with_payload(found.conversations), key=lambda each: each.start)
    if not flows:
        file.fail(
            f"none of its {found.packets} packets is data over TCP or UDP: give a capture of IPv4 or IPv6 traffic"
        )
    draft = ScenarioDraft(
        f"{file.stem}-workload", "How do the captured flows fare over a link of these rates?"
    )
    _describe(draft, reader, found, flows)
    _set_span(draft, file, found)
    hosts = _network(draft, file, found, flows, local)
    if len(flows) <= _MOST_FLOWS:
        for number, flow in enumerate(flows, 1):
            _add_flow(draft, file, found, flow, (number, hosts, local))
    else:
        _add_arrivals(draft, file, found, flows, local)
    return draft


def _known(reader: CaptureReader) -> Iterator[CapturedPacket]:
    """Packets of links whose headers are known; the first of another ends the import."""
    for number, packet in enumerate(reader.packets(), 1):
        if packet.link_type not in KNOWN_LINKS:
            reader.file.fail(
                f"packet {number} is of link type {packet.link_type}: Ethernet, Linux cooked and raw IP can be read; "
                "capture on an interface of these"
            )
        yield packet


def _describe(
    draft: ScenarioDraft, reader: CaptureReader, found: CaptureStatistics, flows: list[Conversation]
) -> None:
    name = reader.file.name
    kinds = Counter("TCP" if flow.protocol == TCP else "UDP" for flow in flows)
    counted = ", ".join(f"{count} of {kind}" for kind, count in sorted(kinds.items()))
    draft.remark(
        f"Read from {name}: {found.packets} packets in {found.seconds:.6g} s, flows with data: {counted}."
    )
    draft.remark(
        f"Rates of IP packets, up {found.mean(up=True) / 1e6:.4g} Mbit/s on average and "
        f"{found.peak(up=True) / 1e6:.4g} at most in 100 ms, "
        f"down {found.mean(up=False) / 1e6:.4g} and {found.peak(up=False) / 1e6:.4g}."
    )
    draft.remark("Up is from private addresses to others, or else from the end that sent first.")
    trips = [trip / 1e6 for flow in flows if (trip := flow.round_trip)]
    if trips:
        draft.remark(
            f"Round trips of {len(trips)} connections: {min(trips):.4g} to {max(trips):.4g} ms, "
            f"median {median(trips):.4g}."
        )
    if found.others:
        draft.omit(name, f"{found.others} packets are neither TCP nor UDP over IP, or later fragments")
    if found.ignored:
        draft.omit(name, f"{found.ignored} packets of flows beyond the first {len(found.conversations)}")
    if reader.is_cut:
        draft.omit(name, "the file ends within a packet, which is left out")


def _set_span(draft: ScenarioDraft, file: InputFile, found: CaptureStatistics) -> None:
    text = f"{max(found.seconds, 1.0) + 1:.6f} s"
    draft.set("duration", taken(text, file.name, "time from the first packet to the last, and a second"))


def _network(
    draft: ScenarioDraft,
    file: InputFile,
    found: CaptureStatistics,
    flows: list[Conversation],
    local: Locality,
) -> dict[bytes, str]:
    """The near host behind the captured link, and a far host for each address with its round trip, or one for all."""
    draft.host("near")
    draft.router("gateway")
    up, down = (_rate(file, found, up=way) for way in (True, False))
    draft.link(
        "captured",
        ("near", "gateway"),
        rate=up,
        delay=f"{_NEAR * 1e3:g} ms",
        queue=assumed(
            {"kind": "droptail", "limit": "500 packets"}, "a capture does not say how much can wait"
        ),
        reverse={"rate": down},
    )
    trips: dict[bytes, list[int]] = {}
    sent: Counter[bytes] = Counter()
    for flow in flows:
        far = _far(flow, local)
        sent[far] += sum(side.payload for side in flow.sides)
        if trip := flow.round_trip:
            trips.setdefault(far, []).append(trip)
    usual = median([trip for each in trips.values() for trip in each]) if trips else None
    if len(flows) > _MOST_FLOWS:
        far_host = _add_far_host(draft, file, "far", None, usual)
        return dict.fromkeys(sent, far_host)
    hosts: dict[bytes, str] = {}
    most = [address for address, _ in sent.most_common(_MOST_HOSTS)]
    for address in most:
        hosts[address] = _add_far_host(
            draft, file, str(ipaddress.ip_address(address)), trips.get(address), usual
        )
    if len(sent) > len(most):
        others = _add_far_host(draft, file, "others", None, usual)
        draft.remark(f"{len(sent) - len(most)} further addresses are one host, others.")
        hosts.update((address, others) for address in sent if address not in hosts)
    return hosts


def _add_far_host(
    draft: ScenarioDraft, file: InputFile, name: str, trips: list[int] | None, usual: float | None
) -> str:
    host = draft.host(name)
    delay: Value
    if trips:
        delay = taken(
            _delay(min(trips)),
            file.name,
            f"half of the shortest round trip to {name}, {min(trips) / 1e6:.4g} ms",
        )
    elif usual:
        delay = assumed(_delay(usual), f"no round trip to {name} can be seen; half of the usual one")
    else:
        delay = assumed("20 ms", "the capture shows no round trips")
    draft.link(f"{host}/access", ("gateway", host), rate="10 Gbit/s", delay=delay)
    return host


def _delay(trip: float) -> str:
    return f"{max(trip / 2 - _NEAR * 1e9, 1e3) / 1e6:.6g} ms"


def _rate(file: InputFile, found: CaptureStatistics, *, up: bool) -> Value:
    """Rate of a direction: the link had at least what was sent in some 100 ms."""
    peak = found.peak(up=up)
    if peak < _HARDLY_ANY:
        return assumed("1 Mbit/s", "hardly anything was sent this way")
    return taken(
        rate_text(float(f"{peak:.4g}")), file.name, "most IP bytes in 100 ms; the link had that at least"
    )


def _far(flow: Conversation, local: Locality) -> bytes:
    (first, _), (second, _) = flow.ends
    return second if local.is_near(first, second) else first


def _add_flow(
    draft: ScenarioDraft,
    file: InputFile,
    found: CaptureStatistics,
    flow: Conversation,
    where: tuple[int, dict[bytes, str], Locality],
) -> None:
    """A flow of the capture: each direction with data in it by itself."""
    number, hosts, local = where
    far = _far(flow, local)
    near_first = flow.ends[0][0] != far
    sizes = [side.size(flow.protocol) for side in flow.sides]
    port = flow.ends[1][1]
    kind = "tcp" if flow.protocol == TCP else "udp"
    for place, side in enumerate(flow.sides):
        if not side.payload or sizes[place] <= _LITTLE * max(sizes):
            continue
        up = near_first == (place == 0)
        start = (side.first - found.start) / 1e9
        name = f"{kind}-{number}-{'up' if up else 'down'}"
        ends = ("near", hosts[far]) if up else (hosts[far], "near")
        said = f"{kind.upper()} port {port}, {side.packets} packets"
        if flow.protocol == TCP:
            app: object = {"kind": "transfer", "size": taken(f"{max(1, sizes[place])} B", file.name, said)}
            transport: object = assumed(
                {"kind": "tcp", "profile": "linux"}, "a capture does not say whose TCP it is"
            )
            draft.flow(name, *ends, transport, app, start=f"{start:.6f} s")
        else:
            seconds = max((side.last - side.first) / 1e9, 0.001)
            size = max(1, round(side.payload / side.packets))
            rate = max(1000.0, side.payload * 8 / seconds) if side.packets > 1 else size * 8 / 0.001
            app = {
                "kind": "cbr",
                "rate": taken(rate_text(float(f"{rate:.6g}")), file.name, f"mean of {said}"),
                "size": f"{size} B",
            }
            draft.flow(name, *ends, "udp", app, start=f"{start:.6f} s", stop=f"{start + seconds:.6f} s")


def _add_arrivals(
    draft: ScenarioDraft,
    file: InputFile,
    found: CaptureStatistics,
    flows: list[Conversation],
    local: Locality,
) -> None:
    """Many flows as arrivals by chance, with the sizes that were captured, each way."""
    draft.remark(
        f"{len(flows)} flows are arrivals with exponential gaps and the distribution of their sizes."
    )
    for up in (True, False):
        way = "up" if up else "down"
        sizes: list[int] = []
        for flow in flows:
            near_first = flow.ends[0][0] != _far(flow, local)
            of_side = [side.size(flow.protocol) for side in flow.sides]
            mine = of_side[0 if near_first == up else 1]
            if mine and mine > _LITTLE * max(of_side):
                sizes.append(mine)
        if not sizes:
            continue
        seconds = max(found.seconds, 1e-3)
        ends = ("near", "far") if up else ("far", "near")
        draft.flow(
            f"transfers-{way}",
            *ends,
            assumed({"kind": "tcp", "profile": "linux"}, "UDP flows are TCP here, too"),
            {
                "kind": "arrivals",
                "size": taken(_cdf(sizes), file.name, f"sizes of {len(sizes)} flows {way}"),
                "gap": taken(
                    f"exponential({max(seconds / len(sizes) * 1e3, 0.1):.6g} ms)",
                    file.name,
                    f"{len(sizes)} flows in {seconds:.4g} s",
                ),
            },
        )


def _cdf(sizes: list[int]) -> str:
    """The distribution of sizes by some of its quantiles."""
    ordered = sorted(sizes)
    places = sorted({round(i * (len(ordered) - 1) / _POINTS) for i in range(_POINTS + 1)})
    points: dict[int, float] = {}
    for place in places:
        points[ordered[place]] = (place + 1) / len(ordered)
    return f"cdf({'; '.join(f'{size} B {share:.6g}' for size, share in points.items())})"

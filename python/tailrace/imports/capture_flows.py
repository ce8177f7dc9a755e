"""Flows of a capture: who sent to whom, from when, how much each way, and their round trips.

A transfer's size is the range of its sequence numbers, so that retransmissions do not count. The round trip of a
connection is the time from its SYN to the ACK that ends its handshake, wherever between the two the capture was made;
of a connection without these, the shortest times from data to its acknowledgment in both directions together.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from tailrace.imports.capture_file import CapturedPacket
from tailrace.imports.packet_headers import ACK, SYN, TCP, Headers, headers_of

# Flows that are told apart at most: each takes some 600 bytes.
_MOST_FLOWS = 100_000
# Nanoseconds over which rates are averaged, and until a UDP flow that is silent has ended.
_WINDOW, _SILENCE = 100_000_000, 60_000_000_000
_HALF, _RING = 1 << 31, 1 << 32
# Addresses of a near side: RFC 1918, 6598 (behind a carrier's NAT), 3927, 4193, 4291.
_PRIVATE = [
    ipaddress.ip_network(network)
    for network in (
        "10.0.0.0/8",
        "172.16.0.0/12",
        "192.168.0.0/16",
        "100.64.0.0/10",
        "169.254.0.0/16",
        "fc00::/7",
        "fe80::/10",
    )
]


@dataclass(slots=True)
class Side:
    """What one end of a flow sent."""

    packets: int = 0
    payload: int = 0
    """Bytes above TCP or UDP, retransmissions as well."""
    first: int = -1
    """Time of the first packet with payload, nanoseconds; -1 without any."""
    last: int = -1
    base: int = -1
    """First sequence number of data."""
    reach: int = 0
    """Bytes from there to the end of the furthest segment."""
    probe: int = -1
    """Sequence number behind a segment whose acknowledgment is awaited."""
    probe_time: int = 0
    rtt: int = -1
    """Shortest time from a segment to its acknowledgment, as seen where the capture was made."""

    def size(self, protocol: int) -> int:
        """Bytes that the application sent, as far as the capture shows."""
        return self.reach if protocol == TCP else self.payload


@dataclass(slots=True)
class Conversation:
    """A flow between two ends; the first is the client where that is known, else it sent first."""

    protocol: int
    ends: tuple[tuple[bytes, int], tuple[bytes, int]]
    """Address and port of each."""
    start: int
    sides: tuple[Side, Side] = field(default_factory=lambda: (Side(), Side()))
    syn: int = -1
    """Time of the last SYN before its answer; -1 where the capture began later."""
    answered: bool = False
    handshake: int = -1
    """Time from SYN to the ACK that ends the handshake."""

    @property
    def round_trip(self) -> int | None:
        """Round trip in nanoseconds, if the capture shows it."""
        if self.handshake > 0:
            return self.handshake
        seen = [side.rtt for side in self.sides if side.rtt > 0]
        return sum(seen) if seen else None

    def add(self, headers: Headers, time: int) -> None:
        """Takes a packet of the flow."""
        from_first = (headers.source, headers.source_port) == self.ends[0]
        side, other = self.sides if from_first else self.sides[::-1]
        side.packets += 1
        side.payload += headers.payload
        if headers.payload:
            side.first = time if side.first < 0 else side.first
            side.last = time
        if self.protocol == TCP:
            self._add_segment(headers, time, (side, other), from_first=from_first)

    def _add_segment(
        self, headers: Headers, time: int, sides: tuple[Side, Side], *, from_first: bool
    ) -> None:
        side, other = sides
        flags = headers.flags
        if flags & SYN:
            side.base = (headers.sequence + 1) % _RING
            if not flags & ACK:
                # Of several the last: the first ones were lost, and nothing answered them.
                self.syn = self.syn if self.answered else time
            else:
                self.answered = True
            return
        if from_first and self.answered and self.handshake < 0 and self.syn >= 0 and flags & ACK:
            self.handshake = time - self.syn
        if headers.payload:
            if side.base < 0:
                side.base = headers.sequence
            end = (headers.sequence + headers.payload - side.base) % _RING
            # Behind what was sent before by half the numbers at most: they wrap after 4 GiB.
            wraps = side.reach // _RING * _RING
            end += wraps if end + wraps >= side.reach - _HALF else wraps + _RING
            if end - side.reach > _HALF:
                end = side.reach  # from before the capture
            elif end > side.reach and side.probe < 0:
                side.probe, side.probe_time = (headers.sequence + headers.payload) % _RING, time
            elif end <= side.reach:
                side.probe = -1  # sent again: whose acknowledgment comes is not known (Karn)
            side.reach = max(side.reach, end)
        if flags & ACK and other.probe >= 0 and (headers.acknowledged - other.probe) % _RING < _HALF:
            sample = time - other.probe_time
            other.rtt = sample if other.rtt < 0 else min(other.rtt, sample)
            other.probe = -1


@dataclass
class CaptureStatistics:
    """Flows and rates of a capture."""

    conversations: list[Conversation] = field(default_factory=list)
    start: int = -1
    end: int = -1
    packets: int = 0
    others: int = 0
    """Packets that are neither TCP nor UDP."""
    unknown_links: dict[int, int] = field(default_factory=dict)
    ignored: int = 0
    """Packets of flows beyond the most that are told apart."""
    sent: dict[bool, int] = field(default_factory=lambda: {True: 0, False: 0})
    """IP bytes by whether their sender is near."""
    most: dict[bool, int] = field(default_factory=lambda: {True: 0, False: 0})
    """The most of them in a window of 100 ms."""
    _window: int = 0
    _in_window: dict[bool, int] = field(default_factory=lambda: {True: 0, False: 0})

    @property
    def seconds(self) -> float:
        """Time from the first packet to the last."""
        return max(0, self.end - self.start) / 1e9

    def count(self, time: int, size: int, *, up: bool) -> None:
        """Counts a packet. One that stands behind later ones in the file is of the window that they are of."""
        self.start = time if self.start < 0 else min(self.start, time)
        self.end = max(self.end, time)
        window = (time - self.start) // _WINDOW
        if window > self._window:
            self._window = window
            self._in_window = {True: 0, False: 0}
        self.sent[up] += size
        self._in_window[up] += size
        self.most[up] = max(self.most[up], self._in_window[up])

    def peak(self, *, up: bool) -> float:
        """Largest rate of a window in a direction, bits a second."""
        return self.most[up] * 8e9 / _WINDOW

    def mean(self, *, up: bool) -> float:
        """Mean rate in a direction, bits a second."""
        return self.sent[up] * 8 / self.seconds if self.seconds else 0.0


def statistics_of(packets: Iterable[CapturedPacket], local: Locality) -> CaptureStatistics:
    """Flows and rates of packets."""
    found = CaptureStatistics()
    open_flows: dict[tuple[int, bytes, int, bytes, int], Conversation] = {}
    for time, link_type, data, length in packets:
        found.packets += 1
        headers = headers_of(link_type, data, length)
        if headers is None:
            found.others += 1
            continue
        found.count(time, headers.size, up=local.is_up(headers))
        conversation = _conversation(open_flows, headers, time, found)
        if conversation is None:
            found.ignored += 1
        else:
            conversation.add(headers, time)
    return found


def _conversation(
    flows: dict[tuple[int, bytes, int, bytes, int], Conversation],
    headers: Headers,
    time: int,
    found: CaptureStatistics,
) -> Conversation | None:
    """The flow that a packet belongs to: ports that are used again begin another."""
    one, other = (headers.source, headers.source_port), (headers.destination, headers.destination_port)
    key = (headers.protocol, *one, *other) if one < other else (headers.protocol, *other, *one)
    known = flows.get(key)
    is_syn = headers.protocol == TCP and headers.flags & (SYN | ACK) == SYN
    if known is not None:
        last = max(known.sides[0].last, known.sides[1].last, known.start)
        again = is_syn and known.handshake >= 0 if headers.protocol == TCP else time - last > _SILENCE
        if not again:
            return known
    if len(found.conversations) >= _MOST_FLOWS:
        return None
    # A SYN-ACK first: the client is its receiver.
    answers = headers.protocol == TCP and headers.flags & SYN and headers.flags & ACK
    begun = Conversation(headers.protocol, (other, one) if answers else (one, other), time)
    flows[key] = begun
    found.conversations.append(begun)
    return begun


class Locality:
    """Sides of the capture: near are private addresses where the other end is public, else the first sender's."""

    def __init__(self) -> None:
        self._private: dict[bytes, bool] = {}
        self._near: set[bytes] = set()
        self._far: set[bytes] = set()

    def is_up(self, headers: Headers) -> bool:
        """Whether a packet leaves the near side."""
        source, destination = headers.source, headers.destination
        private = self._is_private(source), self._is_private(destination)
        if private[0] != private[1]:
            return private[0]
        # Between two of one sort: sides are taken once, by who is known already, else by who sends first.
        if source in self._far or destination in self._near:
            self._note(destination, source)
            return False
        self._note(source, destination)
        return True

    def _note(self, near: bytes, far: bytes) -> None:
        """Keeps sides, unless a flood with forged addresses fills the memory."""
        if len(self._near) + len(self._far) < _MOST_FLOWS:
            self._near.add(near)
            self._far.add(far)

    def is_near(self, address: bytes, other: bytes) -> bool:
        """Whether an address is on the near side of one that it sends to."""
        private = self._is_private(address), self._is_private(other)
        if private[0] != private[1]:
            return private[0]
        return address in self._near and not (other in self._near and address in self._far)

    def _is_private(self, address: bytes) -> bool:
        known = self._private.get(address)
        if known is None:
            if len(self._private) > _MOST_FLOWS:
                self._private.clear()  # a flood with forged addresses
            parsed = ipaddress.ip_address(address)
            known = any(parsed in network for network in _PRIVATE if network.version == parsed.version)
            self._private[address] = known
        return known


def with_payload(conversations: Iterable[Conversation]) -> Iterator[Conversation]:
    """Those in which data was sent."""
    return (each for each in conversations if any(side.payload for side in each.sides))

"""The twins packet by packet: `python -m validation.packets`.

The first run of every case over one path is captured at the sender, with simulated hosts and with kernels: in how
many is every packet the same, and how far do the others go together?
"""

from __future__ import annotations

import argparse
import struct
import sys
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

import tailrace
from tailrace.kernels import kernel_store
from tailrace.study import twins
from validation.twins import Case, cases

CAPTURE = '\n[[capture]]\nname = "a"\nat = "a"\n'
# Seconds between the times of two packets that are the same.
LIMIT = 0.002
SYN, ACK = 2, 16
TCP, SACK = 6, 5
# Constants of pcapng: blocks, an option of an interface, a type of link and its header's length.
BLOCK_INTERFACE, BLOCK_PACKET = 1, 6
OPTION_RESOLUTION = 9
ETHERNET, ETHERNET_HEADER = 1, 14


# Address and port of who sends and of who receives.
Ends = tuple[bytes, int, bytes, int]


class Packet(NamedTuple):
    """A TCP segment; numbers as they are on the wire."""

    time: float
    ends: Ends
    seq: int
    ack: int
    flags: int
    length: int
    window: int
    sack: tuple[int, ...]


class Seen(NamedTuple):
    """Fields that must be equal: numbers count from their SYN's, zero where there is no ACK."""

    seq: int
    ack: int
    flags: int
    length: int


class Way(NamedTuple):
    """Packets that one end of a connection sent, in order."""

    times: list[float]
    seen: list[Seen]
    windows: list[int]
    sacks: list[tuple[int, ...]]


def blocks(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Kind and body of each block of a pcapng file."""
    at = 0
    while at + 12 <= len(data):
        kind, length = struct.unpack_from("<II", data, at)
        yield kind, data[at + 8 : at + length - 4]
        at += length


def resolution(interface: bytes) -> float:
    """Seconds of a tick of its times, which is a power of ten."""
    at = 8
    while at + 4 <= len(interface):
        code, length = struct.unpack_from("<HH", interface, at)
        if code == OPTION_RESOLUTION:
            return float(10.0 ** -interface[at + 4])
        at += 4 + (length + 3 & ~3)
    return 1e-6


def packets(capture: bytes) -> Iterator[Packet]:
    """The TCP segments of a capture of IPv4."""
    interfaces = []
    for kind, body in blocks(capture):
        if kind == BLOCK_INTERFACE:
            before = ETHERNET_HEADER if int.from_bytes(body[:2], "little") == ETHERNET else 0
            interfaces.append((resolution(body), before))
        elif kind == BLOCK_PACKET:
            interface, high, low, size = struct.unpack_from("<IIII", body)
            tick, before = interfaces[interface]
            ip = body[20 + before : 20 + size]
            if ip[9] == TCP:
                yield segment((high << 32 | low) * tick, ip)


def segment(time: float, ip: bytes) -> Packet:
    """A packet of IPv4 that has TCP in it."""
    begin = (ip[0] & 15) * 4
    sport, dport, seq, ack, offset, flags, window = struct.unpack_from(">HHIIBBH", ip, begin)
    end = begin + (offset >> 4) * 4
    length = int.from_bytes(ip[2:4], "big") - end
    ends = (ip[12:16], sport, ip[16:20], dport)
    return Packet(time, ends, seq, ack, flags, length, window, sacked(ip[begin + 20 : end]))


def sacked(options: bytes) -> tuple[int, ...]:
    """Both edges of each block that TCP's options say is there."""
    at = 0
    while at < len(options) and options[at] != 0:
        if options[at] == 1:
            at += 1
            continue
        length = options[at + 1]
        if options[at] == SACK:
            return struct.unpack_from(f">{(length - 2) // 4}I", options, at + 2)
        at += max(length, 2)
    return ()


def ways(capture: bytes) -> list[Way]:
    """Packets of each end of each connection, ordered by SYNs: each side has its own ports and first numbers."""
    first: dict[Ends, int] = {}
    found: dict[Ends, Way] = defaultdict(lambda: Way([], [], [], []))
    for p in packets(capture):
        back = (p.ends[2], p.ends[3], p.ends[0], p.ends[1])
        if p.flags & SYN:
            first.setdefault(p.ends, p.seq)
        way = found[p.ends]
        own, peer = first.get(p.ends, 0), first.get(back, 0)
        way.times.append(p.time)
        ack = (p.ack - peer) % 2**32 if p.flags & ACK else 0
        way.seen.append(Seen((p.seq - own) % 2**32, ack, p.flags, p.length))
        way.windows.append(p.window)
        way.sacks.append(tuple((edge - peer) % 2**32 for edge in p.sack))
    return list(found.values())


class Compared(NamedTuple):
    """Common prefix of two captures."""

    packets: int
    # When something differs first, seconds; none if nothing does.
    until: float | None
    # The largest difference of times before that, seconds.
    apart: float
    # Packets before that with another window, and with other SACK blocks.
    windows: int
    sacks: int


def compared(ours: list[Way], theirs: list[Way]) -> Compared:
    """Each way for itself: packets of two connections may leave at the same moment in either order.

    In the last moments a packet may have come on one side only.
    """
    end = max(way.times[-1] for way in ours + theirs) - LIMIT
    found = [0.0] if len(ours) != len(theirs) else [differs(*pair) for pair in zip(ours, theirs, strict=True)]
    until = min((at for at in found if at is not None and at < end), default=None)
    apart, windows, sacks = 0.0, 0, 0
    for a, b in zip(ours, theirs, strict=False):
        for i, (at, other) in enumerate(zip(a.times, b.times, strict=False)):
            if until is not None and at >= until:
                break
            apart = max(apart, abs(at - other))
            windows += a.windows[i] != b.windows[i]
            sacks += a.sacks[i] != b.sacks[i]
    return Compared(sum(len(way.times) for way in ours), until, apart, windows, sacks)


def differs(ours: Way, theirs: Way) -> float | None:
    """When one way differs from the other, if it does."""
    for at, other, a, b in zip(ours.times, theirs.times, ours.seen, theirs.seen, strict=False):
        if a != b or abs(at - other) > LIMIT:
            return min(at, other)
    short = min(len(ours.times), len(theirs.times))
    rest = ours.times[short:] + theirs.times[short:]
    return rest[0] if rest else None


def both(case: Case, kernel: str) -> Compared:
    """The first run of a case, on both sides."""
    text = case.text(1) + CAPTURE
    sides = {}
    for label, cell in twins.of(tailrace.Scenario(text, case.name), kernel).items():
        result = tailrace.run(cell)
        [capture] = result.captures
        sides[label] = ways(capture.read_bytes())
    return compared(sides[twins.SIMULATED], sides[twins.KERNELS])


def row(name: str, found: Compared) -> str:
    """A line of the table."""
    until = "all" if found.until is None else f"{found.until:.2f} s"
    counts = f"{found.apart * 1e6:.1f} | {found.windows} | {found.sacks}"
    return f"| {name} | {found.packets} | {until} | {counts} |"


def main() -> int:
    """Prints a line for each case, and how many are the same to the end."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--kernel", default=kernel_store.kernels()[0].name if kernel_store.kernels() else "6.12"
    )
    parser.add_argument("--only", default="", help="cases whose names have this in them")
    options = parser.parse_args()
    print(
        "| case | packets | the same for | times differ by at most, us | other windows | other SACK blocks |"
    )
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    equal, chosen = 0, [case for case in cases() if case.paths == 1 and options.only in case.name]
    for case in chosen:
        found = both(case, options.kernel)
        equal += found.until is None
        print(row(case.name, found), flush=True)
    print(f"\n{equal} of {len(chosen)} are the same to the end.")
    return 0


if __name__ == "__main__":
    sys.exit(main())

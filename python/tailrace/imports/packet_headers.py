"""Headers of captured packets: from the link's to those of TCP and UDP.

Link types are those of tcpdump.org/linktypes.html. What is neither IPv4 nor IPv6 with TCP or UDP is none of a flow.
"""

from __future__ import annotations

from typing import NamedTuple

TCP, UDP = 6, 17
FIN, SYN, RST, ACK = 1, 2, 4, 16
# Link types: how many bytes stand before the type of the packet inside, or none where it is an IP packet itself.
_ETHERNET, _SLL, _SLL2 = 1, 113, 276
_IP_ALONE = {12, 14, 101, 228, 229}
_NULL, _LOOP = 0, 108
_IPV4, _IPV6 = 0x0800, 0x86DD
_VERSION_4, _VERSION_6 = 4, 6
_TAGS = {0x8100, 0x88A8, 0x9100}
_HOP_BY_HOP, _ROUTING, _FRAGMENT, _DESTINATION = 0, 43, 44, 60

KNOWN_LINKS = _IP_ALONE | {_ETHERNET, _SLL, _SLL2, _NULL, _LOOP}


class Headers(NamedTuple):
    """What flows are told from."""

    protocol: int
    source: bytes
    """Address, 4 or 16 bytes."""
    destination: bytes
    source_port: int
    destination_port: int
    size: int
    """Bytes of the IP packet."""
    payload: int
    """Bytes above the header of TCP or UDP."""
    flags: int = 0
    sequence: int = 0
    acknowledged: int = 0


def headers_of(link_type: int, data: bytes, length: int) -> Headers | None:
    """The headers of a packet; None of what is not TCP or UDP, or too short to tell."""
    at = _network(link_type, data)
    if at is None or at >= len(data):
        return None
    version = data[at] >> 4
    if version == _VERSION_4:
        return _ipv4(data, at, length - at)
    return _ipv6(data, at, length - at) if version == _VERSION_6 else None


def _network(link_type: int, data: bytes) -> int | None:
    """Where the IP packet begins."""
    if link_type in _IP_ALONE:
        return 0
    if link_type in {_NULL, _LOOP}:
        return 4
    if link_type == _SLL:
        return 16 if data[14:16] in {b"\x08\x00", b"\x86\xdd"} else None
    if link_type == _SLL2:
        return 20 if data[0:2] in {b"\x08\x00", b"\x86\xdd"} else None
    at = 12
    kind = int.from_bytes(data[at : at + 2], "big")
    while kind in _TAGS:
        at += 4
        kind = int.from_bytes(data[at : at + 2], "big")
    return at + 2 if kind in {_IPV4, _IPV6} else None


def _ipv4(data: bytes, at: int, on_wire: int) -> Headers | None:
    if len(data) < at + 20:
        return None
    header = (data[at] & 15) * 4
    # Segmentation offload leaves the length at 0 where it does not fit.
    size = int.from_bytes(data[at + 2 : at + 4], "big") or on_wire
    if int.from_bytes(data[at + 6 : at + 8], "big") & 0x1FFF:
        return None  # a later fragment has no ports
    addresses = data[at + 12 : at + 16], data[at + 16 : at + 20]
    return _transport(data, (at + header, size - header, size), data[at + 9], addresses)


def _ipv6(data: bytes, at: int, on_wire: int) -> Headers | None:
    if len(data) < at + 40:
        return None
    payload = int.from_bytes(data[at + 4 : at + 6], "big")
    size = 40 + payload if payload else on_wire
    protocol, header = data[at + 6], 40
    while protocol in {_HOP_BY_HOP, _ROUTING, _FRAGMENT, _DESTINATION}:
        if len(data) < at + header + 8:
            return None
        if protocol == _FRAGMENT and int.from_bytes(data[at + header + 2 : at + header + 4], "big") & 0xFFF8:
            return None
        length = 8 if protocol == _FRAGMENT else 8 * (data[at + header + 1] + 1)
        protocol, header = data[at + header], header + length
    addresses = data[at + 8 : at + 24], data[at + 24 : at + 40]
    return _transport(data, (at + header, size - header, size), protocol, addresses)


def _transport(
    data: bytes, span: tuple[int, int, int], protocol: int, addresses: tuple[bytes, bytes]
) -> Headers | None:
    at, inside, size = span
    if protocol == UDP and len(data) >= at + 8:
        ports = int.from_bytes(data[at : at + 2], "big"), int.from_bytes(data[at + 2 : at + 4], "big")
        return Headers(UDP, *addresses, *ports, size, max(0, inside - 8))
    if protocol != TCP or len(data) < at + 14:
        return None
    ports = int.from_bytes(data[at : at + 2], "big"), int.from_bytes(data[at + 2 : at + 4], "big")
    return Headers(
        TCP,
        *addresses,
        *ports,
        size,
        max(0, inside - (data[at + 12] >> 4) * 4),
        data[at + 13],
        int.from_bytes(data[at + 4 : at + 8], "big"),
        int.from_bytes(data[at + 8 : at + 12], "big"),
    )

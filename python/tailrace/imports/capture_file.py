"""Packets of capture files one after the other, in the formats pcap and pcapng of tcpdump, tshark and Wireshark.

draft-ietf-opsawg-pcap and draft-ietf-opsawg-pcapng. A file is read in pieces, so that it may be larger than memory.
"""

from __future__ import annotations

import gzip
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import BinaryIO, NamedTuple, cast

from tailrace.imports.input_file import InputFile

# Magic numbers of pcap as read in little-endian order: byte order of the file, and its units of time a second.
_PCAP = {
    0xA1B2C3D4: ("<", 10**6),
    0xD4C3B2A1: (">", 10**6),
    0xA1B23C4D: ("<", 10**9),
    0x4D3CB2A1: (">", 10**9),
}
_SECTION, _INTERFACE, _ENHANCED, _SIMPLE, _OLD = 0x0A0D0D0A, 1, 6, 3, 2
_BYTE_ORDERS = {0x1A2B3C4D: "<", 0x4D3C2B1A: ">"}
_GZIP = b"\x1f\x8b"
# Largest packet and block: tcpdump's largest snapshot length, and room for options.
_MOST_PACKET, _MOST_BLOCK = 1 << 18, 1 << 24
_NANOSECONDS = 10**9
# Bytes of a word, of pcap's first header behind its magic number and of its records' headers, and of what a block of an
# interface and one of a packet begin with.
_WORD, _PCAP_HEADER, _RECORD_HEADER, _INTERFACE_HEAD, _PACKET_HEAD = 4, 20, 16, 8, 20
# Options of interfaces: if_tsresol of one byte, if_tsoffset of eight.
_RESOLUTION, _OFFSET = (9, 1), (14, 8)


class CapturedPacket(NamedTuple):
    """A packet as captured."""

    time: int
    """Nanoseconds since 1970."""
    link_type: int
    data: bytes
    """Its first bytes, as many as were captured."""
    length: int
    """Its length on the wire, with the header of the link."""


@dataclass
class _Interface:
    link_type: int
    ticks: int = 10**6
    """Units of time a second."""
    offset: int = 0


@dataclass
class CaptureReader:
    """The packets of a file, and whether it ends within one."""

    file: InputFile
    is_cut: bool = False
    _interfaces: list[_Interface] = field(default_factory=list)
    _order: str = "<"

    def packets(self) -> Iterator[CapturedPacket]:
        """All packets that are complete."""
        with self.file.stream() as raw:
            start = raw.read(2)
            raw.seek(0)
            stream = cast(BinaryIO, gzip.GzipFile(fileobj=raw)) if start == _GZIP else raw
            try:
                yield from self._packets(stream)
            except (EOFError, gzip.BadGzipFile, OSError) as error:
                self.file.fail(f"cannot be unpacked or read to its end: {error}")

    def _packets(self, stream: BinaryIO) -> Iterator[CapturedPacket]:
        head = stream.read(4)
        magic = int.from_bytes(head, "little") if len(head) == _WORD else 0
        if magic == _SECTION:
            yield from self._pcapng(stream)
        elif magic in _PCAP:
            yield from self._pcap(stream, *_PCAP[magic])
        else:
            self.file.fail(
                "is no capture (it begins neither as pcap nor as pcapng): give a file of tcpdump -w, tshark -w "
                "or Wireshark"
            )

    def _pcap(self, stream: BinaryIO, order: str, ticks: int) -> Iterator[CapturedPacket]:
        header = stream.read(_PCAP_HEADER)
        if len(header) < _PCAP_HEADER:
            self.file.fail("ends within its first header: capture anew")
        link_type = struct.unpack(f"{order}I", header[16:])[0] & 0xFFFF
        unpack, scale = struct.Struct(f"{order}4I").unpack, _NANOSECONDS // ticks
        count = 0
        while record := stream.read(_RECORD_HEADER):
            if len(record) < _RECORD_HEADER:
                self.is_cut = True
                return
            seconds, fraction, captured, length = unpack(record)
            count += 1
            if captured > _MOST_PACKET:
                self.file.fail(
                    f"packet {count} has {captured} bytes, more than any: the file is damaged there"
                )
            data = stream.read(captured)
            if len(data) < captured:
                self.is_cut = True
                return
            yield CapturedPacket(seconds * _NANOSECONDS + fraction * scale, link_type, data, length)

    def _pcapng(self, stream: BinaryIO) -> Iterator[CapturedPacket]:
        kind = _SECTION.to_bytes(4, "little")
        number = 0
        while kind:
            number += 1
            size_bytes = stream.read(4)
            if len(kind) < _WORD or len(size_bytes) < _WORD:
                self.is_cut = True
                return
            if int.from_bytes(kind, "little") == _SECTION:
                magic = stream.read(4)
                self._order = _BYTE_ORDERS.get(int.from_bytes(magic, "little"), "")
                if not self._order:
                    self.file.fail(f"block {number} has no byte order: the file is damaged there")
                self._interfaces.clear()
                already = 4
            else:
                already = 0
            size = struct.unpack(f"{self._order}I", size_bytes)[0]
            if size < 12 + already or size % 4 or size > _MOST_BLOCK:
                self.file.fail(
                    f"block {number} has {size} bytes, which none can have: the file is damaged there"
                )
            body = stream.read(size - 8 - already)
            if len(body) < size - 8 - already:
                self.is_cut = True
                return
            packet = self._block(struct.unpack(f"{self._order}I", kind)[0], body[:-4], number)
            if packet is not None:
                yield packet
            kind = stream.read(4)

    def _block(self, kind: int, body: bytes, number: int) -> CapturedPacket | None:
        """The packet in a block, if it has one."""
        order = self._order
        if kind == _INTERFACE and len(body) >= _INTERFACE_HEAD:
            self._interfaces.append(self._interface(body))
        elif kind == _ENHANCED and len(body) >= _PACKET_HEAD:
            which, high, low, captured, length = struct.unpack_from(f"{order}5I", body)
            interface = self._interface_of(which, number)
            ticks = (high << 32 | low) * _NANOSECONDS // interface.ticks
            return CapturedPacket(
                ticks + interface.offset * _NANOSECONDS, interface.link_type, body[20 : 20 + captured], length
            )
        elif kind in {_SIMPLE, _OLD}:
            self.file.fail(
                f"block {number} has a packet without its time, or of the oldest form: capture with tcpdump -w"
            )
        return None

    def _interface_of(self, which: int, number: int) -> _Interface:
        if which >= len(self._interfaces):
            self.file.fail(
                f"block {number} is of interface {which}, which no block describes: the file is damaged there"
            )
        return self._interfaces[which]

    def _interface(self, body: bytes) -> _Interface:
        """The interface of a block, with the options that say how its time is counted."""
        found = _Interface(struct.unpack_from(f"{self._order}H", body)[0])
        at = 8
        while at + 4 <= len(body):
            code, length = struct.unpack_from(f"{self._order}2H", body, at)
            value = body[at + 4 : at + 4 + length]
            if code == 0:
                break
            if (code, length) == _RESOLUTION:
                found.ticks = 2 ** (value[0] & 0x7F) if value[0] & 0x80 else 10 ** min(value[0], 18)
            elif (code, length) == _OFFSET:
                found.offset = struct.unpack(f"{self._order}q", value)[0]
            at += 4 + (length + 3) // 4 * 4
        return found

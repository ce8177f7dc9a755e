"""The tables of one run as one piece of bytes, for the time between its end and its place in a Parquet part.

A JSON header of a known length says what follows: for each column of each table its kind, how many bytes it has and the
words that a text column's numbers stand for. No compression: it is written once and read once, soon after.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TypeAlias

# Table -> column -> (kind, little-endian bytes, words), as the simulator hands it over.
RawTables: TypeAlias = Mapping[str, Mapping[str, tuple[str, bytes, list[str]]]]

_LENGTH_BYTES = 4


def packed(tables: RawTables) -> bytes:
    """One piece of bytes; `unpacked` is the way back.

    >>> tables = {"flows": {"flow": ("u32", b"abcd", [])}}
    >>> unpacked(packed(tables)) == tables
    True
    """
    header = [
        (name, [(column, kind, len(raw), words) for column, (kind, raw, words) in columns.items()])
        for name, columns in tables.items()
    ]
    text = json.dumps(header, separators=(",", ":")).encode()
    pieces = [raw for columns in tables.values() for _, raw, _ in columns.values()]
    return b"".join((len(text).to_bytes(_LENGTH_BYTES, "little"), text, *pieces))


def unpacked(data: bytes) -> dict[str, dict[str, tuple[str, bytes, list[str]]]]:
    """The tables of `packed`."""
    start = _LENGTH_BYTES + int.from_bytes(data[:_LENGTH_BYTES], "little")
    tables: dict[str, dict[str, tuple[str, bytes, list[str]]]] = {}
    for name, columns in json.loads(data[_LENGTH_BYTES:start]):
        table = tables.setdefault(name, {})
        for column, kind, length, words in columns:
            table[column] = (kind, data[start : start + length], words)
            start += length
    return tables

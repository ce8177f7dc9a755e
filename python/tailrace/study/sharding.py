"""Shards: a sweep in so many shares, each done by a command of its own, on whatever machine."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from tailrace.errors import UsageError

MOST_SHARDS = 1_000_000


@dataclass(frozen=True)
class Shard:
    """A shard, numbered from 1."""

    number: int
    of: int

    def __post_init__(self) -> None:
        if not 1 <= self.number <= self.of <= MOST_SHARDS:
            raise UsageError(
                f"there is no shard {self}: K/N has K from 1 to N, and N is at most {MOST_SHARDS}"
            )

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"

    @classmethod
    def parse(cls, text: str) -> Shard:
        """`3/100`."""
        number, _, of = text.partition("/")
        if not (_is_count(number) and _is_count(of)):
            raise UsageError(f"--shard takes K/N, for example 3/100; got {text!r}")
        return cls(int(number), int(of))


def _is_count(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= len(str(MOST_SHARDS))


def dealt(runs: Sequence[tuple[str, int]], shard: Shard) -> list[int]:
    """The places of those runs (id of the cell, number) that fall to a shard; no two shards differ by more than one.

    Run by run, cells are dealt in an order that a hash draws: whatever makes cells slow, their place in a grid or
    their queue, each shard has its share of it. Asking for more runs later leaves those before with their shards.
    """
    places = sorted(range(len(runs)), key=lambda place: (runs[place][1], _drawn(*runs[place])))
    return sorted(itertools.islice(places, shard.number - 1, None, shard.of))


def _drawn(cell: str, run: int) -> bytes:
    return hashlib.blake2b(f"{cell} {run}".encode(), digest_size=16).digest()

"""Measures to compare: the same numbers from each tool, over the time after the warm-up."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Measures:
    """Numbers of one run."""

    goodput_bps: float
    """Of TCP, all flows together: payload delivered."""
    jain: float
    short_share: float
    """Share of the goodput of the flows with the shortest base round trip."""
    flood_bps: float
    """What of the flood arrived, IP bytes."""
    queue_packets: float
    """Mean number of packets that wait."""
    drops: float
    marks: float
    retransmissions: float
    timeouts: float


def jain(values: Sequence[float]) -> float:
    """Jain's index; 0 where nobody got anything."""
    squares = sum(v * v for v in values)
    return sum(values) ** 2 / (len(values) * squares) if squares else 0.0


def short_share(goodputs: Sequence[float], base_rtts: Sequence[float]) -> float:
    """Share of those with the shortest base round trip."""
    total, shortest = sum(goodputs), min(base_rtts)
    return sum(g for g, r in zip(goodputs, base_rtts, strict=True) if r == shortest) / total if total else 0.0


def mean(values: Sequence[float]) -> float:
    """Arithmetic mean."""
    return sum(values) / len(values)


def deviation(values: Sequence[float]) -> float:
    """Sample standard deviation; 0 for one value."""
    if len(values) <= 1:
        return 0.0
    m = mean(values)
    return math.sqrt(sum((v - m) ** 2 for v in values) / (len(values) - 1))

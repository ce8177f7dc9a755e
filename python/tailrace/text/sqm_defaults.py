"""Values that sqm-scripts of OpenWrt work out (`functions.sh`), for reading and writing /etc/config/sqm."""

from __future__ import annotations

# Packets that may wait in a queue inside a shaper.
LIMIT = 1001
_BURST_US, _LEAST_BURST = 1000, 1749
# CoDel's target for a slow line: a packet of 33 cells of ATM, of 53 bytes; at 1 kbit/s this takes so many microseconds.
_SLOW_PACKET_US = 33 * 53 * 8 * 1000
_LEAST_TARGET_US, _INTERVAL_US = 5000, 95_000


def burst_bytes(kbit: int) -> int:
    """Bytes that a shaper may send at once: those of a millisecond, at least a packet in cells of ATM."""
    return max(_BURST_US * kbit // 8000, _LEAST_BURST)


def target_us(kbit: int) -> int:
    """CoDel's target for the setting `auto`, in microseconds.

    >>> target_us(10_000), target_us(1000)
    (5000, 13992)
    """
    return max(_SLOW_PACKET_US // kbit, _LEAST_TARGET_US)


def interval_us(target: int) -> int:
    """CoDel's interval beside that target."""
    return _INTERVAL_US + target

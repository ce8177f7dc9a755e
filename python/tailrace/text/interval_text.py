"""Means with intervals as text, to the digits that the interval supports."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

NONE = "–"
# Ratio of an interval's parts from which both are shown.
_UNEVEN = 1.25
# The parts of such an interval.
BELOW, ABOVE = "−", "+"
UNEVEN = f"{BELOW} and {ABOVE}: an asymmetric interval, which reaches this far below and above the mean"
# Digits of a mean that are worth reading, and the share of it that is left where floats should have come out even.
_MOST_DIGITS = 6
_ARITHMETIC = 1e-12
# Below this a number has no exponent.
_PLAIN = 1e7


def measured(entry: Mapping[str, Any] | None, scale: float, least: float) -> str:
    """A `number`, or where all of its interval is less than `least`, that it is.

    >>> [measured({"mean": mean, "ci95": 4e-6, "n": 5}, 1, 1e-3) for mean in (1e-5, 0.5)]
    ['<0.001', '0.500000 ± 0.000004']
    >>> measured({"mean": 0.0, "ci95": None, "n": 1}, 1, 1e-3), measured(None, 1, 1e-3) == NONE
    ('0', True)
    """
    if entry is not None and entry["mean"]:
        high = entry.get("high", entry["mean"] + (entry["ci95"] or 0))
        if entry["mean"] > 0 and high * scale < least:
            return f"<{least:.6f}".rstrip("0")
    return number(entry, scale)


def number(entry: Mapping[str, Any] | None, scale: float = 1.0) -> str:
    """`mean ± half width`, both to the digits that the interval supports.

    >>> number({"mean": 1.23456e6, "ci95": 4.5e4, "n": 5}, 1e-6)
    '1.235 ± 0.045'
    >>> number({"mean": 0.5, "ci95": None, "n": 1})
    '0.5'

    No more digits of the mean than anybody reads; what is less than the last of them is said to be less.

    >>> number({"mean": 0.995, "ci95": 4e-5, "n": 5}, 100), number({"mean": 2.0, "ci95": 1e-9, "n": 5})
    ('99.5000 ± 0.0040', '2.00000 ± <0.00001')
    """
    if entry is None or entry["mean"] is None:
        return NONE
    mean, half = entry["mean"] * scale, entry["ci95"]
    if half is None:
        return _alone(mean)
    half *= scale
    if half <= abs(mean) * _ARITHMETIC:
        return f"{_alone(mean)} ± 0"
    below, above = mean - entry.get("low", 0) * scale, entry.get("high", 0) * scale - mean
    even = "low" not in entry or (max(below, above) < _UNEVEN * min(below, above) and half <= abs(mean))
    # Two digits of the half width, or of the larger part of an interval that its mean does not halve.
    decimals = max(0, 1 - _exponent(half if even else max(below, above)))
    most = max(0, _MOST_DIGITS - 1 - _exponent(mean)) if mean else decimals
    if decimals > most and float(f"{half:.{most}f}") == 0:
        return f"{mean:.{most}f} ± <{10.0**-most:.{most}f}"
    decimals = min(decimals, most)
    if even:
        return f"{mean:.{decimals}f} ± {half:.{decimals}f}"
    return f"{mean:.{decimals}f} {BELOW}{below:.{decimals}f} {ABOVE}{above:.{decimals}f}"


def _alone(value: float) -> str:
    """A number without an interval: four digits, without an exponent where the number is not much longer.

    >>> _alone(0.123456), _alone(45000.0), _alone(1.5e9)
    ('0.1235', '45000', '1.5e+09')
    """
    text = f"{value:.4g}"
    return f"{value:.0f}" if "e+" in text and abs(value) < _PLAIN else text


def _exponent(value: float) -> int:
    return math.floor(math.log10(abs(value)))

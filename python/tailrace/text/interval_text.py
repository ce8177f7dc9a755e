"""Text of means with confidence intervals, rounded to the digits that the interval supports."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

NO_VALUE = "–"
# Ratio of the longer to the shorter part of an interval from which it is written as asymmetric.
_ASYMMETRY_RATIO = 1.25
# Signs of the two parts of an asymmetric interval.
BELOW, ABOVE = "−", "+"
ASYMMETRY_NOTE = (
    f"{BELOW} and {ABOVE}: an asymmetric interval, which reaches this far below and above the mean"
)
# Largest number of significant digits of a mean.
_MAX_DIGITS = 6
# Half width relative to the mean up to which it is rounding error of floats and counts as zero.
_ROUNDING_ERROR = 1e-12
# Smallest number written with an exponent.
_EXPONENT_FROM = 1e7


def mean_or_bound(entry: Mapping[str, Any] | None, scale: float, least: float) -> str:
    """Mean with interval as `mean_with_interval`, or `<least` if the whole interval is below `least`.

    >>> [mean_or_bound({"mean": mean, "ci95": 4e-6, "n": 5}, 1, 1e-3) for mean in (1e-5, 0.5)]
    ['<0.001', '0.500000 ± 0.000004']
    >>> mean_or_bound({"mean": 0.0, "ci95": None, "n": 1}, 1, 1e-3), mean_or_bound(None, 1, 1e-3) == NO_VALUE
    ('0', True)
    """
    if entry is not None and entry["mean"]:
        high = entry.get("high", entry["mean"] + (entry["ci95"] or 0))
        if entry["mean"] > 0 and high * scale < least:
            return f"<{least:.6f}".rstrip("0")
    return mean_with_interval(entry, scale)


def mean_with_interval(entry: Mapping[str, Any] | None, scale: float = 1.0) -> str:
    """Text `mean ± half width`: two digits of the half width, and the mean to the same place.

    >>> mean_with_interval({"mean": 1.23456e6, "ci95": 4.5e4, "n": 5}, 1e-6)
    '1.235 ± 0.045'
    >>> mean_with_interval({"mean": 0.5, "ci95": None, "n": 1})
    '0.5'

    At most six digits of the mean; a half width below the last of them is written as `<`.

    >>> mean_with_interval({"mean": 0.995, "ci95": 4e-5, "n": 5}, 100)
    '99.5000 ± 0.0040'
    >>> mean_with_interval({"mean": 2.0, "ci95": 1e-9, "n": 5})
    '2.00000 ± <0.00001'
    """
    if entry is None or entry["mean"] is None:
        return NO_VALUE
    mean, half_width = entry["mean"] * scale, entry["ci95"]
    if half_width is None:
        return _mean_alone(mean)
    half_width *= scale
    if half_width <= abs(mean) * _ROUNDING_ERROR:
        return f"{_mean_alone(mean)} ± 0"
    below, above = mean - entry.get("low", 0) * scale, entry.get("high", 0) * scale - mean
    near_equal = max(below, above) < _ASYMMETRY_RATIO * min(below, above)
    symmetric = "low" not in entry or (near_equal and half_width <= abs(mean))
    # Two digits of the half width, or of the longer part of an asymmetric interval.
    decimals = max(0, 1 - _exponent(half_width if symmetric else max(below, above)))
    most = max(0, _MAX_DIGITS - 1 - _exponent(mean)) if mean else decimals
    if decimals > most and float(f"{half_width:.{most}f}") == 0:
        return f"{mean:.{most}f} ± <{10.0**-most:.{most}f}"
    decimals = min(decimals, most)
    if symmetric:
        return f"{mean:.{decimals}f} ± {half_width:.{decimals}f}"
    return f"{mean:.{decimals}f} {BELOW}{below:.{decimals}f} {ABOVE}{above:.{decimals}f}"


def _mean_alone(value: float) -> str:
    """Mean without an interval: four digits, with an exponent from 10^7 on.

    >>> _mean_alone(0.123456), _mean_alone(45000.0), _mean_alone(1.5e9)
    ('0.1235', '45000', '1.5e+09')
    """
    text = f"{value:.4g}"
    return f"{value:.0f}" if "e+" in text and abs(value) < _EXPONENT_FROM else text


def _exponent(value: float) -> int:
    return math.floor(math.log10(abs(value)))

"""Numbers with the units of tc (iproute2) and what programs print, and the same as a scenario writes them.

The engine reads tc lines of queues itself; these are for words around them: rates of classes, delays of netem, counts.
"""

from __future__ import annotations

import math
import re

_NUMBER = re.compile(r"(\d+(?:\.\d*)?|\.\d+)([A-Za-z%/]*)\Z")
_STEMS = {
    "": 1.0,
    "k": 1e3,
    "m": 1e6,
    "g": 1e9,
    "t": 1e12,
    "ki": 2.0**10,
    "mi": 2.0**20,
    "gi": 2.0**30,
    "ti": 2.0**40,
}
# Parts of a second: a division gives the nearest number, where a product with 1e-6 does not.
_TIMES = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}
_SIZES = {
    "": 1.0,
    "b": 1.0,
    "k": 2.0**10,
    "kb": 2.0**10,
    "m": 2.0**20,
    "mb": 2.0**20,
    "g": 2.0**30,
    "gb": 2.0**30,
}
# Number of bits of the largest power of two that rates and sizes are read up to.
_MOST = 1e18


def rate(text: str) -> float | None:
    """Rate in bit/s: a number without unit is bit/s, `mbps` megabytes a second.

    >>> rate("10mbit"), rate("1.5Mbit"), rate("10mbps"), rate("831Kbit"), rate("x")
    (10000000.0, 1500000.0, 80000000.0, 831000.0, None)
    """
    number, unit = _split(text)
    if number is None:
        return None
    stem, scale = unit, 1.0
    if unit.endswith("bps"):
        stem, scale = unit[:-3], 8.0
    elif unit.endswith("bit"):
        stem = unit[:-3]
    return number * _STEMS[stem] * scale if stem in _STEMS else None


def time(text: str) -> float | None:
    """Time in seconds: a number without unit is microseconds.

    >>> time("100ms"), time("5"), time("1.5s"), time("20msecs"), time("ms")
    (0.1, 5e-06, 1.5, 0.02, None)
    """
    number, unit = _split(text)
    if number is None:
        return None
    unit = re.sub(r"secs?\Z", "s", unit) or "us"
    return number / _TIMES[unit] if unit in _TIMES else None


def size(text: str) -> float | None:
    """Size in bytes: `kb` is 1024 bytes.

    >>> size("1514b"), size("32Mb"), size("2Kb")
    (1514.0, 33554432.0, 2048.0)
    """
    number, unit = _split(text)
    if number is None:
        return None
    if unit.endswith("bit"):
        stem = _SIZES.get(unit[:-3])
        return number * stem / 8 if stem else None
    return number * _SIZES[unit] if unit in _SIZES else None


def percent(text: str) -> float | None:
    """Share from 0 to 1 of a percentage, with or without its sign.

    >>> percent("1%"), percent("0.5"), percent("101%")
    (0.01, 0.005, None)
    """
    number, unit = _split(text)
    if number is None or unit not in {"", "%"} or number > 100:  # noqa: PLR2004 - percent
        return None
    return number / 100


def count(text: str) -> int | None:
    """Whole number; `1000p`, packets as tc prints them, is 1000.

    >>> count("1000p"), count("12"), count("1.5")
    (1000, 12, None)
    """
    digits = text.removesuffix("p")
    return int(digits) if re.fullmatch(r"[0-9]{1,15}", digits) else None


def rate_text(bits: float) -> str:
    """Rate as a scenario writes it.

    >>> rate_text(10e6), rate_text(831e3), rate_text(17984e3), rate_text(1.5e9)
    ('10 Mbit/s', '831 kbit/s', '17.984 Mbit/s', '1.5 Gbit/s')
    """
    unit, much = next(
        (u for u in (("Gbit/s", 1e9), ("Mbit/s", 1e6), ("kbit/s", 1e3)) if bits >= u[1]), ("bit/s", 1.0)
    )
    return f"{bits / much:.7g} {unit}"


def time_text(seconds: float) -> str:
    """Time as a scenario writes it.

    >>> time_text(0.1), time_text(0.0000125), time_text(2), time_text(0)
    ('100 ms', '12.5 us', '2 s', '0 s')
    """
    if seconds == 0:
        return "0 s"
    unit, much = next(
        (u for u in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)) if seconds >= u[1] * (1 - 1e-9)), ("ns", 1e-9)
    )
    return f"{seconds / much:.7g} {unit}"


def _split(text: str) -> tuple[float | None, str]:
    found = _NUMBER.match(text)
    if not found:
        return None, ""
    number = float(found[1])
    return (number, found[2].lower()) if math.isfinite(number) and number <= _MOST else (None, "")

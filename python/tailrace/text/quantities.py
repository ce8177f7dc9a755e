"""Numbers with units as people read them: `200 ms`, `1.5 Mbit/s`; and the unit that suits an axis."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

# Multiples of units in SI: names with factors, from the largest.
_MULTIPLES = {
    "s": (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6), ("ns", 1e-9)),
    "bit/s": (("Gbit/s", 1e9), ("Mbit/s", 1e6), ("kbit/s", 1e3), ("bit/s", 1.0)),
    "B": (("GB", 1e9), ("MB", 1e6), ("kB", 1e3), ("B", 1.0)),
}
# By the end of a figure's or a column's name: the unit that tables show, and what to multiply by to have it in that.
_ENDS = (
    ("_bps", "Mbit/s", 1e-6),
    ("_s", "ms", 1e3),
    ("_bytes", "kB", 1e-3),
    ("_packets", "packets", 1.0),
    ("_segments", "segments", 1.0),
    ("_ratio", "%", 100.0),
)
# An axis is left in its unit while its largest value reads well there.
_READABLE = (0.1, 1e4)
# From this ratio of the largest value to the least an axis is logarithmic.
_TWO_DECADES = 100.0


@dataclass(frozen=True)
class Unit:
    """A unit, and what to multiply values by to have them in it."""

    name: str
    factor: float = 1.0


def of_name(name: str) -> Unit:
    """The unit that the name of a figure or column ends with; without one if there is none.

    >>> of_name("goodput_bps.sum")
    Unit(name='Mbit/s', factor=1e-06)
    """
    for part in reversed(name.split(".")):
        for end, unit, factor in _ENDS:
            if part.endswith(end):
                return Unit(unit, factor)
    return Unit("")


def readable(values: Iterable[float], unit: str, *, typical: bool = False) -> Unit:
    """The multiple of an SI unit that suits values: their largest, or for a logarithmic axis their typical one.

    >>> readable([0.2, 0.02], "s"), readable([2e6], "bit/s")
    (Unit(name='ms', factor=1000.0), Unit(name='Mbit/s', factor=1e-06))
    """
    sizes = [abs(value) for value in values if value and math.isfinite(value)]
    if unit not in _MULTIPLES or not sizes:
        return Unit(unit)
    size = math.exp(math.fsum(map(math.log, sizes)) / len(sizes)) if typical else max(sizes)
    multiples = _MULTIPLES[unit]
    # A hair below one is one: values are sums of floats.
    least = (_READABLE[0] if typical else 1.0) * (1 - 1e-9)
    name, much = next((m for m in multiples if size >= m[1] * least), multiples[-1])
    return Unit(name, 1 / much)


def kept_or_readable(values: Iterable[float], unit: str) -> Unit:
    """The unit as it is while values read well in it, else a multiple that suits them."""
    sizes = [abs(value) for value in values if value and math.isfinite(value)]
    base, much = in_base(unit)
    if not sizes or not base:
        return Unit(unit)
    if unit != base and _READABLE[0] <= max(sizes) < _READABLE[1]:
        return Unit(unit)
    found = readable((value * much for value in sizes), base)
    return Unit(found.name, found.factor * much)


def in_base(unit: str) -> tuple[str, float]:
    """The SI unit of which a unit is a multiple, and how much of it it is; without a name where it has none.

    >>> in_base("Mbit/s")
    ('bit/s', 1000000.0)
    """
    for base, multiples in _MULTIPLES.items():
        for name, much in multiples:
            if name == unit:
                return base, much
    return "", 1.0


def said(value: object, unit: str = "", digits: int = 4) -> str:
    """A value of a swept parameter, in words.

    >>> said(0.2, "s"), said(1.5e6, "bit/s"), said("red"), said(None)
    ('200 ms', '1.5 Mbit/s', 'red', 'not set')
    """
    if value is None:
        return "not set"
    if not isinstance(value, float):
        return str(value)
    found = readable([value], unit)
    return f"{value * found.factor:.{digits}g} {found.name}".strip()


def spans_decades(values: Iterable[float]) -> bool:
    """Whether values differ so much that only a logarithmic axis shows all."""
    there = list(values)
    return bool(there) and min(there) > 0 and max(there) / min(there) >= _TWO_DECADES * (1 - 1e-9)

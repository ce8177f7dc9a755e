"""Sentences of a report, computed from the numbers, each with its sources."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tailrace.stats import summary_measures
from tailrace.text import interval_text

# More names than this in a sentence are counted.
_MOST_NAMED = 6
# More digits of a mean than these are for tables.
_DIGITS = 4


@dataclass(frozen=True)
class Statement:
    """A sentence under a heading of a word or two; a `caution` makes others doubtful."""

    about: str
    text: str
    caution: bool = False


def value(tree: Mapping[str, Any], *path: str) -> float | None:
    """The mean at a path of an aggregate; nothing where there is none."""
    found = summary_measures.leaf(tree, path)
    return None if found is None or found["mean"] is None else float(found["mean"])


def said(tree: Mapping[str, Any], path: Sequence[str], unit: str, scale: float = 1.0) -> str:
    """A number of an aggregate with its interval and unit."""
    return quantity(brief(summary_measures.leaf(tree, path), scale), unit)


def brief(entry: Mapping[str, Any] | None, scale: float = 1.0) -> str:
    """Number of a table with as few digits as a sentence needs: tables have all.

    >>> brief({"mean": 0.999998, "ci95": 0.000018, "n": 5}, 100), brief({"mean": 1.5, "ci95": 0.2, "n": 5})
    ('100.0', '1.50 ± 0.20')
    >>> brief({"mean": 6.16234, "ci95": 0.0031, "n": 3}), brief({"mean": 6.16234, "ci95": 0.0, "n": 3})
    ('6.162 ± 0.003', '6.162')
    """
    number = interval_text.mean_with_interval(entry, scale)
    if entry is None or not entry["mean"] or entry["ci95"] is None:
        return number
    mean, half = entry["mean"] * scale, entry["ci95"] * scale
    # Digits of the rounded number: 99.9998 has as many as 100.
    decimals = max(0, _DIGITS - 1 - math.floor(math.log10(abs(float(f"{mean:.{_DIGITS}g}")))))
    if len(number.partition(" ")[0].partition(".")[2]) <= decimals and not number.endswith("± 0"):
        return number
    rounded = f"{half:.{decimals}f}"
    return f"{mean:.{decimals}f}" + (f" ± {rounded}" if float(rounded) else "")


def quantity(number: str, unit: str) -> str:
    """A number, be it with an interval, and its unit.

    >>> quantity("1.5 ± 0.2", "ms"), quantity("3", "")
    ('1.5 ± 0.2 ms', '3')
    """
    return f"{number} {unit}".strip()


def listed(words: Iterable[str], most: int = _MOST_NAMED) -> str:
    """Words as a sentence has them; of many how many more there are.

    >>> listed(["a"]), listed(["a", "b", "c"]), listed("abcdefgh", 3)
    ('a', 'a, b and c', 'a, b, c and 5 more')
    """
    every = list(words)
    if len(every) > most + 1:
        return f"{', '.join(every[:most])} and {len(every) - most} more"
    return f"{', '.join(every[:-1])} and {every[-1]}" if len(every) > 1 else "".join(every)


def counted(count: float, one: str, many: str | None = None) -> str:
    """Count with its noun.

    >>> counted(1, "flow"), counted(2, "flow"), counted(2.5, "flow")
    ('1 flow', '2 flows', '2.5 flows')
    """
    return f"{count:.4g} {one if count == 1 else many or one + 's'}"

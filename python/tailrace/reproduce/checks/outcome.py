"""Limits, the three outcomes and numbers in words, for all checks."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from tailrace.reproduce.paper import Outcome, Table
from tailrace.reproduce.toml_keys import Keys
from tailrace.stats.formulas import Quantity, value_of
from tailrace.stats.statistics import Interval
from tailrace.text import interval_text

# Multiples of the units that metrics have, to the units that formulas have (bits, seconds).
_SHOWN = {
    "Mbit/s": ((1, -1, 0), 1e6),
    "kbit/s": ((1, -1, 0), 1e3),
    "ms": ((0, 1, 0), 1e-3),
    "s": ((0, 1, 0), 1.0),
    "MB": ((1, 0, 0), 8e6),
    "kB": ((1, 0, 0), 8e3),
    "packets": ((0, 0, 1), 1.0),
}


# The unit of a number that is not measured yet: it takes any limit.
UNKNOWN = "?"


@dataclass(frozen=True)
class Number:
    """A quantity of one cell: its value in each run, and its unit."""

    label: str
    unit: str
    # Run -> value.
    runs: Mapping[int, float]
    # Mean with its interval; None where no run has a value.
    interval: Interval | None

    @property
    def ends(self) -> tuple[float, float]:
        """Ends of its interval; for a single run twice the value."""
        return ends(self.interval)

    @property
    def said(self) -> str:
        """For people."""
        return said(self.interval, self.unit)


class Numbers(Protocol):
    """Where checks get numbers from: the runs of one study under one reading."""

    def one(self, text: str, keys: Keys) -> Number:
        """Number that a text asks for: `METRIC where PARAMETER=VALUE`."""

    def along(self, text: str, parameter: str, keys: Keys) -> list[tuple[str, Number]]:
        """The same for every value of a parameter, in the order of the sweep."""

    def table(self, name: str) -> Table:
        """A table of the paper."""


@dataclass(frozen=True)
class Finding:
    """Result of a check."""

    outcome: Outcome
    # Number found, and the paper's.
    ours: str
    wanted: str


Judge: TypeAlias = Callable[[Keys, Numbers], Finding]


def ends(interval: Interval | None) -> tuple[float, float]:
    """The ends of an interval; of a single value that value twice."""
    if interval is None:
        return math.nan, math.nan
    if interval.ends is not None:
        return interval.ends
    half = interval.ci95 or 0.0
    return interval.mean - half, interval.mean + half


def said(interval: Interval | None, unit: str = "") -> str:
    """`515 ± 4 ms`."""
    text = interval_text.mean_with_interval(interval.as_dict() if interval else None)
    return f"{text} {unit}".rstrip()


def within(low: float, high: float, least: float, most: float) -> Outcome:
    """Whether what lies between `low` and `high` is between the limits.

    >>> within(1, 2, 0, 3), within(4, 5, 0, 3), within(2, 4, 0, 3)
    (<Outcome.HOLDS: 'holds'>, <Outcome.FAILS: 'fails'>, <Outcome.OPEN: 'open'>)
    """
    if math.isnan(low) or math.isnan(high) or high < least or low > most:
        return Outcome.FAILS
    return Outcome.HOLDS if least <= low and high <= most else Outcome.OPEN


def worst(outcomes: Iterable[Outcome]) -> Outcome:
    """Worst of several outcomes that must all hold."""
    found = set(outcomes)
    if Outcome.FAILS in found:
        return Outcome.FAILS
    return Outcome.OPEN if Outcome.OPEN in found else Outcome.HOLDS


def amount(keys: Keys, key: str, unit: str) -> float | None:
    """A number in this unit: `515`, or `"515 ms"`; None where the key is missing."""
    told = keys.any(key)
    if told is None:
        return None
    if isinstance(told, int | float) and not isinstance(told, bool):
        return float(told)
    found = value_of(f'"{told}"') if isinstance(told, str) else None
    if unit == UNKNOWN and isinstance(told, str):
        return 1.0
    wanted = _SHOWN.get(unit)
    if unit == "%" and isinstance(told, str) and told.endswith("%"):
        return _percent(keys, key, told)
    if not isinstance(found, Quantity) or wanted is None or found.unit != wanted[0]:
        raise keys.fail(
            f"`{key}` takes a number in {unit or 'no unit'}, or one with its unit, not {told!r}", key
        )
    return found.value / wanted[1]


def share(keys: Keys, key: str, default: float | None = None) -> float | None:
    """A share: `0.25`, or `"25 %"`."""
    told = keys.any(key)
    if told is None:
        return default
    if isinstance(told, str) and told.strip().endswith("%"):
        return _percent(keys, key, told) / 100
    if isinstance(told, int | float) and not isinstance(told, bool):
        return float(told)
    raise keys.fail(f'`{key}` takes a share, such as "25 %" or 0.25, not {told!r}', key)


def tied(ties: float) -> str:
    """Tolerance within which numbers count as tied; empty without one."""
    return f" (or within {100 * ties:g} %)" if ties else ""


def _percent(keys: Keys, key: str, told: str) -> float:
    try:
        return float(told.strip().removesuffix("%"))
    except ValueError:
        raise keys.fail(f'`{key}` takes a share, such as "25 %", not {told!r}', key) from None


@dataclass(frozen=True)
class Limits:
    """Between what a number is to lie, and how that is said."""

    least: float
    most: float
    wanted: str


def limits(keys: Keys, unit: str) -> Limits:
    """`paper` and `within`, a share of it or an amount; or `at_least`, `at_most`, or both."""
    paper, least, most = (amount(keys, key, unit) for key in ("paper", "at_least", "at_most"))
    shown = f" {unit}".rstrip()
    if least is not None or most is not None:
        parts = [f"≥ {least:g}{shown}"] if least is not None else []
        parts += [f"≤ {most:g}{shown}"] if most is not None else []
        value = "" if paper is None else f"{paper:g}{shown}; "
        return Limits(
            -math.inf if least is None else least,
            math.inf if most is None else most,
            value + ", ".join(parts),
        )
    if paper is None:
        keys.any("within")
        keys.finish()
        raise keys.fail("say what is wanted: `paper` with `within`, or `at_least`, or `at_most`")
    told = keys.any("within")
    if told is None:
        raise keys.fail('say how near is near enough: `within = "10 %"`, or an amount', "paper")
    is_share = isinstance(told, str) and told.strip().endswith("%") and unit != "%"
    margin = abs(paper) * (share(keys, "within") or 0.0) if is_share else amount(keys, "within", unit) or 0.0
    # Tolerances of percentages are points: a share would be misread.
    near = f"{margin:g} points" if unit == "%" else told if isinstance(told, str) else f"{told:g}{shown}"
    return Limits(paper - margin, paper + margin, f"{paper:g}{shown} within {near}")

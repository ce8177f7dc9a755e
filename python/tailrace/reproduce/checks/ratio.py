"""Ratio of two numbers, run by run."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tailrace.reproduce.checks.outcome import Finding, Number, Numbers, ends, limits, said, within, worst
from tailrace.reproduce.paper import Outcome
from tailrace.reproduce.toml_keys import Keys
from tailrace.stats.statistics import AMOUNT, interval
from tailrace.study.cell_selection import conditions


def judge(keys: Keys, numbers: Numbers) -> Finding:
    """`of` over `to`, and limits as for a value; with `along`, at every value of that parameter."""
    of, to, along = keys.take("of", str), keys.take("to", str), keys.take("along", str, "")
    wanted = limits(keys, "")
    keys.finish()
    if not along:
        above, below = numbers.one(of, keys), numbers.one(to, keys)
        outcome, found = _compared(above, below, wanted.least, wanted.most)
        return Finding(outcome, f"{above.label} / {below.label}: {found}", wanted.wanted)
    outcomes, told = [], []
    pairs = list(zip(numbers.along(of, along, keys), numbers.along(to, along, keys), strict=True))
    for (label, above), (_, below) in pairs:
        outcome, found = _compared(above, below, wanted.least, wanted.most)
        outcomes.append(outcome)
        told.append(f"{found} at {label}{_mark(outcome)}")
    return Finding(worst(outcomes), f"{_named(of)} / {_named(to)}: {', '.join(told)}", wanted.wanted)


def _compared(above: Number, below: Number, least: float, most: float) -> tuple[Outcome, str]:
    """Whether the ratio lies between the limits, and what it is."""
    ratios = _ratios(above, below)
    if any(map(math.isinf, ratios)):
        return within(math.inf, math.inf, least, most), f"{below.label} is 0"
    found = interval(ratios, AMOUNT)
    return within(*ends(found), least, most), said(found)


def _ratios(above: Number, below: Number) -> Sequence[float]:
    both = [run for run in above.runs if run in below.runs]
    return [above.runs[run] / below.runs[run] if below.runs[run] else math.inf for run in both]


def _mark(outcome: Outcome) -> str:
    """Mark of an outcome that does not hold."""
    return "" if outcome is Outcome.HOLDS else f" ({outcome.value})"


def _named(text: str) -> str:
    """Without the parameters' names: `rtt, codel, LIA`."""
    of, _, where = text.partition(" where ")
    return ", ".join([of, *(part.partition("=")[2].strip() for part in conditions(where))])

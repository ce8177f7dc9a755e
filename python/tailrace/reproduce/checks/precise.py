"""Precision of numbers: no 95 % interval reaches further than a limit from its mean."""

from __future__ import annotations

import math

from tailrace.reproduce.checks.outcome import Finding, Number, Numbers, amount
from tailrace.reproduce.paper import Outcome
from tailrace.reproduce.toml_keys import Keys


def judge(keys: Keys, numbers: Numbers) -> Finding:
    """The half widths of all of `of` are `at_most` an amount; open with fewer than `runs`, since runs narrow them."""
    asked = keys.texts("of")
    found = [numbers.one(text, keys) for text in asked]
    if not found:
        raise keys.fail("`of` is a list of quantities")
    limit = amount(keys, "at_most", found[0].unit)
    if limit is None:
        raise keys.fail("say how wide is too wide: `at_most`, an amount")
    least = keys.take("runs", int, 0)
    keys.finish()
    widest = max(found, key=_half)
    runs = min(len(number.runs) for number in found)
    outcome = Outcome.HOLDS if _half(widest) <= limit else Outcome.FAILS
    outcome = Outcome.OPEN if outcome is Outcome.FAILS and runs < least else outcome
    shown = f" {widest.unit}".rstrip()
    ours = f"of {len(found)}, {runs} runs each, the widest is {widest.label}: {widest.said}"
    return Finding(outcome, ours, f"± {limit:g}{shown} at most")


def _half(number: Number) -> float:
    low, high = number.ends
    if len(number.runs) <= 1 or math.isnan(low):
        return math.inf
    return (high - low) / 2

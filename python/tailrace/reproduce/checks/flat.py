"""A number that hardly depends on a parameter."""

from __future__ import annotations

import math

from tailrace.reproduce.checks.outcome import Finding, Numbers, share, within
from tailrace.reproduce.toml_keys import Keys


def judge(keys: Keys, numbers: Numbers) -> Finding:
    """`of` over all values of `along`: from the least mean to the largest at most `within` of their mean."""
    of, along = keys.take("of", str), keys.take("along", str)
    limit = share(keys, "within")
    if limit is None:
        raise keys.fail('say how flat is flat: `within = "10 %"`')
    keys.finish()
    found = numbers.along(of, along, keys)
    means = [number.interval.mean if number.interval else math.nan for _, number in found]
    middle = math.fsum(means) / len(means)
    spread = (max(means) - min(means)) / abs(middle) if middle else math.nan
    halves = [(number.ends[1] - number.ends[0]) / 2 for _, number in found]
    doubt = 2 * max(halves) / abs(middle) if middle else 0.0
    listed = ", ".join(f"{label}: {number.said}" for label, number in found)
    outcome = within(max(0.0, spread - doubt), spread + doubt, 0.0, limit)
    return Finding(outcome, f"{listed} (spread {100 * spread:.3g} %)", f"flat within {100 * limit:g} %")

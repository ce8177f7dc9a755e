"""A number that rises, or falls, from each value of a parameter to the next."""

from __future__ import annotations

import itertools

from tailrace.reproduce.checks.outcome import Finding, Numbers, ends, share, tied, within, worst
from tailrace.reproduce.toml_keys import Keys
from tailrace.stats.statistics import paired

_WAYS = ("rises", "falls")


def judge(keys: Keys, numbers: Numbers) -> Finding:
    """`of` over the values of `along` in their order `rises` or `falls`; a step back of at most `ties` is none."""
    of, along = keys.take("of", str), keys.take("along", str)
    way = keys.one_of("direction", _WAYS)
    ties = share(keys, "ties", 0.0) or 0.0
    keys.finish()
    found = numbers.along(of, along, keys)
    outcomes = []
    for (_, before), (_, after) in itertools.pairwise(found):
        first, second = (before, after) if way == "rises" else (after, before)
        runs = [run for run in first.runs if run in second.runs]
        step = paired([first.runs[run] for run in runs], [second.runs[run] for run in runs])
        means = [abs(n.interval.mean) for n in (before, after) if n.interval]
        outcomes.append(within(*ends(step), -ties * max(means, default=0.0), float("inf")))
    listed = ", ".join(f"{label}: {number.said}" for label, number in found)
    return Finding(worst(outcomes), listed, f"{way} with {along}{tied(ties)}")

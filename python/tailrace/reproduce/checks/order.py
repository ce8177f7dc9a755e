"""Order of numbers, from the largest to the smallest."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

from tailrace.reproduce.checks.outcome import Finding, Number, Numbers, ends, share, tied, within, worst
from tailrace.reproduce.paper import Outcome
from tailrace.reproduce.toml_keys import Keys
from tailrace.stats.statistics import paired


def judge(keys: Keys, numbers: Numbers) -> Finding:
    """`order` of values of the parameter `along` by `of`, or of quantities.

    Between the members of a list within it no order is claimed. Those nearer to each other than `ties`, a share of the
    larger one, may stand either way.
    """
    groups = _groups(keys)
    ties = share(keys, "ties", 0.0) or 0.0
    along = keys.take("along", str, "")
    of = keys.take("of", str) if along else ""
    where = keys.take("where", str, "")
    keys.finish()
    found = [[numbers.one(_quantity(one, of, along, where), keys) for one in group] for group in groups]
    pairs = [
        pair for above, below in itertools.combinations(found, 2) for pair in itertools.product(above, below)
    ]
    outcome = worst(_more(above, below, ties) for above, below in pairs)
    names = dict(
        zip((id(one) for group in found for one in group), (n for g in groups for n in g), strict=True)
    )
    ranked = sorted((one for group in found for one in group), key=_mean, reverse=True)
    ours = ", ".join(f"{names[id(one)]} {one.said}" for one in ranked)
    return Finding(outcome, ours, _shown(groups) + tied(ties))


def _groups(keys: Keys) -> list[list[str]]:
    groups = [[one] if isinstance(one, str) else one for one in keys.take("order", list)]
    if len(groups) <= 1 or not all(map(_is_group, groups)):
        raise keys.fail("`order` is a list of names, largest first; a list within it is of equals", "order")
    return groups


def _is_group(names: object) -> bool:
    return isinstance(names, list) and bool(names) and all(isinstance(name, str) for name in names)


def _quantity(name: str, of: str, along: str, where: str) -> str:
    if not along:
        return name
    rest = f", {where}" if where else ""
    return f"{of} where {along}={name}{rest}"


def _mean(number: Number) -> float:
    return number.interval.mean if number.interval else -math.inf


def _more(above: Number, below: Number, ties: float) -> Outcome:
    """Whether one is more than the other, or as good as equal."""
    runs = [run for run in above.runs if run in below.runs]
    difference = paired([below.runs[run] for run in runs], [above.runs[run] for run in runs])
    low, high = ends(difference)
    slack = ties * max(abs(_mean(above)), abs(_mean(below)))
    # Equal is not more, but for ties.
    least = -slack if slack else math.ulp(0.0)
    return within(low, high, least, math.inf)


def _shown(groups: Sequence[Sequence[str]]) -> str:
    return " > ".join(group[0] if len(group) == 1 else f"{{{', '.join(group)}}}" for group in groups)

"""How many times one number is another, run by run."""

from __future__ import annotations

import math

from tailrace.reproduce.checks.common import Finding, Numbers, ends, limits, said, within
from tailrace.reproduce.keys import Keys
from tailrace.statistics import AMOUNT, interval


def judge(keys: Keys, numbers: Numbers) -> Finding:
    """`of` over `to`, and limits as for a value."""
    above, below = (numbers.one(keys.take(key, str), keys) for key in ("of", "to"))
    wanted = limits(keys, "")
    keys.finish()
    both = [run for run in above.runs if run in below.runs]
    ratios = [above.runs[run] / below.runs[run] if below.runs[run] else math.inf for run in both]
    if any(map(math.isinf, ratios)):
        low, high = math.inf, math.inf
        ours = f"{below.label} is 0"
    else:
        found = interval(ratios, AMOUNT)
        low, high = ends(found)
        ours = f"{above.label} / {below.label}: {said(found)}"
    return Finding(within(low, high, wanted.least, wanted.most), ours, wanted.wanted)

"""Kinds of checks: a file each, and a line here.

A check compares numbers of the runs with what the paper says, and says three things: whether that holds, what was
found, in words, and what was wanted. It holds where the whole 95 % interval lies within the limits, fails where all of
it lies beyond, and is open where it reaches across one: more runs would tell.
"""

from __future__ import annotations

from tailrace.reproduce.checks import flat, monotone, order, precise, ratio, table, value
from tailrace.reproduce.checks.outcome import Judge

# Name -> what judges it.
KINDS: dict[str, Judge] = {
    "value": value.judge,
    "ratio": ratio.judge,
    "order": order.judge,
    "flat": flat.judge,
    "monotone": monotone.judge,
    "table": table.judge,
    "precise": precise.judge,
}

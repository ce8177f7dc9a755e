"""A number lies near the paper's, or between limits; "zero" is a number that is at most next to nothing."""

from __future__ import annotations

from tailrace.reproduce.checks.outcome import Finding, Numbers, limits, within
from tailrace.reproduce.toml_keys import Keys


def judge(keys: Keys, numbers: Numbers) -> Finding:
    """`of`, and `paper` with `within`, or `at_least`, `at_most`."""
    found = numbers.one(keys.take("of", str), keys)
    wanted = limits(keys, found.unit)
    keys.finish()
    outcome = within(*found.ends, wanted.least, wanted.most)
    return Finding(outcome, f"{found.label}: {found.said}", wanted.wanted)

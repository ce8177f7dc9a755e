"""Shapers and policers beside a kernel's: patterns, and how the two sides are compared."""

import pytest

from validation import openloop, tokens


def test_patterns_have_the_load_of_those_they_are_made_of() -> None:
    lines = [tuple(map(int, line.split())) for line in tokens.pattern("flood", 1).splitlines()]
    assert [line[0] for line in lines] == sorted(line[0] for line in lines)
    bits = sum(size for _, _, size, _ in lines) * 8 / (lines[-1][0] / 1e9)
    assert bits == pytest.approx(2.0 * openloop.TABLE["rate_mbit"] * 1e6, rel=0.02)
    assert {tos for *_, tos in lines} == set(tokens.TABLE["tos"])


def test_packets_are_offered_when_they_came_and_compared_by_number() -> None:
    theirs = tokens.parse("in 0 10\nin 2 30\nin 3 40\nout 0 15\nout 3 45\n")
    text = "1 0 100 0\n2 1 200 8\n3 2 300 16\n4 3 400 24\n"
    assert tokens.offered_anew(text, theirs.came) == "10 0 100 0\n30 2 300 16\n40 3 400 24\n"
    # Ours are numbered by what came: 0, 2 and 3 are 0, 1 and 2.
    same = tokens.compared(theirs, tokens.Passage({}, {0: 15, 2: 45}))
    assert same.same and same.passed == (2, 2)
    other = tokens.compared(theirs, tokens.Passage({}, {0: 1016, 1: 31}))
    assert (other.apart, other.moved, other.latest_ns) == (2, 1, 1001)
    assert tokens.compared(theirs, tokens.Passage({}, {0: 1015, 2: 45})).same

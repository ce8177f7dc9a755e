"""The comparison of disciplines without TCP: its patterns and what it reads."""

import pytest

from validation import openloop


def test_a_pattern_offers_its_load_in_the_order_of_time():
    lines = [tuple(map(int, line.split())) for line in openloop.pattern("flood", 1).splitlines()]
    assert lines == sorted(lines)
    bits = sum(size for *_, size in lines) * 8 / openloop.TABLE["duration_s"]
    assert bits == pytest.approx(2.0 * openloop.TABLE["rate_mbit"] * 1e6, rel=0.02)
    assert {flow for _, flow, _ in lines} == set(range(11))


def test_pulses_are_silent_between_them():
    period, on = 1.1, 0.2
    times = [
        int(line.split()[0]) / 1e9 for line in openloop.pattern("pulses", 1).splitlines() if " 6 " in line
    ]
    assert times and all(t % period < on for t in times)


def test_a_run_is_read_by_its_samples():
    text = "begin\nsample 10000000 4 0\nsample 20000000 8 3\nflow 0 arrived 30\nflow 2 arrived 10\ndone\n"
    shown = openloop.parse(text)
    assert (shown.queue, shown.drops, shown.largest) == (6.0, 3, 0.75)
    assert shown.by_second == (6.0,)

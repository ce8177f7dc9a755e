"""Whether a series has settled: synthetic ones with known answers, and results."""

import math
import random

import pytest

import tailrace
from conftest import SMALL, command_line
from tailrace.stats import steady_state
from tailrace.stats.statistics import students_p


def noise(count, correlation, seed, mean=10.0):
    """An autoregressive series of order one, steady from its first sample on."""
    draw = random.Random(seed)
    value, found = draw.gauss(0, 1 / math.sqrt(1 - correlation**2)), []
    for _ in range(count):
        found.append(mean + value)
        value = correlation * value + draw.gauss(0, 1)
    return found


def test_the_tails_of_student_agree_with_the_printed_tables():
    # Two-sided: t(9) = 2.262 at 5 %, 3.250 at 1 %, 4.781 at 0.1 %.
    for t, p in ((2.262, 0.05), (3.250, 0.01), (4.781, 0.001)):
        assert students_p(t, 9) == pytest.approx(p, rel=2e-3)
        assert students_p(-t, 9) == students_p(t, 9)


def test_the_comparison_by_hand():
    # Twenty batches of ten samples: the first four 5, then 11 and 9 in turn.
    values = [5.0] * 40 + ([11.0] * 10 + [9.0] * 10) * 8
    found = steady_state.drift(values)
    assert (found.first, found.last) == (5.0, 10.0)
    # The last half about its line, which falls by 5/82.5 a batch: squares 10 - 25/82.5 = 9.697, 8 degrees of freedom,
    # neighbours correlated by less than nothing. t = 5 / √(9.697/8 · (1/4 + 1/10)) = 7.6764
    assert found.p == pytest.approx(students_p(7.6764, 8), rel=1e-3)


@pytest.mark.parametrize(("correlation", "most"), [(0.0, 0.01), (0.5, 0.01), (0.9, 0.05)])
def test_noise_alone_seldom_moves(correlation, most):
    moved = sum(steady_state.drift(noise(500, correlation, seed)) is not None for seed in range(300))
    assert moved / 300 <= most


@pytest.mark.parametrize("sign", [-1, 1])
def test_a_transient_is_found_and_left_out(sign):
    cuts, found, left = [], 0, 0
    for seed in range(100):
        steady = noise(500, 0.5, seed, mean=20.0)
        values = [value + sign * 12 * math.exp(-place / 40) for place, value in enumerate(steady)]
        found += steady_state.drift(values) is not None
        cut = steady_state.mser5(values)
        cuts += [] if cut is None else [cut]
        left += cut is not None and steady_state.drift(values[cut:]) is not None
    assert found >= 95
    assert left <= 5
    assert len(cuts) >= 90
    # Within 60 to 160 samples the transient falls from 2.7 to 0.2, beside noise with a deviation of 1.15.
    assert 60 <= sorted(cuts)[len(cuts) // 2] <= 160


def test_a_trend_without_end_is_found_and_has_no_steady_part():
    values = [value + place / 20 for place, value in enumerate(noise(500, 0.5, 1))]
    assert steady_state.drift(values) is not None
    assert steady_state.mser5(values) is None


def test_mser_by_hand():
    # Batches of five: 9, 9, 1, 2, 1, 2, ...: the standard error is smallest without the first two.
    values = [9.0] * 10 + ([1.0] * 5 + [2.0] * 5) * 6
    assert steady_state.mser5(values) == 10
    assert steady_state.mser5([3.0] * 100) == 0
    assert steady_state.mser5([1.0] * 24) is None


def test_what_does_not_matter_is_not_told():
    # Plain to see, but 1 % of the mean.
    assert steady_state.drift([99.0] * 40 + [100.0] * 160) is None
    assert steady_state.drift([1.0] * 100 + [9.0] * 99) is None
    assert steady_state.drift([0.0] * 400) is None
    # A constant that was another: no noise explains that.
    assert steady_state.drift([50.0] * 40 + [100.0] * 160).p == 0.0


def test_warmups_are_rounded_up_to_two_digits():
    assert [steady_state.rounded_up(s) for s in (0.0, 0.1234, 9.96, 100.1)] == [0.0, 0.13, 10.0, 110.0]


FLOW = {"app": {"kind": "bulk"}, "start": "uniform(0 s, 2 s)"}


@pytest.mark.parametrize(
    ("more", "steady"),
    [
        ({}, True),
        ({"start": ["0 s", "3 s"]}, True),
        ({"start": ["0 s", "30 s"]}, False),
        ({"start": "exponential(1 s)"}, False),
        ({"role": "attack"}, False),
        ({"stop": "20 s"}, False),
        ({"app": "bulk"}, True),
        ({"app": {"kind": "transfer", "size": "1 MB"}}, False),
        ({"app": {"kind": "flash_crowd"}}, False),
        ({"app": {"kind": "sequence", "count": "auto"}}, True),
        ({"app": {"kind": "sequence", "count": 5}}, False),
    ],
)
def test_what_is_meant_to_change_is_not_looked_at(more, steady):
    scenario = {"duration": "40 s", "flow": [FLOW, {**FLOW, **more}]}
    assert steady_state.is_steady_by_design(scenario) is steady
    assert not steady_state.is_steady_by_design({**scenario, "fault": [{}]})
    assert not steady_state.is_steady_by_design({**scenario, "window": [{}]})
    assert not steady_state.is_steady_by_design({**scenario, "attack": [{"name": "x"}]})
    off = {**FLOW, "stop": "5 s", "enabled": False}
    assert steady_state.is_steady_by_design({**scenario, "flow": [FLOW, off], "attack": [{"enabled": False}]})


# A window that grows for seconds: a long fat path with slow start left early.
SLOW = SMALL.replace('duration = "6 s"', 'duration = "120 s"').replace('role = "attack"', "")
SLOW = SLOW.replace('cc = "newreno"', 'cc = "reno", initial_ssthresh = 2')
SLOW_SETS = {
    "link.bottleneck.rate": "20 Mbit/s",
    "link.bottleneck.delay": "150 ms",
    "link.bottleneck.queue": "droptail",
}


def test_a_result_tells_what_had_not_settled():
    result = tailrace.run(SLOW, runs=2, set=SLOW_SETS)
    (found,) = [one for one in result.unsettled if one.what == "goodput of tcp"]
    assert found.drift.first < found.drift.last
    (note,) = [note for note in steady_state.notes(result) if note.startswith("goodput of tcp")]
    assert "from the start on, without a warm-up" in note
    assert not [one for one in result.unsettled if one.what == "goodput of cbr"]
    without = tailrace.run(SLOW, runs=1, set={**SLOW_SETS, "record.interval": "off"})
    assert without.unsettled == []


def test_the_note_stands_below_the_table(tmp_path):
    file = tmp_path / "slow.toml"
    file.write_text(SLOW, encoding="utf-8")
    sets = [word for path, value in SLOW_SETS.items() for word in ("--set", f"{path}={value}")]
    told = command_line("run", file, *sets, "--no-plots", "--runs", "2", cwd=tmp_path)
    assert "note: goodput of tcp still moves" in told.stderr
    quiet = command_line("run", file, *sets, "--no-plots", "--runs", "2", "-q", cwd=tmp_path)
    assert quiet.stderr == ""

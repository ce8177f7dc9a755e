"""Means, intervals and Jain's index against published tables and hand-computed numbers."""

import math
import random

import pytest

from tailrace.stats import bootstrap
from tailrace.stats.statistics import AMOUNT, aggregate, interval, jain, share_ends, student_t_975

# Two-sided 95 % points of Student's t as printed in statistical tables.
TABLE = {
    1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 6: 2.447, 7: 2.365, 8: 2.306, 9: 2.262, 10: 2.228,
    15: 2.131, 20: 2.086, 29: 2.045, 30: 2.042, 60: 2.000, 100: 1.984, 120: 1.980, 1000: 1.962,
}  # fmt: skip


@pytest.mark.parametrize(("freedom", "quantile"), TABLE.items())
def test_student_t_agrees_with_the_printed_tables(freedom, quantile):
    assert student_t_975(freedom) == pytest.approx(quantile, abs=6e-4)


def test_student_t_falls_to_the_normal_quantile():
    quantiles = [student_t_975(n) for n in (1, 2, 5, 50, 2000, 2001, 10**9)]
    assert quantiles == sorted(quantiles, reverse=True)
    assert quantiles[-1] == pytest.approx(1.95996, abs=1e-5)
    with pytest.raises(ValueError, match="degree"):
        student_t_975(0)


def test_interval_of_five_values_by_hand():
    # mean 3, s² = 2.5, t(4) = 2.7764, so ± 2.7764 √(2.5/5) = 1.9632
    found = interval([1.0, 2.0, 3.0, 4.0, 5.0])
    assert (found.mean, found.n) == (3.0, 5)
    assert found.ci95 == pytest.approx(1.9632, abs=1e-4)


def test_one_value_has_no_interval_and_none_has_no_mean():
    assert interval([4.5]).as_dict() == {"mean": 4.5, "ci95": None, "n": 1}
    assert interval([]) is None


def test_jain_is_one_for_equal_shares_and_one_over_n_for_a_monopoly():
    assert jain([3.0] * 7) == pytest.approx(1.0)
    assert jain([0.0, 0.0, 9.0, 0.0]) == pytest.approx(0.25)
    assert jain([1.0, 2.0]) == pytest.approx(9 / 10)
    assert jain([0.0, 0.0]) is None


def test_aggregate_has_the_same_shape_with_intervals_as_leaves():
    def run(goodput, completion):
        return {
            "run": 1,
            "seed": 5,
            "groups": {
                "tcp": {"role": "normal", "goodput_bps": {"mean": goodput}, "completion_s": completion}
            },
        }

    found = aggregate([run(10.0, None), run(14.0, {"mean": 2.0}), run(12.0, {"mean": math.nan})])
    assert "run" not in found
    assert "seed" not in found
    group = found["groups"]["tcp"]
    assert group["role"] == "normal"
    # s = 2, t(2) = 4.3027: ± 4.3027 · 2 / √3 = 4.9683
    assert group["goodput_bps"]["mean"] == {"mean": 12.0, "ci95": pytest.approx(4.9683, abs=1e-3), "n": 3}
    assert group["completion_s"]["mean"] == {"mean": 2.0, "ci95": None, "n": 1}


def test_what_differs_between_runs_and_is_no_number_is_left_open():
    assert aggregate([{"kind": "red"}, {"kind": "codel"}]) == {"kind": None}
    assert aggregate([{"flag": True}, {"flag": True}]) == {"flag": True}
    assert aggregate([{"x": None}, {"x": None}]) == {"x": None}


def test_the_interval_of_a_share_stays_within_its_bounds():
    # Student's would be 0.78 to 1.11.
    found = interval([0.999, 0.99, 0.85, 0.999, 0.999], (0.0, 1.0))
    low, high = found.ends
    assert 0 < low < found.mean < high < 1
    assert found.ci95 == pytest.approx((high - low) / 2)
    assert interval([0.6, 0.4, 0.5], (1 / 3, 1.0)).ends[0] > 1 / 3
    assert interval([1.0, 1.0, 1.0], (0.0, 1.0)).ends == (1.0, 1.0)
    assert interval([0.0, 0.0], (0.0, 1.0)).ends == (0.0, 0.0)
    # One lost packet in one of five runs.
    low, high = interval([0.0, 0.0, 0.0, 0.0, 1e-5], (0.0, 1.0)).ends
    assert 0 < low < 2e-6 < high < 1e-4
    # A link that a fault has made faster is used by more than its rate: no share.
    assert interval([0.9, 1.2, 1.1], (0.0, 1.0)).ends is None
    assert interval([0.5], (0.0, 1.0)).as_dict() == {"mean": 0.5, "ci95": None, "n": 1}


def test_far_from_its_bounds_a_share_has_students_interval():
    assert share_ends(0.5, 0.01) == pytest.approx((0.49, 0.51), abs=1e-5)
    assert share_ends(0.5, 1e6) == (pytest.approx(0.0), pytest.approx(1.0))


def test_the_interval_of_a_share_covers_its_mean_as_often_as_it_says():
    draw = random.Random(1)
    covered = {"share": 0, "student": 0}
    for _ in range(4000):
        values = [draw.betavariate(19, 1) for _ in range(5)]
        low, high = interval(values, (0.0, 1.0)).ends
        covered["share"] += low <= 0.95 <= high
        student = interval(values)
        covered["student"] += abs(student.mean - 0.95) <= student.ci95
    assert 0.93 < covered["share"] / 4000 < 0.96
    assert covered["student"] / 4000 < 0.91


def test_the_interval_of_an_amount_is_students_cut_off_at_0():
    # Mean 1, s = 1, t(2) = 4.3027: ± 2.484.
    found = interval([0.0, 1.0, 2.0], AMOUNT)
    assert found.ends == (0.0, pytest.approx(3.484, abs=1e-3))
    assert found.ci95 == pytest.approx(3.484 / 2, abs=1e-3)
    # What Student's leaves above 0 is left alone, and so is what is negative after all.
    assert interval([10.0, 11.0, 12.0], AMOUNT) == interval([10.0, 11.0, 12.0])
    assert interval([-1.0, 1.0, 0.0], AMOUNT) == interval([-1.0, 1.0, 0.0])


def test_amounts_and_counts_are_known_by_their_names_and_nature():
    def run(x):
        group = {"timeouts": round(x), "goodput_bps": {"sum": x}, "score": x}
        return {"groups": {"tcp": group}}

    group = aggregate([run(0.0), run(1.0), run(2.0)])["groups"]["tcp"]
    assert group["timeouts"]["low"] == group["goodput_bps"]["sum"]["low"] == 0.0
    assert set(group["score"]) == {"mean", "ci95", "n"}


def test_the_names_of_numbers_tell_what_is_a_share():
    def run(x):
        group = {"flows": 2, "jain": x, "loss_ratio": x / 10, "goodput_bps": {"sum": x}}
        return {"groups": {"tcp": group}, "queues": {"q": {"utilization": x}}}

    found = aggregate([run(0.99), run(0.7), run(0.999)])
    group = found["groups"]["tcp"]
    assert 0.5 < group["jain"]["low"] < group["jain"]["high"] < 1
    assert group["loss_ratio"]["low"] > 0
    assert found["queues"]["q"]["utilization"]["high"] < 1
    assert set(group["goodput_bps"]["sum"]) == {"mean", "ci95", "n"}


def test_percentiles_and_spread_over_runs_by_hand():
    values = [4.0, 1.0, 3.0, 2.0]
    assert bootstrap.estimate(values, "median").mean == 2.5
    # Between the third and fourth of four: 3 + 0.85.
    assert bootstrap.estimate(values, "p95").mean == pytest.approx(3.85)
    assert bootstrap.estimate(values, "min").mean == 1.0
    assert bootstrap.estimate(values, "max").mean == 4.0
    # s = √(5/3), mean 2.5
    assert bootstrap.estimate(values, "cv").mean == pytest.approx(math.sqrt(5 / 3) / 2.5)
    assert bootstrap.estimate(values, "mean") == interval(values)
    assert bootstrap.estimate([], "median") is None
    assert bootstrap.estimate([5.0], "cv") is None
    assert bootstrap.estimate([-1.0, 1.0], "cv") is None


def test_there_is_an_interval_from_as_many_runs_as_can_hold_one():
    # 1 - 2 / 2^n >= 0.95 from n = 6; 1 - 0.95^n - 0.05^n from 59.
    assert bootstrap.estimate([1.0] * 5, "median").ci95 is None
    assert bootstrap.estimate([1.0] * 6, "median").ci95 == 0.0
    assert bootstrap.fewest("p95") == bootstrap.fewest("p5") == 59
    assert bootstrap.estimate(list(range(1000)), "max").ci95 is None


def test_the_bootstraps_interval_is_the_same_each_time_and_covers_the_median():
    draw = random.Random(3)
    covered = 0
    for _ in range(400):
        values = [draw.expovariate(1.0) for _ in range(20)]
        found = bootstrap.estimate(values, "median")
        assert found == bootstrap.estimate(values, "median")
        low, high = found.ends
        covered += low <= math.log(2) <= high
    assert 0.90 < covered / 400 < 0.98


@pytest.mark.parametrize("over", ["p0", "p100", "mode", "p", "median1"])
def test_there_are_no_other_statistics(over):
    assert not bootstrap.is_known(over)

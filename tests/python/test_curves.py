"""From samples to curves: bins, groups, runs, intervals."""

import math

import numpy as np
import polars as pl
import pytest

from tailrace.show.charts.curves import Grouped, average, natural, total


def samples(rows):
    return pl.DataFrame(rows, schema=["run", "time_s", "flow", "x", "y"], orient="row")


def test_samples_are_averaged_within_a_bin_and_then_combined_over_members():
    # 200 samples 0.5 s apart: 100 bins of 1 s, two samples each.
    rows = [(1, 0.5 * k, flow, float(k + 10 * flow), 0) for flow in (0, 1) for k in range(1, 201)]
    grouped = Grouped.of(samples(rows), "flow")
    assert len(grouped.middles) == 100
    summed = grouped.curve("x", total)
    # First bin: k = 1, 2: mean 1.5 and 11.5.
    assert summed.mean[0] == pytest.approx(13.0)
    assert grouped.curve("x", average).mean[0] == pytest.approx(6.5)
    assert summed.band is None
    assert grouped.curve("x", total, ["1"]).mean[0] == pytest.approx(11.5)


def test_bins_are_no_finer_than_the_samples():
    grouped = Grouped.of(samples([(1, float(k), 0, 1.0, 0) for k in range(1, 6)]), "flow")
    assert grouped.middles.tolist() == [0.5, 1.5, 2.5, 3.5, 4.5]


def test_the_band_is_the_student_interval_over_runs():
    rows = [(run, 1.0, 0, value, 0) for run, value in ((1, 1.0), (2, 2.0), (3, 3.0))]
    curve = Grouped.of(samples(rows), "flow").curve("x", average)
    assert curve.mean.tolist() == [2.0]
    # s = 1, t(2) = 4.3027, so 4.3027 / √3
    low, high = curve.band
    assert (high[0] - 2.0, 2.0 - low[0]) == pytest.approx((2.4841, 2.4841), abs=1e-3)


def test_a_bin_that_one_run_lacks_uses_the_others():
    rows = [(1, 1.0, 0, 1.0, 0), (1, 2.0, 0, 5.0, 0), (2, 1.0, 0, 3.0, 0)]
    curve = Grouped.of(samples(rows), "flow").curve("x", average)
    assert curve.mean.tolist() == [2.0, 5.0]
    assert math.isnan(curve.band[0][1])


def test_a_ratio_of_cumulative_counts_carries_flows_that_ended():
    # Flow 0 ends after 2 s with 1 of 10 lost; flow 1 goes on to 3 of 30.
    rows = [
        (1, 1.0, 0, 0.0, 5),
        (1, 2.0, 0, 1.0, 10),
        (1, 1.0, 1, 1.0, 5),
        (1, 2.0, 1, 2.0, 10),
        (1, 3.0, 1, 3.0, 30),
    ]
    curve = Grouped.of(samples(rows), "flow").ratio_so_far("x", "y")
    assert curve.mean.tolist() == pytest.approx([0.1, 3 / 20, 4 / 40])


def test_the_band_of_a_ratio_stays_between_none_and_all():
    rows = [(run, 1.0, 0, lost, 1000.0) for run, lost in ((1, 0.0), (2, 1.0), (3, 60.0))]
    low, high = Grouped.of(samples(rows), "flow").ratio_so_far("x", "y").band
    assert 0 < low[0] < 61 / 3000 < high[0] < 1


def test_nothing_is_not_zero():
    values = np.array([[np.nan, np.nan], [1.0, np.nan]])
    assert math.isnan(total(values)[0])
    assert total(values)[1] == 1.0
    assert math.isnan(average(values)[0])


def test_names_sort_by_number():
    assert sorted(["tcp[10]", "tcp[9]", "a", "tcp[1]"], key=natural) == ["a", "tcp[1]", "tcp[9]", "tcp[10]"]

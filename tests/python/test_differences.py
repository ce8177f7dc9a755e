"""Differences between results, comparisons and sweeps; tolerances; metrics by name of all of them."""

import csv
import io
import json

import polars as pl
import pytest

import tailrace
from conftest import SMALL, command_line
from tailrace.errors import UsageError
from tailrace.stats import differences, numbers, statistics, tolerances
from tailrace.stats.measured import Measured, MeasuredCell
from tailrace.stats.metrics import SHORT

A = [10e6, 12e6, 14e6, 16e6]
B = [11e6, 13e6, 16e6, 18e6]


def measured(*cells, seeds=(1, 2, 3, 4), label="only"):
    """A study whose cells have these goodputs (bit/s) by run."""
    entries = [
        (cell, run, {"groups": {"tcp": {"goodput_bps": {"sum": value}}}})
        for cell, values in enumerate(cells, 1)
        for run, value in enumerate(values, 1)
    ]
    rows = [
        MeasuredCell(cell, f"{label}{cell}", [cell], f"{label}{cell}") for cell in range(1, len(cells) + 1)
    ]
    of_run = {(cell, run): seeds[run - 1] for cell, run, _ in entries}
    return Measured("study", ["x"], rows, numbers.frame(entries), of_run)


def test_paired_differences_by_hand():
    (row,) = differences.of(measured(A), measured(B)).rows
    # Differences 1, 1, 2, 2: mean 1.5, s² = 1/3, t(3) = 3.1824: ± 3.1824 √(1/12) = 0.91868
    assert row.change.mean == pytest.approx(1.5)
    assert row.change.ci95 == pytest.approx(0.91868, abs=1e-4)
    assert row.relative == pytest.approx(1.5 / 13)
    assert row.significant is True
    assert row.paired


def test_other_seeds_are_compared_as_independent_runs():
    found = differences.of(measured(A), measured(B, seeds=(5, 6, 7, 8)))
    (row,) = found.rows
    # Variances 20/3 and 29/3; √((20/3 + 29/3)/4) = 2.02073;
    # freedom (49/12)² / ((20/12)²/3 + (29/12)²/3) = 5.80, taken as 5: t = 2.5706
    assert row.change.mean == pytest.approx(1.5)
    assert row.change.ci95 == pytest.approx(2.5706 * 2.02073, abs=1e-3)
    assert row.significant is False
    assert not row.paired
    assert any("Welch" in note for note in found.notes)


def test_runs_without_a_counterpart_do_not_count():
    (row,) = differences.of(measured(A), measured(B[:2])).rows
    assert row.change.n == 2
    assert row.before.mean == pytest.approx(11.0)


def test_one_run_a_side_has_a_difference_and_no_interval():
    found = differences.of(measured(A[:1]), measured(B[:1]))
    (row,) = found.rows
    assert (row.change.mean, row.ends, row.significant) == (pytest.approx(1.0), None, None)
    assert any("no intervals" in note for note in found.notes)


def test_welch_of_constants_and_of_nothing():
    assert statistics.welch([2.0, 2.0], [3.0, 3.0]) == statistics.Interval(1.0, 0.0, 2)
    assert statistics.welch([], [1.0]) is None
    assert statistics.welch([1.0], [3.0, 5.0]) == statistics.Interval(3.0, None, 1)


def test_only_cells_that_both_have_are_compared():
    found = differences.of(measured(A, B), measured(B))
    assert [row.label for row in found.rows] == ["only1"]
    assert "1 variants are only in A" in found.notes
    with pytest.raises(UsageError, match="no variant in common"):
        differences.of(measured(A), measured(B, label="other"))


@pytest.mark.parametrize(
    ("limit", "change", "ends", "strict", "state", "broken"),
    [
        # Of a mean of 100.
        ("5%", -8.0, (-10.0, -6.0), False, "broken", True),
        ("5%", -8.0, (-12.0, -4.0), False, "open", False),
        ("5%", -8.0, (-12.0, -4.0), True, "open", True),
        ("5%", 3.0, (2.0, 4.0), True, "kept", False),
        ("5%", 6.0, None, False, "broken", True),
        ("5%", 5.0, None, True, "kept", False),
        ("-5%", 50.0, (40.0, 60.0), True, "kept", False),
        ("-5%", -50.0, (-60.0, -40.0), False, "broken", True),
        ("+5%", -50.0, (-60.0, -40.0), False, "kept", False),
        ("7 Mbit/s", 8.0, (7.5, 8.5), False, "broken", True),
        ("9 Mbit/s", 8.0, (7.5, 8.5), False, "kept", False),
        ("0", 0.0, (0.0, 0.0), True, "kept", False),
        # Both sides, not one, must be below what it begins with.
        ("5% from 101Mbit/s", -8.0, (-10.0, -6.0), True, "not judged", False),
        ("5% from 101Mbit/s", 8.0, (6.0, 10.0), False, "broken", True),
        ("5% from 100Mbit/s", -8.0, (-10.0, -6.0), False, "broken", True),
        ("-5% from 101 Mbit/s", -50.0, (-60.0, -40.0), True, "not judged", False),
    ],
)
def test_a_tolerance_is_broken_where_the_interval_says_so(limit, change, ends, strict, state, broken):
    tolerance = tolerances.of(limit, SHORT["goodput"])
    found = tolerances.judge(tolerance, 100.0, change, ends, strict=strict)
    assert (found.state, found.broken) == (state, broken)


def test_a_broken_tolerance_says_by_how_much():
    found = differences.of(measured(A), measured(B), tolerances=["goodput=1%"])
    (row,) = found.broken
    # The mean of A is 13, 1 % of it 0.13; 1.5 - 0.13 = 1.37. The interval's nearer end is 0.58.
    text = differences.broken_text(row, found.sides)
    assert row.verdict.excess == pytest.approx(1.37)
    assert text == (
        "broken: only1: goodput [Mbit/s] differs by +1.5 (+11.5 %), 95 % interval +0.5813 to +2.419: "
        "1.37 beyond the tolerance 1%"
    )
    assert differences.of(measured(A), measured(B), tolerances=["goodput=11%"]).broken == []


@pytest.mark.parametrize(
    ("metric", "limit", "value"),
    [("delay", "2 ms", 2.0), ("delay", "0.1s", 100.0), ("goodput", "2000 kbit/s", 2.0), ("loss", "1", 1.0)],
)
def test_absolute_tolerances_have_units(metric, limit, value):
    found = tolerances.of(limit, SHORT[metric])
    assert (found.limit, found.relative) == (pytest.approx(value), False)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("goodput", "takes METRIC=LIMIT"),
        ("goodput=", "takes METRIC=LIMIT"),
        ("goodput=much", "no number"),
        ("goodput=x%", "no share"),
        ("goodput=5", r"has no unit: say 5% of the mean, or 5 Mbit/s"),
        ("goodput=3 ms", "is in s, goodput"),
        ("goodput=3% from 3 ms", "is in s, goodput"),
        ("goodput=3% from 3%", "begins with no quantity: write 10% from 5 Mbit/s"),
        ("goodput=3% from -3 Mbit/s", "begins with no quantity"),
        ("godput=3%", "did you mean goodput"),
        ("median(goodput)=3%", "differences are computed of means"),
        ("delay=3%", "nothing here has a delay"),
    ],
)
def test_what_is_no_tolerance_is_said(text, message):
    with pytest.raises(UsageError, match=message):
        differences.of(measured(A), measured(B), tolerances=[text])


def test_a_value_that_one_side_lacks_breaks_a_tolerance():
    found = differences.of(measured(A), measured([None] * 4), tolerances=["goodput=50%"])
    (row,) = found.broken
    assert differences.broken_text(row, found.sides) == "broken: only1: goodput [Mbit/s] has no value in B"
    with pytest.raises(UsageError, match="neither A nor B"):
        differences.of(measured([None]), measured([None]), tolerances=["goodput=50%"])


# -- of real runs --------------------------------------------------------------------------------------------------


def test_results_differ_run_by_run(small, small_codel):
    found = small.difference(small_codel, ["tcp.goodput"])
    (row,) = found.rows
    sums = [
        [run["groups"]["tcp"]["goodput_bps"]["sum"] / 1e6 for run in result.summary["runs"]]
        for result in (small, small_codel)
    ]
    by_hand = [b - a for a, b in zip(*sums, strict=True)]
    assert row.change.mean == pytest.approx(sum(by_hand) / 3)
    assert row.paired
    same = small.difference(small)
    assert {row.change.mean for row in same.rows} == {0.0}
    assert not any(row.significant for row in same.rows)


def test_other_seeds_of_real_runs_are_seen(small):
    other = tailrace.run(SMALL, seed=8)
    assert not any(row.paired for row in small.difference(other).rows)


def test_comparisons_and_sweeps_differ_by_cell(small, small_codel, tmp_path):
    one = tailrace.compare({"x": small, "y": small_codel})
    two = tailrace.compare({"y": small_codel, "x": small_codel})
    rows = one.difference(two, ["tcp.goodput"]).rows
    assert [row.label for row in rows] == ["x", "y"]
    assert rows[0].change.mean != 0
    assert rows[1].change.mean == 0
    axes = {"link.bottleneck.rate": ["1 Mbit/s", "2 Mbit/s"]}
    first = tailrace.sweep(SMALL, axes, runs=2, output=tmp_path / "a")
    # The same cells in other words, and one more.
    axes = {"link.bottleneck.rate": ["2000 kbit/s", "1 Mbit/s", "3 Mbit/s"]}
    second = tailrace.sweep(SMALL, axes, runs=2, output=tmp_path / "b", set={"link.bottleneck.delay": "1 ms"})
    found = first.difference(second, ["tcp.rtt"])
    assert [row.parameters for row in found.rows] == [[1e6], [2e6]]
    assert all(row.change.mean < 0 for row in found.rows)
    assert "1 variants are only in B" in found.notes
    # A store that holds more cells than its last plan.
    tailrace.sweep(SMALL, {"link.bottleneck.rate": ["2 Mbit/s"]}, runs=2, output=tmp_path / "a")
    assert len(tailrace.Sweep.load(tmp_path / "a").difference(second, ["tcp.rtt"]).rows) == 1


def test_tables_of_results_are_those_of_sweeps(small, small_codel):
    table = tailrace.compare({"x": small, "y": small_codel}).metrics_table(
        ["tcp.goodput", "max(tcp.goodput)"]
    )
    rows = json.loads(table.text("json"))
    sums = [run["groups"]["tcp"]["goodput_bps"]["sum"] / 1e6 for run in small.summary["runs"]]
    assert [row["variant"] for row in rows] == ["x", "y"]
    assert rows[0]["tcp goodput [Mbit/s]"]["mean"] == pytest.approx(sum(sums) / 3)
    assert rows[0]["max(tcp goodput) [Mbit/s]"] == {
        "value": pytest.approx(max(sums)),
        "low": None,
        "high": None,
        "n": 3,
    }
    assert small.metrics_table().parameters == []
    assert "runs" in small.metrics_table(["tcp.goodput"]).text("csv").splitlines()[0]


def test_frames_and_forms_have_a_row_a_difference(small, small_codel):
    found = small.difference(small_codel, ["goodput"], tolerances=["tcp.goodput=90%"])
    frame = found.frame
    assert isinstance(frame, pl.DataFrame)
    assert frame["metric"].to_list() == ["cbr goodput [Mbit/s]", "tcp goodput [Mbit/s]"]
    rows = list(csv.DictReader(io.StringIO(found.text("csv"))))
    assert float(rows[1]["difference"]) == pytest.approx(frame["difference"][1])
    assert rows[1]["tolerance"] == "90%: kept"
    assert found.text("md").count("|\n") == 4
    assert found.text("latex").count("\\\\") == 3
    assert "shown" in str(found)
    assert "<table>" in found._repr_html_()


# -- within one study ----------------------------------------------------------------------------------------------

SPEEDS = {"link.bottleneck.rate": ["1 Mbit/s", "2 Mbit/s"]}
OFF = {"flow.cbr.start": ["0 s", "1000 s"]}


def by_cell(sweep, metric, **where):
    return sweep.metric(metric).filter(**where).sort("run")["value"].to_list()


def test_cells_differ_from_those_of_a_baseline():
    swept = tailrace.sweep(SMALL, {**SPEEDS, **OFF}, runs=2)
    found = swept.against("cbr.start=1000 s", ["tcp.goodput"])
    assert [row.parameters for row in found.rows] == [[1e6, 0.0], [2e6, 0.0]]
    for row in found.rows:
        where = {"bottleneck.rate": row.parameters[0]}
        attacked = by_cell(swept, "tcp.goodput", **where, **{"cbr.start": 0.0})
        calm = by_cell(swept, "tcp.goodput", **where, **{"cbr.start": 1000.0})
        assert row.change.mean == pytest.approx(sum(attacked) / 2 - sum(calm) / 2)
        assert row.relative == pytest.approx((sum(attacked) - sum(calm)) / sum(calm))
        assert row.paired
        assert row.change.mean < 0
    # The end of the name, and the value in other words.
    assert swept.against("start=1000000 ms", ["tcp.goodput"]).rows == found.rows
    broken = swept.against(
        "start=1000 s", ["tcp.goodput"], tolerances=["tcp.goodput=-1%"], strict=True
    ).broken
    assert len(broken) == 2
    with pytest.raises(UsageError, match=r"no cell has cbr\.start=7 s \(there are 0 s, 1000 s\)"):
        swept.against("start=7 s")
    with pytest.raises(UsageError, match="PARAMETER=VALUE"):
        swept.against("calm")
    with pytest.raises(UsageError, match="no swept parameter"):
        swept.against("nonsense=1")


def test_presets_and_what_goes_together_are_told_from_the_rest():
    presets = {
        "calm": {"flow.cbr.app.rate": "1 kbit/s", "flow.cbr.start": "1 s"},
        "storm": {"flow.cbr.app.rate": "1 Mbit/s", "flow.cbr.start": "0 s"},
    }
    swept = tailrace.sweep(SMALL, SPEEDS, presets=presets, derive={"flow.tcp.stop": "'4 s' + start"}, runs=1)
    found = swept.against("preset=calm", ["tcp.goodput"])
    assert [row.label for row in found.rows] == ["rate=1 Mbit/s storm", "rate=2 Mbit/s storm"]
    queues = {"link.bottleneck.queue": ["red", "{ kind = 'codel', target = '10 ms' }"]}
    (row,) = tailrace.sweep(SMALL, queues, runs=1).against("queue=codel", ["tcp.goodput"]).rows
    assert row.label == "red"


def test_variants_differ_from_a_baseline(small, small_codel):
    both = tailrace.compare({"x": small, "y": small_codel})
    (row,) = both.against("x", ["tcp.goodput"]).rows
    assert row.label == "y"
    assert row.change == small.difference(small_codel, ["tcp.goodput"]).rows[0].change
    with pytest.raises(UsageError, match="there is no variant 'z'"):
        both.against("z")
    with pytest.raises(UsageError, match="no cell to compare"):
        tailrace.compare({"x": small}).against("x")


# -- on the command line -------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def folders(small, small_codel, tmp_path_factory):
    place = tmp_path_factory.mktemp("two")
    small.save(place / "a")
    small_codel.save(place / "b")
    return place


def test_compare_of_two_folders_shows_differences(folders):
    plain = command_line("compare", "a", "b", cwd=folders)
    assert plain.returncode == 0, plain.stderr
    assert "b − a" in plain.stdout
    assert "mean ± half width" in plain.stdout
    document = json.loads(command_line("compare", "a", "b", "--json", cwd=folders).stdout)
    assert set(document) == {"title", "variants", "difference"}
    chosen = command_line("compare", "a", "b", "--columns", "tcp.goodput", "--format", "csv", cwd=folders)
    assert chosen.stdout.splitlines()[0].startswith("label,metric,before,after,difference,low,high,")
    assert len(chosen.stdout.splitlines()) == 2
    three = command_line("compare", "a", "b", "a", "--columns", "tcp.goodput", cwd=folders)
    assert "shown" not in three.stdout
    assert "tcp goodput" in three.stdout


def test_a_broken_tolerance_is_exit_code_4(folders):
    asked = ("compare", "a", "b", "--quiet")
    assert command_line(*asked, "--tolerance", "goodput=90%", cwd=folders).returncode == 0
    broken = command_line(*asked, "--tolerance", "backlog=0.01", cwd=folders)
    assert (broken.returncode, broken.stdout) == (4, "")
    assert broken.stderr.startswith("broken: ")
    same = command_line("compare", "a", folders / "a", "--tolerance", "goodput=0", "--strict", cwd=folders)
    assert same.returncode == 0, same.stderr


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("a", "b", "a", "--tolerance", "goodput=5%"), "two folders"),
        (("a", "b", "--strict"), "--tolerance"),
        (("a", "b", "--format", "xml"), "md, csv, json, latex"),
        (("a", "b", "--columns", "godput"), "did you mean goodput"),
    ],
)
def test_what_cannot_be_compared_is_said(folders, arguments, word):
    found = command_line("compare", *arguments, cwd=folders)
    assert found.returncode == 2
    assert word in found.stderr


def test_compare_shows_differences_from_a_baseline(small_file, tmp_path):
    each = ("--set-each", "link.bottleneck.queue=droptail,red", "--no-plots")
    arguments = ("compare", small_file, *each, "-o", "c", "--columns", "tcp.goodput")
    found = command_line(*arguments, "--baseline", "droptail", cwd=tmp_path)
    assert "red − droptail" in found.stdout
    assert found.stdout.count("\n red ") == 2
    unknown = command_line(*arguments, "--baseline", "dropail", cwd=tmp_path)
    assert (unknown.returncode, unknown.stdout) == (2, "")
    assert "did you mean 'droptail'" in unknown.stderr
    tailrace.sweep(SMALL, {"link.bottleneck.queue": ["droptail", "red"]}, runs=2, output=tmp_path / "s")
    table = command_line("compare", "s", "--columns", "tcp.goodput", "--format", "csv", cwd=tmp_path)
    assert len(table.stdout.splitlines()) == 3
    strict = ("--tolerance", "backlog=0", "--strict", "--baseline", "queue=droptail")
    assert command_line("compare", "s", *strict, cwd=tmp_path).returncode == 4


def test_run_has_columns_and_formats(small_file, tmp_path):
    arguments = ("run", small_file, "--no-plots", "-o", tmp_path / "r", "--columns", "tcp.goodput")
    found = command_line(*arguments, "--quiet", "--format", "json", cwd=tmp_path)
    (row,) = json.loads(found.stdout)
    assert row["runs"] == 3
    assert set(row["tcp goodput [Mbit/s]"]) == {"mean", "low", "high", "n"}
    wrong = command_line(*arguments[:-1], "godput", cwd=tmp_path)
    assert wrong.returncode == 2
    assert "did you mean goodput" in wrong.stderr


# -- what a table shows where nobody says --------------------------------------------------------------------------


def test_the_usual_table_shows_what_the_scenario_is_about():
    pinged = SMALL.replace(
        'kind = "cbr", rate = "500 kbit/s", size = "500 B", jitter = 0.1, random_phase = true',
        'kind = "ping"',
    )
    result = tailrace.run(pinged, runs=1, set={"link.bottleneck.queue": "rred"})
    names = [metric.heading for metric in result.measured.metrics()]
    assert "cbr rtt [ms]" in names
    assert "tcp rtt [ms]" not in names
    assert not any("completion" in name for name in names)
    text = str(result)
    assert "round trip ms" in " ".join(text.split())
    flagged = result.summary["runs"][0]["queues"]["r1->r2"]["flagged"]
    assert ("detection" in "".join(names)) == (flagged["detection_s"] is not None)


def test_flags_are_shown_where_there_are_some():
    flooded = tailrace.run(
        SMALL.replace('rate = "500 kbit/s"', 'rate = "5 Mbit/s"'),
        runs=1,
        set={"link.bottleneck.queue": "rred"},
    )
    (found,) = flooded.metrics_table(["r1->r2.detection"]).rows
    seconds = flooded.summary["runs"][0]["queues"]["r1->r2"]["flagged"]["detection_s"]
    assert found.values[0].mean == pytest.approx(seconds * 1e3)
    assert "r1->r2 detection [ms]" in [metric.heading for metric in flooded.measured.metrics()]
    assert "detected" in str(flooded)


def test_plain_tables_stay_as_they_were(small):
    assert "round trip" not in str(small)
    assert "detected" not in str(small)
    names = [metric.heading for metric in small.measured.metrics()]
    assert not any("rtt" in name or "detection" in name for name in names)

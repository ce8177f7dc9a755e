"""More runs until a mean is known closely enough."""

import random

import pytest

import tailrace
from conftest import SMALL, command_line
from tailrace.errors import UsageError
from tailrace.stats.statistics import Interval, interval
from tailrace.study import precision, sweep_runner
from tailrace.study.precision import Goal, next_count

QUEUES = {"link.bottleneck.queue": ["droptail", "red"]}


def test_the_next_round_by_hand():
    def after(runs, half, most=100):
        return next_count(runs, Interval(10.0, half, runs), 0.05, most)

    # Half a unit of ten is wanted.
    assert after(8, 0.5) == 8
    # (0.6/0.5)² · 10 = 14.4
    assert after(10, 0.6) == 15
    # (0.51/0.5)² · 20 = 20.8, but at least a quarter more
    assert after(20, 0.51) == 25
    # (2/0.5)² · 10 = 160, but at most twice as many, and no more than there may be
    assert after(10, 2.0) == 20
    assert after(10, 2.0, most=12) == 12
    assert after(12, 2.0, most=12) == 12
    assert next_count(5, None, 0.05, 100) == 5
    assert next_count(5, Interval(1.0, None, 5), 0.05, 100) == 10
    assert next_count(5, Interval(0.0, 0.0, 5), 0.05, 100) == 5
    assert next_count(5, Interval(0.0, 1.0, 5), 0.05, 100) == 10


def test_what_is_stopped_at_still_covers_the_mean():
    draw = random.Random(1)
    covered, runs = 0, []
    for _ in range(600):
        values = [draw.gauss(10, 2) for _ in range(300)]
        n = 5
        while (more := next_count(n, interval(values[:n]), 0.05, 300)) > n:
            n = more
        found = interval(values[:n])
        covered += abs(found.mean - 10) <= found.ci95
        runs.append(n)
    # (1.96 · 0.2 / 0.05)² = 61 runs would do if the deviation were known.
    assert 55 <= sorted(runs)[300] <= 80
    assert 0.90 <= covered / 600 <= 0.97


def test_goals_as_they_are_said():
    assert precision.parse("5%", ["goodput", "loss"]).goals == [Goal("goodput", 0.05)]
    assert precision.parse("tcp.goodput=0.1, r1->r2.sojourn = 5 %").goals == [
        Goal("tcp.goodput", 0.1),
        Goal("r1->r2.sojourn", 0.05),
    ]
    assert precision.parse(None) is None


@pytest.mark.parametrize(
    ("text", "most", "message"),
    [
        ("5%", None, "of what"),
        ("goodput=much", None, "takes METRIC=SHARE"),
        ("goodput=0", None, "takes METRIC=SHARE"),
        ("goodput=150%", None, "takes METRIC=SHARE"),
        (None, 50, "ceiling of --until-ci"),
    ],
)
def test_what_is_no_goal_is_said(text, most, message):
    with pytest.raises(UsageError, match=message):
        precision.parse(text, [], most)


def swept(place, most=40, **options):
    return tailrace.sweep(
        SMALL, QUEUES, runs=2, output=place, until_ci={"tcp.goodput": 0.01}, max_runs=most, **options
    )


def test_cells_get_the_runs_they_need(tmp_path):
    found = swept(tmp_path / "s")
    counts = dict(found.runs.group_by("label").len().iter_rows())
    values = {
        label: [v for (v,) in found.metric("tcp.goodput").filter(label=label).select("value").iter_rows()]
        for label in counts
    }
    for label, count in counts.items():
        known = interval(values[label])
        assert precision.is_reached(known, 0.01) or count == 40
        assert count >= 5
    # What a cell does not need it does not get, and what was decided follows from the first runs.
    n = dict.fromkeys(counts, 5)
    for label, seen in values.items():
        while (more := next_count(n[label], interval(seen[: n[label]]), 0.01, 40)) > n[label]:
            n[label] = more
    assert counts == n
    assert len(set(counts.values())) == 2
    assert {row["label"]: row["runs"] for row in found.plan} == counts


def test_it_goes_on_where_it_was_stopped(tmp_path, monkeypatch):
    whole = swept(tmp_path / "whole")
    real, ended = sweep_runner.run, []

    def stopped(*arguments, **options):
        if ended:
            raise KeyboardInterrupt
        ended.append(real(*arguments, **options))
        return ended[-1]

    monkeypatch.setattr(sweep_runner, "run", stopped)
    with pytest.raises(KeyboardInterrupt):
        swept(tmp_path / "s")
    monkeypatch.undo()
    again = swept(tmp_path / "s")
    assert again.table(["tcp.goodput"]).text("csv") == whole.table(["tcp.goodput"]).text("csv")
    seen = again.runs
    # More that landed by other commands changes no decision.
    tailrace.sweep(SMALL, QUEUES, runs=len(seen), output=tmp_path / "s")
    third = swept(tmp_path / "s")
    assert [row["runs"] for row in third.plan] == [row["runs"] for row in whole.plan]


def test_the_ceiling_tells_who_did_not_reach_it(tmp_path):
    (tmp_path / "small.toml").write_text(SMALL, encoding="utf-8")
    arguments = ("sweep", "small.toml", "--set-each", "link.bottleneck.queue=droptail,red", "-o", "s")
    found = command_line(
        *arguments, "--columns", "tcp.goodput", "--until-ci", "0.01%", "--max-runs", 6, cwd=tmp_path
    )
    assert found.returncode == 0, found.stderr
    assert "2 of 2 cells are not known as closely" in found.stderr
    assert "red: tcp goodput [Mbit/s] ±" in found.stderr
    assert "after 6 runs" in found.stderr
    shard = command_line(*arguments, "--until-ci", "goodput=5%", "--shard", "1/2", cwd=tmp_path)
    assert shard.returncode == 2
    assert "shard" in shard.stderr


def test_a_run_goes_on_until_its_mean_is_known():
    found = tailrace.run(SMALL, until_ci={"tcp.goodput": 0.01}, max_runs=40)
    sums = [run["groups"]["tcp"]["goodput_bps"]["sum"] for run in found.summary["runs"]]
    n = 5
    while (more := next_count(n, interval(sums[:n]), 0.01, 40)) > n:
        n = more
    assert found.n == n > 5
    assert found.manifest["runs_asked"] == n
    assert [run["run"] for run in found.summary["runs"]] == list(range(1, n + 1))
    # The resolved scenario is that of so many runs, and they are those of any other command.
    assert tailrace.run(found.scenario_toml).fingerprint == found.fingerprint


def test_the_command_line_says_what_a_run_has_not_reached(tmp_path):
    (tmp_path / "small.toml").write_text(SMALL, encoding="utf-8")
    arguments = ("run", "small.toml", "--no-plots", "-o", "r", "--columns", "tcp.goodput")
    found = command_line(*arguments, "--until-ci", "0.01%", "--max-runs", 6, cwd=tmp_path)
    assert found.returncode == 0, found.stderr
    assert "tcp goodput [Mbit/s] ±" in found.stderr
    assert "after 6 runs" in found.stderr
    again = command_line(*arguments, "--until-ci", "0.01%", "--max-runs", 7, cwd=tmp_path)
    assert "6 of 7 runs were already there, 1 were to do" in again.stderr
    assert command_line(*arguments, "--max-runs", 7, cwd=tmp_path).returncode == 2

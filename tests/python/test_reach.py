"""Time to reach a rate and keep it: a metric that is made of series."""

from __future__ import annotations

import json

import polars as pl
import pytest

import tailrace
from conftest import command_line
from tailrace.errors import UsageError

# Ten datagrams in each 100 ms (777.6 kbit/s) but for what is lost from 998 ms to 1495 ms; nothing from 1.8 s on.
OUTAGE = """
name = "outage"
duration = "2 s"
host = [{ name = "a" }, { name = "b" }]
link = [{ name = "path", between = ["a", "b"], rate = "10 Mbit/s", delay = "5 ms" }]
fault = [{ at = "998 ms", until = "1495 ms", link = "path", kind = "blackhole" }]
window = [{ name = "after", start = "1 s" }]
record = { interval = "100 ms" }

[[flow]]
name = "udp"
from = "a"
to = "b"
transport = "udp"
app = { kind = "cbr", rate = "777600 bit/s", size = "972 B" }
stop = "1800 ms"
"""


def reached(result: tailrace.Result, name: str) -> float | None:
    (metric,) = result.measured.metrics([name])
    return result.measured.values(metric).get(1, {}).get(1)


@pytest.fixture(scope="module")
def outage() -> tailrace.Result:
    return tailrace.run(OUTAGE)


@pytest.mark.parametrize(
    ("name", "seconds"),
    [
        # From the first interval on, and once for all before the outage.
        ("reach_700kbit", 0.0),
        ("reach_800kbit", None),
        # Nothing is there from the first interval on.
        ("reach_0", 0.0),
        ("reach_0kbit@after", 0.0),
        ("udp.reach_95", 0.0),
        # Three intervals are full from 1.5 s on, and no fourth.
        ("reach_80_300ms@after", 0.5),
        ("reach_80_400ms@after", None),
        ("reach_100_of_before_200ms@after", 0.5),
        ("reach_101_of_before_200ms@after", None),
    ],
)
def test_it_counts_to_the_first_interval_from_which_on_the_rate_is_kept(outage, name, seconds):
    assert reached(outage, name) == (None if seconds is None else pytest.approx(seconds))


def test_tables_sweeps_and_loaded_results_have_it(outage, tmp_path):
    table = outage.metrics_table(["reach_80_300ms@after"])
    assert "udp reach_80_300ms (after) [s]" in table.text(
        "csv"
    ) or "reach_80_300ms (after) [s]" in table.text("csv")
    loaded = tailrace.Result.load(outage.save(tmp_path / "result"))
    assert reached(loaded, "reach_80_300ms@after") == pytest.approx(0.5)
    ends = {"fault.0.until": ["1195 ms", "1495 ms"]}
    swept = tailrace.sweep(OUTAGE, ends, runs=1, output=tmp_path / "sweep")
    found = swept.metric("reach_80_of_before_200ms@after").sort("cell")
    assert found["value"].to_list() == pytest.approx([0.2, 0.5])
    assert swept.table(["reach_80_300ms@after"]).grid().rows[1][-1] == "0.5"
    (metric,) = swept.metrics(["reach_80_300ms@after"])
    assert metric.bounds == (0.0, float("inf"))


def test_tables_say_how_many_runs_reached_it():
    # Gaps that are drawn put eleven datagrams into an interval of some runs.
    result = tailrace.run(OUTAGE.replace('"cbr",', '"cbr", jitter = 0.5,'), runs=5)
    name = "reach_800kbit_100ms@after"
    (metric,) = result.measured.metrics([name])
    reached_by = len(result.measured.values(metric).get(1, {}))
    assert 0 < reached_by < 5
    table = result.metrics_table([name])
    for form in ("md", "latex"):
        assert f"({reached_by} of 5)" in table.text(form)
        assert "so many runs have a value" in table.text(form)
    head, row = (line.split(",") for line in table.text("csv").splitlines())
    assert row[head.index(f"{metric.heading} n")] == str(reached_by)
    assert "of 5)" not in result.metrics_table(["goodput"]).text("md")


def test_a_run_goes_on_until_it_is_known_closely(tmp_path):
    (tmp_path / "outage.toml").write_text(OUTAGE)
    goal = "reach_80_300ms@after=5%"
    done = command_line("run", "outage.toml", "--until-ci", goal, "--format", "json", "-q", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)[0]["runs"] == 5


def test_figures_say_it_in_words(tmp_path):
    ends = {"fault.0.until": ["1195 ms", "1295 ms", "1495 ms"]}
    swept = tailrace.sweep(OUTAGE, ends, runs=1, output=tmp_path / "sweep")
    figure = swept.plot("reach_80_of_before_200ms@after")
    (axes,) = figure.axes
    assert axes.get_ylabel() == "time to reach 80 % of the rate before for 200 ms in after (ms)"
    assert "time to reach 80 % of the rate before for 200 ms in after against" in figure.get_suptitle()


def test_errors_say_what_is_missing(outage):
    plain = tailrace.run(OUTAGE.replace('"100 ms"', '"off"'))
    with pytest.raises(UsageError, match=r"set \[record\] interval"):
        plain.measured.metrics(["reach_80"])
    with pytest.raises(UsageError, match="reach_80_of_before is of a window: reach_80_of_before@NAME"):
        outage.measured.metrics(["reach_80_of_before"])
    with pytest.raises(UsageError, match=r"no metric 'tcp\.reach_80'"):
        outage.measured.metrics(["tcp.reach_80"])


def test_smoothness_of_the_outage_has_short_names(outage):
    (silence,) = outage.measured.metrics(["silence@after"])
    # From 1 s, where the window begins, to the arrival of what is sent at 1.5 s.
    assert outage.measured.values(silence)[1][1] == pytest.approx(505.8)
    (loss,) = outage.measured.metrics(["loss_max"])
    assert outage.measured.values(loss)[1][1] == 100.0
    assert outage.flow_windows["longest_silence_s"].to_list() == [pytest.approx(0.5058)]
    assert outage.group_series.filter(pl.col("interval_loss_ratio") == 1.0).height > 0

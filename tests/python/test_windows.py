"""Windows: parts of a run with statistics of their own."""

from __future__ import annotations

import json

import polars as pl
import pytest

import tailrace
from conftest import SMALL
from tailrace.show import summary_tables

WINDOWS = """
[[window]]
name = "calm"
[[window]]
name = "storm"
start = "2500 ms"
end = "4 s"
[[window]]
name = "later"
start = "5 s"
"""


@pytest.fixture(scope="module")
def parted() -> tailrace.Result:
    return tailrace.run(SMALL.replace("[record]", f"{WINDOWS}\n[record]", 1))


def test_windows_stand_in_order_of_time_and_have_intervals_over_the_runs(parted):
    assert list(parted.summary["runs"][0]["windows"]) == ["calm", "storm", "later"]
    storm = parted.aggregate["windows"]["storm"]
    assert (storm["start_s"]["mean"], storm["end_s"]["mean"]) == (2.5, 4.0)
    goodput = storm["groups"]["tcp"]["goodput_bps"]["sum"]
    assert goodput["n"] == 3
    assert 0 < goodput["mean"] < 2e6
    assert (
        0 <= storm["groups"]["tcp"]["loss_ratio"]["low"] <= storm["groups"]["tcp"]["loss_ratio"]["high"] <= 1
    )


def test_the_frame_has_a_row_for_each_number(parted, small):
    frame = parted.windows
    wanted = (pl.col("figure") == "sent_packets") & (pl.col("name") == "tcp")
    sent = frame.filter(wanted).pivot("window", index="run", values="value")
    assert sent.columns == ["run", "calm", "storm", "later"]
    for row in sent.iter_rows(named=True):
        entry = parted.summary["runs"][row["run"] - 1]
        assert row["storm"] == entry["windows"]["storm"]["groups"]["tcp"]["sent_packets"]
    queues = frame.filter((pl.col("of") == "queue") & (pl.col("figure") == "backlog_packets.mean"))
    assert set(queues["name"]) == {"r1->r2", "r2->r1"}
    assert frame.select("run", "window", "name", "figure").is_unique().all()
    assert small.windows.is_empty()
    assert small.windows.columns == frame.columns


def test_single_flows_have_rows_by_window(parted, small, tmp_path):
    rows = parted.flow_windows
    assert rows.height == len(parted.flows) * 3
    together = (
        rows.filter(pl.col("group") == "tcp").group_by("run", "window").agg(pl.col("sent_packets").sum())
    )
    for run, window, sent in together.iter_rows():
        entry = parted.summary["runs"][run - 1]["windows"][window]
        assert sent == entry["groups"]["tcp"]["sent_packets"]
    loaded = tailrace.Result.load(parted.save(tmp_path / "result"))
    assert loaded["flow_windows"].equals(rows)
    assert small.flow_windows.is_empty()


def test_windows_survive_saving_and_change_nothing_else(parted, small, tmp_path):
    loaded = tailrace.Result.load(parted.save(tmp_path / "result"))
    assert loaded.windows.equals(parted.windows)
    assert parted.fingerprint == small.fingerprint
    assert {**parted.aggregate["groups"]} == {**small.aggregate["groups"]}


def test_the_table_of_windows_comes_after_the_others(parted, small):
    groups, _, windows, queues = summary_tables.result_grids(parted)
    assert [row[0] for row in windows.rows] == ["calm, 0–2.5 s", "", "storm, 2.5–4 s", "", "later, 5–6 s", ""]
    assert windows.columns[2:] == groups.columns[2:-2]
    assert [row[0] for row in queues.rows] == ["calm", "storm", "later"]
    assert queues.notes == ["queue of every window: r1->r2"]
    assert len(summary_tables.result_grids(small)) == 2


@pytest.mark.parametrize(
    "spoilt",
    [5, {"calm": {}}, {"calm": {"start_s": 0, "end_s": 1, "groups": 3, "queues": {}, "connections": {}}}],
)
def test_damaged_windows_are_refused(parted, tmp_path, spoilt):
    file = parted.save(tmp_path / "result") / "summary.json"
    document = json.loads(file.read_text())
    document["runs"][1]["windows"] = spoilt
    file.write_text(json.dumps(document))
    with pytest.raises(tailrace.UsageError, match=r"runs\[1\]\.windows"):
        tailrace.Result.load(tmp_path / "result")


def test_a_window_beyond_the_end_is_said_with_its_place():
    text = SMALL.replace("[record]", '[[window]]\nname = "late"\nstart = "7 s"\n\n[record]', 1)
    with pytest.raises(tailrace.ScenarioError, match="window late begins at 7 s, when the run is over"):
        tailrace.run(text)

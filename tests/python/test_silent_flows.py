"""Silent flows are named with the reason: below tables, in comparisons, reports and sweeps."""

import pytest

import tailrace
from tailrace import api
from tailrace.show import summary_tables
from tailrace.show.report import result_findings
from tailrace.stats import completion_notes

# Bulk flows over a link that goes down at 3 s for good, and one over a link that does not.
HALF = """
name = "half"
duration = "30 s"
runs = 2
host = [{ name = "a" }, { name = "b" }, { name = "c" }]
link = [
  { name = "cut", between = ["a", "b"], rate = "1 Mbit/s", delay = "10 ms" },
  { name = "whole", between = ["c", "b"], rate = "1 Mbit/s", delay = "10 ms" },
]
flow = [
  { name = "gone", from = "a", to = "b", transport = "tcp", app = "bulk" },
  { name = "well", from = "c", to = "b", transport = "tcp", app = "bulk" },
]
fault = [{ kind = "blackhole", link = "cut", at = "3 s" }]
"""
NOTE = "gone: 2 of 2 flows silent at the end (since 2.99 s): a link of every path that they use is down"


@pytest.fixture(scope="module")
def half() -> tailrace.Result:
    return tailrace.run(HALF)


def test_silent_flows_stand_below_the_table_in_comparisons_and_in_the_report(half):
    assert [note for note in summary_tables.result_grids(half)[0].notes if "silent" in note] == [NOTE]
    both = {"one": half, "other": half}
    assert f"other: {NOTE}" in summary_tables.comparison_grids(both, "twice")[0].notes
    assert [said.text for said in result_findings.doubts(half) if "silent" in said.text] == [f"{NOTE}."]


def test_tables_say_since_when_and_why(half):
    rows = half.flows.sort("run", "group").select("group", "silent", "activity", "last_delivery_s").rows()
    assert [row[:3] for row in rows] == [("gone", 1, "link_down"), ("well", 0, "delivering")] * 2
    assert all(2.9 < row[3] < 3.1 for row in rows[::2]) and all(row[3] > 29.9 for row in rows[1::2])
    assert half.connections.sort("run", "group")["activity"].to_list() == ["link_down", "in_flight"] * 2
    silent = half.aggregate["groups"]["gone"]["silent"]
    assert silent["flows"]["mean"] == silent["reasons"]["link_down"]["mean"] == 1
    assert silent["never"]["mean"] == 0


def test_sweep_says_it_of_all_cells(tmp_path):
    sweep = tailrace.sweep(HALF, {"flow.well.transport.cc": ["newreno", "cubic"]}, output=tmp_path / "sweep")
    notes = [note for note in sweep.table().grid().notes if "silent" in note]
    why = "a link of every path that they use is down"
    assert notes == [
        f"gone: 4 of 4 flows silent at the end: {why}, in all cells and runs (--columns silent tells where)"
    ]


def test_every_reason_has_a_phrase():
    keys = {
        row["name"]: row["doc"]
        for entry in api.catalog()["summary"]
        if entry["name"] == "group"
        for row in entry["params"]
    }
    documented = set(keys["silent.reasons"].split(": ", 1)[1].replace("`", " ").replace(",", " ").split())
    assert {reason for reason in documented if reason.isidentifier()} >= set(completion_notes.SILENCE)
    reasons = tailrace.run(HALF, runs=1).summary["runs"][0]["groups"]["gone"]["silent"]["reasons"]
    assert set(reasons) == set(completion_notes.SILENCE)

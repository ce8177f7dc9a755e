"""What did not come to its end is said: in the table, in the summary, in comparisons."""

import pytest

import tailrace
from tailrace.show import summary_tables

# Three transfers of half a second each, one after the other; after 0.7 s nothing comes through any more.
CUT = """
name = "cut"
duration = "200 s"
runs = 2

[[host]]
name = "a"
[[host]]
name = "b"

[[link]]
name = "way"
between = ["a", "b"]
rate = "1 Mbit/s"
delay = "10 ms"

[[flow]]
name = "files"
from = "a"
to = "b"
transport = { kind = "tcp", data_retries = 3, syn_retries = 3 }
app = { kind = "sequence", size = "50 kB", count = 3 }

[[fault]]
at = "700 ms"
link = "way"
kind = "blackhole"
"""


@pytest.fixture(scope="module")
def cut() -> tailrace.Result:
    return tailrace.run(CUT)


def test_transfers_that_did_not_end_stand_below_the_table(cut):
    note = "files: 2 of 6 transfers completed, 4 failed, connections broken: 4 timed out"
    assert note in summary_tables.result_grids(cut)[0].notes
    patient = tailrace.run(CUT, set={"flow.files.transport.data_retries": 1000})
    comparison = tailrace.compare({"few": cut, "many": patient}, title="retries")
    notes = summary_tables.comparison_grids(comparison.results, "retries")[0].notes
    assert f"few: {note}" in notes
    told = "many: files: 2 of 6 transfers completed, 2 under way at the end, 2 not begun, 2 of 2 flows silent"
    assert any(note.startswith(told) for note in notes)


def test_where_all_ended_nothing_is_said():
    whole = tailrace.run(CUT.replace('kind = "blackhole"', 'kind = "delay"\nvalue = "20 ms"'))
    assert not any("transfers completed" in note for note in summary_tables.result_grids(whole)[0].notes)
    transfers = whole.aggregate["groups"]["files"]["transfers"]
    assert (transfers["asked"]["mean"], transfers["completed"]["mean"]) == (3, 3)


def test_counters_from_time_zero_are_those_of_the_run_without_a_warm_up():
    # To 0.4 s, before the first transfer is complete.
    late = tailrace.run(CUT, set={"warmup": "400 ms"})
    none = tailrace.run(CUT)
    for one, other in zip(late.summary["runs"], none.summary["runs"], strict=True):
        groups = one["groups"]["files"], other["groups"]["files"]
        assert groups[0]["whole_run"] == groups[1]["whole_run"]
        assert groups[0]["transfers"] == groups[1]["transfers"]
        assert groups[0]["sent_packets"] < groups[1]["sent_packets"] == groups[1]["whole_run"]["sent_packets"]


# A call beside a download, whose queue varies by hundreds of milliseconds.
CALL = """
name = "call"
duration = "20 s"
host = [{ name = "a" }, { name = "b" }]
link = [{ between = ["a", "b"], rate = "2 Mbit/s", delay = "20 ms", queue = "droptail limit 200" }]
flow = [
  { name = "call", from = "a", to = "b", transport = "udp", app = { kind = "voip", buffer = "60 ms" } },
  { name = "bulk", from = "a", to = "b", transport = "tcp", app = "bulk" },
]
"""


def test_voice_that_comes_too_late_is_said_and_an_adaptive_buffer_hears_it(tmp_path):
    late = "too late for the listener's playout buffer"
    fixed = tailrace.run(CALL)
    assert any(late in note for note in summary_tables.result_grids(fixed)[0].notes)
    adaptive = tailrace.run(CALL.replace(', buffer = "60 ms"', ""))
    assert not any(late in note for note in summary_tables.result_grids(adaptive)[0].notes)
    assert adaptive.aggregate["groups"]["call"]["voice"]["late_packets"]["mean"] < 10
    axes = {"flow.call.app": [{"kind": "voip", "buffer": "60 ms"}, "voip"]}
    swept = tailrace.sweep(CALL, axes, runs=1, output=tmp_path / "s")
    assert any(late in note for note in swept.table().notes)

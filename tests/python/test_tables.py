"""Raw columns become the right values and types."""

import math
import struct
from pathlib import Path

import polars as pl

import tailrace
from tailrace.execution import polars_frames
from tailrace.show import summary_tables

FLOOD = Path(__file__).resolve().parents[2] / "scenarios/flood.toml"


def test_a_frame_keeps_every_value_and_its_type():
    none, largest = 2**64 - 1, 2**64 - 2
    frame = polars_frames.frame(
        {
            "sent_packets": ("u64", struct.pack("<3Q", 0, largest, 7), []),
            "timeouts": ("u64", struct.pack("<3Q", 0, none, 7), []),
            "flow": ("u32", struct.pack("<3I", 2, 1, 0), []),
            "rtt_s": ("f64", struct.pack("<3d", 0.25, math.nan, -1.0), []),
            "group": ("text", struct.pack("<3I", 1, 0, 1), ["udp", "tcp"]),
        },
        run=4,
    )
    assert frame.columns == ["run", "sent_packets", "timeouts", "flow", "rtt_s", "group"]
    assert frame["run"].to_list() == [4, 4, 4]
    assert frame["sent_packets"].to_list() == [0, largest, 7]
    assert frame["timeouts"].to_list() == [0, None, 7]
    assert frame["rtt_s"].to_list() == [0.25, None, -1.0]
    assert frame["group"].cast(pl.String).to_list() == ["tcp", "udp", "tcp"]
    assert frame.schema["flow"] == pl.UInt32


def test_runs_with_different_words_and_columns_concatenate():
    def one(run, word, extra):
        columns = {"group": ("text", struct.pack("<I", 0), [word])}
        return polars_frames.frame(
            {**columns, **({"x": ("u32", struct.pack("<I", 9), [])} if extra else {})}, run
        )

    frame = polars_frames.concatenate([one(1, "a", extra=False), one(2, "b", extra=True)])
    assert frame["group"].cast(pl.String).to_list() == ["a", "b"]
    assert frame["x"].to_list() == [None, 9]


def test_an_empty_table_has_columns_and_no_rows():
    frame = polars_frames.frame({"time_s": ("f64", b"", []), "kind": ("text", b"", [])}, run=1)
    assert frame.shape == (0, 3)
    assert polars_frames.concatenate([]).shape == (0, 0)


def test_a_queue_says_whose_form_it_is_and_variants_with_other_limits_are_pointed_out():
    changes = {"duration": "2 s", "warmup": "1 s", "runs": 1}

    def compared(**more):
        queues = {"codel": {"kind": "codel", "form": "linux"}, "red": "red"}
        return tailrace.compare(
            {
                label: tailrace.run(FLOOD, set={**changes, "link.bottleneck.queue": queue, **more})
                for label, queue in queues.items()
            }
        )

    comparison = compared()
    (grid,) = [g for g in summary_tables.result_grids(comparison["codel"]) if g.title == "queues"]
    assert "codel (linux)" in [row[1] for row in grid.rows]
    assert any("1000 packets: codel; 50 packets: red" in note for note in comparison.grid.notes)
    same = compared(**{"link.bottleneck.queue_limit": "80 packets"})
    assert not any("limit differs" in note for note in same.grid.notes)

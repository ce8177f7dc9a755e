"""Tables of runs as one piece of bytes each, and put together; the numbers of summaries as a table."""

import json

import polars as pl
import pytest

import tailrace
from conftest import SMALL
from tailrace import _native
from tailrace.execution import polars_frames
from tailrace.stats import numbers


def u32(*values):
    return ("u32", b"".join(value.to_bytes(4, "little") for value in values), [])


def words(*values):
    own = list(dict.fromkeys(values))
    codes = b"".join(own.index(value).to_bytes(4, "little") for value in values)
    return ("text", codes, own)


def joined(*runs):
    """Of the one table of runs: cell, run, columns."""
    packed = [(cell, run, _native.pack({"flows": columns})) for cell, run, columns in runs]
    return polars_frames.joined(_native.join(packed)["flows"])


def test_what_is_packed_comes_back():
    raw = {"flows": {"flow": words("ü", 'a"b'), "x": u32(1, 2)}, "empty": {"y": u32()}, "none": {}}
    assert _native.unpack(_native.pack(raw)) == raw


def test_a_run_packs_its_tables_as_they_would_be_packed_here():
    output = _native.Task(tailrace.Scenario(SMALL).native, 1).execute()
    assert output.packed() == _native.pack(output.tables())


def test_rows_of_runs_follow_one_another_and_words_are_shared():
    found = joined(
        (1, 1, {"run": u32(1, 1), "flow": words("b", "a"), "x": u32(7, 8)}),
        (1, 2, {"run": u32(2), "flow": words("b"), "x": u32(9)}),
        (2, 1, {"run": u32(), "flow": words(), "x": u32()}),
    )
    assert found.columns == ["cell", "run", "flow", "x"]
    assert found.rows() == [(1, 1, "b", 7), (1, 1, "a", 8), (1, 2, "b", 9)]


def test_columns_that_not_all_have_are_null_elsewhere_and_rows_are_in_order():
    found = joined((2, 1, {"x": u32(1)}), (1, 1, {"x": u32(2), "y": u32(3)}), (1, 2, {"x": u32(4)}))
    assert found.rows() == [(1, 1, 2, 3), (1, 2, 4, None), (2, 1, 1, None)]


@pytest.mark.parametrize(
    "columns",
    [
        {"x": u32(1), "y": u32(1, 2)},
        {"x": ("text", b"\1\0\0\0", ["only one"])},
        {"x": ("u16", b"\1\0", [])},
    ],
)
def test_columns_that_cannot_be_are_an_error_that_names_the_run(columns):
    with pytest.raises(ValueError, match="table flows of cell 3, run 4 is damaged"):
        joined((3, 4, columns))


def test_pieces_that_are_cut_off_are_an_error():
    whole = _native.pack({"flows": {"x": u32(1, 2)}})
    for length in range(len(whole)):
        with pytest.raises(ValueError, match="damaged"):
            _native.unpack(whole[:length])


def test_each_number_and_word_of_a_summary_is_a_row():
    first = {
        "groups": {"tcp": {"goodput_bps": {"mean": 2.5, "list": [1, None]}, "role": "normal", "ok": True}},
        "queues": {"a->b": {"depth": 3}},
        "windows": {"late": {"groups": {"tcp": {"goodput_bps": {"mean": 4}}}}},
    }
    found = numbers.frame([(7, 1, first), (7, 2, {"groups": {"tcp": {"role": "attack"}}})])
    assert found.drop("cell", "run").rows() == [
        (None, "group", "tcp", "goodput_bps.list.0", 1.0, None),
        (None, "group", "tcp", "goodput_bps.list.1", None, None),
        (None, "group", "tcp", "goodput_bps.mean", 2.5, None),
        (None, "group", "tcp", "ok", 1.0, None),
        (None, "group", "tcp", "role", None, "normal"),
        (None, "queue", "a->b", "depth", 3.0, None),
        ("late", "group", "tcp", "goodput_bps.mean", 4.0, None),
        (None, "group", "tcp", "role", None, "attack"),
    ]
    assert found.select("cell", "run").rows() == [(7, 1)] * 7 + [(7, 2)]
    assert found.schema["value"] == pl.Float64


def test_what_is_no_summary_is_an_error():
    with pytest.raises(ValueError, match="summary of cell 1, run 2"):
        numbers.of_texts([(1, 1, json.dumps({})), (1, 2, "{")])

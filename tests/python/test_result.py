"""Results: saving, loading, showing, comparing."""

import io
import json
from io import StringIO

import polars as pl
import pytest
from rich.console import Console

import tailrace
from tailrace import present


def shown(renderable, width=160):
    console = Console(width=width, record=True, file=StringIO())
    console.print(renderable)
    return console.export_text()


def test_a_saved_result_loads_as_it_was(small, tmp_path):
    place = small.save(tmp_path / "result")
    loaded = tailrace.Result.load(place)
    assert loaded.summary == small.summary
    assert loaded.manifest["fingerprint"] == small.fingerprint
    for name in ("flows", "queues", "flow_series", "queue_series", "events"):
        assert len(small.table(name)) > 0
        assert loaded.table(name).equals(small.table(name))
    assert tailrace.run(loaded.scenario_toml).fingerprint == small.fingerprint


def test_a_loaded_result_can_be_saved_elsewhere(small, tmp_path):
    first = tailrace.Result.load(small.save(tmp_path / "first"))
    second = tailrace.Result.load(first.save(tmp_path / "second"))
    assert second.flow_series.equals(small.flow_series)


def test_the_manifest_says_where_the_result_comes_from(small, tmp_path):
    small.save(tmp_path / "result")
    manifest = json.loads((tmp_path / "result" / "manifest.json").read_text())
    assert manifest["tailrace"] == tailrace.__version__
    assert manifest["seed"] == 7
    assert manifest["status"] == "complete"
    assert [run["run"] for run in manifest["runs"]] == [1, 2, 3]
    assert len({run["fingerprint"] for run in manifest["runs"]}) == 3
    assert {"machine", "command", "commit", "warnings", "created"} <= set(manifest)


def test_parquet_tables_are_compressed_and_begin_with_the_run(small, tmp_path):
    small.save(tmp_path / "result")
    schema = pl.read_parquet_schema(tmp_path / "result" / "flow_series.parquet")
    assert next(iter(schema)) == "run"


@pytest.mark.parametrize("missing", ["summary.json", "manifest.json", "scenario.toml"])
def test_an_incomplete_folder_is_refused_by_name(small, tmp_path, missing):
    (small.save(tmp_path / "result") / missing).unlink()
    with pytest.raises(tailrace.UsageError, match=missing):
        tailrace.Result.load(tmp_path / "result")


def test_a_damaged_summary_is_a_usage_error(small, tmp_path):
    (small.save(tmp_path / "result") / "summary.json").write_text("{")
    with pytest.raises(tailrace.UsageError, match="cannot be read"):
        tailrace.Result.load(tmp_path / "result")


def test_the_terminal_table_names_groups_queues_and_units(small):
    text = shown(small)
    for word in (
        "over 3 runs, seed 7",
        "tcp",
        "cbr",
        "2 normal",
        "1 attack",
        "goodput Mbit/s",
        "Jain",
        "r1->r2",
        "±",
    ):
        assert word in text


def test_the_notebook_table_escapes_what_a_scenario_may_contain():
    html = present.html([present.Grid("<b>", ["a&b"], [["<script>"]])])
    assert "<script>" not in html
    assert "&lt;script&gt;" in html
    assert "a&amp;b" in html


def test_the_comparison_studies_the_queue_that_drops(small, small_codel):
    assert present.busiest_queue(small.aggregate) == "r1->r2"
    comparison = tailrace.compare({"droptail": small, "codel": small_codel})
    text = shown(comparison)
    assert "queue: r1->r2" in text
    assert "over 3 runs" in text
    assert [row[0] for row in comparison.grid.rows if row[0]] == ["droptail", "codel"]
    assert "| droptail |" in present.markdown(comparison.grid)


def test_a_narrow_terminal_gets_two_tables_with_all_numbers(small, small_codel):
    comparison = tailrace.compare({"droptail": small, "codel": small_codel})
    narrow = shown(comparison, width=100)
    assert max(map(len, narrow.splitlines())) <= 100
    assert narrow.count("droptail") == 2
    assert "…" not in narrow
    assert shown(comparison, width=170).count("droptail") == 1


def test_a_comparison_saves_and_loads(small, small_codel, tmp_path):
    comparison = tailrace.compare({"drop tail/1": small, "codel": small_codel}, title="two")
    comparison.save(tmp_path / "both")
    loaded = tailrace.Comparison.load(tmp_path / "both")
    assert list(loaded.results) == ["drop tail/1", "codel"]
    assert loaded.title == "two"
    assert loaded["codel"].fingerprint == small_codel.fingerprint
    assert (tmp_path / "both" / "drop-tail-1" / "summary.json").is_file()


def test_nothing_to_compare_is_an_error():
    with pytest.raises(tailrace.UsageError, match="nothing"):
        tailrace.compare({})


@pytest.mark.parametrize(
    ("entry", "scale", "text"),
    [
        ({"mean": 1.23456e6, "ci95": 4.5e4, "n": 5}, 1e-6, "1.235 ± 0.045"),
        ({"mean": 1234.5, "ci95": 67.0, "n": 5}, 1, "1234 ± 67"),
        ({"mean": 0.98765, "ci95": 0.0, "n": 5}, 1, "0.9877 ± 0"),
        ({"mean": 0.0, "ci95": 0.0, "n": 5}, 1, "0 ± 0"),
        ({"mean": 2.0, "ci95": None, "n": 1}, 1, "2"),
        (None, 1, "–"),
    ],
)
def test_numbers_show_the_digits_that_their_interval_supports(entry, scale, text):
    assert present.number(entry, scale) == text


@pytest.mark.parametrize("width", [30, 40, 80, 160])
def test_no_terminal_is_too_narrow_for_a_number(small, width):
    from rich.console import Console

    console = Console(width=width, file=io.StringIO(), color_system=None)
    console.print(small)
    shown = console.file.getvalue()
    assert "…" not in shown
    assert f"{small.aggregate['groups']['tcp']['jain']['mean']:.2f}"[:3] in shown
    assert max(map(len, shown.splitlines())) <= width

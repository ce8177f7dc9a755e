"""Results: saving, loading, showing, comparing."""

import io
import json
from io import StringIO

import polars as pl
import pytest
from rich.console import Console

import tailrace
from conftest import SMALL
from tailrace.data import loading
from tailrace.errors import UsageError
from tailrace.execution.capture import Capture
from tailrace.stats import summary_measures
from tailrace.text import interval_text, text_table


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
    html = text_table.html([text_table.Grid("<b>", ["a&b"], [["<script>"]])])
    assert "<script>" not in html
    assert "&lt;script&gt;" in html
    assert "a&amp;b" in html


def test_the_comparison_studies_the_queue_that_drops(small, small_codel):
    assert summary_measures.studied_queue([small.aggregate]) == "r1->r2"
    comparison = tailrace.compare({"droptail": small, "codel": small_codel})
    text = shown(comparison)
    assert "queue of every variant: r1->r2" in text
    assert "over 3 runs" in text
    assert [row[0] for row in comparison.grid.rows if row[0]] == ["droptail", "codel"]
    assert "| droptail |" in text_table.markdown(comparison.grid)


def test_a_narrow_terminal_gets_two_tables_with_all_numbers(small, small_codel):
    comparison = tailrace.compare({"droptail": small, "codel": small_codel})
    narrow = shown(comparison, width=100)
    assert max(map(len, narrow.splitlines())) <= 100
    # Rows, that is: notes below the table may name variants, too.
    assert _rows(narrow, "droptail") == 2
    assert "…" not in narrow
    assert _rows(shown(comparison, width=170), "droptail") == 1


def _rows(text, label):
    return sum(line.split()[:1] == [label] for line in text.splitlines())


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
        ({"mean": 0.98, "ci95": 0.07, "n": 5, "low": 0.85, "high": 0.997}, 100, "98 −13 +2"),
        ({"mean": 0.5, "ci95": 0.01, "n": 5, "low": 0.489, "high": 0.511}, 100, "50.0 ± 1.0"),
    ],
)
def test_numbers_show_the_digits_that_their_interval_supports(entry, scale, text):
    assert interval_text.mean_with_interval(entry, scale) == text


@pytest.mark.parametrize("width", [30, 40, 80, 160])
def test_no_terminal_is_too_narrow_for_a_number(small, width):
    from rich.console import Console

    console = Console(width=width, file=io.StringIO(), color_system=None)
    console.print(small)
    shown = console.file.getvalue()
    assert "…" not in shown
    assert f"{small.aggregate['groups']['tcp']['jain']['mean']:.2f}"[:3] in shown
    assert max(map(len, shown.splitlines())) <= width


def test_scenarios_results_and_comparisons_go_to_other_processes(small, small_codel, tmp_path):
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    comparison = tailrace.compare({"droptail": small, "codel": small_codel})
    scenario = tailrace.Scenario(small.scenario_toml, overrides={"runs": 1})
    loaded = tailrace.Result.load(small.save(tmp_path / "saved"))
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        found = pool.submit(_fingerprints, scenario, small, loaded, comparison).result()
    assert found == [tailrace.run(scenario).fingerprint, *[small.fingerprint] * 3, small_codel.fingerprint]


def _fingerprints(scenario, result, loaded, comparison):
    assert loaded.flow_series.equals(result.flow_series)
    return [
        tailrace.run(scenario).fingerprint, result.fingerprint, loaded.fingerprint,
        *(one.fingerprint for one in comparison.values()),
    ]  # fmt: skip


def test_a_comparison_is_a_mapping_of_results(small, small_codel):
    comparison = tailrace.compare({"droptail": small, "codel": small_codel})
    assert list(comparison) == ["droptail", "codel"]
    assert len(comparison) == 2
    assert "codel" in comparison
    assert dict(comparison)["codel"] is small_codel


def test_printing_shows_the_table(small, small_codel):
    assert "goodput Mbit/s" in str(small)
    assert "\x1b" not in str(small)
    assert "droptail" in str(tailrace.compare({"droptail": small, "codel": small_codel}))


def test_a_table_that_does_not_exist_names_the_nearest(small):
    with pytest.raises(tailrace.UsageError, match="did you mean flow_series"):
        small.table("flow_serie")


def test_every_table_that_is_recorded_has_a_known_name(small):
    assert set(small._known_tables()) <= set(loading.TABLES)


def test_text_columns_need_no_cast(small):
    text = [name for name, kind in small.flow_series.schema.items() if kind == pl.String]
    assert "group" in text
    assert small.flow_series.filter(pl.col("group").str.starts_with("t"))["group"].unique().to_list() == [
        "tcp"
    ]


def test_a_table_of_the_first_format_reads_the_same(small, tmp_path):
    place = small.save(tmp_path / "first")
    old = small.flow_series.with_columns(pl.col(pl.String).cast(pl.Categorical))
    old.write_parquet(place / "flow_series.parquet")
    about = json.loads((place / "manifest.json").read_text())
    for key in ("format", "format_version", "files", "tables", "checksums"):
        del about[key]
    (place / "connections.parquet").unlink()  # There was no such table.
    (place / "manifest.json").write_text(json.dumps(about))
    assert tailrace.Result.load(place).flow_series.equals(small.flow_series)
    (place / "notes.txt").write_text("precious")
    small.save(place)
    assert (place / "notes.txt").read_text() == "precious"
    assert not list(place.rglob("*kept*"))


def test_names_of_captures_fit_the_file_system_and_differ(tmp_path):
    result = tailrace.run(SMALL, runs=1, set={"duration": "1 s"})
    long = "x" * 5000
    result.captures = [Capture(1, f"{long}{end}.pcapng", b"") for end in "ab"]
    place = result.save(tmp_path / "result")
    assert len(list((place / "captures" / "run1").iterdir())) == 2
    again = tailrace.Result.load(place).save(tmp_path / "again")
    assert len(list((again / "captures" / "run1").iterdir())) == 2


def test_names_cannot_steer_a_terminal(small):
    comparison = tailrace.compare({"\x1b[31mred\u202e": small}, title="\x1b]0;x\x07")
    text = str(comparison)
    assert "\\x1b[31mred" in text
    assert not {"\x1b", "\x07", "\u202e"} & set(text)


def _changed(place, file, change):
    document = json.loads((place / file).read_text())
    change(document)
    (place / file).write_text(json.dumps(document))


@pytest.mark.parametrize(
    ("file", "change", "words"),
    [
        ("manifest.json", lambda d: d.update(format_version=2), "later version"),
        ("manifest.json", lambda d: d.update(format="tailrace-comparison"), "not a result folder"),
        ("manifest.json", lambda d: d["runs"][0].update(fingerprint="0" * 16), "fingerprints"),
        ("manifest.json", lambda d: d.update(files="all"), "'files'"),
        ("summary.json", lambda d: d.update(fingerprint="0" * 16), "fingerprints"),
        ("summary.json", lambda d: d["runs"].pop(), "fingerprints"),
        ("summary.json", lambda d: d["aggregate"].update(groups=[1]), "'aggregate.groups'"),
        ("summary.json", lambda d: d["runs"][1].update(groups=[1]), r"'runs\[1\].groups'"),
        ("summary.json", lambda d: d["aggregate"]["groups"]["tcp"]["jain"].update(mean="x"), "jain.mean"),
        ("summary.json", lambda d: d["aggregate"]["groups"]["tcp"].update(x=10**400), "no number of ours"),
        ("summary.json", lambda d: d["aggregate"]["groups"]["tcp"].update(x=float("nan")), "NaN is no number"),
    ],
)  # fmt: skip
def test_what_was_changed_after_it_was_written_is_refused(small, tmp_path, file, change, words):
    place = small.save(tmp_path / "hurt")
    _changed(place, file, change)
    with pytest.raises(tailrace.UsageError, match=words) as caught:
        tailrace.Result.load(place)
    assert "hurt" in str(caught.value)


@pytest.mark.parametrize("deep", ["[" * 100_000, '{"a":' * 200 + "1" + "}" * 200])
def test_deep_nesting_is_refused(small, tmp_path, deep):
    place = small.save(tmp_path / "hurt")
    (place / "summary.json").write_text(deep)
    with pytest.raises(tailrace.UsageError, match="nested too deeply"):
        tailrace.Result.load(place)


def test_a_missing_table_and_other_columns_are_noticed(small, tmp_path):
    place = small.save(tmp_path / "hurt")
    small.queue_series.write_parquet(place / "flow_series.parquet")
    with pytest.raises(tailrace.UsageError, match=r"flow_series.parquet is not what was written there"):
        _ = tailrace.Result.load(place).flow_series
    # Folders of versions without checksums.
    _changed(place, "manifest.json", lambda manifest: manifest.pop("checksums"))
    with pytest.raises(tailrace.UsageError, match=r"flow_series.parquet cannot be read: its columns"):
        _ = tailrace.Result.load(place).flow_series
    (place / "flow_series.parquet").unlink()
    with pytest.raises(tailrace.UsageError, match=r"flow_series.parquet is missing"):
        tailrace.Result.load(place)


@pytest.mark.parametrize(
    "change",
    [
        lambda d: d["variants"].update(a="../outside"),
        lambda d: d["variants"].update(a=3),
        lambda d: d["fingerprints"].update(a="0" * 16),
    ],
)
def test_a_changed_comparison_is_refused(small, tmp_path, change):
    place = tailrace.compare({"a": small}).save(tmp_path / "both")
    small.save(tmp_path / "outside")
    _changed(place, "manifest.json", change)
    with pytest.raises(tailrace.UsageError, match="is damaged"):
        tailrace.Comparison.load(place)


def test_a_comparison_of_no_results_says_what_to_call():
    with pytest.raises(UsageError, match=r"takes results by label.*sweep\(\) a file"):
        tailrace.compare("hello.toml")

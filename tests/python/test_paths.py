"""Paths of flows over Multipath TCP: the same numbers in tables, summaries, metrics and figures."""

import json

import numpy as np
import polars as pl
import pytest

import tailrace
from tailrace.errors import UsageError
from tailrace.show import summary_tables
from tailrace.stats.metrics import Known

# Two paths that a client sends by; a download comes by those of its own two links.
PHONE = """
name = "phone"
duration = "6 s"
runs = 2
host = [{ name = "phone" }, { name = "server" }]
router = [{ name = "isp" }]
link = [
  { name = "wifi", between = ["phone", "isp"], rate = "8 Mbit/s", delay = "5 ms", loss = "1 %" },
  { name = "lte", between = ["phone", "isp"], rate = "3 Mbit/s", delay = "40 ms" },
  { name = "core", between = ["isp", "server"], rate = "1 Gbit/s", delay = "5 ms" },
]
record = { interval = "20 ms" }
window = [{ name = "early" }, { name = "late", start = "3 s" }]

[[flow]]
name = "mp"
from = "phone"
to = "server"
transport = { kind = "mptcp", path_manager = "fullmesh" }
app = { kind = "request_response", request = "200 B", response = "400 kB" }
"""
BACK = ["mp[0].lte.backward", "mp[0].wifi.backward"]


@pytest.fixture(scope="module")
def phone() -> tailrace.Result:
    return tailrace.run(PHONE)


@pytest.fixture(scope="module")
def delays() -> tailrace.Sweep:
    return tailrace.sweep(PHONE, {"link.lte.delay": ["40 ms", "80 ms"]}, runs=2)


def of_path(result, path, end="server"):
    rows = result.paths.with_columns(pl.col("path", "end").cast(pl.String))
    return rows.filter((pl.col("path") == path) & (pl.col("end") == end)).sort("run")


def test_the_table_and_the_summary_say_the_same(phone):
    entries = [run["paths"] for run in phone.summary["runs"]]
    assert all(set(BACK) <= set(entry) for entry in entries)
    for name in BACK:
        rows = of_path(phone, name.split(".")[1])
        for column in ("goodput_bps", "sent_packets", "lost_packets", "received_bytes", "new_bytes"):
            assert rows[column].to_list() == pytest.approx([entry[name][column] for entry in entries])
        means = [entry[name]["one_way_delay_s"]["mean"] for entry in entries]
        assert rows["one_way_delay_mean_s"].to_list() == pytest.approx(means)
    # A hundredth of what goes by Wi-Fi is lost, and nothing by the other, whose queue holds all.
    assert of_path(phone, "wifi")["lost_packets"].min() > 0
    assert of_path(phone, "lte")["one_way_delay_min_s"].min() > 0.045
    flows = phone.flows.sort("run")
    for column in ("sent_packets", "received_packets", "lost_packets", "retransmitted_packets"):
        sums = phone.paths.group_by("run").agg(pl.col(column).sum()).sort("run")
        assert sums[column].to_list() == flows[column].to_list()


def test_series_lead_to_the_totals(phone):
    series = phone.path_series.with_columns(pl.col("path", "end").cast(pl.String))
    for path in ("wifi", "lte"):
        rows = series.filter((pl.col("path") == path) & (pl.col("end") == "server"))
        by_run = (
            rows.group_by("run").agg(pl.col("goodput_bps").sum(), pl.col("lost_packets").max()).sort("run")
        )
        totals = of_path(phone, path)
        assert (by_run["goodput_bps"] * 0.02 / 8).to_list() == pytest.approx(totals["new_bytes"].to_list())
        assert by_run["lost_packets"].to_list() == totals["lost_packets"].to_list()


def test_windows_have_paths(phone):
    rows = phone.windows.filter((pl.col("of") == "path") & (pl.col("figure") == "sent_packets"))
    sums = rows.group_by("run", "name").agg(pl.col("value").sum()).sort("run", "name")
    whole = [
        (run["run"], name, path["sent_packets"])
        for run in phone.summary["runs"]
        for name, path in run["paths"].items()
    ]
    assert list(sums.iter_rows()) == sorted(whole)


def test_goodput_by_path_is_drawn_by_the_links_of_the_client(phone):
    figure = phone.plot_path_goodput()
    (axes,) = figure.axes
    assert "goodput by path" in figure.get_suptitle()
    drawn = {}
    for layer in axes.collections:
        if layer.get_label() in {"wifi", "lte"}:
            (outline,) = layer.get_paths()
            times = np.unique(outline.vertices[:, 0])
            thick = [np.ptp(outline.vertices[outline.vertices[:, 0] == at, 1]) for at in times]
            drawn[layer.get_label()] = sum(thick) * (times[1] - times[0]) / 8e-6
    for path in ("wifi", "lte"):
        assert drawn[path] == pytest.approx(of_path(phone, path)["new_bytes"].mean(), rel=0.02)
    beside = tailrace.compare({"one": phone, "two": phone}).plot("path_goodput")
    assert [axes.get_title(loc="left") for axes in beside.axes] == ["one", "two"]


def test_what_earlier_versions_recorded_has_no_figure_of_it(phone):
    tables = {name: phone.table(name) for name in phone if name not in {"paths", "path_series"}}
    older = tailrace.Result(phone.summary, tables, phone.scenario_toml, phone.manifest)
    (axes,) = older.plot_path_goodput().axes
    assert [text.get_text() for text in axes.texts if text.get_text() == "not recorded"]


def test_the_terminal_shows_a_row_a_path_and_says_what_it_leaves_out(phone):
    (grid,) = [grid for grid in summary_tables.result_grids(phone) if grid.title == "paths"]
    assert [row[0] for row in grid.rows] == list(phone.aggregate["paths"])
    assert "path" in str(phone)
    many = {**phone.aggregate["paths"]}
    many |= {f"mp[{n}].wifi": many[BACK[0]] for n in range(1, 20)}
    summary = {**phone.summary, "aggregate": {**phone.aggregate, "paths": many}}
    result = tailrace.Result(summary, {}, phone.scenario_toml, phone.manifest)
    (grid,) = [grid for grid in summary_tables.result_grids(result) if grid.title == "paths"]
    assert len(grid.rows) == 8
    assert grid.notes == [f"and {len(many) - 8} more: table paths"]


def test_a_path_is_a_metric(delays):
    known = Known(delays.figures)
    assert [metric.owner for metric in known.metric("path_goodput")] == delays.figures.filter(
        pl.col("of") == "path"
    )["name"].unique(maintain_order=True).to_list()
    (one,) = known.metric("mp[0].lte.backward.delay_p95@late")
    assert (one.of, one.figure, one.owner, one.window) == ("path", "one_way_delay_s.p95", BACK[0], "late")
    assert one.heading == "mp[0].lte.backward delay_p95 (late) [ms]"
    (long,) = known.metric("mp[0].lte.backward.received_packets")
    assert long.figure == "received_packets"
    with pytest.raises(UsageError, match=r"did you mean mp\[0\]\.lte\.backward"):
        known.metric("mp[0].lte.backward.path_godput")
    values = delays.metric("mp[0].lte.backward.delay")
    rows = delays.paths.filter(
        (pl.col("path").cast(pl.String) == "lte") & (pl.col("end").cast(pl.String) == "server")
    )
    assert values.sort("cell", "run")["value"].to_list() == pytest.approx(
        (rows.sort("cell", "run")["one_way_delay_mean_s"] * 1e3).to_list()
    )
    means = rows.group_by("lte.delay", maintain_order=True).agg(pl.col("one_way_delay_min_s").min())
    assert np.diff(means["one_way_delay_min_s"].to_numpy()) == pytest.approx(0.04)


def test_a_figure_of_a_sweep_has_a_line_a_path(delays):
    figure = delays.plot("path_throughput", against="lte.delay", by="path")
    assert {text.get_text() for text in figure.legends[0].get_texts()} >= set(BACK)


@pytest.mark.parametrize("paths", [5, {"mp[0].wifi": 3}, {"mp[0].wifi": {"sent_packets": []}}])
def test_damaged_paths_are_named(phone, paths, tmp_path):
    phone.save(tmp_path / "phone")
    file = tmp_path / "phone" / "summary.json"
    summary = json.loads(file.read_text())
    summary["runs"][1]["paths"] = paths
    file.write_text(json.dumps(summary))
    with pytest.raises(UsageError, match=r"runs.*paths"):
        tailrace.Result.load(tmp_path / "phone")

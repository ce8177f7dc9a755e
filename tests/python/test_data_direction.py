"""Delays in the direction of the data: columns, findings, figures, metrics of an upload, a download, both at once."""

import polars as pl
import pytest

import tailrace
from tailrace.data.sending_end import SendingEnds
from tailrace.show.charts import time_metrics
from tailrace.show.report import of_result, result_findings
from tailrace.stats.summary_measures import GROUP_MEASURES

WEB = '{ kind = "request_response", request = "200 B", response = "20 kB", think = "10 ms" }'
BOTH = """
name = "both"
duration = "2 s"
host = [{ name = "pc" }, { name = "srv" }]
link = [
  { name = "wan", between = ["pc", "srv"], rate = "2 Mbit/s", delay = "10 ms", reverse = { rate = "4 Mbit/s" } },
]
flow = [
  { name = "up", from = "pc", to = "srv", transport = "tcp", app = { kind = "bulk", direction = "up" } },
  { name = "down", from = "pc", to = "srv", transport = "tcp", app = { kind = "bulk", direction = "down" } },
  { name = "web", from = "pc", to = "srv", transport = "tcp", app = WEB },
]
""".replace("WEB", WEB)
# Keys of the summary by group: both ends of `web` send, and its forward direction is the client's.
ALONG = {"up": "one_way_delay_s", "down": "reverse_one_way_delay_s", "web": "one_way_delay_s"}


def scenario(*groups):
    """The same with these groups alone."""
    lines = [
        line
        for line in BOTH.splitlines()
        if not line.startswith("  { name")
        or "wan" in line
        or any(f'"{group}", from' in line for group in groups)
    ]
    return "\n".join(lines)


CHOICES = [("up",), ("down",), ("up", "down"), ("up", "down", "web")]


@pytest.fixture(scope="module", params=CHOICES, ids=" ".join)
def result(request):
    return tailrace.run(scenario(*request.param), runs=1)


def expected(result, group, part="mean"):
    value = result.aggregate["groups"][group][ALONG[group]][part]["mean"]
    assert value > 0.01
    return value


def test_the_column_delay_is_that_of_the_data(result):
    columns = {measure.heading: measure for measure in GROUP_MEASURES}
    for name, group in result.aggregate["groups"].items():
        assert columns["delay ms"].leaf(group)["mean"] == expected(result, name)
        back = columns["delay back ms"].leaf(group)
        assert (back is not None and back["mean"] is not None) == (name == "web")


def test_the_finding_has_every_group(result):
    (found,) = [finding for finding in result_findings.of(result) if finding.about == "Delay"]
    for name in result.aggregate["groups"]:
        assert f"{name} {expected(result, name) * 1e3:.4g}"[:-1] in found.text, found.text


def test_single_flows_of_a_page_have_their_delay(result):
    (sheet,) = [sheet for sheet in of_result.sheets(result) if sheet.grid.title == "Single flows"]
    place = next(i for i, heading in enumerate(sheet.grid.columns) if heading.startswith("delay"))
    assert all(float(row[place]) > 10 for row in sheet.grid.rows)


def test_figures_over_time_have_a_curve_for_every_group(result):
    metric = time_metrics.METRICS["delay"]
    assert time_metrics.has_any(metric, result)
    groups = result.flows["group"].unique(maintain_order=True).to_list()
    parts = time_metrics.parts_of(metric, [result], 9)
    assert [part.label for part in parts] == [*groups, *(["web, back"] if "web" in groups else [])]
    assert {part.label: part.column for part in parts if part.label in ALONG} == {
        name: ALONG[name] for name in groups
    }
    assert set(time_metrics.curves(metric, result, parts)) == {part.label for part in parts}


def test_groups_beyond_the_most_are_together_by_direction():
    many = tailrace.run(BOTH, runs=1)
    parts = time_metrics.parts_of(time_metrics.METRICS["delay"], [many], 2)
    assert {part.column: part.members for part in parts} == {
        "one_way_delay_s": ("up", "web"),
        "reverse_one_way_delay_s": ("down",),
    }


def test_the_sending_end_is_known_without_series(result):
    unsampled = SendingEnds(result.flows.rows(named=True), {})
    sampled = SendingEnds(
        result.flows.rows(named=True),
        result.flow_series.partition_by("group", "flow", as_dict=True, maintain_order=True),
    )
    for row in result.flows.rows(named=True):
        end = "client" if row["group"] == "up" else "server"
        assert sampled.of_flow(row) == sampled.of_group(row["group"]) == end
        if row["group"] != "web":
            assert unsampled.of_flow(row) == end


def test_metrics_of_a_sweep_are_of_the_data(tmp_path):
    sweep = tailrace.sweep(
        scenario("down"), axes={"flow.down.app.direction": ["up", "down"]}, runs=1, output=tmp_path / "swept"
    )
    (metric,) = sweep.metrics(["delay_p95"])
    found = sweep.metric(metric).sort("cell")["value"].to_list()
    figures = sweep.figures.filter(pl.col("window").is_null(), pl.col("of") == "group")
    assert len(found) == 2
    for value, key in zip(found, ["one_way_delay_s.p95", "reverse_one_way_delay_s.p95"], strict=True):
        own = figures.filter(pl.col("figure") == key)["value"].drop_nulls().to_list()
        assert value == pytest.approx(own[0] * 1e3)
        assert len(own) == 1

"""Counters of flows are metrics of sweeps under their own names: their row in Rust carries that, no line in Python."""

import re

import polars as pl
import pytest

import tailrace
from conftest import ROOT, SMALL
from tailrace.stats.metrics import SHORT

ROWS = ROOT / "crates" / "sim" / "src" / "stats" / "flow_stats.rs"
# Rows with a unit are columns and keys, the others internal sums.
COUNTERS = re.findall(r'^        (\w+): \w+, "\w*";$', ROWS.read_text(encoding="utf-8"), re.MULTILINE)


@pytest.fixture(scope="module")
def swept(tmp_path_factory):
    place = tmp_path_factory.mktemp("swept")
    return tailrace.sweep(SMALL, {"link.bottleneck.queue": ["red", "codel"]}, runs=2, output=place / "s")


def test_the_rows_are_found():
    assert {"received_packets", "reordered_packets", "timeouts", "completed"} <= set(COUNTERS)


@pytest.mark.parametrize("counter", COUNTERS)
def test_a_counter_is_a_metric_of_each_group_and_of_one(swept, counter):
    each = swept.metrics([counter])
    assert {metric.owner for metric in each} == {"tcp", "cbr"}
    (own,) = swept.metrics([f"tcp.{counter}"])
    assert (own.figure, own.owner) == (SHORT[counter].figure if counter in SHORT else counter, "tcp")
    values = swept.metric(f"tcp.{counter}")["value"].to_list()
    recorded = swept.flows.filter(swept.flows["group"] == "tcp").group_by("cell", "run", maintain_order=True)
    assert values == recorded.agg(pl.col(counter).sum())[counter].to_list()

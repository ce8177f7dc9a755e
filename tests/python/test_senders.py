"""Figures of congestion windows: of the end that sends, which they name where it is the server."""

from __future__ import annotations

import polars as pl
import pytest

import tailrace
from tailrace.show.charts import data_direction
from tailrace.show.plots import figures

BOTH = """
name = "both"
duration = "8 s"
[record]
interval = "50 ms"
[[host]]
name = "home"
count = 2
[[host]]
name = "site"
count = 2
[[router]]
name = "r1"
[[router]]
name = "r2"
[[link]]
between = ["home[*]", "r1"]
rate = "50 Mbit/s"
delay = "1 ms"
[[link]]
name = "bottleneck"
between = ["r1", "r2"]
rate = "5 Mbit/s"
delay = "10 ms"
queue = { kind = "droptail", limit = "30 packets" }
[[link]]
between = ["r2", "site[*]"]
rate = "50 Mbit/s"
delay = "1 ms"
[[flow]]
name = "down"
from = "home[0]"
to = "site[0]"
transport = "tcp"
app = { kind = "request_response", request = "500 B", response = "2 MB" } # down
[[flow]]
name = "up"
from = "home[1]"
to = "site[1]"
transport = "tcp"
app = "bulk"
"""


@pytest.fixture(scope="module")
def both() -> tailrace.Result:
    return tailrace.run(BOTH)


def headline(figure):
    return figure.get_suptitle() or figure.axes[0].get_title(loc="left") or figure.axes[0].get_title()


def test_a_download_is_drawn_with_the_servers_window_and_says_so(both):
    assert data_direction.window_senders(both) == {"down": "server", "up": "client"}
    figure = both.plot_cwnd()
    assert "of down the servers' windows" in headline(figure)
    of_down = pl.col("group") == "down"
    largest = both.flow_series.filter(of_down)["cwnd_segments"].max()
    assert largest in [line.get_ydata().max() for axes in figure.axes for line in axes.lines]
    # The client sends 500 bytes at a time: its own window stays at ten segments.
    assert both.flow_series.filter(of_down)["cwnd_segments"].max() > 20


def test_an_upload_says_nothing():
    upload = tailrace.run(
        BOTH.replace(
            'app = { kind = "request_response", request = "500 B", response = "2 MB" }', 'app = "bulk"'
        )
    )
    assert "servers" not in headline(upload.plot_cwnd())


def test_means_of_groups_name_them_too(both):
    figure = figures.overlay({"a": both, "b": both}, "cwnd", "two")
    assert "of down the servers' windows" in headline(figure)


def test_results_of_older_versions_have_no_such_column(both, tmp_path):
    place = both.save(tmp_path / "old")
    old = tailrace.Result.load(place)
    old._tables["flow_series"] = both.flow_series.drop("end")
    assert data_direction.window_senders(old) == {}
    assert old.plot_cwnd().axes


def test_connections_have_a_row_each(both):
    rows = both.connections.sort("group")
    assert rows.select("group", "flow", "connection", "state").rows() == [
        ("down", 0, 0, "open"),
        ("up", 0, 0, "open"),
    ]
    assert rows["backward_delivered_bytes"].to_list()[0] > rows["delivered_bytes"].to_list()[0] > 0
    assert rows["end_s"].null_count() == len(rows)

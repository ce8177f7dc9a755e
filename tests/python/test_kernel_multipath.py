"""Multipath TCP of kernels: what they say of subflows and of the data level, and paths whoever speaks."""

from __future__ import annotations

import polars as pl
import pytest

import tailrace
from kernel_ends import BULK, FLOW


def test_connections_of_multipath_tcp_use_both_links(series):
    text = FLOW.replace('"tcp", profile = "linux"', '"mptcp"').replace("APP", BULK)
    text = text.replace(
        "KERNEL_A",
        f'kernel = "{series}"\nlimits = {{ subflows = 2, add_addr_accepted = 2 }}\nendpoints = "2 fullmesh"',
    )
    text = text.replace("KERNEL_B", f'kernel = "{series}"\nendpoints = "2 signal"')
    link = text[text.index("[[link]]") : text.index("[[flow]]")]
    found = tailrace.run(
        tailrace.Scenario(
            text.replace(
                "[[flow]]",
                link.replace("10 Mbit/s", "5 Mbit/s").replace("[[link]]", "[[link]]\nname = 'second'")
                + "[[flow]]",
            )
        )
    )
    assert found.flows["goodput_bps"].item() > 12.5e6
    assert found.flows["sent_packets"].item() > 9000
    # What the kernel says of each subflow and of the data level.
    last = found.table("subflow_series").filter(pl.col("time_s") == pl.col("time_s").max())
    assert last.sort("link").select("link", "usable", "backup").rows() == [("a-b", 1, 0), ("second", 1, 0)]
    assert last["cwnd_bytes"].min() > 20_000
    assert 0.02 < last["rtt_s"].min() <= last["rtt_s"].max() < 1
    assert last["reinjected_bytes"].null_count() == 2
    given, [level] = last["scheduled_bytes"].sum(), found.table("connection_series").tail(1).to_dicts()
    delivered = found.flows["delivered_bytes"].item()
    assert (level["end"], level["subflows"], level["delivered_bytes"]) == ("client", 2, delivered)
    assert level["waiting_bytes"] is level["window_stalls"] is level["displacement_bytes"] is None
    assert delivered < given
    if series == "6.12":
        assert level["sent_bytes"] + level["reinjected_bytes"] == given
        assert delivered - 300_000 < level["acked_bytes"] <= delivered
    else:
        assert level["sent_bytes"] is level["acked_bytes"] is level["reinjected_bytes"] is None
    assert 0.02 <= found.summary["runs"][0]["groups"]["f"]["rtt_s"]["min"] < 0.03


TWO_PATHS = """
name = "two paths"
duration = "8 s"
[[host]]
name = "a"
KERNEL_A
limits = { subflows = 8, add_addr_accepted = 8 }
endpoints = "2 fullmesh"
[[host]]
name = "b"
KERNEL_B
limits = { subflows = 8, add_addr_accepted = 8 }
endpoints = "2 signal"
[[link]]
name = "wide"
between = ["a", "b"]
rate = "8 Mbit/s"
delay = "10 ms"
queue = { kind = "droptail", limit = "50 packets" }
[[link]]
name = "narrow"
between = ["a", "b"]
rate = "2 Mbit/s"
delay = "20 ms"
queue = { kind = "droptail", limit = "50 packets" }
[[flow]]
name = "f"
from = "a"
to = "b"
app = { kind = "transfer", size = "4 MB" }
[flow.transport]
kind = "mptcp"
profile = "linux"
cc = "cubic"
path_manager = { kind = "linux", subflows = 8, add_addr_accepted = 8, client = "2 fullmesh", server = "2 signal" }
"""


@pytest.mark.parametrize("ends", ["none", "both", "client", "server"])
def test_paths_are_counted_whoever_speaks(series, ends):
    def line(*without):
        return f'kernel = "{"none" if ends in without else series}"'

    text = TWO_PATHS.replace("KERNEL_A", line("none", "server")).replace("KERNEL_B", line("none", "client"))
    result = tailrace.run(tailrace.Scenario(text))
    assert result.flows["delivered_bytes"].item() == 4_000_000
    rows = {row["path"]: row for row in result.paths.to_dicts() if row["end"] == "client"}
    assert set(rows) == {"wide", "narrow"}
    # Every byte came by one path before it came by any other.
    assert sum(row["new_bytes"] for row in rows.values()) == 4_000_000
    for row in rows.values():
        assert row["received_packets"] == row["sent_packets"] - row["lost_packets"] > 100
        assert row["retransmitted_packets"] >= row["lost_packets"]
        assert row["new_bytes"] <= row["received_bytes"]
    assert rows["wide"]["one_way_delay_min_s"] < rows["narrow"]["one_way_delay_min_s"]
    assert rows["wide"]["new_bytes"] > 2 * rows["narrow"]["new_bytes"]

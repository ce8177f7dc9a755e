"""Addresses of kernels that change during a run: what a kernel has then, what becomes of connections; runs repeat."""

from __future__ import annotations

import polars as pl
import pytest

import tailrace

QUEUE = 'queue = { kind = "droptail", limit = "40 packets" }'
NETWORK = f"""
name = "moving"
duration = "16 s"
record = {{ interval = "100 ms" }}
[[host]]
name = "a"
HOST_A
[[host]]
name = "b"
HOST_B
[[router]]
name = "r"
[[link]]
name = "up"
between = ["a", "r"]
rate = "4 Mbit/s"
delay = "10 ms"
{QUEUE}
[[link]]
name = "up2"
between = ["a", "r"]
rate = "2 Mbit/s"
delay = "10 ms"
{QUEUE}
[[link]]
name = "far"
between = ["r", "b"]
rate = "10 Mbit/s"
delay = "10 ms"
[[flow]]
name = "f"
from = "a"
to = "b"
FLOW
"""
FAULT = """
[[fault]]
kind = "address"
host = "HOST"
interface = 1
at = "4 s"
until = "8 s"
value = "10.0.9.9"
"""
TCP = 'transport = { kind = "tcp", cc = "cubic", profile = "linux" }\napp = "bulk"'
UDP = 'transport = "udp"\napp = { kind = "ping", interval = "10 ms" }'
LIMITS = "limits = { subflows = 4, add_addr_accepted = 4 }"
MULTIPATH = """
transport = { kind = "mptcp", cc = "cubic", profile = "PROFILE", path_manager = MANAGER }
app = "bulk"
""".replace(
    "MANAGER", '{ kind = "linux", subflows = 4, add_addr_accepted = 4, client = "1 subflow, 2 subflow" }'
)
LOOK = 'run = [{ at = "TIME", command = "ip -br -4 addr show eth0; ip rule; ip route show table 100; ip route" }]'


def at_ends(flow, a, b, moves="a", more=("", "")):
    """The network with kernels at those ends that name one; the address of one end changes for four seconds."""
    text = NETWORK.replace("FLOW", flow) + FAULT.replace("HOST", moves)
    for place, kernel, words in zip(("HOST_A", "HOST_B"), (a, b), more, strict=True):
        text = text.replace(place, f'kernel = "{kernel}"\n{words}' if kernel else "")
    return tailrace.Scenario(text)


def goodput_mbps(result, begin_s, end_s):
    """What was given to the application within a time."""
    rows = result.flow_series.filter(pl.col("time_s").is_between(begin_s, end_s, closed="right"))
    return rows["goodput_bps"].mean() / 1e6


def test_addresses_rules_and_routes_change_at_the_time_and_come_back(series):
    looks = [LOOK.replace("TIME", time) for time in ("3999 ms", "4001 ms", "7999 ms", "8001 ms")]
    words = looks[0][:-1] + ", " + ", ".join(look.removeprefix("run = [")[:-1] for look in looks[1:]) + "]"
    result = tailrace.run(at_ends(TCP, series, "", more=(words, "")))
    said = [program["output"] for program in result.summary["runs"][0]["programs"]]
    old, new = (said[0], said[1])
    assert said == [old, new, new, old]
    assert "10.0.0.1/32" in old
    assert "from 10.0.0.1 lookup 100" in old
    assert old.count("src 10.0.0.1") == 2, "of the interface's table, and of all that have no address yet"
    assert new == old.replace("10.0.0.1", "10.0.9.9")


@pytest.mark.parametrize("moves", ["a", "b"])
@pytest.mark.parametrize("ends", ["both", "client", "server"])
def test_a_connection_of_tcp_waits_for_its_address(series, ends, moves):
    kernels = (series if ends != "server" else "", series if ends != "client" else "")
    result = tailrace.run(at_ends(TCP, *kernels, moves))
    # What is on its way at 4 s arrives within 0.2 s; after 8 s the next retry begins it anew, at 10.2 s at the latest.
    assert goodput_mbps(result, 0.5, 4) > 3.5
    assert goodput_mbps(result, 4.5, 8) == 0
    assert goodput_mbps(result, 11, 16) > 3.5


@pytest.mark.parametrize("ends", ["both", "client", "server"])
def test_datagrams_come_from_the_new_address_and_answers_go_there(series, ends):
    kernels = (series if ends != "server" else "", series if ends != "client" else "")
    simulated, found = (tailrace.run(at_ends(UDP, *both)).flows.to_dicts()[0] for both in (("", ""), kernels))
    assert simulated["lost_packets"] > 0
    assert found["lost_packets"] == pytest.approx(simulated["lost_packets"], abs=2)
    assert found["sent_packets"] == pytest.approx(simulated["sent_packets"], abs=4)


@pytest.mark.parametrize("ends", ["both", "client", "server"])
def test_multipath_tcp_joins_from_the_new_address_as_its_model_does(series, ends):
    flow = MULTIPATH.replace("PROFILE", "linux_6_1" if series == "6.1" else "linux")
    kernels = (series if ends != "server" else "", series if ends != "client" else "")
    words = (f'{LIMITS}\nendpoints = "1 subflow, 2 subflow"', LIMITS)
    result = tailrace.run(at_ends(flow, *kernels, more=words))
    # Of 6 Mbit/s; the other path has 2.
    assert goodput_mbps(result, 1, 4) > 5
    assert goodput_mbps(result, 5, 8) > 4
    assert goodput_mbps(result, 11, 16) > 5
    # One path whatever its addresses are.
    [up] = result.paths.filter(pl.col("path") == "up").to_dicts()
    assert up["sent_packets"] > 3500
    assert result.summary["runs"][0]["groups"]["f"]["whole_run"]["wrong_bytes"] == 0


def test_a_word_about_an_address_that_is_gone_does_not_end_what_came_from_the_next(series):
    # It waits behind more packets than the join does, and the peer goes by the number of the address.
    flow = MULTIPATH.replace("PROFILE", "linux")
    words = (f'{LIMITS}\nendpoints = "1 subflow, 2 subflow"', LIMITS)
    text = at_ends(flow, series, series, more=words).text
    on = FAULT.replace("HOST", "a").replace("until", "#").replace("4 s", "8 s").replace("9.9", "9.8")
    result = tailrace.run(tailrace.Scenario(text + on))
    assert goodput_mbps(result, 11, 16) > 5


def test_hosts_of_one_kernel_change_theirs_and_runs_repeat(series):
    words = f'{LIMITS}\nnamespace = "lab"'
    flow = MULTIPATH.replace("PROFILE", "linux")
    scenario = at_ends(flow, series, series, more=(words + '\nendpoints = "1 subflow, 2 subflow"', words))
    one, again = (tailrace.run(scenario) for _ in range(2))
    assert one.fingerprint == again.fingerprint
    assert goodput_mbps(one, 5, 8) > 4
    assert goodput_mbps(one, 11, 16) > 5

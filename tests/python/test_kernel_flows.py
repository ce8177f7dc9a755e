"""Flows whose ends are sockets of kernels: the results are those of flows, wherever the ends are."""

from __future__ import annotations

import json

import pytest

import tailrace
from kernel_ends import BULK, FLOW, at_ends, flow
from tailrace import _native
from tailrace.errors import ScenarioError

ASK = '{ kind = "request_response", request = "200 B", response = "100 kB", think = "50 ms" }'


def test_flows_are_sockets_of_kernels_and_have_the_results_of_flows(series):
    simulated, found = flow(BULK), flow(BULK, series, series)
    goodput = [result.flows["goodput_bps"].item() for result in (simulated, found)]
    assert goodput[1] == pytest.approx(goodput[0], rel=0.03)
    [row] = found.flows.to_dicts()
    assert row["retransmitted_packets"] == row["lost_packets"] > 0
    cwnd = found.flow_series["cwnd_segments"]
    # The window goes between what the path holds, and that and the queue: some 17 and 67 segments.
    assert cwnd.null_count() <= 1
    assert 17 < cwnd[20:].min() < cwnd.max() < 90
    assert found.flow_series["rtt_s"][20:].min() > 0.02
    again = flow(BULK, series, series)
    assert again.fingerprint == found.fingerprint


def test_timeouts_that_a_kernel_does_not_count_are_not_known(series):
    # The link is gone for three seconds: with any kernel the sender's timer expires.
    text = FLOW + "[[fault]]\nkind = 'down'\nlink = 'a-b'\nat = '3 s'\nuntil = '6 s'\n"
    found = tailrace.run(at_ends(text.replace("APP", BULK), series, series))
    [row], [connection] = found.flows.to_dicts(), found.connections.to_dicts()
    group = found.summary["runs"][0]["groups"]["f"]
    known = [row["timeouts"], connection["timeouts"], group["timeouts"], group["whole_run"]["timeouts"]]
    if series == "6.1":
        assert known == [None] * 4
    else:
        assert known == [row["timeouts"]] * 4
        assert row["timeouts"] > 2


@pytest.mark.parametrize("ends", ["both", "client", "server"])
def test_questions_are_asked_and_answered_by_sockets(series, ends):
    simulated = flow(ASK)
    found = flow(ASK, series if ends != "server" else "", series if ends != "client" else "")
    count = [result.flows["completed"].item() for result in (simulated, found)]
    assert count[1] == pytest.approx(count[0], abs=3)
    assert count[0] > 50


@pytest.mark.parametrize("kind", ["tcp", "mptcp"])
def test_a_slow_reader_takes_as_much_as_it_wants_and_all_of_it(series, kind):
    text = FLOW.replace('"tcp", profile = "linux"', f'"{kind}", profile = "linux"').replace(
        "APP", '{ kind = "slow_reader", size = "500 kB", rate = "1 Mbit/s" }'
    )
    found = tailrace.run(at_ends(text, series, series))
    [row] = found.flows.to_dicts()
    assert (row["completed"], row["delivered_bytes"]) == (1, 500_000)
    # 500 kB at 1 Mbit/s are 4 s; the last of them wait in the socket before that.
    group = found.summary["runs"][0]["groups"]["f"]
    assert 2.5 < group["completion_s"]["mean"] < 4.2


def test_a_slow_reader_does_not_wait_for_what_is_not_there(series):
    app = '{ kind = "slow_reader", rate = "4 Mbit/s" }'
    late = FLOW.replace("APP", app) + '[[fault]]\nlink = "l"\nkind = "down"\nat = "1 s"\nuntil = "3 s"\n'
    late = late.replace("[[link]]", '[[link]]\nname = "l"')
    found = tailrace.run(at_ends(late, series, series))
    # In 10 s it wants 5 MB. What it wanted while nothing came, for two seconds and more, it does not read afterwards.
    assert 3e6 < found.flows["delivered_bytes"].item() < 4.2e6
    # As in the model: windows, ACKs, the end of the outage, and what a host makes of its link being down.
    if series == "6.12":
        simulated = tailrace.run(at_ends(late))
        assert found.flows["delivered_bytes"].item() == simulated.flows["delivered_bytes"].item() == 3_291_128


@pytest.mark.parametrize("end", ["client", "server"])
def test_a_control_that_a_kernel_does_not_have_is_said_at_its_place(kernel, end):
    asking = FLOW.replace("APP", BULK).replace('"cubic"', '"ledbat"')
    attack = '[[attack]]\nkind = "parallel"\nconnections = 2'
    for text in (asking, asking.replace("[[flow]]", attack).replace("app = " + BULK, "")):
        with pytest.raises(ScenarioError) as refused:
            tailrace.run(at_ends(text, **{end: kernel}))
        said = refused.value.shown
        host = "a" if end == "client" else "b"
        assert f"host {host}: the kernel has no congestion control ledbat" in said
        assert 'cc = "ledbat" }' in said, "the line of the file"
        assert "it has reno, cubic, " in said
        assert "panic" not in said


def test_what_a_kernel_counts_before_the_warm_up_is_not_counted(series):
    # Slow start fills the queue and loses packets within the first second; after that there is nothing to lose.
    text = FLOW.replace("APP", BULK).replace(
        'duration = "10 s"', 'duration = "6 s"\nwarmup = "4 s"\nrecord.interval = "off"'
    )
    text = text.replace('limit = "50 packets"', 'limit = "20 packets"').replace(
        "app = {", 'stop = "3 s"\napp = {'
    )
    whole = tailrace.run(at_ends(text.replace('warmup = "4 s"\n', ""), series, series))
    late = tailrace.run(at_ends(text, series, series))
    assert whole.flows["retransmitted_packets"].item() > 0
    assert late.flows["retransmitted_packets"].item() == 0


DATAGRAMS = FLOW.replace(
    'transport = { kind = "tcp", profile = "linux", cc = "cubic" }', 'transport = { kind = "udp" }'
)


@pytest.mark.parametrize(
    "app",
    [
        '{ kind = "cbr", rate = "12 Mbit/s", size = "1000 B" }',
        '{ kind = "ping", interval = "50 ms" }',
        '{ kind = "voip" }',
    ],
)
@pytest.mark.parametrize("ends", ["both", "client", "server"])
def test_datagrams_go_by_sockets(series, ends, app):
    text = DATAGRAMS.replace("APP", app)
    ours = (series if ends != "server" else "", series if ends != "client" else "")
    both = (at_ends(text), at_ends(text, *ours))
    simulated, found = (tailrace.run(scenario).flows.to_dicts()[0] for scenario in both)
    # A datagram less or more at the end; on the way they take some microseconds longer.
    assert found["sent_packets"] == pytest.approx(simulated["sent_packets"], abs=2)
    assert found["lost_packets"] == pytest.approx(simulated["lost_packets"], abs=2)
    assert found["one_way_delay_mean_s"] == pytest.approx(simulated["one_way_delay_mean_s"], abs=5e-5)
    if simulated["rtt_mean_s"] is not None:
        assert found["rtt_mean_s"] == pytest.approx(simulated["rtt_mean_s"], abs=5e-5)


def test_a_kernel_hears_how_large_packets_may_be(series):
    text = (
        'name = "narrow"\nduration = "6 s"\nallow = ["above-mtu"]\n'
        f'[[host]]\nname = "a"\nkernel = "{series}"\n[[host]]\nname = "b"\nkernel = "{series}"\n'
        '[[router]]\nname = "r1"\n[[router]]\nname = "r2"\n'
    )
    for a, b, more in [("a", "r1", ""), ("r1", "r2", 'mtu = "700 B"'), ("r2", "b", "")]:
        text += f'[[link]]\nbetween = ["{a}", "{b}"]\nrate = "10 Mbit/s"\ndelay = "5 ms"\n{more}\n'
    text += (
        '[[flow]]\nname = "f"\nfrom = "a"\nto = "b"\ntransport = { kind = "tcp", cc = "cubic" }\n'
        'app = { kind = "transfer", size = "1 MB" }\n'
    )
    [run] = tailrace.run(tailrace.Scenario(text)).summary["runs"]
    assert run["groups"]["f"]["transfers"]["completed"] == 1
    # All of the first window, sent before a word came back: ten segments, which the link drops as too large.
    assert run["queues"]["r1->r2"]["dropped_packets"]["too_big"] == 10


# Applications by transport, each with what it needs to be over before the run is.
APPS = {
    "tcp": {
        "bulk": "",
        "transfer": 'size = "100 kB"',
        "request_response": 'request = "2 kB", response = "20 kB"',
        "sequence": 'size = "20 kB", count = 5',
        "arrivals": 'size = "20 kB", gap = "300 ms", count = 5',
        "flash_crowd": 'size = "9 kB", gap = "1 s", sustained = "1 s", shock = 3.0',
        "slow_reader": 'size = "100 kB", rate = "1 Mbit/s"',
        "web": "",
        "video": "",
    },
    "udp": {
        "cbr": 'rate = "200 kbit/s", size = "500 B"',
        "poisson": 'rate = "200 kbit/s", size = "500 B"',
        "on_off": 'rate = "400 kbit/s", size = "500 B", on = "500 ms", off = "500 ms"',
        "schedule": 'steps = [["0 s", "200 kbit/s"], ["2 s", "0 bit/s"]], size = "500 B"',
        "pulse": 'rate = "2 Mbit/s", size = "500 B", burst = "50 ms", period = "1 s"',
        "voip": "",
        "ping": 'interval = "100 ms"',
    },
}
ENDED = {"transfer": 1, "sequence": 5, "arrivals": 5, "slow_reader": 1}


def every_app(client, server):
    """A flow of each kind, each on a link of its own."""
    parts = ['name = "every"\nduration = "6 s"\nallow = ["phase-effect", "few-round-trips"]\n']
    for name, own in (("a", client), ("b", server)):
        parts.append(f'[[host]]\nname = "{name}"\nkernel = "{own}"\n')
    parts.append('[[link]]\nbetween = ["a", "b"]\nrate = "50 Mbit/s"\ndelay = "5 ms"\n')
    parts += [
        f'[[flow]]\nname = "{kind}"\nfrom = "a"\nto = "b"\nstart = "105 ms"\n'
        f'transport = "{transport}"\napp = {{ kind = "{kind}"{keys and f", {keys}"} }}\n'
        for transport, kinds in APPS.items()
        for kind, keys in kinds.items()
    ]
    return "".join(parts)


def test_every_kind_of_application_counts_the_same_wherever_its_ends_are(kernel):
    assert {kind for kinds in APPS.values() for kind in kinds} == {
        app["name"] for app in json.loads(_native.catalog())["apps"]
    }
    ends = [("none", "none"), (kernel, kernel), (kernel, "none"), ("none", kernel)]
    runs = [tailrace.run(tailrace.Scenario(every_app(*pair))).summary["runs"][0]["groups"] for pair in ends]
    for pair, groups in zip(ends, runs, strict=True):
        for kind, group in groups.items():
            counted = group["whole_run"]
            there = [counted[f"{key}_packets"] for key in ("received", "lost", "under_way")]
            assert counted["sent_packets"] == sum(there) > 0, (pair, kind, counted)
            assert counted["delivered_bytes"] > 0, (pair, kind)
            assert counted.get("wrong_bytes", 0) == 0, (pair, kind)
            if kind in ENDED:
                assert counted["completed"] == ENDED[kind], (pair, kind)
                assert counted["delivered_bytes"] == runs[0][kind]["whole_run"]["delivered_bytes"]
            # What comes back of a ping depends on what is lost on its way there.
            if kind in APPS["udp"] and kind != "ping":
                assert counted["sent_packets"] == runs[0][kind]["whole_run"]["sent_packets"], (pair, kind)

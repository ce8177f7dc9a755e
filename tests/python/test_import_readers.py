"""`tailrace import ip-mptcp` and `iperf3`, on texts written for this test in the form of what the programs print."""

import csv
import json
import random

import pytest

import tailrace
from tailrace.errors import UsageError
from tailrace.imports import ip_mptcp, iperf3
from tailrace.imports.input_file import InputFile
from tailrace.imports.readers import READERS

CLIENT = """\
root@phone:~# ip mptcp endpoint show
192.168.1.20 id 1 subflow dev eth0
192.168.2.20 id 2 subflow backup dev wwan0
10.9.0.2 id 3 subflow fullmesh dev wlan0
fd00::2 id 4 subflow dev eth0
root@phone:~# ip mptcp limits show
add_addr_accepted 1 subflows 3
"""
SERVER = "203.0.113.7 id 1 signal dev eth1\n"
COMMANDS = """\
ip mptcp limits set subflow 1 add_addr_accepted 0
sudo ip mptcp endpoint add 10.0.2.2 dev eth1 subflow
"""


def endpoints(*texts):
    return ip_mptcp.read([InputFile(f"m{n}", text.encode()) for n, text in enumerate(texts)])


def manager(draft):
    return draft.scenario().said()["flow"][0]["transport"]["path_manager"]


def test_endpoints_and_limits_are_those_of_the_path_manager():
    draft = endpoints(CLIENT, SERVER)
    assert manager(draft) == {
        "kind": "linux",
        "subflows": 3,
        "add_addr_accepted": 1,
        "client": "1 subflow, 2 subflow backup, 3 subflow fullmesh",
        "server": "2 signal",
    }
    assert [link["name"] for link in draft.tables["link"]] == [
        "eth0",
        "wwan0",
        "wlan0",
        "server-first",
        "eth1",
    ]
    assert [(each.place, "IPv4" in each.why) for each in draft.omissions] == [("m0:5", True)]
    assert draft.scenario().warnings == []


def test_a_single_endpoint_is_the_second_interface():
    draft = endpoints(COMMANDS)
    assert manager(draft) == {"kind": "linux", "subflows": 1, "add_addr_accepted": 0, "client": "2 subflow"}
    assert [link["name"] for link in draft.tables["link"]] == ["client-first", "eth1", "server-first"]
    result = tailrace.run(draft.scenario(), set={"runs": 1, "duration": "5 s", "warmup": "1 s"})
    assert result.aggregate["groups"]["download"]["goodput_bps"]["sum"]["mean"] > 70e6


def test_a_host_that_only_announces_is_the_server():
    draft = endpoints(SERVER)
    assert manager(draft) == {"kind": "linux", "subflows": 2, "add_addr_accepted": 0, "server": "2 signal"}
    assert "a kernel's own limit" in draft.toml()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "192.168.1.20 id 1 subflow dev eth0\nhello\n",
            "m0:2: 'hello' is no line of `ip mptcp endpoint show`",
        ),
        ("# nothing\n", "m0: there is no endpoint and no limit in it"),
        ("300.1.1.1 id 1 subflow\n", "m0:1: '300.1.1.1 id 1 subflow' is no line"),
    ],
)
def test_other_lines_are_refused(text, message):
    with pytest.raises(UsageError) as error:
        endpoints(text)
    assert message in str(error.value)


def result(**keys):
    """A document of iperf3 with ten intervals of a second."""
    intervals = [
        {
            "sum": {
                "start": n,
                "end": n + 1,
                "bits_per_second": 9e6 + n * 1e4,
                "retransmits": n % 2,
                "omitted": n == 0,
            }
        }
        for n in range(10)
    ]
    test = {"protocol": "TCP", "num_streams": 2, "reverse": 1, **keys.pop("test", {})}
    end = {
        "streams": [{"sender": {"min_rtt": 21_000}}],
        "sender_tcp_congestion": "bbr",
        **keys.pop("end", {}),
    }
    return {"start": {"test_start": test}, "intervals": intervals, "end": end, **keys}


def measured(document):
    return iperf3.read([InputFile("out/test.json", json.dumps(document).encode())])


def test_a_result_of_iperf3_is_a_path_like_the_measured_one(tmp_path):
    draft = measured(result())
    place = tmp_path / "a.toml"
    draft.write(place)
    said = tailrace.Scenario.of(place).said()
    path = next(link for link in said["link"] if link["name"] == "path")
    assert (path["rate"], path["delay"], said["duration"]) == ("9.57 Mbit/s", "10.5 ms", "10 s")
    assert [(flow["from"], flow["transport"]["cc"]) for flow in said["flow"]] == [("server", "bbr")] * 2
    rows = list(csv.DictReader((tmp_path / "iperf3-test-measured.csv").read_text("utf-8").splitlines()))
    assert (len(rows), rows[0]) == (
        9,
        {"start_s": "1", "time_s": "2", "goodput_bps": "9010000", "retransmitted_segments": "1"},
    )
    assert tailrace.Scenario.of(place).warnings == []


def test_udp_both_ways_and_unknown_controls():
    udp = measured(
        result(test={"protocol": "UDP", "num_streams": 1, "target_bitrate": 5_000_000, "bidir": 1})
    )
    assert [(f["name"], f["app"].value["rate"]) for f in udp.tables["flow"]] == [
        ("upload", "5 Mbit/s"),
        ("download", "5 Mbit/s"),
    ]
    other = measured(result(end={"sender_tcp_congestion": "yeah"}))
    assert "congestion control yeah: cubic in its place" in other.toml()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[ ID] Interval           Transfer     Bitrate\n", "out/x: it is no JSON"),
        ("[" * 100_000, "out/x: it is no JSON"),
        ("{}", "it has no `intervals`"),
        ('{"intervals": [], "error": "unable to connect"}', "iperf3 ended with 'unable to connect'"),
        ('{"intervals": []}', "no interval has a rate"),
        ("[1]", "it has no `intervals`"),
    ],
)
def test_what_is_no_result_is_refused(text, message):
    with pytest.raises(UsageError) as error:
        iperf3.read([InputFile("out/x", text.encode())])
    assert message in str(error.value)


@pytest.mark.parametrize("seed", range(40))
def test_documents_with_random_changes_never_end_in_a_traceback(seed, tmp_path):
    rng = random.Random(seed)
    values = [None, -1, 0, 1e300, 1e-300, "x", [], {}, True, [{}], float("1e14"), "\x1b[1m"]

    def changed(value):
        if rng.random() < 0.06:
            return rng.choice(values)
        if isinstance(value, dict):
            return {key: changed(each) for key, each in value.items()}
        return [changed(each) for each in value] if isinstance(value, list) else value

    file = tmp_path / "x.json"
    file.write_text(json.dumps(changed(result())), "utf-8")
    try:
        READERS["iperf3"].read([str(file)]).write(tmp_path / "new" / "x.toml")
    except UsageError as error:
        assert str(error)
    lines = CLIENT.split("\n")
    for _ in range(4):
        lines.insert(rng.randrange(len(lines)), " ".join(rng.sample(CLIENT.split(), 3)))
    (tmp_path / "m").write_text("\n".join(lines), "utf-8")
    try:
        READERS["ip-mptcp"].read([str(tmp_path / "m")]).scenario()
    except UsageError as error:
        assert str(error)

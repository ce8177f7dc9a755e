"""`tailrace export csv`, `flent`, `flowmonitor`, `qlog`: readers find what the result has, or are told why not."""

import errno
import gzip
import json
import os
import re
import shlex
import shutil
import struct
import subprocess
from ipaddress import IPv4Address
from xml.etree import ElementTree

import polars as pl
import pytest

import tailrace
from conftest import ROOT, SMALL, command_line
from tailrace.errors import UsageError
from tailrace.export import csv_tables, flent, flowmonitor, qlog, run_source
from tailrace.scenario.flow_addresses import Network
from tailrace.system import atomic_file

# The same with a ping, a warm-up and the packets of the bottleneck.
PINGED = (
    SMALL.replace('duration = "6 s"', 'duration = "6 s"\nwarmup = "1 s"')
    + """
[[flow]]
name = "ping"
from = "src[0]"
to = "dst"
transport = { kind = "udp" }
app = { kind = "ping", interval = "100 ms" }

[[capture]]
at = "bottleneck"
"""
)
# Two uploads and a download over a line that is slower upwards, all opened by the same host.
BOTH_WAYS = """
name = "both"
duration = "3 s"
host = [{ name = "pc" }, { name = "srv" }]
router = [{ name = "cpe" }]
link = [
  { name = "lan", between = ["pc", "cpe"], rate = "1 Gbit/s", delay = "1 ms" },
  { name = "wan", between = ["cpe", "srv"], rate = "2 Mbit/s", delay = "10 ms", reverse = { rate = "8 Mbit/s" } },
]
flow = [
  { name = "up", from = "pc", to = "srv", transport = "tcp", app = "bulk" },
  { name = "up2", from = "pc", to = "srv", transport = "tcp", app = "bulk" },
  { name = "down", from = "pc", to = "srv", transport = "tcp", app = { kind = "bulk", direction = "down" } },
]
"""


def one_way(direction):
    """The same with the uploads or the download alone."""
    kept = [line for line in BOTH_WAYS.splitlines() if '"up2"' not in line]
    gone = '"down", from' if direction == "up" else '"up", from'
    return "\n".join(line for line in kept if gone not in line)


SWEPT = {"link.bottleneck.queue": ["codel", "red"], "link.bottleneck.rate": ["2 Mbit/s", "3 Mbit/s"]}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tailrace.run(PINGED, runs=2).save(tmp_path_factory.mktemp("exports") / "small")


@pytest.fixture(scope="module")
def both_ways(tmp_path_factory):
    return tailrace.run(BOTH_WAYS, runs=1).save(tmp_path_factory.mktemp("exports") / "both")


@pytest.fixture(scope="module")
def swept(tmp_path_factory):
    place = tmp_path_factory.mktemp("exports") / "swept"
    tailrace.sweep(SMALL, axes=SWEPT, runs=2, output=place)
    return place


@pytest.fixture(scope="module")
def compared(tmp_path_factory, small, small_codel):
    place = tmp_path_factory.mktemp("exports") / "compared"
    return tailrace.compare({"droptail": small, "codel": small_codel}).save(place)


def read_back(file, table):
    return pl.read_csv(file, schema=table.schema)


# -- CSV -----------------------------------------------------------------------------------------------------------


def test_csv_has_every_table_and_every_digit(folder, tmp_path):
    result = tailrace.Result.load(folder)
    written = csv_tables.write(folder, tmp_path / "out")
    names = {file.stem for file in written}
    assert names == {file.stem for file in folder.glob("*.parquet")}
    for name in names:
        table = result.table(name)
        assert read_back(tmp_path / "out" / f"{name}.csv", table).equals(table), name


def test_csv_of_a_comparison_names_the_variant(compared, small_codel, tmp_path):
    csv_tables.write(compared, tmp_path)
    flows = pl.read_csv(tmp_path / "flows.csv")
    assert flows.columns[:2] == ["variant", "run"]
    own = flows.filter(pl.col("variant") == "codel")["goodput_bps"]
    assert own.to_list() == small_codel.flows["goodput_bps"].to_list()


def test_csv_of_a_sweep_has_its_parameters_with_units(swept, tmp_path):
    csv_tables.write(swept, tmp_path)
    flows = pl.read_csv(tmp_path / "flows.csv")
    assert flows.columns[:5] == ["cell", "label", "bottleneck.queue", "bottleneck.rate [bit/s]", "run"]
    assert flows["bottleneck.rate [bit/s]"].unique().sort().to_list() == [2e6, 3e6]
    assert flows["goodput_bps"].to_list() == tailrace.Sweep.load(swept).flows["goodput_bps"].to_list()
    assert pl.read_csv(tmp_path / "runs.csv").height == 8


# -- flent ---------------------------------------------------------------------------------------------------------


def read_flent(run, name="out.flent.gz"):
    return json.loads(gzip.decompress(flent.document(run, name)))


def test_flent_has_its_keys_and_a_value_or_null_for_each_time(folder):
    found = read_flent(run_source.of(folder))
    assert set(found) == {"version", "metadata", "x_values", "results", "raw_values"}
    assert found["version"] == 4
    assert found["x_values"] == pytest.approx([(i + 1) / 10 for i in range(60)])
    assert {len(values) for values in found["results"].values()} == {60}
    streams = [name for name in found["results"] if name.startswith("TCP upload::")]
    assert streams == ["TCP upload::1", "TCP upload::2"]
    assert found["metadata"]["NAME"] == "tcp_nup"
    assert found["metadata"]["TEST_PARAMETERS"] == {"upload_streams": "2"}
    assert found["metadata"]["STEP_SIZE"] == 0.1
    assert found["metadata"]["TOTAL_LENGTH"] == 6


def test_flent_has_the_numbers_of_the_result(folder):
    found = read_flent(run_source.of(folder, 2))
    result = tailrace.Result.load(folder)
    of_run = result.flow_series.filter(pl.col("run") == 2)
    first = of_run.filter(pl.col("group") == "tcp", pl.col("flow") == 0)
    assert found["results"]["TCP upload::1"] == pytest.approx([bps / 1e6 for bps in first["goodput_bps"]])
    windows = [raw.get("tcp_cwnd") for raw in found["raw_values"]["TCP upload::1"]]
    assert windows == first["cwnd_segments"].to_list()
    both = zip(found["results"]["TCP upload::1"], found["results"]["TCP upload::2"], strict=True)
    assert found["results"]["TCP upload sum"] == pytest.approx([a + b for a, b in both])
    (ping,) = result.flows.filter(pl.col("run") == 2, pl.col("group") == "ping")["rtt_mean_s"]
    trips = [trip for trip in found["results"]["Ping (ms) ICMP"] if trip is not None]
    assert sum(trips) / len(trips) == pytest.approx(ping * 1000, rel=0.15)


def test_flent_files_are_the_same_bytes_each_time(folder):
    assert flent.document(run_source.of(folder), "a") == flent.document(run_source.of(folder), "a")


def test_flent_calls_it_a_download_where_the_servers_send(tmp_path):
    web = SMALL.replace(
        'app = { kind = "bulk" }',
        'app = { kind = "request_response", request = "200 B", response = "20 kB", think = "10 ms" }',
    )
    place = tailrace.run(web, runs=1).save(tmp_path / "web")
    found = read_flent(run_source.of(place))
    assert found["metadata"]["NAME"] == "tcp_ndown"
    assert "TCP download::1" in found["results"]
    assert "Ping (ms) ICMP" not in found["results"]


def test_flent_tells_uploads_and_downloads_apart(both_ways):
    found = read_flent(run_source.of(both_ways))
    assert found["metadata"]["NAME"] == "rrul_be_nflows"
    assert found["metadata"]["TEST_PARAMETERS"] == {"upload_streams": "2", "download_streams": "1"}
    streams = {"TCP upload BE::1": "up", "TCP upload BE::2": "up2", "TCP download BE::1": "down"}
    assert {name for name in found["results"] if "::" in name} == set(streams)
    rates = found["results"]
    for stream, group in streams.items():
        assert rates[stream] == pytest.approx(rates[f"Goodput {group}"])
    ups = [a + b for a, b in zip(rates["TCP upload BE::1"], rates["TCP upload BE::2"], strict=True)]
    assert rates["TCP upload sum"] == pytest.approx(ups)
    assert rates["TCP download sum"] == pytest.approx(rates["TCP download BE::1"])
    assert sum(rates["TCP download sum"]) > 0
    totals = [a + b for a, b in zip(ups, rates["TCP download sum"], strict=True)]
    assert rates["TCP totals"] == pytest.approx(totals)


@pytest.mark.parametrize(("direction", "word"), [("up", "upload"), ("down", "download")])
def test_flent_has_the_direction_of_the_data(direction, word, tmp_path):
    place = tailrace.run(one_way(direction), runs=1).save(tmp_path / "result")
    found = read_flent(run_source.of(place))
    assert found["metadata"]["NAME"] == {"up": "tcp_nup", "down": "tcp_ndown"}[direction]
    assert {name for name in found["results"] if name.startswith("TCP")} == {
        f"TCP {word}::1",
        f"TCP {word} sum",
        f"TCP {word} avg",
    }


OPENED_BY_EITHER = BOTH_WAYS.replace(
    '{ name = "down", from = "pc", to = "srv", transport = "tcp", app = { kind = "bulk", direction = "down" } }',
    '{ name = "down", from = "srv", to = "pc", transport = "tcp", app = "bulk" }',
)
PING = """  { name = "ping", from = "pc", to = "srv", transport = "udp", app = { kind = "ping", interval = "100 ms" } },
"""


@pytest.mark.parametrize("order", ["up first", "down first"])
def test_flent_takes_for_a_download_what_comes_to_the_host_that_pings(order, tmp_path):
    lines = OPENED_BY_EITHER.rstrip().removesuffix("]").splitlines(keepends=True)
    if order == "down first":
        lines.insert(next(n for n, line in enumerate(lines) if '"up"' in line), lines.pop())
    place = tailrace.run("".join([*lines, PING, "]\n"]), runs=1).save(tmp_path / "result")
    found = read_flent(run_source.of(place))
    assert found["metadata"]["NAME"] == "rrul_be_nflows"
    assert (found["metadata"]["LOCAL_HOST"], found["metadata"]["HOST"]) == ("pc", "srv")
    rates = found["results"]
    assert rates["TCP download sum"] == pytest.approx(rates["Goodput down"])
    ups = [a + b for a, b in zip(rates["Goodput up"], rates["Goodput up2"], strict=True)]
    assert rates["TCP upload sum"] == pytest.approx(ups)


def test_flent_itself_draws_uploads_and_downloads_apart(both_ways, tmp_path):
    program = shutil.which("flent")
    if program is None:
        pytest.skip("flent is not installed: nobody has drawn the file")
    out, drawn = tmp_path / "both.flent.gz", tmp_path / "drawn.csv"
    assert command_line("export", "flent", both_ways, "-o", out, cwd=tmp_path).returncode == 0
    told = subprocess.run([program, "-i", out, "-f", "summary"], capture_output=True, text=True, check=True)
    mean = {
        name: float(found[1])
        for name in (
            "TCP download sum",
            "TCP upload sum",
            "TCP totals",
            "Goodput down",
            "Goodput up",
            "Goodput up2",
        )
        if (found := re.search(rf"^ {name} +: +([\d.]+)", told.stdout, re.MULTILINE))
    }
    assert mean["TCP download sum"] == pytest.approx(mean["Goodput down"], abs=0.02)
    assert mean["TCP upload sum"] == pytest.approx(mean["Goodput up"] + mean["Goodput up2"], abs=0.02)
    assert mean["TCP totals"] == pytest.approx(mean["TCP download sum"] + mean["TCP upload sum"], abs=0.02)
    for plot in ("upload", "download", "totals"):
        picture = drawn.with_name(f"{plot}.png")
        done = subprocess.run(
            [program, "-i", out, "-p", plot, "-o", picture], capture_output=True, check=False
        )
        if b"No module named 'matplotlib'" not in done.stderr:
            assert done.returncode == 0 and picture.read_bytes().startswith(b"\x89PNG"), done.stderr


def test_flent_itself_reads_it(folder, tmp_path):
    program = shutil.which("flent")
    if program is None:
        pytest.skip("flent is not installed: nobody but this test's own reader has read the file")
    out = tmp_path / "small.flent.gz"
    assert command_line("export", "flent", folder, "-o", out, cwd=tmp_path).returncode == 0
    done = subprocess.run([program, "-i", out, "-f", "summary"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert re.search(r"TCP upload sum +: +[\d.]+ +[\d.]+ +[\d.]+ Mbits/s +60", done.stdout), done.stdout
    assert re.search(r"Ping \(ms\) ICMP +: +[\d.]+", done.stdout), done.stdout


# -- FlowMonitor ---------------------------------------------------------------------------------------------------

# In the order in which ns-3 writes them; lastDelay, maxDelay and minDelay are not known.
ATTRIBUTES = [
    "flowId",
    *(
        "timeFirstTxPacket",
        "timeFirstRxPacket",
        "timeLastTxPacket",
        "timeLastRxPacket",
        "delaySum",
        "jitterSum",
    ),
    *("txBytes", "rxBytes", "txPackets", "rxPackets", "lostPackets", "timesForwarded"),
]
CLASSIFIER = ["flowId", "sourceAddress", "destinationAddress", "protocol", "sourcePort", "destinationPort"]


def seconds(text):
    assert re.fullmatch(r"\+\d+\.0ns", text)
    return float(text[:-2]) / 1e9


def test_flowmonitor_has_ns3s_attributes_in_its_order(folder):
    tree = ElementTree.fromstring(flowmonitor.document(run_source.of(folder)))
    assert [child.tag for child in tree] == ["FlowStats", "Ipv4FlowClassifier", "Ipv6FlowClassifier"]
    assert [list(flow.attrib) for flow in tree.findall("FlowStats/Flow")] == [ATTRIBUTES] * 4
    assert [list(flow.attrib) for flow in tree.findall("Ipv4FlowClassifier/Flow")] == [CLASSIFIER] * 4
    assert [flow.get("flowId") for flow in tree.iter("Flow")] == ["1", "2", "3", "4"] * 2


def test_flowmonitor_yields_the_figures_of_the_result(folder):
    tree = ElementTree.fromstring(flowmonitor.document(run_source.of(folder, 2)))
    flows = tailrace.Result.load(folder).flows.filter(pl.col("run") == 2)
    for element, row in zip(tree.findall("FlowStats/Flow"), flows.iter_rows(named=True), strict=True):
        received = int(element.get("rxPackets"))
        assert received == row["received_packets"]
        assert int(element.get("lostPackets")) == row["lost_packets"]
        assert seconds(element.get("delaySum")) / received == pytest.approx(row["one_way_delay_mean_s"])
        assert seconds(element.get("jitterSum")) / (received - 1) == pytest.approx(row["jitter_mean_s"])
        assert int(element.get("rxBytes")) * 8 / 5 == pytest.approx(row["throughput_bps"], abs=8)
        # What readers take for the bit rate.
        lasted = seconds(element.get("timeLastRxPacket")) - seconds(element.get("timeFirstRxPacket"))
        assert int(element.get("rxBytes")) * 8 / lasted == pytest.approx(row["throughput_bps"], rel=0.1)
        assert seconds(element.get("timeFirstTxPacket")) >= 1
        assert int(element.get("timesForwarded")) == 2 * received


def test_flowmonitor_has_delay_and_ends_of_the_data(both_ways):
    tree = ElementTree.fromstring(flowmonitor.document(run_source.of(both_ways)))
    rows = tailrace.Result.load(both_ways).flows.rows(named=True)
    for row, stats, ends in zip(
        rows, tree.findall("FlowStats/Flow"), tree.findall("Ipv4FlowClassifier/Flow"), strict=True
    ):
        downloads = row["group"] == "down"
        delay = row["reverse_one_way_delay_mean_s" if downloads else "one_way_delay_mean_s"]
        assert delay > 0.01
        assert seconds(stats.get("delaySum")) / int(stats.get("rxPackets")) == pytest.approx(delay)
        client, server = ("destination", "source") if downloads else ("source", "destination")
        # Addresses are counted from 10.0.0.1 in the order of the links.
        assert (ends.get(f"{client}Address"), ends.get(f"{server}Address")) == ("10.0.0.1", "10.0.0.2")
    down = tree.findall("Ipv4FlowClassifier/Flow")[2]
    assert int(down.get("sourcePort")) < int(down.get("destinationPort")), "servers have the small port"


def figures_of_a_flow(flow):
    """What scripts that read FlowMonitor's files compute of a flow: rates, mean delay and jitter, loss."""
    first_tx, last_tx, first_rx, last_rx, delay, jitter = (
        float(flow.get(name)[:-2]) * 1e-9
        for name in (
            *("timeFirstTxPacket", "timeLastTxPacket", "timeFirstRxPacket", "timeLastRxPacket"),
            *("delaySum", "jitterSum"),
        )
    )
    received, lost = int(flow.get("rxPackets")), int(flow.get("lostPackets"))
    return {
        "tx": int(flow.get("txBytes")) * 8 / (last_tx - first_tx),
        "rx": int(flow.get("rxBytes")) * 8 / (last_rx - first_rx),
        "delay": delay / received,
        "jitter": jitter / (received - 1),
        "loss": lost / (received + lost),
    }


@pytest.mark.parametrize(("direction", "rate_bps"), [("down", 8e6), ("up", 2e6)])
def test_scripts_that_read_flowmonitor_find_rates_and_delay_of_a_transfer(direction, rate_bps, tmp_path):
    scenario = one_way(direction).replace('duration = "3 s"', 'duration = "20 s"\nwarmup = "5 s"')
    result = tailrace.run(scenario, runs=1, set={"link.wan.queue": "droptail limit 40"})
    tree = ElementTree.fromstring(flowmonitor.document(run_source.of(result.save(tmp_path / "result"))))
    (flow,) = tree.findall("FlowStats/Flow")
    found = figures_of_a_flow(flow)
    (row,) = result.flows.rows(named=True)
    assert found["rx"] == pytest.approx(row["throughput_bps"], rel=0.02)
    assert found["rx"] == pytest.approx(rate_bps, rel=0.05)
    # What is sent is what arrives and what is lost, over about the same time.
    assert found["tx"] == pytest.approx(found["rx"] / (1 - found["loss"]), rel=0.05)
    of_the_data = "reverse_one_way_delay_mean_s" if direction == "down" else "one_way_delay_mean_s"
    assert found["delay"] == pytest.approx(row[of_the_data]) and found["delay"] > 0.011
    assert found["jitter"] == pytest.approx(row["jitter_mean_s"])
    assert found["loss"] == pytest.approx(
        row["lost_packets"] / (row["received_packets"] + row["lost_packets"])
    )


def captured(folder):
    """Protocol, addresses and ports of all packets of a capture."""
    (file,) = (folder / "captures" / "run1").glob("*.pcapng")
    data, found = file.read_bytes(), set()
    place = 0
    while place < len(data):
        kind, length = struct.unpack_from("<II", data, place)
        if kind == 6:
            packet = data[place + 28 : place + length]
            ports = struct.unpack_from(">HH", packet, 4 * (packet[0] & 15))
            found.add((packet[9], IPv4Address(packet[12:16]), IPv4Address(packet[16:20]), *ports))
        place += length
    return found


def five_tuples(document):
    for flow in ElementTree.fromstring(document).findall("Ipv4FlowClassifier/Flow"):
        addresses = (IPv4Address(flow.get(f"{end}Address")) for end in ("source", "destination"))
        ports = (int(flow.get(f"{end}Port")) for end in ("source", "destination"))
        yield (int(flow.get("protocol")), *addresses, *ports)


@pytest.mark.parametrize(
    "scenario",
    [
        PINGED,
        # Given addresses, another port, and a second link of the sink that comes first and leads round a corner.
        PINGED.replace('name = "src"\n', 'name = "src"\naddress = "192.168.7.1"\n')
        .replace('name = "tcp"\n', 'name = "tcp"\nserver_port = 80\n')
        .replace('name = "r2"\n', 'name = "r2"\n[[router]]\nname = "r3"\n')
        .replace(
            "[[link]]",
            '[[link]]\nbetween = ["r3", "dst"]\nrate = "1 Mbit/s"\ndelay = "1 ms"\n'
            '[[link]]\nbetween = ["r2", "r3"]\nrate = "1 Mbit/s"\ndelay = "1 ms"\n[[link]]',
            1,
        ),
        # Flows that are switched off keep their ports.
        PINGED.replace(
            "[[flow]]",
            '[[flow]]\nname = "off"\nenabled = false\nfrom = "src[*]"\nto = "dst"\npattern = "all_pairs"\n'
            'transport = "udp"\napp = "voip"\n'
            '[[flow]]\nname = "off-too"\nenabled = false\nfrom = "src[0]"\nto = "dst"\n'
            'transport = "tcp"\napp = "bulk"\n[[flow]]',
            1,
        ),
    ],
)
def test_flowmonitor_classifies_as_captures_show(scenario, tmp_path):
    place = tailrace.run(scenario, runs=1).save(tmp_path / "result")
    expected = set(five_tuples(flowmonitor.document(run_source.of(place))))
    assert len(expected) == 4
    assert expected <= captured(place)


def test_only_routers_forward():
    link = {"between": ["a", "b"]}
    scenario = {
        "host": [{"name": "a"}, {"name": "b"}, {"name": "c"}],
        "link": [link, {"between": ["b", "c"]}],
        "flow": [{"name": "f", "client_port": 1, "server_port": 2}],
    }
    network = Network(scenario)
    assert network.way("f", "a", "c") is None
    assert network.way("f", "a", "b").routers == 0
    assert network.way("f", "a", "b").destination_port == 3, (
        "flows between the same two have ports of their own"
    )


# -- qlog ----------------------------------------------------------------------------------------------------------


def check_trace(trace):
    assert trace["vantage_point"]["type"] in {"client", "server", "network", "unknown"}
    common = trace["common_fields"]
    assert common["time_format"] == "relative"
    assert isinstance(common["reference_time"], float)
    assert common["protocol_type"] == common["protocol_types"] == ["TCP"]


def check_events(events):
    """What the schema asks of every event, and of those of this name."""
    for event in events:
        assert isinstance(event["time"], float)
        assert event["name"] == "recovery:metrics_updated"
        assert event["data"], "at least one metric"
        for name, value in event["data"].items():
            kind = {"congestion_window": int, "ssthresh": int, "bytes_in_flight": int, "smoothed_rtt": float}[
                name
            ]
            assert isinstance(value, kind)
            assert value >= 0
    times = [event["time"] for event in events]
    assert times == sorted(times)


def test_qlog_has_a_trace_a_flow_that_the_schema_takes(folder):
    text = qlog.document(run_source.of(folder), ".qlog")
    # Readers look for these at the beginning.
    assert '"qlog_version": "0.3", "qlog_format": "JSON"' in text[:256]
    traces = json.loads(text)["traces"]
    assert [trace["common_fields"]["group_id"] for trace in traces] == ["tcp[0]", "tcp[1]"]
    for trace in traces:
        check_trace(trace)
        check_events(trace["events"])


def test_qlog_says_what_changed_and_ends_where_the_series_ends(folder):
    (trace,) = json.loads(qlog.document(run_source.of(folder, 2), ".qlog", "tcp[1]"))["traces"]
    told = {}
    for event in trace["events"]:
        assert all(told.get(name) != value for name, value in event["data"].items())
        told |= event["data"]
    last = (
        tailrace.Result.load(folder)
        .flow_series.filter(pl.col("run") == 2, pl.col("group") == "tcp", pl.col("flow") == 1)
        .row(-1, named=True)
    )
    assert told["congestion_window"] == round(last["cwnd_bytes"])
    assert told["ssthresh"] == round(last["ssthresh_bytes"])
    assert told["bytes_in_flight"] == round(last["in_flight_bytes"])
    assert told["smoothed_rtt"] == pytest.approx(last["rtt_s"] * 1000)


def test_qlog_as_a_sequence_has_a_record_a_line(folder):
    records = qlog.document(run_source.of(folder), ".sqlog").split("\x1e")
    assert records.pop(0) == ""
    assert all(record.endswith("}\n") for record in records)
    head, *events = map(json.loads, records)
    assert (head["qlog_version"], head["qlog_format"]) == ("0.3", "JSON-SEQ")
    check_trace(head["trace"])
    check_events(events)
    assert {event["group_id"] for event in events} == {"tcp[0]", "tcp[1]"}
    contained = json.loads(qlog.document(run_source.of(folder), ".qlog"))["traces"]
    assert len(events) == sum(len(trace["events"]) for trace in contained)


# -- Which run, and what cannot be ---------------------------------------------------------------------------------


@pytest.mark.parametrize("form", [flowmonitor.document, read_flent, lambda run: qlog.document(run, ".qlog")])
def test_a_run_of_a_cell_is_what_that_cell_found(swept, form):
    alone = tailrace.run(
        SMALL, set={"link.bottleneck.queue": "red", "link.bottleneck.rate": "3 Mbit/s"}, runs=2
    )
    labels = tailrace.Sweep.load(swept).cells["label"].to_list()
    run = run_source.of(swept, 2, labels[3])
    assert run.fingerprint == alone.summary["runs"][1]["fingerprint"]
    assert form(run) != form(run_source.of(swept, 1, labels[3]))
    assert form(run) != form(run_source.of(swept, 2, labels[0]))


def test_a_cell_exports_what_its_scenario_alone_does(swept, tmp_path):
    chosen = {"link.bottleneck.queue": "red", "link.bottleneck.rate": "3 Mbit/s"}
    alone = tailrace.run(SMALL, set=chosen, runs=2).save(tmp_path / "alone")
    label = tailrace.Sweep.load(swept).cells["label"].to_list()[3]
    assert flowmonitor.document(run_source.of(swept, 2, label)) == flowmonitor.document(
        run_source.of(alone, 2)
    )
    one, other = (read_flent(run_source.of(*of)) for of in ((swept, 2, label), (alone, 2)))
    assert one["results"] == other["results"]


def test_a_cell_may_vary_how_long_a_run_lasts(tmp_path):
    tailrace.sweep(SMALL, axes={"duration": ["2 s", "3 s"], "warmup": ["1 s"]}, runs=1, output=tmp_path / "s")
    run = run_source.of(tmp_path / "s", 1, tailrace.Sweep.load(tmp_path / "s").cells["label"][1])
    assert (run.duration_s, run.warmup_s) == (3, 1)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["flowmonitor", "{folder}", "-o", "a.xml", "--run", "7"],
            "has no run 7 (there is 1 to 2); choose one with --run",
        ),
        (
            ["flowmonitor", "{folder}", "-o", "a.xml", "--cell", "x"],
            "is one result, which has no cells; leave --cell out",
        ),
        (["qlog", "{swept}", "-o", "a.qlog"], "has 4 cells; choose one with --cell"),
        (["qlog", "{swept}", "-o", "a.qlog", "--cell", "codel rate=2"], "did you mean 'codel rate=2 Mbit/s'"),
        (["qlog", "{compared}", "-o", "a.qlog", "--cell", "red"], "there is no variant 'red'"),
        (["qlog", "{folder}", "-o", "a.json"], "a.json has to end in .qlog or .sqlog"),
        (
            ["qlog", "{folder}", "-o", "a.qlog", "--flows", "cbr"],
            "TCP with --flows, or raise max_series_flows",
        ),
        (["qlog", "{folder}", "-o", "a.qlog", "--flows", "tcp[9]"], "there is no flow tcp[9]: tcp has 2"),
        (["flent", "{off}", "-o", "a.flent.gz"], "run it again with --set record.interval="),
        (
            ["qlog", "{off}", "-o", "a.qlog"],
            'has no flow_series: it was run with interval = "off" in [record]',
        ),
        (["csv", "nowhere", "-o", "out"], "there is no result folder nowhere"),
        (["csv", "{folder}", "-o", "taken"], "taken is a file; choose a folder with -o"),
        (["flent", "{folder}", "-o", "taken/a.flent.gz"], "cannot be written"),
    ],
)
def test_errors_name_place_and_remedy(arguments, said, folder, swept, compared, tmp_path):
    places = {"folder": folder, "swept": swept, "compared": compared, "off": tmp_path / "off"}
    tailrace.run(SMALL, set={"record.interval": "off"}, runs=1).save(tmp_path / "off")
    (tmp_path / "taken").write_text("mine")
    done = command_line("export", *(word.format(**places) for word in arguments), cwd=tmp_path)
    assert done.returncode == 2, done.stdout + done.stderr
    assert said in done.stderr
    assert {file.name for file in tmp_path.iterdir()} == {"off", "taken"}, "nothing is half written"


def test_totals_need_no_series(tmp_path):
    place = tailrace.run(SMALL, set={"record.interval": "off"}, runs=1).save(tmp_path / "off")
    (first, *_) = ElementTree.fromstring(flowmonitor.document(run_source.of(place))).findall("FlowStats/Flow")
    assert seconds(first.get("timeLastRxPacket")) == 6


def test_a_flow_of_one_sample_has_an_end(tmp_path):
    short = SMALL.replace('app = { kind = "bulk" }', 'app = { kind = "transfer", size = "1 kB" }')
    place = tailrace.run(short, set={"record.interval": "1 s", "flow.tcp.start": "2.5 s"}, runs=1).save(
        tmp_path / "r"
    )
    (first, *_) = ElementTree.fromstring(flowmonitor.document(run_source.of(place))).findall("FlowStats/Flow")
    assert seconds(first.get("timeFirstTxPacket")) == 2.5
    assert seconds(first.get("timeFirstRxPacket")) == 2.5
    assert seconds(first.get("timeLastTxPacket")) == 3
    assert seconds(first.get("timeLastRxPacket")) == 3


def test_commands_write_what_they_say(folder, compared, tmp_path):
    done = command_line("export", "qlog", compared, "--cell", "codel", "-o", "new/a.sqlog", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "run 1 of small codel is in new/a.sqlog" in done.stderr
    assert (tmp_path / "new" / "a.sqlog").read_text().count("\x1e") > 2
    done = command_line("export", "csv", folder, "-o", "sheets", cwd=tmp_path)
    assert "8 tables are in sheets" in done.stderr


def test_the_commands_of_the_page_can_be_given(tmp_path):
    (tmp_path / "lab.toml").write_text(PINGED)
    (block,) = re.findall(
        r"```sh\n(.*?)```", (ROOT / "docs" / "guides" / "export.md").read_text(encoding="utf-8"), re.DOTALL
    )
    for line in block.splitlines():
        program, *arguments = shlex.split(line)
        assert program == "tailrace"
        done = command_line(*arguments, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    written = {"sheets", "lab.flent.gz", "lab.xml", "lab.qlog", "one.sqlog", "queues", "red.flent.gz"}
    assert written <= {file.name for file in tmp_path.iterdir()}


def test_a_full_disk_leaves_the_old_file(tmp_path, monkeypatch):
    target = tmp_path / "a.xml"
    atomic_file.write(target, b"old")

    def full(_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(UsageError, match=r"a\.xml cannot be written: No space left"):
        atomic_file.write(target, b"new", force=True)
    assert target.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize(
    ("arguments", "file"),
    [
        (["csv", "{folder}", "-o", "mine"], "mine/queues.csv"),
        (["flent", "{folder}", "-o", "a.flent.gz"], "a.flent.gz"),
        (["flowmonitor", "{folder}", "-o", "a.xml"], "a.xml"),
        (["qlog", "{folder}", "-o", "a.qlog"], "a.qlog"),
        (["mahimahi", "{folder}", "--link", "bottleneck", "-o", "trace"], "trace"),
    ],
)
def test_what_is_there_already_is_replaced_by_force_alone(arguments, file, folder, tmp_path):
    words = [word.format(folder=folder) for word in arguments]
    place = tmp_path / file
    place.parent.mkdir(exist_ok=True)
    place.write_text("mine")
    done = command_line("export", *words, cwd=tmp_path)
    assert done.returncode == 2, done.stdout + done.stderr
    assert f"{file} is there already, and stays as it is: --force replaces it" in done.stderr
    assert [path.name for path in place.parent.iterdir()] == [place.name], "all or nothing"
    assert place.read_text() == "mine"
    done = command_line("export", *words, "--force", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert place.read_bytes() != b"mine"
    # The same again changes nothing, and needs no word.
    done = command_line("export", *words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr


def test_devices_are_not_replaced(tmp_path):
    (tmp_path / "a.xml").mkdir()
    with pytest.raises(UsageError, match="is not a file; choose another name with -o"):
        atomic_file.write(tmp_path / "a.xml", b"")

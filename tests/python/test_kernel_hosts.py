"""Hosts with kernels of their own: what is said without one, and where there is one, what it does."""

from __future__ import annotations

import base64
import json

import polars as pl
import pytest

import tailrace
from conftest import SMALL, command_line
from tailrace import _native, programs, report
from tailrace.errors import ScenarioError, UsageError
from tailrace.kernels import shelf, using
from tailrace.report import output
from tailrace.study import identity

CLIENT = "import socket; socket.create_connection(('b', 80)).sendall(b'hello')"
SERVER = "import socket; c, a = socket.create_server(('', 80)).accept(); print(a[0], c.recv(99))"
PAIR = f"""
name = "pair"
duration = "4 s"
[[host]]
name = "a"
kernel = "KERNEL"
sysctl = {{ net.ipv4.tcp_congestion_control = "reno" }}
run = [
  {{ at = "1 s", command = '''python3 -c "{CLIENT}"''' }},
  {{ at = "2 s", command = "cat /proc/sys/net/ipv4/tcp_congestion_control; od -An -N8 -tx1 /dev/urandom; exit 3" }},
  {{ at = "3 s", command = "sleep 9" }},
]
[[host]]
name = "b"
kernel = "KERNEL"
run = [{{ command = '''python3 -c "{SERVER}"''' }}]
[[link]]
between = ["a", "b"]
rate = "10 Mbit/s"
delay = "10 ms"
"""


@pytest.fixture(scope="module")
def kernel():
    kept = shelf.kernels()
    if not kept:
        pytest.skip("there is no kernel: `tailrace kernel build 6.12` builds one")
    return kept[0].version


def test_programs_are_shown_by_their_last_words():
    ended = {"host": "a", "command": "x" * 60, "exit_code": 3, "output": "one\n two \n\n"}
    ended |= {"start_s": 1.5, "end_s": 20.000001}
    running = {
        "host": "b",
        "command": "sleep 9",
        "exit_code": None,
        "output": "",
        "start_s": 0,
        "end_s": None,
    }
    rows = programs.rows([{"run": 1}, {"run": 2, "programs": [ended, running]}])
    assert rows == [
        ["a", "x" * 47 + "…", "1.5", "20", "3", "two"],
        ["b", "sleep 9", "0", "", "still ran", ""],
    ]
    assert programs.rows([{}]) == []


def test_a_report_shows_what_programs_said():
    def of(text, **more):
        said = {"host": "a", "command": "x <y>", "exit_code": 0, "output": text, "start_s": 1, "end_s": 2.25}
        [_, shown] = output.of_programs([{"run": 1, "programs": [said | more]}])
        return shown

    short = of("one\n<two>\n")
    assert "<b>a</b>: <code>x &lt;y&gt;</code>" in short
    assert "from 1 s to 2.25 s, exit code 0</p>" in short
    assert "one\n&lt;two&gt;</code>" in short
    assert short.startswith('<details class="program" open>')
    assert "it said nothing" in of("")
    assert "from 1 s, still running when the run ended" in of("", end_s=None, exit_code=None)
    assert "exit code 127 (there is no such program)" in of("", exit_code=127)
    # Of a long output the end, in whole lines, with how much came before.
    long = of("".join(f"line {n}\n" for n in range(1000)), output_left_out_bytes=5)
    assert not long.startswith('<details class="program" open>')
    before = sum(len(f"line {n}\n") for n in range(800)) + 5
    assert f"the last 200 lines, after {before} B more" in long
    assert "line 799\n" not in long
    assert ">line 800\n" in long
    assert long.count("y") < 200 < of("y" * 50_000).count("y") < 20_100


def test_a_report_names_a_table_of_programs_as_what_it_is():
    of = {"host": "a", "command": "x", "exit_code": 0, "output": "hello"}
    run = tailrace.run(SMALL)
    assert "<caption>Flow groups</caption>" in run.report().html
    first, *_ = run.summary["runs"]
    summary = run.summary | {
        "runs": [first | {"programs": [of]}],
        "aggregate": run.aggregate | {"groups": {}},
    }
    page = tailrace.Result(summary, dict(run), run.scenario_toml, run.manifest).report().html
    assert "<caption>Programs</caption>" in page
    assert "Flow groups" not in page


def test_programs_that_fail_are_said_once_below_the_table():
    def of(*codes):
        return {"programs": [{"host": "a", "command": "x", "exit_code": c, "output": ""} for c in codes]}

    assert programs.notes([of(0, None), {}]) == []
    assert programs.notes([of(127)]) == ["host a: x failed with exit code 127 (there is no such program)"]
    assert programs.notes([of(1, 0), of(1, 1)]) == ["host a: x failed with exit code 1, 3 times in 2 runs"]


def test_a_kernel_that_is_not_there_is_said_before_anything_runs(tmp_path, monkeypatch):
    monkeypatch.setenv("TAILRACE_KERNELS", str(tmp_path / "none"))
    file = tmp_path / "pair.toml"
    file.write_text(PAIR.replace("KERNEL", "6.99"))
    for command in ("run", "check"):
        done = command_line(command, file, cwd=tmp_path)
        assert done.returncode == 2, done.stderr
        assert "there is no kernel '6.99'" in done.stderr
        assert "`tailrace kernel build 6.99` builds one" in done.stderr
    assert not (tmp_path / "results").exists()
    with pytest.raises(UsageError, match=r"no kernel '6.99'.*`tailrace kernel build 6.99` builds one"):
        tailrace.run(file)


def test_without_the_program_that_starts_kernels_it_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(using, "AGENT", tmp_path / "tailrace-agent")
    with pytest.raises(UsageError, match="`make build` in the sources builds it"):
        using.agent()


def test_kernels_run_programs_and_repeat(kernel):
    scenario = tailrace.Scenario(PAIR.replace("KERNEL", kernel))
    one, again = (tailrace.run(scenario) for _ in range(2))
    [run], [other] = one.summary["runs"], again.summary["runs"]
    assert [p["exit_code"] for p in run["programs"]] == [0, 3, None, 0]
    assert [p["start_s"] for p in run["programs"]] == [1, 2, 3, 0]
    # The first needs a round trip, the second none; the server ends when it has heard from the first.
    first, second, third, server = (p["end_s"] for p in run["programs"])
    assert 1.02 < first < 1.1
    assert 2 < second < 2.01
    assert third is None
    assert 1.02 < server < 1.1
    assert run["programs"][1]["output"].startswith("reno\n")
    assert run["programs"][3]["output"].strip() == "10.0.0.1 b'hello'"
    assert run["fingerprint"] == other["fingerprint"]
    assert run["programs"] == other["programs"]
    assert "still ran" in str(one)


def test_another_seed_is_another_run(kernel):
    text = PAIR.replace("KERNEL", kernel)
    random = [
        tailrace.run(tailrace.Scenario(text, overrides={"seed": seed})).summary["runs"][0]["programs"][1]
        for seed in (1, 2)
    ]
    assert random[0]["output"] != random[1]["output"]


def test_the_kernel_is_part_of_what_a_run_is(kernel, monkeypatch):
    scenario = tailrace.Scenario(PAIR.replace("KERNEL", kernel))
    before = identity.of_cell(scenario)
    monkeypatch.setattr(using, "hashes", lambda _: {kernel: "another"})
    assert identity.of_cell(scenario) != before


FLOW = """
name = "flow"
duration = "10 s"
[[host]]
name = "a"
KERNEL_A
[[host]]
name = "b"
KERNEL_B
[[link]]
between = ["a", "b"]
rate = "10 Mbit/s"
delay = "10 ms"
queue = { kind = "droptail", limit = "50 packets" }
[[flow]]
name = "f"
from = "a"
to = "b"
transport = { kind = "tcp", profile = "linux", cc = "cubic" }
app = APP
"""
BULK = '{ kind = "bulk" }'
ASK = '{ kind = "request_response", request = "200 B", response = "100 kB", think = "50 ms" }'


@pytest.fixture(scope="module", params=["6.12", "6.1"])
def series(request):
    if not any(kept.name == request.param for kept in shelf.kernels()):
        pytest.skip(f"there is no kernel {request.param}: `tailrace kernel build {request.param}` builds one")
    return request.param


def at_ends(text, client="", server="", more=""):
    """The scenario with these kernels at its ends, and what else is said of them."""
    for host, name in (("A", client), ("B", server)):
        text = text.replace(f"KERNEL_{host}", f'kernel = "{name}"\n{more}' if name else "")
    return tailrace.Scenario(text)


def flow(app, client="", server=""):
    return tailrace.run(at_ends(FLOW.replace("APP", app), client, server))


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
    found = tailrace.run(at_ends(late.replace("[[link]]", '[[link]]\nname = "l"'), series, series))
    # In 10 s it wants 5 MB. What it wanted while nothing came, for two seconds and more, it does not read afterwards.
    assert 3e6 < found.flows["delivered_bytes"].item() < 4.2e6


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


def test_a_control_that_a_kernel_does_not_have_is_named(kernel):
    with pytest.raises(tailrace.errors.RunError, match="its kernel has no congestion control"):
        tailrace.run(
            tailrace.Scenario(
                FLOW.replace("KERNEL_A", f'kernel = "{kernel}"')
                .replace("KERNEL_B", "")
                .replace("APP", BULK)
                .replace('"cubic"', '"ledbat"')
            )
        )


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


SHARED = """
name = "hosts of one kernel"
duration = "6 s"
[[host]]
name = "a"
count = 2
kernel = "KERNEL"
namespace = "lab"
sysctl = { net.ipv4.tcp_ecn = 1 }
run = [{ at = "1 s", command = "WHO" }]
[[host]]
name = "b"
kernel = "KERNEL"
namespace = "lab"
run = [{ at = "1 s", command = "WHO" }]
[[router]]
name = "r"
[[link]]
between = ["a[*]", "r"]
rate = "10 Mbit/s"
delay = "5 ms"
[[link]]
between = ["r", "b"]
rate = "2 Mbit/s"
delay = "5 ms"
queue = { kind = "droptail", limit = "40 packets" }
[[flow]]
name = "f"
from = "a[*]"
to = "b"
transport = { kind = "tcp", cc = "cubic" }
app = { kind = "transfer", size = "300 kB" }
""".replace("WHO", "cat /proc/sys/net/ipv4/tcp_ecn; readlink /proc/self/ns/net; ip -br -4 addr")


def test_hosts_of_one_kernel_have_networks_of_their_own(series):
    text = SHARED.replace("KERNEL", series)
    one, again = (tailrace.run(tailrace.Scenario(text)) for _ in range(2))
    assert one.fingerprint == again.fingerprint
    said = [program["output"].split() for program in one.summary["runs"][0]["programs"]]
    # ECN was asked for at `a` alone; `b` has Linux's own setting.
    assert [words[0] for words in said] == ["1", "1", "2"]
    assert len({words[1] for words in said}) == 3, said
    # Each has its own link, and by the name that it has on a kernel of its own.
    addresses = [(words[words.index("eth0") + 2], "eth1" in words) for words in said]
    assert addresses == [("10.0.0.1/32", False), ("10.0.0.2/32", False), ("10.0.0.3/32", False)]
    apart = tailrace.run(tailrace.Scenario(text.replace('namespace = "lab"', "")))
    for result in (one, apart):
        flows = result.flows.to_dicts()
        assert [(row["completed"], row["delivered_bytes"]) for row in flows] == [(1, 300_000)] * 2
        # What they send each other crosses their links: 2 Mbit/s, 10 ms.
        assert all(row["completion_goodput_bps"] < 2e6 for row in flows)
        assert all(row["one_way_delay_mean_s"] > 0.01 for row in flows)


def test_a_link_between_hosts_of_one_kernel_is_a_link(series):
    apart = flow(BULK, series, series)
    text = FLOW.replace("APP", BULK)
    together = tailrace.run(at_ends(text, series, series, 'namespace = "lab"'))
    for result in (apart, together):
        assert result.flows["one_way_delay_mean_s"].item() > 0.01
        # Slower than the link by the headers, and by nothing else once it is full.
        assert 9.0e6 < result.flows["goodput_bps"].item() < 9.66e6


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


OF_ONE_KERNEL = """
name = "shared"
duration = "2 s"
host = [
  { name = "web", count = 2, kernel = "KERNEL", namespace = "one", sysctl = SETTINGS, run = [
    { command = "hostname; getent ahostsv4 web1; cat /proc/sys/net/core/rmem_max" },
  ] },
  { name = "other", kernel = "KERNEL", namespace = "one", sysctl = OTHERS },
]
router = [{ name = "r" }]
link = [
  { between = ["web[*]", "r"], rate = "10 Mbit/s", delay = "1 ms" },
  { between = ["other", "r"], rate = "10 Mbit/s", delay = "1 ms" },
]
"""


def of_one_kernel(kernel, settings, others):
    return tailrace.Scenario(
        OF_ONE_KERNEL.replace("KERNEL", kernel).replace("SETTINGS", settings).replace("OTHERS", others)
    )


def test_a_setting_that_a_kernel_does_not_take_is_said_at_its_place(kernel):
    for setting, why, help_ in (
        ("net.ipv4.tcp_sackk = 0", "the kernel has no setting net.ipv4.tcp_sackk", "net.ipv4.tcp_sack"),
        ("net.ipv4.tcp_congestion_control = 'cubik'", 'the kernel does not take "cubik"', "cubic"),
        ("net.ipv4.tcp_sack = 300", 'the kernel does not take "300" for net.ipv4.tcp_sack', None),
        ("net.ipv4.tcp_available_congestion_control = 'reno'", "does not let", None),
    ):
        with pytest.raises(ScenarioError) as refused:
            tailrace.run(of_one_kernel(kernel, f"{{ {setting} }}", "{}"))
        text = refused.value.shown
        assert f"host web[0]: {why}" in text or why in text, text
        assert "sysctl = {" in text, "the line of the file"
        assert (f"did you mean `{help_}`?" in text) == (help_ is not None), text
        assert "panic" not in text


def test_a_setting_that_kernels_have_once_is_set_for_all_hosts_of_one(kernel):
    result = tailrace.run(of_one_kernel(kernel, "{ net.core.rmem_max = 4000000 }", "{}"))
    first, second = (p["output"].splitlines() for p in result.summary["runs"][0]["programs"])
    assert (first[-1], second[-1]) == ("4000000", "4000000")
    with pytest.raises(ScenarioError, match=r"host other: net.ipv4.tcp_mem is .* share one kernel"):
        tailrace.run(
            of_one_kernel(
                kernel, "{ net.ipv4.tcp_mem = '9000 9000 9000' }", "{ net.ipv4.tcp_mem = '9000 9000 8000' }"
            )
        )


LOOKS_UP = "date +%s%N; getent hosts b; getent hosts nobody; date +%s%N; ls /sys/class/net"


@pytest.mark.parametrize("together", [True, False])
def test_names_are_answered_at_once_and_sys_shows_a_hosts_own_interfaces(series, together):
    text = SHARED.replace("KERNEL", series)
    command = 'run = [{ at = "1 s", command = "' + LOOKS_UP + '" }]'
    text = text.replace(text[text.index("run = [") : text.index("}]") + 2], command, 1)
    if not together:
        text = text.replace('namespace = "lab"', "")
    [first, *_] = tailrace.run(tailrace.Scenario(text)).summary["runs"][0]["programs"]
    begin, address, name, end, *interfaces = first["output"].split()
    assert (address, name) == ("10.0.0.3", "b")
    assert int(end) - int(begin) < 10_000_000, "ns: nobody is waited for"
    # On a kernel of its own a host sees the one by which flows are driven, too, and others that kernels begin with.
    assert {"eth0", "lo"} <= set(interfaces)
    if together:
        assert interfaces == ["eth0", "lo"]


def test_one_of_several_hosts_has_a_name_without_brackets(kernel):
    result = tailrace.run(of_one_kernel(kernel, "{}", "{}"))
    first, second = (p["output"].splitlines() for p in result.summary["runs"][0]["programs"])
    assert (first[0], second[0]) == ("web0", "web1")
    assert first[1].startswith("10.0.0.2 ")


def test_a_result_says_which_kernels_it_is_of(kernel, tmp_path):
    result = tailrace.run(of_one_kernel(kernel, "{}", "{}"))
    result.save(tmp_path / "out")
    [said] = tailrace.Result.load(tmp_path / "out").manifest["kernels"]
    found = shelf.find(kernel)
    assert said == {
        "name": kernel,
        "version": found.version,
        "sha256": found.sha256,
        "hosts": ["web[0]", "web[1]", "other"],
    }
    page = report.of(result).html
    assert found.sha256 in page
    assert "web[0], web[1], other" in page
    assert "on every machine" not in page


# An echo request from a socket of its own, and a datagram to a port that nobody has, with the time that either takes.
ASKS = """
import socket, struct, time
raw = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
message = struct.pack("!BBHHH", 8, 0, 0, 7, 1) + b"0123456789"
words = struct.unpack(f"!{len(message) // 2}H", message)
sent = sum(words)
sent = ~((sent & 0xFFFF) + (sent >> 16)) & 0xFFFF
begun = time.monotonic()
raw.sendto(message[:2] + struct.pack("!H", sent) + message[4:], ("b", 0))
reply = raw.recv(100)[20:]
print(reply[0], reply[8:].decode(), round(time.monotonic() - begun, 3))
udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
udp.connect(("b", 9))
udp.send(b"x")
try:
    udp.recv(9)
except ConnectionRefusedError:
    print("refused", round(time.monotonic() - begun, 3))
"""


def test_a_simulated_host_answers_what_is_for_none_of_its_flows(kernel):
    # Nothing that has to be quoted, and no file, of which guests have few.
    program = base64.b64encode(ASKS.encode()).decode()
    command = f"echo {program} | base64 -d | python3"
    text = (
        'name = "asks"\nduration = "2 s"\n'
        f'[[host]]\nname = "a"\nkernel = "{kernel}"\nrun = [{{ command = "{command}" }}]\n'
        '[[host]]\nname = "b"\n[[link]]\nbetween = ["a", "b"]\nrate = "10 Mbit/s"\ndelay = "10 ms"\n'
    )
    ran = tailrace.run(tailrace.Scenario(text)).summary["runs"][0]["programs"]
    assert ran[0]["output"].splitlines() == ["0 0123456789 0.02", "refused 0.04"]


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


# As traceroute does: who says what of a datagram that may pass so many routers, and of how many its answer has met.
TRACES = """
import socket
raw = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for ttl in 1, 2, 3:
    udp.setsockopt(socket.IPPROTO_IP, socket.IP_TTL, ttl)
    udp.sendto(b"x", ("b", 33434))
    packet, (address, _) = raw.recvfrom(99)
    print(socket.gethostbyaddr(address)[0], packet[20], packet[21], 64 - packet[8])
"""


@pytest.mark.parametrize("end", ["", 'kernel = "KERNEL"'])
def test_programs_find_the_way_through_the_scenario(kernel, end):
    program = base64.b64encode(TRACES.encode()).decode()
    command = f"echo {program} | base64 -d | python3"
    links = (
        f'[[link]]\nbetween = ["{a}", "{b}"]\nrate = "10 Mbit/s"\ndelay = "10 ms"\n'
        for a, b in [("a", "r1"), ("r1", "r2"), ("r2", "b")]
    )
    text = (
        'name = "traces"\nduration = "2 s"\n'
        f'[[host]]\nname = "a"\nkernel = "KERNEL"\nrun = [{{ command = "{command}" }}]\n'
        f'[[host]]\nname = "b"\n{end}\n[[router]]\nname = "r1"\n[[router]]\nname = "r2"\n{"".join(links)}'
    )
    scenario = tailrace.Scenario(text.replace("KERNEL", kernel))
    [ran] = tailrace.run(scenario).summary["runs"][0]["programs"]
    assert ran["output"].splitlines() == ["r1 11 0 0", "r2 11 0 1", "b 3 3 2"]


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

"""Programs of hosts with kernels: what is shown of them, that they repeat, what they find around them."""

from __future__ import annotations

import base64
import io

import pytest
from rich.console import Console

import tailrace
from conftest import SMALL
from tailrace.cli import compare, plot
from tailrace.cli.run import describe
from tailrace.data.comparison import Comparison
from tailrace.errors import UsageError
from tailrace.execution import identity
from tailrace.kernels import run_kernels
from tailrace.show import summary_tables
from tailrace.show.report import contrasts, program_output
from tailrace.stats import asked_metrics, host_programs, numbers
from tailrace.stats.metrics import Known
from tailrace.stats.parameters import Column
from tailrace.study import metric_probe
from tailrace.text import interval_text


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
    rows = host_programs.rows([{"run": 1}, {"run": 2, "programs": [ended, running]}])
    assert rows == [
        ["a", "x" * 47 + "…", "1.5", "20", "3", "two"],
        ["b", "sleep 9", "0", "", "still ran", ""],
    ]
    assert host_programs.rows([{}]) == []
    # A command of several lines takes one.
    several = {**running, "command": "\nfor i in 1 2; do\n  echo $i\ndone\n", "exit_code": 3}
    assert host_programs.rows([{"run": 1, "programs": [several]}])[0][1] == "for i in 1 2; do echo $i done"
    assert host_programs.notes([{"programs": [several]}]) == [
        "host b: for i in 1 2; do echo $i done failed with exit code 3"
    ]


def test_a_report_shows_what_programs_said():
    def of(text, **more):
        said = {"host": "a", "command": "x <y>", "exit_code": 0, "output": text, "start_s": 1, "end_s": 2.25}
        [_, shown] = program_output.of_programs([{"run": 1, "programs": [said | more]}])
        return shown

    short = of("one\n<two>\n")
    assert "<b>a</b>: <code>x &lt;y&gt;</code>" in short
    assert "from 1 s to 2.25 s, exit code 0</p>" in short
    assert "one\n&lt;two&gt;</code>" in short
    assert short.startswith('<details class="program" open>')
    assert "it said nothing" in of("")
    assert "from 1 s, still running when the run ended" in of("", end_s=None, exit_code=None)
    assert "exit code 127 (there is no such program; relative paths begin in /tmp)" in of("", exit_code=127)
    # Of a long output the end, in whole lines, with how much came before.
    long = of("".join(f"line {n}\n" for n in range(1000)), output_left_out_bytes=5)
    assert not long.startswith('<details class="program" open>')
    before = sum(len(f"line {n}\n") for n in range(800)) + 5
    assert f"the last 200 lines, after {before} B more" in long
    assert "line 799\n" not in long
    assert ">line 800\n" in long
    assert long.count("y") < 200 < of("y" * 50_000).count("y") < 20_100


def test_a_report_names_a_table_of_programs_as_what_it_is():
    assert "<caption>Flow groups</caption>" in tailrace.run(SMALL).report().html
    page = without_flows(0).report().html
    assert "<caption>Programs</caption>" in page
    assert "Flow groups" not in page


def test_of_variants_it_is_said_which_a_program_failed_in():
    def of(**codes):
        return [
            {
                "programs": [
                    {"host": "a", "command": c, "exit_code": n, "output": ""} for c, n in codes.items()
                ]
            }
        ]

    runs = {"red": of(x=1, y=0), "codel": of(x=1, y=2), "sfq": of(x=1, y=2)}
    assert host_programs.notes_of_variants(runs) == [
        "host a: x failed with exit code 1",
        "codel, sfq: host a: y failed with exit code 2",
    ]


def without_flows(*codes):
    """A result of programs alone that ended with these codes."""
    ended = [{"host": "a", "command": "x", "exit_code": code, "output": "hello"} for code in codes]
    run = tailrace.run(SMALL)
    first, *_ = run.summary["runs"]
    summary = run.summary | {
        "runs": [first | {"programs": ended}],
        "aggregate": run.aggregate | {"groups": {}},
    }
    return tailrace.Result(summary, dict(run), run.scenario_toml, run.manifest)


def test_a_comparison_of_programs_alone_has_the_queues_and_says_which_programs_failed(tmp_path):
    compared = Comparison({"one": without_flows(0), "other": without_flows(4)})
    lines = str(compared).splitlines()
    [row] = [line.split() for line in lines if line.strip().startswith("other ")]
    assert len(row) > 3, "the queue's columns"
    assert [line for line in lines if "failed" in line] == ["other: host a: x failed with exit code 4"]
    # The first variant may be a simulated one, without programs.
    late = Comparison({"none": tailrace.run(SMALL), **compared})
    assert f"report {tmp_path / 'one'}`" in compare.signposts(late, tmp_path, plots=False)
    assert "output of programs" not in compare.signposts(
        Comparison({"one": tailrace.run(SMALL)}), tmp_path, plots=False
    )


HOSTS = {"a": {"sent_bytes": 7, "received_bytes": 2_000_000}, "b": {"sent_bytes": 9, "received_bytes": 3}}


def of_programs_alone(*codes, hosts=HOSTS):
    """Those of two hosts, one after the other: `None` is still running."""
    ended = [
        {
            "host": host,
            "command": f"x {place}",
            "exit_code": code,
            "output": f"said {place}",
            "start_s": 1.0,
            "end_s": None if code is None else 3.5,
        }
        for host, own in (("a", codes[:2]), ("b", codes[2:]))
        for place, code in enumerate(own)
    ]
    return {"run": 1, "seed": 1, "fingerprint": "f", "foreign_hosts": hosts, "programs": ended}


def test_programs_and_hosts_have_figures():
    rows = {
        (of, name, figure): value
        for of, name, figure, value, _ in host_programs.figures(of_programs_alone(0, 4, None))
    }
    assert [rows["programs", "programs", name] for name in host_programs.COUNTS] == [3, 1, 1]
    assert [rows["host", "a", name] for name in host_programs.COUNTS] == [2, 1, 0]
    assert rows["host", "a", "received_bytes"] == 2_000_000
    took = [rows["program", name, "duration_s"] for name in ("a.run.0", "a.run.1", "b.run.0")]
    assert took == [2.5, None, None], "of one that failed it is not what it would have taken"
    assert rows["program", "a.run.1", "exit_code"] == 4
    assert host_programs.figures({"groups": {}}) == []
    # A host that runs nothing.
    assert [row[:3] for row in host_programs.figures({"foreign_hosts": {"a": {"sent_bytes": 1}}})] == [
        ("host", "a", "sent_bytes")
    ]


def test_a_table_of_programs_alone_has_how_many_ran_failed_and_took_and_what_hosts_received():
    known = Known(
        numbers.frame([(1, 1, of_programs_alone(0, 4, None)), (1, 2, of_programs_alone(0, 0, None))])
    )
    assert [metric.heading for metric in known.usual()] == [
        "programs",
        "failed_programs",
        "running_programs",
        "a.run.0 duration [s]",
        "a.run.1 duration [s]",
        "a received [MB]",
        "b received [MB]",
    ]
    ended = Known(numbers.frame([(1, 1, of_programs_alone(0, 0, 0))]))
    assert "running_programs" not in [metric.name for metric in ended.usual()], "it is no news"
    [of_host] = ended.metric("a.programs")
    assert (of_host.of, of_host.owner) == ("host", "a")
    assert [metric.heading for metric in ended.metric("b.run.0.exit_code")] == ["b.run.0 exit_code"]
    # Hundreds of programs do not have a column each.
    many = Known(numbers.frame([(1, 1, of_programs_alone(0, 0, *[0] * 300))]))
    assert [metric.name for metric in many.usual()] == ["programs", "failed_programs", "received", "received"]


def test_a_table_of_a_sweep_says_which_programs_failed_in_which_cells():
    rows = [(1, 1, of_programs_alone(0, 4)), (1, 2, of_programs_alone(0, 0)), (2, 1, of_programs_alone(0, 0))]
    found = numbers.frame(rows)
    assert host_programs.notes_of_figures(found, {1: "slow", 2: "fast"}) == [
        "slow: host a: x 1 failed with exit code 4, once in 2 runs"
    ]
    assert host_programs.notes_of_figures(found.filter(found["cell"] == 2), {2: "fast"}) == []
    # Of many cells the first are named.
    every = numbers.frame([(cell, 1, of_programs_alone(4 if cell < 9 else 0)) for cell in range(1, 10)])
    [note] = host_programs.notes_of_figures(every, {cell: f"c{cell}" for cell in range(1, 10)})
    assert note == "c1, c2, c3, c4, c5, c6 and 2 more: host a: x 0 failed with exit code 4"


def test_programs_are_known_before_they_run():
    hosts = [
        {"name": "a", "count": 2, "kernel": "6.12", "run": [{"at": "1 s", "command": "x"}, {"command": "y"}]},
        {"name": "b", "kernel": "none", "run": [{"command": "z"}]},
        {"name": "c"},
    ]
    named = {row[1] for row in host_programs.figures(host_programs.foreseen(hosts)) if row[0] == "program"}
    assert named == {"a[0].run.0", "a[0].run.1", "a[1].run.0", "a[1].run.1"}


def test_what_would_be_run_says_where_programs_are():
    text = SWEPT.replace("KERNEL", "6.12")
    assert describe(tailrace.Scenario(text)).endswith("2 nodes, 1 links; programs: 2 on a")
    assert describe(tailrace.Scenario(SMALL)).endswith("flows: 2 tcp (tcp), 1 cbr (udp)")


def test_names_of_kernels_are_no_numbers():
    kernels = Column("a.kernel", [{"axes": {"a.kernel": text}} for text in ("none", "6.1", "6.10")])
    assert kernels.numbers is None
    assert kernels.note is None
    assert kernels.words == ["none", "6.1", "6.10"]
    quoted = Column("a.kernel", [{"axes": {"a.kernel": text}} for text in ('"6.1"', '"6.12"')])
    assert quoted.words == ["6.1", "6.12"]


SWEPT = """
name = "swept"
duration = "3 s"
[[host]]
name = "a"
kernel = "KERNEL"
run = [
  { command = "sleep 1" },
  { command = "test $(cat /proc/sys/net/ipv4/tcp_sack) = 1" },
]
[[host]]
name = "b"
kernel = "KERNEL"
[[link]]
between = ["a", "b"]
rate = "10 Mbit/s"
delay = "10 ms"
"""


def test_a_sweep_of_programs_alone_has_a_table_and_frames(kernel, tmp_path):
    axes = {"host.a.sysctl.net.ipv4.tcp_sack": ["0", "1"]}
    text = SWEPT.replace("KERNEL", kernel)
    metric_probe.check(["a.run.1.duration", "a.failed_programs", "b.received"], [tailrace.Scenario(text)])
    with pytest.raises(UsageError, match=r"no metric 'a\.run\.2\.duration'; did you mean a\.run"):
        metric_probe.check(["a.run.2.duration"], [tailrace.Scenario(text)])
    found = tailrace.sweep(text, axes, runs=1, output=tmp_path / "store")
    grid = found.write_table().grid()
    assert [row[1:3] for row in grid.rows] == [["2", "1"], ["2", "0"]]
    took = grid.columns.index("a.run.0 duration [s]")
    assert [row[took][:1] for row in grid.rows] == ["1", "1"]
    assert any(note.startswith("0: host a: test $(cat") for note in grid.notes)
    assert any("a.run.0.duration" in note for note in grid.notes)
    assert found.programs["exit_code"].to_list() == [0, 1, 0, 0]
    assert found.to_look_at == ("a.run.0.duration", "programs")


def test_without_a_queue_under_study_a_comparison_has_no_table_of_it_and_says_why_there_are_no_figures(
    capsys,
):
    def bare(code):
        run = of_programs_alone(code)
        found = without_flows(code)
        summary = found.summary | {"runs": [run], "aggregate": {"groups": {}, "queues": {}}}
        return tailrace.Result(summary, {}, found.scenario_toml, found.manifest)

    compared = Comparison({"one": bare(0), "other": bare(4)})
    assert compared.grid.columns[1:3] == ["programs", "failed_programs"]
    assert "sojourn ms" not in compared.grid.columns
    narrow = Console(width=40, record=True, file=io.StringIO())
    narrow.print(compared)
    assert "sojourn" not in narrow.export_text()
    plot._has_series(list(compared.results.values()), quiet=False)
    assert "no flows, and no queue under study" in capsys.readouterr().err


def test_a_report_tells_first_what_differs_of_programs():
    def of(code, took):
        found = without_flows(code)
        run = of_programs_alone(code)
        run["programs"][0] |= {"start_s": 0.0, "end_s": took}
        summary = found.summary | {"runs": [run], "aggregate": {"groups": {}, "queues": {}}}
        return tailrace.Result(summary, {}, found.scenario_toml, found.manifest)

    same = Comparison({"slow": of(0, 9.0), "fast": of(0, 2.0)}).measured
    said = contrasts.of(same, asked_metrics.of(same))
    assert said[0].about == "Duration"
    assert said[0].text == "Against slow (9 s): fast (2) is 7 s lower."
    assert "programs" not in [metric.name for metric in asked_metrics.of(same)]
    differing = Comparison({"one": of(0, 2.0), "other": of(4, 2.0)}).measured
    assert "failed_programs" in [metric.name for metric in asked_metrics.of(differing)]


def test_runs_that_chance_had_no_part_in_are_said_to_be_the_same():
    found = tailrace.run(SMALL)
    first, *_ = found.summary["runs"]

    def of(*prints):
        runs = [first | {"run": n, "fingerprint": text} for n, text in enumerate(prints, start=1)]
        result = tailrace.Result(found.summary | {"runs": runs}, {}, found.scenario_toml, found.manifest)
        return "\n".join(summary_tables.result_grids(result)[0].notes)

    assert "all 3 runs are the same" in of("x", "x", "x")
    assert "runs are the same" not in of("x", "y", "x")
    assert "runs are the same" not in of("x")


def test_what_hosts_of_programs_sent_lost_and_received_is_shown():
    count = {
        name: {"mean": 5e6, "ci95": None, "n": 1}
        for name in ("sent_packets", "lost_packets", "received_bytes")
    }
    run = without_flows(0)
    aggregate = run.aggregate | {"foreign_hosts": {f"h[{n}]": count for n in range(14)}}
    result = tailrace.Result(run.summary | {"aggregate": aggregate}, {}, run.scenario_toml, run.manifest)
    [hosts] = [grid for grid in summary_tables.result_grids(result) if grid.title == "hosts"]
    assert hosts.rows[0] == [
        "h[0]",
        "5000000",
        "5000000",
        interval_text.NO_VALUE,
        interval_text.NO_VALUE,
        "5",
    ]
    assert len(hosts.rows) == 12
    assert hosts.notes == ["and 2 more: foreign_hosts in summary.json"]
    # Flows alone have their own counts.
    assert "hosts" not in [grid.title for grid in summary_tables.result_grids(tailrace.run(SMALL))]


def test_programs_that_fail_are_said_once_below_the_table():
    def of(*codes):
        return {"programs": [{"host": "a", "command": "x", "exit_code": c, "output": ""} for c in codes]}

    assert host_programs.notes([of(0, None), {}]) == []
    assert host_programs.notes([of(127)]) == [
        "host a: x failed with exit code 127 (there is no such program; relative paths begin in /tmp)"
    ]
    assert host_programs.notes([of(1, 0), of(1, 1)]) == [
        "host a: x failed with exit code 1, 3 times in 2 runs"
    ]


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
    monkeypatch.setattr(run_kernels, "hashes", lambda _: {kernel: "another"})
    assert identity.of_cell(scenario) != before


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

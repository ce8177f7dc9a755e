"""Programs of hosts with kernels: what is shown of them, that they repeat, what they find around them."""

from __future__ import annotations

import base64

import pytest

import tailrace
from conftest import SMALL
from tailrace import programs
from tailrace.cli import compare
from tailrace.comparison import Comparison
from tailrace.kernels import using
from tailrace.report import output
from tailrace.study import identity


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
    assert programs.notes_of_variants(runs) == [
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
    assert "what programs said" not in compare.signposts(
        Comparison({"one": tailrace.run(SMALL)}), tmp_path, plots=False
    )


def test_programs_that_fail_are_said_once_below_the_table():
    def of(*codes):
        return {"programs": [{"host": "a", "command": "x", "exit_code": c, "output": ""} for c in codes]}

    assert programs.notes([of(0, None), {}]) == []
    assert programs.notes([of(127)]) == [
        "host a: x failed with exit code 127 (there is no such program; relative paths begin in /tmp)"
    ]
    assert programs.notes([of(1, 0), of(1, 1)]) == ["host a: x failed with exit code 1, 3 times in 2 runs"]


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
    monkeypatch.setattr(using, "hashes", lambda _: {kernel: "another"})
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

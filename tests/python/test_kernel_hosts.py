"""Hosts with kernels of their own: what is said without one, and where there is one, what it does."""

from __future__ import annotations

import pytest

import tailrace
from conftest import command_line
from tailrace import programs
from tailrace.errors import UsageError
from tailrace.kernels import shelf, using
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
    running = {"host": "b", "command": "sleep 9", "exit_code": None, "output": ""}
    rows = programs.rows([{}, {"programs": [ended, running]}])
    assert rows == [["a", "x" * 47 + "…", "3", "two"], ["b", "sleep 9", "still ran", ""]]
    assert programs.rows([{}]) == []


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


def test_without_the_program_that_starts_kernels_it_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(using, "AGENT", tmp_path / "tailrace-agent")
    with pytest.raises(UsageError, match="`make build` builds it"):
        using.agent()


def test_kernels_run_programs_and_repeat(kernel):
    scenario = tailrace.Scenario(PAIR.replace("KERNEL", kernel))
    one, again = (tailrace.run(scenario) for _ in range(2))
    [run], [other] = one.summary["runs"], again.summary["runs"]
    assert [p["exit_code"] for p in run["programs"]] == [0, 3, None, 0]
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

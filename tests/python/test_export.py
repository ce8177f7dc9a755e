"""`tailrace export tc`: what it prints means the same in a scenario, and tc itself takes it."""

import json
import shutil
import subprocess

import pytest

import tailrace
from conftest import command_line
from tailrace.text import toml_text

QUEUES = tailrace.list_queues()
IN_LINUX = [queue["name"] for queue in QUEUES if queue["in_linux"]]


def exported(small_file, *arguments):
    done = command_line(
        "export", "tc", small_file, "--json", "--queue", "r1->r2", *arguments, cwd=small_file.parent
    )
    assert done.returncode == 0, done.stderr
    (entry,) = json.loads(done.stdout)
    return entry


def resolved(small_file, queue):
    return tailrace.Scenario.of(small_file, set={"link.bottleneck.queue": queue})


@pytest.mark.parametrize("name", IN_LINUX)
def test_a_line_pasted_into_a_scenario_means_the_same(small_file, name):
    first = exported(small_file, "--set", f"link.bottleneck.queue={name}")
    again = exported(small_file, "--set", f"link.bottleneck.queue={first['tc']}")
    assert again["not_carried"] == []
    pasted, back = resolved(small_file, first["tc"]), resolved(small_file, again["tc"])
    assert pasted.to_toml() == back.to_toml()
    lost = {d["parameter"] for d in first["not_carried"]}
    assert lost <= {p["name"] for q in QUEUES if q["name"] == name for p in q["params"]}


@pytest.mark.parametrize("name", IN_LINUX)
def test_tc_itself_takes_the_line(small_file, name):
    if not (shutil.which("tc") and shutil.which("unshare")):
        pytest.skip("iproute2 and unshare are not installed")
    line = exported(small_file, "--set", f"link.bottleneck.queue={name}", "--dev", "lo")["commands"]
    command = next(command for command in line if command.startswith("tc qdisc"))
    done = subprocess.run(["unshare", "-rn", *command.split()], capture_output=True, text=True, check=False)
    if "unshare" in done.stderr:
        pytest.skip("no network namespace can be made here")
    if "Unknown qdisc" in done.stderr:
        pytest.skip(f"this tc is older than {name}")
    # A word that tc does not know ends in its usage; a kernel without the module ends here.
    assert done.returncode == 0 or "qdisc kind is unknown" in done.stderr, done.stderr


def test_what_linux_has_not_is_said(small_file):
    entry = exported(small_file, "--set", "link.bottleneck.queue=blue")
    assert (entry["tc"], entry["commands"], entry["in_linux"]) == (None, [], False)
    done = command_line(
        "export", "tc", small_file, "--set", "link.bottleneck.queue=blue", cwd=small_file.parent
    )
    assert "Linux has no blue" in done.stdout
    assert "tc qdisc" not in done.stdout


def test_what_tc_has_no_word_for_is_named(small_file):
    queue = toml_text.value({"kind": "codel", "limit": "30 kB", "target": "5500 ns", "interval": "20 ms"})
    entry = exported(small_file, "--set", f"link.bottleneck.queue={queue}")
    assert entry["tc"] == "codel limit 20 target 6us interval 20ms noecn"
    # A tc line means Linux's form; a table without `form` the RFC's.
    missing = {"form", "limit", "target", "maxpacket", "arithmetic"}
    assert {d["parameter"] for d in entry["not_carried"]} == missing


def test_a_shaper_gives_the_rate_and_netem_the_delay(small_file):
    done = command_line("export", "tc", small_file, "--shape", "--dev", "eth0", cwd=small_file.parent)
    lines = [line for line in done.stdout.splitlines() if not line.startswith("#")]
    # 2 Mbit/s for 10 ms in packets of 64 bytes: 39.
    assert lines == [
        "tc qdisc replace dev eth0 root handle 1: htb default 1",
        "tc class replace dev eth0 parent 1: classid 1:1 htb rate 2mbit",
        "tc qdisc replace dev eth0 parent 1:1 handle 10: pfifo limit 20",
        "tc qdisc replace dev NEXT root netem delay 10ms limit 1039",
    ]
    assert done.stdout.count("pfifo") == 1, "both directions are the same"


def test_a_link_can_be_chosen(small_file):
    done = command_line("export", "tc", small_file, "--link", "r2-dst", cwd=small_file.parent)
    assert done.stdout.count("# r2->dst, dst->r2: droptail at 20mbit") == 1, done.stdout + done.stderr
    done = command_line("export", "tc", small_file, "--link", "botleneck", cwd=small_file.parent)
    assert done.returncode == 2
    assert "did you mean bottleneck" in done.stderr

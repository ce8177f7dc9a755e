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


# Classes of drr are commands of their own, which say its quantum. The class that shapes a link cannot be told from
# one that is the discipline itself, and a policer acts before both.
@pytest.mark.parametrize("name", sorted({*IN_LINUX} - {"drr"}))
@pytest.mark.parametrize("shape", [False, True])
def test_all_that_is_printed_can_be_pasted_as_it_is(small_file, name, shape):
    if shape and name in {"htb", "police"}:
        pytest.skip("a shaper around a shaper or policer is two disciplines")
    chosen = ("--queue", "r1->r2", "--set", f"link.bottleneck.queue={name}", *(["--shape"] if shape else []))
    printed = command_line("export", "tc", small_file, *chosen, cwd=small_file.parent).stdout
    line = exported(small_file, "--set", f"link.bottleneck.queue={name}")["tc"]
    text = json.dumps(printed)
    assert resolved(small_file, text).to_toml() == resolved(small_file, line).to_toml()


# As owners of routers have them in reports, with devices, handles and rates of our own.
POSTED = {
    "tc qdisc add dev eth0.2 root cake bandwidth 95Mbit diffserv4 docsis nat wash ack-filter": "cake",
    "tc -s -d qdisc replace dev wan root handle 1: fq_codel limit 600 flows 1024 quantum 300 noecn": "fq_codel",
    "tc qdisc change dev ppp0 root cake bandwidth 38mbit pppoe-ptm ether-vlan triple-isolate ingress": "cake",
    "tc qdisc replace dev ifb4wan root cake bandwidth 220Mbit besteffort dual-dsthost nonat mpu 84 ethernet": "cake",
    "qdisc cake 800d: dev ifb4eth1 root refcnt 2 bandwidth 420Mbit diffserv3 dual-dsthost nat nowash ingress "
    "no-ack-filter split-gso rtt 80ms noatm overhead 42 mpu 84 memlimit 8Mb": "cake",
    "qdisc cake 1: dev wlan0 root refcnt 5 unlimited diffserv3 triple-isolate nonat nowash no-ack-filter "
    "split-gso rtt 100ms raw overhead 0": "cake",
    "qdisc fq_codel 0: dev wlan1 parent :4 limit 1024p flows 512 quantum 300 target 20ms interval 120ms "
    "memory_limit 4Mb ecn drop_batch 32": "fq_codel",
    "qdisc codel 8002: root refcnt 2 limit 500p target 8ms interval 80ms ecn": "codel",
    "qdisc pie 8007: dev eth3 root refcnt 2 limit 800p target 20ms tupdate 16ms alpha 2 beta 20": "pie",
    "qdisc fq 8010: dev ens3 root refcnt 2 limit 10000p flow_limit 100p buckets 1024 orphan_mask 1023 "
    "quantum 3028b initial_quantum 15140b low_rate_threshold 550Kbit refill_delay 40ms": "fq",
    "qdisc sfq 8005: dev eth0 root refcnt 2 limit 200p quantum 1514b depth 127 divisor 1024 perturb 10sec": "sfq",
    "qdisc red 8003: dev eth0 root refcnt 2 limit 600000b min 60000b max 180000b": "red",
    "qdisc pfifo 8009: root refcnt 2 limit 64p": "droptail",
    "tc qdisc add dev veth0 parent 1:10 handle 20: bfifo limit 48kb": "droptail",
    "tc qdisc add dev veth0 root red limit 400000 min 30000 max 90000 avpkt 1000 burst 55 ecn": "red",
    "tc qdisc replace dev eth0 root fq_pie limit 4000 flows 512 target 15ms tupdate 15ms": "fq_pie",
    "tc qdisc replace dev eth0 root choke limit 600 min 60 max 180 ecn bandwidth 20mbit": "choke",
}


@pytest.mark.parametrize("line", POSTED)
def test_lines_are_taken_as_people_post_them(small_file, line):
    scenario = resolved(small_file, json.dumps(line))
    assert f'kind = "{POSTED[line]}"' in scenario.to_toml()

# ruff: noqa: E501 - lines as they are posted
"""`tailrace import tc`: lines as people post them, written for this test in the form of public reports."""

import random

import pytest

from tailrace.errors import UsageError
from tailrace.imports.input_file import InputFile
from tailrace.imports.readers import READERS
from tailrace.imports.tc import read
from text_mutations import HOSTILE, mutated

FQ = "limit 10240p flows 1024 quantum 1514 target 5ms interval 100ms memory_limit 32Mb ecn drop_batch 64"
BUCKET = 'overhead = "14 B"'
# A line each, and what the link must have: keys with a part of their value, or of what is not taken over.
POSTED = [
    ("tc qdisc add dev wan root cake bandwidth 35Mbit docsis ack-filter", {"queue": "cake bandwidth 35Mbit docsis"}),
    ("tc qdisc replace dev eth0.2 root cake bandwidth 90mbit besteffort nat wash", {"queue": "cake bandwidth 90mbit besteffort wash", "not": "nat"}),
    ("qdisc cake 8009: dev ifb4wan root refcnt 2 bandwidth 450Mbit besteffort dual-dsthost nat wash ingress no-ack-filter split-gso rtt 30ms noatm overhead 22 mpu 64", {"reverse.queue": "cake bandwidth 450Mbit"}),
    ("qdisc cake 1: root refcnt 5 bandwidth unlimited diffserv3 triple-isolate nonat nowash no-ack-filter split-gso rtt 100ms raw overhead 0", {"queue": "cake bandwidth unlimited"}),
    (f"qdisc fq_codel 0: dev wlan0 root refcnt 2 {FQ}", {"queue": "fq_codel limit 10240p", "rate": "100 Mbit/s"}),
    (f"qdisc mq 0: dev eth0 root\nqdisc fq_codel 0: dev eth0 parent :2 {FQ}\nqdisc fq_codel 0: dev eth0 parent :1 {FQ}", {"queue": "fq_codel"}),
    ("qdisc pfifo_fast 0: dev eth0 root refcnt 2 bands 3 priomap 1 2 2 2 1 2 0 0 1 1 1 1 1 1 1 1", {"queue": ""}),
    ("qdisc noqueue 0: dev lo root refcnt 2\nqdisc fq 8001: dev ens5 root refcnt 2 limit 20000p flow_limit 100p buckets 1024 orphan_mask 1023 quantum 3028b initial_quantum 15140b low_rate_threshold 550Kbit refill_delay 40ms", {"not": "fq paces"}),
    ("tc qdisc add dev eth0 root netem delay 80ms", {"delay": "80 ms", "queue": "pfifo limit 1000"}),
    ("sudo tc qdisc add dev eth0 root netem delay 40ms 5ms distribution normal", {"jitter": "normal(40 ms, 5 ms)"}),
    ("tc qdisc add dev veth1 root netem delay 100ms 20ms", {"delay": "80 ms", "jitter": "uniform(0 s, 40 ms)", "reorder": "True"}),
    ("tc qdisc add dev veth1 root netem loss 2.5% 25%", {"loss": "0.025", "not": "correlation of losses"}),
    ("tc qdisc change dev veth1 root netem loss gemodel 1% 20% 80% 0.1%", {"loss": "'p': 0.01"}),
    ("tc qdisc add dev r1-eth1 root netem rate 5mbit limit 40 delay 25ms", {"rate": "5 Mbit/s", "queue": "pfifo limit 40"}),
    ("tc qdisc add dev eth0 root netem corrupt 0.2% duplicate 1%", {"not": "duplicate"}),
    ("qdisc netem 8002: dev s1-eth2 root refcnt 9 limit 100 delay 30ms  2ms loss 1% rate 12Mbit", {"rate": "12 Mbit/s", "delay": "28 ms"}),
    ("tc qdisc add dev eth0 root tbf rate 8mbit burst 16kb latency 70ms", {"queue": "tbf rate 8mbit burst 16kb latency 70ms"}),
    ("tc qdisc add dev eth0 root handle 1: tbf rate 20mbit burst 32kb limit 100kb\ntc qdisc add dev eth0 parent 1:1 handle 10: codel", {"queue": "'queue': 'codel'"}),
    ("qdisc tbf 8003: root refcnt 2 rate 1Mbit burst 4Kb lat 50ms", {"queue": "tbf rate 1Mbit burst 4Kb lat 50ms"}),
    ("tc qdisc add dev eth1 root handle 1: htb default 30\ntc class add dev eth1 parent 1: classid 1:1 htb rate 30mbit\ntc class add dev eth1 parent 1:1 classid 1:10 htb rate 20mbit ceil 30mbit\ntc class add dev eth1 parent 1:1 classid 1:30 htb rate 5mbit ceil 25mbit burst 15k\ntc qdisc add dev eth1 parent 1:30 sfq perturb 10", {"queue": "{'kind': 'htb', 'rate': '25 Mbit/s'", "not": "class 1:10"}),
    ("class htb 1:1 root rate 9Mbit ceil 9Mbit burst 1600b cburst 1600b\nclass htb 1:12 parent 1:1 leaf 120: prio 2 rate 1Mbit ceil 20Mbit burst 1600b cburst 1600b\nqdisc htb 1: dev eth0 root refcnt 2 r2q 10 default 0x12 direct_packets_stat 0", {"queue": "'rate': '9 Mbit/s'"}),
    ("tc qdisc add dev eth0 handle ffff: ingress\ntc filter add dev eth0 parent ffff: protocol ip u32 match u32 0 0 police rate 10mbit burst 64k drop flowid :1", {"reverse.queue": "police rate 10mbit burst 64k drop"}),
    ("tc qdisc add dev eth0 root handle 1: prio\ntc filter add dev eth0 parent 1: protocol ip u32 match u32 0 0 police rate 1mbit burst 9k drop flowid 1:1", {"queue": "prio", "not": "police"}),
    ("tc qdisc add dev eth1 root handle 1: hfsc default 1\ntc class add dev eth1 parent 1: classid 1:1 hfsc sc rate 12mbit ul rate 15mbit\ntc qdisc add dev eth1 parent 1:1 fq_codel", {"queue": "'rate': '15 Mbit/s'"}),
    ("tc qdisc add dev h1-eth0 root handle 5:0 htb default 1\ntc class add dev h1-eth0 parent 5:0 classid 5:1 htb rate 10.000000Mbit burst 15k\ntc qdisc add dev h1-eth0 parent 5:1 handle 10: netem delay 5ms limit 100", {"queue": "'rate': '10 Mbit/s'", "delay": "5 ms"}),
    ("tc qdisc add dev eth0 root red limit 400000 min 30000 max 90000 avpkt 1000 burst 55 ecn adaptive bandwidth 10Mbit", {"queue": "red limit 400000"}),
    ("tc qdisc add dev eth0 root red limit 400000 min 30000 max 90000 avpkt 1000 burst 55 ecn bandwidth 10Mbit", {"queue": "red limit 400000"}),
    ("qdisc codel 8005: root refcnt 2 limit 1000p target 5ms interval 100ms ecn", {"queue": "codel limit 1000p"}),
    ("qdisc fq_pie 8006: root refcnt 2 limit 10240p flows 1024 target 15ms tupdate 15ms alpha 2 beta 20 quantum 1514b memory_limit 32Mb ecn_prob 10", {"queue": "fq_pie"}),
    ("qdisc pie 8007: dev eth0 root refcnt 2 limit 1000p target 15ms tupdate 15ms alpha 2 beta 20", {"queue": "pie limit 1000p"}),
    ("$ tc qdisc add dev enp3s0 root bfifo limit 300k", {"queue": "bfifo limit 300k"}),
    ("root@gw:~# tc qdisc replace dev eth0 root sfq perturb 10 quantum 1514", {"queue": "sfq"}),
    ("qdisc dualpi2 8008: dev eth0 root refcnt 2 limit 10000p target 15ms tupdate 16ms alpha 0.156250 beta 3.195312 l4s_ect coupling_factor 2 drop_on_overload step_thresh 1ms drop_dequeue split_gso classic_protection 10%", {"queue": "dualpi2"}),
    ("tc qdisc add dev eth1 root fq_codel\ntc qdisc del dev eth1 root\ntc qdisc add dev eth1 root codel limit 200", {"queue": "codel limit 200"}),
    ("qdisc pfifo 8004: dev eth0 root refcnt 2 limit 50p", {"queue": "pfifo limit 50p"}),
    ("/sbin/tc -s -d qdisc add dev eth0 \\\n   root handle 1: \\\n   cake bandwidth 5mbit", {"queue": "cake bandwidth 5mbit"}),
]  # fmt: skip


def draft(text):
    return read([InputFile("posted.txt", text.encode())])


def link(found):
    """The device's link: path of a key -> value as text."""
    (each,) = [each for each in found.tables["link"] if each["name"] not in {"lan", "internet"}]
    flat = {key: value for key, value in each.items() if key != "reverse"}
    flat |= {f"reverse.{key}": value for key, value in (each.get("reverse") or {}).items()}
    return {key: str(getattr(value, "value", value)) for key, value in flat.items()}


@pytest.mark.parametrize(("text", "wanted"), POSTED, ids=[text[:60] for text, _ in POSTED])
def test_a_posted_line_is_taken_or_refused_with_what_does_it_here(text, wanted):
    found = draft(text)
    keys = link(found)
    for key, part in wanted.items():
        if key == "not":
            assert any(part in each.why for each in found.omissions), found.omissions
        else:
            assert part in keys[key], (key, keys)
    assert [w for w in found.scenario().warnings if "small-windows" not in w] == []


def test_there_are_thirty_posted_lines():
    assert len({text for text, _ in POSTED}) >= 30


def test_shapers_of_both_directions_by_a_redirect_or_by_two_devices():
    text = (
        "tc qdisc add dev eth1 root cake bandwidth 20mbit\n"
        "tc qdisc add dev eth1 handle ffff: ingress\n"
        "tc qdisc add dev inshaper root cake bandwidth 100mbit ingress\n"
        "tc filter add dev eth1 parent ffff: protocol all u32 match u32 0 0 action mirred egress redirect dev inshaper\n"
    )
    keys = link(draft(text))
    assert (keys["name"], keys["queue"], keys["reverse.queue"]) == (
        "eth1",
        "cake bandwidth 20mbit",
        "cake bandwidth 100mbit ingress",
    )
    two = draft(
        "qdisc fq_codel 0: dev lan1 root\nqdisc cake 1: dev wan root bandwidth 9Mbit\nqdisc tbf 2: dev br-lan root rate 40Mbit burst 40Kb lat 60ms\n"
    )
    assert (link(two)["name"], link(two)["reverse.queue"]) == ("wan", "tbf rate 40Mbit burst 40Kb lat 60ms")
    assert [each.place for each in two.omissions] == ["posted.txt:1"]
    assert {flow["name"] for flow in two.tables["flow"]} == {"upload", "download", "ping"}


def test_netems_limit_and_place_are_explained():
    found = draft("tc qdisc add dev eth0 root netem delay 100ms\n")
    assert "TCP's small" in found.toml()
    (omission,) = found.omissions
    assert "at 100 ms full packets pass with at most 120 Mbit/s" in omission.why
    assert draft("tc qdisc add dev eth0 root netem delay 100ms rate 50mbit limit 2000\n").omissions == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("tc qdisc add dev eth0 root fq_codle limit 5\n", "posted.txt:1: fq_codle: "),
        ("\ntc qdisc add dev eth0 root pfifo limti 5\n", "posted.txt:2: pfifo: "),
        ("tc qdisc add dev eth0 root netem dealy 5ms\n", "posted.txt:1: netem has no word 'dealy'"),
        (
            "tc qdisc add dev eth0 root netem delay fast\n",
            "posted.txt:1: netem: delay needs a time such as 100ms, and 'fast'",
        ),
        ("tc qdisc add dev eth0 root netem rate\n", "posted.txt:1: netem: rate needs a rate such as 10mbit"),
        ("tc qdisc add dev eth0 root netem loss gemodel\n", "posted.txt:1: netem: loss gemodel needs p"),
        ("tc qdisc add dev $WAN root tbf rate ${UP}kbit burst 5k latency 9ms\n", "posted.txt:1: tbf: "),
        (
            "tc qdisc add dev a root handle 1: htb\ntc class add dev a parent 1: classid 1:1 htb burst 5k\n",
            "posted.txt:2: class 1:1 has no rate",
        ),
        ("My router is slow.\n", "posted.txt: there is no queue discipline of tc in it"),
        ("qdisc ingress ffff: dev eth0 parent ffff:fff1\n", "there is no queue discipline of tc in it"),
        ("htb default 30\n", "(posted.txt:1: htb without a class shapes nothing)"),
    ],
)
def test_what_cannot_be_read_is_refused_at_its_line(text, message):
    with pytest.raises(UsageError) as error:
        draft(text).scenario()
    assert message in str(error.value)


@pytest.mark.parametrize("seed", range(60))
def test_lines_with_random_changes_never_end_in_a_traceback(seed, tmp_path):
    """Holds mutations of the posted lines against the reader and its check: a scenario, or an error for people."""
    rng = random.Random(seed)
    words = [f" {word} " for text, _ in POSTED for word in text.split()]
    text = mutated(rng, rng.choice(POSTED)[0], 11, [*words, *HOSTILE * (1 + len(words) // len(HOSTILE))])
    file = tmp_path / "posted.txt"
    file.write_bytes(text.encode())
    try:
        READERS["tc"].read([str(file)]).scenario()
    except UsageError as error:
        assert str(error)

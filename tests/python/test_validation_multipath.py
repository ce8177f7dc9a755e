"""The validation of Multipath TCP: its cases, what it writes for the guest, what it reads, and its judgement.

The kernel itself is not run here.
"""

from pathlib import Path

import pytest

import tailrace
from validation.multipath import cases as data
from validation.multipath import guest, judgement, ours
from validation.multipath.measures import Course, measures


@pytest.fixture(scope="module")
def cases():
    return {case.name: case for case in data.load()}


def test_tailrace_accepts_every_case(cases):
    for case in cases.values():
        tailrace.Scenario.of(ours.scenario(case))


def test_there_are_eight_paths_fixed_and_tuned_buffers_and_faults_of_groups_of_both_kinds(cases):
    everything = list(cases.values())
    assert any(len(c.paths) == 8 and c.receive_kib is None for c in everything)
    assert any(len(c.paths) == 8 and c.receive_kib for c in everything)
    kinds = {f.kind for c in everything for f in c.faults if len(f.paths) > 1}
    assert kinds == {"silent", "down"}
    assert {c.tcp for c in everything} == {"cubic", "reno"}


def test_the_guest_has_an_endpoint_for_each_further_interface_and_a_hole(cases):
    case = cases["backup-takes-over"]
    files = guest.files(case, 1, Path("/x/multipath"), Path("/x/traffic"))
    init = files["init"].splitlines()
    endpoints = [line for line in init if "endpoint" in line]
    assert endpoints == ["ip -n client mptcp endpoint add 10.0.1.1 dev c1 id 2 subflow backup"]
    delay = round(case.delays_ms(1)[0] * 1e3)
    hole = next(line for line in init if "sleep" in line)
    silent = f"tc -n client qdisc change dev c0 root netem limit 1000000 delay {delay}us loss 100%"
    assert hole.startswith(f"( sleep 5; {silent}; tc -n p0 ")
    assert "sleep 10;" in hole and hole.endswith("loss 0% ) &")
    assert "htb rate 5000000bit" in files["tc-p1"] and "pfifo limit 60" in files["tc-p1"]


def test_links_go_down_together_before_any_endpoint_is_removed(cases):
    init = guest.files(cases["two-down-256k"], 1, Path("/x/m"), Path("/x/t"))["init"]
    line = next(line for line in init.splitlines() if "sleep" in line)
    words = [
        "link set c1 down",
        "link set c2 down",
        "endpoint del id 2",
        "endpoint del id 3",
        "link set c1 up",
    ]
    places = [line.index(w) for w in words]
    assert places == sorted(places)
    assert "run 25 client server 10.9.0.2 262144 262144" in init


def test_paths_differ_from_run_to_run_and_are_the_same_on_both_sides(cases):
    case = cases["equal"]
    assert case.delays_ms(1) != case.delays_ms(2)
    links = {link["name"]: link for link in ours.scenario(case, 2)["link"]}
    assert links["c1"]["delay"] == f"{case.delays_ms(2)[1]:g} ms"


def tick(time, received, sent):
    devices = " ".join(f"c{i} {n}" for i, n in enumerate(sent))
    return f"tick {time:.3f} received {received} {devices} memory 1 2 3 4"


def test_phases_are_differences_of_looks(cases):
    lines = [tick(s / 5, s * 200_000, (s * 180_000, s * 60_000)) for s in range(1, 101)]
    lines += ["counter client RetransSegs 7", "counter client TCPTimeouts 2", "counter server MPJoinAckRx 1"]
    found = measures(cases["equal"], guest.parse(cases["equal"], "begin\n" + "\n".join(lines) + "\ndone\n"))
    assert found == {
        "goodput 2-20": pytest.approx(8e6),
        "share 2-20 0": pytest.approx(0.75),
        "share 2-20 1": pytest.approx(0.25),
        "retransmitted": 7.0,
        "timeouts": 2.0,
        "joins": 1.0,
    }


def test_a_case_with_a_fault_has_the_longest_silence_and_others_have_none(cases):
    lines = [tick(s / 5, s * 200_000, (s * 180_000, s * 60_000)) for s in range(1, 151)]
    text = "begin\n" + "\n".join(lines) + "\nsilence 0.612\ndone\n"
    backup, equal = cases["backup-takes-over"], cases["equal"]
    assert measures(backup, guest.parse(backup, text))["silence"] == 0.612
    assert "silence" not in measures(equal, guest.parse(equal, text))
    found = judgement.compare([{"silence": 0.43}], [{"silence": 0.612}])
    assert found[0].text() == "0.43 / 0.61 ± 0.00 **!**"


def test_hystart_is_on_at_both_sides_or_neither(cases):
    for name, word in (("equal-hystart", "1"), ("equal", "0")):
        init = guest.files(cases[name], 1, Path("/x/m"), Path("/x/t"))["init"]
        assert f"echo {word} > /sys/module/tcp_cubic/parameters/hystart" in init
        assert ours.transport(cases[name])["cc"]["hystart"] is (word == "1")


def test_a_path_is_back_when_it_carries_half_of_what_it_carried():
    times = [n / 5 for n in range(151)]
    sent, now = [], 0.0
    for t in times:
        now += 100.0 if t <= 5 or t > 17 else 0.0
        sent.append([0.0, now])
    course = Course(times, [0.0] * 151, sent, 0, 0, 0)
    # 500 bytes a second; half of it in the second from 16.6 to 17.6 s on.
    assert course.back_s(1, 5, 15) == pytest.approx(1.6)


def test_a_difference_is_judged_by_the_spread_and_by_floors():
    reference = [
        {"goodput 1-2": 10e6 + d, "share 1-2 0": 0.5, "retransmitted": 100.0} for d in (-1e5, 0, 1e5)
    ]
    mine = {"goodput 1-2": 10.19e6, "share 1-2 0": 0.511, "retransmitted": 105.0}
    found = judgement.compare([mine], reference)
    assert [d.inside for d in found] == [True, False, True]
    assert judgement.rows("x", found) == [
        "| x | 1-2 | 10.19 / 10.00 ± 0.10 | 51/50 | |",
        "| x | | | | retransmitted 105 / 100 ± 0 |",
    ]
    assert judgement.summary(found) == (
        "2 of 3 numbers inside Linux's spread: goodput 1 of 1, share 0 of 1, retransmitted 1 of 1."
    )

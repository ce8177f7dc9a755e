"""The validation of Multipath TCP: its cases, what it writes for the guest, what it reads, and its judgement.

The kernel itself is not run here.
"""

from pathlib import Path

import pytest

import tailrace
from validation import multipath
from validation.multipath import Phase


@pytest.fixture(scope="module")
def cases():
    return {case.name: case for case in multipath.load()[0]}


def test_tailrace_accepts_every_case(cases):
    for case in cases.values():
        tailrace.Scenario.of(multipath.scenario(case))


def test_every_note_is_there_and_used(cases):
    notes = multipath.load()[1]
    assert {case.note[1] for case in cases.values() if case.note is not None} == set(notes)
    assert all(case.note is None or case.note[0] < len(case.phases) for case in cases.values())


def test_the_guest_has_an_endpoint_for_each_further_interface_and_a_hole(cases):
    files = multipath.guest(cases["backup-takes-over"], Path("/x/multipath"), Path("/x/traffic"))
    init = files["init"].splitlines()
    endpoints = [line for line in init if "endpoint" in line]
    assert endpoints == ["ip -n client mptcp endpoint add 10.0.1.1 dev c1 id 2 subflow backup"]
    hole = next(line for line in init if "sleep" in line)
    silent = "tc -n client qdisc change dev c0 root netem limit 1000000 delay 20000us loss 100%"
    assert hole.startswith(f"( sleep 5; {silent}; tc -n p0 ")
    assert "sleep 10;" in hole and hole.endswith("loss 0% ) &")
    assert "htb rate 5000000bit" in files["tc-p1"] and "pfifo limit 60" in files["tc-p1"]


def test_phases_are_differences_of_seconds(cases):
    lines = [f"tick {s}.000 received {s * 1_000_000} c0 {s * 900_000} c1 {s * 300_000}" for s in range(1, 21)]
    (found,) = multipath.phases_of_linux(cases["equal"], "begin\n" + "\n".join(lines) + "\ndone\n")
    assert found == Phase(goodput_mbit=8.0, shares=(0.75, 0.25))


def test_a_difference_has_its_note_or_none(cases):
    case = cases["silent-first"]
    theirs = [Phase(10.0, (0.5, 0.5))] * 4
    within = Phase(10.4, (0.53, 0.47))
    off = Phase(10.0, (0.6, 0.4))
    slow = Phase(9.0, (0.5, 0.5))
    signs = [sign for _, sign in multipath.rows_of(case, [within, off, slow, slow], theirs)]
    assert signs == ["", "!", "queued", "!"]
    row, _ = multipath.rows_of(case, [within] * 4, theirs)[0]
    assert row == "| silent-first | 2-5 | 10.40 / 10.00 | 53 47 / 50 50 |"

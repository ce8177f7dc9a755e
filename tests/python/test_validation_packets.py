"""Captures of twins compared packet by packet."""

from __future__ import annotations

import dataclasses

import pytest

import tailrace
from validation import packets
from validation.packets import SYN, Compared, Way
from validation.twins import Case

CASE = Case(2, "reno", "droptail", 10)


@pytest.fixture(scope="module")
def runs() -> list[list[Way]]:
    """What both ends sent in two runs of two seconds."""
    text = CASE.text(2).replace('duration = "20 s"', 'duration = "8 s"') + packets.CAPTURE
    result = tailrace.run(tailrace.Scenario(text, CASE.name))
    return [packets.ways(capture.read_bytes()) for capture in result.captures]


def test_each_end_of_each_connection_is_a_way(runs: list[list[Way]]) -> None:
    for run in runs:
        assert len(run) == 4
        for way in run:
            assert way.seen[0].flags & SYN
            assert way.seen[0].seq == 0
            assert way.times == sorted(way.times)
        # Every second way is of ACKs, which repeat with SACK blocks above what is acknowledged.
        assert [max(seen.length for seen in way.seen) for way in run] == [1448, 0, 1448, 0]
        for way in run[1::2]:
            blocks = [(seen, sack) for seen, sack in zip(way.seen, way.sacks, strict=True) if sack]
            assert blocks
            assert all(
                left < right for _, sack in blocks for left, right in zip(sack[::2], sack[1::2], strict=True)
            )
            assert all(sack[1] > seen.ack for seen, sack in blocks[:1])


def test_a_run_is_the_same_as_itself_and_not_as_another(runs: list[list[Way]]) -> None:
    count = sum(len(way.times) for way in runs[0])
    assert packets.compared(runs[0], runs[0]) == Compared(count, None, 0.0, 0, 0)
    other = packets.compared(runs[0], runs[1])
    assert other.until is not None
    assert other.until <= max(way.times[0] for way in runs[0] + runs[1])


def test_the_first_difference_is_found(runs: list[list[Way]]) -> None:
    ours = runs[0]
    at = len(ours[2].seen) // 2
    seen, times = list(ours[2].seen), list(ours[2].times)
    seen[at] = seen[at]._replace(flags=seen[at].flags ^ 8)
    found = packets.compared(ours, [*ours[:2], ours[2]._replace(seen=seen), ours[3]])
    assert found.until == ours[2].times[at]
    times[at] += 2 * packets.LIMIT
    assert packets.differs(ours[2], ours[2]._replace(times=times)) == ours[2].times[at]
    # What only one side has is a difference, and other windows alone are none.
    short = ours[1]._replace(times=ours[1].times[:-30], seen=ours[1].seen[:-30])
    assert packets.compared(ours, [ours[0], short, *ours[2:]]).until == ours[1].times[-30]
    assert packets.compared(ours, ours[:2]).until == 0.0
    # The last packet may have come on one side only.
    latest = max(range(4), key=lambda i: ours[i].times[-1])
    way = ours[latest]._replace(times=ours[latest].times[:-1], seen=ours[latest].seen[:-1])
    assert packets.compared(ours, [*ours[:latest], way, *ours[latest + 1 :]]).until is None
    windows = [window + 1 for window in ours[1].windows]
    found = packets.compared(ours, [ours[0], ours[1]._replace(windows=windows), *ours[2:]])
    assert (found.until, found.windows) == (None, len(windows))


def test_the_table_says_how_far_they_go_together() -> None:
    assert packets.row(CASE.name, Compared(9, None, 2e-6, 1, 0)) == f"| {CASE.name} | 9 | all | 2.0 | 1 | 0 |"
    assert "| 1.25 s |" in packets.row(dataclasses.replace(CASE, flows=1).name, Compared(9, 1.25, 0.0, 0, 0))

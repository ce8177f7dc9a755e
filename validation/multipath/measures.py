"""Measures of a transfer over several paths."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass

from validation.multipath.cases import Case

AGAIN = 0.5
"""A path is back once it carries this share of what it carried before the fault."""
LOOK_S = 1.0
"""Over so long."""


@dataclass(frozen=True)
class Course:
    """A run: what had come and gone at some times, and counters of the whole."""

    times: list[float]
    received: list[float]
    """Bytes that the receiving application has got."""
    sent: list[list[float]]
    """Bytes given to each path."""
    retransmissions: float
    timeouts: float
    joins: float
    silence_s: float = 0.0
    """Longest time in which the receiving application got nothing, after its first byte."""

    def at(self, time: float) -> int:
        """The look at this time, or the next."""
        return min(bisect_left(self.times, time - 1e-6), len(self.times) - 1)

    def goodput_bps(self, begin: float, end: float) -> float:
        """Between two times."""
        return (self.received[self.at(end)] - self.received[self.at(begin)]) * 8 / (end - begin)

    def carried(self, path: int, begin: float, end: float) -> float:
        """Bytes given to a path between two times."""
        return self.sent[self.at(end)][path] - self.sent[self.at(begin)][path]

    def shares(self, begin: float, end: float) -> list[float]:
        """Share of each path in the data sent."""
        carried = [self.carried(i, begin, end) for i in range(len(self.sent[0]))]
        total = max(1.0, sum(carried))
        return [c / total for c in carried]

    def back_s(self, path: int, fault_s: float, return_s: float) -> float:
        """Time after its return until a path carries data again; until the end of the run, if it does not."""
        before = self.carried(path, fault_s - LOOK_S, fault_s)
        looks = [t for t in self.times if return_s + LOOK_S <= t]
        for t in looks:
            if self.carried(path, t - LOOK_S, t) >= AGAIN * before > 0:
                return t - LOOK_S - return_s
        return self.times[-1] - return_s


def measures(case: Case, course: Course) -> dict[str, float]:
    """The numbers of a run, by name."""
    found: dict[str, float] = {}
    for begin, end in case.phases:
        phase = f"{begin:g}-{end:g}"
        found[f"goodput {phase}"] = course.goodput_bps(begin, end)
        for i, share in enumerate(course.shares(begin, end)):
            found[f"share {phase} {i}"] = share
    for fault in case.faults:
        backs = [course.back_s(i, fault.begin_s, fault.end_s) for i in fault.paths]
        found["back"] = sum(backs) / len(backs)
    if case.faults:
        found["silence"] = course.silence_s
    found["retransmitted"] = course.retransmissions
    found["timeouts"] = course.timeouts
    found["joins"] = course.joins
    return found

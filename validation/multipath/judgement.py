"""The table of differences: Tailrace beside Linux, judged by Linux's spread over runs as in `validation/table.py`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from validation.measures import deviation, mean

SPREAD = 2.0
"""A difference within so many standard deviations of the reference's runs is inside its spread."""

# Below these a difference is none: a share of the reference's value, and an absolute amount.
FLOORS = {
    "goodput": (0.01, 20e3),
    "share": (0.0, 0.01),
    "back": (0.05, 0.2),
    "silence": (0.05, 0.1),
    "retransmitted": (0.05, 5.0),
    "timeouts": (0.05, 3.0),
    "joins": (0.05, 0.0),
}


@dataclass(frozen=True)
class Difference:
    """A number of a case."""

    name: str
    ours: float
    reference: float
    spread: float
    inside: bool

    @property
    def kind(self) -> str:
        """Kind of measure."""
        return self.name.split()[0]

    def text(self) -> str:
        """`ours / reference ± spread`."""
        scale, digits = {
            "goodput": (1e-6, 2),
            "share": (100.0, 1),
            "back": (1.0, 1),
            "silence": (1.0, 2),
        }.get(self.kind, (1.0, 0))
        ours, reference, spread = (
            f"{v * scale:.{digits}f}" for v in (self.ours, self.reference, self.spread)
        )
        return f"{ours} / {reference} ± {spread}{'' if self.inside else ' **!**'}"


def compare(ours: Sequence[dict[str, float]], reference: Sequence[dict[str, float]]) -> list[Difference]:
    """Number by number, over runs."""
    found = []
    for name in reference[0]:
        a = mean([run[name] for run in ours])
        values = [run[name] for run in reference]
        b, spread = mean(values), deviation(values)
        share, least = FLOORS[name.split()[0]]
        inside = abs(a - b) <= max(SPREAD * spread, share * abs(b), least)
        found.append(Difference(name, a, b, spread, inside))
    return found


def rows(name: str, differences: Sequence[Difference]) -> list[str]:
    """A line of the table for each phase, and one for what is counted over the whole run."""
    phases = [d.name.split()[1] for d in differences if d.kind == "goodput"]
    lines = []
    for phase in phases:
        goodput, *shares = [d for d in differences if phase in d.name.split()]
        beside = " ".join("·" if d.inside else f"{100 * d.ours:.0f}/{100 * d.reference:.0f}" for d in shares)
        lines.append(f"| {name} | {phase} | {goodput.text()} | {beside} | |")
    counted = ", ".join(f"{d.kind} {d.text()}" for d in differences if d.kind not in ("goodput", "share"))
    return [*lines, f"| {name} | | | | {counted} |"]


def summary(differences: Sequence[Difference]) -> str:
    """Number of values inside, in all and of each kind."""
    parts = []
    for kind in FLOORS:
        mine = [d for d in differences if d.kind == kind]
        if mine:
            parts.append(f"{kind} {sum(d.inside for d in mine)} of {len(mine)}")
    inside = sum(d.inside for d in differences)
    return f"{inside} of {len(differences)} numbers inside Linux's spread: {', '.join(parts)}."

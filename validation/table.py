"""The table of differences: Tailrace beside its reference, judged by the reference's spread over runs."""

from __future__ import annotations

import fnmatch
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from validation.cases import HERE, Case
from validation.measures import Measures, deviation, mean

SPREAD = 2.0
"""A difference within so many standard deviations of the reference's runs is inside its spread."""

# Below these a difference is none: a share of the reference's value, and an absolute amount.
FLOORS = {
    "goodput_bps": (0.01, 20e3),
    "jain": (0.0, 0.01),
    "short_share": (0.0, 0.01),
    "flood_bps": (0.01, 20e3),
    "queue_packets": (0.03, 0.3),
    "drops": (0.05, 5.0),
    "marks": (0.05, 5.0),
    "retransmissions": (0.05, 5.0),
    "timeouts": (0.05, 3.0),
}
HEADINGS = {
    "goodput_bps": "TCP Mbit/s",
    "jain": "Jain",
    "short_share": "share of shortest RTT",
    "flood_bps": "flood Mbit/s",
    "queue_packets": "queue",
    "drops": "drops",
    "marks": "marks",
    "retransmissions": "retransmitted",
    "timeouts": "timeouts",
}
DIGITS = {"goodput_bps": 2, "flood_bps": 2, "jain": 3, "short_share": 3, "queue_packets": 1}
METRICS = [f.name for f in fields(Measures)]


@dataclass(frozen=True)
class Note:
    """Reason for which some numbers of some cases lie outside the spread."""

    sign: str
    cases: tuple[str, ...]
    metrics: tuple[str, ...]
    text: str

    def covers(self, case: Case, metric: str) -> bool:
        """Whether it explains this number."""
        return metric in self.metrics and any(fnmatch.fnmatchcase(case.name, c) for c in self.cases)


@dataclass(frozen=True)
class Difference:
    """A number of a case."""

    ours: float
    reference: float
    spread: float
    inside: bool
    sign: str
    """Of the note that explains it; empty where it is inside, `!` where nothing does."""


def notes(path: Path = HERE / "notes.toml") -> list[Note]:
    """The explanations, in order: the first that covers a number is its own."""
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    return [
        Note(sign, tuple(n["cases"]), tuple(n.get("metrics", METRICS)), n["text"])
        for sign, n in table.get("note", {}).items()
    ]


def compare(
    case: Case, ours: Sequence[Measures], reference: Sequence[Measures], explained: Iterable[Note]
) -> dict[str, Difference]:
    """By metric."""
    explained = list(explained)
    found = {}
    for metric in METRICS:
        a = mean([getattr(m, metric) for m in ours])
        values = [getattr(m, metric) for m in reference]
        b, spread = mean(values), deviation(values)
        share, least = FLOORS[metric]
        inside = abs(a - b) <= max(SPREAD * spread, share * abs(b), least)
        sign = "" if inside else next((n.sign for n in explained if n.covers(case, metric)), "!")
        found[metric] = Difference(a, b, spread, inside, sign)
    return found


def cell(metric: str, d: Difference) -> str:
    """`ours / reference ± spread`, and the note's sign."""
    if not d.ours and not d.reference:
        return "0"
    scale = 1e-6 if metric.endswith("_bps") else 1.0
    digits = DIGITS.get(metric, 0)
    ours, reference, spread = (f"{v * scale:.{digits}f}" for v in (d.ours, d.reference, d.spread))
    sign = f" **{d.sign}**" if d.sign else ""
    return f"{ours} / {reference} ± {spread}{sign}"


def markdown(rows: Sequence[tuple[Case, dict[str, Difference]]]) -> str:
    """Table with a row for each case."""
    lines = [
        "| case | " + " | ".join(HEADINGS[m] for m in METRICS) + " |",
        "|" + " --- |" * (1 + len(METRICS)),
    ]
    for case, found in rows:
        name = case.name.removeprefix(case.reference + "-")
        lines.append(f"| {name} | " + " | ".join(cell(m, found[m]) for m in METRICS) + " |")
    return "\n".join(lines)


def summary(rows: Sequence[tuple[Case, dict[str, Difference]]]) -> str:
    """Number of values inside, explained, and neither."""
    everything = [d for _, found in rows for d in found.values() if d.ours or d.reference]
    inside = sum(d.inside for d in everything)
    open_ = sum(d.sign == "!" for d in everything)
    return (
        f"{len(rows)} cases, {len(everything)} numbers: {inside} inside the reference's spread, "
        f"{len(everything) - inside - open_} outside with a note below, {open_} outside without."
    )

"""Verdicts: every claim under every reading, computed from the runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tailrace.reproduce import checks, series_statistics
from tailrace.reproduce.checks.outcome import Finding, worst
from tailrace.reproduce.claim_quantities import Measured, Rehearsal
from tailrace.reproduce.paper import Check, Claim, Outcome, Paper
from tailrace.reproduce.studies import Sweeps


@dataclass(frozen=True)
class Verdict:
    """Verdict about a claim under a reading."""

    claim: Claim
    reading: str
    outcome: Outcome
    findings: Sequence[Finding]

    @property
    def expected(self) -> Outcome:
        """Outcome that is expected."""
        return self.claim.expected.outcomes[self.reading]

    def is_new(self, *, quick: bool) -> bool:
        """Whether it is another than was known; few runs may leave open what many decide, or the reverse."""
        unsure = quick and Outcome.OPEN in {self.outcome, self.expected}
        return self.outcome is not self.expected and not unsure

    def as_dict(self) -> dict[str, Any]:
        """For programs."""
        return {
            "claim": self.claim.id,
            "reading": self.reading,
            "verdict": self.outcome.value,
            "expected": self.expected.value,
            "at_fault": fault.value if (fault := self.claim.expected.at_fault) else None,
            "checks": [
                {"verdict": one.outcome.value, "ours": one.ours, "wanted": one.wanted}
                for one in self.findings
            ],
        }


def rehearse(paper: Paper) -> None:
    """Reads every check as it will be read after the runs: what is wrong with one is said before them."""
    for keys in paper.quantities.values():
        series_statistics.check(replace(keys, _taken=set()))
    for claim in paper.claims:
        for check in claim.checks:
            _judged(check, Rehearsal(paper, claim.study))


def verdicts(paper: Paper, sweeps: Sweeps) -> list[Verdict]:
    """Verdicts about all claims whose studies were run, in the order of the paper."""
    return list(_verdicts(paper, sweeps))


def _verdicts(paper: Paper, sweeps: Sweeps) -> Iterator[Verdict]:
    for claim in paper.claims:
        for reading in claim.readings:
            if (claim.study, reading) in sweeps:
                yield _verdict(paper, claim, reading, sweeps)


def _verdict(paper: Paper, claim: Claim, reading: str, sweeps: Sweeps) -> Verdict:
    numbers = Measured(paper, claim.study, lambda study: sweeps.of(study, reading))
    findings = [_judged(check, numbers) for check in claim.checks]
    return Verdict(claim, reading, worst(finding.outcome for finding in findings), findings)


def _judged(check: Check, numbers: Measured | Rehearsal) -> Finding:
    # Each check reads its keys anew.
    keys = replace(check.keys, _taken={"kind"})
    return checks.KINDS[check.kind](keys, numbers)


def counts(found: Sequence[Verdict], claims: Sequence[Claim]) -> Mapping[str, int]:
    """Number of claims that hold under every reading, under some, under none, are open, or cannot be judged.

    A claim that is open under its best reading is open.
    """
    counted = dict.fromkeys(("holds", "holds under some readings", "open", "fails", "not judged"), 0)
    for claim in claims:
        counted[summed([one.outcome for one in found if one.claim is claim])] += 1
    return counted


def said(counted: Mapping[str, int]) -> str:
    """The counts as a sentence.

    >>> said({"holds": 3, "holds under some readings": 1, "open": 0, "fails": 2, "not judged": 0})
    'Of 6 claims 3 hold, 1 holds under some readings, 2 fail.'
    """
    several = {"holds": "hold", "holds under some readings": "hold under some readings", "fails": "fail"}
    one = {"open": "is open", "not judged": "cannot be judged"}
    many = {"open": "are open", "not judged": "cannot be judged"}
    parts = [
        f"{count} {one.get(word, word) if count == 1 else {**several, **many}[word]}"
        for word, count in counted.items()
        if count
    ]
    total = sum(counted.values())
    return f"Of {total} claim{'s' if total != 1 else ''} {', '.join(parts)}."


def summed(outcomes: Sequence[Outcome]) -> str:
    """Word for a claim under all its readings."""
    if not outcomes:
        return "not judged"
    if all(one is Outcome.HOLDS for one in outcomes):
        return "holds"
    if Outcome.HOLDS in outcomes:
        return "holds under some readings"
    return "open" if Outcome.OPEN in outcomes else "fails"

"""The front page over several papers: how many of their claims hold."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tailrace.reproduce import judgement
from tailrace.reproduce.judgement import Verdict
from tailrace.reproduce.paper import Paper

VERDICTS = "verdicts.json"


def record(paper: Paper, found: Sequence[Verdict], *, quick: bool) -> dict[str, Any]:
    """Record of a paper for programs and the front page."""
    counted = judgement.counts(found, paper.claims)
    return {
        "paper": paper.id,
        "title": paper.title,
        "authors": paper.authors,
        "venue": paper.venue,
        "found": " ".join(paper.found.split()),
        "quick": quick,
        "counts": counted,
        "claims": [{"claim": claim.id, "place": claim.place, "says": claim.says} for claim in paper.claims],
        "verdicts": [verdict.as_dict() for verdict in found],
    }


def text(place: Path, findings: str = "") -> str:
    """The front page of all papers in a folder; `findings` is what somebody has written about all of them."""
    records = [json.loads(file.read_text(encoding="utf-8")) for file in sorted(place.glob(f"*/{VERDICTS}"))]
    return "\n".join([*_lines(records), *(["", findings.strip()] if findings else [])]) + "\n"


def _lines(records: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    words = ["holds", "holds under some readings", "open", "fails", "not judged"]
    yield "# Published papers, done again"
    yield ""
    yield "Can the results of published papers be reproduced? Each paper's experiments were run as scenarios, its"
    yield "figures and tables were made again, and each of its claims was judged by a rule in `papers/ID/claims.toml`."
    yield "Papers leave much open, such as which TCP was used. If a claim depends on that, it"
    yield "is judged under several *readings*, ways to fill in what is missing."
    yield ""
    yield "A claim *holds* if the whole 95 % confidence interval agrees with it, *fails* if the whole interval"
    yield "contradicts it, and is *open* if the runs are too few to tell. *Not judged* are those that could not be."
    yield ""
    yield f"| paper | claims | {' | '.join(words)} |"
    yield f"| --- |{' ---: |' * (len(words) + 1)}"
    totals = dict.fromkeys(words, 0)
    for one in records:
        counts = [one["counts"].get(word, 0) for word in words]
        totals = {word: totals[word] + count for word, count in zip(words, counts, strict=True)}
        yield f"| [{one['authors']}]({one['paper']}/README.md) | {sum(counts)} | {' | '.join(map(str, counts))} |"
    yield f"| **all** | {sum(totals.values())} | {' | '.join(map(str, totals.values()))} |"
    yield ""
    for one in records:
        if one["found"]:
            yield f"- **[{one['authors']}]({one['paper']}/README.md)**, {one['title']}: {one['found']}"
    faults = _faults(records)
    if faults:
        yield ""
        listed = ", ".join(f"{word} ({count})" for word, count in faults.items())
        yield f"Why claims do not hold under every reading (number of claims): {listed}."


def _faults(records: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    found: dict[str, int] = {}
    for one in records:
        for claim in {v["claim"]: v for v in one["verdicts"] if v.get("at_fault")}.values():
            found[claim["at_fault"]] = found.get(claim["at_fault"], 0) + 1
    return found

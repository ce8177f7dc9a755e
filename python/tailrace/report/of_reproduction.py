"""The report of a published paper that was done again."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tailrace import documents, present
from tailrace.errors import UsageError
from tailrace.report import charts, figures, origin
from tailrace.report.grids import Sheet
from tailrace.report.markup import Markup, tag
from tailrace.report.page import Page, Section
from tailrace.report.statements import Statement
from tailrace.reproduce import front, judging

_SHAPE: documents.Shape = {
    "paper": documents.TEXT,
    "title": documents.TEXT,
    "authors": documents.TEXT,
    "venue": documents.TEXT,
    "found": documents.TEXT,
    "quick": (bool,),
    "counts": documents.each(documents.COUNT),
    "verdicts": documents.rows(
        {
            "claim": documents.TEXT,
            "reading": documents.TEXT,
            "verdict": documents.TEXT,
            "expected": documents.TEXT,
            "checks": documents.rows({"ours": documents.TEXT, "wanted": documents.TEXT}),
        }
    ),
}
# What results of earlier versions do not have.
_CLAIMS: documents.Shape = documents.rows({"claim": documents.TEXT, "says": documents.TEXT})
# What a page can hold of pictures.
_MOST_BYTES = 3_500_000


def is_folder(place: Path) -> bool:
    """Whether a paper was done again there."""
    return (place / front.VERDICTS).is_file()


def page(place: Path) -> Page:
    """All of it, from the verdicts and figures that stand there."""
    file = place / front.VERDICTS
    try:
        found = documents.read(file)
        documents.check(found, _SHAPE)
        documents.check(found.get("claims", []), _CLAIMS, "claims")
    except documents.DamagedError as error:
        raise UsageError(f"{file} is damaged: {error}; reproduce the paper again") from None
    except (OSError, ValueError) as error:
        raise UsageError(f"{file} cannot be read: {error}; reproduce the paper again") from None
    command = ["tailrace", "reproduce", found["paper"], *(["--quick"] if found["quick"] else [])]
    return Page(
        f"reproduction of {found['authors']}",
        found["title"],
        f"Which claims of {found['authors']} ({found['venue']}) hold?",
        _statements(found),
        [("claims", str(sum(found["counts"].values()))), ("quick", "yes" if found["quick"] else "no")],
        [
            Section("claims", "Claims", [_claims(found).markup()]),
            Section("figures", "Figures", _figures(place / "figures")),
            Section("origin", "Where it comes from", [origin.repeated([origin.command(command)])]),
        ],
        {"charts": [], "looks": charts.looks()},
    )


def _statements(found: Mapping[str, Any]) -> list[Statement]:
    counts = {word: int(count) for word, count in found["counts"].items()}
    ordered = {
        word: counts.get(word, 0)
        for word in ("holds", "holds under some readings", "open", "fails", "not judged")
    }
    new = [v for v in found["verdicts"] if v["verdict"] != v["expected"]]
    named = ", ".join(dict.fromkeys(v["claim"] for v in new))
    few = [
        Statement(
            "Quick", "Fewer and shorter runs than the paper's claims ask for: verdicts may be open.", True
        )
    ]
    return [
        Statement("Claims", judging.said(ordered)),
        *([Statement("Found", found["found"])] if found["found"] else []),
        *(
            [Statement("Unexpected", f"Another verdict than claims.toml expects: {named}.", True)]
            if new
            else []
        ),
        *(few if found["quick"] else []),
    ]


def _claims(found: Mapping[str, Any]) -> Sheet:
    # Earlier versions kept what a claim says on the page alone.
    says = {one["claim"]: one["says"] for one in found.get("claims") or []}
    rows = [
        [
            v["claim"],
            *([says.get(v["claim"], "")] if says else []),
            v["reading"],
            v["verdict"],
            check["wanted"],
            check["ours"],
        ]
        for v in found["verdicts"]
        for check in v["checks"]
    ]
    columns = ["claim", *(["the paper says"] if says else []), "reading", "verdict", "wanted", "found"]
    grid = present.Grid("Every claim under every reading", columns, rows, labels=len(columns))
    return Sheet(grid, front.VERDICTS)


def _figures(place: Path) -> list[Markup | None]:
    """The static ones that stand there, as long as there is room."""
    files = sorted(place.glob("*.svg")) if place.is_dir() else []
    room, shown = _MOST_BYTES, []
    for file in files:
        data = file.read_bytes()
        room -= len(base64.b64encode(data))
        if room < 0:
            break
        shown.append(figures.still(file.stem.replace("-", " "), data))
    left = len(files) - len(shown)
    return [
        tag("div", shown, cls="figures stills") if shown else None,
        tag("p", f"{left} more figures are in {place.name}/", cls="note") if left else None,
    ]

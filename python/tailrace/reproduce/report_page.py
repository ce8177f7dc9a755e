"""The report of a published paper that was done again."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tailrace.errors import UsageError
from tailrace.reproduce import front_page, judgement
from tailrace.show.report import charts, page_figures, provenance
from tailrace.show.report.document import Report
from tailrace.show.report.html_page import Page, Section
from tailrace.show.report.html_tables import Sheet
from tailrace.show.report.markup import Markup, tag
from tailrace.show.report.statements import Statement
from tailrace.system import json_documents
from tailrace.text import text_table

_SHAPE: json_documents.Shape = {
    "paper": json_documents.TEXT,
    "title": json_documents.TEXT,
    "authors": json_documents.TEXT,
    "venue": json_documents.TEXT,
    "found": json_documents.TEXT,
    "quick": (bool,),
    "counts": json_documents.each(json_documents.COUNT),
    "verdicts": json_documents.rows(
        {
            "claim": json_documents.TEXT,
            "reading": json_documents.TEXT,
            "verdict": json_documents.TEXT,
            "expected": json_documents.TEXT,
            "checks": json_documents.rows({"ours": json_documents.TEXT, "wanted": json_documents.TEXT}),
        }
    ),
}
# Absent from results of earlier versions.
_CLAIMS: json_documents.Shape = json_documents.rows(
    {"claim": json_documents.TEXT, "says": json_documents.TEXT}
)
# Size of all pictures on a page at most.
_MOST_BYTES = 3_500_000


def is_folder(place: Path) -> bool:
    """Whether a paper was done again there."""
    return (place / front_page.VERDICTS).is_file()


def report(place: Path) -> Report:
    """The report of such a folder."""
    return Report(page(place))


def page(place: Path) -> Page:
    """All of it, from the verdicts and figures that stand there."""
    file = place / front_page.VERDICTS
    try:
        found = json_documents.read(file)
        json_documents.check(found, _SHAPE)
        json_documents.check(found.get("claims", []), _CLAIMS, "claims")
    except json_documents.DamagedError as error:
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
            Section("origin", "Where it comes from", [provenance.repeated([provenance.command(command)])]),
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
        Statement("Claims", judgement.said(ordered)),
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
    grid = text_table.Grid("Every claim under every reading", columns, rows, labels=len(columns))
    return Sheet(grid, front_page.VERDICTS)


def _figures(place: Path) -> list[Markup | None]:
    """The static ones that stand there, as long as there is room."""
    files = sorted(place.glob("*.svg")) if place.is_dir() else []
    room, shown = _MOST_BYTES, []
    for file in files:
        data = file.read_bytes()
        room -= len(base64.b64encode(data))
        if room < 0:
            break
        shown.append(page_figures.still(file.stem.replace("-", " "), data))
    left = len(files) - len(shown)
    return [
        tag("div", shown, cls="figures stills") if shown else None,
        tag("p", f"{left} more figures are in {place.name}/", cls="note") if left else None,
    ]

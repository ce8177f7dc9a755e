"""Descriptions of disciplines in the code: the registry's tables, and the head of each source file."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import tailrace

ROOT = Path(__file__).resolve().parents[2]
PLACE = ROOT / "docs" / "queues"
FLOOD = ROOT / "scenarios" / "flood.toml"
SOURCES = ROOT / "crates" / "qdisc" / "src" / "disciplines"

Entry = dict[str, Any]

_LINK = re.compile(r"\[(`[^`\]]+`)\](?:\(([^)\s]*)\))?")
_PAGE = re.compile(r"(?:super|crate::disciplines)::(\w+)$")


def entries() -> list[Entry]:
    """The catalog's entries, in the order of the registry."""
    return tailrace.list_queues()


def by_family(found: list[Entry]) -> dict[str, list[Entry]]:
    """The same under their families, in words."""
    from tailrace.cli.listing import FAMILIES

    families: dict[str, list[Entry]] = {}
    for entry in found:
        families.setdefault(str(FAMILIES.get(entry["family"], entry["family"])), []).append(entry)
    return families


def source_doc(name: str, names: set[str]) -> tuple[str, str]:
    """The first line of the module's documentation, and the rest as Markdown with links between pages."""
    text = (SOURCES / f"{name}.rs").read_text(encoding="utf-8")
    lines = [line[3:].removeprefix(" ") for line in text.splitlines() if line.startswith("//!")]

    def link(match: re.Match[str]) -> str:
        word, target = match.groups()
        page = _PAGE.match(target or "")
        return f"[{word}]({page[1]}.md)" if page and page[1] in names else word

    body = _LINK.sub(link, "\n".join(lines))
    title, _, rest = body.partition("\n")
    return title.strip(), rest.strip()


def tc(name: str) -> Entry:
    """The tc line of the discipline's defaults on the flood's bottleneck, and what it does not carry."""
    scenario = tailrace.Scenario.of(FLOOD, set={"link.bottleneck.queue": name})
    found: list[Entry] = json.loads(scenario.native.tc("g1->g2"))
    return found[0]


def cell(text: str) -> str:
    """Text for a cell of a Markdown table."""
    return " ".join(text.split()).replace("|", "\\|")


def table(head: list[str], rows: list[list[str]], right: int | None = None) -> str:
    """A Markdown table; columns from `right` on hold numbers."""
    rule = ["---" if right is None or position < right else "---:" for position in range(len(head))]
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, rule, *rows])

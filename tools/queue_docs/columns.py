"""Columns of tables and keys of the summary in docs/reference/results.md, from the code's own tables."""

from __future__ import annotations

import re
from pathlib import Path

from queue_docs.catalog import ROOT, Entry, cell, table
from tailrace import api

RESULTS = ROOT / "docs" / "reference" / "results.md"

_LIST = re.compile(r"(<!-- (columns|keys) of (\w+): [^\n]*-->\n).*?(<!-- end of \2 -->)", re.DOTALL)


def write() -> list[Path]:
    """Writes them."""
    RESULTS.write_text(text(), encoding="utf-8")
    return [RESULTS]


def text() -> str:
    """The page as it should be."""
    catalog = api.catalog()
    kinds = {"columns": catalog["tables"], "keys": catalog["summary"]}
    found = {(kind, entry["name"]): entry for kind, entries in kinds.items() for entry in entries}
    old = RESULTS.read_text(encoding="utf-8")
    return _LIST.sub(lambda m: f"{m[1]}{_rows(m[2], found[m[2], m[3]])}\n{m[4]}", old)


def _rows(kind: str, entry: Entry) -> str:
    rows = [[f"`{row['name']}`", row["kind"], cell(row["doc"])] for row in entry["params"]]
    return table([kind.removesuffix("s"), "unit", "meaning"], rows)

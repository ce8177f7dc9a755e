"""The columns of results' tables in docs/results.md, from the code's own tables."""

from __future__ import annotations

import re
from pathlib import Path

from queue_docs.catalog import ROOT, Entry, cell, table
from tailrace import api

RESULTS = ROOT / "docs" / "results.md"

_TABLE = re.compile(r"(<!-- columns of (\w+): [^\n]*-->\n).*?(<!-- end of columns -->)", re.DOTALL)


def write() -> list[Path]:
    """Writes them."""
    RESULTS.write_text(text(), encoding="utf-8")
    return [RESULTS]


def text() -> str:
    """The page as it should be."""
    tables = {entry["name"]: entry for entry in api.catalog()["tables"]}
    old = RESULTS.read_text(encoding="utf-8")
    return _TABLE.sub(lambda m: f"{m[1]}{_columns(tables[m[2]])}\n{m[3]}", old)


def _columns(entry: Entry) -> str:
    rows = [[f"`{column['name']}`", column["kind"], cell(column["doc"])] for column in entry["params"]]
    return table(["column", "unit", "meaning"], rows)

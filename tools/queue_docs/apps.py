"""Applications: their page, and the table of them in docs/scenarios.md, from the code's own tables."""

from __future__ import annotations

import re
from pathlib import Path

from queue_docs.catalog import ROOT, Entry, cell, table
from tailrace import api, toml_text

PAGE = ROOT / "docs" / "applications.md"
SCENARIOS = ROOT / "docs" / "scenarios.md"

_NOTE = "<!-- Written by `make docs` from the code's own tables. Edit those. -->"
_TABLE = re.compile(r"(<!-- applications: [^\n]*-->\n).*?(<!-- end of applications -->)", re.DOTALL)
_TRANSPORTS = {"tcp": "TCP and Multipath TCP", "udp": "UDP"}


def write() -> list[Path]:
    """Writes the page and the table."""
    for path, text in texts().items():
        path.write_text(text, encoding="utf-8")
    return list(texts())


def texts() -> dict[Path, str]:
    """What stands in the two files."""
    found = api.catalog()["apps"]
    old = SCENARIOS.read_text(encoding="utf-8")
    return {PAGE: page(found), SCENARIOS: _TABLE.sub(lambda m: f"{m[1]}{overview(found)}\n{m[2]}", old)}


def overview(found: list[Entry]) -> str:
    """A row for each application."""
    rows = [[f"`{app['name']}`", _keys(app), cell(app["doc"]), _TRANSPORTS[app["over"]]] for app in found]
    return table(["kind", "keys", "does", "over"], rows)


def _keys(app: Entry) -> str:
    def key(parameter: Entry) -> str:
        default = parameter["default"]
        return f"`{parameter['name']}`" + ("" if default is None else f" (`{toml_text.value(default)}`)")

    return ", ".join(key(parameter) for parameter in app["params"])


def page(found: list[Entry]) -> str:
    """All of them with their keys."""
    parts = [
        _NOTE,
        "# Applications",
        'What drives a flow: `app = "NAME"`, or `app = { kind = "NAME", ... }` with keys. `tailrace list apps NAME` '
        "says the same.",
    ]
    for over, transport in _TRANSPORTS.items():
        parts.append(f"## Over {transport}")
        for app in (app for app in found if app["over"] == over):
            parts += [f"### `{app['name']}`", cell(app["doc"]), _parameters(app)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _parameters(app: Entry) -> str:
    rows = []
    for parameter in app["params"]:
        default, bounds = parameter["default"], parameter["bounds"]
        meaning = cell(parameter["doc"])
        if bounds and not bounds["usual"]:
            meaning += f" {bounds['shown']}: {cell(bounds['why'])}."
        shown = "required" if default is None else f"`{toml_text.value(default)}`"
        rows.append([f"`{parameter['name']}`", parameter["kind"], shown, meaning, cell(parameter["source"])])
    return table(["key", "takes", "default", "meaning", "default from"], rows) if rows else ""

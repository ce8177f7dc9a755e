"""Kinds of applications, attacks, faults, losses, rates and media: the page of the first, and their tables in
docs/reference/scenarios.md, from the code itself."""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path

from queue_docs.catalog import ROOT, Entry, cell, table
from tailrace import api
from tailrace.text import toml_text

PAGE = ROOT / "docs" / "reference" / "applications.md"
SCENARIOS = ROOT / "docs" / "reference" / "scenarios.md"

_INTRO = """An *application* is what sends data over a flow: a download that never ends, a browser, a video
player, a call. A flow names it with `app = "bulk"`, or with keys, `app = { kind = "transfer", size = "1 MB" }`.
What stands under "required" must be written, all else has the default. `tailrace list apps NAME` prints the same.

The *client* is the host under `from`, which opens connections, the *server* the one under `to`. Data goes from
client to server unless `direction = "down"` says otherwise; where the key is missing, both send."""

_NOTE = "<!-- Written by `make docs` from the code's own tables. Edit those. -->"
_TABLE = re.compile(
    r"(<!-- (applications|attacks|faults|losses|rates|media): [^\n]*-->\n).*?(<!-- end of \2 -->)", re.DOTALL
)
# Keys that all faults have; they stand in a table of their own.
_OF_ALL = {
    *("name", "at", "until", "link", "host", "router", "interface", "direction"),
    *("every", "count", "back_every", "overlap"),
}
_TRANSPORTS = {"tcp": "TCP and Multipath TCP", "udp": "UDP"}


def write() -> list[Path]:
    """Writes the page and the table."""
    for path, text in texts().items():
        path.write_text(text, encoding="utf-8")
    return list(texts())


def texts() -> dict[Path, str]:
    """Text of the two files."""
    found = api.catalog()
    overviews = {
        "applications": overview(found["apps"]),
        "attacks": attacks(found["attacks"]),
        "faults": _kinds(found["faults"], _OF_ALL),
        "losses": _kinds(found["losses"]),
        "rates": _kinds(found["rates"]),
        "media": media(found["media"]),
    }
    old = SCENARIOS.read_text(encoding="utf-8")
    return {
        PAGE: page(found["apps"]),
        SCENARIOS: _TABLE.sub(lambda m: f"{m[1]}{overviews[m[2]]}\n{m[3]}", old),
    }


def _kinds(found: list[Entry], of_all: Collection[str] = ()) -> str:
    """A row for each kind; keys that all have are left out."""
    rows = [[f"`{entry['name']}`", _described(entry, of_all), cell(entry["doc"])] for entry in found]
    return table(["kind", "keys", "does"], rows)


def _described(entry: Entry, of_all: Collection[str]) -> str:
    own = [parameter for parameter in entry["params"] if parameter["name"] not in of_all]

    def key(parameter: Entry) -> str:
        default = parameter["default"]
        shown = "" if default is None else f", `{toml_text.value(default)}`"
        return f"`{parameter['name']}` ({parameter['kind']}{shown}): {cell(parameter['doc'])}"

    return "<br>".join(key(parameter) for parameter in own)


def attacks(found: list[Entry]) -> str:
    """A table for each attack."""
    parts = []
    for attack in found:
        source = f" ({attack['citation']}.)" if attack["citation"] else ""
        over = "TCP" if attack["over"] == "tcp" else "UDP"
        parts += [f"**`{attack['name']}`**, over {over}. {cell(attack['doc'])}{source}", _parameters(attack)]
    return "\n" + "\n\n".join(parts) + "\n"


def media(found: list[Entry]) -> str:
    """A table for each medium."""
    parts = []
    for medium in found:
        said = f"{cell(medium['doc'])} Left out: {cell(medium['leaves_out'])}"
        parts += [f"**`{medium['name']}`**. {said}", _parameters(medium)]
    return "\n" + "\n\n".join(parts) + "\n"


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
        _INTRO,
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
            meaning += f"<br>Allowed: {bounds['shown']} ({cell(bounds['why'])})."
        shown = "required" if default is None else f"`{toml_text.value(default)}`"
        rows.append(
            [f"`{parameter['name']}`", cell(parameter["kind"]), shown, meaning, cell(parameter["source"])]
        )
    return table(["key", "takes", "default", "meaning", "default from"], rows) if rows else ""

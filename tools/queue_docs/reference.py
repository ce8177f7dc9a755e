"""docs/reference/scenario: every table and key of a scenario file, from the schema and the code's own lists."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from queue_docs.catalog import ROOT, cell, table
from tailrace import api
from tailrace.build import _schema
from tailrace.build._schema import Attribute, Part
from tailrace.text import toml_text

PLACE = ROOT / "docs" / "reference" / "scenario"

_NOTE = "<!-- Written by `make docs` from the scenario's schema. Edit that. -->"

# The pages of kinds: what a scenario calls them, and what they are in words.
PAGES = {
    "transport": (
        "Transports",
        "How data gets across: `tcp`, `mptcp` (Multipath TCP) or `udp`. The options of the connection are its keys; "
        "what implementations do differently is in the table `behaviour`, which `profile` sets as a whole.",
    ),
    "congestion_control": (
        "Congestion controls",
        "What decides how fast TCP sends: it slows down when packets are lost, marked or late.",
    ),
    "multipath_control": (
        "Congestion controls of Multipath TCP",
        "What decides how fast each path sends. *Coupled* ones look at all paths together, so that several over one "
        "bottleneck take no more than a single TCP. One of TCP's own controls runs each path by itself.",
    ),
    "scheduler": ("Schedulers of Multipath TCP", "What decides which path carries the next data."),
    "path_manager": (
        "Path managers of Multipath TCP",
        "What decides which paths a connection opens, and when.",
    ),
    "attack": (
        "Attacks",
        "Traffic that is meant to harm others. "
        "[What it costs them](../../explanation/statistics.md#what-an-attack-costs) can be computed.",
    ),
    "fault": (
        "Faults",
        "What happens to links while the run goes on: they fail, slow down, lose packets, change.",
    ),
    "loss": (
        "Loss processes",
        "How a link loses packets by chance: each by itself, in bursts, or at fixed distances.",
    ),
    "medium": ("Media", "A channel that several links share and take turns on, as stations do on Wi-Fi."),
    "link_rate": (
        "Rates that are granted",
        "Links that may send only when they are allowed to, as in LTE. A plain rate, such as `10 Mbit/s`, needs none.",
    ),
}
# Kinds that have pages of their own, with more than their keys.
ELSEWHERE = {
    "app": ("Applications", "../applications.md"),
    "queue": ("Queue disciplines", "../../queues/README.md"),
}

SCHEMA = _schema.native()
# Tables of transports that their page has, with the kind of transport.
BEHAVIOURS = {"tcp_behaviour": "tcp", "mptcp_behaviour": "mptcp"}
# Lists of `tailrace list` by definition.
_LISTS = {**_schema.LISTS, "transport": ""}
# Tables that the file opens with two brackets, since there may be several.
_SECTION = "`[[{}]]`"

_DEFAULT = re.compile(r"\s*Default: (.*?)\.(?=\s|$)")
_SOURCE = re.compile(r"\s*Source: (.*?)\.(?=\s|$)")
_BOUNDS = re.compile(r"(?:^|(?<=\.)\s+)([\d.]+(?: \S+)? to [\d.]+(?: \S+)?) \((.*)\)\.?$")

_INTRO = """# The scenario file, key by key

Every table and key that a scenario may have: what it takes, what holds without it, and what it means. This is for
looking things up; [the scenario file](../scenarios.md) explains how they work together, with examples. All of
it is written from the schema that also checks your files, so it is complete. `tailrace schema` prints that schema
for editors, `tailrace list` tells the same in a terminal, and `tailrace check FILE` names every mistake in a file
with its line.

`[[host]]`, with two brackets, stands for a table that a file may have several times; `[record]`, with one, for
one that it has once. "Required" keys must be there."""


def texts() -> dict[Path, str]:
    """Every page."""
    pages = {PLACE / "README.md": _overview()}
    for name in PAGES:
        pages[PLACE / f"{name}.md"] = _page(name)
    return pages


def write() -> list[Path]:
    """Writes them, and takes away what is no longer one of them."""
    PLACE.mkdir(parents=True, exist_ok=True)
    found = texts()
    for path in PLACE.glob("*.md"):
        if path not in found:
            path.unlink()
    for path, text in found.items():
        path.write_text(text, encoding="utf-8")
    return list(found)


# -- pages -------------------------------------------------------------------------------------------------------


def _overview() -> str:
    head = [field for field in SCHEMA.attributes(SCHEMA.document, {}) if not field.form]
    kinds = [[f"[{title}]({name}.md)", does] for name, (title, does) in PAGES.items()]
    kinds += [[f"[{title}]({page})", cell(_described(name))] for name, (title, page) in ELSEWHERE.items()]
    parts = [_NOTE, _INTRO, "## Kinds", table(["page", "what they are"], kinds)]
    parts += ["## At the top of the file", _rows(head, {})]
    for name, section in SCHEMA.sections.items():
        if name in BEHAVIOURS:
            continue
        parts += [
            f"## {_heading(name)}",
            cell(section["description"]),
            _rows(SCHEMA.attributes(section, {}), {}),
        ]
    parts += ["## What values look like", _values()]
    return "\n\n".join(parts) + "\n"


def _heading(name: str) -> str:
    properties = SCHEMA.document["properties"]
    if name not in properties:
        return f"Table `{name}`"
    return _SECTION.format(name) if properties[name].get("type") == "array" else f"`[{name}]`"


def _page(name: str) -> str:
    title, does = PAGES[name]
    listed = _listed(name)
    parts = [_NOTE, f"# {title}", does, _how(name)]
    for each in SCHEMA.own_tables(name):
        kind = each["title"]
        entry = listed.get(kind, {})
        known = {p["name"]: p for p in entry.get("params", [])}
        fields = SCHEMA.attributes(each, {key: p["default"] for key, p in known.items()})
        parts += [f"## `{kind}`", cell(each["description"])]
        if name == "transport":
            # Keys that users choose first, such as `cc`, come before the parameters of the connection.
            fields = tuple(sorted(fields, key=lambda field: field.key in known))
        parts.append(_rows(fields, known) if fields else "It has no keys.")
    if name == "transport":
        parts += _behaviours()
    return "\n\n".join(part for part in parts if part) + "\n"


def _behaviours() -> list[str]:
    """Tables `behaviour`, each with the keys that are its own."""
    parts = []
    for entry in api.catalog()["behaviours"]:
        known = {p["name"]: p for p in entry["params"]}
        section = SCHEMA.sections[f"{entry['name']}_behaviour"]
        fields = [field for field in SCHEMA.attributes(section, dict.fromkeys(known)) if field.key in known]
        shared = "The keys of TCP's are keys of this table, too." if entry["name"] == "mptcp" else ""
        parts += [
            f"## `behaviour` of `{entry['name']}`",
            cell(section["description"]),
            shared,
            _rows(fields, known),
        ]
    return parts


def _how(name: str) -> str:
    """Syntax by which a file names a kind."""
    words = SCHEMA.titles(name)
    if name in {"attack", "fault", "medium"}:
        return f'Each is a table {_SECTION.format(name)} with `kind = "{words[0]}"`, or another name below.'
    used = _users(name)
    where = ", ".join(f"`{key}` of {_link(section)}" for section, key in used)
    example = f'`{used[0][1]} = {{ kind = "{words[0]}", ... }}`'
    alone = any("enum" in form for form in SCHEMA.document["$defs"][name]["anyOf"])
    short = f', or `{used[0][1]} = "{words[0]}"` with all defaults' if alone else ""
    return f"They stand under {where}: {example}{short}."


def _users(name: str) -> list[tuple[str, str]]:
    """Tables with a key that takes this, and the key."""
    wanted = f"#/$defs/{name}"
    transports = [("transport", each) for each in SCHEMA.own_tables("transport")]
    found = [
        (section, key)
        for section, each in [*SCHEMA.sections.items(), *transports]
        for key, value in each["properties"].items()
        if value.get("$ref") == wanted
    ]
    return list(dict.fromkeys(found))


def _link(section: str) -> str:
    if section in PAGES:
        return f"[{section}]({section}.md)"
    shown = _heading(section)
    return f"[{shown}](README.md#{anchor(shown)})"


def _values() -> str:
    definitions = SCHEMA.document["$defs"]
    return "\n\n".join(
        f"### {name}\n\n{each['description']}"
        for name, each in definitions.items()
        if name not in {*PAGES, *ELSEWHERE} and each.get("type") != "object"
    )


# -- rows --------------------------------------------------------------------------------------------------------


def _rows(fields: Sequence[Attribute], known: dict[str, dict[str, Any]]) -> str:
    return table(["key", "takes", "default", "meaning"], [_row(f, known.get(f.key, {})) for f in fields])


def _row(field: Attribute, parameter: dict[str, Any]) -> list[str]:
    meaning = field.schema.get("description", "")
    default = "required" if field.required else ""
    if found := _DEFAULT.search(meaning):
        default, meaning = found[1], _DEFAULT.sub("", meaning, count=1)
    elif parameter.get("default") is not None:
        default = f"`{toml_text.value(parameter['default'])}`"
    source = ""
    if found := _SOURCE.search(meaning):
        meaning = _SOURCE.sub("", meaning, count=1)
        source = f" Default from: {found[1]}."
    bounds = ""
    if found := _BOUNDS.search(meaning):
        meaning = meaning[: found.start()]
        bounds = f" Allowed: {found[1]} ({found[2]})."
    words = [f"`{each['word']}`: {each['doc']}" for each in parameter.get("choices", [])]
    said = [cell(each) for each in [meaning, *words, bounds, source] if each]
    return [f"`{field.key}`", _takes(field.schema), cell(default), "<br>".join(said)]


def _takes(schema: Part) -> str:  # noqa: PLR0911 - a case each
    match schema:
        case {"$ref": str(ref)}:
            return _referred(ref.rpartition("/")[2])
        case {"anyOf": list(forms)}:
            return " or ".join(dict.fromkeys(_takes(each) for each in forms))
        case {"enum": list(words)}:
            return ", ".join(f"`{word}`" for word in words)
        case {"const": word}:
            return f"`{word}`"
        case {"type": "array", "items": dict(items)}:
            return "tables" if items.get("type") == "object" else f"a list: {_takes(items)}"
        case {"type": "array"}:
            return "a list"
    plain = {"boolean": "`true` or `false`", "integer": "whole number", "number": "number"}
    return plain.get(schema["type"], "table" if schema["type"] == "object" else "text")


def _referred(name: str) -> str:
    if name in PAGES:
        return f"[{name.replace('_', ' ')}]({name}.md)"
    if name in ELSEWHERE:
        return f"[{name}]({ELSEWHERE[name][1]})"
    if name in BEHAVIOURS:
        return f"[table](transport.md#{anchor(f'`behaviour` of `{BEHAVIOURS[name]}`')})"
    definition = SCHEMA.document["$defs"][name]
    if definition.get("type") == "object":
        return f"[{name}](README.md#{anchor(_heading(name))})"
    return f"[{name}](README.md#{name})"


def _described(name: str) -> str:
    found: str = SCHEMA.document["$defs"][name]["description"]
    return found


def _listed(name: str) -> dict[str, dict[str, Any]]:
    """Entries of `tailrace list` by kind."""
    catalog = api.catalog()
    if name != "transport":
        return {entry["name"]: entry for entry in catalog[_LISTS[name]]}
    tcp = catalog["tcp"][0]["params"]
    return {
        "tcp": {"params": tcp},
        "mptcp": {"params": [*catalog["mptcp"][0]["params"], *tcp]},
        "quic": {"params": catalog["quic"][0]["params"]},
    }


def anchor(heading: str) -> str:
    """The anchor that a heading has on a page."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")

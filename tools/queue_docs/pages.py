"""A page for each discipline and the list of them, from the code's own tables."""

from __future__ import annotations

from pathlib import Path

from queue_docs.catalog import PLACE, Entry, by_family, cell, entries, source_doc, table, tc
from tailrace import toml_text

_NOTE = "<!-- Written by `make docs` from the code's own tables. Edit those. -->"


def write(place: Path = PLACE) -> list[Path]:
    """Writes all pages."""
    place.mkdir(parents=True, exist_ok=True)
    written = []
    for name, text in texts().items():
        path = place / name
        path.write_text(text, encoding="utf-8")
        written.append(path)
    return written


def texts() -> dict[str, str]:
    """The pages by file name."""
    found = entries()
    names = {entry["name"] for entry in found}
    pages = {f"{entry['name']}.md": page(entry, names) for entry in found}
    return {"README.md": index(found), **pages}


def index(found: list[Entry]) -> str:
    """The list of all disciplines."""
    parts = [
        _NOTE,
        "# Queue disciplines",
        "`tailrace list queues` says the same; `tailrace run scenarios/flood.toml --set link.bottleneck.queue=NAME` "
        "shows any of\nthem at work. [The zoo](zoo.md) compares all in one scenario, [cost](cost.md) says what each "
        "costs a packet.",
    ]
    for family, members in by_family(found).items():
        rows = [
            [
                f"[`{entry['name']}`]({entry['name']}.md)",
                cell(entry["doc"]),
                _mark(entry["ecn"] != "ignored"),
                cell(entry["per_flow_state"]),
                _mark(entry["classifies"]),
                _mark(entry["in_linux"]),
            ]
            for entry in members
        ]
        head = ["name", "what it does", "ECN", "kept for each flow", "flags flows", "in Linux"]
        parts += [f"## {family[0].upper()}{family[1:]}", table(head, rows)]
    return "\n\n".join(parts) + "\n"


def page(entry: Entry, names: set[str]) -> str:
    """The page of one discipline."""
    name = entry["name"]
    title, about = source_doc(name, names)
    facts = [
        ["source", cell(entry["citation"])],
        ["kept for each flow", cell(entry["per_flow_state"])],
        ["ECN", cell(entry["ecn"])],
        ["singles out flows", "yes: reports them as flagged and cleared" if entry["classifies"] else "no"],
        ["in Linux", "yes, see [below](#in-linux)" if entry["in_linux"] else "no"],
        ["series", ", ".join(f"`{state}`" for state in entry["states"]) or "none of its own"],
    ]
    parts = [
        _NOTE,
        f"# `{name}`",
        f"{title}\n\n{entry['doc']}",
        table(["", ""], facts),
        "## Idea, readings, departures",
        about,
        "## At work",
        f"![{name} in the flood](figures/{name}.svg)",
        "[`scenarios/flood.toml`](../../scenarios/flood.toml), default parameters: 20 TCP flows over 10 Mbit/s, and "
        "from 20 s to\n40 s a UDP source that sends as much. Samples every 300 ms of one run.",
        "## Parameters",
        _parameters(entry),
    ]
    if entry["in_linux"]:
        parts += ["## In Linux", _in_linux(name)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _parameters(entry: Entry) -> str:
    rows = []
    for parameter in entry["params"]:
        words = [f"`{choice['word']}`: {cell(choice['doc'])}" for choice in parameter["choices"]]
        takes = "a word" if words else parameter["kind"]
        if words and parameter["kind"].endswith(", or auto"):
            takes += ", or auto"
        meaning = " ".join([cell(parameter["doc"]), *words])
        bounds = parameter["bounds"]
        if bounds and not bounds["usual"]:
            meaning += f" {bounds['shown']}: {cell(bounds['why'])}."
        default = toml_text.value(parameter["default"])
        rows.append([f"`{parameter['name']}`", takes, f"`{default}`", meaning, cell(parameter["source"])])
    return table(["name", "takes", "default", "meaning", "default from"], rows)


def _in_linux(name: str) -> str:
    found = tc(name)
    if found["tc"] is None:
        return f"{found['why']}."
    lines = found["commands"] or [f"tc qdisc replace dev DEV root {found['tc']}"]
    code = "\n".join(line.replace("PARENT", "root") for line in lines)
    parts = [
        "The defaults on a link of 10 Mbit/s and 10 ms, as `tailrace export tc` prints them:",
        f"```sh\n{code}\n```",
    ]
    if found["not_carried"]:
        rows = [[f"`{d['parameter']}`", cell(d["scenario"]), cell(d["tc"])] for d in found["not_carried"]]
        parts += ["What the line does not carry:", table(["parameter", "here", "what the line means"], rows)]
    return "\n\n".join(parts)


def _mark(has: bool) -> str:
    return "yes" if has else ""

"""A page for each discipline and the list of them, from the code's own tables."""

from __future__ import annotations

from pathlib import Path

from queue_docs.catalog import PLACE, Entry, by_family, cell, entries, source_doc, table, tc
from tailrace.text import toml_text

_NOTE = "<!-- Written by `make docs` from the code's own tables. Edit those. -->"

_INDEX = """A *queue discipline* is the rule of a queue: which packet is sent next, and which is dropped when
there are too many. Every link of a scenario has one in each direction. This page lists all that Tailrace has;
each has a page of its own with its idea, its parameters, and a figure that shows it at work.

**Where to begin?** [`droptail`](droptail.md) is the plain queue that most devices have. [`red`](red.md) is the
classic of active queue management, [`codel`](codel.md) and [`pie`](pie.md) are the modern ones that watch how
long packets wait, and [`fq_codel`](fq_codel.md) gives each flow a queue of its own besides, as many Linux systems do by
default. [The zoo](zoo.md) compares all of them in one scenario, and [cost](cost.md) says how much work each is
for a packet.

Try any of them with `tailrace run scenarios/flood.toml --set link.bottleneck.queue=NAME`. `tailrace list queues`
prints this list.

In the tables, to *signal* is to tell a sender to slow down: by dropping one of its packets, or by marking it
where both ends use ECN.

| column | what it says |
| --- | --- |
| ECN | whether it can mark packets instead of dropping them |
| kept for each flow | what it must remember about each flow; the less, the easier to build into a fast router |
| flags flows | whether it names flows that it holds to be unfair or hostile |
| in Linux | whether Linux has it, so that `tailrace export tc` can print its configuration |"""

_FIGURE = """How to read the figure: the grey part is the time of the flood. At the top is what reaches the
applications, of TCP and of the flood; below it how long packets wait in the queue; then the discipline's own
state, if it has any. The scenario is [`scenarios/flood.toml`](../../scenarios/flood.toml) with default
parameters: 20 TCP flows over 10 Mbit/s, and from 20 s to 40 s a UDP source that sends as much as the link carries
and never slows down. One run, a sample every 300 ms."""


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
        _INDEX,
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
        [
            "names unfair flows",
            "yes: they are flagged in results, and cleared again" if entry["classifies"] else "no",
        ],
        ["in Linux", "yes, see [below](#in-linux)" if entry["in_linux"] else "no"],
        ["recorded over time", ", ".join(f"`{state}`" for state in entry["states"]) or "none of its own"],
    ]
    parts = [
        _NOTE,
        f"# `{name}`",
        f"{title}\n\n{entry['doc']}",
        table(["", ""], facts),
        "## How it works",
        about,
        "## At work",
        f"![{name} in the flood](figures/{name}.svg)",
        _FIGURE,
        "## Parameters",
        "What words such as *sojourn time*, *signal* or *ECN* mean is in the [glossary](../glossary.md).",
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
        meaning = "<br>".join([cell(parameter["doc"]), *words])
        bounds = parameter["bounds"]
        if bounds and not bounds["usual"]:
            meaning += f"<br>Allowed: {bounds['shown']} ({cell(bounds['why'])})."
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

"""Where a result comes from: the command that repeats it, fingerprints, versions, machine; and its scenario."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tailrace.show.report.html_tables import Sheet
from tailrace.show.report.markup import Markup, tag
from tailrace.text import text_table

_ENVIRONMENT = (
    ("tailrace", "tailrace"),
    ("engine", "engine"),
    ("commit", "commit of the working copy"),
    ("created", "written"),
    ("file", "scenario file"),
    ("python", "Python"),
)


def command(words: Sequence[object]) -> str:
    """Command line in the syntax of a shell."""
    return shlex.join(str(word) for word in words)


def repeated(commands: Sequence[str], note: str = "") -> Markup:
    """The command that does it again, to be copied; results side by side may come of several."""
    many = len(commands) > 1
    return tag(
        "div",
        tag("h3", "The commands that repeat it" if many else "The command that repeats it"),
        [code(text, "command", str(place) if many else "") for place, text in enumerate(commands, start=1)],
        tag("p", note, cls="note") if note else None,
    )


def code(text: str, what: str, of: str = "") -> Markup:
    """Text to be copied; its button comes with the script. Regions of a page have names of their own."""
    return tag(
        "pre",
        tag("code", text),
        cls="copied",
        data_what=what,
        tabindex="0",
        role="region",
        aria_label=f"{what} {of}".strip(),
    )


def environment(about: Mapping[str, Any], more: Sequence[tuple[str, str]] = ()) -> Markup:
    """Versions and machine, as the manifest has them."""
    rows = [(name, str(about[key])) for key, name in _ENVIRONMENT if about.get(key)]
    machine = about.get("machine")
    if isinstance(machine, Mapping):
        rows += [(str(key), str(value)) for key, value in machine.items()]
    rows = [*more, *rows]
    return Sheet(
        text_table.Grid("Environment", ["what", "is"], [list(row) for row in rows], labels=2)
    ).markup()


def kernels(abouts: Iterable[Mapping[str, Any]]) -> Markup | None:
    """The Linux kernels that hosts ran, each once."""
    all_kernels = [kernel for about in abouts for kernel in about.get("kernels") or []]
    hosts: dict[tuple[str, str], dict[str, None]] = {}
    for kernel in all_kernels:
        known = hosts.setdefault((str(kernel["version"]), str(kernel["sha256"])), {})
        known |= dict.fromkeys(map(str, kernel["hosts"]))
    if not hosts:
        return None
    rows = [[version, sha256, ", ".join(own)] for (version, sha256), own in hosts.items()]
    return Sheet(text_table.Grid("Linux kernels", ["version", "sha256", "hosts"], rows, labels=3)).markup()


def fingerprints(rows: Sequence[tuple[str, int, int, str]], rest: str) -> Markup:
    """Fingerprints of all runs: equal ones are equal to the last packet."""
    named = any(label for label, *_ in rows)
    columns = [*(["variant"] if named else []), "run", "seed", "fingerprint"]
    cells = [
        [*([label] if named else []), str(run), str(seed), fingerprint]
        for label, run, seed, fingerprint in rows
    ]
    note = "Runs with the same fingerprint are the same to the last packet and nanosecond."
    grid = text_table.Grid("Fingerprints", columns, cells, labels=len(columns), notes=[note])
    return Sheet(grid, rest).markup()


def scenario(toml: str, file: str, label: str = "") -> Markup:
    """The resolved scenario, to be copied or saved and run."""
    named = (tag("b", label), ": ") if label else ()
    return tag(
        "details",
        tag("summary", *named, f"{toml.count(chr(10))} lines of TOML, every default filled in"),
        tag("p", f"Saved as a file it can be run: tailrace run {file}", cls="note"),
        code(toml, "the scenario", label),
    )

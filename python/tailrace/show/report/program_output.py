"""Output of programs of hosts with kernels, with host, time and exit code."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tailrace.show.report import provenance
from tailrace.show.report.markup import Markup, tag
from tailrace.stats import host_programs

# Lines from the end of an output that a page shows; the folder has more.
_MOST_LINES = 200
_MOST_LETTERS = 20_000
# Shorter outputs of a few programs need not be opened.
_FEW_LINES = 25
_FEW = 6
_FILE = "summary.json"


def of_programs(runs: Iterable[Mapping[str, Any]]) -> list[Markup | None]:
    """Output of the first run that has some."""
    every = list(runs)
    number, found = host_programs.of_first(every)
    if not found:
        return []
    others = f"Those of run {number}; of all runs" if len(every) > 1 else "They are"
    note = f"{others} in {_FILE}, under programs, with the last 256 KiB of what each said."
    return [
        tag("p", note, cls="note"),
        *(_program(place, program, few=len(found) <= _FEW) for place, program in enumerate(found, start=1)),
    ]


def _program(place: int, program: Mapping[str, Any], *, few: bool) -> Markup:
    text = str(program["output"]).rstrip()
    shown = _end(text)
    before = len(text.encode()) - len(shown.encode()) + int(program.get("output_left_out_bytes", 0))
    return tag(
        "details",
        tag("summary", tag("b", program["host"]), ": ", tag("code", program["command"])),
        tag("p", f"{host_programs.said(program)}{_what(shown, before)}", cls="note"),
        provenance.code(shown, "the output", str(place)) if shown else None,
        cls="program",
        open=few and len(shown.splitlines()) <= _FEW_LINES,
    )


def _end(text: str) -> str:
    """The last lines, whole ones where there are several."""
    lines = text.splitlines(keepends=True)
    kept: list[str] = []
    room = _MOST_LETTERS
    for line in reversed(lines[-_MOST_LINES:]):
        room -= len(line)
        if room < 0:
            break
        kept.append(line)
    return "".join(reversed(kept)) or text[-_MOST_LETTERS:]


def _what(shown: str, before: int) -> str:
    if not shown:
        return "; it said nothing"
    return f"; the last {len(shown.splitlines())} lines, after {before} B more" if before > 0 else ""

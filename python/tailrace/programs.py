"""Programs of hosts with kernels of their own, as results have them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

# A command is shown as far as that.
_WIDEST = 48


COLUMNS = ("host", "command", "from s", "to s", "exit code", "its last words")


def rows(runs: Iterable[Mapping[str, Any]]) -> list[list[str]]:
    """Each program of the first run that has some, in the columns that are named above."""
    return [
        [
            p["host"],
            _short(p["command"]),
            _second(p.get("start_s"), 3),
            _second(p.get("end_s"), 3),
            _ended(p["exit_code"]),
            _last(p["output"]),
        ]
        for p in of_first(runs)[1]
    ]


def of_first(runs: Iterable[Mapping[str, Any]]) -> tuple[int, Sequence[Mapping[str, Any]]]:
    """The first run that has programs, and these."""
    return next(((int(run["run"]), found) for run in runs if (found := run.get("programs"))), (0, []))


def said(program: Mapping[str, Any]) -> str:
    """When it ran and how it ended, in words."""
    start, end, code = program.get("start_s"), program.get("end_s"), program["exit_code"]
    began = "" if start is None else f"from {_second(start)} s"
    if code is None:
        return f"{began}, still running when the run ended".removeprefix(", ")
    to = "" if end is None else f" to {_second(end)} s"
    meaning = f" ({_MEANINGS[code]})" if code in _MEANINGS else ""
    return f"{began}{to}, exit code {code}{meaning}".removeprefix(", ")


# What shells mean by the codes of programs that did not end by themselves.
_MEANINGS = {
    126: "it could not be started",
    127: "there is no such program; relative paths begin in /tmp",
    132: "an instruction that guests do not have, such as one of AVX",
    134: "it aborted",
    137: "it was killed; its host may have too little memory",
    139: "it accessed memory that it does not have",
}


def notes(runs: Sequence[Mapping[str, Any]]) -> list[str]:
    """Programs that failed: which, where, and how, once each."""
    failed = Counter(
        (p["host"], p["command"], p["exit_code"])
        for run in runs
        for p in run.get("programs") or []
        if p["exit_code"] not in {0, None}
    )
    return [
        f"host {host}: {_short(command)} failed with exit code {code}"
        + (f" ({meaning})" if (meaning := _MEANINGS.get(code)) else "")
        + (f", {times} times in {len(runs)} runs" if len(runs) > 1 else "")
        for (host, command, code), times in failed.items()
    ]


def notes_of_variants(runs: Mapping[str, Sequence[Mapping[str, Any]]]) -> list[str]:
    """The same of the runs of several variants; where it is not so in all of them, in which."""
    variants: dict[str, list[str]] = {}
    for label, of_variant in runs.items():
        for note in notes(of_variant):
            variants.setdefault(note, []).append(label)
    return [
        note if len(labels) == len(runs) else f"{', '.join(labels)}: {note}"
        for note, labels in variants.items()
    ]


def _short(command: str) -> str:
    return command if len(command) <= _WIDEST else f"{command[: _WIDEST - 1]}…"


def _second(value: float | None, digits: int = 6) -> str:
    return "" if value is None else f"{value:.{digits}f}".rstrip("0").rstrip(".")


def _ended(code: int | None) -> str:
    return "still ran" if code is None else str(code)


def _last(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return _short(lines[-1]) if lines else ""

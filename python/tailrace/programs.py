"""Programs of hosts with kernels of their own, as results have them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

# A command is shown as far as that.
_WIDEST = 48


def rows(runs: Iterable[Mapping[str, Any]]) -> list[list[str]]:
    """Host, command, how it ended and its last words: of each program of the first run that has some."""
    programs: list[dict[str, Any]] = next((found for run in runs if (found := run.get("programs"))), [])
    return [[p["host"], _short(p["command"]), _ended(p["exit_code"]), _last(p["output"])] for p in programs]


def _short(command: str) -> str:
    return command if len(command) <= _WIDEST else f"{command[: _WIDEST - 1]}…"


def _ended(code: int | None) -> str:
    return "still ran" if code is None else str(code)


def _last(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return _short(lines[-1]) if lines else ""

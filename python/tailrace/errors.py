"""Errors that are no bugs; each knows the exit code of the command line."""

from __future__ import annotations

from typing import Any


class TailraceError(Exception):
    """Something went wrong that the message explains."""

    exit_code = 1

    @property
    def shown(self) -> str:
        """Text for the command line."""
        return f"error: {self}"


class UsageError(TailraceError):
    """The caller asked for something that cannot be."""

    exit_code = 2


class ScenarioError(UsageError):
    """A scenario that cannot be run.

    `str(error)` is the text for people, with file, line and column; `diagnostics` the same as dictionaries.
    """

    def __init__(self, rendered: str, diagnostics: list[dict[str, Any]] | None = None) -> None:
        super().__init__(rendered)
        self.diagnostics = diagnostics or []

    @property
    def shown(self) -> str:
        """The text for people says "error" by itself."""
        return str(self).rstrip("\n")


class RunError(TailraceError):
    """A run ended in an error; the other runs are unaffected."""

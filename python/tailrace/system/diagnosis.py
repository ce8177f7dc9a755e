"""Findings about this machine."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """A line of a report. Only a failure makes the exit code 1."""

    state: str
    """`ok`, `warning` or `FAIL`."""
    what: str
    detail: str

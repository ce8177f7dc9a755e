"""Traces for Mahimahi's `mm-link`: when a link could have delivered 1504 bytes, a line of milliseconds each.

It is the link's own schedule, with the faults of its rate and those that close it, not what was sent over it.
"""

from __future__ import annotations

from pathlib import Path

from tailrace.errors import UsageError
from tailrace.scenario.scenario import Scenario

_SCENARIO = "scenario.toml"


def document(source: Path, link: str) -> str:
    """The trace of a link in a result's folder, or in a scenario file."""
    if source.is_dir() and not (source / _SCENARIO).is_file():
        raise UsageError(
            f"{source} has no {_SCENARIO}: give a result, a variant's folder in a comparison, or a scenario file"
        )
    scenario = Scenario.of(source / _SCENARIO if source.is_dir() else source)
    try:
        return scenario.native.opportunities(link)
    except ValueError as error:
        raise UsageError(str(error)) from None

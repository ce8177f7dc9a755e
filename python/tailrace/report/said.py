"""The resolved scenario of a result, as data."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from typing import Any


def of(toml: str) -> Mapping[str, Any]:
    """What it says; nothing where somebody has spoilt the file: the results are reported all the same."""
    try:
        return tomllib.loads(toml)
    except tomllib.TOMLDecodeError:
        return {}


def tables(said: Mapping[str, Any], section: str) -> list[Mapping[str, Any]]:
    """The tables of a section such as `[[link]]`."""
    found = said.get(section)
    return [table for table in found if isinstance(table, Mapping)] if isinstance(found, list) else []

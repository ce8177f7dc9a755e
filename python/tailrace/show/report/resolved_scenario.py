"""The resolved scenario of a result, as data."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from typing import Any

from tailrace.stats.formulas import Quantity, value_of


def of(toml: str) -> Mapping[str, Any]:
    """Content as data; empty if the file is damaged: the results are reported all the same."""
    try:
        return tomllib.loads(toml)
    except tomllib.TOMLDecodeError:
        return {}


def seconds(said: Mapping[str, Any], key: str) -> float:
    """A duration of it; 0 where there is none, or none that is known before the run.

    >>> seconds({"warmup": "500 ms"}, "warmup"), seconds({}, "warmup")
    (0.5, 0.0)
    """
    text = said.get(key)
    found = value_of(repr(text)) if isinstance(text, str) else None
    return found.value if isinstance(found, Quantity) else 0.0


def tables(said: Mapping[str, Any], section: str) -> list[Mapping[str, Any]]:
    """The tables of a section such as `[[link]]`."""
    found = said.get(section)
    return [table for table in found if isinstance(table, Mapping)] if isinstance(found, list) else []

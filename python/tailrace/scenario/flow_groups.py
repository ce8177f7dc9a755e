"""Groups of flows as a resolved scenario declares them: `[[flow]]`, and `[[attack]]` behind them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

FLOW, ATTACK = "flow", "attack"


def declared(said: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Each with the section that it stands in, those that are switched off among them."""
    for section in (FLOW, ATTACK):
        found = said.get(section)
        tables = found if isinstance(found, list) else []
        yield from ((section, table) for table in tables if isinstance(table, Mapping))


def running(said: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Groups that are not switched off."""
    return (each for each in declared(said) if each[1].get("enabled", True))


def is_attack(section: str, group: Mapping[str, Any]) -> bool:
    """Whether a group has that role."""
    return section == ATTACK or group.get("role") == "attack"

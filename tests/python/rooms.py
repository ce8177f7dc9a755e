"""The tables of rooms in docs/explanation/architecture.md: which rooms of a crate or package may import which."""

import functools
import re

from conftest import ROOT

_SECTION = re.compile(r"^### Rooms of `([\w/]+)`\n(.*?)(?=^##)", re.MULTILINE | re.DOTALL)
_ROW = re.compile(r"^\| (`.+?) \|.*\| (.+?) \|$", re.MULTILINE)


@functools.cache
def tables() -> dict[str, dict[str, set[str]]]:
    """For each crate or package that has a table: each of its rooms with those that it may import."""
    text = (ROOT / "docs/explanation/architecture.md").read_text(encoding="utf-8")
    found = {name: _rooms(section) for name, section in _SECTION.findall(text)}
    return {name: rooms for name, rooms in found.items() if rooms}


def of(name: str) -> dict[str, set[str]]:
    """The rooms of a crate or package, each with those that it may import."""
    return tables()[name]


def _rooms(section: str) -> dict[str, set[str]]:
    """The rows of a table; imports lead to rows further up in it, never to the same row or below."""
    rooms: dict[str, set[str]] = {}
    for names, below in _ROW.findall(section):
        named = set(re.findall(r"`([\w/]+)`", below))
        if below == "all above":
            named = set(rooms)
        elif not named:
            assert below == "nothing of the crate", f"{names}: {below!r} names no room"
        assert named <= set(rooms), f"{names}: {named - set(rooms)} have no row above"
        rooms |= dict.fromkeys(re.findall(r"`([\w/]+)`", names), named)
    return rooms

"""Labels of swept values and short names of paths, as tables, figures and folders show them."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence

# Sections of a file, with which paths begin.
SECTIONS = frozenset({"link", "flow", "attack", "host", "router", "fault", "window", "capture"})
_HOLDERS = frozenset({"app", "transport", "behaviour"})

_OPENING, _CLOSING, _QUOTES = "[{(", "]})", "\"'"


def split_list(text: str) -> list[str]:
    """Splits at commas outside brackets and quotes."""
    parts, depth, quote, start = [], 0, "", 0
    for position, character in enumerate(text):
        if quote:
            quote = "" if character == quote else quote
        elif character in _QUOTES:
            quote = character
        elif character in _OPENING:
            depth += 1
        elif character in _CLOSING:
            depth -= 1
        elif character == "," and depth == 0:
            parts.append(text[start:position].strip())
            start = position + 1
    return [*parts, text[start:].strip()]


def short(path: str) -> str:
    """Name in tables of the value at a path, without its section and the tables that hold keys: `bot.period`."""
    parts = path.split(".")
    # Positions need their section to make sense.
    if len(parts) > 2 and parts[0] in SECTIONS and not parts[1].isdecimal():  # noqa: PLR2004 - section, name, key
        parts = [part for place, part in enumerate(parts[1:]) if place == 0 or part not in _HOLDERS] or parts
    return ".".join(parts)


def endings(paths: Sequence[str]) -> dict[str, str]:
    """Name of each path among others: its last word, or its short name where another has that word."""
    last = {path: path.rpartition(".")[2] for path in paths}
    ends = Counter(last.values())
    found = {path: short(path) if ends[end] > 1 else end for path, end in last.items()}
    times = Counter(found.values())
    return {path: path if times[name] > 1 else name for path, name in found.items()}


def labels_of(path: str, texts: Sequence[str], *, alone: bool, name: str) -> dict[str, str]:
    """A word for each value of an axis: a table is called by its kind, and by what differs where kinds repeat.

    Where its last word is that of another axis, too, so that `name` has more, that is said of kinds as well.
    """
    values = _as_tables({text: _value(text) for text in texts})
    differing = _differing([v for v in values.values() if isinstance(v, Mapping) and "kind" in v])
    lines = Counter(value.partition(" ")[0] for value in values.values() if isinstance(value, str))
    labels = {}
    for text, value in values.items():
        if isinstance(value, Mapping) and "kind" in value:
            kind = str(value["kind"])
            labels[text] = " ".join(
                [kind, *(f"{key}={_said(value[key])}" for key in value if key in differing[kind])]
            )
        elif isinstance(value, str) and (path.endswith("queue") or differing):
            # A queue as a tc line starts with its kind; the whole line tells lines of one kind apart.
            kind = value.partition(" ")[0]
            labels[text] = kind if lines[kind] == 1 else value
        else:
            plain = (value or "empty") if isinstance(value, str) else text
            labels[text] = plain if alone else f"{name}={plain}"
        if "." in name and not labels[text].startswith(f"{name}="):
            labels[text] = f"{name}={labels[text]}"
    return labels


def _as_tables(values: Mapping[str, object]) -> dict[str, object]:
    """A kind by its name alone is a table without parameters where others of that kind are tables."""
    kinds = {value["kind"] for value in values.values() if isinstance(value, Mapping) and "kind" in value}
    return {
        text: {"kind": value} if isinstance(value, str) and value in kinds else value
        for text, value in values.items()
    }


def _said(value: object) -> str:
    """Text as in a file."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _differing(tables: Sequence[Mapping[str, object]]) -> dict[str, set[str]]:
    """The keys of each kind that tell its tables apart."""
    kinds: dict[str, list[Mapping[str, object]]] = {}
    for table in tables:
        kinds.setdefault(str(table["kind"]), []).append(table)
    return {
        kind: {key for key in set().union(*alike) if len({repr(table.get(key)) for table in alike}) > 1}
        for kind, alike in kinds.items()
    }


def words(path: str, texts: Sequence[str], name: str | None = None) -> dict[str, str]:
    """A word for each value of an axis among others: `red`, `period=0.5 s`; `name` is what [`endings`] calls it."""
    return labels_of(path, texts, alone=False, name=name or path.rpartition(".")[2])


def _value(text: str) -> object:
    """TOML where it is TOML, else the bare text."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text.strip()

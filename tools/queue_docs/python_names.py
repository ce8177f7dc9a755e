"""docs/reference/python.md: names of the package with a line each, for those who read the page as a file.

On the site Sphinx writes the docstrings in full below each list; in the repository the lists are what there is.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import tailrace
from queue_docs.catalog import ROOT, cell, table

PAGE = ROOT / "docs" / "reference" / "python.md"
_NOTE = "<!-- names: written by `make docs` from the docstrings. Edit those. -->"
_END = "<!-- end of names -->"
_LISTED = re.compile(rf"{re.escape(_NOTE)}\n.*?{re.escape(_END)}\n\n", re.DOTALL)
_FENCE = re.compile(r"```\{eval-rst\}\n(.*?)```", re.DOTALL)
_NAME = re.compile(r"^\.\. auto\w+:: tailrace\.(\w+)$", re.MULTILINE)
_SENTENCE = re.compile(r"(?<=[^.]\.)\s(?=[A-Z`])")


def write() -> list[Path]:
    """Writes the lists anew."""
    PAGE.write_text(text(), encoding="utf-8")
    return [PAGE]


def text() -> str:
    """The page with a list before each block of Sphinx."""
    bare = _LISTED.sub("", PAGE.read_text(encoding="utf-8"))
    return _FENCE.sub(lambda block: f"{_NOTE}\n{_lists(block[1])}\n{_END}\n\n{block[0]}", bare)


def names() -> list[str]:
    """The names of the package that the page describes."""
    return _NAME.findall(PAGE.read_text(encoding="utf-8"))


def members(described: type) -> list[str]:
    """The public methods and properties of a class, in the order of its source; bases first."""
    found = {
        name: None
        for base in reversed(described.__mro__)
        if base.__module__.startswith("tailrace")
        for name, value in vars(base).items()
        if not name.startswith("_") and _doc(value)
    }
    return list(found)


def _lists(directives: str) -> str:
    """A table of functions, errors and classes; below it one for each class with members."""
    found = [(name, getattr(tailrace, name)) for name in _NAME.findall(directives)]
    whole = [[_called(f"tailrace.{name}", value), cell(_first_sentence(value))] for name, value in found]
    parts = [table(["name", "what it is"], whole)]
    for name, value in found:
        rows = [*_members(value)] if isinstance(value, type) else []
        if rows:
            parts += [f"Of a `{name}`:", table(["name", "what it is"], rows)]
    return "\n\n".join(parts)


def _members(described: type) -> Iterator[list[str]]:
    for name in members(described):
        value = inspect.getattr_static(described, name)
        value = value.__func__ if isinstance(value, (classmethod, staticmethod)) else value
        yield [_called(name, value), cell(_first_sentence(value))]


def _called(name: str, value: object) -> str:
    """The name with its arguments; those that are only given by name are dots."""
    if isinstance(value, type) or not callable(value):
        return f"`{name}`"
    try:
        parameters = inspect.signature(value).parameters.values()
    except ValueError:
        return f"`{name}()`"
    positional = [
        p.name
        for p in parameters
        if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) and p.name not in ("self", "cls")
    ]
    more = ["..."] if any(p.kind in (p.KEYWORD_ONLY, p.VAR_KEYWORD) for p in parameters) else []
    return f"`{name}({', '.join([*positional, *more])})`"


def _first_sentence(value: object) -> str:
    paragraph = _doc(value).strip().partition("\n\n")[0]
    return _SENTENCE.split(" ".join(paragraph.split()), maxsplit=1)[0]


def _doc(value: object) -> str:
    inner = value.__func__ if isinstance(value, (classmethod, staticmethod)) else value
    if not (callable(inner) or hasattr(inner, "__get__")):
        return ""
    return inspect.getdoc(inner) or ""

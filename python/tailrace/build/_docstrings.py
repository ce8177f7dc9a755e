"""Docstrings of the classes: meaning, and a line for each attribute."""

from __future__ import annotations

import re
import textwrap

from tailrace.build._schema import TableClass

_WIDTH = 100
# Code in a text stays in one line; `_BLANK` stands for its spaces while lines are made.
_CODE = re.compile(r"`[^`]+`")
_BLANK = "\0"


def of_class(table: TableClass) -> str:
    """Meaning of a table and of its attributes, as Google's style has it."""
    listed = [
        line
        for each in table.attributes
        for line in wrapped(f"{each.name}: {each.meaning}", "    ", "        ")
    ]
    return "\n".join([*wrapped(table.meaning), *(["", "Args:", *listed, ""] if listed else [])])


def wrapped(text: str, first: str = "", others: str = "") -> list[str]:
    """Lines of a text, with these indents."""
    kept = _CODE.sub(lambda code: code[0].replace(" ", _BLANK), text)
    lines = textwrap.wrap(kept, _WIDTH, initial_indent=first, subsequent_indent=others)
    return [line.replace(_BLANK, " ") for line in lines]

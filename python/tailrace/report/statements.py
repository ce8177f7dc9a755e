"""What a report says in words: sentences computed from the numbers, each with what it is of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tailrace import present

# More names than this in a sentence are counted.
_MOST_NAMED = 6


@dataclass(frozen=True)
class Statement:
    """A sentence under a heading of a word or two; a `caution` makes others doubtful."""

    about: str
    text: str
    caution: bool = False


def value(tree: Mapping[str, Any], *path: str) -> float | None:
    """The mean at a path of an aggregate; nothing where there is none."""
    found = present.leaf(tree, path)
    return None if found is None or found["mean"] is None else float(found["mean"])


def said(tree: Mapping[str, Any], path: Sequence[str], unit: str, scale: float = 1.0) -> str:
    """A number of an aggregate with its interval and unit."""
    return quantity(present.number(present.leaf(tree, path), scale), unit)


def quantity(number: str, unit: str) -> str:
    """A number, be it with an interval, and its unit.

    >>> quantity("1.5 ± 0.2", "ms"), quantity("3", "")
    ('1.5 ± 0.2 ms', '3')
    """
    return f"{number} {unit}".strip()


def listed(words: Iterable[str], most: int = _MOST_NAMED) -> str:
    """Words as a sentence has them; of many how many more there are.

    >>> listed(["a"]), listed(["a", "b", "c"]), listed("abcdefgh", 3)
    ('a', 'a, b and c', 'a, b, c and 5 more')
    """
    every = list(words)
    if len(every) > most:
        return f"{', '.join(every[:most])} and {len(every) - most} more"
    return f"{', '.join(every[:-1])} and {every[-1]}" if len(every) > 1 else "".join(every)


def counted(count: float, one: str, many: str | None = None) -> str:
    """How many there are of something.

    >>> counted(1, "flow"), counted(2, "flow"), counted(2.5, "flow")
    ('1 flow', '2 flows', '2.5 flows')
    """
    return f"{count:.4g} {one if count == 1 else many or one + 's'}"

"""The swept parameters of a study: what tables call them, in which unit their values are, and which are words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from tailrace.errors import UsageError
from tailrace.stats.formulas import Quantity, Value, value_of
from tailrace.text import interval_text, quantities, value_labels

# In SI, but bytes for sizes.
_UNITS = {(0, 1, 0): "s", (1, -1, 0): "bit/s", (1, 0, 0): "B", (0, 0, 1): "packets"}
_BITS_A_BYTE = 8
# Digits of a value in tables: two drawn ones that lie close must not look alike.
_DIGITS = 6


def meant(text: str, names: Sequence[str]) -> str:
    """The swept parameter that a text means: its name, its path in the file, or the end of either."""
    if text in names:
        return text
    parts = text.split(".")
    found = [name for name in names if _is_part(parts, name.split(".")) or _is_part(name.split("."), parts)]
    if len(found) == 1:
        return found[0]
    near = found or _nearest(text, names)
    among = f"; did you mean {' or '.join(near)}?" if near else ""
    raise UsageError(f"there is no swept parameter {text!r}{among} (there are {', '.join(names) or 'none'})")


def _is_part(few: Sequence[str], many: Sequence[str]) -> bool:
    """Whether all words are among the others, in their order."""
    rest = iter(many)
    return all(word in rest for word in few)


def _nearest(text: str, names: Sequence[str]) -> list[str]:
    """Names that are spelled alike, or whose last word is."""
    import difflib  # only when something is wrong

    spellings = {spelling: name for name in names for spelling in (name, name.rpartition(".")[2])}
    close = difflib.get_close_matches(text, spellings, n=1, cutoff=0.6)
    return [spellings[spelling] for spelling in close]


@dataclass(frozen=True)
class Parameter:
    """A column that says where a cell stands."""

    name: str
    unit: str = ""

    @property
    def heading(self) -> str:
        """For programs and spreadsheets, whose numbers are in this unit."""
        return f"{self.name} [{self.unit}]" if self.unit else self.name

    def said(self, value: object) -> str:
        """A value for people.

        >>> Parameter("rate", "bit/s").said(2e6), Parameter("load").said(0.5), Parameter("queue").said(None)
        ('2 Mbit/s', '0.5', '–')
        """
        return interval_text.NO_VALUE if value is None else quantities.said(value, self.unit, _DIGITS)

    def plain(self, value: object) -> object:
        """A value for programs: in a column of quantities there is nothing else."""
        return None if self.unit and isinstance(value, str) else value


@dataclass(frozen=True)
class Column:
    """A swept parameter in all cells of a plan (its rows have `axes`, and `error` where a cell cannot be run)."""

    name: str
    plan: Sequence[Mapping[str, Any]]

    @cached_property
    def _texts(self) -> list[str | None]:
        return [row["axes"].get(self.name) for row in self.plan]

    @cached_property
    def _seen(self) -> list[Value | None]:
        # A kernel is called by what looks like a number, and 6.10 is not 6.1.
        is_name = self.name.rpartition(".")[2] == "kernel"
        return [None if text is None else text if is_name else value_of(text) for text in self._texts]

    @cached_property
    def _kind(self) -> tuple[int, int, int] | None:
        """Unit of all values that can be run; None where these are words, or differ in unit."""
        able = [value for value, row in zip(self._seen, self.plan, strict=True) if "error" not in row]
        there = [value for value in able if value is not None]
        kinds = {value.unit if isinstance(value, Quantity) else None for value in there}
        return kinds.pop() if len(kinds) == 1 else None

    @property
    def parameter(self) -> Parameter:
        """Name and unit for tables."""
        return Parameter(self.name, self.unit)

    @property
    def unit(self) -> str:
        """The unit of `numbers`; none of plain numbers and of words."""
        return _UNITS.get(self._kind, "") if self._kind else ""

    @cached_property
    def numbers(self) -> list[float | None] | None:
        """In SI units (bytes for sizes); None where they are words."""
        if self._kind is None:
            return None
        scale = _BITS_A_BYTE if self.unit == "B" else 1
        return [
            value.value / scale if isinstance(value, Quantity) and value.unit == self._kind else None
            for value in self._seen
        ]

    @cached_property
    def words(self) -> list[str | None]:
        """Labels of values that are words."""
        found = value_labels.words(
            self.name, list(dict.fromkeys(text for text in self._texts if text is not None))
        )
        prefix = f"{self.name.rpartition('.')[2]}="
        return [None if text is None else found[text].removeprefix(prefix) for text in self._texts]

    @cached_property
    def values(self) -> Sequence[object]:
        """Numbers, but what is none as its words; or all in words."""
        if self.numbers is None:
            return self.words
        return [
            word if number is None else number for number, word in zip(self.numbers, self.words, strict=True)
        ]

    @property
    def note(self) -> str | None:
        """Note about a value of another kind than the others."""
        strange = [] if self.numbers is None else self._strange(self.numbers)
        if strange:
            what = f"in {self.unit}" if self.unit else "numbers"
            verb = "is" if len(strange) == 1 else "are"
            return f"{self.name}: {', '.join(strange)} {verb} not {what} as the others are, and cannot be run"
        kinds = {_kind_of(value) for value in self._seen if value is not None}
        if self.numbers is not None or len(kinds) == 1:
            return None
        return f"{self.name} is taken for words: its values are of several kinds ({', '.join(sorted(kinds))})"

    def _strange(self, numbers: Sequence[float | None]) -> list[str]:
        return list(
            dict.fromkeys(
                repr(word)
                for word, number in zip(self.words, numbers, strict=True)
                if number is None and word is not None
            )
        )


def _kind_of(value: Value) -> str:
    if not isinstance(value, Quantity):
        return "words"
    return _UNITS.get(value.unit, value.unit_name) if any(value.unit) else "numbers without unit"

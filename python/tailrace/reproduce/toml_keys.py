"""Tables of a TOML file, read key by key: what is missing, strange or unknown is said with its line."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from tailrace.errors import UsageError

T = TypeVar("T")
_MISSING: Any = object()
_WORDS = {
    str: "a text",
    bool: "true or false",
    float: "a number",
    int: "a whole number",
    dict: "a table",
    list: "a list",
}


@dataclass(frozen=True)
class Source:
    """The text of a file and what messages call it."""

    name: str
    text: str

    def line(self, header: str, number: int, *keys: str | None) -> int | None:
        """Line of the first of some keys that is there in the `number`-th table with this header, or of the header."""
        lines = self.text.splitlines()
        own = [at for at, line in enumerate(lines) if header and line.strip().startswith(header)]
        if number >= len(own):
            return None
        first = own[number]
        later = (at for at in range(first + 1, len(lines)) if lines[at].startswith(("[[", "[")))
        # Tables within it, as [[claim.check]], are its own.
        within = f"[[{header.strip('[]')}.", f"[{header.strip('[]')}."
        last = next((at for at in later if not lines[at].startswith(within)), len(lines))
        for key in filter(None, keys):
            spelled = re.compile(rf'\s*"?{re.escape(key)}"?\s*=')
            found = next((at for at in range(first + 1, last) if spelled.match(lines[at])), None)
            if found is not None:
                return found + 1
        return first + 1


@dataclass
class Keys:
    """A table of the file: each key is taken once, and what is left is unknown."""

    source: Source
    table: Mapping[str, Any]
    header: str
    number: int = 0
    # Name in messages, such as `claim C02`.
    title: str = ""
    # The key of the table at `header` that holds this one, if it is not that one itself.
    inside: str | None = None
    _taken: set[str] = field(default_factory=set)

    def fail(self, text: str, key: str | None = None) -> UsageError:
        """An error at this table, or at one of its keys."""
        line = self.source.line(self.header, self.number, key, self.inside)
        place = self.source.name if line is None else f"{self.source.name}:{line}"
        return UsageError(f"{place}: {self.title or self.header}: {text}")

    def take(self, key: str, kind: type[T], default: T = _MISSING) -> T:
        """The value of a key; a whole number is a number, too."""
        self._taken.add(key)
        if key not in self.table:
            if default is _MISSING:
                raise self.fail(f"`{key}` is missing")
            return default
        value = self.table[key]
        if kind is float and isinstance(value, int) and not isinstance(value, bool):
            value = float(value)
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise self.fail(f"`{key}` takes {_WORDS.get(kind, kind.__name__)}, not {value!r}", key)
        return value

    def texts(self, key: str, default: Sequence[str] = ()) -> tuple[str, ...]:
        """A text or a list of texts."""
        self._taken.add(key)
        value = self.table.get(key, list(default))
        several = [value] if isinstance(value, str) else value
        if not isinstance(several, list) or not all(isinstance(one, str) for one in several):
            raise self.fail(f"`{key}` takes a text or a list of texts, not {value!r}", key)
        return tuple(several)

    def one_of(self, key: str, names: Sequence[str], default: str = _MISSING) -> str:
        """A text that is one of these."""
        value = self.take(key, str, default)
        if value is not default and value not in names:
            raise self.fail(f"`{key}` is one of {', '.join(names)}{near(value, names)}, not {value!r}", key)
        return value

    def any(self, key: str, default: Any = None) -> Any:  # noqa: ANN401 - whoever asks looks what it is
        """A value of whatever kind."""
        self._taken.add(key)
        return self.table.get(key, default)

    def finish(self) -> None:
        """Refuses keys that nobody has asked for."""
        for key in self.table:
            if key not in self._taken:
                known = sorted(self._taken)
                raise self.fail(
                    f"there is no key `{key}`{near(key, known)} (there are {', '.join(known)})", key
                )


def near(word: str, names: Sequence[str]) -> str:
    """`; did you mean ...?`, or nothing."""
    close = difflib.get_close_matches(word, list(names), n=1, cutoff=0.5)
    return f"; did you mean {close[0]}?" if close else ""

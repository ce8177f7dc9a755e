"""Scenarios as objects: what the classes of `tailrace.build` have in common.

They hold what was said and no more. What is wrong with it the compiled parser says, of the text that they are written
as; each place in that text is known as one in the objects.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Any, ClassVar, NamedTuple, Self, TypeAlias, TypeVar

from tailrace.text import toml_text

_T = TypeVar("_T", bound="Table")
# The class of a table by its kind; None for a kind of a plug-in.
FormOf: TypeAlias = "Callable[[object], type[Table] | None]"


class Table:
    """A table of a scenario file. What is None is not said in it."""

    __slots__ = ()

    # Kind of the table, where its section has kinds.
    _kind: ClassVar[str] = ""
    # Keys by attributes, where they differ.
    _keys: ClassVar[Mapping[str, str]] = {}
    # Attributes whose values are tables, with the class of a table by its kind.
    _forms: ClassVar[Mapping[str, FormOf]] = {}

    def __new__(cls, *_: object, **said: object) -> Self:
        """Refuses what it has no attribute for: that of a dataclass would not know the nearest."""
        wrong = next((word for word in said if word not in _names(cls)), "")
        if wrong:
            raise TypeError(_unknown(cls, wrong))
        return super().__new__(cls)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Table) or type(self) is not type(other):
            return NotImplemented
        return self.as_dict() == other.as_dict()

    __hash__ = None  # type: ignore[assignment] # it can be changed

    def as_dict(self) -> dict[str, Any]:
        """Values as a file would have them, without the classes."""
        said = {key: _plain(value) for _, key, value in said_by(self)}
        return {"kind": self._kind, **said} if self._kind else said

    def __repr__(self) -> str:
        said = ", ".join(f"{attribute}={value!r}" for attribute, _, value in said_by(self))
        return f"{type(self).__name__}({said})"


class Root(Table):
    """A whole scenario."""

    __slots__ = ()

    def to_toml(self) -> str:
        """The scenario as the text of a file: what was said, and nothing of the defaults."""
        return str(written(self))


class Spot(NamedTuple):
    """Where a part of the text is from; in bytes of UTF-8."""

    start: int
    end: int
    path: str


class Written(str):
    """The text of a scenario file that was written from objects."""

    spots: Sequence[Spot] = ()

    def path(self, span: tuple[int, int]) -> str:
        """The object that a span of bytes is from: the smallest that has it whole."""
        start, end = span
        around = [spot for spot in self.spots if spot.start <= start and end <= spot.end]
        return min(around, key=lambda spot: spot.end - spot.start).path if around else ""


def written(root: Root) -> Written:
    """Text of a scenario that knows which object each part is from."""
    return _Writer().document(root)


def said_by(table: Table) -> Iterator[tuple[str, str, Any]]:
    """Attribute, key and value of what a table says. Of repeated tables an empty list says nothing."""
    for attribute, key in _keys_of(type(table)):
        value = getattr(table, attribute)
        empty = isinstance(value, list | tuple) and not value and attribute in table._forms
        if value is not None and not empty:
            yield attribute, key, value


def _names(table: type[Table]) -> list[str]:
    return [each.name for each in fields(table)]  # type: ignore[arg-type] # each is a dataclass


def _unknown(table: type[Table], wrong: str) -> str:
    import difflib  # only when something is wrong

    # Keys of a file lead to attributes, too.
    meant = {key: attribute for attribute, key in _keys_of(table)} | {name: name for name in _names(table)}
    close = difflib.get_close_matches(wrong, meant, n=1)
    hint = f"; did you mean {meant[close[0]]}?" if close else ""
    return f"{_called(table)}() has no {wrong!r}{hint} (it has {', '.join(_names(table))})"


def _instead_of(value: type) -> str:
    """Message about a class in place of a value, with what to write."""
    if issubclass(value, Table):
        return f"the class {_called(value)}, not an object of it; write {_called(value)}()"
    name = getattr(value, "name", None)
    if isinstance(name, str):
        return f"the class {value.__name__}; write its name, {name!r}, and give the class in algorithms=[...]"
    return f"the class {value.__name__}, which a scenario cannot hold; write a value"


def _called(table: type[Table]) -> str:
    """Name with the module of a kind: `queue.Red`, `Host`."""
    module = table.__module__.rpartition(".")[2]
    return f"{module}.{table.__name__}" if table._kind else table.__name__


def _keys_of(table: type[Table]) -> Iterator[tuple[str, str]]:
    keys = table._keys
    return ((f.name, keys.get(f.name, f.name)) for f in fields(table))  # type: ignore[arg-type] # each is a dataclass


def _plain(value: object) -> object:
    """Without the classes, so that a list equals a tuple."""
    match value:
        case Table():
            return value.as_dict()
        case Mapping():
            return {key: _plain(each) for key, each in value.items()}
        case list() | tuple():
            return [_plain(each) for each in value]
    return value


# -- from a file -------------------------------------------------------------------------------------------------


def of_values(table: type[_T], said: Mapping[str, object]) -> _T:
    """The object with the values of a table in a file, tables within it as objects, too."""
    attributes = {key: attribute for attribute, key in _keys_of(table)}
    values = {attributes[key]: value for key, value in said.items() if not (key == "kind" and table._kind)}
    return table(**{name: _formed(value, table._forms.get(name)) for name, value in values.items()})


def _formed(value: object, form: FormOf | None) -> object:
    """Tables as objects of their classes. Tables of a plug-in's kind stay as they are."""
    match value:
        case list() if form:
            return [_formed(each, form) for each in value]
        case Mapping() if form:
            table = form(value.get("kind"))
            return value if table is None else of_values(table, value)
    return value


# -- to a file ---------------------------------------------------------------------------------------------------


class _Writer:
    """TOML of objects, which notes where each begins and ends."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._at = 0
        self._spots: list[Spot] = []

    def document(self, root: Root) -> Written:
        # Tables come last in a file: what follows their heads is theirs.
        said = list(said_by(root))
        for attribute, key, value in said:
            if not _is_table(value):
                self._pair(attribute, key, value)
                self._write("\n")
        for attribute, key, value in said:
            if _is_table(value):
                self._tables(attribute, key, value)
        text = Written("".join(self._parts))
        text.spots = self._spots
        return text

    def _tables(self, attribute: str, key: str, value: object) -> None:
        if isinstance(value, list | tuple):
            for place, each in enumerate(value):
                self._table(f"{attribute}[{place}]", f"[[{key}]]", each)
        else:
            self._table(attribute, f"[{key}]", value)

    def _table(self, path: str, head: str, table: object) -> None:
        start = self._write(f"\n{head}\n") + 1
        for inner, key, value in _pairs(path, table):
            self._pair(inner, key, value)
            self._write("\n")
        self._note(start, path)

    def _pair(self, path: str, key: str, value: object) -> None:
        start = self._write(f"{toml_text.key(key)} = ")
        self._value(path, value)
        self._note(start, path)

    def _value(self, path: str, value: object) -> None:
        start = self._at
        match value:
            case type():
                raise TypeError(f"{path} is {_instead_of(value)}")
            case Table() | Mapping():
                self._inline("{ ", list(_pairs(path, value)), " }")
            case list() | tuple():
                self._inline("[", [(f"{path}[{place}]", "", each) for place, each in enumerate(value)], "]")
            case _:
                self._write(_scalar(path, value))
        self._note(start, path)

    def _inline(self, begin: str, items: list[tuple[str, str, Any]], end: str) -> None:
        """Pairs of a table, or values of a list, which have no keys."""
        if not items:
            self._write(f"{begin.strip()}{end.strip()}")
            return
        self._write(begin)
        for place, (inner, key, value) in enumerate(items):
            self._write(", " if place else "")
            if begin == "[":
                self._value(inner, value)
            else:
                self._pair(inner, key, value)
        self._write(end)

    def _write(self, text: str) -> int:
        """Where it begins."""
        start = self._at
        self._parts.append(text)
        self._at += len(text.encode())
        return start

    def _note(self, start: int, path: str) -> None:
        self._spots.append(Spot(start, self._at, path))


def _is_table(value: object) -> bool:
    if isinstance(value, list | tuple):
        return bool(value) and all(isinstance(each, Table | Mapping) for each in value)
    return isinstance(value, Table | Mapping)


def _pairs(path: str, table: object) -> Iterator[tuple[str, str, Any]]:
    """Path, key and value of what a table says."""
    if isinstance(table, Table):
        if table._kind:
            yield path, "kind", table._kind
        yield from ((f"{path}.{attribute}", key, value) for attribute, key, value in said_by(table))
    elif isinstance(table, Mapping):
        yield from ((f"{path}[{key!r}]", str(key), value) for key, value in table.items())
    else:
        raise TypeError(f"{path} is a {type(table).__name__}, where a table is expected")


def _scalar(path: str, value: object) -> str:
    try:
        return toml_text.value(value)
    except TypeError as error:
        raise TypeError(f"{path}: {error}") from None

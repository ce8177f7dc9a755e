"""Drafts of scenarios: tables whose every value says where it was taken from, written as TOML that runs.

Readers add hosts, routers, links, flows and other tables. A value is plain (it needs no explanation), `taken` (from a
place of a file) or `assumed` (the file does not say it). What a file says and a scenario cannot is told by `omit`.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tailrace.errors import ScenarioError, UsageError
from tailrace.imports.input_file import Line
from tailrace.scenario.scenario import Scenario
from tailrace.text import toml_text

# Longest line of a written scenario that has its comment behind the value; others have it above.
_WIDTH = 110
# Signs that no name in a scenario has, with a space at one of their sides, and without.
_APART = re.compile(r"[^\w:/&+'-]*\s[^\w:/&+'-]*")
_WITHIN = re.compile(r"[^\w:/&+' -]+")
_TABLES = ("host", "router", "medium", "link", "flow", "fault", "window", "capture")


@dataclass(frozen=True)
class Value:
    """A value with the comment that stands beside it."""

    value: object
    comment: str
    place: str = ""
    """Place that it was taken from; empty where it is assumed."""


def taken(value: object, place: Line | str, words: str = "") -> Value:
    """A value from a place of a file; `words` are those that say it, by default the whole line."""
    if isinstance(place, Line):
        words = words or place.text.strip()
        place = place.place
    return Value(value, f"{place}: {words}" if words else place, place)


def assumed(value: object, why: str) -> Value:
    """A value that the file does not say. `why` tells what to change it to."""
    return Value(value, f"assumed: {why}")


@dataclass(frozen=True)
class FileReference:
    """Path of a file in a value, which is written as seen from the scenario: `trace(../lte.trace)`."""

    path: str
    form: str = "{}"
    """Text around the path."""

    def seen_from(self, folder: Path) -> str:
        """Text of the value in a scenario of that folder."""
        path = Path(self.path)
        if not path.is_absolute():
            path = Path(os.path.relpath(path, folder))
        return self.form.format(path.as_posix())


@dataclass(frozen=True)
class Omission:
    """Statement of the file that the scenario does not have."""

    place: str
    why: str


@dataclass
class ScenarioDraft:
    """A scenario in the making.

    >>> draft = ScenarioDraft("two", "Does it run?")
    >>> draft.set("duration", assumed("10 s", "long enough"))
    >>> draft.host("a"), draft.host("b")
    ('a', 'b')
    >>> draft.link("line", ("a", "b"), rate=taken("5 Mbit/s", "f:1", "rate 5mbit"), delay="5 ms")
    'line'
    >>> print(draft.toml())  # doctest: +ELLIPSIS
    name = "two"
    question = "Does it run?"
    duration = "10 s"  # assumed: long enough
    ...
    [[link]]
    name = "line"
    between = ["a", "b"]
    rate = "5 Mbit/s"  # f:1: rate 5mbit
    delay = "5 ms"
    <BLANKLINE>
    """

    name: str
    question: str = ""
    remarks: list[str] = field(default_factory=list)
    """Sentences at the top of the file, as comments: what was read, what the network stands for."""
    omissions: list[Omission] = field(default_factory=list)
    """Statements that could not be taken over."""
    files: dict[str, bytes] = field(default_factory=dict)
    """Files that the scenario names, to be written beside it."""
    sweep: dict[str, object] = field(default_factory=dict)
    """Content of `[sweep]`: path to list of values."""
    top: dict[str, object] = field(default_factory=dict)
    """Keys at the top, and tables there is one of, such as `record`."""
    tables: dict[str, list[dict[str, object]]] = field(default_factory=dict)
    """Tables there are several of, by name."""

    def __post_init__(self) -> None:
        self.name = allowed_name(self.name)

    def set(self, key: str, value: object) -> None:
        """Sets a key at the top: `duration`, `warmup`, `runs`, `record`."""
        self.top[key] = value

    def add(self, table: str, **values: object) -> str:
        """Adds a table to those of that name, and returns its name. `from_` is written `from`; None is left out."""
        entry = {key.removesuffix("_"): value for key, value in values.items() if value is not None}
        if "name" in entry:
            entry["name"] = self._unused(table, allowed_name(str(entry["name"])))
        self.tables.setdefault(table, []).append(entry)
        return str(entry.get("name", ""))

    def host(self, name: str, **values: object) -> str:
        """Adds a host; the name comes back as it is written, unique and in allowed letters."""
        return self.add("host", name=name, **values)

    def router(self, name: str, **values: object) -> str:
        """Adds a router."""
        return self.add("router", name=name, **values)

    def link(self, name: str, between: tuple[str, str], **values: object) -> str:
        """Adds a link. `rate` and `delay` are required; `reverse` is a dictionary of what differs the other way."""
        return self.add("link", name=name, between=list(between), **values)

    def flow(self, name: str, source: str, to: str, transport: object, app: object, **values: object) -> str:
        """Adds traffic from one host to another."""
        return self.add("flow", name=name, from_=source, to=to, transport=transport, app=app, **values)

    def remark(self, text: str) -> None:
        """Adds a sentence to the head of the file."""
        self.remarks.append(text)

    def omit(self, place: Line | str, why: str) -> None:
        """Notes what a place of the file says and the scenario cannot; `why` says it, and what does instead."""
        where = place.place if isinstance(place, Line) else place
        if Omission(where, why) not in self.omissions:
            self.omissions.append(Omission(where, why))

    def replace(self, path: str, text: str) -> None:
        """Sets a value by its path in the file, as `--set` of other commands does: `link.line.rate`, `10 Mbit/s`."""
        value = Value(_of_text(text), "given with --set")
        table, _, rest = path.partition(".")
        if table not in self.tables:
            _set_inside(self.top, path.split("."), value)
            return
        entries = {str(entry["name"]): entry for entry in self.tables[table] if "name" in entry}
        name = next((name for name in entries if rest.startswith(f"{name}.")), None)
        if name is None:
            raise UsageError(
                f"--set {path}: the {table}s are called {', '.join(entries)}, as in {table}.NAME.KEY"
            )
        _set_inside(entries[name], rest.removeprefix(f"{name}.").split("."), value)

    def values(self) -> Iterator[tuple[str, Value]]:
        """Every value with a comment, by its path."""
        yield from _values("", self.top)
        for table, entries in self.tables.items():
            for entry in entries:
                yield from _values(f"{table}.{entry['name']}" if "name" in entry else table, entry)

    def toml(self, folder: Path = Path()) -> str:
        """Text of the scenario as a file in `folder`."""
        head = [*self.remarks]
        if self.omissions:
            head += ["", "Not taken over:", *(f"- {each.place}: {each.why}" for each in self.omissions)]
        lines = [f"# {_one_line(line)}".rstrip() for text in head for line in text.split("\n")]
        lines += [""] if lines else []
        lines += [f"name = {toml_text.value(self.name)}"]
        lines += [f"question = {toml_text.value(self.question)}"] if self.question else []
        lines += _written("", self.top, folder)
        for table in sorted(self.tables, key=_order):
            for entry in self.tables[table]:
                lines += ["", f"[[{table}]]", *_written("", entry, folder)]
        if self.sweep:
            lines += [
                "",
                "[sweep]",
                *(f"{toml_text.value(path)} = {_text(v, folder)}" for path, v in self.sweep.items()),
            ]
        return "\n".join(lines) + "\n"

    def scenario(self, folder: Path = Path()) -> Scenario:
        """The scenario that the draft is, checked; not for drafts with `files`, which are written first."""
        return self._checked(self.toml(folder), f"{self.name}.toml")

    def write(self, place: Path) -> list[Path]:
        """Writes the scenario and the files that it names; nothing that is there is replaced."""
        folder = place.parent
        text = self.toml(folder)
        targets = {**{folder / name: data for name, data in self.files.items()}, place: text.encode()}
        for file in targets:
            if file.exists():
                raise UsageError(f"{file} is there already; -o names another place")
        written: list[Path] = []
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for file, data in targets.items():
                with file.open("xb") as out:
                    written.append(file)
                    out.write(data)
            self._checked(text, os.fspath(place))
        except OSError as error:
            _removed(written)
            raise UsageError(
                f"{file} cannot be written: {error.strerror or error}; -o names another place"
            ) from None
        except UsageError:
            _removed(written)
            raise
        return written[::-1]

    def _checked(self, text: str, file_name: str) -> Scenario:
        try:
            return Scenario(text, file_name)
        except ScenarioError as error:
            raise UsageError(
                f"what was read makes no scenario that can run; correct the line that its comment names:\n{error}"
            ) from None

    def _unused(self, table: str, name: str) -> str:
        """The name, with a number where it is used already; hosts and routers share their names."""
        shared = ("host", "router") if table in {"host", "router"} else (table,)
        used = {entry.get("name") for each in shared for entry in self.tables.get(each, ())}
        number, found = 2, name
        while found in used:
            number, found = number + 1, f"{name}-{number}"
        return found


def allowed_name(text: str) -> str:
    """A name in the signs that names in a scenario have.

    >>> [allowed_name(text) for text in ("New York", "St. Polten", "Washington, DC", "v1.2", "Link [a]")]
    ['New York', 'St Polten', 'Washington DC', 'v1-2', 'Link a']
    """
    return _WITHIN.sub("-", _APART.sub(" ", text)).strip("- ") or "unnamed"


def _of_text(text: str) -> object:
    """Value of a `--set`: TOML, or else text."""
    try:
        return tomllib.loads(f"value = {text}")["value"] if "\n" not in text else text
    except tomllib.TOMLDecodeError:
        return text


def _set_inside(entry: dict[str, object], keys: list[str], value: Value) -> None:
    """Sets a value in tables inside a table; what stands in place of a table goes."""
    for key in keys[:-1]:
        inner = entry.get(key)
        entry[key] = dict(inner) if isinstance(inner, Mapping) else {}
        entry = entry[key]  # type: ignore[assignment]
    entry[keys[-1]] = value


def _removed(files: list[Path]) -> None:
    """Takes away files that this command has just made."""
    for file in files:
        file.unlink(missing_ok=True)


def _order(table: str) -> int:
    return _TABLES.index(table) if table in _TABLES else len(_TABLES)


def _values(path: str, values: Mapping[str, object]) -> Iterator[tuple[str, Value]]:
    for key, value in values.items():
        full = f"{path}.{key}" if path else key
        if isinstance(value, Value):
            yield full, value
        elif isinstance(value, Mapping):
            yield from _values(full, value)


def _written(prefix: str, values: Mapping[str, object], folder: Path) -> list[str]:
    """Lines of a table: tables in it that have comments inside are written with dotted keys, others in braces."""
    lines: list[str] = []
    for key, value in values.items():
        name = prefix + toml_text.key(key)
        if isinstance(value, Mapping) and next(_values("", value), None):
            lines += _written(f"{name}.", value, folder)
            continue
        if not isinstance(value, Value):
            lines.append(f"{name} = {_text(value, folder)}")
            continue
        statement, comment = f"{name} = {_text(value.value, folder)}", _one_line(value.comment)
        if not comment:
            lines.append(statement)
        elif len(statement) + len(comment) + 4 <= _WIDTH:
            lines.append(f"{statement}  # {comment}")
        else:
            lines += [f"# {comment}", statement]
    return lines


def _text(value: object, folder: Path) -> str:
    return toml_text.value(_resolved(value, folder))


def _resolved(value: object, folder: Path) -> object:
    match value:
        case Value():
            return _resolved(value.value, folder)
        case FileReference():
            return value.seen_from(folder)
        case Mapping():
            return {key: _resolved(each, folder) for key, each in value.items()}
        case list() | tuple():
            return [_resolved(each, folder) for each in value]
    return value


def _one_line(text: str) -> str:
    """Text for a comment: control characters, which TOML refuses there, as spaces."""
    return "".join(c if c.isprintable() else " " for c in text).strip()

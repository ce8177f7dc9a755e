"""Completion behind `--set` and similar options: paths of the named scenario, and values that they take.

Keys, kinds and words come from the schema, names and the kinds that are chosen from the file, with what the options
before say. A file that cannot be read, or none, leaves the keys. Nothing here says what is wrong: whoever types is not
done yet.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import typer

Schema: TypeAlias = Mapping[str, Any]
# Text that can be typed, and a sentence about it.
Offer: TypeAlias = tuple[str, str]

_SELECTOR = "#/$defs/selector"
# Tables with names, and the keys whose values are names of one sort.
_SORTS = ("host", "router", "link", "medium")
_SORT_OF_KEY = {"from": "host", "to": "host", **{sort: sort for sort in _SORTS}}


def one_value(ctx: typer.Context, incomplete: str) -> list[Offer]:
    """Completes `PATH=VALUE`."""
    return list(_question(ctx).offers(incomplete))


def several_values(ctx: typer.Context, incomplete: str) -> list[Offer]:
    """Completes the last value of `PATH=VALUE,VALUE,...`."""
    path, equals, values = incomplete.partition("=")
    before, comma, begun = values.rpartition(",")
    said = {word.strip() for word in before.split(",")}
    offers = _question(ctx).offers(f"{path}{equals}{begun}")
    if not comma:
        return list(offers)
    parted = ((offer.partition("=")[2], about) for offer, about in offers)
    return [(f"{path}={before},{value}", about) for value, about in parted if value not in said]


def path_alone(ctx: typer.Context, incomplete: str) -> list[Offer]:
    """Completes the path of `PATH=`."""
    return [] if "=" in incomplete else list(_question(ctx).offers(incomplete))


def kinds_listed(_ctx: typer.Context, incomplete: str) -> list[Offer]:
    """Completes the kinds of `tailrace list`."""
    lists = {kind: f"{len(entries)} of them" for kind, entries in _catalog().items()}
    lists["transport"] = "options of TCP, Multipath TCP and QUIC"
    return [(kind, about) for kind, about in lists.items() if kind.startswith(incomplete)]


def entries_listed(ctx: typer.Context, incomplete: str) -> list[Offer]:
    """Completes the entries of `tailrace list KIND`."""
    entries = _catalog().get(ctx.params.get("kind") or "", [])
    return [(e["name"], _sentence(e["doc"])) for e in entries if e["name"].startswith(incomplete)]


def _catalog() -> dict[str, list[dict[str, Any]]]:
    from tailrace import _native

    catalog: dict[str, list[dict[str, Any]]] = json.loads(_native.catalog([]))
    return catalog


@dataclass(frozen=True)
class _Place:
    """State at the end of a path."""

    schema: Schema
    """What may stand there."""
    said: Any = None
    """What the file says there."""


@dataclass(frozen=True)
class Question:
    """A scenario, as far as it is known, and the schema of all scenarios."""

    schema: Schema
    source: Any = None
    """The file, as the compiled parser has read it."""
    given: Sequence[tuple[str, str]] = ()
    """What options before this one set."""
    document: Mapping[str, Any] = field(default_factory=dict)
    """What the file says."""

    def offers(self, incomplete: str) -> Iterator[Offer]:
        """Whole texts that can stand in place of the typed one."""
        path, equals, begun = incomplete.partition("=")
        *before, last = split(path)
        place = self._place(before)
        if place is None:
            return
        around = path[: len(path) - len(_tail(path))]
        if not equals:
            yield from (
                (f"{around}{w}", about)
                for w, about in self._steps(place, before)
                if w.startswith(_tail(path))
            )
            return
        values = dict(self._values(place, before, last))
        yield from ((f"{path}={value}", about) for value, about in values.items() if value.startswith(begun))

    def _place(self, words: Sequence[str]) -> _Place | None:
        place = _Place(self.schema, self.document)
        for depth, word in enumerate(words):
            found = self._step(place, words[:depth], word)
            if found is None:
                return None
            place = found
        return place

    def _step(self, place: _Place, before: Sequence[str], word: str) -> _Place | None:
        items = self._items(place)
        if items is not None:
            said = next((each for name, each in _named(place.said) if name == word), None)
            return _Place(items, said)
        said = place.said.get(word) if isinstance(place.said, Mapping) else None
        for table in self._tables(place, before):
            if word in table["properties"]:
                return _Place(table["properties"][word], said)
        return None

    def _steps(self, place: _Place, before: Sequence[str]) -> Iterator[Offer]:
        """Names and keys that go on from a place, with what comes behind them."""
        if self._items(place) is not None:
            for name, each in _named(place.said):
                yield f"{_quoted(name)}.", _about(each)
            return
        for table in self._tables(place, before):
            for key, schema in table["properties"].items():
                about = _sentence(schema.get("description", ""))
                forms = list(self._forms(schema))
                leads_on = [
                    form for form in forms if "properties" in form or self._items(_Place(form)) is not None
                ]
                if len(leads_on) < len(forms):
                    yield f"{key}=", about
                if leads_on:
                    yield f"{key}.", about

    def _values(self, place: _Place, before: Sequence[str], key: str) -> Iterator[Offer]:
        """Values that a key takes, as far as they are words."""
        tables = list(self._forms(place.schema)) if key == "kind" else self._tables(place, before)
        for table in tables:
            schema = table.get("properties", {}).get(key)
            if schema is None:
                continue
            kinds = {kind: _sentence(form.get("description", "")) for kind, form in self._kinds(schema)}
            if key == "kind":
                yield from ((kind, _sentence(table.get("description", ""))) for kind in _words(schema))
                continue
            for form in self._forms(schema):
                yield from ((word, kinds.get(word, "")) for word in _words(form))
                if form.get("$ref") == _SELECTOR or key == "medium":
                    yield from self._names(_SORT_OF_KEY.get(key))

    def _names(self, sort: str | None) -> Iterator[Offer]:
        for table in [sort] if sort else _SORTS[:3]:
            for name, each in _named(self.document.get(table)):
                yield (f"{name}[*]" if "count" in each else name), table

    def _tables(self, place: _Place, before: Sequence[str]) -> list[Schema]:
        """The keys that there can be at a place: of the kind that is chosen, if there are several."""
        tables = [form for form in self._forms(place.schema) if "properties" in form]
        kinds = dict(self._kinds(place.schema))
        if not kinds:
            return tables
        chosen = self._kind(before) or _default(place.schema, kinds)
        fitting = [table for kind, table in self._kinds(place.schema) if kind == chosen]
        # Without a kind there is nothing to say but that.
        return fitting or [{"properties": {"kind": {"enum": list(kinds), "description": "Which."}}}]

    def _kind(self, words: Sequence[str]) -> str | None:
        """The kind at a path, also of the short form (`queue = "codel"`)."""
        if self.source is None:
            return None
        with suppress(ValueError):
            found: object = json.loads(
                self.source.value(list(self.given), ".".join([*map(_quoted, words), "kind"]))
            )
            return found if isinstance(found, str) else None
        return None

    def _kinds(self, schema: Schema) -> Iterator[tuple[str, Schema]]:
        for form in self._forms(schema):
            for kind in _words(form.get("properties", {}).get("kind", {})):
                yield kind, form

    def _items(self, place: _Place) -> Schema | None:
        """The elements of a list of tables, which paths call by name; None of all else."""
        for form in self._forms(place.schema):
            items = form.get("items")
            if items and any("properties" in each for each in self._forms(items)):
                found: Schema = items
                return found
        return None

    def _forms(self, schema: Schema) -> Iterator[Schema]:
        """Forms that a value can have, each by itself, with the key's own description."""
        if "anyOf" in schema:
            for form in schema["anyOf"]:
                yield from self._forms(form)
        elif schema.get("$ref", _SELECTOR) != _SELECTOR:
            yield from self._forms(self.schema["$defs"][schema["$ref"].rpartition("/")[2]])
        else:
            yield schema


def _question(ctx: typer.Context) -> Question:
    """State of the command so far. Plug-in classes are left out: the Tab key runs no file of theirs."""
    from tailrace import _native

    schema = json.loads(_native.schema([]))
    # An option that still waits for its value keeps Click from giving arguments their names.
    named = [ctx.params[key] for key in ("file", "files", "paths") if ctx.params.get(key)]
    words = named[0] if named else ctx.args
    file = words if isinstance(words, str) else next(iter(words), None)
    given = [
        (path, value)
        for path, equals, value in (s.partition("=") for s in ctx.params.get("sets") or ())
        if equals
    ]
    if not file:
        return Question(schema)
    with suppress(OSError, ValueError):
        import tomllib

        source = _native.Source(Path(file).read_text(encoding="utf-8"), file)
        return Question(schema, source, given, tomllib.loads(source.plain()))
    return Question(schema)


def split(path: str) -> list[str]:
    """A path's words, as the compiled parser splits it: dots within quotes and brackets do not count."""
    words, word, quoted, depth = [], "", False, 0
    for c in path:
        if c == '"':
            quoted = not quoted
        elif c == "." and not quoted and depth <= 0:
            words.append(word)
            word = ""
        else:
            depth += 0 if quoted else (c == "[") - (c == "]")
            word += c
    return [*words, word]


def _tail(path: str) -> str:
    """The last word of a path as it was typed."""
    depth = 0
    quoted = False
    start = 0
    for at, c in enumerate(path):
        quoted ^= c == '"'
        depth += 0 if quoted else (c == "[") - (c == "]")
        if c == "." and not quoted and depth <= 0:
            start = at + 1
    return path[start:]


def _named(said: Any) -> Iterator[tuple[str, Mapping[str, Any]]]:  # noqa: ANN401 - whatever a file says
    """The elements of a list of tables, by the names that paths give them."""
    for position, each in enumerate(said if isinstance(said, list) else ()):
        if not isinstance(each, Mapping):
            continue
        ends = each.get("between")
        if isinstance(each.get("name"), str):
            yield each["name"], each
        elif isinstance(ends, list) and len(ends) == 2 and all(isinstance(end, str) for end in ends):  # noqa: PLR2004
            yield "-".join(ends), each
        else:
            yield str(position), each


def _about(element: Mapping[str, Any]) -> str:
    """An element in a few words: what tells it from its neighbours."""
    said = [element[key] for key in ("kind", "between", "from", "to", "at") if key in element]
    return " ".join(" to ".join(map(str, each)) if isinstance(each, list) else str(each) for each in said)


def _words(form: Schema) -> list[str]:
    """The words that a value can be."""
    if form.get("type") == "boolean":
        return ["true", "false"]
    found = [*form.get("enum", ()), *([form["const"]] if "const" in form else [])]
    return [word for word in found if isinstance(word, str)]


def _default(schema: Schema, kinds: Mapping[str, Schema]) -> str | None:
    """The kind that holds where the file names none; descriptions say it: "Default: cubic."."""
    words = schema.get("description", "").partition("Default: ")[2].replace(".", " ").split()
    return words[0] if words and words[0] in kinds else None


def _quoted(name: str) -> str:
    return f'"{name}"' if "." in name or '"' in name else name


def _sentence(text: str) -> str:
    """The first sentence of a description."""
    return " ".join(text.split()).partition(". ")[0].rstrip(".")

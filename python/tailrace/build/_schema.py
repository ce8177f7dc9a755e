"""Classes that the JSON Schema of scenario files asks for: their names, modules, attributes and types.

Meaning, presence and type of a key are the schema's; defaults and order of a kind's parameters are those of
`tailrace list`. A module is named after a definition of the schema that has kinds; `tables` has the tables without
kinds, `types` the names of what keys take.
"""

from __future__ import annotations

import json
import keyword
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, TypeAlias

from tailrace import _native
from tailrace.text import toml_text

Part: TypeAlias = Mapping[str, Any]

# Modules with another name than the schema's definition; the module of coupled controls has these alone.
_MODULES = {"congestion_control": "cc", "link_rate": "rate", "multipath_control": "coupled"}
# Lists of `tailrace list` with the defaults of a definition's kinds.
LISTS = {
    "app": "apps",
    "attack": "attacks",
    "congestion_control": "cc",
    "fault": "faults",
    "link_rate": "rates",
    "loss": "losses",
    "medium": "media",
    "multipath_control": "coupled",
    "path_manager": "path_managers",
    "queue": "queues",
    "scheduler": "schedulers",
}
# Definitions that plug-in classes extend; the schema does not know their kinds.
_OPEN = ("queue", "congestion_control", "multipath_control")
# Keys in the order of a readable file; others follow by name.
_FIRST = (
    *("name", "question", "duration", "warmup", "runs", "seed", "sweep", "record"),
    *("host", "router", "medium", "link", "flow", "attack", "fault", "window", "capture", "figure"),
)
TABLES, TYPES = "tables", "types"
# Class of the whole file.
ROOT = "Scenario"


@dataclass(frozen=True)
class Form:
    """Classes of the tables under a key: one without a kind, or those of modules, one a kind."""

    table: str = ""
    modules: tuple[str, ...] = ()


@dataclass(frozen=True)
class Attribute:
    """A key of a table, as an attribute of its class."""

    key: str
    schema: Part
    # Type as text, with types of other modules as `types.NAME`.
    type: str
    required: bool
    # True for keys that a file repeats as `[[key]]`.
    repeated: bool
    meaning: str
    form: Form | None

    @property
    def name(self) -> str:
        """Plural for repeated tables; a `_` follows words of Python."""
        if self.repeated:
            return f"{self.key}s"
        return f"{self.key}_" if keyword.iskeyword(self.key) else self.key


@dataclass(frozen=True)
class TableClass:
    """A class to be made."""

    name: str
    kind: str
    meaning: str
    # Required ones first.
    attributes: tuple[Attribute, ...]


class Schema:
    """The schema with the defaults of `tailrace list`."""

    def __init__(self, document: Part, catalog: Mapping[str, list[dict[str, Any]]]) -> None:
        self.document = document
        self._catalog = catalog

    @cached_property
    def kinded(self) -> list[str]:
        """Definitions with kinds; those that share tables with another come after it."""
        definitions = self.document["$defs"]
        found = [
            name
            for name, each in definitions.items()
            if any("title" in form for form in each.get("anyOf", []))
        ]
        return sorted(found, key=lambda name: (len(self.titles(name)), name) if name in LISTS else (0, name))

    @cached_property
    def modules(self) -> list[str]:
        """Modules with a class for each kind."""
        return sorted(module_of(name) for name in self.kinded)

    @cached_property
    def tables(self) -> list[str]:
        """Classes of tables without kinds, the whole file last."""
        return [*(class_name(name) for name in self.sections), ROOT]

    def table(self, name: str) -> TableClass:
        """A class of `tables`."""
        if name == ROOT:
            attributes = sorted(
                self.attributes(self.document, {}), key=lambda each: (not each.required, _rank(each.key))
            )
            meaning = "A scenario, which `tailrace.run`, `sweep` and `search` take."
            return TableClass(ROOT, "", meaning, tuple(attributes))
        section = next(each for key, each in self.sections.items() if class_name(key) == name)
        return TableClass(name, "", section["description"], self.attributes(section, {}))

    def module_meaning(self, module: str) -> str:
        """First sentence about what a module has."""
        doc: str = self.document["$defs"][self._definition(module)]["description"]
        return f"{doc.removesuffix('.').partition(':')[0]}: a class for each kind."

    def own_tables(self, definition: str) -> list[Part]:
        """Tables of the kinds that a definition shares with none before it."""
        tables = [each for each in self.document["$defs"][definition]["anyOf"] if "title" in each]
        return [each for each in tables if self._owner(definition, each["title"]) == module_of(definition)]

    def kinds(self, module: str) -> dict[str, str]:
        """Kind -> name of its class, for the kinds of a module."""
        name = self._definition(module)
        return {title: class_name(title) for title in self.titles(name) if self._owner(name, title) == module}

    def kind(self, module: str, kind: str) -> TableClass:
        """The class of a kind."""
        name = self._definition(module)
        table = next(each for each in self.document["$defs"][name]["anyOf"] if each.get("title") == kind)
        defaults = self._defaults(name).get(kind, {})
        return TableClass(class_name(kind), kind, table["description"], self.attributes(table, defaults))

    @cached_property
    def plain_types(self) -> dict[str, tuple[str, str]]:
        """Name -> type and meaning, for what is no table; texts first, since others are made of these."""
        found = {
            class_name(name): (self._annotation(each, ""), each["description"])
            for name, each in self.document["$defs"].items()
            if self._form({"$ref": f"#/$defs/{name}"}) is None
        }
        return dict(sorted(found.items(), key=lambda item: item[1][0] != "str"))

    def union(self, definition: str) -> tuple[list[str], str]:
        """Everything that stands for a kind (classes, names of kinds, a quantity), and its meaning."""
        schema = self.document["$defs"][definition]
        members = [
            f"{self._owner(definition, form['title'])}.{class_name(form['title'])}"
            if "title" in form
            else self._annotation(form, "")
            for form in schema["anyOf"]
        ]
        if definition in _OPEN:
            members += ["str", "Mapping[str, object]"]
        return list(dict.fromkeys(members)), schema["description"]

    @cached_property
    def shared_tables(self) -> list[str]:
        """Classes of `tables` that `types` names, too."""
        return [class_name(name) for name in self.sections if name in self.document["$defs"]]

    # -- parts of the document -----------------------------------------------------------------------------------

    def _definition(self, module: str) -> str:
        return next(name for name in self.kinded if module_of(name) == module)

    def titles(self, name: str) -> list[str]:
        """Kinds of a definition."""
        return [each["title"] for each in self.document["$defs"][name]["anyOf"] if "title" in each]

    @cached_property
    def _owners(self) -> dict[tuple[str, str], str]:
        """Definition and kind -> the module that has its class: coupled controls share those of TCP."""
        definitions = self.document["$defs"]
        tables = {name: [e for e in definitions[name]["anyOf"] if "title" in e] for name in self.kinded}
        return {
            (name, table["title"]): next(module_of(other) for other in self.kinded if table in tables[other])
            for name in self.kinded
            for table in tables[name]
        }

    def _owner(self, name: str, title: str) -> str:
        return self._owners[name, title]

    @cached_property
    def sections(self) -> dict[str, Part]:
        """Tables without a kind, by their keys."""
        found = {name: each for name, each in self.document["$defs"].items() if each.get("type") == "object"}
        for key, each in self.document["properties"].items():
            table = each.get("items", each)
            if isinstance(table, Mapping) and table.get("additionalProperties") is False:
                found[key] = table
        return dict(sorted(found.items(), key=lambda item: _rank(item[0])))

    def attributes(self, table: Part, defaults: Mapping[str, object]) -> tuple[Attribute, ...]:
        """Required ones first, in the schema's order; then in the order of `tailrace list`."""
        # The class stands for the kind; in a `[[figure]]`, `kind` is a key like others.
        is_key = table["properties"].get("kind", {}).get("type") == "string"
        properties = {key: each for key, each in table["properties"].items() if key != "kind" or is_key}
        required = [key for key in table["required"] if key in properties]
        order = [*required, *(key for key in defaults if key in properties), *properties]
        return tuple(
            self._attribute(key, properties[key], key in required, defaults.get(key))
            for key in dict.fromkeys(order)
        )

    def _attribute(self, key: str, schema: Part, required: bool, default: object) -> Attribute:
        form = self._form(schema)
        repeated = schema.get("type") == "array" and form is not None
        return Attribute(
            key, schema, self._annotation(schema), required, repeated, _meaning(schema, default), form
        )

    @cache  # noqa: B019 - one for the process, or for a test
    def _defaults(self, name: str) -> dict[str, dict[str, object]]:
        """Defaults of the parameters of each kind, in their order."""
        if name == "transport":
            # Defaults follow from the profile, which `tailrace list` describes; only the order is of use.
            order = {p["name"]: None for kind in ("mptcp", "tcp") for p in self._catalog[kind][0]["params"]}
            quic = {p["name"]: p.get("default") for p in self._catalog["quic"][0]["params"]}
            return {"tcp": dict(order), "mptcp": dict(order), "quic": quic}
        entries = self._catalog[LISTS[name]] if name in LISTS else []
        return {entry["name"]: {p["name"]: p.get("default") for p in entry["params"]} for entry in entries}

    def _form(self, schema: Part) -> Form | None:
        """Classes of the tables under a key; None where it takes no table of a known form."""
        if "items" in schema and isinstance(schema["items"], Mapping):
            return self._form(schema["items"])
        name = schema.get("$ref", "").rpartition("/")[2]
        if name in self.kinded:
            owners = (self._owner(name, title) for title in self.titles(name))
            return Form(modules=tuple(dict.fromkeys(owners)))
        meant = (schema, self.document["$defs"].get(name))
        found = next((key for key, table in self.sections.items() if table in meant), None)
        return Form(table=class_name(found)) if found else None

    def _annotation(self, schema: Part, prefix: str = "types.") -> str:  # noqa: PLR0911 - a case each
        match schema:
            case {"$ref": str(ref)}:
                return prefix + class_name(ref.rpartition("/")[2])
            case {"anyOf": list(forms)}:
                return _either(self._annotation(each, prefix) for each in forms)
            case {"enum": list(words)}:
                return f"Literal[{', '.join(repr(word) for word in words)}]"
            case {"const": word}:
                return f"Literal[{word!r}]"
            case {"type": "array"}:
                return self._list(schema, prefix)
            case {"type": "object"}:
                form = self._form(schema)
                return form.table if form else "Mapping[str, object]"
        return {"boolean": "bool", "integer": "int", "number": "float", "string": "str"}[schema["type"]]

    def _list(self, schema: Part, prefix: str) -> str:
        if "prefixItems" in schema:
            members = (self._annotation(each, prefix) for each in schema["prefixItems"])
            return f"tuple[{', '.join(members)}]"
        each = self._annotation(schema["items"], prefix)
        if self._form(schema):
            return f"list[{each}]"
        # `Sequence[str]` would admit a text, which is a sequence of texts.
        return f"Sequence[{each}]" if "enum" in schema["items"] else f"list[{each}] | tuple[{each}, ...]"


@cache
def native() -> Schema:
    """The schema of this installation."""
    return Schema(json.loads(_native.schema()), json.loads(_native.catalog()))


def module_of(definition: str) -> str:
    """The module of a definition's kinds."""
    return _MODULES.get(definition, definition)


def class_name(name: str) -> str:
    """`fq_codel` -> `FqCodel`."""
    return "".join(word.capitalize() for word in name.split("_"))


def _rank(key: str) -> tuple[int, str]:
    return (_FIRST.index(key) if key in _FIRST else len(_FIRST), key)


def _meaning(schema: Part, default: object) -> str:
    """The schema's description, with the default."""
    doc: str = schema.get("description", "")
    if default is None or "Default: " in doc:
        return doc
    shown = default if isinstance(default, str) else toml_text.value(default)
    return f"{doc} Default: {shown}."


def _either(members: Iterable[str]) -> str:
    """A union; words are left out beside `str`, and joined to one `Literal` otherwise."""
    found = list(dict.fromkeys(members))
    words = [each[len("Literal[") : -1] for each in found if each.startswith("Literal[")]
    others = [each for each in found if not each.startswith("Literal[")]
    if words and "str" not in others:
        others.append(f"Literal[{', '.join(words)}]")
    return " | ".join(others)

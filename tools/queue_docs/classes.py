"""`python/tailrace/build`: a class for every table of a scenario file and every kind, from the schema.

What a key means, whether it must be there and what it takes is the schema's; defaults are those of `tailrace list`.
Modules are called after definitions of the schema that have kinds; `types` has the rest. A key or a kind more is there
after `make classes`, which is part of `make docs`.
"""

from __future__ import annotations

import keyword
import re
import subprocess
import sys
import textwrap
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from json import loads
from pathlib import Path
from typing import Any, TypeAlias

from queue_docs.catalog import ROOT
from tailrace import _native, api
from tailrace.text import toml_text

PLACE = ROOT / "python" / "tailrace" / "build"

# Modules that are called otherwise than the schema's definitions; that of coupled controls has them alone.
MODULES = {"congestion_control": "cc", "link_rate": "rate", "multipath_control": "coupled"}
# Where `tailrace list` has the defaults of a definition's kinds.
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
# Definitions whose kinds may be classes of one's own, which no schema knows.
OPEN = ("queue", "congestion_control", "multipath_control")
# What people write first; other keys follow by name.
FIRST = (
    *("name", "question", "duration", "warmup", "runs", "seed", "sweep", "record"),
    *("host", "router", "medium", "link", "flow", "attack", "fault", "window", "capture", "figure"),
)

Schema: TypeAlias = Mapping[str, Any]

_HEAD = "{doc}\n\nfrom __future__ import annotations\n\n"
_WRITTEN = "Written by `make classes`, from the schema."
_WIDTH = 108
# Code within a text, and what stands for a blank in it while lines are made.
_CODE = re.compile(r"`[^`]+`")
_BLANK = "\0"


@dataclass(frozen=True)
class Field:
    """A key of a table, as an attribute."""

    key: str
    schema: Schema
    required: bool
    default: object

    @property
    def name(self) -> str:
        """The attribute: tables that a file repeats are in the plural, and words of Python have a `_` behind them."""
        if self.repeated:
            return f"{self.key}s"
        return f"{self.key}_" if keyword.iskeyword(self.key) else self.key

    @property
    def repeated(self) -> bool:
        """Whether a file has a table `[[key]]` for each."""
        return self.schema.get("type") == "array" and bool(_form(self.schema))

    @property
    def doc(self) -> str:
        """Its meaning and its default."""
        doc: str = self.schema.get("description", "")
        if self.default is None or "Default: " in doc:
            return doc
        shown = self.default if isinstance(self.default, str) else toml_text.value(self.default)
        return f"{doc} Default: {shown}."

    def line(self) -> str:
        """Its line in a class."""
        taken = _annotation(self.schema)
        if self.repeated:
            return f"{self.name}: {taken} = field(default_factory=list)"
        return f"{self.name}: {taken}" if self.required else f"{self.name}: {taken} | None = None"


@cache
def _schema() -> dict[str, Any]:
    found: dict[str, Any] = loads(_native.schema())
    return found


def texts() -> dict[Path, str]:
    """Every file of the package, formatted."""
    files = {
        "__init__": _package(),
        "tables": _tables(),
        "types": _types(),
        **{_module(name): _kinds(name) for name in _kinded()},
    }
    return {PLACE / f"{name}.py": _formatted(text) for name, text in files.items()}


def write() -> list[Path]:
    """Writes them, and takes away what is no longer one of them."""
    PLACE.mkdir(exist_ok=True)
    found = texts()
    for path in PLACE.glob("*.py"):
        if path not in found:
            path.unlink()
    for path, text in found.items():
        path.write_text(text, encoding="utf-8")
    return list(found)


# -- files -------------------------------------------------------------------------------------------------------


def _package() -> str:
    tables = [_class_name(name) for name in ["scenario", *_sections()]]
    modules = [_module(name) for name in _kinded()]
    doc = (
        '"""Scenarios built in code: a class for every table of a scenario file and every kind.\n\n'
        + "docs/guides/scenarios-in-code.md shows how. Written by `make classes`, from the schema.\n\n"
        + ">>> from tailrace.build import Host, Link, queue\n"
        + '>>> Link(["home", "server"], "10 Mbit/s", "5 ms", queue=queue.Codel(target="3 ms"))\n'
        + "Link(between=['home', 'server'], rate='10 Mbit/s', delay='5 ms', queue=Codel(target='3 ms'))\n"
        + '"""\n\n'
    )
    lines = [
        f"from tailrace.build import {', '.join(sorted(modules))}",
        f"from tailrace.build.tables import {', '.join(sorted(tables))}",
        "",
        f"__all__ = {sorted([*tables, *modules])!r}",
    ]
    return doc + "\n".join(lines)


def _tables() -> str:
    schema = _schema()
    classes = [_section_class(name) for name in sorted(_sections(), key=lambda name: bool(_extended(name)))]
    fields = sorted(_fields(schema, {}), key=lambda f: (not f.required, _rank(f.key)))
    doc = "A scenario, which `tailrace.run`, `sweep` and `search` take."
    root = _class("Scenario", {**schema, "description": doc}, fields, base="Root")
    return _module_head("Tables of a scenario.", [*classes, root]) + "\n\n".join([*classes, root])


def _section_class(name: str) -> str:
    section, base = _sections()[name], _extended(name)
    inherited = _sections()[base]["properties"] if base else {}
    fields = [field for field in _fields(section, {}) if field.key not in inherited]
    return _class(_class_name(name), section, fields, base=_class_name(base) if base else "Table")


def _extended(name: str) -> str | None:
    """The table of which a table has all keys, and more: its class is the base."""
    own = _sections()[name]["properties"].items()
    larger = (other for other, each in _sections().items() if each["properties"].items() < own)
    return next((other for other in larger if name.endswith(other)), None)


def _kinds(name: str) -> str:
    defaults = _defaults(name)
    doc = _schema()["$defs"][name]["description"].removesuffix(".").partition(":")[0]
    classes = [
        _class(_class_name(each["title"]), each, _fields(each, defaults.get(each["title"], {})))
        for each in _own_tables(name)
    ]
    return _module_head(f"{doc}: a class for each kind.", classes) + "\n\n".join(classes)


def _types() -> str:
    schema = _schema()
    definitions = dict(schema["$defs"].items())
    plain = [_alias(name, each) for name, each in definitions.items() if not _form({"$ref": _ref(name)})]
    plain.sort(key=lambda alias: ": TypeAlias = str\n" not in alias)  # others are made of these
    unions = [_union(name) for name in _kinded()]
    modules = sorted(_module(name) for name in _kinded())
    tables = [_class_name(name) for name in _sections() if name in definitions]
    imports = [
        "from collections.abc import Mapping",
        "from typing import Literal, TypeAlias",
        "",
        f"from tailrace.build import {', '.join(modules)}",
        f"from tailrace.build.tables import {', '.join(tables)}",
    ]
    exported = f"__all__ = {sorted(_class_name(name) for name in definitions)!r}"
    parts = ["\n".join(imports), exported, *plain, *unions]
    return _headed("What keys take, by the names that signatures have.") + "\n\n".join(parts)


def _headed(doc: str) -> str:
    return _HEAD.format(doc=_docstring(f"{doc} {_WRITTEN}", []))


def _module_head(doc: str, classes: Iterable[str]) -> str:
    text = "\n".join(classes)
    imports = ["from dataclasses import KW_ONLY, dataclass" + (", field" if "= field(" in text else "")]
    words = [word for word in ("ClassVar", "Literal") if f"{word}[" in text]
    imports.append(f"from typing import {', '.join(['TYPE_CHECKING', *words])}")
    bases = [base for base in ("Root", "Table") if f"({base}):" in text]
    places = {"Root": "checked_root", "Table": "objects"}
    imports += ["", *(f"from tailrace.scenario.{places[base]} import {base}" for base in bases)]
    abstract = [word for word in ("Mapping", "Sequence") if f"{word}[" in text]
    lazy = [f"from collections.abc import {', '.join(abstract)}"] if abstract else []
    lazy += ["from tailrace.build import types"] if "types." in text else []
    imports += ["", "if TYPE_CHECKING:", *(f"    {line}" for line in lazy)] if lazy else []
    head = _headed(doc) + "\n".join(imports) + "\n\n\n"
    return head if lazy else head.replace("TYPE_CHECKING, ", "")


def _class(name: str, schema: Schema, fields: list[Field], base: str = "Table") -> str:
    required = [f for f in fields if f.required]
    optional = [f for f in fields if not f.required]
    renamed = {f.name: f.key for f in fields if f.name != f.key}
    forms = {f.name: form for f in fields if (form := _form(f.schema))}
    body = [_docstring(schema["description"], fields), ""]
    if "title" in schema and base == "Table":
        body.append(f'_kind: ClassVar[str] = "{schema["title"]}"')
    body += [f"_keys: ClassVar[Mapping[str, str]] = {renamed!r}"] if renamed else []
    body += [f"_forms: ClassVar[Mapping[str, str]] = {forms!r}"] if forms else []
    body += ["", *(f.line() for f in required)]
    body += ["_: KW_ONLY", *(f.line() for f in optional)] if optional else []
    return f"@dataclass(eq=False, repr=False, slots=True)\nclass {name}({base}):\n" + textwrap.indent(
        "\n".join(body), "    "
    )


def _wrapped(text: str, first: str, others: str) -> list[str]:
    """Lines of a text, in which code stands whole: what reads docstrings takes it line by line."""
    kept = _CODE.sub(lambda code: code[0].replace(" ", _BLANK), text)
    lines = textwrap.wrap(kept, _WIDTH - 8, initial_indent=first, subsequent_indent=others)
    return [line.replace(_BLANK, " ") for line in lines]


def _docstring(doc: str, fields: Iterable[Field]) -> str:
    lines = _wrapped(doc, "", "")
    listed = [line for f in fields for line in _wrapped(f"{f.name}: {f.doc}", "    ", "        ")]
    if listed:
        lines += ["", "Args:", *listed]
    text = "\n".join(lines).replace('"""', "'''") + ("\n" if listed or doc.endswith('"') else "")
    return f'{"r" if chr(92) in text else ""}"""{text}"""'


def _alias(name: str, schema: Schema) -> str:
    doc = _docstring(schema["description"], [])
    return f"{_class_name(name)}: TypeAlias = {_annotation(schema, '')}\n{doc}"


def _union(name: str) -> str:
    """Everything that stands for a kind: classes, names of kinds, a quantity."""
    schema = _schema()["$defs"][name]
    members = []
    for form in schema["anyOf"]:
        if "title" in form:
            members.append(f"{_owner(name, form['title'])}.{_class_name(form['title'])}")
        else:
            members.append(_annotation(form, ""))
    if name in OPEN:
        members += ["str", "Mapping[str, object]"]
    names = [each for each in members if each.startswith("Literal[")]
    lines = [f"_{_class_name(name)}Name: TypeAlias = {each}" for each in names]
    members = [f"_{_class_name(name)}Name" if each in names else each for each in members]
    lines.append(f"{_class_name(name)}: TypeAlias = {' | '.join(dict.fromkeys(members))}")
    return "\n".join(lines) + "\n" + _docstring(schema["description"], [])


# -- the schema --------------------------------------------------------------------------------------------------


def _kinded() -> list[str]:
    """Definitions that have kinds; those whose tables others have, too, come later."""
    definitions = _schema()["$defs"]
    found = [
        name for name, each in definitions.items() if any("title" in form for form in each.get("anyOf", []))
    ]
    return sorted(found, key=lambda name: (len(_titles(name)), name) if name in LISTS else (0, name))


def _titles(name: str) -> list[str]:
    return [each["title"] for each in _schema()["$defs"][name]["anyOf"] if "title" in each]


def _owner(name: str, title: str) -> str:
    """The module that has a kind of a definition: of coupled controls' those of TCP, too, are in TCP's."""
    table = next(each for each in _schema()["$defs"][name]["anyOf"] if each.get("title") == title)
    for other in _kinded():
        if table in _schema()["$defs"][other]["anyOf"]:
            return _module(other)
    raise AssertionError("it is in its own")


def _own_tables(name: str) -> list[Schema]:
    tables = [each for each in _schema()["$defs"][name]["anyOf"] if "title" in each]
    return [each for each in tables if _owner(name, each["title"]) == _module(name)]


def _sections() -> dict[str, Schema]:
    """Tables without a kind, by their keys."""
    schema = _schema()
    found = {name: each for name, each in schema["$defs"].items() if each.get("type") == "object"}
    for key, each in schema["properties"].items():
        table = each.get("items", each)
        if isinstance(table, Mapping) and table.get("additionalProperties") is False:
            found[key] = table
    return dict(sorted(found.items(), key=lambda item: _rank(item[0])))


def _rank(key: str) -> tuple[int, str]:
    return (FIRST.index(key) if key in FIRST else len(FIRST), key)


def _fields(schema: Schema, defaults: Mapping[str, object]) -> list[Field]:
    """Required ones first, as the schema has them; then in the order of `tailrace list`."""
    # What tells kinds apart is the class; of a figure it is a key like others.
    is_key = schema["properties"].get("kind", {}).get("type") == "string"
    properties = {key: each for key, each in schema["properties"].items() if key != "kind" or is_key}
    required = [key for key in schema["required"] if key in properties]
    order = [*required, *(key for key in defaults if key in properties), *properties]
    return [
        Field(key, properties[key], key in required, defaults.get(key))
        for key in dict.fromkeys(order)
        if key in properties
    ]


@cache
def _defaults(name: str) -> dict[str, dict[str, object]]:
    """Defaults of the parameters of each kind, in their order."""
    listed = api.catalog()
    if name == "transport":
        # These follow from the profile, which `tailrace list` says; only their order is of use.
        order = {p["name"]: None for kind in ("mptcp", "tcp") for p in listed[kind][0]["params"]}
        return {"tcp": dict(order), "mptcp": dict(order)}
    entries = listed[LISTS[name]] if name in LISTS else []
    return {entry["name"]: {p["name"]: p.get("default") for p in entry["params"]} for entry in entries}


def _form(schema: Schema) -> str:
    """What tables under a key become: "tables.NAME", or modules of kinds; nothing where there are none."""
    if "items" in schema and isinstance(schema["items"], Mapping):
        return _form(schema["items"])
    definitions = _schema()["$defs"]
    name = schema.get("$ref", "").rpartition("/")[2]
    if name in _kinded():
        return " ".join(dict.fromkeys(_owner(name, title) for title in _titles(name)))
    found = [key for key, table in _sections().items() if table in (schema, definitions.get(name))]
    return f"tables.{_class_name(found[0])}" if found else ""


def _annotation(schema: Schema, prefix: str = "types.") -> str:  # noqa: PLR0911 - a case each
    match schema:
        case {"$ref": str(ref)}:
            return prefix + _class_name(ref.rpartition("/")[2])
        case {"anyOf": list(forms)}:
            return _either(_annotation(each, prefix) for each in forms)
        case {"enum": list(words)}:
            return f"Literal[{', '.join(repr(word) for word in words)}]"
        case {"const": word}:
            return f"Literal[{word!r}]"
        case {"type": "array"}:
            return _list(schema, prefix)
        case {"type": "object"}:
            form = _form(schema)
            return form.partition(".")[2] if form else "Mapping[str, object]"
    return {"boolean": "bool", "integer": "int", "number": "float", "string": "str"}[schema["type"]]


def _list(schema: Schema, prefix: str) -> str:
    if "prefixItems" in schema:
        return f"tuple[{', '.join(_annotation(each, prefix) for each in schema['prefixItems'])}]"
    each = _annotation(schema["items"], prefix)
    if _form(schema):
        return f"list[{each}]"
    # A text is a sequence of texts, but no list of them.
    return f"Sequence[{each}]" if "enum" in schema["items"] else f"list[{each}] | tuple[{each}, ...]"


def _either(members: Iterable[str]) -> str:
    """Words beside any text need not be said; others are said at once."""
    found = list(dict.fromkeys(members))
    words = [each[len("Literal[") : -1] for each in found if each.startswith("Literal[")]
    others = [each for each in found if not each.startswith("Literal[")]
    if words and "str" not in others:
        others.append(f"Literal[{', '.join(words)}]")
    return " | ".join(others)


def _class_name(name: str) -> str:
    return "".join(word.capitalize() for word in name.split("_"))


def _module(definition: str) -> str:
    return MODULES.get(definition, definition)


def _ref(definition: str) -> str:
    return f"#/$defs/{definition}"


def _formatted(text: str) -> str:
    """As the linters want it."""
    done = text
    for words in (["check", "--fix-only", "--select", "I,UP", "-"], ["format", "-"]):
        command = [sys.executable, "-m", "ruff", *words, "--stdin-filename", str(PLACE / "any.py"), "--quiet"]
        done = subprocess.run(
            command, input=done, capture_output=True, text=True, check=True, cwd=ROOT
        ).stdout
    return done

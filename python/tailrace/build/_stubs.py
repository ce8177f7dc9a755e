"""Type stubs of `tailrace.build` for type checkers and editors: `python -m tailrace.build._stubs [FOLDER]`.

`make build` writes them beside the package; the repository does not have them.
"""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path

from tailrace.build import _docstrings
from tailrace.build._schema import ROOT, TABLES, TYPES, Attribute, Schema, TableClass, class_name, native

_HEAD = '''"""{doc} Written from the schema by `make build`."""

from collections.abc import {abstract}
from dataclasses import KW_ONLY, dataclass, field
from typing import Literal, TypeAlias
'''


def texts(schema: Schema, package: str = "tailrace.build") -> dict[str, str]:
    """Every stub by the name of its file."""
    modules = {
        TABLES: _module("Tables of a scenario.", package, [schema.table(name) for name in schema.tables]),
        TYPES: _types(schema, package),
        "__init__": _package(schema, package),
        **{
            module: _module(
                schema.module_meaning(module),
                package,
                [schema.kind(module, kind) for kind in schema.kinds(module)],
            )
            for module in schema.modules
        },
    }
    return {f"{name}.pyi": text for name, text in modules.items()}


def write(folder: Path) -> None:
    """Writes them, and removes those of kinds that are no more."""
    found = texts(native())
    for path in folder.glob("*.pyi"):
        if path.name not in found:
            path.unlink()
    for name, text in found.items():
        (folder / name).write_text(text, encoding="utf-8")


def _package(schema: Schema, package: str) -> str:
    modules = [f"from {package} import {name} as {name}\n" for name in [*schema.modules, TABLES, TYPES]]
    tables = [f"from {package}.{TABLES} import {name} as {name}\n" for name in schema.tables]
    return '"""Scenarios built in code. Written from the schema by `make build`."""\n\n' + "".join(
        modules + tables
    )


def _module(doc: str, package: str, tables: Sequence[TableClass]) -> str:
    imports = (
        f"from {package} import types\n"
        "from tailrace.scenario.checked_root import Root\n"
        "from tailrace.scenario.objects import Table\n"
    )
    return _headed(doc, imports, [_class(table) for table in tables])


def _class(table: TableClass) -> str:
    required = [each for each in table.attributes if each.required]
    optional = [each for each in table.attributes if not each.required]
    lines = [_quoted(_docstrings.of_class(table)), *(f"{each.name}: {each.type}" for each in required)]
    lines += ["_: KW_ONLY", *map(_optional, optional)] if optional else []
    base = "Root" if table.name == ROOT else "Table"
    body = textwrap.indent("\n".join(lines), "    ")
    return f"@dataclass(eq=False, repr=False, slots=True)\nclass {table.name}({base}):\n{body}\n"


def _optional(each: Attribute) -> str:
    if each.repeated:
        return f"{each.name}: {each.type} = field(default_factory=list)"
    return f"{each.name}: {each.type} | None = None"


def _types(schema: Schema, package: str) -> str:
    imports = f"from {package} import {', '.join(schema.modules)}\n"
    shared = "".join(f"from {package}.{TABLES} import {name} as {name}\n" for name in schema.shared_tables)
    plain = [(name, text, doc) for name, (text, doc) in schema.plain_types.items()]
    unions = [
        (class_name(name), " | ".join(members), doc)
        for name in schema.kinded
        for members, doc in [schema.union(name)]
    ]
    aliases = [f"{name}: TypeAlias = {text}\n{_quoted(doc)}\n" for name, text, doc in [*plain, *unions]]
    return _headed("Types of keys.", imports + shared, aliases)


def _headed(doc: str, imports: str, parts: Sequence[str]) -> str:
    # A kind of application is called `Sequence`, too.
    abstract = "Mapping, Sequence" if any("Sequence[" in part for part in parts) else "Mapping"
    return "\n".join([_HEAD.format(doc=doc, abstract=abstract) + imports, *parts])


def _quoted(doc: str) -> str:
    text = doc.replace('"""', "'''") + ("\n" if doc.endswith('"') else "")
    return f'{"r" if chr(92) in text else ""}"""{text}"""'


if __name__ == "__main__":
    write(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)

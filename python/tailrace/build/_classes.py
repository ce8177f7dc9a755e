"""Modules with the classes of the schema; a class is made when it is first used.

Making all 200 takes longer than `import tailrace`, and a script uses a dozen.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from functools import partial
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, Literal

from tailrace.build import _docstrings
from tailrace.build._schema import ROOT, TABLES, TYPES, Form, Schema, TableClass, class_name
from tailrace.scenario.checked_root import Root
from tailrace.scenario.objects import FormOf, Table

_Maker = Callable[[], object]


class LazyModule(ModuleType):
    """A module whose members are made when they are first asked for."""

    def __init__(self, name: str, doc: str, makers: Mapping[str, _Maker]) -> None:
        super().__init__(name, doc)
        self.__spec__ = ModuleSpec(name, None)
        self.__all__ = list(makers)
        self.makers = makers

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - a class, a type or a union
        if name not in self.makers:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        made = self.makers[name]()
        setattr(self, name, made)
        return made

    def __dir__(self) -> Iterable[str]:
        return sorted({*super().__dir__(), *self.makers})


def modules(schema: Schema, package: str) -> dict[str, LazyModule]:
    """The modules of a package by their names within it. They know one another."""
    found: dict[str, LazyModule] = {}
    makers = _Makers(schema, package, found)
    found[TABLES] = LazyModule(f"{package}.{TABLES}", "Tables of a scenario.", makers.tables())
    for module in schema.modules:
        found[module] = LazyModule(f"{package}.{module}", schema.module_meaning(module), makers.kinds(module))
    found[TYPES] = LazyModule(f"{package}.{TYPES}", "Types of keys.", makers.types())
    return found


def install(schema: Schema, package: str) -> dict[str, LazyModule]:
    """The same, so that `import` and `pickle` find them, too."""
    found = modules(schema, package)
    sys.modules.update({module.__name__: module for module in found.values()})
    return found


class _Makers:
    def __init__(self, schema: Schema, package: str, modules: Mapping[str, LazyModule]) -> None:
        self._schema = schema
        self._package = package
        self._modules = modules

    def tables(self) -> dict[str, _Maker]:
        return {name: self._maker(TABLES, partial(self._schema.table, name)) for name in self._schema.tables}

    def kinds(self, module: str) -> dict[str, _Maker]:
        return {
            name: self._maker(module, partial(self._schema.kind, module, kind))
            for kind, name in self._schema.kinds(module).items()
        }

    def types(self) -> dict[str, _Maker]:
        plain = {name: partial(self._evaluated, text) for name, (text, _) in self._schema.plain_types.items()}
        unions = {
            class_name(name): partial(self._evaluated, " | ".join(self._schema.union(name)[0]))
            for name in self._schema.kinded
        }
        shared = {name: partial(self._table, name) for name in self._schema.shared_tables}
        return {**plain, **unions, **shared}

    def _table(self, name: str) -> object:
        return getattr(self._modules[TABLES], name)

    def _maker(self, module: str, described: Callable[[], TableClass]) -> _Maker:
        return lambda: self._made(module, described())

    def _made(self, module: str, table: TableClass) -> type[Table]:
        required = [each for each in table.attributes if each.required]
        optional = [each for each in table.attributes if not each.required]
        annotations: dict[str, object] = {each.name: each.type for each in required}
        if optional:
            annotations["_"] = KW_ONLY
        annotations |= {each.name: each.type if each.repeated else f"{each.type} | None" for each in optional}
        values: dict[str, object] = {
            each.name: field(default_factory=list) if each.repeated else None for each in optional
        }
        forms = {each.name: self._form(each.form) for each in table.attributes if each.form}
        body = {
            "__doc__": _docstrings.of_class(table),
            "__module__": f"{self._package}.{module}",
            "__qualname__": table.name,
            "__annotations__": annotations,
            "_kind": table.kind,
            "_keys": {each.name: each.key for each in table.attributes if each.name != each.key},
            "_forms": forms,
            **values,
        }
        base = Root if module == TABLES and table.name == ROOT else Table
        return dataclass(eq=False, repr=False, slots=True)(type(table.name, (base,), body))

    def _form(self, form: Form) -> FormOf:
        """Finds the class of a table by its kind."""
        if form.table:
            return lambda _: getattr(self._modules[TABLES], form.table)

        def of_kind(kind: object) -> type[Table] | None:
            for module in form.modules:
                if isinstance(kind, str) and kind in self._schema.kinds(module):
                    found: type[Table] = getattr(self._modules[module], class_name(kind))
                    return found
            return None

        return of_kind

    def _evaluated(self, text: str) -> object:
        names = {"Literal": Literal, "Mapping": Mapping, "Sequence": Sequence, **self._modules}
        alike = {name: None for name in self._modules[TYPES].makers if name in text}
        names |= {name: getattr(self._modules[TYPES], name) for name in alike}
        return eval(text, names)  # noqa: S307 - text that `_schema` made

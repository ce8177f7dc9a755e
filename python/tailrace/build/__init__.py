"""Scenarios built in code: a class for every table of a scenario file and for every kind.

docs/guides/scenarios-in-code.md shows how. The classes are made from the schema when they are first used.

>>> from tailrace.build import Host, Link, queue
>>> Link(["home", "server"], "10 Mbit/s", "5 ms", queue=queue.Codel(target="3 ms"))
Link(between=['home', 'server'], rate='10 Mbit/s', delay='5 ms', queue=Codel(target='3 ms'))
"""

from tailrace.build import _classes, _schema

_MODULES = _classes.install(_schema.native(), __name__)
__all__ = sorted([*_schema.native().modules, *_schema.native().tables])  # noqa: PLE0605 - made from the schema
globals().update(_MODULES)


def __getattr__(name: str) -> object:
    if name in __all__:
        return getattr(_MODULES[_schema.TABLES], name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

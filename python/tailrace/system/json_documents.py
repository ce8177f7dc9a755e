"""JSON documents: those of unknown origin are read strictly, and held against the shape they should have."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from types import NoneType
from typing import Any, NoReturn, TypeAlias

# Shape of a document's part: one of some types, a table of given keys, or any number of one shape.
Shape: TypeAlias = "tuple[type, ...] | Mapping[str, Shape] | Callable[[object, str], None]"

TEXT, COUNT, NUMBER = (str,), (int,), (int, float, NoneType)
# No document of ours is nested deeper, and what goes through it needs no guard of its own then.
_DEEPEST = 40
_LONGEST_INTEGER = 20


# A list with more records has each in one line: indented text of numbers takes ten times as long to write.
_FEW_RECORDS = 20


class DamagedError(ValueError):
    """A document that is not what it should be; the text says where."""


def text(document: Mapping[str, Any], records: str) -> str:
    """A document as text, with indents; many `records`, the list under that key, have a line each."""
    listed = document[records]
    if len(listed) <= _FEW_RECORDS:
        return json.dumps(document, indent=2, allow_nan=False)
    lines = ",\n  ".join(json.dumps(record, allow_nan=False) for record in listed)
    rest = {
        key: json.dumps(value, indent=2, allow_nan=False) for key, value in document.items() if key != records
    }
    return nested({key: rest.get(key, f"[\n  {lines}\n]") for key in document})


def nested(parts: Mapping[str, str]) -> str:
    """A table of documents that are text already."""
    lines = (f"  {json.dumps(key)}: " + part.replace("\n", "\n  ") for key, part in parts.items())
    return "{\n" + ",\n".join(lines) + "\n}"


def read(file: Path) -> Any:  # noqa: ANN401 - whatever somebody wrote there
    """Content of a JSON file. A `ValueError` says why it is unusable."""
    try:
        document = json.loads(
            file.read_text(encoding="utf-8"), parse_int=_integer, parse_float=_float, parse_constant=_refuse
        )
    except RecursionError:
        raise DamagedError("it is nested too deeply") from None
    _check_depth(document)
    return document


def check(value: object, shape: Shape, where: str = "") -> None:
    """Raises `DamagedError` at the first place that differs from the shape; keys beyond it may be there."""
    if isinstance(shape, tuple):
        # In Python a truth value is an integer, in JSON it is not.
        if not isinstance(value, shape) or (isinstance(value, bool) and bool not in shape):
            raise DamagedError(f"it has no proper {where!r}")
    elif isinstance(shape, Mapping):
        table = _table(value, where)
        for key, inner in shape.items():
            path = f"{where}.{key}" if where else key
            if key not in table:
                raise DamagedError(f"it has no proper {path!r}")
            check(table[key], inner, path)
    else:
        shape(value, where)


def each(shape: Shape) -> Callable[[object, str], None]:
    """A table of any keys, all of one shape."""

    def entries(value: object, where: str) -> None:
        for key, item in _table(value, where).items():
            check(item, shape, f"{where}.{key}")

    return entries


def rows(shape: Shape) -> Callable[[object, str], None]:
    """A list of one shape."""

    def items(value: object, where: str) -> None:
        if not isinstance(value, list):
            raise DamagedError(f"it has no proper {where!r}: a list was expected")
        for position, item in enumerate(value):
            check(item, shape, f"{where}[{position}]")

    return items


def is_plain_name(name: str) -> bool:
    """Whether a name stays in its folder."""
    return bool(name) and name not in {".", ".."} and not any(c in name for c in "/\\\0")


def _table(value: object, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise DamagedError(
            f"it has no proper {where!r}: a table was expected" if where else "it holds no table of keys"
        )
    return value


def _check_depth(document: object) -> None:
    level = [document]
    for _ in range(_DEEPEST):
        inside: list[object] = []
        for item in level:
            inside += item.values() if isinstance(item, dict) else item if isinstance(item, list) else ()
        if not inside:
            return
        level = inside
    raise DamagedError("it is nested too deeply")


def _integer(text: str) -> int:
    if len(text) > _LONGEST_INTEGER:
        raise DamagedError(f"{text[:_LONGEST_INTEGER]}... is no number of ours")
    return int(text)


def _float(text: str) -> float:
    number = float(text)
    if number in {float("inf"), float("-inf")}:
        raise DamagedError(f"{text[:_LONGEST_INTEGER]} is no number of ours")
    return number


def _refuse(text: str) -> NoReturn:
    raise DamagedError(f"{text} is no number")

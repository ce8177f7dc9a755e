"""Python values as TOML text: the standard library reads TOML but does not write it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

_BARE = re.compile(r"[A-Za-z0-9_-]+\Z")


def document(values: Mapping[str, object]) -> str:
    """A TOML document. Top-level tables become inline tables, which mean the same.

    >>> document({"name": "x", "link": [{"rate": "1 Mbit/s"}]})
    'name = "x"\\nlink = [{ rate = "1 Mbit/s" }]\\n'
    """
    return "".join(f"{key(name)} = {value(item)}\n" for name, item in values.items())


def value(item: object) -> str:  # noqa: PLR0911 - a case each
    """TOML for a value.

    >>> value({"kind": "red", "ecn": True})
    '{ kind = "red", ecn = true }'
    """
    match item:
        case bool():
            return "true" if item else "false"
        case str():
            # JSON strings are TOML basic strings, but for DEL, which TOML wants escaped.
            return json.dumps(item, ensure_ascii=False).replace("\x7f", "\\u007f")
        case int():
            return int.__repr__(item)
        case float():
            return float.__repr__(item)  # of NumPy's, which are floats, too, it is another
        case Mapping():
            inside = ", ".join(f"{key(k)} = {value(v)}" for k, v in item.items())
            return f"{{ {inside} }}" if inside else "{}"
        case Sequence():
            return f"[{', '.join(value(v) for v in item)}]"
    if hasattr(item, "tolist"):  # NumPy's numbers and arrays
        return value(item.tolist())
    if hasattr(item, "as_dict"):  # objects of `tailrace.build`
        return value(item.as_dict())
    raise TypeError(f"a scenario cannot hold a {type(item).__name__}")


def key(name: str) -> str:
    """A key, in quotes where it needs them."""
    return name if _BARE.match(name) else json.dumps(name, ensure_ascii=False)

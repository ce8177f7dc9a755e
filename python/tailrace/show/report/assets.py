"""Styles and scripts of the page: plain files, which a page holds whole.

The scripts are ES modules. A page that is one file cannot have modules that import each other, so they are joined to
one: each becomes a function that is called in its place and returns what the module exports.
"""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache
from pathlib import Path

_HERE = Path(__file__).parent / "assets"
_CHARTS = _HERE / "vendor" / "uplot"
_IMPORT = re.compile(r'^import (\{[^}]*\}) from "\./(\w+)\.js";$', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class) (\w+))", re.MULTILINE)


@cache
def style() -> str:
    """Styles of the chart library and of the page."""
    return _read(_CHARTS / "uPlot.min.css") + "\n" + _read(_HERE / "report.css")


@cache
def library() -> str:
    """The chart library, with its licence."""
    licence = _read(_CHARTS / "LICENSE").replace("*/", "")
    return f"/*\n{licence}*/\n{_read(_CHARTS / 'uPlot.iife.min.js')}"


@cache
def script() -> str:
    """All modules as one, each behind those that it imports."""
    return "\n".join(_joined(name, text) for name, text in modules().items())


def _joined(name: str, text: str) -> str:
    given = ", ".join(_EXPORT.findall(text))
    body = _EXPORT.sub("", _IMPORT.sub(r"const \1 = \2$;", text))
    return f"const {name}$ = (() => {{\n{body}\nreturn {{ {given} }};\n}})();"


def modules(first: str = "main") -> dict[str, str]:
    """The module and all that it imports, by name, each behind those that it imports itself."""
    found: dict[str, str] = {}

    def take(name: str) -> None:
        if name not in found:
            text = _read(_HERE / f"{name}.js")
            for _, other in _IMPORT.findall(text):
                take(other)
            found[name] = text

    take(first)
    return found


def digest(text: str) -> str:
    """Digest by which a content security policy admits a script."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode('ascii')}'"


def _read(file: Path) -> str:
    return file.read_text(encoding="utf-8")

"""Cells of a notebook in order, in one process: `python -m notebooks.cells` reads their texts and writes their outputs.

A cell's outputs are what it prints, and the value that it ends with, in the forms that the value has for notebooks
(`_repr_html_`, `_repr_png_`). That is what a Jupyter kernel shows of these cells, without the packages of one.
"""

from __future__ import annotations

import ast
import base64
import contextlib
import io
import json
import linecache
import sys
from typing import Any

from PIL import Image

from notebooks.document import Output

# Colours of a picture, which are few: a palette takes a third of the bytes.
_COLOURS = 64


def main() -> None:
    """Reads a list of texts from the standard input; writes a list of lists of outputs."""
    names: dict[str, Any] = {"__name__": "__main__"}
    outputs = [_done(number, text, names) for number, text in enumerate(json.load(sys.stdin), start=1)]
    json.dump(outputs, sys.stdout)


def _done(number: int, text: str, names: dict[str, Any]) -> list[Output]:
    """The outputs of a cell. An error ends the notebook with the cell's number in its traceback."""
    place = f"<cell {number}>"
    linecache.cache[place] = (len(text), None, text.splitlines(keepends=True), place)
    tree = ast.parse(text, place)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    value = None
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, place, "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), place, "eval"), names)
    found: list[Output] = []
    if printed.getvalue():
        lines = printed.getvalue().splitlines(keepends=True)
        found.append({"name": "stdout", "output_type": "stream", "text": lines})
    if value is not None:
        shown = {"data": _forms(value), "execution_count": None, "metadata": {}}
        found.append({**shown, "output_type": "execute_result"})
    return found


def _forms(value: object) -> dict[str, Any]:
    """Forms of a value; its plain text only where there is no other, which no reader of notebooks would show."""
    forms: dict[str, Any] = {}
    if hasattr(value, "_repr_html_") and (html := value._repr_html_()):
        forms["text/html"] = html.splitlines(keepends=True)
    if hasattr(value, "_repr_png_") and (png := value._repr_png_()):
        forms["image/png"] = base64.b64encode(_smaller(png)).decode("ascii") + "\n"
    return forms or {"text/plain": repr(value).splitlines(keepends=True)}


def _smaller(png: bytes) -> bytes:
    """The same picture with a palette."""
    with Image.open(io.BytesIO(png)) as image:
        fewer = image.convert("RGB").quantize(_COLOURS, dither=Image.Dither.NONE)
    written = io.BytesIO()
    fewer.save(written, format="png", optimize=True)
    return written.getvalue()


if __name__ == "__main__":
    main()

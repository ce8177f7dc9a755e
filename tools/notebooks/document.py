"""A notebook file (nbformat 4.5): its cells, and one way to write it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, TypeAlias

Notebook: TypeAlias = dict[str, Any]
Output: TypeAlias = dict[str, Any]

# What JupyterLab needs to choose a kernel; versions would change with the machine.
_METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def read(path: Path) -> Notebook:
    """A notebook from its file; of another format it is refused."""
    found: Notebook = json.loads(path.read_text(encoding="utf-8"))
    if found.get("nbformat") != 4:
        raise ValueError(f"{path} is no notebook of nbformat 4")
    return found


def source(cell: dict[str, Any]) -> str:
    """The text of a cell, which files hold as a list of lines or as one text."""
    return joined(cell["source"])


def joined(text: str | list[str]) -> str:
    """A text that may stand as lines."""
    return text if isinstance(text, str) else "".join(text)


def code(notebook: Notebook) -> list[str]:
    """The texts of its code cells, in order."""
    return [source(cell) for cell in notebook["cells"] if cell["cell_type"] == "code"]


def text(notebook: Notebook, outputs: list[list[Output]]) -> str:
    """The file with these outputs of its code cells: nothing in it depends on the time or the machine."""
    left = iter(outputs)
    cells = []
    for number, cell in enumerate(notebook["cells"], start=1):
        written: dict[str, Any] = {
            "cell_type": cell["cell_type"],
            "id": f"cell-{number}",
            "metadata": {},
            "source": source(cell).splitlines(keepends=True),
        }
        if cell["cell_type"] == "code":
            written |= {"execution_count": None, "outputs": next(left)}
        cells.append(written)
    whole = {"cells": cells, "metadata": _METADATA, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole, indent=1, ensure_ascii=False, sort_keys=True) + "\n"

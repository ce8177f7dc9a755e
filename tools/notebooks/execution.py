"""Execution of a notebook in a process and an empty folder of its own, and comparison of outputs."""

from __future__ import annotations

import base64
import io
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from PIL import Image

from notebooks import document
from notebooks.document import Notebook, Output

NOTEBOOKS = Path(__file__).resolve().parents[2] / "docs" / "notebooks"
# Share of the range of grey by which two drawings of the same data may differ on average.
_GREY = 0.004


class CellError(Exception):
    """A cell raised an error; the text is its traceback."""


def executed(notebook: Notebook) -> list[list[Output]]:
    """What comes out of the code cells, each with a list of outputs."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, "-m", "notebooks.cells"],
            input=json.dumps(document.code(notebook)),
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
            timeout=600,
        )
    if done.returncode:
        raise CellError(done.stderr)
    found: list[list[Output]] = json.loads(done.stdout)
    return found


def differences(notebook: Notebook, outputs: list[list[Output]]) -> Iterator[str]:
    """The cells whose committed outputs are others than these; pictures may differ by their rounding."""
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    for cell, now in zip(cells, outputs, strict=True):
        kept = cell["outputs"]
        same = len(kept) == len(now) and all(map(_same, kept, now))
        if not same:
            yield document.source(cell)


def _same(kept: Output, now: Output) -> bool:
    if kept["output_type"] != now["output_type"]:
        return False
    if kept["output_type"] == "stream":
        return document.joined(kept["text"]) == document.joined(now["text"])
    ours, theirs = kept["data"], now["data"]
    return ours.keys() == theirs.keys() and all(
        _same_picture(ours[form], theirs[form])
        if form == "image/png"
        else document.joined(ours[form]) == document.joined(theirs[form])
        for form in ours
    )


def _same_picture(kept: str, now: str) -> bool:
    ours, theirs = _grey(kept), _grey(now)
    return ours.shape == theirs.shape and float(np.abs(ours - theirs).mean()) <= _GREY


def _grey(encoded: str) -> np.ndarray:
    with Image.open(io.BytesIO(base64.b64decode(encoded))) as image:
        return np.asarray(image.convert("L"), dtype=np.float64) / 255.0

"""The notebooks of docs give what they show when done from top to bottom; small files, nothing of the machine in them."""

import base64
import json
import re
from importlib.util import find_spec

import pytest

from notebooks import document, execution
from site_docs import notebook_page

NOTEBOOKS = sorted(execution.NOTEBOOKS.glob("*.ipynb"))
MAKE = "PYTHONPATH=tools python -m notebooks"
MOST_BYTES = 60_000
each = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def pictures(notebook):
    for cell in notebook["cells"]:
        for output in cell.get("outputs", []):
            if png := output.get("data", {}).get("image/png"):
                yield base64.b64decode(png)


def test_there_are_three():
    assert len(NOTEBOOKS) == 3


@each
def test_a_notebook_gives_what_it_shows(path):
    notebook = document.read(path)
    outputs = execution.executed(notebook)
    changed = list(execution.differences(notebook, outputs))
    assert changed == [], f"other outputs of {path.name} come out now: {MAKE}"


@each
def test_a_file_is_small_and_says_nothing_of_the_machine_or_the_time(path):
    notebook = document.read(path)
    kept = [cell["outputs"] for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert document.text(notebook, kept) == path.read_text(encoding="utf-8"), f"written otherwise: {MAKE}"
    drawn = list(pictures(notebook))
    assert drawn and max(map(len, drawn)) < MOST_BYTES
    assert not re.search(r"[\"\s(](/|[A-Z]:\\)[\w.-]+/|wall_s|seconds ago|execute_time", json.dumps(notebook))
    assert all(cell.get("execution_count") is None for cell in notebook["cells"])


@each
def test_the_page_of_the_site_has_every_picture_and_the_file(path):
    page = notebook_page.page(path)
    assert list(page.pictures.values()) == list(pictures(document.read(path)))
    assert all(f"```{{image}} {name}\n" in page.text for name in page.pictures)
    assert page.text.startswith("# ") and f"{{download}}`{path.name}`" in page.text
    assert "<table>" in page.text


def test_another_output_is_seen():
    notebook = document.read(NOTEBOOKS[0])
    kept = [cell["outputs"] for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert list(execution.differences(notebook, kept)) == []
    other = json.loads(json.dumps(kept))
    number = next(place for place, outputs in enumerate(other) if "text/html" in str(outputs))
    other[number][0]["data"]["text/html"] = ["<table></table>"]
    assert list(execution.differences(notebook, other)) == [document.code(notebook)[number]]


def test_an_error_names_its_cell():
    code = {"cell_type": "code", "source": "first = 1"}, {"cell_type": "code", "source": "first / 0"}
    with pytest.raises(execution.CellError, match=r'"<cell 2>", line 1(.|\n)*ZeroDivisionError'):
        execution.executed({"cells": list(code)})


@pytest.mark.skipif(
    not (find_spec("nbclient") and find_spec("ipykernel")),
    reason="Jupyter's kernel is not installed: nbclient and ipykernel",
)
@each
@pytest.mark.filterwarnings("default")
def test_the_kernel_of_jupyter_shows_the_same(path, tmp_path):
    import nbclient
    import nbformat

    notebook = document.read(path)
    file = nbformat.read(path, as_version=4)
    nbformat.validate(file)
    nbclient.NotebookClient(file, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    shown = [
        [
            {**output, "data": {form: text for form, text in output["data"].items() if form != "text/plain"}}
            if output.get("data", {}).keys() > {"text/plain"}
            else output
            for output in cell["outputs"]
        ]
        for cell in file.cells
        if cell["cell_type"] == "code"
    ]
    assert list(execution.differences(notebook, shown)) == []

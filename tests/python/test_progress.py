"""Progress where it is shown: in a notebook it is one line that changes in its place."""

import sys
import types

import pytest

import tailrace
from conftest import SMALL
from tailrace import progress


@pytest.fixture
def notebook(monkeypatch):
    """IPython as a kernel has it, which notes what is displayed."""
    shown = []

    class Handle:
        def update(self, data, *, raw):
            assert raw
            shown.append(data["text/plain"])

    def display(data, *, raw, display_id):
        assert raw
        assert display_id
        shown.append(data["text/plain"])
        return Handle()

    shell = types.ModuleType("IPython")
    shell.get_ipython = lambda: types.SimpleNamespace(kernel=object())
    shell.display = types.ModuleType("IPython.display")
    shell.display.display = display
    monkeypatch.setitem(sys.modules, "IPython", shell)
    monkeypatch.setitem(sys.modules, "IPython.display", shell.display)
    return shown


def test_a_notebook_has_one_line_that_changes_and_then_goes(notebook):
    with progress.watch(quiet=False, total=4) as watch:
        watch.ended(None, 0.1)
        watch.progress(0.25)
    assert notebook[0] == "simulating ..."
    assert notebook[1].startswith("simulating: 25 %, 1 of 4 runs, about ")
    assert notebook[-1] == ""


def test_runs_and_sweeps_show_it(notebook):
    tailrace.run(SMALL, runs=1, progress=True)
    runs = len(notebook)
    assert runs
    tailrace.sweep(SMALL, {"link.bottleneck.queue": ["red", "codel"]}, runs=1, progress=True)
    assert len(notebook) > runs


def test_without_a_kernel_there_is_none(monkeypatch):
    shell = types.ModuleType("IPython")
    shell.get_ipython = lambda: None
    monkeypatch.setitem(sys.modules, "IPython", shell)
    assert not isinstance(progress.watch(quiet=False, total=1), progress.Cell)

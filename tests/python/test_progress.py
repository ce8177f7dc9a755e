"""Progress where it is shown: in a notebook it is one line that changes in its place."""

import io
import sys
import time
import types

import pytest

import tailrace
from conftest import SMALL
from tailrace.data import working_store
from tailrace.execution import progress, wait_notice
from tailrace.study import result_runs


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


def test_what_goes_on_begins_with_what_is_there(notebook):
    with progress.watch(quiet=False, total=4) as watch:
        watch.found(3)
        watch.progress(0.5)
    # Half of the fourth run.
    assert notebook[1].startswith("simulating: 88 %, 3 of 4 runs, about ")


def test_lines_of_what_goes_on_count_what_is_there(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    out = io.StringIO()
    lines = progress.Lines(out, 10)
    lines.found(8)
    now[0] += 20
    lines.progress(0.25)
    lines.ended("run 9", 40.0)
    lines.ended("run 10", 40.0)
    assert out.getvalue().splitlines() == [
        "85 %, 8 of 10 runs, about 60 s left",
        "9 of 10: run 9 took 40.00 s",
        "2 of 10 runs took 20.00 s",
    ]


def test_runs_and_sweeps_say_what_they_found(tmp_path, monkeypatch):
    found = []

    class Noting(progress.Monitor):
        def found(self, runs):
            found.append((runs, self._total))

    monkeypatch.setattr(progress, "watch", lambda *, quiet, total: Noting(total))  # noqa: ARG005
    each = {"link.bottleneck.queue": ["red", "codel"]}
    for runs in (1, 3):
        tailrace.sweep(SMALL, each, runs=runs, output=tmp_path / "sweep", progress=True)
    assert found == [(0, 2), (2, 6)]
    found.clear()
    for runs in (1, 3):
        scenario = tailrace.Scenario.of(SMALL, {"runs": runs})
        with working_store.opened(tmp_path / "run") as store:
            result_runs.run(
                result_runs.Variants(scenario, {"": scenario}),
                store,
                watched=lambda total: progress.watch(quiet=False, total=total),
            )
    assert found == [(0, 1), (1, 3)]


@pytest.mark.parametrize(
    ("waited_s", "quiet", "said"), [(0, False, ""), (0.3, False, "(1 s)"), (0.3, True, "")]
)
def test_only_a_long_wait_is_announced(monkeypatch, capsys, waited_s, quiet, said):
    monkeypatch.setattr(wait_notice, "_NOTICE_EVERY_S", 0.02)
    with wait_notice.WaitNotice(lambda: "checking a.toml", quiet=quiet):
        time.sleep(waited_s)
    err = capsys.readouterr().err
    assert err.startswith(f"checking a.toml {said}") if said else err == ""

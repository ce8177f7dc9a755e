"""A paper from its folder to its page: read, run what is missing, judge, draw, write."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tailrace.errors import UsageError
from tailrace.execution import execute
from tailrace.reproduce import claims_file, front_page, judgement, paper_figures, studies
from tailrace.reproduce.markdown_page import FIGURES, Page
from tailrace.reproduce.studies import Sweeps, Task

if TYPE_CHECKING:
    from tailrace.execution.progress import Monitor
    from tailrace.reproduce.judgement import Verdict
    from tailrace.reproduce.paper import Paper
    from tailrace.reproduce.paper_metrics import Declaring

PAGE = "README.md"
# Beside the folders of the papers.
FINDINGS = "findings.md"
# With fewer figures for each process the time that another takes to start is not won back.
_WORTH = 5
_OWN = frozenset({"runs", PAGE, FIGURES, front_page.VERDICTS})


@dataclass(frozen=True)
class Work:
    """A paper that is to be done, checked as far as that goes without runs."""

    paper: Paper
    tasks: Sequence[Task]
    place: Path
    quick: bool

    @property
    def runs(self) -> int:
        """Number of runs in all."""
        return sum(task.surveyed.runs for task in self.tasks)

    @property
    def sweeps(self) -> Sweeps:
        """Its runs, when they have been done."""
        return Sweeps({(task.study.name, task.reading.name): task for task in self.tasks})


def planned(folder: Path, target: Path, *, quick: bool) -> Work:
    """Reads a paper, and everything that its file names."""
    paper = claims_file.load(folder)
    judgement.rehearse(paper)
    for figure in paper.figures.values():
        paper_figures.check(figure)
    place = target / paper.id
    strangers = [] if not place.is_dir() else [one.name for one in place.iterdir() if one.name not in _OWN]
    if strangers and not (place / "runs").is_dir():
        raise UsageError(f"{place} holds something else ({strangers[0]}): choose another folder with -o")
    return Work(paper, studies.tasks(paper, place, quick=quick), place, quick)


def run(
    work: Work,
    watched: Callable[[int], Monitor],
    jobs: int | None,
    stop: Callable[[], bool],
    *,
    fresh: bool,
) -> bool:
    """Does the runs that are missing; whether it was stopped before the end."""
    for task in work.tasks:
        if stop():
            return True
        with watched(task.surveyed.runs) as watch:
            if studies.run(task, watch, jobs, stop, fresh=fresh):
                return True
    return False


def write(work: Work, found: Sequence[Verdict], command: str, jobs: int | None, *, plots: bool) -> Path:
    """Draws the figures, writes the page and the verdicts; the page."""
    from tailrace._native import __version__

    if plots:
        draw(work, jobs)
    page = Page(work.paper, found, work.sweeps, command, __version__, with_figures=plots)
    work.place.mkdir(parents=True, exist_ok=True)
    _put(work.place / PAGE, page.text())
    _put(
        work.place / front_page.VERDICTS,
        json.dumps(front_page.record(work.paper, found, quick=work.quick), indent=1) + "\n",
    )
    _put(work.place.parent / PAGE, front_page.text(work.place.parent, _findings(work.paper.folder.parent)))
    return work.place / PAGE


def _findings(papers: Path) -> str:
    """Remarks about all papers of a folder, if there are any."""
    file = papers / FINDINGS
    return file.read_text(encoding="utf-8") if file.is_file() else ""


def _put(file: Path, text: str) -> None:
    """In one step: a page is the old one or the new one."""
    fresh = file.with_name(f".{file.name}.new")
    fresh.write_text(text, encoding="utf-8")
    fresh.replace(file)


def draw(work: Work, jobs: int | None) -> None:
    """All figures whose studies were run, in processes of their own: Matplotlib holds the interpreter's lock."""
    from tailrace.show.plots import parallel_render

    runs = {key: task.place for key, task in work.sweeps.tasks.items()}
    todo = [
        _Drawing(work.paper.folder, figure.name, reading, runs[figure.study, reading], work.place / FIGURES)
        for figure in work.paper.figures.values()
        for reading in figure.readings
        if (figure.study, reading) in runs
    ]
    todo.sort(key=lambda one: one.runs)
    most = min(jobs or execute.default_jobs(), len(todo) // _WORTH)
    # Since they were last drawn here, runs may have been added.
    _opened.cache_clear()
    if most <= 1:
        for one in todo:
            one.draw()
        return
    with parallel_render.helpers(most) as pool:
        with parallel_render.deaf():
            futures = [pool.submit(one.draw) for one in todo]
        for future in futures:
            future.result()


@dataclass(frozen=True)
class _Drawing:
    """A figure of a reading: small enough to be sent to another process."""

    folder: Path
    figure: str
    reading: str
    runs: Path
    target: Path

    def draw(self) -> None:
        """Opens the runs by itself."""
        figure = _kept(self.folder).figures[self.figure]
        paper_figures.draw(figure, self.reading, _opened(self.runs, self.folder, figure.study), self.target)


@lru_cache(maxsize=1)
def _kept(folder: Path) -> Paper:
    """A worker draws several figures of one paper."""
    return claims_file.load(folder)


@lru_cache(maxsize=1)
def _opened(runs: Path, folder: Path, study: str) -> Declaring:
    """And several of the same runs, one after the other: what was read and taken of them is kept."""
    from tailrace.reproduce.paper_metrics import Declaring

    return Declaring(runs, _kept(folder), study)


def record(work: Work, found: Sequence[Verdict]) -> dict[str, Any]:
    """A paper's verdicts, for programs."""
    return front_page.record(work.paper, found, quick=work.quick)

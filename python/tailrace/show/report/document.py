"""A report as an object: saved as a file, or shown in a notebook."""

from __future__ import annotations

import os
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import TypeAlias

from tailrace.data.comparison import Comparison
from tailrace.data.result import Result
from tailrace.data.store import is_store
from tailrace.errors import UsageError
from tailrace.show.report import destination, of_comparison, of_result, of_search, of_sweep
from tailrace.show.report.html_page import Page
from tailrace.study.search_result import Search
from tailrace.study.sweep_result import Sweep
from tailrace.system import path_errors

Source: TypeAlias = Result | Comparison | Sweep | Search


class Report:
    """A page; in a notebook it shows itself in a frame of its own."""

    def __init__(self, page: Page) -> None:
        self.page = page

    @property
    def html(self) -> str:
        """The whole file."""
        return self.page.text()

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Writes the file, in place of an older report if there is one, and of nothing else."""
        return destination.write(Path(path), self.html)

    def _repr_html_(self) -> str:
        # Its styles and names are its own only in a frame.
        return (
            f'<iframe title="Tailrace report" srcdoc="{escape(self.html)}" '
            'style="width:100%;height:80vh;border:1px solid #8888" sandbox="allow-scripts allow-downloads"></iframe>'
        )

    def __repr__(self) -> str:
        return f"<Report of a {self.page.kind}: {self.page.title!r}>"


def of(source: Source, columns: str | Sequence[str] = (), baseline: str = "") -> Report:
    """The report of what is there in memory, or of a sweep or a search.

    `columns` are metrics that stand first and largest; `baseline` is what others are compared with, a variant or
    `PARAMETER=VALUE`.
    """
    names = [columns] if isinstance(columns, str) else list(columns)
    if isinstance(source, Result):
        if baseline:
            raise UsageError("a baseline is of a comparison or a sweep, and this is one result")
        return Report(of_result.page(source, names))
    if isinstance(source, Comparison):
        return Report(of_comparison.page(source, names, baseline))
    sweep = source.sweep if isinstance(source, Search) else source
    if not sweep.has_runs:
        raise UsageError(f"{sweep.place} holds no run yet: there is nothing to report")
    if isinstance(source, Search):
        if baseline:
            raise UsageError(
                "a baseline is of a comparison or a sweep; a search compares its trials with the best"
            )
        return Report(of_search.page(source, names))
    return Report(of_sweep.page(source, names, baseline))


def of_folder(place: Path, columns: Sequence[str] = (), baseline: str = "") -> Report:
    """The report of a folder of a result, a comparison, a sweep or a search."""
    if not place.is_dir():
        raise path_errors.missing(place, "result")
    if is_store(place):
        return of(Search.load(place) if Search.is_folder(place) else Sweep.load(place), columns, baseline)
    if Comparison.is_folder(place):
        return of(Comparison.load(place), columns, baseline)
    return of(Result.load(place), columns, baseline)

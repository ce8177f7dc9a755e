"""Two folders: how much the second differs from the first."""

from __future__ import annotations

import json as json_text
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from tailrace.cli import common, tabular
from tailrace.comparison import Comparison
from tailrace.store import store

if TYPE_CHECKING:
    from tailrace.study.differences import Differences
    from tailrace.study.sweep import Sweep

_TWO = 2


def of_results(comparison: Comparison, wished: tabular.Wanted) -> Differences | None:
    """Between two results; None of more, or where they have nothing to compare."""
    if len(comparison) != _TWO:
        return None
    from tailrace.study import differences

    (a, b), labels = comparison.results.values(), list(comparison)
    found = differences.of(
        a.measured,
        b.measured,
        wished.columns,
        sides=(labels[0], labels[1]),
        tolerances=wished.tolerances,
        strict=wished.strict,
    )
    return found if found.rows else None


def is_pair(paths: Sequence[str], wished: tabular.Wanted) -> bool:
    """Whether these are two folders, which alone can be told how much they may differ."""
    two = len(paths) == _TWO and all(Path(path).is_dir() for path in paths)
    if wished.tolerances and not two:
        common.fail("--tolerance is of two folders: tailrace compare A B --tolerance goodput=5%")
    return two


def are_studies(paths: Sequence[str]) -> bool:
    """Whether folders hold comparisons or sweeps, of which there is nothing to lie side by side."""
    return any(store.is_store(Path(path)) or Comparison.is_folder(Path(path)) for path in paths)


def of_studies(paths: Sequence[str], wished: tabular.Wanted, *, json: bool, quiet: bool) -> int:
    """Prints the differences of cells that both have; the exit code."""
    from tailrace.study import differences

    places = [Path(path) for path in paths]
    first, second = (_opened(place) for place in places)
    if type(first) is not type(second):
        common.fail(
            f"{paths[0]} and {paths[1]} are not of one kind: two results, two comparisons, or two sweeps"
        )
    names = [place.resolve().name for place in places]
    sides = (names[0], names[1]) if names[0] != names[1] else (paths[0], paths[1])
    found = differences.of(
        first.measured,
        second.measured,
        wished.columns,
        sides=sides,
        tolerances=wished.tolerances,
        strict=wished.strict,
    )
    if json:
        typer.echo(json_text.dumps({"title": found.title, "difference": found.records()}, indent=2))
    elif wished.form or not quiet:
        tabular.show(found, wished.form)
    return tabular.judged(found, 0)


def _opened(place: Path) -> Comparison | Sweep:
    if store.is_store(place):
        from tailrace.study.sweep import Sweep

        return Sweep.load(place)
    return Comparison.load(place)

"""Two folders: how much the second differs from the first."""

from __future__ import annotations

import json as json_text
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from tailrace.cli import common, table_options
from tailrace.data.comparison import Comparison
from tailrace.data.store import store

if TYPE_CHECKING:
    from tailrace.stats.differences import Differences
    from tailrace.stats.measured import Measured
    from tailrace.study.sweep_result import Sweep

_TWO = 2


def of_results(comparison: Comparison, wished: table_options.Wanted, *, two: bool) -> Differences | None:
    """From the baseline, or between two folders; None of others, or where they have nothing to compare."""
    if wished.baseline is not None:
        return comparison.against(
            wished.baseline, wished.columns, tolerances=wished.tolerances, strict=wished.strict
        )
    if not two or len(comparison) != _TWO:
        return None
    from tailrace.stats import differences

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


def is_pair(paths: Sequence[str], wished: table_options.Wanted) -> bool:
    """Whether these are two folders, which alone can be told how much they may differ."""
    two = len(paths) == _TWO and all(Path(path).is_dir() for path in paths)
    if wished.tolerances and not two and wished.baseline is None:
        common.fail(
            "--tolerance is of two folders (tailrace compare A B --tolerance goodput=5%), or goes with --baseline"
        )
    return two


def first_metric(measured: Measured) -> str | None:
    """Name of the first of the usual metrics that has a value and a direction."""
    from tailrace.stats import preferences

    usual = [metric for metric in measured.metrics() if preferences.direction(metric)]
    attackers = measured.known.attackers
    kept = [
        metric for metric in usual if metric.owner not in attackers and any(measured.values(metric).values())
    ]
    return f"{kept[0].owner}.{kept[0].name}" if kept and kept[0].owner else kept[0].name if kept else None


def how_sure(folder: str, baseline: str, metric: str) -> str:
    """Line of advice with the command for differences from a baseline."""
    tolerance = shlex.quote(f"{metric}=5%")
    return (
        f"  {common.program()} compare {folder} --baseline {baseline} --tolerance {tolerance}   "
        "(how sure the differences are, and whether they are within 5 %)"
    )


def are_studies(paths: Sequence[str]) -> bool:
    """Whether folders hold comparisons or sweeps, of which there is nothing to lie side by side."""
    return any(store.is_store(Path(path)) or Comparison.is_folder(Path(path)) for path in paths)


def is_sweep(paths: Sequence[str]) -> bool:
    """Whether this is one folder, of a sweep."""
    return len(paths) == 1 and store.is_store(Path(paths[0]))


def of_sweep(place: str, wished: table_options.Wanted, *, json: bool, quiet: bool) -> int:
    """Prints the table of a sweep, or by how much its cells differ from those of a baseline; the exit code."""
    from tailrace.study.sweep_result import Sweep

    sweep, form = Sweep.load(place), "json" if json else wished.form
    if wished.baseline is None:
        if form or not quiet:
            table_options.show(sweep.table(wished.columns), form)
        return 0
    found = sweep.against(wished.baseline, wished.columns, tolerances=wished.tolerances, strict=wished.strict)
    if form or not quiet:
        table_options.show(found, form)
    return table_options.judged(found, 0)


def of_studies(paths: Sequence[str], wished: table_options.Wanted, *, json: bool, quiet: bool) -> int:
    """Prints the differences of cells that both have; the exit code."""
    from tailrace.stats import differences

    if wished.baseline is not None:
        common.fail("--baseline is of one folder of a sweep or comparison, or of a file")
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
        table_options.show(found, wished.form)
    return table_options.judged(found, 0)


def _opened(place: Path) -> Comparison | Sweep:
    if store.is_store(place):
        from tailrace.study.sweep_result import Sweep

        return Sweep.load(place)
    return Comparison.load(place)

"""Experiments of a bundle: each is one resolved scenario and the fingerprints of its runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tailrace.data import loading
from tailrace.data.store import store
from tailrace.errors import UsageError
from tailrace.scenario.scenario import Algorithms, Scenario
from tailrace.study.sweep_result import Sweep


@dataclass(frozen=True)
class RecordedRun:
    """A run as it was: its number, its seed, and the fingerprint that another machine must get, too."""

    run: int
    seed: int
    fingerprint: str


@dataclass(frozen=True)
class Experiment:
    """A scenario with every default written out, and its runs."""

    name: str
    toml: str
    runs: tuple[RecordedRun, ...]
    # The engine that made the runs; None where the folder does not say.
    engine: str | None


def of_folder(place: Path, algorithms: Algorithms = ()) -> Iterator[Experiment]:
    """The experiments of a folder: one of a result, one a variant of a comparison, one a cell of a sweep.

    Raises
    ------
    UsageError
        if the folder holds no results, or a sweep that does not say what its cells set
    """
    if store.is_store(place):
        yield from _of_sweep(place, Sweep.load(place), algorithms)
    elif loading.is_comparison(place):
        for label, folder in loading.comparison(place)["variants"].items():
            yield _of_result(f"{place.name}: {label}", place / folder)
    else:
        yield _of_result(place.name, place)


def _of_result(name: str, place: Path) -> Experiment:
    summary, about, toml = loading.result(place)
    return Experiment(name, toml, tuple(map(_recorded, summary["runs"])), about.get("engine"))


def _recorded(run: Mapping[str, Any]) -> RecordedRun:
    return RecordedRun(int(run["run"]), int(run["seed"]), str(run["fingerprint"]))


def _of_sweep(place: Path, sweep: Sweep, algorithms: Algorithms) -> Iterator[Experiment]:
    base = Scenario(sweep.scenario_toml, str(place), algorithms=algorithms)
    landed: dict[int, list[RecordedRun]] = {}
    for row in sweep.runs.iter_rows(named=True):
        landed.setdefault(row["cell"], []).append(_recorded(row))
    given = set()
    for row in sweep.plan:
        cell = row["cell"]
        if cell is None or cell in given or cell not in landed:
            continue
        if "sets" not in row:
            raise UsageError(
                f"{place} was written by an older version, which did not note what each cell sets: "
                "give its command again (runs that are there are kept)"
            )
        given.add(cell)
        variant = base.variant(row["label"], row["sets"])
        unique = {run.run: run for run in landed[cell]}
        yield Experiment(
            f"{place.name}: {row['label']}",
            variant.to_toml(),
            tuple(unique.values()),
            sweep.fact("engine"),
        )

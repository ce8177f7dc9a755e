"""Puts stores together that are shares of one sweep: the result is that of the sweep run at once.

Cells are numbered by their store, so they are matched by their ids. What differs is said before anything is written.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tailrace.data.store import Reader, Writer
from tailrace.data.store.copying import Piece, copy, settle
from tailrace.errors import RunError, UsageError
from tailrace.study import sweep_runner

# Cells lacking runs that are named at most.
_MOST_NAMED = 5


@dataclass(frozen=True)
class Merged:
    """Outcome of a merge."""

    # In all, and of these what was copied just now, failed, and is nowhere.
    runs: int
    copied: int
    failed: int
    # Label of the cell -> how many of its runs nobody has done.
    missing: Mapping[str, int]
    # The words of a command that does them, as far as known, and the metrics of its table.
    command: str | None
    columns: str

    def notes(self, place: Path) -> list[str]:
        """Notes about missing runs, with the remedy."""
        if not self.missing:
            return []
        cells = [f"{label!r}" if label else "the only one" for label in self.missing]
        more = len(cells) - _MOST_NAMED
        named = ", ".join(cells[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
        does = (
            f"`tailrace {self.command} -o {shlex.quote(str(place))}` does them"
            if self.command
            else f"the same sweep with {str(place)!r} for its output does them"
        )
        return [f"{sum(self.missing.values())} of {self.runs} runs are missing, of cells {named}; {does}"]


class _Source:
    """A store and what it says of the sweep that filled it."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.place = reader.place
        found = {
            name: reader.index.fact(name)
            for name in (sweep_runner.PLAN, sweep_runner.ENGINE, sweep_runner.SCENARIO)
        }
        if None in found.values():
            raise UsageError(
                f"{self.place} holds no sweep yet: its first command was stopped before a run had landed"
            )
        self.engine = found[sweep_runner.ENGINE]
        self.about: dict[str, Any] = json.loads(found[sweep_runner.SCENARIO] or "{}")
        self.plan: list[dict[str, Any]] = json.loads(found[sweep_runner.PLAN] or "[]")
        # id -> number.
        self.cells = reader.index.cells()
        self.ids = {number: name for name, number in self.cells.items()}
        planned = {self.ids[cell] for row in self.plan for cell in _cells(row)}
        self.landed = {
            (self.ids[cell], run): fingerprint
            for cell, run, _, fingerprint, *_ in reader.index.runs()
            if self.ids[cell] in planned
        }

    def rows(self) -> list[dict[str, Any]]:
        """The plan with the ids of its cells."""
        return [_renamed(row, self.ids) for row in self.plan]

    def label(self, cell: str) -> str:
        """Label of a cell."""
        return next((str(row["label"]) for row in self.plan if self.ids.get(row["cell"]) == cell), cell)


def _cells(row: Mapping[str, Any]) -> list[Any]:
    """A row's cell, and the one without its attack, as far as there are any."""
    found = (row.get(key) for key in ("cell", sweep_runner.WITHOUT))
    return [cell for cell in found if cell is not None]


def _renamed(row: Mapping[str, Any], names: Mapping[Any, object]) -> dict[str, Any]:
    """With other names of these."""
    other = (
        {sweep_runner.WITHOUT: names.get(row[sweep_runner.WITHOUT])} if sweep_runner.WITHOUT in row else {}
    )
    return {**row, "cell": names.get(row["cell"]), **other}


def merge(places: Sequence[Path], out: Path) -> Merged:
    """Copies what has landed in stores of one sweep into another, which is made where there is none.

    What it holds already stays, so a merge that was stopped goes on, and shares can come one by one.
    """
    if not places:
        raise UsageError("there is nothing to merge: name the folders")
    with ExitStack() as stack:
        sources = [_Source(_opened(stack, place)) for place in places]
        first = sources[0]
        for source in sources[1:]:
            _check_same(first, source)
        _check_runs(sources)
        about = {"scenario": first.about["name"], "file": first.about["file"]}
        with Writer.opened(out, about) as writer:
            if writer.index.fact(sweep_runner.PLAN) is not None:
                there = _Source(writer)
                _check_same(first, there)
                _check_runs([there, *sources])
            return _merged(sources, writer)


def _opened(stack: ExitStack, place: Path) -> Reader:
    reader = Reader(place)
    stack.callback(reader.close)
    return reader


def _merged(sources: Sequence[_Source], writer: Writer) -> Merged:
    numbers = _enter(sources[0], writer)
    before = len(writer.index.runs())
    held = Piece()
    for source in sources:
        if not source.place.samefile(writer.place):
            held = copy(source.reader, writer, _numbered(source, numbers), held)
    settle(writer, held)
    _keep_failures(sources, writer, numbers)
    landed = {(cell, run) for cell, run, *_ in writer.index.runs()}
    failed = {(cell, run) for cell, run, _ in writer.index.failures()}
    command = next((found for s in sources if (found := s.reader.index.fact(sweep_runner.COMMAND))), None)
    columns = next((found for s in sources if (found := s.reader.index.fact(sweep_runner.COLUMNS))), "")
    for name, said in ((sweep_runner.COMMAND, command), (sweep_runner.COLUMNS, columns)):
        if said:
            writer.index.state(name, said)
    plan = json.loads(writer.index.fact(sweep_runner.PLAN) or "[]")
    wanted = {
        (cell, run): row["label"]
        for row in plan
        for cell in (_cells(row) or [None])
        for run in range(1, row["runs"] + 1)
    }
    missing: dict[str, int] = {}
    for key, label in wanted.items():
        if key not in landed and key not in failed and (key[0], 0) not in failed:
            missing[label] = missing.get(label, 0) + 1
    unable = sum("error" in row for row in plan)
    return Merged(len(wanted), len(landed) - before, len(failed) + unable, missing, command, columns)


def _enter(first: _Source, writer: Writer) -> dict[str, int]:
    """Writes down the sweep as if it were run there; the number of each cell by its id."""
    rows = first.rows()
    ids = list(dict.fromkeys(cell for row in rows for cell in _cells(row)))
    numbers = dict(zip(ids, writer.index.add_cells(ids), strict=True))
    writer.index.state(sweep_runner.PLAN, json.dumps([_renamed(row, numbers) for row in rows]))
    writer.index.state(sweep_runner.ENGINE, first.engine or "")
    writer.index.state(sweep_runner.SCENARIO, json.dumps(first.about))
    return numbers


def _numbered(source: _Source, numbers: Mapping[str, int]) -> dict[int, int]:
    """The cells of a source that are of the sweep, with their numbers in the merged store."""
    return {own: numbers[name] for name, own in source.cells.items() if name in numbers}


def _keep_failures(sources: Sequence[_Source], writer: Writer, numbers: Mapping[str, int]) -> None:
    """Copies failures of runs that no store has."""
    landed = {(cell, run) for cell, run, *_ in writer.index.runs()}
    begun = {(cell, 0) for cell, _ in landed}
    found = {}
    for source in sources:
        own = _numbered(source, numbers)
        for cell, run, error in source.reader.index.failures():
            if cell in own and (own[cell], run) not in landed | begun:
                found[own[cell], run] = error
    if found:
        writer.land([], [(cell, run, error) for (cell, run), error in found.items()])


# -- what must be the same -----------------------------------------------------------------------------------------


def _check_same(first: _Source, other: _Source) -> None:
    """Refuses what is of another engine, scenario or sweep, and says what differs."""

    def refuse(what: str) -> None:
        raise UsageError(f"{other.place} and {first.place} cannot be put together: {what}")

    if first.engine != other.engine:
        refuse(f"their engines differ, {other.engine} and {first.engine}, and so may their results")
    ours, theirs = str(first.about["toml"]).splitlines(), str(other.about["toml"]).splitlines()
    if ours != theirs:
        refuse(f"their scenarios differ: {_difference(theirs, ours)}")
    if first.rows() != other.rows():
        refuse(f"their sweeps differ: {_plans(first, other)}")


def _difference(ours: Sequence[str], theirs: Sequence[str]) -> str:
    """The first lines that are not the same."""
    longest = max(len(ours), len(theirs))
    pairs = zip([*ours, *[""] * longest], [*theirs, *[""] * longest], strict=False)
    mine, other = next((mine, other) for mine, other in pairs if mine != other)
    return f"{mine.strip() or 'nothing'!r} and {other.strip() or 'nothing'!r}"


def _plans(first: _Source, other: _Source) -> str:
    """Difference between two plans, as text."""
    for one, another in ((other, first), (first, other)):
        known = {row["label"] for row in another.plan}
        more = [row["label"] for row in one.plan if row["label"] not in known]
        if more:
            rest = f" and {len(more) - 1} more are" if len(more) > 1 else " is"
            return f"cell {more[0]!r}{rest} only in {one.place}"
    mine, yours = next((a, b) for a, b in zip(other.rows(), first.rows(), strict=True) if a != b)
    if mine["runs"] != yours["runs"]:
        return f"cell {mine['label']!r} has {mine['runs']} runs and {yours['runs']}"
    return f"cell {mine['label']!r} is not the same, or not at the same place"


def _check_runs(sources: Sequence[_Source]) -> None:
    """A run is the same wherever it was done: one that is not means a broken machine, and nobody knows which."""
    seen: dict[tuple[str, int], tuple[str, _Source]] = {}
    for source in sources:
        for key, fingerprint in source.landed.items():
            known, at = seen.setdefault(key, (fingerprint, source))
            if known != fingerprint:
                cell, run = key
                raise RunError(
                    f"run {run} of cell {source.label(cell)!r} has fingerprint {known} in {at.place} and {fingerprint} "
                    f"in {source.place}; the same run is the same on every machine: one of the two that did these is "
                    "broken. Do both again elsewhere"
                )

"""Store in which the runs of `run`, `compare` and `twin` land until their result is saved.

It lies beside the result (`NAME.unfinished`) and is taken away when that is saved: a killed command loses the runs
under way, no others. Runs of the result that stands at the target count as landed, where scenario and engine are the
same: `--runs 5` after `--runs 3` does two more.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tailrace import _native
from tailrace.data.cell_runs import ALL_RUNS, CellRuns
from tailrace.data.result import Result
from tailrace.data.store import Landing, Writer, parts
from tailrace.data.store.store import captures
from tailrace.errors import RunError, TailraceError
from tailrace.execution import identity
from tailrace.execution.capture import Capture
from tailrace.execution.streaming import Spill, adopted
from tailrace.system import ownership
from tailrace.system.ownership import Holding

if TYPE_CHECKING:
    import polars as pl

_ENGINE = "engine"
SUFFIX = ".unfinished"


class WorkingStore(Writer):
    """The store of one command with one target."""

    def __init__(self, place: Path, *, parts: bool = False) -> None:
        super().__init__(place, parts=parts)
        # Files of results that outlast the store; beside the target, where there is room for the result.
        self.outlasting = Spill()
        # Owner of the folder of a store among temporary files.
        self.holder: Spill | None = None
        # Results at the target, by the id of their cell.
        self._results: dict[str, Result] = {}
        # Runs for which the disk had no room: the result may still find some elsewhere.
        self._unwritten: list[Landing] = []

    def know(self, results: Mapping[str, Result]) -> None:
        """Counts the runs of results as landed, by the id of their cell."""
        self._results = dict(results)

    def settle(self) -> None:
        """Clears away what a killed command left; runs of another engine are forgotten."""
        if self.index.fact(_ENGINE) not in {None, identity.ENGINE}:
            self.empty()
        self.index.state(_ENGINE, identity.ENGINE)
        super().settle()

    @property
    def has_runs(self) -> bool:
        """Whether any run has landed in it."""
        return not self._removed and bool(super().landed())

    # -- landed runs -------------------------------------------------------------------------------------------

    def landed(self) -> set[tuple[int, int]]:
        """Cell and number of every run that is here, in memory for want of room, or in the result at the target."""
        found = super().landed() | {(run.cell, run.run) for run in self._unwritten}
        return found | {(cell, entry["run"]) for cell, _, entry in self._entries()}

    def _entries(self) -> Iterator[tuple[int, Result, dict[str, Any]]]:
        """Runs of the results at the target, as far as their cells are entered."""
        for name, cell in self.index.cells().items():
            if result := self._results.get(name):
                for entry in result.summary["runs"]:
                    yield cell, result, entry

    def land(
        self,
        runs: Sequence[tuple[Landing, Sequence[Capture]]],
        failures: Sequence[tuple[int, int, str]] = (),
    ) -> None:
        """Keeps runs; on a full disk those whose rows are in memory stay there."""
        try:
            super().land(runs, failures)
        except RunError:
            if any(run.files or run.captures or own for run, own in runs):
                raise
            self._unwritten += [run for run, _ in runs]

    def frame(self, table: str, *, categories: bool = False) -> pl.DataFrame | None:
        """A table of all runs; of figures also those of the results at the target."""
        found = super().frame(table, categories=categories)
        if table != parts.FIGURES or not (self._results or self._unwritten):
            return found
        import polars as pl

        from tailrace.stats import numbers

        here = super().landed()
        known = [(cell, e["run"], e) for cell, _, e in self._entries() if (cell, e["run"]) not in here]
        known += [(run.cell, run.run, json.loads(run.summary)) for run in self._unwritten]
        if not known:
            return found
        more = numbers.frame(known)
        return more if found is None else pl.concat([found, more.cast(found.schema)], how="diagonal")

    def scan(self, table: str) -> pl.LazyFrame | None:
        """Rows of a table of all runs, those of the results at the target among them."""
        import polars as pl

        here = super().landed()
        pieces = [] if (found := super().scan(table)) is None else [found]
        for name, cell in self.index.cells().items():
            result = self._results.get(name)
            rows = result.scan(table) if result else None
            if rows is not None and rows.collect_schema():
                others = [run for other, run in here if other == cell]
                pieces.append(
                    rows.filter(~pl.col("run").is_in(others)).select(
                        pl.lit(cell, pl.UInt32).alias("cell"), pl.all()
                    )
                )
        return pl.concat(pieces, how="diagonal") if pieces else None

    # -- taking runs out ---------------------------------------------------------------------------------------

    def cell_runs(self, asked: Mapping[int, int]) -> dict[int, CellRuns]:
        """Runs of cells up to the number that is asked of each; their files outlast the store."""
        found = {cell: CellRuns() for cell in asked}
        self._take_waiting(found, asked)
        self._take_parts(found, asked)
        self._take_results(found, asked)
        return found

    def _take_waiting(self, found: Mapping[int, CellRuns], asked: Mapping[int, int]) -> None:
        """Runs that are in no part, cell by cell: their rows make one frame a table."""
        from tailrace.execution import polars_frames

        waiting = sorted([*self.waiting_runs(), *self._unwritten], key=lambda run: (run.cell, run.run))
        for cell, several in itertools.groupby(waiting, key=lambda run: run.cell):
            runs = [run for run in several if run.run <= asked.get(cell, 0)]
            if not runs:
                continue
            own = found[cell]
            own.entries |= {run.run: json.loads(run.summary) for run in runs}
            for name, alike in _native.join([(0, run.run, run.tables) for run in runs]).items():
                own.rows.setdefault(name, {})[ALL_RUNS] = polars_frames.joined(alike).drop("cell")
            for run in runs:
                self._take_captures(own, cell, run.run)

    def _take_parts(self, found: Mapping[int, CellRuns], asked: Mapping[int, int]) -> None:
        """Runs that wrote their series to files while they went on: a part each."""
        from tailrace.execution import polars_frames

        known = self.index.parts()
        for cell, run, _, _, _, part in self.index.runs():
            if part is None or run > asked.get(cell, 0):
                continue
            own = found[cell]
            kept = adopted(
                self.outlasting, [self.place / parts.file_name(part, name) for name in known[part]]
            )
            frames = {
                name: polars_frames.scan([file]).drop("cell")
                for name, file in zip(known[part], kept, strict=True)
            }
            own.entries[run] = json.loads(frames.pop(parts.SUMMARIES).collect()["summary"][0])
            frames.pop(parts.FIGURES, None)
            for name, rows in frames.items():
                own.by_run(name)[run] = rows
            own.holders.append(self.outlasting)
            self._take_captures(own, cell, run)

    def _take_captures(self, own: CellRuns, cell: int, run: int) -> None:
        files = captures(self.place, [(cell, run)])
        if files:
            own.captures += [Capture(run, file.name, file) for file in adopted(self.outlasting, files)]
            own.holders.append(self.outlasting)

    def _take_results(self, found: Mapping[int, CellRuns], asked: Mapping[int, int]) -> None:
        """Runs of the results at the target that are not here."""
        for name, cell in self.index.cells().items():
            result = self._results.get(name)
            if result is None or cell not in asked:
                continue
            own = found[cell]
            for run in result.finished_runs():
                if run.run not in own.entries and run.run <= asked[cell]:
                    own.entries[run.run] = run.entry
                    for table, rows in run.frames.items():
                        own.by_run(table)[run.run] = rows
                    own.captures += run.captures
                    own.holders.append(result)


@contextmanager
def opened(target: Path | None, *, fresh: bool = False) -> Iterator[WorkingStore]:
    """The working store of a target; where there can be none beside it, one among temporary files.

    Without any run it vanishes at the end; otherwise it stays until it is removed.
    """
    with ExitStack() as around:
        store = _opened(target, around, fresh=fresh)
        if target:
            store.outlasting = Spill(target.absolute().parent)
            store.know({} if fresh else _results_at(target))
        try:
            yield store
        finally:
            if target is None or not store.has_runs:
                store.remove()


def place_of(target: Path) -> Path:
    """Where the runs of a result land meanwhile."""
    return target.absolute().with_name(f"{target.absolute().name}{SUFFIX}")


def _opened(target: Path | None, around: ExitStack, *, fresh: bool) -> WorkingStore:
    """The first that can be opened: another command may write beside the target, or its files be damaged."""
    note = []
    if target:
        place = place_of(target)
        try:
            return around.enter_context(WorkingStore.opened(place, {}, fresh=fresh, parts=False))
        except (TailraceError, OSError) as error:
            note = [f"runs of {target} land among temporary files, since {place} cannot be used: {error}"]
    holder = Spill()
    around.callback(holder.close)
    store = around.enter_context(WorkingStore.opened(holder.folder() / "runs", {}, parts=False))
    store.holder = holder
    store.notes += note
    return store


def _results_at(target: Path) -> dict[str, Result]:
    """Results of this engine that stand at a target, by the id of their cell; of unreadable ones the runs are done
    anew.
    """
    from tailrace.data import comparison

    found = {}
    with suppress(TailraceError, OSError):
        if ownership.holding(target) is Holding.RESULT:
            source = comparison.opened([target])
            results = list(source.results.values()) if isinstance(source, comparison.Comparison) else [source]
            for result in results:
                if result.manifest.get("engine") == identity.ENGINE and "cell" in result.manifest:
                    found[str(result.manifest["cell"])] = result
    return found

"""A folder of runs: one command writes, any number read.

    manifest.json    whose the folder is, and in which format
    index.sqlite     cells, runs, failures, and where the data of runs are
    waiting/         files with the tables of runs that are in no part yet
    parts/           Parquet files with the tables of many runs each
    captures/        a folder a run that captured something
    lock             held by the command that writes

A run lands with one transaction of the index, which it may share with others. What a killed command leaves beside the
index (files of a part that was not entered, captures of a run that did not land) is cleared away by the next one that
writes.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self

from tailrace.data.store import parts, waiting
from tailrace.data.store.index import ENGINE, FILE, Files, Index, Landed, unwritable
from tailrace.errors import TailraceError, UsageError
from tailrace.execution import capture
from tailrace.execution.capture import Capture
from tailrace.execution.streaming import Spill
from tailrace.system import folder_sync, ownership, path_errors, staging, write_lock
from tailrace.system.ownership import Holding

if TYPE_CHECKING:
    import polars as pl

# Files that commands write about the runs.
TABLES = frozenset({"table.md", "table.csv"})
LOCK, CAPTURES = "lock", "captures"
# A part is written when so much waits for one: large enough to read fast, small enough to hold in memory thrice.
PART_BYTES = 64 << 20

# Retries of a reader for runs that a writer has moved meanwhile.
_LOOKS = 5

Landing = Landed


def is_store(place: Path) -> bool:
    """Whether a folder holds runs that have landed."""
    return ownership.kind(place) == ownership.STORE


class Reader:
    """Reader of the runs stored so far; a command may be writing meanwhile."""

    def __init__(self, place: Path) -> None:
        if not place.is_dir():
            raise path_errors.missing(place)
        if not is_store(place):
            raise path_errors.foreign(place, "sweep's", f"it has no {ownership.MANIFEST} that says so")
        self.place = place
        self._index = Index(place, writing=False)
        if self._index.is_empty() and parts.unknown(place, {}):
            raise UsageError(
                f"{place / FILE} was emptied, and finished runs lie in {place / parts.FOLDER}: repeat the command that "
                "wrote them, which takes them back"
            )

    @property
    def index(self) -> Index:
        """Cells, runs and failures."""
        return self._index

    def close(self) -> None:
        """Lets go of the files."""
        self._index.close()

    def tables(self) -> list[str]:
        """The names of all tables."""
        found = dict.fromkeys(name for files in self._index.parts().values() for name in files)
        for run in self.waiting_runs():
            found |= dict.fromkeys(name for name in parts.frames([run]))
        return list(found)

    def waiting_runs(self) -> list[Landed]:
        """The runs that are in no part yet, with their tables. A writer may move them into one meanwhile."""
        for _ in range(_LOOKS):
            with suppress(FileNotFoundError):
                return list(self._index.waiting())
        raise UsageError(f"{self.place} changes too fast to be read: try again when its command has ended")

    def landed(self) -> set[tuple[int, int]]:
        """Cell and number of every run that need not be done again."""
        return {(cell, run) for cell, run, *_ in self._index.runs()}

    def scan(self, table: str) -> pl.LazyFrame | None:
        """A table of all runs, read when it is collected; None where no run has it."""
        import polars as pl

        found = self._pieces(table)
        return pl.concat(found, how="diagonal") if found else None

    def _pieces(self, table: str) -> list[pl.LazyFrame]:
        """Rows of each part, and of runs in none yet, in order of cells and runs."""
        import polars as pl

        files = [
            self.place / parts.file_name(part, table)
            for part, files in self._index.parts().items()
            if table in files
        ]
        found = [pl.scan_parquet(file, glob=False, hive_partitioning=False) for file in files]
        runs = self.waiting_runs()
        if runs and table in (fresh := parts.frames(runs)):
            found.append(fresh[table].lazy())
        return found

    def frame(self, table: str, *, categories: bool = False) -> pl.DataFrame | None:
        """The same, read, in order of cells and runs; with words as categories it takes a third of the memory."""
        import polars as pl

        pieces = self._pieces(table)
        if not pieces:
            return None
        scan = pl.concat(pieces, how="diagonal")
        if categories:
            scan = scan.with_columns(pl.col(pl.String).cast(pl.Categorical))
        try:
            found = scan.collect()
            return found if len(pieces) == 1 else found.sort("cell", "run", maintain_order=True)
        except (pl.exceptions.PolarsError, OSError) as error:
            raise UsageError(
                f"{self._damaged(table)} cannot be read: {error}; repeat the command that wrote it"
            ) from None
        except pl.exceptions.PanicException as panic:
            raise UsageError(
                f"{self._damaged(table)} is damaged ({panic}); repeat the command that wrote it"
            ) from None

    def _damaged(self, table: str) -> str:
        """The files of a table that are not what was written."""
        bad = [
            parts.file_name(part, table)
            for part, files in self._index.parts().items()
            if table in files and not parts.intact(self.place, part, {table: files[table]})
        ]
        return ", ".join(str(self.place / name) for name in bad) or str(self.place)

    def summary(self, cell: int) -> dict[str, Any] | None:
        """The entry of the result contract of the cell's first run."""
        import polars as pl

        scan = self.scan(parts.SUMMARIES)
        if scan is None:
            return None
        rows = scan.filter(pl.col("cell") == cell).sort("run").head(1).collect()
        found: dict[str, Any] | None = json.loads(rows["summary"][0]) if rows.height else None
        return found


class Writer(Reader):
    """The one that writes."""

    def __init__(self, place: Path, *, parts: bool = True) -> None:
        self.place = place
        self._index = Index(place, writing=True)
        self._makes_parts = parts
        self._removed = False
        # Where long series of runs under way are.
        self.spill = Spill(place)
        self._waiting = self._index.waiting_bytes()
        self._appender = waiting.Appender(place)
        # Tables that wait for a part, as far as this writer has them in memory.
        self._held: dict[tuple[int, int], bytes] = {}
        # Damage found, for messages to the user.
        self.notes: list[str] = []

    @classmethod
    @contextmanager
    def opened(
        cls, place: Path, about: Mapping[str, Any], *, fresh: bool = False, parts: bool = True
    ) -> Iterator[Self]:
        """The store in a folder, made where there is none; `about` goes into its manifest, `fresh` empties it.

        Without `parts` everything stays in the index: for what is taken out again soon.
        """
        _claim(place, about)
        with write_lock.held(place / LOCK, place):
            writer = cls(place, parts=parts)
            try:
                ownership.describe(place, about)
                if fresh:
                    writer.empty()
                elif writer.index.is_empty():
                    writer.recover()
                writer.settle()
                yield writer
                writer.finish()
            finally:
                writer.spill.close()
                writer.close_files()
                writer.close()

    def recover(self) -> None:
        """Takes back the parts that lie beside an index that knows of nothing, since it was removed or emptied.

        Raises `UsageError` where parts do not say whose their runs are: nothing is removed.
        """
        there = sorted(parts.unknown(self.place, {}))
        if not there:
            return
        missing = self.place / FILE
        found = [one for part in there if (one := parts.found(self.place, part))]
        if not found:
            raise UsageError(
                f"{missing} is gone or was emptied, and {self.place / parts.FOLDER} has {len(there)} parts with "
                f"finished runs, which do not say whose they are: bring {FILE} back; --fresh begins anew and removes "
                "them, -o leaves them"
            )
        cells, whole = parts.fitting(found)
        self._index.take_back(whole[0].engine, cells, [(one.part, one.files, one.runs) for one in whole])
        taken = sum(len(one.runs) for one in whole)
        self.notes.append(
            f"{missing} was gone or emptied: {taken} finished runs were taken back from {self.place / parts.FOLDER}"
        )
        if lost := len(there) - len(whole):
            self.notes.append(f"{lost} parts are damaged or not whole: their runs are done anew")

    def settle(self) -> None:
        """Clears away what a killed command left, and forgets the runs of files that are not what was written."""
        known = self._index.parts()
        for part in parts.unknown(self.place, known):
            parts.remove(self.place, part)
        for part, files in known.items():
            if not parts.intact(self.place, part, files):
                gone = self._index.drop_part(part)
                self.notes.append(
                    f"{self.place / parts.FOLDER}/{part:06d}-* is damaged or not whole: its {gone} runs are done anew"
                )
                parts.remove(self.place, part)
        self._settle_waiting()
        self._settle_captures()
        staging.clear(self.place)

    def _settle_waiting(self) -> None:
        """Forgets runs whose tables are not what was written, and removes files of transactions that did not happen."""
        files = self._index.waiting_files()
        lost = [run for run, where in files.items() if not waiting.is_intact(self.place, where)]
        if lost:
            self._index.drop_runs(lost)
            self.notes.append(
                f"{self.place / waiting.FOLDER} is damaged or not whole: its {len(lost)} runs are done anew"
            )
        waiting.clear(self.place, (where for run, where in files.items() if run not in set(lost)))

    def _settle_captures(self) -> None:
        folder = self.place / CAPTURES
        captured = self._index.captured()
        wanted = {_capture_name(cell, run) for cell, run in captured}
        found = {entry.name for entry in folder.iterdir()} if folder.is_dir() else set()
        for name in sorted(found - wanted):
            if name.startswith("cell"):
                shutil.rmtree(folder / name)
        lost = [(cell, run) for cell, run in captured if _capture_name(cell, run) not in found]
        if lost:
            self._index.drop_runs(lost)
            self.notes.append(f"captures of {len(lost)} runs are missing from {folder}: these are done anew")

    def land(
        self,
        runs: Sequence[tuple[Landed, Sequence[Capture]]],
        failures: Sequence[tuple[int, int, str]] = (),
    ) -> None:
        """Keeps runs with what they captured (where it is not there already); on return they are on the disk."""
        for run, captures in runs:
            self._keep_captures(run, captures)
        counted = [replace(run, captures=len(captures) or run.captures) for run, captures in runs]
        short = [run for run in counted if not run.files]
        self._index.land(short, self._appended(short), failures)
        if self._makes_parts:
            self._held |= {(run.cell, run.run): run.tables for run in short}
        for run in counted:
            if run.files:
                part, files = self._written(parts.frames([run]), [run], run.files)
                self._index.land_part(part, files, [run])
        self._waiting += sum(run.size for run in short)
        if self._waiting >= PART_BYTES and self._makes_parts:
            self.make_part()

    def _appended(self, runs: Sequence[Landed]) -> list[str]:
        """Where the tables of runs are, which are on the disk now."""
        try:
            return self._appender.append([run.tables for run in runs]) if runs else []
        except OSError as error:
            raise unwritable(self.place / waiting.FOLDER, error.strerror or error) from None

    def close_files(self) -> None:
        """Lets go of the file of waiting runs."""
        self._appender.close()

    def captures_of(self, cell: int, run: int) -> Path:
        """Where the captures of a run are; before it has landed they may be incomplete there."""
        return self.place / CAPTURES / _capture_name(cell, run)

    def name_captures(self, cell: int, run: int, captured: Sequence[str]) -> None:
        """Gives captures that were written by number, `0.pcapng` first, their names."""
        if not captured:
            return
        folder = self.captures_of(cell, run)
        for number, name in enumerate(captured):
            capture.numbered(folder, number).replace(folder / capture.file_name(name))
        folder_sync.sync(folder)

    def _keep_captures(self, run: Landed, captures: Sequence[Capture]) -> None:
        if not captures:
            return
        folder = self.captures_of(run.cell, run.run)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for one in captures:
                file = folder / capture.file_name(one.name)
                one.save(file)
                with file.open("rb") as written:
                    os.fsync(written.fileno())
        except OSError as error:
            raise unwritable(folder, error.strerror or error) from None

    def make_part(self) -> None:
        """Moves what waits into Parquet."""
        runs = list(self._index.waiting(self._held))
        if runs:
            part, files = self._written(parts.frames(runs), runs)
            self._index.move_to_part(part, files, [(run.cell, run.run) for run in runs])
            self._appender.begin_anew(self._index.waiting_files().values())
        self._held.clear()
        self._waiting = 0

    def adopt(
        self, frames: Mapping[str, pl.DataFrame], runs: Sequence[tuple[Landed, Sequence[Path]]]
    ) -> None:
        """Keeps runs that landed in another store as one part, with copies of their captures: all of them or none."""
        for run, captures in runs:
            if captures:
                self._keep_captures(run, [Capture(run.run, file.name, file) for file in captures])
        counted = [replace(run, captures=len(own)) for run, own in runs]
        part, files = self._written(frames, counted)
        self._index.land_part(part, files, counted)

    def _written(
        self,
        frames: Mapping[str, pl.DataFrame],
        runs: Sequence[Landed],
        made: Mapping[str, Path] = MappingProxyType({}),
    ) -> tuple[int, Files]:
        """The files of a new part, which the index does not know yet; those that are made already are taken over."""
        part = max(self._index.parts(), default=0) + 1
        ids = {cell: name for name, cell in self._index.cells().items()}
        owners = parts.owners(runs, ids, self._index.fact(ENGINE))
        try:
            return part, parts.write(self.place, part, frames, made, owners)
        except OSError as error:
            parts.remove(self.place, part)
            raise unwritable(self.place / parts.FOLDER, error.strerror or error) from None

    def finish(self) -> None:
        """Everything is in parts, the index is as small as it can be, and of runs that did not end nothing is left."""
        if self._removed:
            return
        self._settle_captures()
        if self._waiting and self._makes_parts:
            self.make_part()
            self._index.shrink()
        if self._makes_parts:
            waiting.remove(self.place)

    def empty(self) -> None:
        """Forgets everything, and removes its files."""
        self._index.clear()
        for part in parts.unknown(self.place, {}):
            parts.remove(self.place, part)
        self._appender.begin_anew(())
        self._held.clear()
        # They show what is no longer there.
        for name in TABLES & ownership.own_files(self.place):
            (self.place / name).unlink(missing_ok=True)
        self._settle_captures()
        self._waiting = 0

    def remove(self) -> None:
        """Takes the store away, also on a full disk; what others put into its folder stays there."""
        with suppress(TailraceError, OSError):
            self.empty()
        self.spill.close()
        self._index.close()
        waiting.remove(self.place)
        for name in (FILE, LOCK, ownership.MANIFEST):
            (self.place / name).unlink(missing_ok=True)
        for folder in (self.place / CAPTURES, self.place / parts.FOLDER, self.place):
            with suppress(OSError):
                folder.rmdir()
        self._removed = True


def _claim(place: Path, about: Mapping[str, Any]) -> None:
    """Makes the folder a store, or refuses one that holds something else."""
    try:
        holding = ownership.holding(place)
    except OSError as error:
        raise path_errors.unwritable(place, error) from None
    if holding is not Holding.NOTHING and not is_store(place):
        kept = {Holding.LATER: "a result of a later version of tailrace", Holding.FOREIGN: "something else"}
        raise UsageError(
            f"{place} holds {kept.get(holding, 'a result that is no sweep')}; use -o for another folder"
        )
    try:
        place.mkdir(parents=True, exist_ok=True)
        if not is_store(place):
            ownership.seal(place, ownership.STORE, about)
    except OSError as error:
        raise path_errors.unwritable(place, error) from None


def _capture_name(cell: int, run: int) -> str:
    return f"cell{cell}-run{run}"


def captures(place: Path, runs: Iterable[tuple[int, int]]) -> list[Path]:
    """The capture files of runs."""
    return [
        file
        for cell, run in runs
        for file in sorted((place / CAPTURES / _capture_name(cell, run)).glob(f"*{capture.SUFFIX}"))
    ]

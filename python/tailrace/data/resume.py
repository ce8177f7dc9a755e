"""Resuming of `run` and `compare`: finds finished runs, and keeps new ones whatever ends the command.

Runs are taken over from the result that stands at the target, where scenario and engine are the same: `--runs 5` after
`--runs 3` does two more. While a command takes longer than a moment its runs land in a store beside the target
(`NAME.unfinished`), which is taken away when the result is saved: a killed command loses the runs under way, no others.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self, TypeAlias

from tailrace import _native
from tailrace.errors import TailraceError
from tailrace.execution.capture import Capture
from tailrace.execution.execute import FinishedRun, Job
from tailrace.execution.streaming import Spill, adopted
from tailrace.system import ownership
from tailrace.system.ownership import Holding

if TYPE_CHECKING:
    from tailrace.data.store import Reader, Writer

# Shorter runs are done again as fast as they are read.
_WORTH_LANDING_S = 2.0

_ENGINE = "engine"

# Cell and run.
Key: TypeAlias = tuple[str, int]


class Resumption:
    """Resuming of one command with one target: runs that it finds there, and where its runs are stored."""

    def __init__(self, target: Path | None, *, fresh: bool = False) -> None:
        self._target = target
        self._fresh = fresh
        self._begun = time.monotonic()
        self._ids: dict[int, str] = {}
        self._late: list[tuple[Job, FinishedRun]] = []
        self._writer: Writer | None = None
        self._open = ExitStack()
        # Beside the target, where there is room for the result.
        self.spill = Spill(target.absolute().parent if target else None)
        # Number of runs found.
        self.found = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Lets go of the store; what landed stays in it unless `over` was said."""
        self._open.close()

    @property
    def place(self) -> Path | None:
        """Where runs land meanwhile."""
        return self._target and self._target.absolute().with_name(
            f"{self._target.absolute().name}.unfinished"
        )

    def known(self, jobs: Sequence[Job]) -> dict[int, FinishedRun]:
        """The runs that are there already, by their place among the jobs."""
        if self._target is None or self._fresh:
            return {}
        there = self._of_result()
        if self.place and self.place.is_dir():
            there |= self._landed()
        wanted = {place: there.get((self._id(job), job.run)) for place, job in enumerate(jobs)}
        found = {place: run for place, run in wanted.items() if run}
        self.found += len(found)
        return found

    def keep(self, ended: Sequence[tuple[Job, FinishedRun]]) -> None:
        """Some more runs have ended."""
        self._late += ended
        if self._target is None or time.monotonic() - self._begun < _WORTH_LANDING_S:
            return
        writer = self._store()
        if writer:
            # A full disk is no reason to stop: the result may still find room elsewhere.
            with suppress(TailraceError, OSError):
                self._land(writer, self._late)
        self._late = []

    def over(self) -> None:
        """The result is saved: what landed is no longer needed."""
        if self.place and self.place.is_dir():
            writer = self._store()
            if writer:
                with suppress(TailraceError, OSError):
                    writer.remove()
        self._open.close()

    def _id(self, job: Job) -> str:
        from tailrace.execution import identity

        key = id(job.scenario)
        if key not in self._ids:
            self._ids[key] = identity.of_cell(job.scenario)
        return self._ids[key]

    def _store(self) -> Writer | None:
        """The store beside the target; None where there can be none, which is no reason not to run."""
        if self._writer is None and self.place:
            from tailrace.data.store import Writer
            from tailrace.execution import identity

            with suppress(TailraceError, OSError):
                opened = Writer.opened(self.place, {}, fresh=self._fresh, parts=False)
                writer = self._open.enter_context(opened)
                if writer.index.fact(_ENGINE) != identity.ENGINE:
                    writer.empty()
                    writer.index.state(_ENGINE, identity.ENGINE)
                self._writer = writer
        return self._writer

    def _landed(self) -> dict[Key, FinishedRun]:
        """Runs of a command that was killed."""
        from tailrace.data.store import Reader
        from tailrace.data.store.store import captures
        from tailrace.execution import identity

        found: dict[Key, FinishedRun] = {}
        with suppress(TailraceError, OSError), closing(Reader(self.place or Path())) as reader:
            if reader.index.fact(_ENGINE) != identity.ENGINE:
                return {}
            names = {cell: name for name, cell in reader.index.cells().items()}
            for run in reader.waiting_runs():
                files = captures(reader.place, [(run.cell, run.run)])
                if len(files) == run.captures:
                    found[names[run.cell], run.run] = FinishedRun(
                        run=run.run,
                        seed=run.seed,
                        fingerprint=run.fingerprint,
                        entry=json.loads(run.summary),
                        raw_tables=_native.unpack(run.tables),
                        captures=self._captured(run.run, files),
                        holder=self.spill,
                    )
            found |= self._long_ones(reader, names)
        return found

    def _long_ones(self, reader: Reader, names: Mapping[int, str]) -> dict[Key, FinishedRun]:
        """Runs whose series are in parts, one each."""
        from tailrace.data.store import parts
        from tailrace.data.store.store import captures
        from tailrace.execution import polars_frames

        found = {}
        known, captured = reader.index.parts(), reader.index.captured()
        for cell, run, seed, fingerprint, _, part in reader.index.runs():
            files = captures(reader.place, [(cell, run)])
            if (
                part is None
                or not parts.intact(reader.place, part, known[part])
                or ((cell, run) in captured) != bool(files)
            ):
                continue
            # The store goes when the result is saved; a result may be asked for its tables later.
            kept = adopted(self.spill, [reader.place / parts.file_name(part, name) for name in known[part]])
            frames = {
                name: polars_frames.scan([file]).drop("cell")
                for name, file in zip(known[part], kept, strict=True)
            }
            found[names[cell], run] = FinishedRun(
                run=run,
                seed=seed,
                fingerprint=fingerprint,
                entry=json.loads(frames.pop(parts.SUMMARIES).collect()["summary"][0]),
                raw_tables={},
                captures=self._captured(run, files),
                frames=frames,
                holder=self.spill,
            )
        return found

    def _captured(self, run: int, files: Sequence[Path]) -> list[Capture]:
        """Captures in the store, where they stay when that goes."""
        kept = adopted(self.spill, files) if files else []
        return [Capture(run, file.name, file) for file in kept]

    def _of_result(self) -> dict[Key, FinishedRun]:
        """Runs of the result or comparison that stands at the target."""
        from tailrace.data.comparison import Comparison, opened
        from tailrace.execution import identity

        if self._target is None or ownership.holding(self._target) is not Holding.RESULT:
            return {}
        found: dict[Key, FinishedRun] = {}
        # Unreadable runs are done again.
        with suppress(TailraceError, OSError):
            source = opened([self._target])
            for result in source.results.values() if isinstance(source, Comparison) else [source]:
                if result.manifest.get("engine") == identity.ENGINE and "cell" in result.manifest:
                    found |= {(str(result.manifest["cell"]), run.run): run for run in result.finished_runs()}
        return found

    def _land(self, writer: Writer, runs: Sequence[tuple[Job, FinishedRun]]) -> None:
        from tailrace.data.store import Landing

        ids = list(dict.fromkeys(self._id(job) for job, _ in runs))
        numbers = dict(zip(ids, writer.index.add_cells(ids), strict=True))
        landings = [
            (
                Landing(
                    cell=numbers[self._id(job)],
                    run=run.run,
                    seed=run.seed,
                    fingerprint=run.fingerprint,
                    wall_s=run.entry["engine"]["wall_s"],
                    summary=json.dumps(run.entry),
                    tables=_native.pack(run.raw_tables),
                    files=self._files(run, numbers[self._id(job)]),
                ),
                run.captures,
            )
            for job, run in runs
        ]
        writer.land(landings)

    def _files(self, run: FinishedRun, cell: int) -> dict[str, Path]:
        """The tables that left a run while it went on, as stores have them."""
        if not run.frames:
            return {}
        import polars as pl

        from tailrace.execution import polars_frames

        folder = self.spill.folder()
        for name, rows in run.frames.items():
            placed = rows.lazy().select(pl.lit(cell, pl.UInt32).alias("cell"), pl.all())
            polars_frames.sink(placed, folder / f"{name}.parquet")
        return {name: folder / f"{name}.parquet" for name in run.frames}

"""Rows of runs that leave them while they go on: on the disk instead of in memory.

A run hands out rows of its series when there is a chunk of them; each goes into a Parquet file of its own, in a hidden
folder that vanishes with whoever holds it, or is cleared away by the next command if its maker was killed. What is made
of the chunks (a table of a result, a part of a store) is written from them in a stream.
"""

from __future__ import annotations

import os
import tempfile
import threading
import weakref
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from tailrace import _native
from tailrace.system import staging

if TYPE_CHECKING:
    import polars as pl

# Rows that leave together; runs that record less keep them in memory.
AT_ONCE_BYTES = _native.ROWS_AT_ONCE_BYTES

RawTables: TypeAlias = Mapping[str, Mapping[str, tuple[str, bytes, list[str]]]]


class Spill:
    """A hidden folder in another (or where temporary files go), made when something goes into it."""

    def __init__(self, parent: Path | None = None) -> None:
        self._parent = parent
        self._stack = ExitStack()
        self._folder: Path | None = None
        self._lock = threading.Lock()
        self._count = 0
        # Also where the interpreter ends; a copy of this process is not the one to clear away.
        self.close = weakref.finalize(self, _close, self._stack, os.getpid())

    def folder(self) -> Path:
        """A fresh folder in it."""
        with self._lock:
            if self._folder is None:
                parent = self._parent or Path(tempfile.gettempdir())
                parent.mkdir(parents=True, exist_ok=True)
                self._folder = self._stack.enter_context(staging.work(parent)).new
            self._count += 1
            made = self._folder / str(self._count)
            made.mkdir()
            return made


def _close(stack: ExitStack, process: int) -> None:
    if os.getpid() == process:
        with suppress(OSError):
            stack.close()


class Rows:
    """The rows of one run: called with those that leave it. With a `cell` they are as stores have them."""

    def __init__(self, spill: Spill, run: int, cell: int | None = None) -> None:
        # Owner that keeps the files, too.
        self._spill = spill
        self._run = run
        self._cell = cell
        self._folder: Path | None = None
        self._chunks: dict[str, list[Path]] = {}

    def __bool__(self) -> bool:
        """Whether any came."""
        return bool(self._chunks)

    def __call__(self, raw: RawTables) -> None:
        """Writes a chunk of each table that has rows."""
        from tailrace.execution import polars_frames

        for name, columns in raw.items():
            frame = polars_frames.frame(columns, self._run, self._cell)
            if frame.height:
                polars_frames.write(frame, self._place(name))

    def folder(self) -> Path:
        """Where files of the run are."""
        if self._folder is None:
            self._folder = self._spill.folder()
        return self._folder

    def _place(self, name: str) -> Path:
        chunks = self._chunks.setdefault(name, [])
        chunks.append(self.folder() / f"{name}-{len(chunks)}.parquet")
        return chunks[-1]

    def finish(self, raw: RawTables) -> dict[str, Mapping[str, tuple[str, bytes, list[str]]]]:
        """Takes what is left of tables that came in chunks; the others are given back."""
        began = set(self._chunks)
        self({name: columns for name, columns in raw.items() if name in began})
        return {name: columns for name, columns in raw.items() if name not in began}

    def packed(self, output: _native.Output) -> bytes:
        """The run's other tables as one piece, after its last rows of those that came in chunks."""
        return _native.pack(self.finish(output.tables())) if self else output.packed()

    def scans(self) -> dict[str, pl.LazyFrame]:
        """The tables that came in chunks, whole, read when they are collected."""
        from tailrace.execution import polars_frames

        return {name: polars_frames.scan(chunks) for name, chunks in self._chunks.items()}

    def settle(self) -> dict[str, Path]:
        """Joins the chunks of each table to one file."""
        from tailrace.execution import polars_frames

        whole = {}
        for name, scan in self.scans().items():
            whole[name] = self._chunks[name][0].with_name(f"{name}.parquet")
            polars_frames.sink(scan, whole[name])
            for chunk in self._chunks.pop(name):
                chunk.unlink()
        return whole


def adopted(spill: Spill, files: Sequence[Path]) -> list[Path]:
    """The same files under names of the spill's own, so that they outlast those."""
    folder = spill.folder()
    for file in files:
        try:
            (folder / file.name).hardlink_to(file)
        except OSError:
            (folder / file.name).write_bytes(file.read_bytes())
    return [folder / file.name for file in files]

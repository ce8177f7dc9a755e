"""Runs of one store for another: read part by part, with the numbers that cells have there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from tailrace.data.store import parts
from tailrace.data.store.index import Landed
from tailrace.data.store.store import PART_BYTES, Reader, Writer, captures
from tailrace.errors import UsageError

if TYPE_CHECKING:
    import polars as pl


@dataclass
class Piece:
    """Some runs with their tables and the files of their captures."""

    frames: dict[str, pl.DataFrame] = field(default_factory=dict)
    runs: list[tuple[Landed, list[Path]]] = field(default_factory=list)

    @property
    def size(self) -> int:
        """Bytes of its tables."""
        return sum(int(frame.estimated_size()) for frame in self.frames.values())


def copy(source: Reader, writer: Writer, numbers: Mapping[int, int], held: Piece) -> Piece:
    """Copies the runs that the other does not have; what is too little for a part of its own is held for the next.

    `numbers` has the cells that are wanted, with their numbers there. Whoever calls gives what is held to `settle`.
    """
    there = {(cell, run) for cell, run, *_ in writer.index.runs()}
    there |= {(run.cell, run.run) for run, _ in held.runs}
    for piece in _pieces(source, numbers, there):
        held = _joined(held, piece)
        if held.size >= PART_BYTES:
            settle(writer, held)
            held = Piece()
    return held


def settle(writer: Writer, held: Piece) -> None:
    """Writes what is held."""
    if held.runs:
        frames = {name: frame.sort("cell", "run", maintain_order=True) for name, frame in held.frames.items()}
        writer.adopt(frames, held.runs)


def _joined(held: Piece, piece: Piece) -> Piece:
    import polars as pl

    if not held.runs:
        return piece
    names = dict.fromkeys([*held.frames, *piece.frames])
    both = {name: [p.frames[name] for p in (held, piece) if name in p.frames] for name in names}
    frames = {name: pl.concat(found, how="diagonal") for name, found in both.items()}
    return Piece(frames, [*held.runs, *piece.runs])


def _pieces(source: Reader, numbers: Mapping[int, int], there: set[tuple[int, int]]) -> Iterator[Piece]:
    """The parts of a store, as far as they are wanted, and what is in none yet."""

    def wanted(cell: int, run: int) -> bool:
        return cell in numbers and (numbers[cell], run) not in there

    by_part: dict[int, list[Landed]] = {}
    for cell, run, seed, fingerprint, wall_s, part in source.index.runs():
        if part is not None and wanted(cell, run):
            by_part.setdefault(part, []).append(Landed(cell, run, seed, fingerprint, wall_s, "", b""))
    known = source.index.parts()
    for part, runs in by_part.items():
        yield _renumbered(source, _read(source, part, known[part]), runs, numbers)
    waiting = [run for run in source.waiting_runs() if wanted(run.cell, run.run)]
    if waiting:
        yield _renumbered(source, parts.frames(waiting), waiting, numbers)


def _read(source: Reader, part: int, files: Mapping[str, Mapping[str, str | int]]) -> dict[str, pl.DataFrame]:
    import polars as pl

    bad = [
        parts.file_name(part, name)
        for name, about in files.items()
        if not parts.intact(source.place, part, {name: about})
    ]
    if bad:
        raise UsageError(
            f"{source.place / bad[0]} is damaged or missing: the command that wrote {source.place} mends it"
        )
    return {name: pl.read_parquet(source.place / parts.file_name(part, name), glob=False) for name in files}


def _renumbered(
    source: Reader, frames: Mapping[str, pl.DataFrame], runs: list[Landed], numbers: Mapping[int, int]
) -> Piece:
    import polars as pl

    wanted = pl.DataFrame(
        {
            "cell": pl.Series([r.cell for r in runs], dtype=pl.UInt32),
            "run": pl.Series([r.run for r in runs], dtype=pl.UInt32),
            "there": pl.Series([numbers[r.cell] for r in runs], dtype=pl.UInt32),
        }
    )
    kept = {
        name: frame.join(wanted, on=["cell", "run"], how="inner", maintain_order="left")
        .with_columns(cell="there")
        .drop("there")
        for name, frame in frames.items()
    }
    captured = source.index.captured()
    landed = []
    for run in runs:
        key = (run.cell, run.run)
        own = captures(source.place, [key]) if key in captured else []
        if key in captured and not own:
            raise UsageError(
                f"captures of {source.place} are missing: the command that wrote it does their runs again"
            )
        landed.append((replace(run, cell=numbers[run.cell], summary="", tables=b""), own))
    return Piece(kept, landed)

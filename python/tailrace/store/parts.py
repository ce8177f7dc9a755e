"""Parts of a store: Parquet files that hold many runs each, one file a table."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tailrace.store.index import Landed
from tailrace.store.packing import unpacked

if TYPE_CHECKING:
    import polars as pl

FOLDER = "parts"
# Every number of the runs' summaries, a row each; and the summaries themselves.
FIGURES, SUMMARIES = "figures", "summaries"
# What a summary has figures of, as the table calls one of each.
_SECTIONS = {"groups": "group", "queues": "queue", "connections": "connection"}


def file_name(part: int, table: str) -> str:
    """Where a table of a part is, relative to the store."""
    return f"{FOLDER}/{part:06d}-{table}.parquet"


def write(place: Path, part: int, runs: Sequence[Landed]) -> dict[str, dict[str, str | int]]:
    """Writes a part; on return its files are on the disk. Of each the size and a hash."""
    from tailrace import tables

    (place / FOLDER).mkdir(exist_ok=True)
    files: dict[str, dict[str, str | int]] = {}
    for name, frame in frames(runs).items():
        file = place / file_name(part, name)
        tables.write(frame, file)
        with file.open("rb") as written:
            os.fsync(written.fileno())
        files[name] = {"bytes": file.stat().st_size, "blake2b": digest(file)}
    _sync(place / FOLDER)
    return files


def frames(runs: Sequence[Landed]) -> dict[str, pl.DataFrame]:
    """All tables of these runs; each begins with `cell` and `run`."""
    import polars as pl

    from tailrace import tables

    rows: dict[str, list[tuple[int, int, Mapping[str, tables.RawColumn]]]] = {}
    for run in runs:
        for name, columns in unpacked(run.tables).items():
            rows.setdefault(name, []).append((run.cell, run.run, columns))
    found = {name: tables.joined(of_runs) for name, of_runs in rows.items()}
    found[FIGURES] = _figures(runs)
    found[SUMMARIES] = pl.DataFrame(
        {
            "cell": pl.Series([r.cell for r in runs], dtype=pl.UInt32),
            "run": pl.Series([r.run for r in runs], dtype=pl.UInt32),
            "summary": pl.Series([r.summary for r in runs], dtype=pl.String),
        }
    )
    return found


def intact(place: Path, part: int, files: Mapping[str, Mapping[str, str | int]]) -> bool:
    """Whether the files of a part are what was written."""
    try:
        return all(
            (place / file_name(part, name)).stat().st_size == about["bytes"]
            and digest(place / file_name(part, name)) == about["blake2b"]
            for name, about in files.items()
        )
    except OSError:
        return False


def remove(place: Path, part: int) -> None:
    """Removes the files of a part that the index does not know."""
    for file in (place / FOLDER).glob(f"{part:06d}-*.parquet"):
        file.unlink()


def unknown(place: Path, known: Mapping[int, object]) -> set[int]:
    """Parts that the index does not know: their writer was killed before they were entered."""
    numbers = {file.name.partition("-")[0] for file in (place / FOLDER).glob("*-*.parquet")}
    return {int(number) for number in numbers if number.isdecimal()} - set(known)


def digest(file: Path) -> str:
    """A hash of a file."""
    with file.open("rb") as content:
        return hashlib.file_digest(content, lambda: hashlib.blake2b(digest_size=16)).hexdigest()


def _sync(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _figures(runs: Sequence[Landed]) -> pl.DataFrame:
    """A row a figure: `cell`, `run`, `window` (null: the whole run), `of`, `name`, `figure`, `value`, `text`."""
    import polars as pl

    columns = _Columns()
    for run in runs:
        entry = json.loads(run.summary)
        columns.add(run.cell, run.run, None, entry)
        for name, window in (entry.get("windows") or {}).items():
            columns.add(run.cell, run.run, name, window)
    return pl.DataFrame(
        {
            "cell": pl.Series(columns.cell, dtype=pl.UInt32),
            "run": pl.Series(columns.run, dtype=pl.UInt32),
            "window": pl.Series(columns.window, dtype=pl.String),
            "of": pl.Series(columns.of, dtype=pl.String),
            "name": pl.Series(columns.name, dtype=pl.String),
            "figure": pl.Series(columns.figure, dtype=pl.String),
            "value": pl.Series(columns.value, dtype=pl.Float64),
            "text": pl.Series(columns.text, dtype=pl.String),
        }
    )


class _Columns:
    """Rows in the making."""

    def __init__(self) -> None:
        self.cell: list[int] = []
        self.run: list[int] = []
        self.window: list[str | None] = []
        self.of: list[str] = []
        self.name: list[str] = []
        self.figure: list[str] = []
        self.value: list[float | None] = []
        self.text: list[str | None] = []

    def add(self, cell: int, run: int, window: str | None, entry: Mapping[str, Any]) -> None:
        """All figures of one run, or of a window of it."""
        for section, of in _SECTIONS.items():
            for name, tree in (entry.get(section) or {}).items():
                before = len(self.figure)
                for figure, value in leaves(tree):
                    is_text = isinstance(value, str)
                    self.figure.append(figure)
                    self.value.append(None if is_text or value is None else float(value))
                    self.text.append(value if is_text else None)
                more = len(self.figure) - before
                self.cell += [cell] * more
                self.run += [run] * more
                self.window += [window] * more
                self.of += [of] * more
                self.name += [name] * more


def leaves(tree: object, path: str = "") -> Iterator[tuple[str, Any]]:
    """The numbers and words of a tree with their paths, such as `goodput_bps.sum`; lists count from 0."""
    if isinstance(tree, dict):
        for key, value in tree.items():
            if isinstance(value, dict | list):
                yield from leaves(value, f"{path}{key}.")
            else:
                yield f"{path}{key}", value
    elif isinstance(tree, list):
        for position, value in enumerate(tree):
            if isinstance(value, dict | list):
                yield from leaves(value, f"{path}{position}.")
            else:
                yield f"{path}{position}", value

"""Parts of a store: Parquet files that hold many runs each, one file a table."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tailrace import _native
from tailrace.data.store.index import Landed
from tailrace.system import folder_sync

if TYPE_CHECKING:
    import polars as pl

FOLDER = "parts"
# Every number of the runs' summaries, a row each; and the summaries themselves.
FIGURES, SUMMARIES = "figures", "summaries"


def file_name(part: int, table: str) -> str:
    """Where a table of a part is, relative to the store."""
    return f"{FOLDER}/{part:06d}-{table}.parquet"


def write(
    place: Path, part: int, frames: Mapping[str, pl.DataFrame], made: Mapping[str, Path] | None = None
) -> dict[str, dict[str, str | int]]:
    """Writes a part, or takes over files of it; on return they are on the disk. Of each the size and a hash."""
    from tailrace.execution import polars_frames

    (place / FOLDER).mkdir(exist_ok=True)
    files: dict[str, dict[str, str | int]] = {}
    for name in (*frames, *(made or {})):
        file = place / file_name(part, name)
        if name in frames:
            polars_frames.write(frames[name], file)
        elif made:
            made[name].replace(file)
        with file.open("rb") as written:
            os.fsync(written.fileno())
        files[name] = {"bytes": file.stat().st_size, "blake2b": digest(file)}
    folder_sync.sync(place / FOLDER)
    return files


def frames(runs: Sequence[Landed]) -> dict[str, pl.DataFrame]:
    """All tables of these runs; each begins with `cell` and `run`."""
    import polars as pl

    from tailrace.execution import polars_frames
    from tailrace.stats import numbers

    together = _native.join([(r.cell, r.run, r.tables) for r in runs])
    found = {name: polars_frames.joined(alike) for name, alike in together.items()}
    found[FIGURES] = numbers.of_texts([(r.cell, r.run, r.summary) for r in runs])
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

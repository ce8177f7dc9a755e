"""Parts of a store: Parquet files that hold many runs each, one file a table."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tailrace import _native
from tailrace.data.store.index import ENGINE, Files, Landed
from tailrace.system import folder_sync, ownership

if TYPE_CHECKING:
    import polars as pl

FOLDER = "parts"
# Every number of the runs' summaries, a row each; and the summaries themselves.
FIGURES, SUMMARIES = "figures", "summaries"
# Columns of the summaries that say, without the index, whose the runs are and which files belong to the part.
_ID, _FILES = "id", "files"
_OF_RUNS = ("seed", "fingerprint", "wall_s", "captures")
_KEPT = (_ID, *_OF_RUNS, ENGINE, _FILES)


def file_name(part: int, table: str) -> str:
    """Where a table of a part is, relative to the store."""
    return f"{FOLDER}/{part:06d}-{table}.parquet"


def write(
    place: Path,
    part: int,
    frames: Mapping[str, pl.DataFrame],
    made: Mapping[str, Path],
    owners: pl.DataFrame,
) -> Files:
    """Writes a part, or takes over files of it; on return they are on the disk. Of each the size and a hash.

    `owners` says of its runs whose they are. With that the summaries are written, last of all: where they are, the
    part is whole.
    """
    from tailrace.execution import polars_frames

    (place / FOLDER).mkdir(exist_ok=True)
    files: dict[str, dict[str, str | int]] = {}
    for name in sorted((*frames, *made), key=SUMMARIES.__eq__):
        file = place / file_name(part, name)
        if name == SUMMARIES:
            folder_sync.sync(place / FOLDER)
            polars_frames.write(_owned(frames[name], owners, files), file)
        elif name in frames:
            polars_frames.write(frames[name], file)
        else:
            made[name].replace(file)
        with file.open("rb") as written:
            os.fsync(written.fileno())
        files[name] = _about(file)
    folder_sync.sync(place / FOLDER)
    return files


def _about(file: Path) -> dict[str, str | int]:
    return {"bytes": file.stat().st_size, "blake2b": ownership.digest(file)}


def owners(runs: Sequence[Landed], ids: Mapping[int, str], engine: str | None) -> pl.DataFrame:
    """Whose runs are: the ids of their cells by number, what the index says of each, and the engine that did them."""
    import polars as pl

    return pl.DataFrame(
        {
            "cell": pl.Series([r.cell for r in runs], dtype=pl.UInt32),
            "run": pl.Series([r.run for r in runs], dtype=pl.UInt32),
            _ID: pl.Series([ids[r.cell] for r in runs], dtype=pl.String),
            "seed": pl.Series([str(r.seed) for r in runs], dtype=pl.String),
            "fingerprint": pl.Series([r.fingerprint for r in runs], dtype=pl.String),
            "wall_s": pl.Series([r.wall_s for r in runs], dtype=pl.Float64),
            "captures": pl.Series([r.captures for r in runs], dtype=pl.UInt32),
            ENGINE: pl.Series([engine] * len(runs), dtype=pl.String),
        }
    )


def _owned(summaries: pl.DataFrame, owners: pl.DataFrame, files: Files) -> pl.DataFrame:
    """Summaries with the owners of runs, and what the other files of the part are."""
    import polars as pl

    bare = summaries.drop(_KEPT, strict=False)
    found = bare.join(owners, on=["cell", "run"], how="left", maintain_order="left")
    first = pl.int_range(pl.len()) == 0
    return found.with_columns(pl.when(first).then(pl.lit(json.dumps(files))).alias(_FILES))


@dataclass(frozen=True)
class Found:
    """A part that no index knows, as its own files describe it."""

    part: int
    files: Files
    runs: Sequence[Landed]
    ids: Mapping[int, str]
    engine: str | None


def found(place: Path, part: int) -> Found | None:
    """A part by its own files; None where it is not whole, or of a version that wrote nothing of whose its runs are."""
    from tailrace.execution import polars_frames

    file = place / file_name(part, SUMMARIES)
    try:
        rows = polars_frames.read(file)
        if not {*_KEPT} <= {*rows.columns} or rows.is_empty():
            return None
        files: Files = {**json.loads(rows[_FILES][0]), SUMMARIES: _about(file)}
        runs = [
            Landed(cell, run, int(seed), fingerprint, wall_s, "", b"", captures)
            for cell, run, seed, fingerprint, wall_s, captures in rows.select(
                "cell", "run", *_OF_RUNS
            ).iter_rows()
        ]
    except (OSError, ValueError, TypeError):
        return None
    ids = dict(zip(rows["cell"].to_list(), rows[_ID].to_list(), strict=True))
    return Found(part, files, runs, ids, rows[ENGINE][0]) if intact(place, part, files) else None


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


def fitting(found: Sequence[Found]) -> tuple[dict[int, str], list[Found]]:
    """Cells by number, and the parts of one engine that agree about them and have no runs of earlier ones."""
    cells: dict[int, str] = {}
    runs: set[tuple[int, int]] = set()
    whole = []
    for one in found:
        own = {(run.cell, run.run) for run in one.runs}
        together = {**cells, **one.ids}
        agree = together == {**one.ids, **cells} and len({*together.values()}) == len(together)
        if agree and not own & runs and one.engine == found[0].engine:
            cells, runs = together, runs | own
            whole.append(one)
    return cells, whole


def intact(place: Path, part: int, files: Files) -> bool:
    """Whether the files of a part are what was written."""
    try:
        return all(
            (place / file_name(part, name)).stat().st_size == about["bytes"]
            and ownership.digest(place / file_name(part, name)) == about["blake2b"]
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

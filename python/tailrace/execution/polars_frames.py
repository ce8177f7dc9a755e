"""Columns of the compiled simulator as Polars frames.

Columns cross the boundary as raw little-endian bytes which NumPy wraps, unless they are few, and Polars takes over;
Polars writes the Parquet files. The Arrow and Parquet crates would do the same on the other side for some 95 further
dependencies.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

import polars as pl

RawColumn: TypeAlias = tuple[str, bytes, list[str]]

# Names of column types in a manifest, as in the description of the tables.
_KINDS = {pl.UInt32: "u32", pl.UInt64: "u64", pl.Float64: "f64", pl.String: "text", pl.Categorical: "text"}
_NUMPY = {"u64": "<u8", "u32": "<u4", "f64": "<f8"}
# The same for Python's own views, and for Polars.
_VIEWS = {"u64": ("Q", pl.UInt64), "u32": ("I", pl.UInt32), "f64": ("d", pl.Float64)}
_NO_COUNT = 2**64 - 1
# Columns with so many bytes are sooner read number by number than NumPy has loaded.
_FEW_BYTES = 1 << 18


def frame(columns: Mapping[str, RawColumn], run: int, cell: int | None = None) -> pl.DataFrame:
    """Frame of a table of one run; starts with the column `run`, after `cell` if there is one."""
    series = [_series(name, *raw) for name, raw in columns.items() if name != "run"]
    height = len(series[0]) if series else 0
    known = {"run": run} if cell is None else {"cell": cell, "run": run}
    numbers = [
        pl.repeat(number, height, dtype=pl.UInt32, eager=True).alias(name) for name, number in known.items()
    ]
    return pl.DataFrame([*numbers, *series])


def plain(columns: Mapping[str, RawColumn]) -> pl.DataFrame:
    """A table that is of no run, or has its runs as a column."""
    return pl.DataFrame([_series(name, *raw) for name, raw in columns.items()])


def _series(name: str, dtype: str, raw: bytes, words: list[str]) -> pl.Series:
    if dtype == "text":
        return pl.Series(words, dtype=pl.String).gather(_numbers("u32", raw)).alias(name)
    numbers = _numbers(dtype, raw).alias(name)
    # "None" travels as NaN, and of counts as what none reaches; a null keeps it out of means and maxima.
    if dtype == "f64":
        return numbers.fill_nan(None)
    return numbers.set(numbers == _NO_COUNT, None) if dtype == "u64" else numbers


def _numbers(dtype: str, raw: bytes) -> pl.Series:
    if len(raw) <= _FEW_BYTES and "numpy" not in sys.modules and sys.byteorder == "little":
        form, kind = _VIEWS[dtype]
        return pl.Series(memoryview(raw).cast(form).tolist(), dtype=kind)  # type: ignore[call-overload]
    import numpy as np

    return pl.Series(np.frombuffer(raw, dtype=_NUMPY[dtype]))


def concatenate(frames: Sequence[pl.DataFrame | pl.LazyFrame]) -> pl.DataFrame | pl.LazyFrame:
    """The same table of several runs, in run order; where one of them is on the disk nothing is read."""
    here = [frame for frame in frames if isinstance(frame, pl.DataFrame)]
    if len(here) == len(frames):
        return pl.concat(here, how="diagonal") if here else pl.DataFrame()
    return pl.concat([frame.lazy() for frame in frames], how="diagonal")


def kinds(schema: pl.Schema) -> dict[str, str]:
    """The columns in order, each with what it holds."""
    return {name: _KINDS.get(dtype.base_type(), str(dtype)) for name, dtype in schema.items()}


def write(table: pl.DataFrame, file: Path) -> None:
    """Writes Parquet. A full disk is an `OSError`, as elsewhere."""
    try:
        table.write_parquet(file, compression="zstd")
    except pl.exceptions.ComputeError as error:
        raise OSError(str(error)) from None


def scan(files: Sequence[Path]) -> pl.LazyFrame:
    """Files with rows of one table, one after the other, read when it is collected."""
    return pl.concat(
        [pl.scan_parquet(file, glob=False, hive_partitioning=False) for file in files], how="diagonal"
    )


def sink(rows: pl.LazyFrame, file: Path) -> None:
    """Writes rows that need not fit into memory; they keep their order."""
    try:
        rows.sink_parquet(file, compression="zstd", maintain_order=True)
    except pl.exceptions.ComputeError as error:
        raise OSError(str(error)) from None


def read(file: Path, expected: dict[str, str] | None = None) -> pl.DataFrame:
    """From Parquet; a `ValueError` says what is wrong with it."""
    return collected(opened(file, expected))


def opened(file: Path, expected: dict[str, str] | None = None) -> pl.LazyFrame:
    """Lazy form of `read`: rows are read when it is collected."""
    try:
        table = scan([file])
        found = kinds(table.collect_schema())
    except (pl.exceptions.PolarsError, OSError) as error:
        raise ValueError(str(error)) from None
    if found != (expected or {"run": "u32", **found}):
        raise ValueError(f"its columns are not those that were written: {', '.join(found)}")
    # Text was dictionary-encoded in 0.1.0, which made every filter cast.
    return table.with_columns(pl.col(pl.Categorical).cast(pl.String))


def values(rows: pl.LazyFrame) -> int:
    """Number of values, from the files' metadata."""
    return int(collected(rows.select(pl.len())).item()) * len(rows.collect_schema())


def collected(rows: pl.LazyFrame) -> pl.DataFrame:
    """Collects rows; a `ValueError` says what is wrong with them."""
    try:
        return rows.collect()
    except (pl.exceptions.PolarsError, OSError) as error:
        raise ValueError(str(error)) from None
    except pl.exceptions.PanicException as panic:  # what Polars does with pages that do not fit their header
        raise ValueError(f"its data is damaged ({panic})") from None


def joined(alike: Sequence[Mapping[str, RawColumn]]) -> pl.DataFrame:
    """Frame of a table over many runs, from rows with equal columns that begin with `cell` and `run`.

    Columns that not all runs have are null where they are missing.
    """
    found = [plain(columns) for columns in alike]
    return (
        pl.concat(found, how="diagonal").sort("cell", "run", maintain_order=True)
        if len(found) > 1
        else found[0]
    )

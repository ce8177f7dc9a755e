"""Columns of the compiled simulator as Polars frames.

Columns cross the boundary as raw little-endian bytes which NumPy wraps and Polars takes over; Polars writes the
Parquet files. The Arrow and Parquet crates would do the same on the other side for some 95 further dependencies.
"""

from __future__ import annotations

from pathlib import Path
from typing import TypeAlias

import numpy as np
import polars as pl

RawColumn: TypeAlias = tuple[str, bytes, list[str]]

# How columns are called in a manifest, as in the description of the tables.
_KINDS = {pl.UInt32: "u32", pl.UInt64: "u64", pl.Float64: "f64", pl.String: "text", pl.Categorical: "text"}
_NUMPY = {"u64": "<u8", "u32": "<u4", "f64": "<f8", "text": "<u4"}


def frame(columns: dict[str, RawColumn], run: int) -> pl.DataFrame:
    """One table of one run; it starts with the column `run`."""
    series = [_series(name, *raw) for name, raw in columns.items() if name != "run"]
    height = len(series[0]) if series else 0
    numbers = pl.Series("run", np.full(height, run, dtype=np.uint32))
    return pl.DataFrame([numbers, *series])


def _series(name: str, dtype: str, raw: bytes, words: list[str]) -> pl.Series:
    values = np.frombuffer(raw, dtype=_NUMPY[dtype])
    if dtype == "text":
        return pl.Series(words, dtype=pl.String).gather(pl.Series(values)).alias(name)
    series = pl.Series(name, values)
    # "None" travels as NaN; a null keeps it out of means and maxima.
    return series.fill_nan(None) if dtype == "f64" else series


def concatenate(frames: list[pl.DataFrame]) -> pl.DataFrame:
    """The same table of several runs, in run order."""
    return pl.concat(frames, how="diagonal") if frames else pl.DataFrame()


def kinds(table: pl.DataFrame) -> dict[str, str]:
    """The columns in order, each with what it holds."""
    return {name: _KINDS.get(dtype.base_type(), str(dtype)) for name, dtype in table.schema.items()}


def write(table: pl.DataFrame, file: Path) -> None:
    """As Parquet. A full disk is an `OSError`, as it is everywhere else."""
    try:
        table.write_parquet(file, compression="zstd")
    except pl.exceptions.ComputeError as error:
        raise OSError(str(error)) from None


def read(file: Path, expected: dict[str, str] | None = None) -> pl.DataFrame:
    """From Parquet; a `ValueError` says what is wrong with it."""
    try:
        table = pl.read_parquet(file, glob=False, hive_partitioning=False)
    except (pl.exceptions.PolarsError, OSError) as error:
        raise ValueError(str(error)) from None
    except pl.exceptions.PanicException as panic:  # what Polars does with pages that do not fit their header
        raise ValueError(f"its data is damaged ({panic})") from None
    found = kinds(table)
    if found != (expected or {"run": "u32", **found}):
        raise ValueError(f"its columns are not those that were written: {', '.join(found)}")
    # Text was dictionary-encoded in 0.1.0, which made every filter cast.
    return table.with_columns(pl.col(pl.Categorical).cast(pl.String))

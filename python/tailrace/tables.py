"""Columns of the compiled simulator as Polars frames.

Columns cross the boundary as raw little-endian bytes which NumPy wraps and Polars takes over; Polars writes the
Parquet files. The Arrow and Parquet crates would do the same on the other side for some 95 further dependencies.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import polars as pl

RawColumn: TypeAlias = tuple[str, bytes, list[str]]

# Tables of the result contract, in the order of its description.
TABLES = (
    "flows",
    "queues",
    "flow_series",
    "queue_series",
    "law_series",
    "subflow_series",
    "connection_series",
    "reordering",
    "events",
)

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
        vocabulary = pl.Series(words, dtype=pl.String).cast(pl.Categorical)
        return vocabulary.gather(pl.Series(values)).alias(name)
    series = pl.Series(name, values)
    # "None" travels as NaN; a null keeps it out of means and maxima.
    return series.fill_nan(None) if dtype == "f64" else series


def concatenate(frames: list[pl.DataFrame]) -> pl.DataFrame:
    """The same table of several runs, in run order."""
    return pl.concat(frames, how="diagonal") if frames else pl.DataFrame()

"""Every number of runs' summaries as one tidy frame, a row each: what metrics are looked up in."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tailrace import _native

if TYPE_CHECKING:
    import polars as pl


def frame(runs: Iterable[tuple[int, int, Mapping[str, Any]]]) -> pl.DataFrame:
    """Of runs, each with its cell, its number and its entry of the result contract.

    `cell`, `run`, `window` (null: the whole run), `of`, `name`, `figure`, `value`, `text`.
    """
    return of_texts([(cell, run, json.dumps(entry)) for cell, run, entry in runs])


def of_texts(runs: Sequence[tuple[int, int, str]]) -> pl.DataFrame:
    """The same, of entries as JSON text."""
    import polars as pl

    from tailrace import tables

    return tables.plain(_native.figures(runs)).with_columns(pl.col("window", "text").replace("", None))

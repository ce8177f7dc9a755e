"""Every number of runs' summaries as one tidy frame, a row each: what metrics are looked up in."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tailrace import _native
from tailrace.stats import host_programs

if TYPE_CHECKING:
    import polars as pl


def frame(runs: Iterable[tuple[int, int, Mapping[str, Any]]]) -> pl.DataFrame:
    """Frame of runs, each with its cell, its number and its entry of the result contract.

    `cell`, `run`, `window` (null: the whole run), `of`, `name`, `figure`, `value`, `text`.
    """
    return of_texts([(cell, run, json.dumps(entry)) for cell, run, entry in runs])


def of_texts(runs: Sequence[tuple[int, int, str]]) -> pl.DataFrame:
    """The same, of entries as JSON text."""
    import polars as pl

    from tailrace.execution import polars_frames

    found = polars_frames.plain(_native.figures(runs)).with_columns(
        pl.col("window", "text").replace("", None)
    )
    # Few runs have programs, and then few: these are read here, the rest is put together where it is fast.
    rows = [
        (cell, run, None, *figure)
        for cell, run, text in runs
        if host_programs.may_be_in(text)
        for figure in host_programs.figures(json.loads(text))
    ]
    return pl.concat([found, pl.DataFrame(rows, schema=found.schema, orient="row")]) if rows else found

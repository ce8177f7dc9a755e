"""Tables as CSV (RFC 4180): numbers in full, units in the names of columns, nothing where there is no value."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from tailrace.data import loading, store
from tailrace.data.comparison import Comparison
from tailrace.data.result import Result
from tailrace.errors import UsageError
from tailrace.study.sweep_result import Sweep
from tailrace.system import atomic_file

if TYPE_CHECKING:
    import polars as pl

# Beside the tables of the contract: what a result's summary says of windows.
_WINDOWS = "windows"


def write(place: Path, out: Path, *, force: bool = False) -> list[Path]:
    """Writes a file a table, each whole; the files. Of others' files none is replaced without `force`."""
    if out.exists() and not out.is_dir():
        raise UsageError(f"{out} is a file; choose a folder with -o")
    if not force and any(out.glob("*.csv")):
        # All or nothing: before the first is written, none is in the way.
        for name, table in tables(place):
            target = out / f"{name}.csv"
            if target.exists():
                atomic_file.check_free(target, _text(table))
    written = []
    for name, table in tables(place):
        target = out / f"{name}.csv"
        atomic_file.write(target, _text(table), force=force)
        written.append(target)
    return written


def _text(table: pl.DataFrame) -> bytes:
    return table.write_csv(quote_style="necessary").encode()


def tables(place: Path) -> Iterator[tuple[str, pl.DataFrame]]:
    """All tables of a result, of a comparison (with a column `variant`) or of a sweep (with its parameters)."""
    if store.is_store(place):
        yield from _of_sweep(Sweep.load(place))
    elif Comparison.is_folder(place):
        yield from _of_comparison(Comparison.load(place))
    else:
        yield from _of_result(Result.load(place))


def _of_result(result: Result) -> Iterator[tuple[str, pl.DataFrame]]:
    for name in loading.TABLES:
        table = result.table(name)
        if table.width:
            yield name, table
    if not result.windows.is_empty():
        yield _WINDOWS, result.windows


def _of_comparison(comparison: Comparison) -> Iterator[tuple[str, pl.DataFrame]]:
    import polars as pl

    found: dict[str, list[pl.DataFrame]] = {}
    for label, result in comparison.items():
        for name, table in _of_result(result):
            variant = pl.lit(label, dtype=pl.String).alias("variant")
            found.setdefault(name, []).append(table.select(variant, pl.all()))
    for name, parts in found.items():
        yield name, pl.concat(parts, how="diagonal")


def _of_sweep(sweep: Sweep) -> Iterator[tuple[str, pl.DataFrame]]:
    units = {name: f"{name} [{sweep.unit(name)}]" for name in sweep.columns if sweep.unit(name)}
    yield "runs", sweep.runs.rename(units)
    for name in sweep:
        table = sweep.frame(name)
        if table.width:
            yield name, table.rename(units)
    if not sweep.windows.is_empty():
        yield _WINDOWS, sweep.windows.rename(units)

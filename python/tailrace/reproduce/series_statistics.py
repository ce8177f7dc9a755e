"""A statistic of a series: the mean window after 20 s, the time of the last delivery, the deviation over time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from tailrace.data import loading
from tailrace.errors import UsageError
from tailrace.reproduce.toml_keys import Keys
from tailrace.stats.formulas import Quantity, value_of
from tailrace.text import quantities

if TYPE_CHECKING:
    import polars as pl

    from tailrace.reproduce.cell_values import Values
    from tailrace.study.sweep_result import Sweep

# By name: what is taken of a column of samples, those of one run.
_TAKEN: Mapping[str, Callable[[pl.Expr], pl.Expr]] = {
    "mean": lambda column: column.mean(),
    "sd": lambda column: column.std(),
    "cv": lambda column: column.std() / column.mean(),
    "min": lambda column: column.min(),
    "max": lambda column: column.max(),
    "median": lambda column: column.median(),
}
# When a sample was last above 0.
_LAST = "last"


def check(keys: Keys) -> None:
    """Checks the declaration of a quantity."""
    if "formula" in keys.table:
        keys.take("formula", str)
        keys.take("of", dict, {})
        keys.take("unit", str, "")
    else:
        _read(keys)
    keys.finish()


def _read(keys: Keys) -> tuple[str, str, str]:
    table, dot, column = keys.take("series", str).partition(".")
    if table not in loading.TABLES or not dot:
        raise keys.fail(f"`series` is TABLE.COLUMN (tables: {', '.join(loading.TABLES)})", "series")
    take = keys.one_of("take", [*_TAKEN, _LAST], "mean")
    keys.take("where", dict, {})
    keys.take("during", str, "")
    for key in ("after", "until"):
        seconds(keys, key)
    return table, column, take


def seconds(keys: Keys, key: str) -> float | None:
    """A time; None where the key is missing."""
    told = keys.take(key, str, "")
    if not told:
        return None
    found = value_of(f'"{told}"')
    if not isinstance(found, Quantity) or found.unit != (0, 1, 0):
        raise keys.fail(f'`{key}` takes a time, such as "20 s", not {told!r}', key)
    return found.value


def values(sweep: Sweep, keys: Keys, cell: int) -> Values:
    """The statistic in each run of a cell, in the unit that tables show."""
    import polars as pl

    from tailrace.reproduce.cell_values import Values

    table, column, take = _read(keys)
    rows = chosen(sweep, table, keys, cell)
    if column not in rows.columns:
        raise UsageError(f"{table} has no column {column!r} (there are {', '.join(rows.columns)})")
    unit = quantities.of_name(column)
    if take == _LAST:
        held = rows.filter(pl.col(column) > 0).group_by("run").agg(pl.col("time_s").max().alias("value"))
        unit = quantities.Unit("s")
    else:
        samples = rows.filter(pl.col(column).is_not_null() & pl.col(column).is_not_nan())
        scale = 1.0 if take == "cv" else unit.factor
        held = samples.group_by("run").agg((_TAKEN[take](pl.col(column)) * scale).alias("value"))
        unit = quantities.Unit("") if take == "cv" else unit
    found = {
        run: value for run, value in held.sort("run").select("run", "value").iter_rows() if value is not None
    }
    return Values(unit.name, found, (0.0, float("inf")))


def chosen(sweep: Sweep, table: str, keys: Keys, cell: int) -> pl.DataFrame:
    """The rows of a cell's series that `where`, `during`, `after` and `until` leave."""
    import polars as pl

    rows = sweep.frame(table)
    if rows.is_empty():
        raise UsageError(f"{table} was not recorded: the scenario needs [record] interval")
    found = rows.filter(pl.col("cell") == cell)
    for name, value in keys.take("where", dict, {}).items():
        if name not in found.columns:
            raise UsageError(f"{table} has no column {name!r} (there are {', '.join(found.columns)})")
        kept = found.filter(pl.col(name).cast(pl.String) == str(value))
        if kept.is_empty():
            there = ", ".join(map(str, found[name].cast(pl.String).unique().sort().to_list()[:10]))
            raise UsageError(f"{table} has no row with {name} = {value!r} (there are {there})")
        found = kept
    group = keys.take("during", str, "")
    found = _during(sweep, found, group, cell) if group else found
    after, until = seconds(keys, "after"), seconds(keys, "until")
    found = found.filter(pl.col("time_s") > after) if after is not None else found
    return found.filter(pl.col("time_s") <= until) if until is not None else found


def _during(sweep: Sweep, rows: pl.DataFrame, group: str, cell: int) -> pl.DataFrame:
    """Rows between the first opening of a connection of a group and the end of its last transfer, run by run.

    A transfer that does not end leaves all that follow.
    """
    import polars as pl

    connections = sweep.frame("connections")
    own = connections if connections.is_empty() else connections.filter(pl.col("group") == group)
    if own.is_empty():
        raise UsageError(f"`during`: no connection of a group {group!r} was recorded")
    end = pl.col("start_s") + pl.col("completion_s")
    times = (
        own.filter(pl.col("cell") == cell)
        .group_by("run")
        .agg(
            pl.col("start_s").min().alias("_from"),
            pl.when(end.is_null().any()).then(None).otherwise(end.max()).alias("_to"),
        )
    )
    inside = (pl.col("time_s") >= pl.col("_from")) & (
        pl.col("time_s") <= pl.col("_to").fill_null(float("inf"))
    )
    return rows.join(times, on="run", how="inner").filter(inside).drop("_from", "_to")

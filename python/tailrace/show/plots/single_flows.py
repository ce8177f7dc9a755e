"""Single flows instead of their groups: `tcp[0..3]` draws the first three of the group `tcp`, a line each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from tailrace.errors import UsageError
from tailrace.scenario import flow_choice

if TYPE_CHECKING:
    from tailrace.data.result import Result

# Columns of groups with the mean of the same number over all their flows.
_OF_GROUPS = {"cwnd_segments": "cwnd_mean_segments", "cwnd_bytes": "cwnd_mean_bytes"}
_TABLES = (
    "flows",
    "paths",
    "flow_series",
    "subflow_series",
    "connection_series",
    "path_series",
    "connections",
)


def of(result: Result, text: str) -> Result:
    """A result of these flows alone, each as a group by itself, named `tcp[0]`."""
    from tailrace.data.result import Result as Plain

    wanted = flow_choice.among(result.flows, text)
    tables = {name: _kept(result.table(name), wanted) for name in _TABLES}
    series = tables["flow_series"]
    if series.is_empty():
        raise UsageError(
            f"the flows {text} were not sampled: raise max_series_flows of [record], or record series"
        )
    mine = (
        series.with_columns(_label())
        .drop("flow")
        .rename({name: group for name, group in _OF_GROUPS.items() if name in series.columns})
    )
    # Groups have a row a time; a flow whose ends both sample has two.
    values = [name for name in mine.columns if name not in {"run", "time_s", "group", "end"}]
    merged = mine.group_by("run", "time_s", "group", maintain_order=True).agg(
        pl.col(name).drop_nulls().first() for name in values
    )
    tables |= {name: result.table(name) for name in ("queue_series", "queues", "events", "reordering")}
    summary = {**result.summary, "aggregate": {**result.aggregate, "groups": _sizes(tables["flows"])}}
    return Plain(summary, {**tables, "group_series": merged}, result.scenario_toml, result.manifest)


def _sizes(flows: pl.DataFrame) -> dict[str, Any]:
    """By what the largest flows are found where there are too many for a figure."""
    means = flows.with_columns(_label()).group_by("group").agg(pl.col("goodput_bps").mean())
    return {
        name: {"goodput_bps": {"sum": {"mean": mean or 0.0, "ci95": None}}}
        for name, mean in means.iter_rows()
    }


def _label() -> pl.Expr:
    return pl.format("{}[{}]", pl.col("group").cast(pl.String), pl.col("flow")).alias("group")


def _kept(table: pl.DataFrame, wanted: list[tuple[str, int]]) -> pl.DataFrame:
    if not {"group", "flow"} <= set(table.columns):
        return table
    keys = pl.DataFrame(wanted, schema={"group": pl.String, "flow": table.schema["flow"]}, orient="row")
    plain = table.with_columns(pl.col("group").cast(pl.String))
    return plain.join(keys, on=["group", "flow"], how="semi", maintain_order="left")

"""Direction of connections that is drawn: the one in which most data flows.

Tables of Multipath TCP have rows of both ends, each of what it sends: `client`, which opens the connection, and
`server`.
Series of flows have the window of the end that sends, and say which that is.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from tailrace.data.result import Result

_CLIENT = "client"


def senders(result: Result) -> dict[str, str]:
    """By flow group, the end that has sent more, over all connections and runs."""
    series = result.connection_series
    if "end" not in series.columns:
        return {}
    last = _words(series).group_by("run", "group", "flow", "end").agg(pl.col("sent_bytes").max())
    sums = last.group_by("group", "end").agg(pl.col("sent_bytes").sum())
    # The client wins a tie: its name comes first.
    ranked = sums.sort(["group", "sent_bytes", "end"], descending=[False, True, False])
    return dict(ranked.unique("group", keep="first", maintain_order=True).select("group", "end").iter_rows())


def drawn(result: Result, table: pl.DataFrame) -> pl.DataFrame:
    """The rows of a table of connections that figures show: of each group those of one end."""
    if "end" not in table.columns:
        return table
    kept = [
        (pl.col("group").cast(pl.String) == group) & (pl.col("end").cast(pl.String) == end)
        for group, end in senders(result).items()
    ]
    return table.filter(pl.any_horizontal(kept)) if kept else table


def note(results: Iterable[Result]) -> str:
    """For a title: the groups of which downloads are drawn."""
    groups = _served(map(senders, results))
    return f", of {groups} what servers send" if groups else ""


def window_senders(result: Result) -> dict[str, str]:
    """By flow group over TCP, the end whose congestion window most samples have."""
    series = result.columns("flow_series", "group", "end", "cwnd_bytes")
    if "end" not in series.columns:
        return {}
    found = _words(series.filter(pl.col("cwnd_bytes").is_not_null())).group_by("group", "end").len()
    ranked = found.sort(["group", "len", "end"], descending=[False, True, False])
    return dict(ranked.unique("group", keep="first", maintain_order=True).select("group", "end").iter_rows())


def window_note(results: Iterable[Result]) -> str:
    """For a title: the groups of which windows of servers are drawn."""
    groups = _served(map(window_senders, results))
    return f", of {groups} the servers' windows" if groups else ""


def _served(ends: Iterable[dict[str, str]]) -> str:
    return ", ".join(sorted({group for found in ends for group, end in found.items() if end != _CLIENT}))


def _words(table: pl.DataFrame) -> pl.DataFrame:
    return table.with_columns(pl.col("group", "end").cast(pl.String))

"""Figures that a run has only once something has happened in it, known before: of transfers, and of Multipath TCP.

A run that has not begun has no connection. What figures connections over Multipath TCP and their paths have does not
depend on the scenario, but for the names of links; so a very small run tells.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cache
from typing import TYPE_CHECKING

from tailrace import _native
from tailrace.stats import numbers
from tailrace.stats.metrics import SHORT, Known

if TYPE_CHECKING:
    import polars as pl

_LINK = "only"
_SMALL = f"""
name = "small"
duration = "100 ms"
[[host]]
name = "a"
[[host]]
name = "b"
[[link]]
name = "{_LINK}"
between = ["a", "b"]
rate = "1 Mbit/s"
delay = "1 ms"
[[flow]]
name = "mp"
from = "a"
to = "b"
transport = "mptcp"
app = "bulk"
"""
# Statistics over flows that are nothing as a whole until there is one.
_SPREAD = ("mean", "sd", "min", "max", "sum")
_FUNCTION = re.compile(r"[a-z]+\d*\((.*)\)")
_PATHS = re.compile(r"(?P<way>(?:backward\.)?)paths\.(?P<link>.+)\.(?P<figure>[^.]+)")


def with_spreads(rows: pl.DataFrame) -> pl.DataFrame:
    """Figures of a run that has not begun, with the statistics that stand for nothing yet."""
    import polars as pl

    several = {one.figure.rpartition(".")[0] for one in SHORT.values() if one.of == "group"}
    empty = rows.filter((pl.col("of") == "group") & pl.col("figure").cast(pl.String).is_in(sorted(several)))
    parts = [
        empty.with_columns(
            pl.concat_str(pl.col("figure").cast(pl.String), pl.lit(f".{part}"))
            .cast(rows.schema["figure"])
            .alias("figure")
        )
        for part in _SPREAD
    ]
    return pl.concat([rows, *parts])


@cache
def _small() -> Known:
    """Metrics of a run with one connection over Multipath TCP, by one path."""
    from tailrace.scenario.scenario import Scenario

    return Known(numbers.of_texts([(1, 1, _native.Task(Scenario(_SMALL).native, 1).execute().summary)]))


def figures_of_connections() -> set[str]:
    """For who spells one wrongly: those of connections, but for their links."""
    return {figure for figure in _small().figures["connection"] if _PATHS.fullmatch(figure) is None}


def may_have(text: str, groups: Collection[str], windows: Collection[str]) -> bool:
    """Whether connections of these flow groups, or their paths, can have a metric of that name."""
    function = _FUNCTION.fullmatch(text)
    if function:
        return may_have(function[1], groups, windows)
    wanted, _, window = text.partition("@")
    if window and window not in windows:
        return False
    if _of_any(wanted):
        return True
    owned = (re.fullmatch(rf"{re.escape(group)}\[\d+\]\.(.+)", wanted) for group in groups)
    return any(found is not None and _of_one(found[1]) for found in owned)


def _of_any(name: str) -> bool:
    """Without whose it is: `subflows_established`, `path_goodput`."""
    short = SHORT.get(name)
    return _is_figure(name) or (short is not None and short.of == "path")


def _of_one(name: str) -> bool:
    """Tests for a metric of a connection, or of one of its paths, which are named by links: `wifi to eth1.goodput`."""
    if _is_figure(name):
        return True
    paths = [f"path_{name.rpartition('.')[2]}", *_tails(name)]
    return any((one in SHORT and SHORT[one].of == "path") or one in _small().figures["path"] for one in paths)


def _tails(name: str) -> list[str]:
    """Endings after the name of a path: `lte.one_way_delay_s.mean` has `one_way_delay_s.mean`, and `mean`."""
    words = name.split(".")
    return [".".join(words[at:]) for at in range(1, len(words))]


def _is_figure(name: str) -> bool:
    """Tests for a number of a connection, whatever its links are called."""
    link = _PATHS.fullmatch(name)
    plain = f"{link['way']}paths.{_LINK}.{link['figure']}" if link else name
    return plain in _small().figures["connection"] or name in _small().figures["path"]

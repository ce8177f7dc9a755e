"""Reordering of Multipath TCP: how far and how long data was ahead of its order, as complementary distributions.

On a logarithmic axis, as out-of-order delays are shown by Lim et al. (ECF, CoNEXT 2017): what matters is the tail.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tailrace.show.charts import data_direction, notes
from tailrace.show.charts.curves import Array, natural
from tailrace.show.plots import layout, style

if TYPE_CHECKING:
    from tailrace.data.result import Result

# (variable of the table, title of its panel, axis, values on the axis for one of the table's)
_PANELS = (
    ("displacement_bytes", "ahead of what was expected", "displacement (kB)", 1e-3),
    ("reordering_delay_s", "in the out-of-order queue", "reordering delay (ms)", 1e3),
)


def single(result: Result) -> Figure:
    """A line for each flow group, over its connections and all runs."""
    return _draw([("", _groups(result))], f"{result.name}: reordering at the data level\n{_note([result])}")


def overlay(results: Mapping[str, Result], title: str) -> Figure:
    """A line for each result, and a row of panels for each flow group; of many results the reverse."""
    every = {label: _groups(result) for label, result in results.items()}
    found = {label: groups for label, groups in every.items() if groups}
    rows = layout.crossed(found)
    note = _note(list(results.values()))
    if len(found) > style.MOST_LINES and len(rows) < len(found):
        note += f", {len(rows)} of {len(found)} results"
    return _draw(rows or [("", {})], f"{title}: reordering at the data level\n{note}")


def _groups(result: Result) -> dict[str, pl.DataFrame]:
    table = data_direction.drawn(result, result.reordering)
    if not len(table):
        return {}
    names = sorted(table["group"].cast(pl.String).unique(), key=natural)
    return {name: table.filter(pl.col("group").cast(pl.String) == name) for name in names}


def ccdf(rows: pl.DataFrame, variable: str) -> tuple[Array, Array]:
    """Values in rising order, from zero, and the share of segments above each."""
    own = rows.filter(pl.col("variable").cast(pl.String) == variable)
    counts = own.group_by("high").agg(pl.col("segments").sum()).sort("high")
    values, segments = counts["high"].to_numpy(), counts["segments"].to_numpy().astype(np.float64)
    if not len(values):
        return np.array([]), np.array([])
    # From the top, so that the smallest shares are exact.
    above = np.append(np.cumsum(segments[::-1])[::-1][1:], 0.0) / segments.sum()
    if values[0] > 0:
        return np.append(0.0, values), np.append(1.0, above)
    return values, above


_Lines: TypeAlias = Mapping[str, pl.DataFrame]


def _draw(rows: Sequence[tuple[str, _Lines]], title: str) -> Figure:
    sheet, panels = layout.figure(2 * len(rows), title, 2, same_scale=False, same_axis=False)
    looks = layout.looks(rows)
    for (group, lines), left in zip(rows, range(0, len(panels), 2), strict=True):
        for (variable, subject, _, scale), axes in zip(_PANELS, panels[left : left + 2], strict=True):
            for label, of in lines.items():
                values, above = ccdf(of, variable)
                _line(axes, values * scale, above, looks[label], label)
            axes.set_title(f"{group}: {subject}" if len(rows) > 1 else subject)
    _finish(sheet, panels)
    return sheet


def _line(axes: Axes, values: Array, above: Array, index: int, label: str) -> None:
    """A share of zero has no place on a logarithmic axis: the line ends at its largest value, straight down."""
    if not len(values):
        return
    least = above[above > 0]
    floor = float(least.min()) if len(least) else np.nan
    drawn = np.where(above > 0, above, floor)
    name = label if len(least) else f"{label} (none)"
    axes.step(values, drawn, where="post", label=name, **style.line(index))


def _finish(sheet: Figure, panels: Sequence[Axes]) -> None:
    for axes in panels:
        drawn = [np.asarray(line.get_ydata(), dtype=np.float64) for line in axes.lines]
        if not drawn:
            layout.say(axes, "not recorded")
        elif any(np.isfinite(values).any() for values in drawn):
            axes.set_yscale("log")
            axes.set_ylim(top=1.0)
        else:
            layout.say(axes, "all in order")
        axes.set_xlim(left=0)
    for axes, (_, _, axis, _) in zip(panels[-2:], _PANELS, strict=True):
        axes.set_xlabel(axis)
    for axes in panels[::2]:
        axes.set_ylabel("share of segments\nabove")
    layout.legend_of(sheet, panels, 4)


def _note(results: Sequence[Result]) -> str:
    counts = [result.n for result in results]
    together = " together" if max(counts) > 1 else ""
    seeds = notes.seeds_note([result.seed for result in results])
    return f"{notes.band_note(counts, band=False)}{together}, {seeds}{data_direction.note(results)}"

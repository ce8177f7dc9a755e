"""A series of a sweep over time: a line for each value of a parameter or column, a panel for each of another.

Within a run rows of one line at one time (flows of a group, say) are averaged; over runs each time has its mean and
95 % interval, or one run is shown by itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tailrace.errors import UsageError
from tailrace.show.charts import notes
from tailrace.show.charts.curves import natural
from tailrace.show.plots import layout, style
from tailrace.stats.statistics import student_t_975
from tailrace.study.cell_selection import places
from tailrace.text import quantities

if TYPE_CHECKING:
    from tailrace.study.sweep_result import Sweep

# More lines than this have no legend: they show how much single ones differ.
_MOST_NAMED = 8
_MOST_PANELS = 12
_LINE, _PANEL = "line", "panel"


@dataclass(frozen=True)
class Series:
    """Request for a series over time."""

    # TABLE.COLUMN.
    series: str
    # A swept parameter or a column of the table: a line, and a panel, for each of its values.
    by: str | None = None
    panels: str | None = None
    # Cells, as `--where` has them, and rows of the table by column.
    where: Sequence[str] = ()
    rows: Mapping[str, object] = field(default_factory=dict)
    # Number of a run shown by itself; None for the mean over all.
    run: int | None = None
    # Samples are averaged over so many seconds.
    bin_s: float | None = None
    # The mean since the beginning, in place of the samples.
    running_mean: bool = False
    after_s: float | None = None
    until_s: float | None = None


def figure(sweep: Sweep, asked: Series, title: str) -> Figure:
    """The figure of a series."""
    curves = _Curves(sweep, asked)
    with style.drawing():
        sheet, axes = layout.figure(
            len(curves.panels),
            f"{title}\n{curves.note}",
            2 if len(curves.panels) >= layout.TWO_COLUMNS else 1,
        )
        names = curves.lines
        named = 1 < len(names) <= _MOST_NAMED
        for axis, panel in zip(axes, curves.panels, strict=True):
            for place, name in enumerate(names):
                _draw(
                    axis,
                    curves.of(panel, name),
                    place if named or len(names) == 1 else None,
                    name if named else "",
                )
            if panel:
                axis.set_title(
                    layout.panel_title(panel, 2 if len(curves.panels) >= layout.TWO_COLUMNS else 1)
                )
            axis.set_ylabel(curves.heading)
            axis.set_xlabel("time [s]")
            axis.label_outer()
        # After all: a limit holds for every panel, as far as they have been drawn.
        for axis in axes:
            axis.set_ylim(bottom=0)
        layout.legend_of(sheet, axes, heading=asked.by or "")
    return sheet


def _draw(axis: Axes, curve: pl.DataFrame, place: int | None, name: str) -> None:
    look = (
        style.line(place)
        if place is not None
        else {"color": style.COLOURS[0], "linewidth": 0.6, "alpha": 0.5}
    )
    axis.plot(curve["time_s"], curve["mean"], label=name or None, **look)
    if "low" in curve.columns and place is not None:
        axis.fill_between(
            curve["time_s"], curve["low"], curve["high"], color=look["color"], alpha=0.2, linewidth=0
        )


class _Curves:
    """The rows that are meant, with the name of their line and panel."""

    def __init__(self, sweep: Sweep, asked: Series) -> None:
        self._asked = asked
        table, _, self._column = asked.series.partition(".")
        frame = sweep.frame(table)
        if frame.is_empty():
            raise UsageError(f"{table} was not recorded: the scenario needs [record] interval")
        if self._column not in frame.columns:
            raise UsageError(f"{table} has no column {self._column!r} (there are {', '.join(frame.columns)})")
        self._unit = quantities.of_name(self._column)
        cells = [sweep.plan[place]["cell"] for place in places(sweep, list(asked.where))]
        rows = frame.filter(pl.col("cell").is_in(cells))
        self._check_alone(sweep, cells)
        for name, value in asked.rows.items():
            if name not in rows.columns:
                raise UsageError(f"{table} has no column {name!r} (there are {', '.join(rows.columns)})")
            rows = rows.filter(pl.col(name).cast(pl.String) == str(value))
        if asked.run is not None:
            rows = rows.filter(pl.col("run") == asked.run)
        if rows.is_empty():
            raise UsageError(f"{asked.series}: no row is left where {dict(asked.rows)}, {list(asked.where)}")
        said = {_LINE: self._said(sweep, rows, asked.by), _PANEL: self._said(sweep, rows, asked.panels)}
        rows = rows.with_columns([pl.Series(name, words, dtype=pl.String) for name, words in said.items()])
        self._rows = self._settled(rows)
        self.lines = self._names(sweep, asked.by, _LINE)
        self.panels = self._names(sweep, asked.panels, _PANEL)
        if len(self.panels) > _MOST_PANELS:
            raise UsageError(f"{len(self.panels)} panels, at most {_MOST_PANELS}: choose some with `where`")

    def _check_alone(self, sweep: Sweep, cells: Sequence[int]) -> None:
        """Nothing is averaged over but runs: every parameter that varies among the cells is a line or a panel."""
        asked = [
            name for name in (self._asked.by, self._asked.panels) if name and not self._is_own(sweep, name)
        ]
        named = [sweep.column(name) for name in asked]
        there = sweep.cells.filter(pl.col("cell").is_in(cells))
        for name in sweep.varied:
            if name not in named and there[name].n_unique() > 1:
                follows = any(
                    there.group_by(other).agg(pl.col(name).n_unique())[name].max() == 1 for other in named
                )
                if not follows:
                    raise UsageError(
                        f"{name} has several values here: draw it `by` or as `panels`, or choose with `where`"
                    )

    @property
    def _table(self) -> str:
        return self._asked.series.partition(".")[0]

    def _is_own(self, sweep: Sweep, name: str) -> bool:
        """Whether a name is a column of the table, and no parameter."""
        return name in sweep.frame(self._table).columns and name not in sweep.columns

    def _said(self, sweep: Sweep, rows: pl.DataFrame, name: str | None) -> list[str]:
        """Value of a parameter or column in each row, as text."""
        if name is None:
            return [""] * rows.height
        if self._is_own(sweep, name):
            return [str(value) for value in rows[name].to_list()]
        column = sweep.column(name)
        said = sweep.parameters[column].parameter.said
        words = {value: said(value) for value in rows[column].unique().to_list()}
        return [words[value] for value in rows[column].to_list()]

    def _names(self, sweep: Sweep, asked: str | None, column: str) -> list[str]:
        there = self._rows[column].unique().to_list()
        if asked is not None and not self._is_own(sweep, asked):
            name = sweep.column(asked)
            order = [sweep.parameters[name].parameter.said(value) for value in sweep.parameters[name].values]
            return [value for value in dict.fromkeys(order) if value in there]
        return sorted(there, key=natural)

    def _settled(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Rows with one value for each line, panel, run and time."""
        asked = self._asked
        time = pl.col("time_s")
        if asked.bin_s:
            # A sample stands for the interval before it.
            time = ((pl.col("time_s") / asked.bin_s - 1e-9).floor() + 0.5) * asked.bin_s
        value = pl.col(self._column) * self._unit.factor
        keys = [_LINE, _PANEL, "run"]
        found = (
            rows.filter(pl.col(self._column).is_not_null())
            .with_columns(time_s=time, value=value)
            .group_by([*keys, "time_s"])
            .agg(pl.col("value").mean())
            .sort([*keys, "time_s"])
        )
        if asked.running_mean:
            found = found.with_columns(
                value=pl.col("value").cum_sum().over(keys) / pl.col("value").cum_count().over(keys)
            )
        after, until = asked.after_s, asked.until_s
        found = found.filter(pl.col("time_s") >= after) if after is not None else found
        return found.filter(pl.col("time_s") <= until) if until is not None else found

    def of(self, panel: str, line: str) -> pl.DataFrame:
        """The curve of a line in a panel: `time_s`, `mean`, and `low`, `high` of several runs."""
        own = self._rows.filter((pl.col(_PANEL) == panel) & (pl.col(_LINE) == line))
        found = (
            own.group_by("time_s")
            .agg(pl.col("value").mean().alias("mean"), pl.col("value").std().alias("sd"), pl.len().alias("n"))
            .sort("time_s")
        )
        if found.is_empty() or found["n"].max() == 1:
            return found.drop("sd", "n")
        times = np.array([student_t_975(n - 1) if n > 1 else np.nan for n in found["n"].to_list()])
        half = times * found["sd"].to_numpy() / np.sqrt(found["n"].to_numpy())
        low = np.maximum(found["mean"].to_numpy() - half, 0)
        high = found["mean"].to_numpy() + half
        return found.with_columns(pl.Series("low", low), pl.Series("high", high)).drop("sd", "n")

    @property
    def heading(self) -> str:
        """Beside the vertical axis."""
        words = self._column
        for end in ("_bps", "_s", "_bytes", "_packets", "_segments", "_ratio"):
            words = words.removesuffix(end)
        unit = f" [{self._unit.name}]" if self._unit.name else ""
        mean = ", mean since the start" if self._asked.running_mean else ""
        words = words.replace("_", " ").replace("one way", "one-way")
        return f"{words}{mean}{unit}"

    @property
    def note(self) -> str:
        """Note about runs, cells, rows, and the meaning of lines."""
        asked = self._asked
        runs = self._rows["run"].n_unique()
        said = [f"run {asked.run}"] if asked.run is not None else []
        said += [notes.band_note([runs], band=runs > 1)] if asked.run is None else []
        said += [f"{name} {value}" for name, value in asked.rows.items()]
        said += [f"only {text}" for text in asked.where]
        said += [f"samples averaged over {quantities.said(asked.bin_s, 's')}"] if asked.bin_s else []
        if len(self.lines) > _MOST_NAMED:
            said.append(f"{len(self.lines)} lines, one for each {asked.by}")
        return "; ".join(said)

"""Result of a search: the best trial and how to run it, all trials as a frame, their runs as a sweep."""

from __future__ import annotations

import json
import os
import shlex
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from tailrace.data.store import Reader
from tailrace.errors import UsageError
from tailrace.stats import table_forms
from tailrace.stats.metric_table import Row, Table
from tailrace.stats.parameters import Parameter
from tailrace.stats.statistics import Interval
from tailrace.study import search_driver
from tailrace.study.search_driver import Judged, Judgement, Wanted
from tailrace.study.sweep_result import Sweep

if TYPE_CHECKING:
    import polars as pl
    from rich.console import RenderableType

    from tailrace.show.report import Report
    from tailrace.stats.metrics import Metric

_MOST_SHOWN = 10


@dataclass(frozen=True)
class Trial:
    """A trial."""

    number: int
    # Path -> value as `set` takes it, what was derived among it.
    overrides: Mapping[str, str]
    # Value of the goal.
    value: Interval


class Search:
    """The trials of a search, in the folder where their runs landed.

    >>> search = tailrace.Search.load("results/flood-search")  # doctest: +SKIP
    >>> tailrace.run("flood.toml", set=search.best.overrides)  # doctest: +SKIP
    """

    def __init__(self, place: Path, *, temporary: bool = False) -> None:
        self.place = place
        # Its trials are cells, so frames and figures of sweeps are there.
        self.sweep = Sweep(place, temporary=temporary)
        reader = Reader(place)
        text = reader.index.fact(search_driver.SEARCH)
        reader.close()
        if text is None:
            raise UsageError(f"{place} holds a sweep that is no search")
        found = json.loads(text)
        said = {key: value for key, value in found["said"].items() if key != "scenario"}
        self._wanted = Wanted.of_json(said)
        self._points = found["points"]
        self._set: dict[str, str] = found["set"]

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Search:
        """A search from its folder, be it still under way."""
        return cls(Path(path))

    @staticmethod
    def is_folder(path: Path) -> bool:
        """Whether a folder of a sweep is that of a search."""
        reader = Reader(path)
        try:
            return reader.index.fact(search_driver.SEARCH) is not None
        finally:
            reader.close()

    @property
    def count(self) -> int:
        """Number of trials."""
        return len(self._points)

    @property
    def goal(self) -> str:
        """Goal as it was given."""
        return self._wanted.goal

    @property
    def maximizes(self) -> bool:
        """Whether it was to be large."""
        return self._wanted.maximize

    @property
    def metric(self) -> Metric:
        """Metric of the goal, with its unit."""
        return self._judged.metrics[0]

    @property
    def judged(self) -> Sequence[Judged]:
        """Result of each trial, in their order."""
        return self._judged.trials

    def shown(self, number: int) -> list[tuple[str, str]]:
        """The parameters of a trial, by name and as tables have them."""
        names = [name for name in self.sweep.varied if name != "trial"]
        columns = [self.sweep.parameters[name] for name in names]
        return [(one.parameter.name, one.parameter.said(one.values[number - 1])) for one in columns]

    @cached_property
    def _judged(self) -> Judgement:
        return search_driver.judge(self._wanted, self._points, self.sweep)

    @cached_property
    def _ranking(self) -> list[int]:
        """Places of the trials that are what was asked for, the best first; then the others."""
        sign = -1.0 if self._wanted.maximize else 1.0

        def key(place: int) -> tuple[bool, float, int]:
            one = self._judged.trials[place]
            good = one.state == search_driver.OK and one.values[0] is not None
            return not good, sign * one.values[0].mean if good and one.values[0] else 0.0, place

        return sorted(range(len(self._points)), key=key)

    @property
    def has_best(self) -> bool:
        """Whether any trial is what was asked for."""
        return any(one.state == search_driver.OK for one in self._judged.trials)

    @property
    def best(self) -> Trial:
        """The best of the trials that are allowed; an error where there is none."""
        place = self._ranking[0]
        one = self._judged.trials[place]
        cell = self._wanted.cell(place + 1, self._points[place])
        if one.state != search_driver.OK or one.values[0] is None or cell is None:
            raise UsageError(f"none of the {len(self._points)} trials is what was asked for")
        overrides = {path: _plain(text) for path, text in cell.overrides.items()}
        return Trial(place + 1, overrides, one.values[0])

    @property
    def command(self) -> str:
        """The words of a command line that runs the best trial and shows what was asked for.

        What an attack costs is of pairs of runs, which a sweep does: one without cells, whatever the file varies.
        """
        sets = {**self._set, **self.best.overrides}
        words = ["run", str(self.sweep.about["file"])]
        if self._wanted.wants_damage:
            words = ["sweep", words[1], "--columns", ",".join(self._judged.asked)]
            varies = "sweep" in tomllib.loads(self.sweep.scenario_toml)
            sets = {**({"sweep": "{}"} if varies else {}), **sets}
        return shlex.join(
            [*words, *(w for path, value in sets.items() for w in ("--set", f"{path}={value}"))]
        )

    @property
    def trials(self) -> pl.DataFrame:
        """Frame with a row for each trial: `trial`, the parameters in SI units, `state`, `value` with `low` and
        `high`, `runs`.
        """
        import polars as pl

        cells = self.sweep.cells.drop("cell", "label").with_columns(pl.col("trial").cast(pl.UInt32))
        values = [one.values[0] for one in self._judged.trials]
        ends = [_ends(value) for value in values]
        return cells.with_columns(
            pl.Series("state", [one.state for one in self._judged.trials], dtype=pl.String),
            pl.Series("value", [value.mean if value else None for value in values], dtype=pl.Float64),
            pl.Series("low", [low for low, _ in ends], dtype=pl.Float64),
            pl.Series("high", [high for _, high in ends], dtype=pl.Float64),
            pl.Series("runs", [one.runs for one in self._judged.trials], dtype=pl.UInt32),
        )

    def table(self) -> Table:
        """All trials in their order, with the metric that was searched for and those of conditions."""
        return self._table(range(len(self._points)), ())

    def best_table(self) -> Table:
        """The best trials, the best first."""
        count = {
            state: sum(one.state == state for one in self._judged.trials)
            for state in (search_driver.OK, search_driver.NOT_ALLOWED, search_driver.FAILED)
        }
        rest = ", ".join(f"{number} {state}" for state, number in count.items() if number)
        most = "largest" if self._wanted.maximize else "smallest"
        notes = [
            f"{len(self._points)} trials ({rest}), the {most} {self._wanted.goal} first; ± is the 95 % interval"
        ]
        return self._table(self._ranking[:_MOST_SHOWN], notes)

    def _table(self, places: Sequence[int], notes: Sequence[str]) -> Table:
        names = [name for name in self.sweep.varied if name != "trial"]
        columns = [self.sweep.parameters[name] for name in names]
        rows = [
            Row(
                f"trial {place + 1}",
                [place + 1, *(column.values[place] for column in columns), self._judged.trials[place].state],
                self._judged.trials[place].values,
                self._judged.trials[place].runs,
            )
            for place in places
        ]
        return Table(
            self.sweep.name,
            [Parameter("trial"), *(column.parameter for column in columns), Parameter("state")],
            self._judged.metrics,
            rows,
            [*notes, *self.sweep.notes],
        )

    def ranked_table(self) -> Table:
        """All trials, the best first."""
        return self._table(self._ranking, ())

    def write_tables(self) -> tuple[Table, Table]:
        """All trials and the best, written into the folder as table.csv and table.md."""
        table, best = self.table(), self.best_table()
        table_forms.write(self.place, md=best, csv=table)
        return table, best

    def report(self, columns: str | Sequence[str] = ()) -> Report:
        """The whole of it as one HTML page: `.save("report.html")`, or in a notebook what a cell ends with.

        `columns` are the metrics that it answers with.
        """
        from tailrace.show import report  # Matplotlib takes half a second

        return report.of(self, columns)

    def __rich__(self) -> RenderableType:
        return self.best_table().__rich__()

    def _repr_html_(self) -> str:
        return self.best_table()._repr_html_()

    def __str__(self) -> str:
        return str(self.best_table())

    def __repr__(self) -> str:
        return f"<Search {self.sweep.name!r}: {len(self._points)} trials>"


def _plain(text: str) -> str:
    """A value as a command line says it: without the quotes of TOML."""
    try:
        value = tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text
    return value if isinstance(value, str) else text


def _ends(value: Interval | None) -> tuple[float | None, float | None]:
    if value is None:
        return None, None
    half = value.ci95
    return value.ends or ((None, None) if half is None else (value.mean - half, value.mean + half))

"""Result of a sweep: tidy frames with a column for every swept parameter, tables with intervals, figures."""

from __future__ import annotations

import json
import os
import shutil
import weakref
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from tailrace.data import loading
from tailrace.data.store import Reader
from tailrace.data.store.parts import FIGURES, SUMMARIES
from tailrace.errors import UsageError
from tailrace.stats import completion_notes, differences, host_programs, metric_table, metrics, table_forms
from tailrace.stats.formulas import value_of
from tailrace.stats.measured import Measured, MeasuredCell
from tailrace.stats.metrics import Metric
from tailrace.study import attack_damage, sweep_runner
from tailrace.study.variation import PRESET, Variation
from tailrace.text import near_misses, text_table

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from rich.console import RenderableType

    from tailrace.data.pandas_frames import PandasFrame
    from tailrace.show.plots.swept import Options
    from tailrace.show.report import Report

# Tables of the store that are none of the result contract.
_INTERNAL = frozenset({FIGURES, SUMMARIES})


class Sweep(Variation, Mapping[str, "pl.DataFrame"]):
    """The runs of a sweep, in the folder where they landed; as a mapping, its tables by name.

    Frames are read when they are first asked for. Each has a column for every swept parameter, in SI units (bytes for
    sizes) where it is a number, and `run`.

    >>> sweep = tailrace.Sweep.load("results/periods-sweep")  # doctest: +SKIP
    >>> sweep.flows.group_by("attack.period").agg(pl.col("goodput_bps").mean())  # doctest: +SKIP
    """

    def __init__(self, place: Path, *, temporary: bool = False) -> None:
        self.place = place
        if temporary:
            weakref.finalize(self, shutil.rmtree, place, ignore_errors=True)
        self._reader = Reader(place)
        plan, about = (self._reader.index.fact(name) for name in (sweep_runner.PLAN, sweep_runner.SCENARIO))
        if plan is None or about is None:
            raise UsageError(
                f"{place} holds no sweep yet: its first command was stopped before a run was stored"
            )
        super().__init__(json.loads(plan))
        self.about: dict[str, Any] = json.loads(about)
        self._frames: dict[str, pl.DataFrame] = {}

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Sweep:
        """A sweep from its folder, be it still under way."""
        return cls(Path(path))

    def __reduce__(self) -> tuple[type[Sweep], tuple[object, ...]]:
        """Another process opens the same folder."""
        return Sweep, (self.place,)

    @property
    def name(self) -> str:
        """The scenario's name."""
        return str(self.about["name"])

    @property
    def scenario_toml(self) -> str:
        """The scenario that was varied, every default filled in."""
        return str(self.about["toml"])

    def fact(self, name: str) -> str | None:
        """Fact of the folder's index about the sweep, such as `sweep_runner.COMMAND`."""
        return self._reader.index.fact(name)

    @property
    def varied(self) -> list[str]:
        """Parameters with more than one value that do not follow from others."""
        own = [name for name in self.columns if name not in self.about["derived"]]
        return [name for name in own if len({row["axes"].get(name) for row in self.plan}) > 1]

    @property
    def _told(self) -> list[str]:
        """Parameters that tell cells apart: the name of a preset stands for its settings."""
        varied = self.varied
        return [
            name
            for name in varied
            if name == PRESET or PRESET not in varied or not self._follows(name, PRESET)
        ]

    @property
    def notes(self) -> list[str]:
        """Notes about values of swept parameters that are unlike the others.

        Of what a formula or a preset sets that it may be of several kinds is no news: no table has those values.
        """
        names = self._told
        told = [column for column in self.parameters.values() if column.numbers or column.name in names]
        return [note for column in told if (note := column.note)]

    @property
    def runs(self) -> pl.DataFrame:
        """Frame with a row for each stored run: `cell`, `run`, `seed`, `fingerprint`, `wall_s`, and the parameters."""
        import polars as pl

        rows = [row[:5] for row in self._reader.index.runs()]
        schema = {
            "cell": pl.UInt32,
            "run": pl.UInt32,
            "seed": pl.UInt64,
            "fingerprint": pl.String,
            "wall_s": pl.Float64,
        }
        return self._placed(pl.DataFrame(rows, schema=schema, orient="row"))

    @property
    def asked(self) -> int:
        """Number of runs that the last command asked for; equal cells share theirs."""
        most: dict[int, int] = {}
        for row in self.plan:
            if row["cell"]:
                most[row["cell"]] = max(row["runs"], most.get(row["cell"], 0))
        return sum(most.values())

    @property
    def missing(self) -> int:
        """Number of runs that are not stored: not done yet, or failed."""
        return self.asked - self.runs.select("cell", "run").unique().height

    @property
    def failures(self) -> pl.DataFrame:
        """Frame with a row for each cell or run that failed: its label, `run` (0: no run could be begun) and the
        error.
        """
        import polars as pl

        label = {
            row[sweep_runner.WITHOUT]: f"{row['label']} without attack"
            for row in self.plan
            if sweep_runner.WITHOUT in row
        }
        label |= {row["cell"]: row["label"] for row in self.plan}
        rows = [(label.get(cell, "?"), run, error) for cell, run, error in self._reader.index.failures()]
        rows += [(row["label"], 0, row["error"]) for row in self.plan if "error" in row]
        return pl.DataFrame(
            rows, schema={"label": pl.String, "run": pl.UInt32, "error": pl.String}, orient="row"
        )

    # -- tables ------------------------------------------------------------------------------------------------

    def frame(self, name: str) -> pl.DataFrame:
        """A table of the result contract by its name, of all runs; empty if it was not recorded."""
        import polars as pl

        self._check_table(name)
        if name not in self._frames:
            found = self._reader_figures if name == FIGURES else self._reader.frame(name)
            found = None if found is None or not found.width else found
            words = pl.col(pl.Categorical).cast(pl.String)
            self._frames[name] = pl.DataFrame() if found is None else self._placed(found.with_columns(words))
        return self._frames[name]

    def scan(self, name: str) -> pl.LazyFrame:
        """The same, read when it is collected: for tables larger than memory."""
        import polars as pl

        self._check_table(name)
        found = self._reader.scan(name)
        return (
            pl.LazyFrame()
            if found is None
            else self._asked_of(found.join(self.cells.lazy(), on="cell", how="inner"))
        )

    def to_pandas(self, name: str) -> PandasFrame:
        """A table by its name as a pandas frame (`pip install 'tailrace[pandas]'`), with the parameters in front."""
        from tailrace.data import pandas_frames

        return pandas_frames.of(self.frame(name))

    def _check_table(self, name: str) -> None:
        """Refuses what neither is a table of the contract nor was recorded."""
        there = [*self, *_INTERNAL]
        if name not in {*there, *loading.TABLES}:
            near_misses.known(name, list(dict.fromkeys([*there, *loading.TABLES])), "table")

    def _placed(self, found: pl.DataFrame) -> pl.DataFrame:
        """With the parameters of each cell in front, in the order of the sweep."""
        rows = self.cells.join(found, on="cell", how="inner", maintain_order="left_right")
        return self._asked_of(rows.lazy()).collect() if "run" in rows.columns else rows

    def _asked_of(self, rows: pl.LazyFrame) -> pl.LazyFrame:
        """Rows of runs that are asked for: the folder keeps others of earlier commands."""
        import polars as pl

        schema = {"cell": pl.UInt32, "asked": pl.UInt32}
        plan = [(row["cell"], row["runs"]) for row in self.plan if row["cell"]]
        asked = pl.DataFrame(plan, schema=schema, orient="row").group_by("cell").max()
        wanted = rows.join(asked.lazy(), on="cell", how="left", maintain_order="left")
        return wanted.filter(pl.col("run") <= pl.col("asked")).drop("asked")

    @property
    def has_runs(self) -> bool:
        """Whether any run has landed."""
        return not self._reader_figures.is_empty()

    @property
    def figures(self) -> pl.DataFrame:
        """A row each number of the runs' summaries: `window` (null: the whole run), `of`, `name`, `figure`, `value`."""
        return self.frame(FIGURES)

    def _wide(self, of: str, *, windows: bool = False) -> pl.DataFrame:
        import polars as pl

        if self.figures.is_empty():
            return pl.DataFrame()
        kept = self.figures.filter(
            (pl.col("of") == of) & pl.col("value").is_not_null() & (pl.col("window").is_not_null() == windows)
        )
        index = [*self.cells.columns, "run", *(["window"] if windows else []), "name"]
        wide = kept.pivot(on="figure", index=index, values="value", maintain_order=True)
        return wide.rename({"name": of})

    @property
    def groups(self) -> pl.DataFrame:
        """Frame with a row for each flow group and run: all its numbers, such as `goodput_bps.sum`."""
        return self._wide("group")

    @property
    def windows(self) -> pl.DataFrame:
        """Frame with a row for each window, flow group and run."""
        return self._wide("group", windows=True)

    @property
    def flows(self) -> pl.DataFrame:
        """Frame with a row for each flow and run."""
        return self.frame("flows")

    @property
    def paths(self) -> pl.DataFrame:
        """Frame with a row for each flow over Multipath TCP, path, sending end and run; empty without Multipath TCP."""
        return self.frame("paths")

    @property
    def flow_windows(self) -> pl.DataFrame:
        """Frame with a row for each flow, window and run."""
        return self.frame("flow_windows")

    @property
    def connections(self) -> pl.DataFrame:
        """Frame with a row for each connection and run: its start, end and outcome; up to `max_connections`."""
        return self.frame("connections")

    @property
    def programs(self) -> pl.DataFrame:
        """Frame with a row for each program of a host with a kernel, and run: its time, exit code and output."""
        import polars as pl

        summaries = self._reader.frame(SUMMARIES)
        rows = (
            []
            if summaries is None
            else [
                (cell, run, *(program.get(name) for name in host_programs.schema()))
                for cell, run, text in summaries.select("cell", "run", "summary").iter_rows()
                if host_programs.may_be_in(text)
                for program in json.loads(text).get("programs") or []
            ]
        )
        schema = {"cell": pl.UInt32, "run": pl.UInt32, **host_programs.schema()}
        return self._placed(pl.DataFrame(rows, schema=schema, orient="row"))

    @property
    def queues(self) -> pl.DataFrame:
        """Frame with a row for each observed queue and run."""
        return self.frame("queues")

    # -- numbers -----------------------------------------------------------------------------------------------

    @cached_property
    def measured(self) -> Measured:
        """The runs as tables and differences take them."""
        import polars as pl

        columns = [self.parameters[name] for name in self._told or self.columns]
        cells = [
            MeasuredCell(
                row["cell"], row["label"], [column.values[place] for column in columns], _key(row["axes"])
            )
            for place, row in enumerate(self.plan)
        ]
        numbers = {cell.number for cell in cells if cell.number is not None}
        # The store may hold cells of other commands.
        own = self._reader_figures.filter(pl.col("cell").is_in(numbers)) if numbers else pl.DataFrame()
        seeds = {(cell, run): seed for cell, run, seed, *_ in self._reader.index.runs() if cell in numbers}
        labels = {cell.number: cell.label for cell in cells if cell.number is not None}
        of_programs = host_programs.notes_of_figures(own, labels)
        notes = [*self.notes, *self._failed_note(), *_unfinished(own), *of_programs]
        return Measured(
            self.name,
            [column.parameter for column in columns],
            cells,
            own,
            seeds,
            notes,
            self.scenario_toml,
            self._group_series,
        )

    def _group_series(self) -> pl.LazyFrame | None:
        return self._reader.scan("group_series")

    def _failed_note(self) -> list[str]:
        """The first of what failed, with its error in a line; the command that ran it named some more."""
        failed = self.failures
        if failed.is_empty():
            return []
        label, run, error = failed.row(0)
        more = f", and {failed.height - 1} more" if failed.height > 1 else ""
        first = next(iter(error.strip().splitlines()), "")
        return [f"failed: {label}{f' run {run}' if run else ''} ({first}){more}"]

    def metrics(self, names: str | Sequence[str] = ()) -> list[Metric]:
        """Metrics for names; without any, the usual ones of a table."""
        if not self.has_runs:
            raise UsageError(f"{self.place} holds no run yet")
        return self.measured.metrics(names)

    def metric(self, metric: str | Metric) -> pl.DataFrame:
        """`cell`, `run`, `value` of a metric, with the parameters."""
        chosen = [metric] if isinstance(metric, Metric) else self.metrics([metric])
        if len(chosen) > 1:
            listed = ", ".join(f"{one.owner}.{one.name}" for one in chosen)
            raise UsageError(f"{metric} is ambiguous: name one of {listed}")
        return self._placed(metrics.values(self._reader_figures, chosen[0], self._group_series))

    @cached_property
    def _reader_figures(self) -> pl.DataFrame:
        import polars as pl

        found = self._reader.frame(FIGURES, categories=True)
        if found is None:
            return pl.DataFrame()
        pairs = [(row["cell"], row[sweep_runner.WITHOUT]) for row in self.plan if sweep_runner.WITHOUT in row]
        return pl.concat([found, attack_damage.figures(found, pairs)]) if pairs else found

    @property
    def to_look_at(self) -> tuple[str, str]:
        """A metric to draw first, and the frame to begin with: of flows, or where there are none of programs."""
        if not self.has_runs or self.measured.known.owners["group"]:
            return "goodput", "flows"
        usual = [m for m in self.metrics() if m.of != host_programs.ALL] or self.metrics()
        first = next(iter(usual), None)
        if first is None:
            return "goodput", "flows"
        return (f"{first.owner}.{first.name}" if first.owner else first.name), "programs"

    def write_table(self, columns: str | Sequence[str] = ()) -> metric_table.Table | None:
        """The table, written into the folder as table.md and table.csv; None before the first run has landed."""
        if not self.has_runs:
            return None
        found = self.table(columns)
        table_forms.write(self.place, md=found, csv=found)
        return found

    def table(self, columns: str | Sequence[str] = ()) -> metric_table.Table:
        """Table with a row for each cell: its parameters, and metrics with 95 % intervals."""
        return metric_table.of(self.measured, self.metrics(columns))

    def difference(
        self,
        other: Sweep,
        columns: Sequence[str] = (),
        *,
        tolerances: Sequence[str] = (),
        strict: bool = False,
    ) -> differences.Differences:
        """Differences of the cells of `other` from the same cells here, run by run where seeds are equal."""
        return differences.of(self.measured, other.measured, columns, tolerances=tolerances, strict=strict)

    def plot(
        self,
        metric: str,
        against: str | None = None,
        by: str | None = None,
        *,
        kind: str | None = None,
        ax: Axes | None = None,
        **options: Unpack[Options],
    ) -> Figure:
        """A metric against a swept parameter, with 95 % intervals over the runs.

        `by` has a line for each value of another parameter; parameters that are not named have a panel a value. `kind`
        is `line`, `bars`, `box`, `cdf` or `map`; `ax` are Matplotlib axes to draw into, which hold one panel. Further
        options: `where`, `formula`, `of`, `log`, `queue`, `size`, `title` (see `tailrace.show.plots.swept.Options`).
        """
        from tailrace.show.plots import swept  # Matplotlib takes half a second

        return swept.figure(self, swept.Request.made(metric, against, by, kind, options), ax, options)

    def against(
        self,
        baseline: str,
        columns: Sequence[str] = (),
        *,
        tolerances: Sequence[str] = (),
        strict: bool = False,
    ) -> differences.Differences:
        """Differences of cells from those where a parameter has a value, all else being equal: `queue=droptail`."""
        text, equals, value = baseline.partition("=")
        if not equals:
            raise UsageError(
                f"a baseline of a sweep is PARAMETER=VALUE, one of its {', '.join(self.columns)}"
            )
        name = self.column(text.strip())
        rest = [other for other in self.columns if other != name and not self._follows(other, name)]
        keys = [
            _key({other: row["axes"][other] for other in rest if other in row["axes"]}) for row in self.plan
        ]
        cells = [replace(cell, key=key) for cell, key in zip(self.measured.cells, keys, strict=True)]
        chosen = self._having(name, value.strip())
        if not any(chosen):
            said = self.parameters[name].parameter.said
            there = dict.fromkeys(said(value) for value in self.cells[name])
            raise UsageError(f"no cell has {name}={value.strip()} (there are {', '.join(there)})")
        return differences.against(
            self.measured,
            {cell.key: cell for cell, base in zip(cells, chosen, strict=True) if base},
            [cell for cell, base in zip(cells, chosen, strict=True) if not base],
            f"{name}={value.strip()}",
            differences.Asked(columns, tolerances, strict),
        )

    def _follows(self, other: str, name: str) -> bool:
        """Whether one parameter is derived, or says nothing that another does not say: they went together."""
        if other in self.about.get("derived", []):
            return True
        found: dict[str | None, set[str | None]] = {}
        for row in self.plan:
            found.setdefault(row["axes"].get(name), set()).add(row["axes"].get(other))
        return all(len(values) == 1 for values in found.values())

    def _having(self, name: str, value: str) -> list[bool]:
        """Flags of cells that have a value there, written as in the file or in tables."""
        words, meant = self.parameters[name].words, value_of(value)
        texts = [row["axes"].get(name) for row in self.plan]
        return [
            text is not None and (value == word or meant == value_of(text))
            for text, word in zip(texts, words, strict=True)
        ]

    def report(self, columns: str | Sequence[str] = (), *, baseline: str = "") -> Report:
        """The whole of it as one HTML page: `.save("report.html")`, or in a notebook what a cell ends with.

        `columns` are the metrics that it answers with; `baseline` is what others are compared with.
        """
        from tailrace.show import report  # Matplotlib takes half a second

        return report.of(self, columns, baseline)

    # -- how it shows ------------------------------------------------------------------------------------------

    def __getitem__(self, name: str) -> pl.DataFrame:
        there = list(self)
        if name not in there:
            raise KeyError(f"there is no table {name!r} in {self.place} (there are {', '.join(there)})")
        return self.frame(name)

    def __iter__(self) -> Iterator[str]:
        return iter(name for name in self._reader.tables() if name not in _INTERNAL)

    def __len__(self) -> int:
        return len(list(iter(self)))

    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other

    def __rich__(self) -> RenderableType:
        return text_table.RichGrid(self.table().grid())

    def _repr_html_(self) -> str:
        return text_table.html([self.table().grid()])

    def __str__(self) -> str:
        return text_table.plain(self)

    def __repr__(self) -> str:
        runs = len(self._reader.index.runs())
        return f"<Sweep {self.name!r}: {len(self.plan)} cells, {runs} runs, {', '.join(self.varied)}>"


def _unfinished(figures: pl.DataFrame) -> list[str]:
    """Notes about transfers that did not end, silent flows and voice that came too late, over all cells and runs.

    Completion times leave the first out, and the score of a call does not tell the last from loss.
    """
    import polars as pl

    if figures.is_empty():
        return []
    counts = figures.filter((pl.col("of") == "group") & pl.col("window").is_null()).with_columns(
        pl.col("figure").cast(pl.String)
    )
    told = pl.col("figure").str.contains(
        r"^(flows|(transfers|silent)\..*|voice\.(late|heard)_packets)$"
    ) & ~pl.col("figure").str.ends_with("_s")
    sums = counts.filter(told).group_by("name", "figure", maintain_order=True).agg(pl.sum("value"))
    groups: dict[str, dict[str, Any]] = {}
    for name, figure, value in sums.iter_rows():
        *above, key = figure.split(".")
        tree = groups.setdefault(name, {})
        for part in above:
            tree = tree.setdefault(part, {})
        tree[key] = {"mean": value, "n": 1}
    found = completion_notes.notes({"groups": groups})
    return [f"{note}, in all cells and runs (--columns {_told_by(note)} tells where)" for note in found]


def _told_by(note: str) -> str:
    """Column that tells in which cells the note holds."""
    return "completed" if "silent at the end" not in note or "transfers completed" in note else "silent"


def _key(axes: Mapping[str, str]) -> str:
    """The same for values that are the same in other words."""
    return repr(sorted((name, value_of(text)) for name, text in axes.items()))

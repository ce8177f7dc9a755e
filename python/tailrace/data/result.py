"""Result of an experiment: the summary document, tables, figures, and the folder they are kept in."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from tailrace import _native
from tailrace.data import loading, manifest
from tailrace.execution import identity
from tailrace.execution.capture import Capture, file_name, in_folder, ordered
from tailrace.execution.execute import FinishedRun
from tailrace.scenario.scenario import Scenario
from tailrace.stats import statistics
from tailrace.system import atomic_folder, json_documents, ownership

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.figure import Figure
    from rich.console import RenderableType

    from tailrace.data.cell_runs import CellRuns
    from tailrace.data.pandas_frames import PandasFrame
    from tailrace.show.plots.style import Options
    from tailrace.show.report import Report
    from tailrace.stats.differences import Differences
    from tailrace.stats.measured import Measured
    from tailrace.stats.metric_table import Table
    from tailrace.stats.steady_state import Unsettled

# Beyond this, names of captured places are cut.


class Result(Mapping[str, "pl.DataFrame"]):
    """The runs of one scenario; as a mapping, the tables that were recorded by name.

    `summary` is the document of the result contract; the tables are Polars frames with a column `run`; the
    `plot_*` methods return Matplotlib figures.
    """

    def __init__(
        self,
        summary: dict[str, Any],
        tables: Mapping[str, pl.DataFrame | pl.LazyFrame],
        scenario_toml: str,
        about: dict[str, Any],
    ) -> None:
        self.summary = summary
        self.scenario_toml = scenario_toml
        self.manifest = about
        # A pcapng file a place and run, in order of runs.
        self.captures: list[Capture] = []
        # In memory, or on the disk until somebody asks for all of one.
        self._tables = dict(tables)
        self._folder: Path | None = None
        # Owners of the files of tables on the disk.
        self._holders: list[object] = []

    def __getstate__(self) -> dict[str, Any]:
        """Without what is on the disk until this ends: its tables are read."""
        if not self._holders:
            return self.__dict__
        import polars as pl

        tables = {
            name: table.collect() if isinstance(table, pl.LazyFrame) else table
            for name, table in self._tables.items()
        }
        return {**self.__dict__, "_tables": tables, "_holders": []}

    @classmethod
    def of_runs(cls, scenario: Scenario, runs: Sequence[FinishedRun], status: str = "complete") -> Result:
        """Folds finished runs, given in run order."""
        result = cls.of_entries(scenario, [run.entry for run in runs], _tables_of(runs), status)
        result.captures = ordered(capture for run in runs for capture in run.captures)
        result._holders = [run.holder for run in runs if run.holder is not None]
        return result

    @classmethod
    def of_cell(cls, scenario: Scenario, runs: CellRuns, status: str = "complete") -> Result:
        """Folds the runs of a cell of a store."""
        from tailrace.execution import polars_frames

        entries = [entry for _, entry in sorted(runs.entries.items())]
        rows = runs.tables
        tables = {name: polars_frames.concatenate(rows[name]) for name in loading.TABLES if name in rows}
        result = cls.of_entries(scenario, entries, tables, status)
        result.captures = ordered(runs.captures)
        result._holders = list(runs.holders)
        return result

    @classmethod
    def of_entries(
        cls,
        scenario: Scenario,
        entries: Sequence[dict[str, Any]],
        tables: Mapping[str, pl.DataFrame | pl.LazyFrame],
        status: str = "complete",
    ) -> Result:
        """Folds the runs' entries of the result contract, given in run order."""
        fingerprint = loading.combined_fingerprint([entry["fingerprint"] for entry in entries])
        summary = {
            "scenario": scenario.name,
            "fingerprint": fingerprint,
            "runs": list(entries),
            "aggregate": statistics.aggregate(entries),
        }
        about = {
            **manifest.provenance(),
            "scenario": scenario.name,
            "question": scenario.question,
            "file": scenario.file_name,
            "cell": identity.of_cell(scenario),
            "seed": scenario.seed,
            "runs_asked": scenario.runs,
            "runs": [{key: entry[key] for key in ("run", "seed", "fingerprint")} for entry in entries],
            "fingerprint": fingerprint,
            "status": status,
            "warnings": scenario.warnings,
        }
        if stacks := scenario.native.quic_stacks:
            about["quic_stacks"] = stacks
        if scenario.native.kernels:
            from tailrace.kernels import run_kernels

            about["kernels"] = run_kernels.described(scenario.native)
        return cls(summary, tables, scenario.to_toml(), about)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Result:
        """A result from its folder. Tables are read when first asked for."""
        place = Path(path)
        summary, about, text = loading.result(place)
        result = cls(summary, {}, text, about)
        result._folder = place
        result.captures = in_folder(place / "captures")
        return result

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Writes the folder whole: summary, resolved scenario, manifest, Parquet tables, captures."""
        with atomic_folder.replacing(path) as fresh:
            self.write_into(fresh)
        return Path(path)

    def write_into(self, place: Path) -> None:
        """Writes the files into a folder that exists."""
        import polars as pl  # loads when it is needed

        from tailrace.execution import polars_frames

        columns = {}
        for name in self._known_tables():
            table = self._kept(name)
            file = place / f"{name}.parquet"
            if isinstance(table, pl.LazyFrame):
                columns[name] = polars_frames.kinds(table.collect_schema())
                polars_frames.sink(table, file)
            elif table.width:
                columns[name] = polars_frames.kinds(table.schema)
                polars_frames.write(table, file)
        self._write_captures(place)
        (place / loading.SCENARIO).write_text(self.scenario_toml, encoding="utf-8")
        (place / loading.SUMMARY).write_text(self.to_json() + "\n", encoding="utf-8")
        written = (loading.SUMMARY, loading.SCENARIO, *(f"{name}.parquet" for name in columns))
        sums = ownership.checksums(place, written)
        about = {**self.manifest, "tables": columns, ownership.CHECKSUMS: sums}
        ownership.seal(place, ownership.RESULT, about)

    def _write_captures(self, place: Path) -> None:
        for capture in self.captures:
            of_run = place / "captures" / f"run{capture.run}"
            of_run.mkdir(parents=True, exist_ok=True)
            capture.save(of_run / file_name(capture.name))

    def to_json(self) -> str:
        """The document of the result contract."""
        return json_documents.text(self.summary, "runs")

    # -- what was found ----------------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """The scenario's name."""
        return str(self.summary["scenario"])

    @property
    def fingerprint(self) -> str:
        """Equal for equal scenario, seed and number of runs."""
        return str(self.summary["fingerprint"])

    @property
    def n(self) -> int:
        """Number of runs that ended."""
        return len(self.summary["runs"])

    @property
    def seed(self) -> int:
        """The seed that the runs' seeds derive from."""
        return int(self.manifest["seed"])

    @property
    def aggregate(self) -> dict[str, Any]:
        """Means with 95 % intervals over the runs."""
        aggregate: dict[str, Any] = self.summary["aggregate"]
        return aggregate

    def table(self, name: str) -> pl.DataFrame:
        """A table by its name; empty if it was not recorded."""
        import polars as pl  # a fifth of a second that `check` and `list` need not wait

        found = self._kept(name)
        if isinstance(found, pl.LazyFrame):
            found = self._tables[name] = loading.collected(found, name, self._folder)
        return found

    def scan(self, name: str) -> pl.LazyFrame:
        """The same, read when it is collected, and no more of it than is asked for: for what is larger than memory."""
        return self._kept(name).lazy()

    def to_pandas(self, name: str = "flows") -> PandasFrame:
        """A table by its name as a pandas frame (`pip install 'tailrace[pandas]'`); empty if it was not recorded."""
        from tailrace.data import pandas_frames

        return pandas_frames.of(self.table(name))

    def columns(self, name: str, *wanted: str) -> pl.DataFrame:
        """Some columns of a table, without reading the others; empty if it has not all of them."""
        import polars as pl

        found = self._kept(name)
        if isinstance(found, pl.LazyFrame):
            there = set(wanted) <= set(found.collect_schema().names())
            return loading.collected(found.select(wanted), name, self._folder) if there else pl.DataFrame()
        return found.select(wanted) if set(wanted) <= set(found.columns) else pl.DataFrame()

    def _kept(self, name: str) -> pl.DataFrame | pl.LazyFrame:
        import polars as pl

        if name not in self._tables:
            loading.check_table_name(name)
            found = loading.table(self._folder, name, self.manifest) if self._folder else None
            self._tables[name] = pl.DataFrame() if found is None else found
        return self._tables[name]

    @property
    def flows(self) -> pl.DataFrame:
        """Table of flows: a row for each flow and run."""
        return self.table("flows")

    @property
    def paths(self) -> pl.DataFrame:
        """Table of paths: a row for each flow over Multipath TCP, path, sending end and run; empty without Multipath
        TCP.
        """
        return self.table("paths")

    @property
    def queues(self) -> pl.DataFrame:
        """Table of queues: a row for each observed queue and run."""
        return self.table("queues")

    @property
    def windows(self) -> pl.DataFrame:
        """Statistics by window: a row for each window, number of a flow group or queue, and run; empty without
        windows.
        """
        from tailrace.stats import window_statistics

        return window_statistics.frame(self.summary["runs"])

    @property
    def flow_windows(self) -> pl.DataFrame:
        """Table of flows by window: a row for each flow, window and run; empty without windows."""
        return self.table("flow_windows")

    @property
    def group_series(self) -> pl.DataFrame:
        """Goodput, delay, mean cwnd... of flow groups over time: of all flows of each."""
        return self.table("group_series")

    @property
    def flow_series(self) -> pl.DataFrame:
        """cwnd, RTT, throughput... of flows over time."""
        return self.table("flow_series")

    @property
    def queue_series(self) -> pl.DataFrame:
        """Backlog, sojourn, drops... of queues over time."""
        return self.table("queue_series")

    @property
    def law_series(self) -> pl.DataFrame:
        """The disciplines' own state over time, in long form."""
        return self.table("law_series")

    @property
    def subflow_series(self) -> pl.DataFrame:
        """cwnd, RTT, bytes scheduled... of each subflow over time; empty without Multipath TCP."""
        return self.table("subflow_series")

    @property
    def connection_series(self) -> pl.DataFrame:
        """Progress at the data level, bytes that wait for others... over time; empty without Multipath TCP."""
        return self.table("connection_series")

    @property
    def path_series(self) -> pl.DataFrame:
        """Goodput, delay, losses... of each path over time; empty without Multipath TCP."""
        return self.table("path_series")

    @property
    def reordering(self) -> pl.DataFrame:
        """Distribution of how far and how long segments of Multipath TCP were ahead of their order; empty without
        it.
        """
        return self.table("reordering")

    @property
    def connections(self) -> pl.DataFrame:
        """Table of connections: a row for each connection and run with its start, end and outcome; up to
        `max_connections`.
        """
        return self.table("connections")

    @property
    def events(self) -> pl.DataFrame:
        """Drops, marks, timeouts, flags and faults, if the scenario records them."""
        return self.table("events")

    def finished_runs(self) -> list[FinishedRun]:
        """The runs by themselves, for a result of more of them."""
        import polars as pl

        tables = {name: self._kept(name) for name in self._known_tables()}
        return [
            FinishedRun(
                run=entry["run"],
                seed=entry["seed"],
                fingerprint=entry["fingerprint"],
                entry=entry,
                raw_tables={},
                captures=[capture for capture in self.captures if capture.run == entry["run"]],
                frames={
                    name: table.filter(pl.col("run") == entry["run"])
                    for name, table in tables.items()
                    if isinstance(table, pl.LazyFrame) or table.width
                },
                holder=self,
            )
            for entry in self.summary["runs"]
        ]

    def _known_tables(self) -> list[str]:
        stored: list[str] = []
        if self._folder and ownership.CHECKSUMS in self.manifest:
            stored = sorted(self.manifest.get("tables", {}))
        elif self._folder:
            stored = [file.stem for file in sorted(self._folder.glob("*.parquet"))]
        return list(dict.fromkeys([*self._tables, *stored]))

    # -- figures -----------------------------------------------------------------------------------------------

    def plot(self, figure: str, **options: Unpack[Options]) -> Figure:
        """Draws a figure by its name; `size` is `screen`, `single` or `double`, `title=False` leaves titles off."""
        from tailrace.show import plots  # Matplotlib takes half a second

        return plots.single(self, figure, **options)

    def plot_queue(self, **options: Unpack[Options]) -> Figure:
        """Queue length over time, of `queue` or else of the busiest."""
        return self.plot("queue", **options)

    def plot_cwnd(self, **options: Unpack[Options]) -> Figure:
        """Congestion window of each TCP flow over time, or the mean of many."""
        return self.plot("cwnd", **options)

    def plot_goodput(self, **options: Unpack[Options]) -> Figure:
        """Goodput, which reaches the applications, over time."""
        return self.plot("goodput", **options)

    def plot_throughput(self, **options: Unpack[Options]) -> Figure:
        """All bytes that reach the hosts, over time."""
        return self.plot("throughput", **options)

    def plot_delay(self, **options: Unpack[Options]) -> Figure:
        """End-to-end delay over time, in each direction."""
        return self.plot("delay", **options)

    def plot_jitter(self, **options: Unpack[Options]) -> Figure:
        """Jitter of what reaches the applications, over time."""
        return self.plot("jitter", **options)

    def plot_loss(self, **options: Unpack[Options]) -> Figure:
        """Share of packets lost so far, over time."""
        return self.plot("loss", **options)

    def plot_subflow_cwnd(self, **options: Unpack[Options]) -> Figure:
        """Congestion window of each subflow of Multipath TCP."""
        return self.plot("subflow_cwnd", **options)

    def plot_path_throughput(self, **options: Unpack[Options]) -> Figure:
        """Throughput that connections of Multipath TCP put on each path, stacked, and what was delivered of it."""
        return self.plot("path_throughput", **options)

    def plot_path_goodput(self, **options: Unpack[Options]) -> Figure:
        """Goodput that connections of Multipath TCP got over each path, stacked, and what was delivered of it."""
        return self.plot("path_goodput", **options)

    def plot_data_sequence(self, **options: Unpack[Options]) -> Figure:
        """Progress of Multipath TCP's byte streams, and what waits on the way."""
        return self.plot("data_sequence", **options)

    def plot_reordering(self, **options: Unpack[Options]) -> Figure:
        """Distribution of how far, and for how long, data of Multipath TCP was ahead of its order."""
        return self.plot("reordering", **options)

    # -- numbers -----------------------------------------------------------------------------------------------

    @property
    def measured(self) -> Measured:
        """Its runs as tables of metrics and differences take them."""
        from tailrace.data import measured_results

        return measured_results.of_result(self)

    @property
    def unsettled(self) -> list[Unsettled]:
        """Series that still moved when the statistics began: use a longer warm-up. Empty where the scenario means
        it.
        """
        from tailrace.stats import steady_state

        return steady_state.unsettled(self)

    def metrics_table(self, columns: Sequence[str] = ()) -> Table:
        """Metrics by name (`goodput`, `p95(tcp.rtt)`) with 95 % intervals; without names the usual ones."""
        from tailrace.stats import metric_table

        measured = self.measured
        return metric_table.of(measured, measured.metrics(columns))

    def difference(
        self,
        other: Result,
        columns: Sequence[str] = (),
        *,
        tolerances: Sequence[str] = (),
        strict: bool = False,
    ) -> Differences:
        """Differences of `other` from this result, run by run where seeds are equal.

        `tolerances` says how much it may be (`goodput=5%`, `delay=2ms`); `.broken` has what goes beyond.
        """
        from tailrace.stats import differences

        return differences.of(self.measured, other.measured, columns, tolerances=tolerances, strict=strict)

    def report(self, columns: str | Sequence[str] = ()) -> Report:
        """The whole of it as one HTML page: `.save("report.html")`, or in a notebook what a cell ends with.

        `columns` are the metrics that it answers with.
        """
        from tailrace.show import report  # Matplotlib takes half a second

        return report.of(self, columns)

    # -- how it shows ------------------------------------------------------------------------------------------

    def __getitem__(self, name: str) -> pl.DataFrame:
        there = list(self)
        if name not in there:
            raise KeyError(f"{self.name} has no table {name!r} (there are {', '.join(there)})")
        return self.table(name)

    def __iter__(self) -> Iterator[str]:
        """The tables that were recorded."""
        return (name for name in self._known_tables() if not self._was_asked_in_vain(name))

    def _was_asked_in_vain(self, name: str) -> bool:
        """Tests for the placeholder of a table that was not recorded: it has no column."""
        found = self._tables.get(name)
        return found is not None and not found.lazy().collect_schema()

    def __len__(self) -> int:
        return len(list(iter(self)))

    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other

    def __rich__(self) -> RenderableType:
        from tailrace.show import summary_tables

        return summary_tables.rich_result(self)

    def _repr_html_(self) -> str:
        from tailrace.show import summary_tables
        from tailrace.text import text_table

        return text_table.html(summary_tables.result_grids(self))

    def __str__(self) -> str:
        """The table, as it stands in a terminal."""
        from tailrace.text import text_table

        return text_table.plain(self)

    def __repr__(self) -> str:
        return f"<Result {self.name!r}: {self.n} runs, seed {self.seed}, fingerprint {self.fingerprint}>"


def _tables_of(runs: Sequence[FinishedRun]) -> dict[str, pl.DataFrame | pl.LazyFrame]:
    from tailrace.execution import polars_frames  # Polars and NumPy load when they are needed

    recorded = {name for run in runs for name in (*run.raw_tables, *run.frames)}

    def frames(name: str) -> Iterator[pl.DataFrame | pl.LazyFrame]:
        for read, several in itertools.groupby(runs, lambda run: name in run.frames):
            if read:
                yield from (run.frames[name] for run in several)
            elif raw := [
                (0, run.run, _native.pack({name: run.raw_tables[name]}))
                for run in several
                if name in run.raw_tables
            ]:
                yield polars_frames.joined(_native.join(raw)[name]).drop("cell")

    return {
        name: polars_frames.concatenate(list(frames(name))) for name in loading.TABLES if name in recorded
    }

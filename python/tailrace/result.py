"""What an experiment found: the summary document, tables, figures, and the folder they are kept in."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tailrace import folder, manifest, statistics
from tailrace.errors import UsageError
from tailrace.execute import FinishedRun
from tailrace.scenario import Scenario

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.figure import Figure
    from rich.console import RenderableType

_SUMMARY, _SCENARIO = "summary.json", "scenario.toml"
# What must be there for a folder to be worked with.
_SUMMARY_SHAPE = {"scenario": str, "fingerprint": str, "runs": list, "aggregate": dict}
_ABOUT_SHAPE = {"seed": int, "runs_asked": int, "status": str}


class Result:
    """The runs of one scenario.

    `summary` is the document of the result contract; the tables are Polars frames with a column `run`; the
    `plot_*` methods return Matplotlib figures.
    """

    def __init__(
        self,
        summary: dict[str, Any],
        tables: dict[str, pl.DataFrame],
        scenario_toml: str,
        about: dict[str, Any],
    ) -> None:
        self.summary = summary
        self.scenario_toml = scenario_toml
        self.manifest = about
        self.captures: list[tuple[int, str, bytes]] = []
        self._tables = tables
        self._folder: Path | None = None

    @classmethod
    def of_runs(cls, scenario: Scenario, runs: Sequence[FinishedRun], status: str = "complete") -> Result:
        """Folds finished runs, given in run order."""
        entries = [run.entry for run in runs]
        fingerprint = combined_fingerprint([run.fingerprint for run in runs])
        summary = {
            "scenario": scenario.name,
            "fingerprint": fingerprint,
            "runs": entries,
            "aggregate": statistics.aggregate(entries),
        }
        about = {
            **manifest.provenance(),
            "scenario": scenario.name,
            "question": scenario.question,
            "file": scenario.file_name,
            "seed": scenario.seed,
            "runs_asked": scenario.runs,
            "runs": [{"run": r.run, "seed": r.seed, "fingerprint": r.fingerprint} for r in runs],
            "fingerprint": fingerprint,
            "status": status,
            "warnings": scenario.warnings,
        }
        result = cls(summary, _tables_of(runs), scenario.to_toml(), about)
        result.captures = [(run.run, name, data) for run in runs for name, data in run.captures]
        return result

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Result:
        """A result from its folder. Tables are read when first asked for."""
        place = Path(path)
        if not place.is_dir():
            raise UsageError(f"there is no result folder {place}")
        try:
            summary = json.loads((place / _SUMMARY).read_text(encoding="utf-8"))
            about = json.loads((place / folder.MANIFEST).read_text(encoding="utf-8"))
            text = (place / _SCENARIO).read_text(encoding="utf-8")
        except FileNotFoundError as error:
            raise UsageError(
                f"{place} is not a result folder: it has no {Path(error.filename).name}"
            ) from None
        except (OSError, ValueError) as error:
            raise UsageError(f"{place} cannot be read: {error}") from None
        _check_shape(summary, _SUMMARY_SHAPE, place / _SUMMARY)
        _check_shape(about, _ABOUT_SHAPE, place / folder.MANIFEST)
        result = cls(summary, {}, text, about)
        result._folder = place
        return result

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Writes the folder whole: summary, resolved scenario, manifest, Parquet tables, captures."""
        with folder.replacing(Path(path)) as fresh:
            self.write_into(fresh)
        return Path(path)

    def write_into(self, place: Path) -> None:
        """Writes the files into a folder that exists."""
        for name in self._known_tables():
            _write_table(self.table(name), place / f"{name}.parquet")
        for run, name, data in self.captures:
            (place / "captures" / f"run{run}").mkdir(parents=True, exist_ok=True)
            (place / "captures" / f"run{run}" / name).write_bytes(data)
        (place / _SCENARIO).write_text(self.scenario_toml, encoding="utf-8")
        (place / _SUMMARY).write_text(self.to_json() + "\n", encoding="utf-8")
        (place / folder.MANIFEST).write_text(json.dumps(self.manifest, indent=2) + "\n", encoding="utf-8")

    def to_json(self) -> str:
        """The document of the result contract."""
        return json.dumps(self.summary, indent=2, allow_nan=False)

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
        """How many runs ended."""
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

        if name not in self._tables:
            file = self._folder / f"{name}.parquet" if self._folder else None
            try:
                self._tables[name] = pl.read_parquet(file) if file and file.is_file() else pl.DataFrame()
            except (pl.exceptions.PolarsError, OSError) as error:
                raise UsageError(f"{file} cannot be read: {error}") from None
        return self._tables[name]

    @property
    def flows(self) -> pl.DataFrame:
        """One row a flow and run."""
        return self.table("flows")

    @property
    def queues(self) -> pl.DataFrame:
        """One row an observed queue and run."""
        return self.table("queues")

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
    def reordering(self) -> pl.DataFrame:
        """How many segments of Multipath TCP were how far and how long ahead of their order; empty without it."""
        return self.table("reordering")

    @property
    def events(self) -> pl.DataFrame:
        """Drops, marks, timeouts, flags and faults, if the scenario records them."""
        return self.table("events")

    def _known_tables(self) -> list[str]:
        stored = [file.stem for file in sorted(self._folder.glob("*.parquet"))] if self._folder else []
        return list(dict.fromkeys([*self._tables, *stored]))

    # -- figures -----------------------------------------------------------------------------------------------

    def plot_queue(self) -> Figure:
        """Queue length over time."""
        return self._plot("queue")

    def plot_cwnd(self) -> Figure:
        """Congestion window of each TCP flow over time."""
        return self._plot("cwnd")

    def plot_throughput(self) -> Figure:
        """Throughput over time."""
        return self._plot("throughput")

    def plot_delay(self) -> Figure:
        """End-to-end delay over time."""
        return self._plot("delay")

    def plot_jitter(self) -> Figure:
        """Jitter of what reaches the applications, over time."""
        return self._plot("jitter")

    def plot_loss(self) -> Figure:
        """Share of packets lost so far, over time."""
        return self._plot("loss")

    def plot_subflow_cwnd(self) -> Figure:
        """Congestion window of each subflow of Multipath TCP."""
        return self._plot("subflow_cwnd")

    def plot_path_throughput(self) -> Figure:
        """What connections of Multipath TCP gave each path, stacked, and what was delivered of it."""
        return self._plot("path_throughput")

    def plot_data_sequence(self) -> Figure:
        """Progress of Multipath TCP's byte streams, and what waits on the way."""
        return self._plot("data_sequence")

    def plot_reordering(self) -> Figure:
        """How far, and for how long, data of Multipath TCP was ahead of its order."""
        return self._plot("reordering")

    def _plot(self, metric: str) -> Figure:
        from tailrace import plots  # Matplotlib takes half a second

        return plots.single(self, metric)

    # -- how it shows ------------------------------------------------------------------------------------------

    def __rich__(self) -> RenderableType:
        from tailrace import present

        return present.rich_result(self)

    def _repr_html_(self) -> str:
        from tailrace import present

        return present.html(present.result_grids(self))

    def __repr__(self) -> str:
        return f"<Result {self.name!r}: {self.n} runs, seed {self.seed}, fingerprint {self.fingerprint}>"


def combined_fingerprint(fingerprints: Sequence[str]) -> str:
    """One fingerprint of several, which depends on their order."""
    return hashlib.blake2b(" ".join(fingerprints).encode(), digest_size=8).hexdigest()


def _check_shape(document: object, shape: Mapping[str, type], file: Path) -> None:
    """Refuses what another program wrote, or an editor broke, before it fails somewhere deep."""
    if not isinstance(document, dict):
        raise UsageError(f"{file} is damaged: it does not hold a table of keys; run the scenario again")
    for key, kind in shape.items():
        if not isinstance(document.get(key), kind):
            raise UsageError(f"{file} is damaged: it has no proper {key!r}; run the scenario again")


def _write_table(frame: pl.DataFrame, file: Path) -> None:
    from polars.exceptions import ComputeError

    try:
        if frame.width:
            frame.write_parquet(file, compression="zstd")
    except ComputeError as error:  # a full disk, which is an OSError everywhere else
        raise OSError(str(error)) from None


def _tables_of(runs: Sequence[FinishedRun]) -> dict[str, pl.DataFrame]:
    from tailrace import tables  # Polars and NumPy load when they are needed

    names = dict.fromkeys(name for run in runs for name in run.raw_tables)
    return {
        name: tables.concatenate(
            [tables.frame(run.raw_tables[name], run.run) for run in runs if name in run.raw_tables]
        )
        for name in names
    }

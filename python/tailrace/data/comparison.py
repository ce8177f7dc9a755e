"""Several results side by side: a table, overlay figures, a folder."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from tailrace.data import loading, manifest
from tailrace.data.result import Result
from tailrace.errors import UsageError
from tailrace.show import summary_tables
from tailrace.stats import summary_measures
from tailrace.system import atomic_folder, json_documents, ownership
from tailrace.text import names, near_misses, text_table

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.console import RenderableType

    from tailrace.show.plots.style import Options
    from tailrace.show.report import Report
    from tailrace.stats.differences import Differences
    from tailrace.stats.measured import Measured
    from tailrace.stats.metric_table import Table

_VARIANTS = "variants"


class Comparison(Mapping[str, Result]):
    """Results by label, in the order in which they are shown."""

    def __init__(
        self,
        results: Mapping[str, Result],
        title: str = "comparison",
        status: str = "complete",
    ) -> None:
        if not results:
            raise UsageError("there is nothing to compare")
        self.results = dict(results)
        self.title = title
        # "interrupted" or "failed" where runs are missing, be it whole variants.
        self.status = status
        # The one queue that is shown of all results; None for the busiest.
        self.queue: str | None = None

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Comparison:
        """A comparison from its folder."""
        place = Path(path)
        about = loading.comparison(place)
        results = {label: Result.load(place / sub) for label, sub in about["variants"].items()}
        for label, result in results.items():
            if about["fingerprints"].get(label) != result.fingerprint:
                raise UsageError(
                    f"{place} is damaged: {label!r} has another fingerprint than its {ownership.MANIFEST}; "
                    "run the comparison again"
                )
        return cls(results, about["title"], about["status"])

    @staticmethod
    def is_folder(place: Path) -> bool:
        """Whether a comparison was saved there."""
        return loading.is_comparison(place)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Writes a folder with one result folder a variant, `comparison.json` and `table.md`."""
        with atomic_folder.replacing(path) as fresh:
            self.write_into(fresh)
        return Path(path)

    def write_into(self, place: Path) -> None:
        """Writes the files into a folder that exists."""
        places = dict(zip(self.results, self.folder_names(), strict=True))
        for label, result in self.results.items():
            (place / places[label]).mkdir()
            result.write_into(place / places[label])
        summaries = {
            label: (place / sub / loading.SUMMARY).read_text(encoding="utf-8").rstrip("\n")
            for label, sub in places.items()
        }
        (place / "comparison.json").write_text(self._json_of(summaries) + "\n", encoding="utf-8")
        (place / "table.md").write_text(text_table.markdown(self.grid), encoding="utf-8")
        about = {
            **manifest.provenance(),
            "title": self.title,
            _VARIANTS: places,
            "fingerprints": {label: result.fingerprint for label, result in self.results.items()},
            "status": self.status,
        }
        ownership.seal(place, ownership.COMPARISON, about)

    def folder_names(self) -> list[str]:
        """The name of each variant's folder within the comparison's."""
        return folder_names(list(self.results))

    @property
    def document(self) -> dict[str, Any]:
        """Each variant's summary, by label."""
        return {"title": self.title, _VARIANTS: {label: r.summary for label, r in self.results.items()}}

    def to_json(self) -> str:
        """The same as JSON text."""
        return self._json_of({label: result.to_json() for label, result in self.results.items()})

    def _json_of(self, summaries: Mapping[str, str]) -> str:
        """The same, of the documents of results as JSON text."""
        return json_documents.nested(
            {"title": json.dumps(self.title), _VARIANTS: json_documents.nested(summaries)}
        )

    def studying(self, queue: str | None) -> Comparison:
        """The same with another queue in its table and figures; with None, as it is."""
        if queue is None:
            return self
        other = Comparison(self.results, self.title, self.status)
        other.queue = summary_measures.studied_queue(
            [result.aggregate for result in self.results.values()], queue
        )
        return other

    @property
    def grid(self) -> text_table.Grid:
        """The table."""
        return summary_tables.comparison_grid(self.results, self.title, self.queue)

    @property
    def measured(self) -> Measured:
        """The runs of all variants as tables of metrics and differences take them."""
        from tailrace.data import measured_results

        return measured_results.of_results(self.results, self.title)

    def metrics_table(self, columns: Sequence[str] = ()) -> Table:
        """A row a variant: metrics by name (`goodput`, `p95(tcp.rtt)`) with 95 % intervals; without names the usual."""
        from tailrace.stats import metric_table

        measured = self.measured
        return metric_table.of(measured, measured.metrics(columns))

    def difference(
        self,
        other: Comparison,
        columns: Sequence[str] = (),
        *,
        tolerances: Sequence[str] = (),
        strict: bool = False,
    ) -> Differences:
        """Differences of the variants of `other` from those of the same name here, run by run where seeds are equal."""
        from tailrace.stats import differences

        return differences.of(self.measured, other.measured, columns, tolerances=tolerances, strict=strict)

    def against(
        self,
        baseline: str,
        columns: Sequence[str] = (),
        *,
        tolerances: Sequence[str] = (),
        strict: bool = False,
    ) -> Differences:
        """Differences of the other variants from this one, run by run where seeds are equal."""
        from tailrace.stats import differences

        near_misses.known(baseline, list(self.results), "variant")
        measured = self.measured
        (base,) = [cell for cell in measured.cells if cell.label == baseline]
        others = [cell for cell in measured.cells if cell.label != baseline]
        asked = differences.Asked(columns, tolerances, strict)
        return differences.against(measured, {cell.key: base for cell in others}, others, baseline, asked)

    def plot(self, figure: str, **options: Unpack[Options]) -> Figure:
        """An overlay of `queue`, `cwnd`, `goodput`, `throughput`, `delay`, `jitter` or `loss` over time.

        Of Multipath TCP also `subflow_cwnd`, `path_goodput`, `path_throughput`, `data_sequence` and `reordering`.
        `size` is `screen`, `single` or `double`; `title=False` leaves titles off.
        """
        from tailrace.show import plots  # Matplotlib takes half a second

        chosen: Options = {"queue": self.queue, **options}
        return plots.overlay(self.results, figure, self.title, **chosen)

    def report(self, columns: str | Sequence[str] = (), *, baseline: str = "") -> Report:
        """The whole of it as one HTML page: `.save("report.html")`, or in a notebook what a cell ends with.

        `columns` are the metrics that it answers with; `baseline` is what others are compared with.
        """
        from tailrace.show import report  # Matplotlib takes half a second

        return report.of(self, columns, baseline)

    def __getitem__(self, label: str) -> Result:
        if label not in self.results:
            raise KeyError(f"there is no variant {label!r} (there are {', '.join(self.results)})")
        return self.results[label]

    def __iter__(self) -> Iterator[str]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    __hash__ = object.__hash__

    def __rich__(self) -> RenderableType:
        return summary_tables.RichComparison(self.results, self.title, self.queue)

    def _repr_html_(self) -> str:
        return text_table.html([self.grid])

    def __str__(self) -> str:
        """The table, as it stands in a terminal."""
        return text_table.plain(self)

    def __repr__(self) -> str:
        return f"<Comparison {self.title!r}: {', '.join(self.results)}>"


def opened(places: Sequence[Path]) -> Result | Comparison:
    """Contents of folders: one result, or several side by side."""
    if len(places) == 1:
        return Comparison.load(places[0]) if Comparison.is_folder(places[0]) else Result.load(places[0])
    names = [place.resolve().name for place in places]
    labels = names if len(set(names)) == len(names) else [str(place) for place in places]
    return Comparison({label: Result.load(place) for label, place in zip(labels, places, strict=True)})


def compare(results: Mapping[str, Result], title: str = "comparison") -> Comparison:
    """Puts results side by side: a table in a terminal or notebook, `.plot(metric)`, `.save(folder)`."""
    if not isinstance(results, Mapping):
        raise UsageError(
            'compare() takes results by label, such as {"red": run("a.toml")}; '
            "run_variants() takes scenarios by label and runs them, sweep() a file and what to vary"
        )
    return Comparison(results, title)


def folder_names(labels: list[str]) -> list[str]:
    """Labels as folder names, still distinct, also where a file system does not tell large letters from small."""
    chosen: list[str] = []
    for label in labels:
        name = names.of_folder(label, "variant")
        taken = {other.casefold() for other in (*chosen, "figures")}
        count = 1
        while (name if count == 1 else f"{name}-{count}").casefold() in taken:
            count += 1
        chosen.append(name if count == 1 else f"{name}-{count}")
    return chosen

"""A paper's runs with the quantities that its file declares as metrics: figures and tables show them like any other."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from tailrace.reproduce.claim_quantities import Measured
from tailrace.reproduce.paper import Paper
from tailrace.stats.metrics import QUANTITY, Metric
from tailrace.study.sweep_result import Sweep

if TYPE_CHECKING:
    import polars as pl

    from tailrace.stats.metric_table import Table


class Declaring(Sweep):
    """A sweep that knows a paper's quantities. Of `wifi.cwnd` and `lte.cwnd` both are meant by `cwnd`."""

    def __init__(self, place: Path, paper: Paper, study: str) -> None:
        super().__init__(place)
        self._paper = paper
        self._asked_by = Measured(paper, study, lambda _: self)
        self._taken: dict[str, tuple[Metric, pl.DataFrame]] = {}

    def metrics(self, names: str | Sequence[str] = ()) -> list[Metric]:
        """Metrics for names: quantities of the file first, then metrics of sweeps."""
        several = [names] if isinstance(names, str) else names
        if not several:
            return super().metrics()
        return [metric for name in several for metric in self._named(name)]

    def table(self, columns: str | Sequence[str] = ()) -> Table:
        """Table with a row for each cell; quantities are computed from the runs first."""
        self.metrics(columns)
        return super().table(columns)

    def _named(self, name: str) -> list[Metric]:
        declared = self._paper.quantities
        meant = [name] if name in declared else [one for one in declared if one.endswith(f".{name}")]
        return [self._quantity(one) for one in meant] or super().metrics([name])

    def _quantity(self, name: str) -> Metric:
        """Taken of all runs when it is first asked for."""
        if name not in self._taken:
            unit, values = self._asked_by.every(name, self._paper.quantities[name])
            owner, _, short = name.rpartition(".")
            metric = Metric(short, QUANTITY, name, unit, owner=owner or None)
            self._taken[name] = (metric, self._rows(metric, values))
            # Discards what was computed before these were there.
            self.__dict__.pop("measured", None)
        return self._taken[name][0]

    def _rows(self, metric: Metric, values: Sequence[tuple[int, int, float]]) -> pl.DataFrame:
        """Rows in the form of summary numbers."""
        import polars as pl

        there = self._recorded
        own = pl.DataFrame(
            values, schema={"cell": pl.UInt32, "run": pl.UInt32, "value": pl.Float64}, orient="row"
        )
        own = own.with_columns(
            of=pl.lit(QUANTITY), name=pl.lit(metric.owner or ""), figure=pl.lit(metric.figure)
        )
        missing = [pl.lit(None).alias(name) for name in there.columns if name not in own.columns]
        return own.with_columns(missing).select(
            pl.col(name).cast(kind) for name, kind in there.schema.items()
        )

    @cached_property
    def _recorded(self) -> pl.DataFrame:
        return super()._reader_figures

    @property
    def _reader_figures(self) -> pl.DataFrame:
        import polars as pl

        return pl.concat([self._recorded, *(rows for _, rows in self._taken.values())])

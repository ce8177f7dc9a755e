"""Runs of one cell of a store, as a result takes them over."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tailrace.execution.capture import Capture

if TYPE_CHECKING:
    import polars as pl

# Key of rows of all runs, which are in one frame in order.
ALL_RUNS = 0


@dataclass
class CellRuns:
    """Runs of a cell, in order: entries of the result contract, rows of each table, captures."""

    entries: dict[int, dict[str, Any]] = field(default_factory=dict)
    # Table -> run -> rows; `ALL_RUNS` has those of all runs, where they are in one frame.
    rows: dict[str, dict[int, pl.DataFrame | pl.LazyFrame]] = field(default_factory=dict)
    captures: list[Capture] = field(default_factory=list)
    # Owners of the files of rows and captures.
    holders: list[object] = field(default_factory=list)

    @property
    def tables(self) -> dict[str, list[pl.DataFrame | pl.LazyFrame]]:
        """Rows of each table, in order of runs."""
        return {name: [rows for _, rows in sorted(found.items())] for name, found in self.rows.items()}

    def by_run(self, table: str) -> dict[int, pl.DataFrame | pl.LazyFrame]:
        """Rows of a table run by run, so that others can come between them."""
        rows = self.rows.setdefault(table, {})
        together = rows.pop(ALL_RUNS, None)
        if together is not None:
            frames = together.lazy().collect().partition_by("run", maintain_order=True)
            rows |= {int(frame["run"][0]): frame for frame in frames}
        return rows

    def first(self, runs: int) -> CellRuns:
        """The runs up to a number."""
        if max(self.entries, default=0) <= runs:
            return self
        kept = CellRuns(
            {run: entry for run, entry in self.entries.items() if run <= runs},
            captures=[capture for capture in self.captures if capture.run <= runs],
            holders=self.holders,
        )
        for name in list(self.rows):
            kept.rows[name] = {run: rows for run, rows in self.by_run(name).items() if run <= runs}
        return kept

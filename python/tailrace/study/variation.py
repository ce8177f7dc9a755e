"""Variation of a sweep: its cells, each with its place on every axis. Needs no run."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from tailrace.stats.parameters import Column, meant
from tailrace.study.cells import Cell

if TYPE_CHECKING:
    import polars as pl

# The column of presets.
PRESET = "preset"


class Variation:
    """The cells in their order: of each its number (`cell`; None where it cannot be run), `label`, and `axes`."""

    def __init__(self, plan: Sequence[dict[str, Any]]) -> None:
        self.plan = plan

    @classmethod
    def of_cells(cls, cells: Iterable[Cell], unable: Collection[int] = ()) -> Variation:
        """Variation of cells without numbers yet; `unable` has the places of those that cannot be run."""
        return cls(
            [
                {
                    "cell": None if place in unable else place + 1,
                    "label": cell.label,
                    "axes": cell.axes,
                    **({"error": ""} if place in unable else {}),
                }
                for place, cell in enumerate(cells)
            ]
        )

    @property
    def columns(self) -> list[str]:
        """The swept parameters, as frames call them."""
        return list(dict.fromkeys(name for row in self.plan for name in row["axes"]))

    @cached_property
    def cells(self) -> pl.DataFrame:
        """Frame with a row for each cell: `cell`, `label`, and a column for each parameter, in the order of the
        sweep.
        """
        import polars as pl

        numbers = pl.Series("cell", [row["cell"] for row in self.plan], dtype=pl.UInt32)
        labels = pl.Series("label", [row["label"] for row in self.plan], dtype=pl.String)
        return pl.DataFrame([numbers, labels, *(self._column(name) for name in self.columns)])

    def _column(self, name: str) -> pl.Series:
        import polars as pl

        column = self.parameters[name]
        if column.numbers is not None:
            return pl.Series(name, column.numbers, dtype=pl.Float64)
        return pl.Series(name, column.words, dtype=pl.String)

    @cached_property
    def parameters(self) -> dict[str, Column]:
        """The swept parameters by name: unit, values as tables have them."""
        return {name: Column(name, self.plan) for name in self.columns}

    def unit(self, name: str) -> str:
        """The unit of a swept parameter in `cells`: `s`, `bit/s`, `B`, `packets` or none."""
        return self.parameters[name].unit

    def column(self, text: str) -> str:
        """The swept parameter that a text means: its name, its path in the file, or the end of either."""
        return meant(text, self.columns)

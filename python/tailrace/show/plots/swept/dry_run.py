"""A figure of a sweep that has not been run: what could not be drawn of it, whatever its runs will give."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import polars as pl

from tailrace.show.plots.swept import sheet
from tailrace.show.plots.swept.formula import Overlay
from tailrace.show.plots.swept.run_values import WHOSE, Subject, unit_of

if TYPE_CHECKING:
    from tailrace.show.plots.swept.request import Request
    from tailrace.stats.metrics import Metric
    from tailrace.study.variation import Variation
    from tailrace.text import quantities


def of_metrics(variation: Variation, request: Request, metrics: Sequence[Metric]) -> None:
    """Tries a figure of a value of each run; an error says why there is none."""
    first = metrics[0]
    _tried(variation, request, unit_of(first), WHOSE[first.of])


def of_column(variation: Variation, request: Request, unit: quantities.Unit) -> None:
    """Tries one of the values of single flows or connections."""
    _tried(variation, request, unit, "flows")


def _tried(variation: Variation, request: Request, unit: quantities.Unit, whose: str) -> None:
    # A single part: the number of groups is known after the runs alone.
    cells = variation.cells.filter(pl.col("cell").is_not_null()).select("cell")
    rows = cells.with_columns(run=pl.lit(1), part=pl.lit(""), value=pl.lit(1.0), each=pl.lit([1.0]))
    about = Subject(request.metric, unit.name, rows, [""], whose, request.of, plain=unit.name)
    design, axis, _ = sheet.planned(variation, about, request)
    overlay = Overlay(variation, request.formulas, axis, about.unit, about.plain, design.constants)
    for panel in design.panels:
        for line in panel.lines:
            for name, text in request.formulas:
                overlay.curve(name, text, {**panel.values, **line.values})

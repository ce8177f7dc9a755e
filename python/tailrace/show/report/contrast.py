"""A contrast: cells of a study against those with a base value, case by case, where all else is equal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from tailrace.errors import UsageError
from tailrace.stats import asked_metrics, bootstrap, design, differences, preferences
from tailrace.text import near_misses

if TYPE_CHECKING:
    from tailrace.stats.design import Axis, Case
    from tailrace.stats.differences import Difference
    from tailrace.stats.measured import Measured, MeasuredCell
    from tailrace.stats.metrics import Metric


@dataclass(frozen=True)
class Changed:
    """A cell, and how much it differs from the one of the base value in its case; nothing of that one itself."""

    case: Case
    cell: MeasuredCell
    change: Difference | None
    # Word for the difference: better, worse, not shown, higher, lower; empty without intervals.
    word: str


@dataclass(frozen=True)
class Contrast:
    """Comparison along one axis."""

    axis: Axis
    others: Sequence[Axis]
    # Value that the others are compared with.
    base: str

    @property
    def measured(self) -> Measured:
        """The study."""
        return self.axis.measured

    @cached_property
    def cases(self) -> list[Case]:
        """Cases in which the base value and another are there."""
        found = design.cases(self.axis, self.others)
        return [case for case in found if any(self.axis.said(cell) == self.base for cell in case.cells)]

    def compares(self, metric: Metric) -> bool:
        """Whether the metric can be compared at all: see `Axis.compares`; medians and the like have no differences."""
        return metric.over == bootstrap.MEAN and self.axis.compares(metric)

    def changes(self, metric: Metric) -> list[Changed]:
        """Cells in the order of the study, each with its difference from the base of its case."""
        attackers = self.measured.known.attackers
        found: list[Changed] = []
        for case in self.cases:
            (base, *_) = [cell for cell in case.cells if self.axis.said(cell) == self.base]
            rest = [cell for cell in case.cells if cell is not base]
            pairs = differences.from_one(self.measured, base, rest, metric) if self.compares(metric) else []
            known: Mapping[int, Difference] = {id(cell): change for cell, change in pairs}
            for cell in case.cells:
                change = known.get(id(cell))
                word = preferences.word(metric, change.change, attackers) if change else ""
                found.append(Changed(case, cell, change, word))
        return found


@dataclass(frozen=True)
class Design:
    """What is compared in a study: the leading contrast first, then those of other names, and axes of numbers."""

    measured: Measured
    contrasts: Sequence[Contrast]
    axes: Sequence[Axis]

    @property
    def leading(self) -> Contrast | None:
        """Contrast that answers; None where numbers alone are varied."""
        return next(iter(self.contrasts), None)

    @property
    def numbers(self) -> list[Axis]:
        """Axes of numbers, along which metrics are described."""
        return [axis for axis in self.axes if not axis.is_names]


def of(measured: Measured, question: str = "", baseline: str = "") -> Design:
    """Contrasts of a study; the baseline is `PARAMETER=VALUE`, or a value of the only axis."""
    axes = design.axes(measured)
    asked = _asked(axes, baseline) if baseline else None
    lead = (
        asked[0] if asked else design.leading(axes, lambda text: asked_metrics.is_mentioned(text, question))
    )
    if lead is None:
        return Design(measured, [], axes)
    names = [lead, *(axis for axis in axes if axis is not lead and axis.is_names and len(axis.values) > 1)]
    found = [
        Contrast(axis, [other for other in axes if other is not axis], _base(axis, asked)) for axis in names
    ]
    return Design(measured, [contrast for contrast in found if contrast.cases], axes)


def _base(axis: Axis, asked: tuple[Axis, str] | None) -> str:
    """Value that was asked for, what is off, or the first in the file."""
    if asked is not None and axis is asked[0]:
        return asked[1]
    return "false" if axis.is_switch and "false" in axis.values else axis.values[0]


def _asked(axes: Sequence[Axis], baseline: str) -> tuple[Axis, str]:
    """Axis and value of a baseline."""
    for axis in axes:
        if len(axes) == 1 and baseline in axis.values:
            return axis, baseline
    name, equals, value = baseline.partition("=")
    found = [axis for axis in axes if equals and (axis.name == name or axis.name.endswith(f".{name}"))]
    if not found:
        names = ", ".join(axis.name for axis in axes)
        raise UsageError(f"the baseline {baseline!r} is not PARAMETER=VALUE of one of {names}")
    near_misses.known(value, found[0].values, "value")
    return found[0], value

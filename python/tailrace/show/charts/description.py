"""Description of a chart: axes with units, panels of series with bands, notes. Each renderer draws from it alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tailrace.show.charts.curves import Curve

# Kinds of a series: a line of binned means, samples as recorded, a layer of a stack, a line over a stack.
MEANS, SAMPLES, LAYER, TOTAL = "means", "samples", "layer", "total"
# Runs of a panel that shows means over all.
ALL_RUNS = "mean over all runs"


@dataclass(frozen=True)
class Axis:
    """Quantity along an axis, and its unit."""

    quantity: str
    unit: str

    def __str__(self) -> str:
        return f"{self.quantity} ({self.unit})"


TIME = Axis("time", "s")


@dataclass(frozen=True)
class Series:
    """A line or layer: its name, its place among all (equal places look equal everywhere), and its points."""

    label: str
    place: int
    curve: Curve
    kind: str = MEANS
    # Whether it is a sum of many, beside which single ones would be flat lines.
    is_sum: bool = False


@dataclass(frozen=True)
class Panel:
    """Series on common axes: of a part (a queue, a flow group), as means over all runs or of one run."""

    part: str
    series: Sequence[Series]
    runs: str = ALL_RUNS
    # Place of the part among all.
    place: int = 0
    # Axis of this panel alone.
    vertical: Axis | None = None

    @property
    def apart(self) -> bool:
        """Whether its values are of another size than those of other panels: it has a scale of its own."""
        return bool(self.series) and all(series.is_sum for series in self.series)


@dataclass(frozen=True)
class Span:
    """From when to when in seconds something lasts: a `window`, a `fault` or an `attack`, and what it is called."""

    what: str
    name: str
    start: float
    end: float
    # From beginning to end, which parts a figure into nothing.
    whole: bool = False
    # Whether all results of the figure have it.
    everywhere: bool = True


@dataclass(frozen=True)
class Chart:
    """A figure."""

    name: str
    # Subject without a part, and the whole headline.
    subject: str
    headline: str
    vertical: Axis
    panels: Sequence[Panel]
    # Note under the title: runs, seeds, what was left out.
    note: str = ""
    # Noun of the parts: "queue", "flows".
    parts: str = "of"
    horizontal: Axis = TIME
    spans: Sequence[Span] = ()

    @property
    def means(self) -> Sequence[Panel]:
        """Panels with means over all runs."""
        return [panel for panel in self.panels if panel.runs == ALL_RUNS]

    def one_a_panel(self) -> Chart:
        """The same with a panel for each series."""
        panels = [
            Panel(series.label, [series], panel.runs, series.place)
            for panel in self.panels
            for series in panel.series
        ]
        return replace(self, panels=panels)

    def crossed(self) -> Chart:
        """The same with a panel for each series' name, in which the parts are the lines."""
        labels = dict.fromkeys(series.label for panel in self.panels for series in panel.series)
        panels = [
            Panel(
                label,
                [
                    replace(series, label=panel.part, place=panel.place)
                    for panel in self.panels
                    for series in panel.series
                    if series.label == label
                ],
                place=place,
            )
            for place, label in enumerate(labels)
        ]
        return replace(self, panels=panels)

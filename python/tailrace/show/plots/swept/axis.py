"""The axis along which a parameter changes: numbers with a unit, on a scale, or words beside each other."""

from __future__ import annotations

import itertools
import math
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, field

from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, NullLocator

from tailrace.show.plots import style
from tailrace.text import quantities
from tailrace.text.quantities import Unit

# Values that have a tick each at most, and their least distance as a share of the axis.
_MOST_TICKS, _CLOSEST = 9, 0.07
# Lines of text under a tick.
_MOST_ROWS = 3
# Room that slanted and upright lines of text need from one to the next, in sizes of the text.
_SLANTED, _UPRIGHT = 1.9, 1.2
# Height of a character of upright text, in lines, and so many lines that a sheet has room for anyway.
_CHARACTER, _SPARE = 0.47, 5


@dataclass(frozen=True)
class Axis:
    """Where each value lies; `labels` where values are words, or are treated as such."""

    name: str
    unit: Unit
    values: Sequence[object]
    logarithmic: bool = False
    labels: Sequence[str] = field(default=())

    @classmethod
    def of(cls, name: str, unit: str, values: Sequence[object], *, log: bool | None, words: bool) -> Axis:
        """The axis of these values; `log` None leaves the scale to them, `words` gives each a place of its own."""
        numbers = [value for value in values if isinstance(value, float)]
        if not numbers:
            return cls(name, Unit(""), values, labels=[quantities.said(value) for value in values])
        if words:
            shown = quantities.readable(numbers, unit, typical=True)
            labels = [quantities.said(v * shown.factor if isinstance(v, float) else v) for v in values]
            return cls(name, shown, values, labels=labels)
        logarithmic = quantities.spans_decades(numbers) if log is None else log and min(numbers) > 0
        return cls(name, quantities.readable(numbers, unit, typical=logarithmic), values, logarithmic)

    @property
    def heading(self) -> str:
        """Label of the axis."""
        return f"{self.name} ({self.unit.name})" if self.unit.name else self.name

    def at(self, value: object) -> float | None:
        """Where a value lies; nowhere where a cell has none."""
        if self.labels:
            return float(list(self.values).index(value))
        return value * self.unit.factor if isinstance(value, float) else None

    def settle(self, axes: Axes, *, columns: float = 1) -> None:
        """Scale and ticks, on a sheet with so many panels beside each other."""
        if self.labels:
            self._settle_words(axes, columns)
            return
        places = [place for value in self.values if (place := self.at(value)) is not None]
        if self.logarithmic:
            axes.set_xscale("log")
            axes.xaxis.set_minor_formatter(NullFormatter())
        if self._is_roomy([math.log(place) for place in places] if self.logarithmic else places, columns):
            axes.set_xticks(places)
            axes.xaxis.set_minor_locator(NullLocator())
        elif self.logarithmic:
            axes.xaxis.set_major_locator(LogLocator(10, subs=(1.0,)))
        else:
            return
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.4g}"))

    @staticmethod
    def _is_roomy(places: Sequence[float], columns: float) -> bool:
        """Whether each value can have a tick."""
        if not 1 < len(places) <= _MOST_TICKS:
            return len(places) == 1
        span = max(places) - min(places)
        gaps = [after - before for before, after in itertools.pairwise(sorted(places))]
        return min(gaps) >= _CLOSEST * columns * span

    def lines_below(self, columns: float) -> int:
        """Lines of text that a sheet needs below for upright labels; 0 for others."""
        if not self.labels or self._rows(columns) is not None or self._points(columns) >= self._slanted:
            return 0
        return max(0, math.ceil(_CHARACTER * max(map(len, self.labels))) - _SPARE)

    @property
    def _slanted(self) -> float:
        """The room of a label, in points, from which it can be slanted."""
        return _SLANTED * style.look().size.text

    def _points(self, columns: float) -> float:
        """The width of a label's place."""
        return style.look().size.width * 72 / columns / max(1, len(self.labels))

    def _rows(self, columns: float) -> list[list[str]] | None:
        """The labels in lines as wide as their places; nothing where some do not fit."""
        room = self._points(columns) / (0.62 * style.look().size.text)
        wrapped = [textwrap.wrap(label, max(4, int(room)), break_long_words=False) for label in self.labels]
        fits = all(len(rows) <= _MOST_ROWS and max(map(len, rows), default=0) <= room for rows in wrapped)
        return wrapped if fits else None

    def _settle_words(self, axes: Axes, columns: float) -> None:
        rows = self._rows(columns)
        axes.set_xticks(range(len(self.labels)))
        if rows is not None:
            axes.set_xticklabels(["\n".join(one) for one in rows])
        elif self._points(columns) >= self._slanted:
            axes.set_xticklabels(self.labels, rotation=40, ha="right", rotation_mode="anchor")
        else:
            # Where there is no room for all, some stand for the rest.
            every = math.ceil(_UPRIGHT * style.look().size.text / self._points(columns))
            axes.set_xticks(range(0, len(self.labels), every))
            axes.set_xticklabels(self.labels[::every], rotation=90)
        axes.tick_params(axis="x", length=0)
        axes.set_xlim(-0.6, len(self.labels) - 0.4)
        axes.grid(visible=False, axis="x")

"""Formulas over the parameter along the axis, as dashed lines: what a model says of what was measured."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from tailrace.errors import UsageError
from tailrace.show.plots import style
from tailrace.show.plots.swept.axis import Axis
from tailrace.show.plots.swept.design import Panel
from tailrace.show.plots.swept.lines import BESIDE
from tailrace.stats.formulas import Formula, Quantity, Value, value_of
from tailrace.text import quantities

if TYPE_CHECKING:
    from tailrace.study.variation import Variation

_POINTS = 201
_DASHES = ((0, (4, 2)), (0, (1, 1.2)), (0, (6, 1.5, 1, 1.5)))
# Exponents of bit, second and packet, and how much a parameter's unit is in them.
_BASES = {
    "s": ((0, 1, 0), 1.0),
    "bit/s": ((1, -1, 0), 1.0),
    "B": ((1, 0, 0), 8.0),
    "packets": ((0, 0, 1), 1.0),
}
_NO_UNIT = (0, 0, 0)


@dataclass(frozen=True)
class Overlay:
    """Formulas by name, over an axis of numbers, in the unit of the other."""

    sweep: Variation
    formulas: Sequence[tuple[str, str]]
    axis: Axis
    # Unit of the other axis, in which plain numbers are meant.
    unit: str
    plain: str
    # Names with the same value in all panels.
    constants: Mapping[str, object]

    def draw(self, axes: Axes, panel: Panel, lines: Sequence[str]) -> None:
        """Draws one line, or one for each line of the panel where the formula depends on what tells these apart."""
        for place, (name, text) in enumerate(self.formulas):
            dashes = _DASHES[place % len(_DASHES)]
            if _names(text) & _calls(lines):
                for line in panel.lines:
                    colour = style.line(line.place)["color"]
                    self._draw(
                        axes, name, text, {**panel.values, **line.values}, colour=colour, dashes=dashes
                    )
            else:
                self._draw(axes, name, text, panel.values, colour="black", dashes=dashes)

    def _draw(
        self, axes: Axes, name: str, text: str, values: Mapping[str, object], *, colour: str, dashes: object
    ) -> None:
        xs, ys = self.curve(name, text, values)
        axes.plot(
            xs * self.axis.unit.factor,
            ys,
            color=colour,
            linestyle=dashes,
            lw=1.1,
            label=f"{name} = {text}",
            zorder=3,
            gid=BESIDE,
        )

    def curve(
        self, name: str, text: str, values: Mapping[str, object]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Values of the parameter in SI units, and of the formula in the axis' unit."""
        formula = Formula(text, f"--formula {name}")
        numbers = [value for value in self.axis.values if isinstance(value, float)]
        space = np.geomspace if self.axis.logarithmic else np.linspace
        xs = space(min(numbers), max(numbers), _POINTS)
        known = _called({**self.constants, **values}, self.sweep)
        ys = [self._value(name, formula({**known, **self._here(float(x))})) for x in xs]
        return xs, np.array(ys, dtype=np.float64)

    def _here(self, x: float) -> dict[str, Value]:
        return {**_called({self.axis.name: x}, self.sweep), "x": Quantity(x)}

    def _value(self, name: str, found: Value) -> float:
        """In the axis' unit; a plain number is taken to be in the metric's."""
        if not isinstance(found, Quantity):
            raise UsageError(f"--formula {name} is {found!r}, which is no number")
        if found.unit == _NO_UNIT:
            base, much = quantities.in_base(self.plain)
            other, most = quantities.in_base(self.unit)
            return found.value * much / most if base == other else found.value
        base, much = quantities.in_base(self.unit)
        unit, bits = _BASES.get(base or self.unit, (_NO_UNIT, 1.0))
        if found.unit != unit:
            raise UsageError(
                f"--formula {name} is measured in {found.unit_name}, the axis in {self.unit or 'no unit'}"
            )
        return found.value / bits / much


def _called(values: Mapping[str, object], sweep: Variation) -> dict[str, Value]:
    """Values as formulas may call them: by the parameter's name, and by its last word."""
    found: dict[str, Value] = {}
    for name, value in values.items():
        if value is None or name not in sweep.columns:
            continue
        unit, bits = _BASES.get(sweep.unit(name), (_NO_UNIT, 1.0))
        seen = Quantity(value * bits, unit) if isinstance(value, float) else value_of(str(value))
        found[name] = found[name.rpartition(".")[2]] = seen
    return found


def _calls(names: Sequence[str]) -> set[str]:
    return {call for name in names for call in (name, name.rpartition(".")[2])}


def _names(text: str) -> set[str]:
    """The names in a formula; what is wrong with it shows when it is evaluated."""
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError):
        return set()
    return {ast.unparse(node) for node in ast.walk(tree) if isinstance(node, ast.Name | ast.Attribute)}

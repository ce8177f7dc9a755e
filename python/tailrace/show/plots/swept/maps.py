"""A metric over two parameters as colours, with numbers in them where they are few."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm, Normalize
from matplotlib.image import AxesImage
from numpy.typing import NDArray

from tailrace.show.plots import style
from tailrace.show.plots.swept.axis import Axis
from tailrace.show.plots.swept.design import Panel

_COLOURS = "viridis"
# Room for a number, in sizes of the text.
_NUMBER = 3.0
# Width of the colour scale and of the names of rows beside each panel.
_BESIDE = 1.4
_MISSING = "#e8e8e8"
# From this lightness on, black is read better than white.
_LIGHT = 0.5


def values(panel: Panel, xs: Sequence[object], rows: Sequence[str]) -> NDArray[np.float64]:
    """The means: a row for each line's label, NaN where there is no run."""
    grid = np.full((len(rows), len(xs)), np.nan)
    columns = {x: place for place, x in enumerate(xs)}
    for line in panel.lines:
        for point in line.points:
            grid[list(rows).index(line.label), columns[point.x]] = point.mean.mean
    return grid


def scale_of(grids: Sequence[NDArray[np.float64]], *, log: bool) -> Normalize:
    """Scale of colours for all of these."""
    found = np.concatenate([grid[np.isfinite(grid)] for grid in grids])
    if log and (found > 0).any():
        return LogNorm(float(found[found > 0].min()), float(found.max()))
    return Normalize(float(found.min()), float(found.max()))


def draw(
    axes: Axes, grid: NDArray[np.float64], axis: Axis, rows: Sequence[str], scale: Normalize, columns: int
) -> AxesImage:
    """The cells, the first row lowest."""
    image = axes.imshow(
        grid, cmap=_COLOURS, norm=scale, origin="lower", aspect="auto", interpolation="nearest"
    )
    axes.set_facecolor(_MISSING)
    axis.settle(axes, columns=columns * _BESIDE)
    axes.set_xlim(-0.5, len(axis.labels) - 0.5)
    axes.set_yticks(range(len(rows)), rows)
    axes.tick_params(axis="y", length=0)
    axes.grid(visible=False)
    size = style.look().size
    room = size.width * 72 / _BESIDE / columns / max(1, len(axis.labels)) / size.text
    if room >= _NUMBER:
        _write(axes, image, grid)
    return image


def _write(axes: Axes, image: AxesImage, grid: NDArray[np.float64]) -> None:
    for row, column in np.argwhere(np.isfinite(grid)).tolist():
        value = float(grid[row, column])
        red, green, blue, _ = image.to_rgba(np.array([value]))[0]
        light = 0.299 * red + 0.587 * green + 0.114 * blue
        colour = "black" if light > _LIGHT else "white"
        axes.text(column, row, number(value), ha="center", va="center", color=colour, fontsize="small")


def number(value: float) -> str:
    """Three digits, without an exponent where that is not longer.

    >>> number(0.12345), number(1234.5), number(99.96)
    ('0.123', '1234', '100')
    """
    if value and not 1e-3 <= abs(value) < 1e5:  # noqa: PLR2004
        return f"{value:.2g}"
    digits = 0 if not value else max(0, 2 - math.floor(math.log10(float(f"{abs(value):.3g}"))))
    return f"{value:.{digits}f}"

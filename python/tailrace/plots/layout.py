"""The sheet that figures are drawn on: its size, panels, title and note."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

_WIDTH, _PANEL, _MARGINS = 7.2, 2.3, 1.35
# Characters of a title's line at this width.
_TITLE = 84
# From so many panels on a sheet has two columns of them.
TWO_COLUMNS = 3


def figure(
    panels: int, title: str, columns: int = 1, *, same_scale: bool = True, same_axis: bool = True
) -> tuple[Figure, list[Axes]]:
    """An empty figure with its panels; the title's second line is the note under its first.

    Panels share their vertical scale, and their horizontal axis: else each column has its own.
    """
    rows = -(-panels // columns)
    height = _MARGINS + (_PANEL if rows > 1 else 1.25 * _PANEL) * rows
    sheet = Figure(figsize=(_WIDTH, height), layout="constrained")
    FigureCanvasAgg(sheet)
    share = columns > 1 and same_scale
    grid = sheet.subplots(rows, columns, sharex=True if same_axis else "col", sharey=share, squeeze=False)
    for spare in grid.flat[panels:]:
        spare.set_visible(False)
    headline, _, note = title.partition("\n")
    lines = [*textwrap.wrap(headline, _TITLE), *textwrap.wrap(note, _TITLE)]
    sheet.suptitle("\n".join(lines), x=0.01, ha="left", fontsize=11)
    return sheet, list(grid.flat[:panels])


def legend(sheet: Figure, handles: Sequence[Artist], labels: Sequence[str], most: int = 6) -> None:
    """One below the panels, where no curve is ever hidden, with as many columns as fit the sheet, `most` at most."""
    for columns in range(min(most, len(labels)), 0, -1):
        found = sheet.legend(handles, labels, loc="outside lower left", ncols=columns)
        if columns == 1 or found.get_window_extent().width <= sheet.bbox.width:
            return
        found.remove()


def panel_title(text: str, panels: int) -> str:
    """The name of a panel, in as many lines as its width asks for."""
    return "\n".join(textwrap.wrap(text, _TITLE if panels < TWO_COLUMNS else _TITLE // 2 - 4))


def band_note(counts: Sequence[int], *, band: bool) -> str:
    """How many runs the curves are of, and what a band around them is."""
    least, most = min(counts), max(counts)
    count = str(least) if least == most else f"{least} to {most}"
    if not band:
        return f"n = {count} run{'s' if most > 1 else ''}"
    return f"mean of n = {count} runs, band: 95 % interval"

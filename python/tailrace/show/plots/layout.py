"""The sheet that figures are drawn on: its size, panels, title, note and legend."""

from __future__ import annotations

import io
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

import matplotlib as mpl
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from tailrace.show.plots import style

# Above and below the panels, in heights of a panel, and what of it is the title.
_MARGINS, _HEADING = 0.59, 0.22
# Mean width of a character, in sizes of the text.
_CHARACTER = 0.56
# From so many panels on a sheet has two columns of them.
TWO_COLUMNS = 3
# Quiet things, as what is not there.
GREY = "#666666"


class Sheet(Figure):
    """A figure that is saved as it is drawn: with text as text, and fonts that publishers take."""

    def savefig(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - as Matplotlib has it
        """Saves like Matplotlib, with the style of this figure whatever the settings are by then."""
        with mpl.rc_context(style.FONTS):
            super().savefig(*args, **kwargs)

    def _repr_png_(self) -> bytes:
        """For a notebook, which knows by itself only figures that pyplot made."""
        drawn = io.BytesIO()
        self.savefig(drawn, format="png", metadata={"Software": None})
        return drawn.getvalue()


def figure(
    panels: int,
    title: str,
    columns: int = 1,
    *,
    same_scale: bool = True,
    same_axis: bool = True,
    height: float = 1.0,
) -> tuple[Figure, list[Axes]]:
    """An empty figure with its panels; the title's second line is the note under its first.

    Panels share their vertical scale, and their horizontal axis: else each column has its own. `height` is beside that
    of a panel over time.
    """
    look = style.look()
    rows = -(-panels // columns)
    panel = height * (look.size.panel if rows > 1 else 1.25 * look.size.panel)
    margins = (_MARGINS - (0 if look.title else _HEADING)) * look.size.panel
    heading = _heading(title) if look.title else []
    margins += max(0, len(heading) - 2) * _line_height(1.1)
    sheet = Sheet(figsize=(look.size.width, margins + panel * rows), layout="constrained")
    FigureCanvasAgg(sheet)
    share = columns > 1 and same_scale
    grid = sheet.subplots(rows, columns, sharex=True if same_axis else "col", sharey=share, squeeze=False)
    for spare in grid.flat[panels:]:
        spare.set_visible(False)
    if heading:
        sheet.suptitle("\n".join(heading), x=0.01, ha="left")
    return sheet, list(grid.flat[:panels])


def _heading(title: str) -> list[str]:
    """The lines of a title and of the note under it."""
    headline, _, note = title.partition("\n")
    most = characters(1.1)
    return [*textwrap.wrap(headline, most), *textwrap.wrap(note, most)]


def _line_height(size: float = 1.0) -> float:
    """Height of a line of text, in inches."""
    return 1.2 * size * style.look().size.text / 72


def taller(sheet: Figure, lines: int) -> None:
    """Makes room for so many more lines of text, which would be taken from the panels."""
    sheet.set_figheight(sheet.get_figheight() + lines * _line_height())


def characters(size: float = 1.0, columns: int = 1) -> int:
    """Characters that fit a line of a panel's title, with this number of panels beside each other."""
    sheet = style.look().size
    return max(
        12, int(sheet.width * 72 / (_CHARACTER * sheet.text * size)) // columns - (4 if columns > 1 else 0)
    )


def legend(
    sheet: Figure, handles: Sequence[Artist], labels: Sequence[str], most: int = 6, heading: str = ""
) -> None:
    """Adds a legend below the panels, where no curve is hidden, with as many columns as fit the sheet, `most` at
    most.
    """
    named: dict[str, Any] = {"title": heading, "alignment": "left"} if heading else {}
    for columns in range(min(most, len(labels)), 0, -1):
        found = sheet.legend(handles, labels, loc="outside lower left", ncols=columns, **named)
        if columns == 1 or found.get_window_extent().width <= sheet.bbox.width:
            taller(sheet, -(-len(labels) // columns) - 1 + bool(heading))
            return
        found.remove()


def legend_of(sheet: Figure, panels: Sequence[Axes], most: int = 6, heading: str = "") -> None:
    """Adds a legend for the lines of all panels; equal names have equal looks."""
    entries: dict[str, Artist] = {}
    for axes in panels:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            entries.setdefault(label, handle)
    if entries:
        legend(sheet, list(entries.values()), list(entries), most, heading)


_T = TypeVar("_T")


def crossed(found: Mapping[str, Mapping[str, _T]], most: int = 12) -> list[tuple[str, dict[str, _T]]]:
    """Parts of results as rows with lines: a row for each part, a line for each result.

    Of more results than lines can be told apart the reverse, `most` at most.
    """
    if len(found) > style.MOST_LINES:
        return [(label, dict(parts)) for label, parts in list(found.items())[:most]]
    names = dict.fromkeys(name for parts in found.values() for name in parts)
    return [(name, {label: parts[name] for label, parts in found.items() if name in parts}) for name in names]


def looks(rows: Iterable[tuple[str, Mapping[str, _T]]]) -> dict[str, int]:
    """Look of each line over all rows, by its name."""
    return {
        name: index for index, name in enumerate(dict.fromkeys(name for _, lines in rows for name in lines))
    }


def panel_title(text: str, columns: int) -> str:
    """The name of a panel, in as many lines as its width asks for, where so many are beside each other."""
    return "\n".join(textwrap.wrap(text, characters(columns=columns)))


def say(axes: Axes, text: str) -> None:
    """Says in the middle of a panel why nothing is drawn there."""
    axes.text(0.5, 0.5, text, transform=axes.transAxes, ha="center", color=GREY)

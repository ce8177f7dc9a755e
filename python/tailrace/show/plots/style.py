"""Style of figures: readable in print, told apart without colour; sizes and fonts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import matplotlib as mpl

from tailrace.show.plots import frame
from tailrace.text import near_misses

# Okabe & Ito's palette, which people with colour-vision deficiencies can tell apart; yellow is left out as too pale.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
DASHES: tuple[Any, ...] = ("-", (0, (6, 2)), (0, (2, 1.5)), (0, (6, 2, 1.5, 2)))
# Lines that differ in colour, which is as many as a panel can hold and still be read.
MOST_LINES = len(COLOURS)

# Any: a dictionary type would have to name every setting there is.
FONTS: Any = {
    # Text stays text: smaller files, and a paper's own fonts apply.
    "svg.fonttype": "none",
    # Publishers refuse Matplotlib's default, Type 3.
    "pdf.fonttype": 42,
    "ps.fonttype": 42,
    # Equal input, equal file.
    "svg.hashsalt": "tailrace",
}
_COMMON: Any = {
    **FONTS,
    "savefig.dpi": "figure",
    "font.family": "sans-serif",
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "legend.frameon": False,
}


@dataclass(frozen=True)
class Size:
    """Width of the sheet and height of a panel in inches, size of text and of lines in points, dots an inch."""

    width: float
    panel: float
    text: float
    line: float
    dpi: int


SIZES = {
    "screen": Size(7.2, 2.3, 10, 1.6, 130),
    # A column of a paper in two columns, and its whole width (IEEE: 3.5 and 7.16 inches, ACM: 3.33 and 7).
    "single": Size(3.33, 1.45, 8, 1.1, 300),
    "double": Size(7.0, 1.7, 8, 1.2, 300),
}


def rc(size: Size) -> Any:  # noqa: ANN401 - as above
    """Matplotlib's settings for figures of a size."""
    return {
        **_COMMON,
        "figure.dpi": size.dpi,
        "font.size": size.text,
        "axes.titlesize": size.text,
        "figure.titlesize": size.text * 1.1,
        "legend.fontsize": size.text * 0.9,
        "lines.linewidth": size.line,
    }


RC: Any = rc(SIZES["screen"])


class Options(frame.Options, total=False):
    """Options of a figure.

    A size of `SIZES`, whether it has a title, the queue that it shows, and single flows instead of groups; labels and
    limits of its axes and other names, as in `frame.Options`.
    """

    size: str
    title: bool
    queue: str | None
    flows: str | None


@dataclass(frozen=True)
class Look:
    """Style that is in force while a figure is drawn."""

    size: Size = SIZES["screen"]
    title: bool = True


_ORDINARY = Look()
_IN_FORCE: ContextVar[Look] = ContextVar("look", default=_ORDINARY)


@contextmanager
def drawing(size: str = "screen", *, title: bool = True) -> Iterator[None]:
    """Figures drawn within look so; like Matplotlib's settings, which it changes for as long."""
    found = SIZES[near_misses.known(size, list(SIZES), "size of figures")]
    token = _IN_FORCE.set(Look(found, title))
    try:
        with mpl.rc_context(rc(found)):
            yield
    finally:
        _IN_FORCE.reset(token)


def look() -> Look:
    """Style in force."""
    return _IN_FORCE.get()


def line(index: int) -> dict[str, Any]:
    """Colour and dashes of the index-th line; both change, so that neither has to be seen.

    No two of 28 lines look the same: each round through the colours starts one kind of dashes further on.
    """
    return {
        "color": COLOURS[index % len(COLOURS)],
        "linestyle": DASHES[(index % len(COLOURS) + index // len(COLOURS)) % len(DASHES)],
    }

"""How figures look: readable in print, told apart without colour."""

from __future__ import annotations

from typing import Any

# Okabe & Ito's palette, which people with colour-vision deficiencies can tell apart; yellow is left out as too pale.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
DASHES: tuple[Any, ...] = ("-", (0, (6, 2)), (0, (2, 1.5)), (0, (6, 2, 1.5, 2)))

# Any: a dictionary type would have to name every setting there is.
RC: Any = {
    "figure.dpi": 100,
    "savefig.dpi": 130,
    "font.family": "sans-serif",
    "font.size": 10,
    "axes.titlesize": 10,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "lines.linewidth": 1.6,
    "legend.frameon": False,
    "legend.fontsize": 9,
    # Text stays text: smaller files, and a paper's own fonts apply.
    "svg.fonttype": "none",
    # Equal input, equal file.
    "svg.hashsalt": "tailrace",
}


def line(index: int) -> dict[str, Any]:
    """Colour and dashes of the index-th line; both change, so that neither has to be seen."""
    return {
        "color": COLOURS[index % len(COLOURS)],
        "linestyle": DASHES[(index + index // len(COLOURS)) % len(DASHES)],
    }

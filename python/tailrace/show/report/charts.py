"""Interactive figures as data: lines over time in one or several views. The page's script draws them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from tailrace.show.plots import style
from tailrace.show.plots.spans import Span

# Digits of a number on a screen.
_DIGITS = 6
# Looks that can be told apart.
_LOOKS = len(style.COLOURS) * len(style.DASHES)


@dataclass(frozen=True)
class Line:
    """A line, with the look that it has in every figure, and maybe a band around it."""

    label: str
    look: int
    values: Iterable[float]
    band: tuple[Iterable[float], Iterable[float]] | None = None


@dataclass(frozen=True)
class View:
    """Lines on common times: of a part (a queue, a flow group), as the mean over runs or as one run."""

    part: str
    runs: str
    axis: str
    times: Iterable[float]
    lines: Sequence[Line]
    # Note about the points.
    note: str = ""


@dataclass(frozen=True)
class Chart:
    """A figure over time."""

    name: str
    title: str
    views: Sequence[View]
    spans: Sequence[Span] = field(default=())
    # Noun of the parts: "queue", "flows".
    parts: str = "of"

    def plain(self) -> dict[str, Any]:
        """For the page's script."""
        return {
            "name": self.name,
            "title": self.title,
            "parts": self.parts,
            "views": [_view(view) for view in self.views],
            "spans": [
                {"what": s.what, "name": s.name, "from": _number(s.start), "to": _number(s.end)}
                for s in self.spans
            ],
        }


def _view(view: View) -> dict[str, Any]:
    return {
        "part": view.part,
        "runs": view.runs,
        "axis": view.axis,
        "note": view.note,
        "times": numbers(view.times),
        "lines": [
            {
                "label": line.label,
                "look": line.look % _LOOKS,
                "values": numbers(line.values),
                **(
                    {"low": numbers(line.band[0]), "high": numbers(line.band[1])}
                    if line.band is not None
                    else {}
                ),
            }
            for line in view.lines
        ],
    }


def looks() -> list[dict[str, Any]]:
    """Colour and dashes of every look there is, as tailrace's own figures have them."""
    found = (style.line(index) for index in range(_LOOKS))
    return [
        {
            "colour": look["color"],
            "dash": [] if look["linestyle"] == "-" else [2 * length for length in look["linestyle"][1]],
        }
        for look in found
    ]


def numbers(values: Iterable[float]) -> list[float | None]:
    """Numbers for JSON: as many digits as a screen shows, null where there is none."""
    return [_number(value) for value in values]


def _number(value: float | None) -> float | None:
    if value is None or not math.isfinite(value):
        return None
    short = float(f"{value:.{_DIGITS}g}")
    return int(short) if short.is_integer() and abs(short) < 1e9 else short  # noqa: PLR2004 - 5, not 5.0

"""Windows, attacks and faults as bars over the time of a run."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tailrace.show.charts.description import Span
from tailrace.show.report.html_tables import Sheet
from tailrace.show.report.markup import Markup, tag
from tailrace.text import text_table

_LABELS, _WIDTH, _ROW, _AXIS = 190.0, 900.0, 30.0, 26.0
_MOST_ROWS = 24
# Ticks of an axis: their number, and the steps that read well.
_TICKS, _STEPS = 10, (1, 2, 5, 10)


def picture(spans: Sequence[Span], end: float) -> Markup | None:
    """A row each thing that has a name; nothing where nothing happens."""
    rows = list(dict.fromkeys((span.what, span.name) for span in spans))[:_MOST_ROWS]
    if not rows or not end or not math.isfinite(end):
        return None
    scale = (_WIDTH - _LABELS - 20) / end
    height = _ROW * len(rows) + _AXIS
    bars = [
        _bars(row, [s for s in spans if (s.what, s.name) == row], place, scale)
        for place, row in enumerate(rows)
    ]
    title = f"Timeline of {len(rows)} windows, attacks and faults over {end:g} s"
    return tag(
        "svg",
        tag("title", title),
        _axis(end, scale, _ROW * len(rows)),
        bars,
        cls="timeline",
        role="img",
        aria_label=title,
        viewBox=f"0 0 {_WIDTH:g} {height:g}",
        width=f"{_WIDTH:g}",
        height=f"{height:g}",
    )


def _bars(row: tuple[str, str], spans: Sequence[Span], place: int, scale: float) -> Markup:
    what, name = row
    top = place * _ROW
    said = f"{what} {name}"
    short = said if len(said) <= 27 else f"{said[:26]}…"  # noqa: PLR2004 - what there is room for
    bars = [
        tag(
            "g",
            tag("title", f"{said}: {span.start:.6g} s to {span.end:.6g} s"),
            tag(
                "rect",
                x=f"{_LABELS + span.start * scale:.2f}",
                y=f"{top + 6:g}",
                width=f"{max(1.5, (span.end - span.start) * scale):.2f}",
                height=f"{_ROW - 12:g}",
                rx="2",
                cls=what,
            ),
        )
        for span in spans
    ]
    return tag("g", tag("text", short, x=f"{_LABELS - 10:g}", y=f"{top + _ROW / 2 + 4:g}", cls="what"), bars)


def _axis(end: float, scale: float, bottom: float) -> Markup:
    step = _step(end)
    ticks = [step * count for count in range(int(end / step + 1e-9) + 1)]
    return tag(
        "g",
        [
            tag(
                "g",
                tag("path", d=f"M{_LABELS + at * scale:.2f} 0 V{bottom:g}", cls="grid"),
                tag("text", f"{at:g}", x=f"{_LABELS + at * scale:.2f}", y=f"{bottom + 18:g}", cls="tick"),
            )
            for at in ticks
        ],
        tag("text", "s", x=f"{_WIDTH - 8:g}", y=f"{bottom + 18:g}", cls="tick"),
    )


def _step(end: float) -> float:
    """A tenth of it or more that reads well.

    >>> _step(60.0), _step(2.0), _step(120.0)
    (10.0, 0.2, 20.0)
    """
    power = 10.0 ** math.floor(math.log10(end / _TICKS))
    return float(f"{next(step * power for step in _STEPS if step * power >= end / _TICKS * (1 - 1e-9)):.12g}")


def table(spans: Sequence[Span]) -> Sheet:
    """The same in numbers."""
    rows = [[span.what, span.name, f"{span.start:.6g}", f"{span.end:.6g}"] for span in spans]
    return Sheet(text_table.Grid("What happens when", ["what", "name", "from s", "to s"], rows, labels=2))

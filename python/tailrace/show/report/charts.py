"""Charts for a page: the description of each as data, which the page's script draws."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from tailrace.show.charts.curves import Array
from tailrace.show.charts.description import SAMPLES, Chart, Panel, Series
from tailrace.show.plots import style
from tailrace.show.report.downsampling import thinned

# Digits of a number on a screen.
_DIGITS = 6
# Looks that can be told apart.
_LOOKS = len(style.COLOURS) * len(style.DASHES)


def plain(chart: Chart, most: int) -> dict[str, Any]:
    """For the page's script; samples as recorded are thinned to so many points."""
    return {
        "name": chart.name,
        "title": chart.subject,
        "parts": chart.parts,
        "views": [_view(chart, panel, most) for panel in chart.panels],
        "spans": [
            {"what": s.what, "name": s.name, "from": _number(s.start), "to": _number(s.end)}
            for s in chart.spans
        ],
    }


def _view(chart: Chart, panel: Panel, most: int) -> dict[str, Any]:
    lines: list[tuple[Series, Array, tuple[Array, Array] | None]]
    if all(series.kind == SAMPLES for series in panel.series):
        times, columns, note = _sampled(panel.series, most)
        lines = [(series, column, None) for series, column in zip(panel.series, columns, strict=True)]
    else:
        times = max((series.curve.time_s for series in panel.series), key=len)
        has_band = any(series.curve.band for series in panel.series)
        note = "mean of each hundredth of the time" + (
            ", band: 95 % interval over the runs" if has_band else ""
        )
        lines = [
            (series, series.curve.mean, series.curve.band)
            for series in panel.series
            if len(series.curve.time_s) == len(times)
        ]
    return {
        "part": panel.part,
        "runs": panel.runs,
        "axis": (panel.vertical or chart.vertical).unit,
        "note": note,
        "times": numbers(times),
        "lines": [
            {
                "label": series.label,
                "look": series.place % _LOOKS,
                "values": numbers(values),
                **({"low": numbers(band[0]), "high": numbers(band[1])} if band is not None else {}),
            }
            for series, values, band in lines
        ],
    }


def _sampled(several: Sequence[Series], most: int) -> tuple[Array, list[Array], str]:
    """Series on the times of the longest; those of other times, as of a run that ended early, are filled up."""
    times = max((series.curve.time_s for series in several), key=len)
    values = [_on(times, series.curve.time_s, series.curve.mean) for series in several]
    placed, thin, each = thinned(times, values, most)
    note = "samples as recorded" if each == 1 else f"least and largest of every {each} samples"
    return placed, thin, note


def _on(times: Array, own: Array, column: Array) -> Array:
    if len(own) == len(times):
        return column
    places = np.searchsorted(times, own - 1e-9)
    found = np.full(len(times), np.nan)
    inside = places < len(times)
    found[places[inside]] = column[inside]
    return found


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

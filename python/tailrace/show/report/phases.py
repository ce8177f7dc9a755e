"""Effects of faults and attacks, in words: goodput before, during and after."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import polars as pl

from tailrace.show.plots import spans
from tailrace.show.report import resolved_scenario as scenarios
from tailrace.show.report.statements import Statement

if TYPE_CHECKING:
    from tailrace.data.result import Result
    from tailrace.show.charts.description import Span

# More than these are in the timeline alone; a pulse among many has no before and after.
_MOST = 4
_WORDS = {"attack": "Attack", "fault": "Fault"}
_MBIT = 1e-6


def of(result: Result) -> Iterator[Statement]:
    """A sentence each fault and attack that begins and, where it does, ends within the measured time."""
    rows = result.columns("group_series", "run", "time_s", "group", "goodput_bps")
    if rows.is_empty():
        return
    rows = rows.with_columns(pl.col("group").cast(pl.String))
    said = scenarios.of(result.scenario_toml)
    start, end = scenarios.seconds(said, "warmup"), float(rows["time_s"].to_numpy().max())
    groups = [
        name
        for name, group in (result.aggregate.get("groups") or {}).items()
        if group.get("role") != "attack"
    ]
    for span in _single(list(spans.all_of(result)))[:_MOST]:
        parts = [
            ("before", start, span.start),
            ("while it lasts", span.start, span.end),
            ("after", span.end, end),
        ]
        told = [text for name in groups[:_MOST] if (text := _told(rows, name, parts))]
        if told:
            yield Statement(
                _WORDS[span.what],
                f"{span.name}, {span.start:.4g} s to {span.end:.4g} s. Goodput of {'; of '.join(told)}.",
            )


def _single(found: Sequence[Span]) -> list[Span]:
    """Spans that come once."""
    names = [(span.what, span.name) for span in found]
    return [s for s in found if s.what in _WORDS and names.count((s.what, s.name)) == 1 and not s.whole]


def _told(rows: pl.DataFrame, group: str, parts: Sequence[tuple[str, float, float]]) -> str:
    """The mean over all runs in each part that holds a sample, where there are two to be compared."""
    own = rows.filter(pl.col("group") == group)
    found = []
    for word, start, end in parts:
        # A sample is of the interval before it.
        inside = own.filter((pl.col("time_s") > start + 1e-9) & (pl.col("time_s") <= end + 1e-9))
        rate = inside["goodput_bps"].cast(pl.Float64).fill_null(0.0).to_numpy()
        if len(rate):
            found.append(f"{rate.mean() * _MBIT:.4g} Mbit/s {word}")
    return f"{group}: {', '.join(found)}" if len(found) > 1 else ""

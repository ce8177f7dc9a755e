"""Whether a run had settled when its statistics began.

Two methods on one series, sampled at equal steps and averaged over the runs (Welch 1983), so that chance counts for
less the more runs there are:

- **Does its mean still move?** Geweke's comparison (1992) of the first fifth of the measured time with its last half.
  Their noise is that of the means of batches in the last half, each a twentieth of the measured time, about the line
  through them (a trend is no noise); where batches that follow one another are alike it is larger by (1 + r) / (1 - r),
  r their correlation.
- **From when on is it steady?** MSER-5 (White, Cobb & Spratt 2000): leave out as many batches of five samples as make
  the standard error of what is left the smallest; if that is more than half of them, the series is too short to tell.

Of noise alone, with 500 samples whose correlation from one to the next is 0, 0.8, 0.9, 0.95 and 0.98, it says of 0,
0.3, 0.5, 1 and 7 of 100 that they move; of fewer than 200 it says nothing.
"""

from __future__ import annotations

import itertools
import math
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from tailrace.scenario import flow_groups
from tailrace.stats import summary_measures
from tailrace.stats.statistics import students_p

if TYPE_CHECKING:
    import polars as pl

_BATCHES, _FIRST, _LAST = 20, 4, 10
_LEAST_IN_BATCH = 10
# Chance is no explanation of what it brings about in one of so many scenarios that have settled.
_ONE_OF = 1000
# Share of the mean that the beginning must cause before it is reported.
_MATTERS = 0.02
_CORRELATED = 0.9
_MSER_BATCH = 5
# A flow that begins later than this share of a run is meant to come into it.
_BEGINNING = 0.2
# Backlogs and rates below these are as good as 0.
_LEAST_PACKETS, _LEAST_BPS = 1.0, 1000.0


class Recorded(Protocol):
    """Runs with their series, as a `Result` has them."""

    @property
    def scenario_toml(self) -> str:
        """The resolved scenario."""

    @property
    def aggregate(self) -> Mapping[str, Any]:
        """Means over the runs."""

    def columns(self, name: str, *wanted: str) -> pl.DataFrame:
        """Columns of a table; empty if it has not all of them."""


@dataclass(frozen=True)
class Drift:
    """A mean that moves: in the first fifth of the measured time, and in its last half."""

    first: float
    last: float
    # The probability that chance alone makes them differ so much.
    p: float


@dataclass(frozen=True)
class Unsettled:
    """A series that had not settled when the statistics began."""

    # Name of the series, such as "goodput of tcp", with its unit.
    what: str
    unit: str
    drift: Drift
    # From when on it is steady; None where the run is too short to tell.
    steady_s: float | None

    def text(self, warmup_s: float) -> str:
        """Text with the drift and the remedy."""
        since = (
            f"after the warm-up of {warmup_s:g} s" if warmup_s > 0 else "from the start on, without a warm-up"
        )
        remedy = (
            f'warmup = "{rounded_up(self.steady_s):g} s" leaves out what is not steady (MSER-5)'
            if self.steady_s is not None and self.steady_s > warmup_s
            else "a longer run would tell from when on it is steady"
        )
        return (
            f"{self.what} still moves {since}: {self.drift.first:.4g} {self.unit} in the first fifth of the measured "
            f"time, {self.drift.last:.4g} in its last half; {remedy}"
        )


def drift(values: Sequence[float], tests: int = 1) -> Drift | None:
    """Whether the mean of a series moves more than its noise explains, and so much that it matters.

    `tests` is how many series are looked at together. None of too short a series, too.
    """
    size = len(values) // _BATCHES
    if size < _LEAST_IN_BATCH:
        return None
    # Remaining samples are cut from the beginning, where a run is least like itself.
    kept = values[len(values) - size * _BATCHES :]
    batches = [math.fsum(kept[i : i + size]) / size for i in range(0, len(kept), size)]
    first, last = batches[:_FIRST], batches[-_LAST:]
    early, late, whole = (math.fsum(part) / len(part) for part in (first, last, batches))
    if abs(whole - late) <= _MATTERS * max(abs(late), abs(whole)):
        return None
    p = _chance(early - late, last)
    return Drift(early, late, p) if p < 1 / _ONE_OF / tests else None


def _chance(difference: float, last: Sequence[float]) -> float:
    """The probability of such a difference of means where only noise moves them."""
    off = _about_a_line(last)
    squares = math.fsum(d * d for d in off)
    if squares == 0:
        return 0.0 if difference else 1.0
    alike = math.fsum(a * b for a, b in itertools.pairwise(off)) / squares
    alike = min(max(alike, 0.0), _CORRELATED)
    freedom = len(last) - 2
    variance = squares / freedom * (1 + alike) / (1 - alike)
    return students_p(difference / math.sqrt(variance * (1 / _FIRST + 1 / _LAST)), freedom)


def _about_a_line(values: Sequence[float]) -> list[float]:
    """Residuals about the line through the values: a trend is no noise, and must not hide itself."""
    mean, middle = math.fsum(values) / len(values), (len(values) - 1) / 2
    spread = math.fsum((place - middle) ** 2 for place in range(len(values)))
    slope = math.fsum((place - middle) * value for place, value in enumerate(values)) / spread
    return [value - mean - slope * (place - middle) for place, value in enumerate(values)]


def mser5(values: Sequence[float]) -> int | None:
    """Number of samples to leave out at the start of a series; None where it is too short to tell.

    >>> mser5([9.0] * 20 + [1.0, 2.0] * 40)
    20
    """
    count = len(values) // _MSER_BATCH
    means = [math.fsum(values[i * _MSER_BATCH : (i + 1) * _MSER_BATCH]) / _MSER_BATCH for i in range(count)]
    total = squares = 0.0
    best, least = None, math.inf
    for left in range(1, count + 1):
        value = means[count - left]
        total += value
        squares += value * value
        # The smallest of equal ones leaves out least; of too few nothing can be said.
        error = max(squares - total * total / left, 0.0) / left**2
        if left >= _MSER_BATCH and error <= least:
            best, least = count - left, error
    return None if best is None or 2 * best > count else best * _MSER_BATCH


def rounded_up(seconds: float) -> float:
    """To two digits.

    >>> rounded_up(12.3), rounded_up(0.071), rounded_up(4.0)
    (13.0, 0.071, 4.0)
    """
    if seconds <= 0:
        return 0.0
    step = 10.0 ** (math.floor(math.log10(seconds)) - 1)
    # By way of text: 71 * 0.001 is not 0.071.
    return float(f"{math.ceil(seconds / step - 1e-9) * step:.12g}")


# -- of results ----------------------------------------------------------------------------------------------------


def unsettled(result: Recorded) -> list[Unsettled]:
    """Series of a result that still moved within the measured time; empty where the scenario means them to."""
    scenario = tomllib.loads(result.scenario_toml)
    warmup, duration = _seconds(scenario.get("warmup", "0 s")), _seconds(scenario["duration"])
    if not is_steady_by_design(scenario):
        return []
    series = list(_series(result))
    found = []
    for what, unit, scale, least, times, values in series:
        measured = [value for time, value in zip(times, values, strict=True) if time > warmup]
        moved = drift(measured, len(series))
        if moved is None or max(abs(moved.first), abs(moved.last)) < least:
            continue
        cut = mser5(values)
        shown = Drift(moved.first * scale, moved.last * scale, moved.p)
        steady = None if cut is None else duration * cut / len(values)
        found.append(Unsettled(what, unit, shown, steady))
    return found


def notes(result: Recorded) -> list[str]:
    """The same in words."""
    warmup = _seconds(tomllib.loads(result.scenario_toml).get("warmup", "0 s"))
    return [one.text(warmup) for one in unsettled(result)]


def is_steady_by_design(scenario: Mapping[str, Any]) -> bool:
    """Whether nothing in a scenario, as resolved, is meant to change within the run.

    Attacks, faults, windows, flows that stop, that begin late or that carry a given amount, do.
    """
    if scenario.get("fault") or scenario.get("window"):
        return False
    late = _BEGINNING * _seconds(scenario["duration"])
    return all(
        section == flow_groups.FLOW and _goes_on(flow, late)
        for section, flow in flow_groups.running(scenario)
    )


# Applications that are meant to do more or less as time goes by.
_CHANGING = frozenset({"transfer", "schedule", "flash_crowd"})


def _goes_on(flow: Mapping[str, Any], late: float) -> bool:
    app = flow["app"] if isinstance(flow["app"], Mapping) else {"kind": flow["app"]}
    if flow.get("role") == "attack" or "stop" in flow or app["kind"] in _CHANGING:
        return False
    return app.get("count", "auto") == "auto" and _latest(flow.get("start", "0 s")) <= late


def _latest(start: object) -> float:
    """The last moment that a start may be at; infinity where there is none, or none that can be read."""
    if isinstance(start, list):
        return max(map(_latest, start), default=math.inf)
    text = str(start).strip()
    if text.startswith("uniform("):
        text = text.removesuffix(")").rpartition(",")[2]
    return _seconds(text)


def _seconds(text: object) -> float:
    from tailrace import _native

    found = _native.quantity(str(text).strip())
    return found[0] if found and found[1] == "s" else math.inf


def _series(
    result: Recorded,
) -> Iterator[tuple[str, str, float, float, list[float], list[float]]]:
    """Series to check: name, unit, scale, the least that matters, times, values averaged over the runs."""
    groups = result.columns("group_series", "time_s", "group", "goodput_bps")
    if groups.is_empty():
        return
    for name in groups["group"].unique(maintain_order=True):
        times, values = _averaged(groups, "group", name, "goodput_bps")
        yield f"goodput of {name}", "Mbit/s", 1e-6, _LEAST_BPS, times, values
    queue = summary_measures.studied_queue([result.aggregate])
    queues = result.columns("queue_series", "time_s", "queue", "backlog_packets")
    if queue is not None and not queues.is_empty():
        times, values = _averaged(queues, "queue", queue, "backlog_packets")
        yield f"the queue {queue}", "packets", 1.0, _LEAST_PACKETS, times, values


def _averaged(frame: pl.DataFrame, of: str, name: str, column: str) -> tuple[list[float], list[float]]:
    import polars as pl

    mean = (
        frame.filter(pl.col(of) == name)
        .group_by("time_s")
        .agg(pl.col(column).cast(pl.Float64).fill_null(0.0).mean())
        .sort("time_s")
    )
    return mean["time_s"].to_list(), mean[column].to_list()

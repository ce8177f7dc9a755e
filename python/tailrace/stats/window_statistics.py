"""Statistics by window as one tidy frame: a row for each number that a run's summary has of a window."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

# Owners of numbers in a window, with their names in the frame.
_PARTS = {"groups": "group", "queues": "queue", "connections": "connection", "paths": "path"}


def frame(runs: Sequence[Mapping[str, Any]]) -> pl.DataFrame:
    """Frame of all runs: `run`, `window`, its times, `of` (group, queue, connection, path), `name`, `figure` and
    `value`.
    """
    import polars as pl  # a fifth of a second that `check` and `list` need not wait

    schema = {"run": pl.UInt32, "window": pl.String, "start_s": pl.Float64, "end_s": pl.Float64}
    schema |= {"of": pl.String, "name": pl.String, "figure": pl.String, "value": pl.Float64}
    return pl.DataFrame([row for run in runs for row in _rows(run)], schema=schema, orient="row")


def _rows(run: Mapping[str, Any]) -> Iterator[tuple[Any, ...]]:
    windows: Mapping[str, Mapping[str, Any]] = run.get("windows") or {}
    for window, found in windows.items():
        head = (run["run"], window, _number(found["start_s"]), _number(found["end_s"]))
        for part, of in _PARTS.items():
            for name, tree in (found.get(part) or {}).items():
                for figure, value in _numbers(tree):
                    yield (*head, of, name, figure, value)


def _numbers(tree: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, float | None]]:
    """The numbers of a tree with their paths, such as `goodput_bps.sum`; words are none."""
    for key, value in tree.items():
        if isinstance(value, Mapping):
            yield from _numbers(value, f"{path}{key}.")
        elif not isinstance(value, str | bool):
            yield f"{path}{key}", _number(value)


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None

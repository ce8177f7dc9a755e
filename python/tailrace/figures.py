"""Every number of runs' summaries as one tidy frame, a row each: what metrics are looked up in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

# What a summary has figures of, as the frame calls one of each.
_SECTIONS = {"groups": "group", "queues": "queue", "connections": "connection"}


def frame(runs: Iterable[tuple[int, int, Mapping[str, Any]]]) -> pl.DataFrame:
    """Of runs, each with its cell, its number and its entry of the result contract.

    `cell`, `run`, `window` (null: the whole run), `of`, `name`, `figure`, `value`, `text`.
    """
    import polars as pl

    columns = _Columns()
    for cell, run, entry in runs:
        columns.add(cell, run, None, entry)
        for name, window in (entry.get("windows") or {}).items():
            columns.add(cell, run, name, window)
    return pl.DataFrame(
        {
            "cell": pl.Series(columns.cell, dtype=pl.UInt32),
            "run": pl.Series(columns.run, dtype=pl.UInt32),
            "window": pl.Series(columns.window, dtype=pl.String),
            "of": pl.Series(columns.of, dtype=pl.String),
            "name": pl.Series(columns.name, dtype=pl.String),
            "figure": pl.Series(columns.figure, dtype=pl.String),
            "value": pl.Series(columns.value, dtype=pl.Float64),
            "text": pl.Series(columns.text, dtype=pl.String),
        }
    )


class _Columns:
    """Rows in the making."""

    def __init__(self) -> None:
        self.cell: list[int] = []
        self.run: list[int] = []
        self.window: list[str | None] = []
        self.of: list[str] = []
        self.name: list[str] = []
        self.figure: list[str] = []
        self.value: list[float | None] = []
        self.text: list[str | None] = []

    def add(self, cell: int, run: int, window: str | None, entry: Mapping[str, Any]) -> None:
        """All figures of one run, or of a window of it."""
        for section, of in _SECTIONS.items():
            for name, tree in (entry.get(section) or {}).items():
                before = len(self.figure)
                for figure, value in leaves(tree):
                    is_text = isinstance(value, str)
                    self.figure.append(figure)
                    self.value.append(None if is_text or value is None else float(value))
                    self.text.append(value if is_text else None)
                more = len(self.figure) - before
                self.cell += [cell] * more
                self.run += [run] * more
                self.window += [window] * more
                self.of += [of] * more
                self.name += [name] * more


def leaves(tree: object, path: str = "") -> Iterator[tuple[str, Any]]:
    """The numbers and words of a tree with their paths, such as `goodput_bps.sum`; lists count from 0."""
    if isinstance(tree, dict):
        for key, value in tree.items():
            if isinstance(value, dict | list):
                yield from leaves(value, f"{path}{key}.")
            else:
                yield f"{path}{key}", value
    elif isinstance(tree, list):
        for position, value in enumerate(tree):
            if isinstance(value, dict | list):
                yield from leaves(value, f"{path}{position}.")
            else:
                yield f"{path}{position}", value

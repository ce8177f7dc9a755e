"""The figures of a paper, drawn of the runs: one for each reading."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tailrace.errors import UsageError
from tailrace.reproduce import series_statistics
from tailrace.reproduce.paper import Figure
from tailrace.reproduce.toml_keys import Keys

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawn

    from tailrace.study.sweep_result import Sweep

FORM = "svg"
_SWEPT = ("metric", "against", "by", "kind", "where", "formula", "of", "log", "queue")
_SERIES = ("series", "by", "panels", "where", "rows", "run", "bin", "running_mean", "after", "until")

# Where an SVG has places, and what of their digits nobody sees: less than a hundredth of a point.
_PLACES = re.compile(r' (?:d|x|y|transform)="[^"]*"')
_UNSEEN = re.compile(r"(\.\d\d)\d+")


def check(figure: Figure) -> None:
    """Checks that every key is one of its form; names are looked up when there are runs."""
    known = _SERIES if "series" in figure.asked else _SWEPT
    keys = replace(figure.keys, table=figure.asked, _taken=set(known))
    keys.finish()
    _ = _read(figure, keys)


def file_name(figure: Figure, reading: str) -> str:
    """Name of its file."""
    return f"{figure.name}-{reading}.{FORM}" if reading else f"{figure.name}.{FORM}"


def draw(figure: Figure, reading: str, sweep: Sweep, place: Path) -> Path:
    """Draws it of a reading into a folder."""
    keys = replace(figure.keys, table=figure.asked, _taken=set())
    title = f"{figure.title} ({reading})" if reading else figure.title
    try:
        drawn = _drawn(figure, keys, sweep, title)
    except UsageError as error:
        raise error if str(error).startswith(keys.source.name) else keys.fail(str(error)) from None
    place.mkdir(parents=True, exist_ok=True)
    target = place / file_name(figure, reading)
    # Nothing of the time it was drawn: equal input, equal file.
    drawn.savefig(target, metadata={"Date": None})
    target.write_text(slim(target.read_text(encoding="utf-8")), encoding="utf-8")
    return target


def slim(svg: str) -> str:
    """The same picture in fewer characters, as pages are kept with the source.

    >>> slim('<path d="M 39.904146 198.92 "/><text x="7.123456">0.123456</text>')
    '<path d="M 39.90 198.92 "/><text x="7.12">0.123456</text>'
    """
    return _PLACES.sub(lambda found: _UNSEEN.sub(r"\1", found[0]), svg)


def _drawn(figure: Figure, keys: Keys, sweep: Sweep, title: str) -> Drawn:
    read = _read(figure, keys)
    if "series" in figure.asked:
        from tailrace.show.plots.swept import over_time

        return over_time.figure(sweep, over_time.Series(**read), title)
    return sweep.plot(
        read.pop("metric"),
        read.pop("against", None),
        read.pop("by", None),
        kind=read.pop("kind", None),
        headline=title,
        **read,
    )


def _read(figure: Figure, keys: Keys) -> dict[str, Any]:
    """The keys as the functions that draw take them."""
    texts = {
        key: keys.take(key, str)
        for key in ("metric", "against", "kind", "of", "log", "queue", "series")
        if key in figure.asked
    }
    texts |= {key: keys.take(key, str) for key in ("by", "panels") if key in figure.asked}
    lists: Mapping[str, Any] = {
        key: list(keys.texts(key)) for key in ("where", "formula") if key in figure.asked
    }
    rest: dict[str, Any] = {}
    if "rows" in figure.asked:
        rest["rows"] = keys.take("rows", dict)
    if "run" in figure.asked:
        rest["run"] = keys.take("run", int)
    if "running_mean" in figure.asked:
        rest["running_mean"] = keys.take("running_mean", bool)
    times = {
        f"{key}_s": series_statistics.seconds(keys, key)
        for key in ("bin", "after", "until")
        if key in figure.asked
    }
    return {**texts, **lists, **rest, **times}

"""Frame of a figure: labels of its axes, the stretch of each that is shown, and other names for what it compares."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypedDict

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tailrace.errors import UsageError
from tailrace.text import near_misses

# Marks axes that hold a scale of colours.
_COLOURS = "<colorbar>"
_LIMITS = "a limit is LOW,HIGH in the unit of the axis, either of which may be left out: 0,50 or ,50"


class Options(TypedDict, total=False):
    """Labels of axes, limits (`"0,50"`, `",50"` or a pair of numbers), and names (`{"droptail": "no AQM"}`)."""

    xlabel: str | None
    ylabel: str | None
    xlim: str | Sequence[float | None] | None
    ylim: str | Sequence[float | None] | None
    names: Sequence[str] | Mapping[str, str]


Limits = tuple[float | None, float | None]


@dataclass(frozen=True)
class Frame:
    """The same, checked."""

    xlabel: str | None = None
    ylabel: str | None = None
    xlim: Limits | None = None
    ylim: Limits | None = None
    names: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def made(cls, options: Options) -> Frame:
        """From what people write."""
        return cls(
            options.get("xlabel"),
            options.get("ylabel"),
            limits("xlim", options.get("xlim")),
            limits("ylim", options.get("ylim")),
            renamed(options.get("names") or ()),
        )

    def known(self, there: Iterable[str]) -> None:
        """Refuses a name that nothing in the figure has."""
        every = list(there)
        for old in self.names:
            near_misses.known(old, every, "name in the figure")

    def named(self, text: str) -> str:
        """A label with other names: of the whole of it, or of parts between commas."""
        if text in self.names:
            return self.names[text]
        parts = text.split(", ")
        return ", ".join(self._part(part) for part in parts)

    def _part(self, part: str) -> str:
        head, equals, value = part.partition(" = ")
        if equals:
            return f"{head} = {self.names.get(value, value)}"
        return self.names.get(part, part)

    def check_scales(self, *, x: bool, y: bool) -> None:
        """Refuses limits of axes that are no scales."""
        for name, given, is_scale in (("xlim", self.xlim, x), ("ylim", self.ylim, y)):
            if given is not None and not is_scale:
                raise UsageError(f"{name}: that axis has words; choose what is shown with --where")

    def settle(self, sheet: Figure, axes: Sequence[Axes] | None = None) -> None:
        """Writes labels and limits into a figure that is drawn; into some of its axes where these are given."""
        every = [one for one in axes or sheet.axes if one.get_visible() and one.get_label() != _COLOURS]
        self._label(sheet, every)
        for one in every:
            if self.xlim is not None:
                self._limit(one, "x", self.xlim)
            if self.ylim is not None:
                self._limit(one, "y", self.ylim)

    def _label(self, sheet: Figure, every: Sequence[Axes]) -> None:
        if self.xlabel is not None:
            for one in every:
                if one.get_xlabel():
                    one.set_xlabel(self.xlabel)
        if self.ylabel is None:
            return
        if sheet.get_supylabel():
            sheet.supylabel(self.ylabel, fontsize="medium")
        for one in every:
            if one.get_ylabel():
                one.set_ylabel(self.ylabel)

    @staticmethod
    def _limit(axes: Axes, which: str, wanted: Limits) -> None:
        axis = axes.xaxis if which == "x" else axes.yaxis
        low, high = wanted
        if axis.get_scale() == "log" and low is not None and low <= 0:
            raise UsageError(f"{which}lim: a logarithmic axis begins above 0, not at {low:g}")
        if which == "x":
            axes.set_xlim(low, high)
        else:
            axes.set_ylim(low, high)


def limits(name: str, given: str | Sequence[float | None] | None) -> Limits | None:
    """Ends of an axis; None leaves one where it is.

    >>> limits("xlim", "0,50"), limits("xlim", ",0.5"), limits("xlim", (1, 2)), limits("xlim", None)
    ((0.0, 50.0), (None, 0.5), (1.0, 2.0), None)
    """
    if given is None:
        return None
    parts = given.split(",") if isinstance(given, str) else list(given)
    try:
        ends = [_end(part) for part in parts]
    except (TypeError, ValueError):
        raise UsageError(f"{name} {given!r}: {_LIMITS}") from None
    if len(ends) != 2 or ends == [None, None] or not all(end is None or math.isfinite(end) for end in ends):  # noqa: PLR2004 - low and high
        raise UsageError(f"{name} {given!r}: {_LIMITS}")
    low, high = ends
    if low is not None and high is not None and low >= high:
        raise UsageError(f"{name} {given!r}: {low:g} is not below {high:g}")
    return low, high


def _end(part: str | float | None) -> float | None:
    if part is None or (isinstance(part, str) and not part.strip()):
        return None
    return float(part)


def renamed(given: Sequence[str] | Mapping[str, str]) -> dict[str, str]:
    """Other names by those in the data.

    >>> renamed(["droptail=no AQM", "fq_codel=FQ-CoDel"])
    {'droptail': 'no AQM', 'fq_codel': 'FQ-CoDel'}
    """
    if isinstance(given, Mapping):
        return dict(given)
    found = {}
    for text in given:
        old, equals, new = text.rpartition("=")
        if not equals or not old.strip() or not new.strip():
            raise UsageError(f"another name is OLD=NEW, as in 'droptail=no AQM': not {text!r}")
        found[old.strip()] = new.strip()
    return found

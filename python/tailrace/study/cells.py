"""The cells of a sweep: what each sets, what it is called, and where it stands on each axis."""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from tailrace.errors import UsageError
from tailrace.stats.formulas import Formula, Quantity, Value, value_of
from tailrace.study.declaration import Declaration, Range
from tailrace.text import value_labels

MOST_CELLS = 1_000_000
# Columns that every table has.
_TAKEN = frozenset({"cell", "run", "label"})


@dataclass(frozen=True)
class Point:
    """A value of an axis, or of several that go together."""

    # Path -> value as the scenario takes it.
    sets: Mapping[str, str] = field(default_factory=dict)
    # Name -> value, for formulas.
    names: Mapping[str, str] = field(default_factory=dict)
    # Words of its own, instead of those that its values give.
    label: str | None = None


@dataclass(frozen=True)
class Cell:
    """A variant of the scenario."""

    label: str
    # Path -> value: what it sets.
    overrides: Mapping[str, str]
    # Column -> value as TOML text: where it stands on the axes, what was derived among it.
    axes: Mapping[str, str]


class Plan:
    """All cells, made one after the other when they are asked for."""

    def __init__(self, declared: Declaration, seed: int = 1, base: Mapping[str, str] | None = None) -> None:
        self._axes = [*_axes(declared), *_samples(declared, seed)]
        self._derived, self._conditions = _formulas(declared)
        paths = dict.fromkeys(
            path for axis in self._axes for point in axis for path in (*point.sets, *point.names)
        )
        self._check_once()
        paths |= dict.fromkeys(self._derived)
        self.columns = column_names(list(paths))
        self._base = {name: value_of(text) for name, text in (base or {}).items()}
        self._has_presets = bool(declared.presets)
        if self.size > MOST_CELLS:
            raise UsageError(
                f"the sweep has {self.size} cells, at most {MOST_CELLS}; leave out values, or axes"
            )

    def _check_once(self) -> None:
        """Refuses keys that two axes vary."""
        axes = [
            dict.fromkeys(path for point in axis for path in (*point.sets, *point.names))
            for axis in self._axes
        ]
        times = Counter(path for axis in [*axes, dict.fromkeys(self._derived)] for path in axis)
        twice = [path for path, count in times.items() if count > 1]
        if twice:
            raise UsageError(f"{twice[0]} is varied twice; leave one of them out")

    def _environment(self, overrides: Mapping[str, str], named: Mapping[str, str]) -> dict[str, Value]:
        """Names in formulas: values that the cell sets, and values of the file."""
        left = {
            name: value
            for name, value in self._base.items()
            if not any(name.startswith(f"{path}.") for path in overrides)
        }
        return left | environment({**overrides, **named})

    @property
    def unused(self) -> dict[str, int]:
        """Names that no formula calls, with how many values they have: these make cells that are alike."""
        called = {name for formula in (*self._derived.values(), *self._conditions) for name in formula.names}
        there = [{name for point in axis for name in point.names} for axis in self._axes]
        return {
            name: len(axis)
            for axis, names in zip(self._axes, there, strict=True)
            for name in sorted(names - called)
        }

    @property
    def derived(self) -> list[str]:
        """The columns that follow from others."""
        return [self.columns[path] for path in self._derived]

    @property
    def size(self) -> int:
        """Number of cells before any condition."""
        return math.prod(len(axis) for axis in self._axes)

    def cells(self) -> Iterator[Cell]:
        """Cells for which all conditions hold; the last axis varies fastest."""
        varied = [axis for axis in self._axes if len(axis) > 1] or self._axes
        # Axes with labels of their own, such as presets, show no keys.
        shown = [axis[0] for axis in varied if axis[0].label is None]
        names = value_labels.endings([key for point in shown for key in (*point.sets, *point.names)])
        alone = len(varied) == 1
        words = [_words(axis, names, alone=alone) if axis in varied else {} for axis in self._axes]
        for points in itertools.product(*(enumerate(axis) for axis in self._axes)):
            made = self._cell([point for _, point in points])
            if made is None:
                continue
            overrides, axes = made
            parts = [found[place] for found, (place, _) in zip(words, points, strict=True) if found]
            yield Cell(" ".join(parts), overrides, axes)

    def _cell(self, points: Sequence[Point]) -> tuple[dict[str, str], dict[str, str]] | None:
        overrides = {path: value for point in points for path, value in point.sets.items()}
        named = {name: value for point in points for name, value in point.names.items()}
        axes = {self.columns[path]: value for path, value in {**overrides, **named}.items()}
        if self._has_presets:
            axes["preset"] = next(repr(p.label) for p in points if p.label is not None)
        if self._derived or self._conditions:
            names = self._environment(overrides, named)
            for path, formula in self._derived.items():
                overrides[path] = formula.as_toml(names)
                axes[self.columns[path]] = overrides[path]
                names |= environment({path: overrides[path]})
            if not all(condition.holds(names) for condition in self._conditions):
                return None
        return overrides, axes


def base(declared: Declaration, written: Callable[[str], str]) -> dict[str, str]:
    """Values of paths in the file that formulas use, as TOML; `written` looks them up."""
    varied = {path for axis in _axes(declared) for point in axis for path in (*point.sets, *point.names)}
    varied |= {*declared.derived, *declared.ranges, *declared.name_ranges}
    known = environment(dict.fromkeys(varied, "0"))
    derived, conditions = _formulas(declared)
    found: dict[str, str] = {}
    for formula in (*derived.values(), *conditions):
        for name in formula.names:
            try:
                found[name] = written(name)
            except ValueError as error:
                if name not in known and name.partition(".")[0] in value_labels.SECTIONS:
                    raise UsageError(
                        f"{formula.where}: {formula.text!r} cannot be computed: {error}"
                    ) from None
    return found


def column_names(paths: Sequence[str]) -> dict[str, str]:
    """Names of paths in tables: `bot.period` for `attack.bot.period` and `flow.bot.app.period`.

    >>> column_names(["attack.bot.period", "flow.web.app.size", "fault.0.at", "burst"])
    {'attack.bot.period': 'bot.period', 'flow.web.app.size': 'web.size', 'fault.0.at': 'fault.0.at', 'burst': 'burst'}
    """
    short = {path: value_labels.short(path) for path in paths}
    times = Counter(short.values())
    return {path: path if times[name] > 1 or name in _TAKEN else name for path, name in short.items()}


def environment(values: Mapping[str, str]) -> dict[str, Value]:
    """Names in formulas: the whole path of a value, and its end where only one has it."""
    found: dict[str, Value] = {}
    ends = Counter(path.rpartition(".")[2] for path in values)
    for path, value in values.items():
        seen = value_of(value)
        found[path] = found[value_labels.short(path)] = seen
        end = path.rpartition(".")[2]
        if ends[end] == 1:
            found[end] = seen
    return found


def _formulas(declared: Declaration) -> tuple[dict[str, Formula], list[Formula]]:
    """Formulas of derived paths, and conditions."""
    derived = {path: Formula(text, f"derived {path}") for path, text in declared.derived.items()}
    return derived, [Formula(text, "when") for text in declared.conditions]


def _axes(declared: Declaration) -> list[list[Point]]:
    """All axes but that of what is drawn."""
    return [*_grid(declared), *_zips(declared), *_names(declared), *_presets(declared)]


def _grid(declared: Declaration) -> Iterator[list[Point]]:
    for path, values in declared.grid.items():
        yield [Point({path: value}) for value in values]


def _zips(declared: Declaration) -> Iterator[list[Point]]:
    for group in declared.zips:
        rows = zip(*group.values(), strict=True)
        yield [Point(dict(zip(group, row, strict=True))) for row in rows]


def _names(declared: Declaration) -> Iterator[list[Point]]:
    for name, values in declared.names.items():
        if not name.isidentifier():
            raise UsageError(f"{name!r} is no name that a formula can use: letters, digits and _")
        yield [Point(names={name: value}) for value in values]


def _presets(declared: Declaration) -> Iterator[list[Point]]:
    if declared.presets:
        yield [Point(dict(values), label=name) for name, values in declared.presets.items()]


def _samples(declared: Declaration, seed: int) -> Iterator[list[Point]]:
    """Points drawn between the ends of all ranges, the same for the same seed."""
    ranges = [*declared.ranges.items(), *declared.name_ranges.items()]
    if not ranges and declared.samples is None:
        return
    if not ranges:
        raise UsageError("samples need something to draw: PATH=uniform(1 ms, 10 ms)")
    if declared.samples is None:
        raise UsageError(f"{ranges[0][0]} is to be drawn: say how often, with samples")
    if declared.samples > MOST_CELLS:
        raise UsageError(f"the sweep has {declared.samples} samples, at most {MOST_CELLS}")
    drawn = {}
    for name, ends in ranges:
        # A stream for each, so that one more range leaves the others as they are.
        shares = _shares(random.Random(f"{seed} {name}"), declared.samples, independent=declared.independent)  # noqa: S311
        drawn[name] = [between(name, ends, share) for share in shares]
    yield [
        Point(
            {path: drawn[path][place] for path in declared.ranges},
            {name: drawn[name][place] for name in declared.name_ranges},
        )
        for place in range(declared.samples)
    ]


def _shares(source: random.Random, count: int, *, independent: bool) -> list[float]:
    """Numbers from 0 to 1: each by itself, or one in each of so many equal strata, shuffled (McKay et al. 1979)."""
    if independent:
        return [source.random() for _ in range(count)]
    strata = list(range(count))
    source.shuffle(strata)
    return [(stratum + source.random()) / count for stratum in strata]


def between(name: str, ends: Range, share: float) -> str:
    """The value so far along a range, as a scenario takes it; an error says what is wrong with the ends."""
    low, high = value_of(_quoted(ends.low)), value_of(_quoted(ends.high))
    if not isinstance(low, Quantity) or not isinstance(high, Quantity) or low.unit != high.unit:
        raise UsageError(f"{name}: {ends.low} and {ends.high} are not two quantities of one kind")
    if low.value > high.value or (ends.logarithmic and low.value <= 0):
        raise UsageError(f"{name}: nothing can be drawn between {ends.low} and {ends.high}")
    if ends.logarithmic:
        value = low.value * (high.value / low.value) ** share
    else:
        value = low.value + (high.value - low.value) * share
    if (
        not any(low.unit)
        and low.value.is_integer()
        and high.value.is_integer()
        and "." not in ends.low + ends.high
    ):
        value = float(min(math.floor(low.value + (high.value - low.value + 1) * share), high.value))
    return Quantity(value, low.unit).as_toml()


def _quoted(text: str) -> str:
    try:
        float(text)
    except ValueError:
        return f'"{text.strip(chr(34))}"'
    return text


def _words(axis: Sequence[Point], names: Mapping[str, str], *, alone: bool) -> dict[int, str]:
    """Labels of an axis' points where its keys have these names; the only key of the only axis is not named."""
    if axis[0].label is not None:
        return {place: str(point.label) for place, point in enumerate(axis)}
    found: dict[int, list[str]] = {place: [] for place in range(len(axis))}
    keys = [*axis[0].sets, *axis[0].names]
    for key in keys:
        texts = [{**point.sets, **point.names}[key] for point in axis]
        labels = value_labels.labels_of(key, texts, alone=alone and len(keys) == 1, name=names[key])
        for place, text in enumerate(texts):
            found[place].append(labels[text])
    return {place: " ".join(parts) for place, parts in found.items()}

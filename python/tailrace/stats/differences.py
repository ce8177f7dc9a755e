"""Differences between two studies, B - A, run by run where the seeds are the same.

Equal seeds give two variants the same random numbers (common random numbers, Law & Kelton 2000, chapter 11): what both
have of luck drops out of the difference of a pair, whose interval is that much narrower. Runs of other seeds are
compared as independent ones (Welch).
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from tailrace.errors import UsageError
from tailrace.stats import bootstrap, preferences, statistics, table_forms
from tailrace.stats import tolerances as limits
from tailrace.stats.measured import Measured, MeasuredCell
from tailrace.stats.metrics import Known, Metric
from tailrace.stats.parameters import Parameter
from tailrace.stats.tolerances import Tolerance, Verdict
from tailrace.text import interval_text, text_table

if TYPE_CHECKING:
    import polars as pl

# Rows that a terminal is shown of a long table.
_MOST_ROWS = 100
# Keys that change the meaning of numbers when they differ between scenarios.
_TELLING = ("name", "duration", "warmup")
# From so many differences on, some are marked by chance alone.
_MANY = 20


@dataclass(frozen=True)
class Difference:
    """Difference of one metric in one cell."""

    label: str
    parameters: Sequence[object]
    metric: Metric
    before: statistics.Interval | None
    after: statistics.Interval | None
    change: statistics.Interval | None
    paired: bool
    verdict: Verdict | None = None

    @property
    def relative(self) -> float | None:
        """The difference as a share of A's mean; None where that is 0."""
        if self.change is None or self.before is None or self.before.mean == 0:
            return None
        return self.change.mean / abs(self.before.mean)

    @property
    def ends(self) -> tuple[float, float] | None:
        """Ends of the difference's 95 % interval; None for a single pair."""
        if self.change is None or self.change.ci95 is None:
            return None
        return self.change.mean - self.change.ci95, self.change.mean + self.change.ci95

    @property
    def significant(self) -> bool | None:
        """Whether the interval leaves 0 out; None without one."""
        return None if self.ends is None else not self.ends[0] <= 0 <= self.ends[1]


@dataclass(frozen=True)
class Differences:
    """A table of differences; `rows` in the order of A's cells."""

    title: str
    # Names of A and B.
    sides: tuple[str, str]
    parameters: Sequence[Parameter]
    rows: Sequence[Difference]
    notes: Sequence[str] = ()
    # Groups that attack: what they get is neither better nor worse.
    attackers: frozenset[str] = frozenset()

    def grid(self, most: int | None = _MOST_ROWS) -> text_table.Grid:
        """For a terminal, a notebook or Markdown."""
        judged = any(row.verdict for row in self.rows)
        shown = self.rows[:most]
        more = len(self.rows) - len(shown)
        columns = [
            *(parameter.name for parameter in self.parameters),
            "metric",
            *self.sides,
            "difference",
            "relative",
            "shown",
        ]
        return text_table.Grid(
            self.title,
            [*columns, *(["tolerance"] if judged else [])],
            [_cells(self.parameters, row, self.attackers, judged=judged) for row in shown],
            len(self.parameters) + 1,
            [*self.notes, *([f"{more} more rows: --format csv has all"] if more else [])],
        )

    def text(self, form: str) -> str:
        """Markdown, CSV, JSON or LaTeX text with all rows."""
        return table_forms.text(self, form)

    def sheet(self) -> list[list[Any]]:
        """Headings, and a row a difference."""
        rows = self._plain()
        headings = ["label", *(parameter.heading for parameter in self.parameters), *_KEYS]
        return [
            headings,
            *(
                [row.label, *self._placed(row).values(), *(plain[key] for key in _KEYS)]
                for row, plain in zip(self.rows, rows, strict=True)
            ),
        ]

    def records(self) -> list[dict[str, Any]]:
        """A dictionary a difference; `relative` is a ratio."""
        return [
            {"label": row.label, **self._placed(row), **plain}
            for row, plain in zip(self.rows, self._plain(), strict=True)
        ]

    def _placed(self, row: Difference) -> dict[str, object]:
        """Where a row stands, for programs."""
        return {p.heading: p.plain(v) for p, v in zip(self.parameters, row.parameters, strict=True)}

    @property
    def frame(self) -> pl.DataFrame:
        """The same as a Polars frame."""
        import polars as pl

        return pl.DataFrame(self.records(), infer_schema_length=None)

    @property
    def broken(self) -> list[Difference]:
        """Differences beyond their tolerance."""
        return [row for row in self.rows if row.verdict and row.verdict.broken]

    def _plain(self) -> list[dict[str, Any]]:
        return [_plain(row, self.attackers) for row in self.rows]

    def __rich__(self) -> text_table.RichGrid:
        return text_table.RichGrid(self.grid())

    def _repr_html_(self) -> str:
        return text_table.html([self.grid()])

    def __str__(self) -> str:
        return text_table.plain(self)


_KEYS = (
    "metric",
    "before",
    "after",
    "difference",
    "low",
    "high",
    "relative",
    "significant",
    "shown",
    "n",
    "paired",
    "tolerance",
)


def of(
    before: Measured,
    after: Measured,
    columns: Sequence[str] = (),
    *,
    sides: tuple[str, str] = ("A", "B"),
    tolerances: Sequence[str] = (),
    strict: bool = False,
) -> Differences:
    """Differences of `after` from `before`, in the cells that both have.

    `columns` names metrics; `tolerances` says how much some may differ (`goodput=5%`), `strict` that they must be shown
    to differ by no more.
    """
    pairs, notes = _common(before, after, sides)
    asked = Asked(columns, tolerances, strict)
    notes = [*_unlike(before, after, pairs, sides), *notes]
    return _table(Sides(before, after, *sides), [(*pair, pair[0]) for pair in pairs], asked, notes)


def against(
    measured: Measured,
    baseline: Mapping[str, MeasuredCell],
    others: Sequence[MeasuredCell],
    name: str,
    asked: Asked,
) -> Differences:
    """Differences of cells of a study from its baseline: from the cell with their key."""
    pairs = [(baseline[cell.key], cell, cell) for cell in others if cell.key in baseline]
    if not pairs:
        raise UsageError(f"{name} has no cell to compare it with")
    alone = len(others) - len(pairs)
    notes = [f"{alone} cells have no counterpart with {name}"] if alone else []
    # A single pair needs no label.
    compared = {cell.label for _, cell, _ in pairs}
    other = compared.pop() if len(compared) == 1 else "cell"
    return _table(Sides(measured, measured, name, other), pairs, asked, notes)


def from_one(
    measured: Measured, one: MeasuredCell, others: Sequence[MeasuredCell], metric: Metric
) -> list[tuple[MeasuredCell, Difference]]:
    """Differences of some cells of a study from one of them in a metric, run by run where seeds are equal."""
    values = measured.values(_average(metric))
    both, seeds = (values, values), (measured.seeds, measured.seeds)
    return [(cell, _difference((one, cell, cell), metric, both, seeds)) for cell in others]


@dataclass(frozen=True)
class Asked:
    """Metrics to compare, and tolerances."""

    columns: Sequence[str] = ()
    tolerances: Sequence[str] = ()
    strict: bool = False


@dataclass(frozen=True)
class Sides:
    """Names of the sides and what is compared."""

    before: Measured
    after: Measured
    first: str
    second: str


# Before, after, and the one that a row is called after.
_Pair: TypeAlias = tuple[MeasuredCell, MeasuredCell, MeasuredCell]


def _table(sides: Sides, pairs: Sequence[_Pair], asked: Asked, notes: Sequence[str]) -> Differences:
    before, after = sides.before, sides.after
    known = _known(before, after)
    allowed = _tolerances(known, asked.tolerances)
    named = known.metrics(asked.columns)
    chosen = [_average(metric) for metric in dict.fromkeys([*named, *allowed])]
    values = {metric: (before.values(metric), after.values(metric)) for metric in chosen}
    seeds = before.seeds, after.seeds
    rows = [
        _judged(_difference(cells, metric, values[metric], seeds), allowed.get(metric), strict=asked.strict)
        for cells in pairs
        for metric in chosen
    ]
    compared = {row.metric for row in rows if row.before or row.after}
    empty = [name for name in map(_name, asked.tolerances) if not compared & set(known.metric(name))]
    if empty:
        raise UsageError(f"neither {sides.first} nor {sides.second} has a value of {empty[0]}")
    if not asked.columns:
        # Metrics that nobody asked for are left out where they cannot be compared.
        both = {row.metric for row in rows if row.change or (row.verdict and row.verdict.broken)}
        rows = [row for row in rows if row.metric in both]
    title = f"{sides.second} − {sides.first}"
    said = [*_how(rows), *notes]
    attackers = frozenset(known.attackers)
    return Differences(title, (sides.first, sides.second), after.parameters, rows, said, attackers)


def _name(tolerance: str) -> str:
    return limits.parse(tolerance)[0]


def _known(before: Measured, after: Measured) -> Known:
    """Metrics that either side has."""
    import polars as pl

    if before.figures.is_empty() or after.figures.is_empty():
        return before.known if after.figures.height else after.known
    return Known(pl.concat([before.figures, after.figures], how="diagonal"))


def _average(metric: Metric) -> Metric:
    if metric.over != bootstrap.MEAN:
        raise UsageError(f"differences are computed of means, not of {metric.heading}")
    return metric


def _tolerances(known: Known, texts: Sequence[str]) -> dict[Metric, Tolerance]:
    """By metric; what is said last holds."""
    parsed = [limits.parse(text) for text in texts]
    return {metric: limits.of(limit, metric) for name, limit in parsed for metric in known.metric(name)}


def _judged(row: Difference, tolerance: Tolerance | None, *, strict: bool) -> Difference:
    if tolerance is None:
        return row
    if row.change is None or row.before is None:
        # A value on one side only is within no tolerance.
        verdict = Verdict(tolerance, "no value", (row.before is None) != (row.after is None), 0.0)
    else:
        verdict = limits.judge(tolerance, row.before.mean, row.change.mean, row.ends, strict=strict)
    return replace(row, verdict=verdict)


def _common(
    before: Measured, after: Measured, sides: tuple[str, str]
) -> tuple[list[tuple[MeasuredCell, MeasuredCell]], list[str]]:
    """Cells that are the same variant, and what is left over on either side."""
    others = {cell.key: cell for cell in after.cells}
    pairs = [(cell, others[cell.key]) for cell in before.cells if cell.key in others]
    if not pairs:
        raise UsageError(
            f"{sides[0]} and {sides[1]} have no variant in common: "
            f"{_few(before)} there, {_few(after)} here; differences need the same variants"
        )
    counts = {
        sides[0]: len(before.cells) - len(pairs),
        sides[1]: len(after.cells) - len({cell.key for cell, _ in pairs}),
    }
    left = [f"{count} variants are only in {side}" for side, count in counts.items() if count > 0]
    return pairs, left


def _unlike(
    before: Measured,
    after: Measured,
    pairs: Sequence[tuple[MeasuredCell, MeasuredCell]],
    sides: tuple[str, str],
) -> list[str]:
    """Settings that differ between two studies and change the meaning of their numbers, not only results."""
    said = [tomllib.loads(measured.scenario) for measured in (before, after)]
    both = [(key, said[0].get(key), said[1].get(key)) for key in _TELLING]
    words = {key: (a, b) for key, a, b in both if a != b and a is not None and b is not None}
    first, second = (
        sorted({of.runs.get(pair[side].number or 0, 0) for pair in pairs})
        for side, of in enumerate((before, after))
    )
    if first != second:
        words["runs"] = _span(first), _span(second)
    return [f"not alike: {key} is {a} in {sides[0]} and {b} in {sides[1]}" for key, (a, b) in words.items()]


def _span(counts: Sequence[int]) -> str:
    return " to ".join(str(count) for count in dict.fromkeys((counts[0], counts[-1])))


def _few(measured: Measured) -> str:
    labels = [cell.label for cell in measured.cells[:3]]
    return ", ".join(labels) + (", ..." if len(measured.cells) > len(labels) else "")


def _difference(
    cells: _Pair,
    metric: Metric,
    values: Sequence[Mapping[int, Mapping[int, float]]],
    seeds: Sequence[Mapping[tuple[int, int], int]],
) -> Difference:
    a, b = (of_side.get(cell.number or 0, {}) for of_side, cell in zip(values, cells[:2], strict=True))
    common = sorted(set(a) & set(b))
    alike = bool(common) and all(
        seeds[0].get((cells[0].number or 0, run)) == seeds[1].get((cells[1].number or 0, run))
        for run in common
    )
    # Incomplete pairs do not count.
    runs = (common, common) if alike else (sorted(a), sorted(b))
    first, second = [a[run] for run in runs[0]], [b[run] for run in runs[1]]
    change = statistics.paired(first, second) if alike else statistics.welch(first, second)
    before, after = (statistics.interval(side, metric.bounds) for side in (first, second))
    return Difference(cells[2].label, cells[2].parameters, metric, before, after, change, alike)


def _how(rows: Sequence[Difference]) -> list[str]:
    """Note about the intervals."""
    counted = [row for row in rows if row.change]
    notes = []
    for paired, words in (
        (True, "runs of equal seeds are paired"),
        (False, "seeds differ: runs are compared as independent ones (Welch)"),
    ):
        counts = sorted({row.change.n for row in counted if row.change and row.paired == paired})
        if counts:
            few, many = counts[0], counts[-1]
            n = f"{few}" if few == many else f"{few} to {many}"
            intervals = "differences ± half width of the 95 % interval" if many > 1 else "no intervals"
            notes.append(f"{words}; {n} run{'s' if many > 1 else ''} a side: {intervals}")
    if len(rows) >= _MANY:
        notes.append("where nothing differs, 1 of 20 differences is shown by chance")
    return notes


def _plain(row: Difference, attackers: frozenset[str]) -> dict[str, Any]:
    low, high = row.ends or (None, None)
    return {
        "metric": row.metric.heading,
        "before": row.before.mean if row.before else None,
        "after": row.after.mean if row.after else None,
        "difference": row.change.mean if row.change else None,
        "low": low,
        "high": high,
        "relative": row.relative,
        "significant": row.significant,
        "shown": preferences.word(row.metric, row.change, attackers) or None,
        "n": row.change.n if row.change else 0,
        "paired": row.paired if row.change else None,
        "tolerance": row.verdict.word if row.verdict else None,
    }


def _cells(
    parameters: Sequence[Parameter], row: Difference, attackers: frozenset[str], *, judged: bool
) -> list[str]:
    sides = [
        interval_text.mean_with_interval(side.as_dict() if side else None) for side in (row.before, row.after)
    ]
    change = interval_text.mean_with_interval(row.change.as_dict()) if row.change else interval_text.NO_VALUE
    relative = interval_text.NO_VALUE if row.relative is None else f"{100 * row.relative:+.3g} %"
    shown = preferences.word(row.metric, row.change, attackers) or interval_text.NO_VALUE
    placed = [p.said(value) for p, value in zip(parameters, row.parameters, strict=True)]
    text = [*placed, row.metric.heading, *sides]
    verdict = [row.verdict.word if row.verdict else ""] if judged else []
    return [*text, _signed(change), relative, shown, *verdict]


def _signed(text: str) -> str:
    """`+1.2` where it is more than nothing."""
    head = text.split(" ", 1)[0]
    positive = not head.startswith("-") and any(digit in "123456789" for digit in head)
    return f"+{text}" if positive else text


def broken_text(row: Difference, sides: tuple[str, str]) -> str:
    """Message of a broken tolerance, in a line."""
    what = f"{row.label}: {row.metric.heading}" if row.label else row.metric.heading
    if row.verdict is None or row.change is None or row.before is None:
        missing = sides[0] if row.before is None else sides[1]
        return f"broken: {what} has no value in {missing}"
    relative = f" ({100 * row.relative:+.3g} %)" if row.relative is not None else ""
    interval = f", 95 % interval {row.ends[0]:+.4g} to {row.ends[1]:+.4g}" if row.ends else ""
    beyond = f"{row.verdict.excess:.3g} beyond" if row.verdict.excess else "not shown to be within"
    return (
        f"broken: {what} differs by {row.change.mean:+.4g}{relative}{interval}: "
        f"{beyond} the tolerance {row.verdict.tolerance.text}"
    )

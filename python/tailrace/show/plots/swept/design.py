"""Assignment of a sweep's parameters to the axis, lines and panels of a figure.

Nothing is averaged over but runs: a swept parameter that nobody named has a panel for each of its values, unless it
follows from the others, as with axes that go together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeAlias

import polars as pl

from tailrace.errors import UsageError
from tailrace.show.plots.swept.request import Request
from tailrace.show.plots.swept.run_values import Subject
from tailrace.stats import statistics
from tailrace.study import cell_selection
from tailrace.study.variation import PRESET
from tailrace.text import quantities

if TYPE_CHECKING:
    from tailrace.study.variation import Variation

# Names for `--by` of groups, queues, connections, paths, programs and hosts.
_PARTS = {
    "flows": {"group", "groups"},
    "queue": {"queue", "queues"},
    "connection": {"connection", "connections"},
    "path": {"path", "paths"},
    "program": {"program", "programs"},
    "host": {"host", "hosts"},
    "part": {"part", "parts"},
}
# Values of some dimensions.
_Key: TypeAlias = tuple[object, ...]
# The dimension of flow groups, queues, connections or paths.
PART = "part"
# More lines are not told apart, more panels not read.
MOST_LINES, MOST_PANELS = 8, 12


@dataclass(frozen=True)
class Point:
    """Mean of a cell's runs with its interval, and the single values."""

    x: object
    mean: statistics.Interval
    each: Sequence[float]


@dataclass(frozen=True)
class Line:
    """Points that belong together; `place` says how they look."""

    label: str
    place: int
    points: Sequence[Point]
    # Parameter -> value, for formulas.
    values: Mapping[str, object]

    @property
    def each(self) -> list[float]:
        """All single values."""
        return [value for point in self.points for value in point.each]


@dataclass(frozen=True)
class Panel:
    """Lines that share axes."""

    title: str
    part: str
    lines: Sequence[Line]
    values: Mapping[str, object]


@dataclass(frozen=True)
class Plan:
    """Dimensions by where they go."""

    x: str | None
    lines: Sequence[str]
    panels: Sequence[str]
    # Parameters that change with those above, each with whether it only rises or falls along `x`.
    following: Mapping[str, bool] = field(default_factory=dict)
    # Each of them with the parameter that it follows from, the first of several.
    leaders: Mapping[str, str] = field(default_factory=dict)
    # Whether each panel has one line, and is to show those of the others behind it.
    pale: bool = False


@dataclass(frozen=True)
class Design:
    """A figure before it is drawn."""

    plan: Plan
    panels: Sequence[Panel]
    # The values along the axis, in order.
    xs: Sequence[object]
    # Heading of the legend.
    legend: str
    x_unit: str = ""
    # Parameters that have one value in all that is shown.
    constants: Mapping[str, object] = field(default_factory=dict)

    @property
    def counts(self) -> list[int]:
        """Numbers of runs of the points."""
        return sorted({point.mean.n for p in self.panels for line in p.lines for point in line.points})


@dataclass(frozen=True)
class _Rows:
    """A row each run and part (the parameters, `value`, `each`), and the order of the values of each dimension."""

    frame: pl.DataFrame
    orders: Mapping[str, Sequence[object]]
    units: Mapping[str, str]

    def values(self, name: str | None) -> list[object]:
        """The values of a dimension that are there, in order."""
        if name is None:
            return [None]
        there = set(self.frame[name].unique())
        return [value for value in self.orders[name] if value in there]

    def keys(self, names: Sequence[str]) -> list[_Key]:
        """The combinations of values that are there, in order."""
        if not names:
            return [()]
        places = [{value: place for place, value in enumerate(self.orders[name])} for name in names]
        found: Iterable[_Key] = self.frame.select(names).unique(maintain_order=True).iter_rows()
        return sorted(found, key=lambda key: [of[value] for of, value in zip(places, key, strict=True)])


def of(sweep: Variation, subject: Subject, request: Request) -> Design:
    """Where everything goes."""
    rows = _rows(sweep, subject, request)
    frame = rows.frame
    if frame.is_empty():
        raise UsageError(f"no run has a value of {request.metric} there")
    plan = _fitted(rows, _planned(sweep, subject, request, frame), request)
    legend = ", ".join(subject.whose if name == PART else name for name in plan.lines)
    panels = _panels(rows, plan, subject)
    constants = {name: frame[name][0] for name in sweep.columns if frame[name].n_unique() == 1}
    return Design(plan, panels, rows.values(plan.x), legend, rows.units.get(plan.x or "", ""), constants)


def _rows(sweep: Variation, subject: Subject, request: Request) -> _Rows:
    cells = sweep.cells[cell_selection.places(sweep, request.where)].drop("label").unique(maintain_order=True)
    orders = {name: _ordered(sweep.cells[name]) for name in sweep.columns}
    return _Rows(
        cells.join(subject.rows, on="cell", maintain_order="left_right"),
        {**orders, PART: subject.parts},
        {name: sweep.unit(name) for name in sweep.columns},
    )


def _ordered(column: pl.Series) -> list[object]:
    """Numbers rising, words as the sweep has them."""
    found = column.unique(maintain_order=True).to_list()
    if column.dtype == pl.Float64:
        return sorted(found, key=lambda value: (value is None, value or 0.0))
    return found


# -- which dimension goes where --------------------------------------------------------------------------------


def _planned(sweep: Variation, subject: Subject, request: Request, rows: pl.DataFrame) -> Plan:
    varied = [name for name in sweep.columns if rows[name].n_unique() > 1]
    x = sweep.column(request.against) if request.against else None
    by = _by(sweep, subject, request.by)
    if request.kind == "cdf" and by is None and x is not None:
        # A distribution has the metric along its axis: what it is drawn against tells its lines apart.
        x, by = None, x
    chosen_here = request.against is None and request.kind != "cdf"
    if chosen_here:
        x = _natural(rows, [name for name in varied if name != by])
    if x is not None and x == by:
        raise UsageError(f"{x} cannot be both along the axis and a line each: name another with --by")
    free, following = _split(rows, [name for name in (x, by) if name and name != PART], varied)
    if by is None and request.kind == "map":
        by = _second(free)
    elif by is None and chosen_here:
        by = next((name for name in free if rows[name].n_unique() <= MOST_LINES), None)
    lines = [by] if by else []
    panels = [name for name in free if name != by]
    if request.kind == "cdf" and x is not None:
        panels, x = [x, *panels], None
    if len(subject.parts) > 1 and by != PART:
        lines, panels = (lines, [PART, *panels]) if lines or request.kind == "map" else ([PART], panels)
    known = [name for name in dict.fromkeys((x, by, *free)) if name and name != PART]
    return Plan(
        x,
        lines,
        panels,
        {name: _is_monotone(rows, x, name) for name in following},
        {name: _leader(rows, known, name) for name in following},
    )


def _by(sweep: Variation, subject: Subject, text: str | None) -> str | None:
    """The parameter that a text means, or the groups, queues, connections or paths."""
    if text is None:
        return None
    # A parameter first: `queue` may be one, and whose a metric is.
    try:
        return sweep.column(text)
    except UsageError:
        if text in _PARTS[subject.whose]:
            return PART
        if text == "flows":
            raise UsageError("--by group has a line for each flow group; single flows: --of flows") from None
        raise


def _second(free: Sequence[str]) -> str:
    """The other axis of a map, where there is no choice."""
    if len(free) != 1:
        there = f": {' or '.join(free)}" if free else ", and there is no other that varies"
        raise UsageError(f"a map is of two parameters: name them with --against and --by{there}")
    return free[0]


def _natural(rows: pl.DataFrame, varied: Sequence[str]) -> str:
    """Default axis: the numbers with most values, else the words."""
    if not varied:
        raise UsageError("nothing varies there: a figure of a sweep needs a parameter with several values")
    return max(varied, key=lambda name: (rows[name].dtype == pl.Float64, rows[name].n_unique()))


def _split(rows: pl.DataFrame, named: Sequence[str], varied: Sequence[str]) -> tuple[list[str], list[str]]:
    """The other parameters: those that vary by themselves, and those that follow from named ones."""
    free: list[str] = []
    following = []
    # A preset says most of what follows from it.
    for name in sorted((n for n in varied if n not in named), key=lambda n: n != PRESET):
        if _follows(rows, [*named, *free], name):
            following.append(name)
        else:
            free.append(name)
    return [name for name in varied if name in free], following


def _follows(rows: pl.DataFrame, known: Sequence[str], name: str) -> bool:
    if not known:
        return rows[name].n_unique() == 1
    return rows.group_by(known).agg(pl.col(name).n_unique())[name].max() == 1


def _leader(rows: pl.DataFrame, known: Sequence[str], name: str) -> str:
    """The one of the known that says by itself what another is; where it takes several, all of them."""
    return next((one for one in known if _follows(rows, [one], name)), ", ".join(known))


def _is_monotone(rows: pl.DataFrame, x: str | None, name: str) -> bool:
    """Whether the points along `x` are a curve, also where another parameter changes with it; words are not."""
    if x is None or rows[x].dtype != pl.Float64 or rows[name].dtype != pl.Float64:
        return True
    pairs = rows.select(x, name).unique().drop_nulls().sort(x)
    if pairs[x].n_unique() < pairs.height:
        return True
    steps = pairs[name].diff().drop_nulls()
    return bool((steps >= 0).all() or (steps <= 0).all())


def _fitted(of: _Rows, plan: Plan, request: Request) -> Plan:
    """No more lines than can be told apart, no more panels than are read."""
    rows = of.frame
    # The lines of a map are its rows.
    lines = 1 if request.kind == "map" else _count(rows, plan.lines)
    panels = _count(rows, plan.panels)
    grouped = request.kind in {"bars", "box"} or (plan.x is not None and rows[plan.x].dtype != pl.Float64)
    if lines > MOST_LINES and panels in range(2, MOST_LINES + 1) and lines <= MOST_PANELS:
        plan = replace(plan, lines=plan.panels, panels=plan.lines)
    elif lines > MOST_LINES:
        plan = replace(
            plan, lines=[], panels=[*plan.panels, *plan.lines], pale=not plan.panels and not grouped
        )
    panels = _count(rows, plan.panels)
    if panels > MOST_PANELS:
        counts = ", ".join(f"{name}: {rows[name].n_unique()}" for name in plan.panels)
        raise UsageError(
            f"the figure would have {panels} panels ({counts}), at most {MOST_PANELS} are read: "
            f"{_way_out(of, plan, request)}"
        )
    return plan


def _way_out(rows: _Rows, plan: Plan, request: Request) -> str:
    """Advice on how to have fewer panels."""
    largest = max(plan.panels, key=lambda name: rows.frame[name].n_unique())
    value = quantities.said(rows.frame[largest][0], rows.units.get(largest, ""))
    if largest == PART:
        return f"choose with {value}.{request.metric} as the metric"
    return f"choose with --where '{largest}={value}' (where= in Python), or name one of them with --against or --by"


def _count(rows: pl.DataFrame, names: Sequence[str]) -> int:
    return rows.select(names).n_unique() if names else 1


# -- panels, lines and points ----------------------------------------------------------------------------------


def _panels(rows: _Rows, plan: Plan, subject: Subject) -> list[Panel]:
    looks = {key: place for place, key in enumerate(rows.keys(plan.lines))}
    found: dict[_Key, dict[_Key, list[Point]]] = {}
    for key, x, point in _points(rows, plan, subject):
        panel, line = key[: len(plan.panels)], key[len(plan.panels) :]
        found.setdefault(panel, {}).setdefault(line, []).append(Point(x, *point))
    panels = []
    for panel, of_lines in found.items():
        values = dict(zip(plan.panels, panel, strict=True))
        lines = [
            _line(rows, dict(zip(plan.lines, line, strict=True)), looks[line], points)
            for line, points in of_lines.items()
        ]
        part = str(values.get(PART, subject.parts[0] if len(subject.parts) == 1 else ""))
        panels.append(Panel(_titled(values, rows.units), part, lines, values))
    return panels


def _points(
    rows: _Rows, plan: Plan, subject: Subject
) -> Iterator[tuple[_Key, object, tuple[statistics.Interval, list[float]]]]:
    """Panel and line, place along the axis, mean and single values: in order, all taken from the rows at once."""
    names = [*plan.panels, *plan.lines, *([plan.x] if plan.x else [])]
    places = [{value: place for place, value in enumerate(rows.orders[name])} for name in names]
    # Something to group by, where there is nothing to tell apart.
    groups = rows.frame.with_columns(pl.lit(0).alias("_")).group_by("_", *names)
    values = groups.agg("value", pl.col("each").explode().drop_nulls()).drop("_")
    cells = [(tuple(row[:-2]), row[-2], row[-1]) for row in values.iter_rows()]
    cells.sort(key=lambda cell: [of[value] for of, value in zip(places, cell[0], strict=True)])
    for key, of_runs, each in cells:
        mean = statistics.interval(of_runs, subject.bounds)
        if mean is not None:
            yield (key[:-1], key[-1], (mean, each)) if plan.x else (key, None, (mean, each))


def _line(rows: _Rows, values: Mapping[str, object], place: int, points: Sequence[Point]) -> Line:
    label = ", ".join(quantities.said(value, rows.units.get(name, "")) for name, value in values.items())
    return Line(label, place, points, values)


def _titled(values: Mapping[str, object], units: Mapping[str, str]) -> str:
    short = _shortened(list(values))
    words = [
        str(value) if name == PART else f"{short[name]} = {quantities.said(value, units.get(name, ''))}"
        for name, value in values.items()
    ]
    return ", ".join(words)


def _shortened(names: Sequence[str]) -> dict[str, str]:
    """Last words of several parameters, where these tell them apart: titles of panels have little room."""
    last = [name.rpartition(".")[2] for name in names]
    return dict(zip(names, last if 1 < len(names) == len(set(last)) else names, strict=True))

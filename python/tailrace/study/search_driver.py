"""Searches: trials in batches, each a cell of a store, until there are as many as were asked for."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from tailrace.data.store import Writer
from tailrace.errors import UsageError
from tailrace.execution.execute import Job, Watch
from tailrace.scenario.scenario import Scenario
from tailrace.stats import bootstrap
from tailrace.stats.formulas import Formula, Quantity, Value, value_of
from tailrace.stats.measured import Measured
from tailrace.stats.metrics import Metric
from tailrace.stats.statistics import Interval
from tailrace.study import sweep_runner
from tailrace.study.attack_damage import Without, is_named
from tailrace.study.cells import Cell, Plan, base, environment
from tailrace.study.declaration import Declaration, Range
from tailrace.study.sampler import SAMPLERS, TPE, Point, Space, Told, propose
from tailrace.study.sweep_result import Sweep

# Key of the search in a store.
SEARCH = "search"
OK, NOT_ALLOWED, FAILED = "ok", "not allowed", "failed"
_QUOTED = re.compile(r"`([^`]*)`")
# Units of numbers by the end of their name, with the factor to the units of formulas.
_FIGURES = {
    "_bps": ((1, -1, 0), 1.0),
    "_s": ((0, 1, 0), 1.0),
    "_bytes": ((1, 0, 0), 8.0),
    "_packets": ((0, 0, 1), 1.0),
}


@dataclass(frozen=True)
class Wanted:
    """Goal and space of a search."""

    goal: str
    maximize: bool
    # Path -> range or values; the same of names for formulas.
    over: Mapping[str, Range | Sequence[str]]
    let: Mapping[str, Range | Sequence[str]] = field(default_factory=dict)
    derive: Mapping[str, str] = field(default_factory=dict)
    # Must hold before a trial is run, and after.
    when: Sequence[str] = ()
    subject_to: Sequence[str] = ()
    trials: int = 100
    sampler: str = TPE
    # Trials that are proposed together, whatever the machine: what is found does not depend on it.
    batch: int = 4
    # Values of paths in the file that formulas use.
    base: Mapping[str, str] = field(default_factory=dict)

    def checked(self) -> Wanted:
        """The same; an error says what cannot be."""
        if self.sampler not in SAMPLERS:
            raise UsageError(f"--sampler is one of {', '.join(SAMPLERS)}, not {self.sampler!r}")
        if self.trials < 1 or self.batch < 1:
            raise UsageError("a search has at least one trial, and one in a batch")
        self.space.check()
        for text in self.subject_to:
            Condition(text)
        return self

    def based(self, scenario: Scenario) -> Wanted:
        """The same, of this scenario."""
        varied = dict.fromkeys([*self.over, *self.let], Range("0", "0"))
        declared = Declaration(ranges=varied, derived=self.derive, conditions=self.when)
        called = {name for text in self.subject_to for name in Condition(text).names}
        return replace(self, base={**base(declared, scenario.written), **_said_in(scenario, called)})

    @property
    def wants_damage(self) -> bool:
        """Whether trials are run without their attack, too."""
        return is_named([self.goal, *self.subject_to])

    @property
    def space(self) -> Space:
        """Search space; a name with one value is a constant."""
        return Space({**self.over, **self.let})

    def plan(self, point: Point) -> Plan:
        """The one cell that a point is, or none where `when` does not hold."""
        values = self.values(point)
        declared = Declaration(
            grid={path: [values[path]] for path in self.over},
            names={name: [values[name]] for name in self.let},
            derived=self.derive,
            conditions=self.when,
        )
        return Plan(declared, base=self.base)

    def values(self, point: Point) -> dict[str, str]:
        """Varied values as a scenario takes them."""
        return {name: self.space.value(name, at) for name, at in point.items()}

    def cell(self, number: int, point: Point) -> Cell | None:
        """The variant that a trial is; None where `when` does not hold."""
        for cell in self.plan(point).cells():
            return Cell(_label(number), cell.overrides, {"trial": str(number), **cell.axes})
        return None

    def as_json(self) -> dict[str, Any]:
        """Data that must be equal for a store's trials to be reused: all but the number of trials."""
        return {
            "goal": self.goal,
            "maximize": self.maximize,
            "over": _axes(self.over),
            "let": _axes(self.let),
            "derive": dict(self.derive),
            "when": list(self.when),
            "subject_to": list(self.subject_to),
            "sampler": self.sampler,
            "batch": self.batch,
            **({"base": dict(self.base)} if self.base else {}),
        }

    @classmethod
    def of_json(cls, said: Mapping[str, Any]) -> Wanted:
        """Inverse of `as_json`."""
        axes = {
            kind: {
                name: Range(*axis["range"]) if "range" in axis else axis["values"]
                for name, axis in said[kind].items()
            }
            for kind in ("over", "let")
        }
        return cls(**{**said, **axes})


def goal(maximize: str | None, minimize: str | None) -> tuple[str, bool]:
    """The metric, and whether it is to be large."""
    if (maximize is None) == (minimize is None):
        raise UsageError("name one metric to maximize or to minimize")
    return maximize or minimize or "", maximize is not None


def _axes(axes: Mapping[str, Range | Sequence[str]]) -> dict[str, dict[str, list[Any]]]:
    return {
        name: {"range": [axis.low, axis.high, axis.logarithmic]}
        if isinstance(axis, Range)
        else {"values": list(axis)}
        for name, axis in axes.items()
    }


def _label(number: int) -> str:
    return f"trial {number}"


# -- what became of trials -----------------------------------------------------------------------------------------


class Condition:
    """A formula over parameters and metrics; metrics whose names no formula can hold stand in backquotes."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._quoted: dict[str, str] = {}

        def named(found: re.Match[str]) -> str:
            name = f"_metric_{len(self._quoted)}"
            self._quoted[name] = found[1]
            return name

        self._formula = Formula(_QUOTED.sub(named, text), "--subject-to")

    @property
    def names(self) -> list[str]:
        """Names in it, but for metrics in backquotes."""
        return [name for name in self._formula.names if name not in self._quoted]

    def metrics(self, parameters: Mapping[str, Value]) -> dict[str, str]:
        """Names in the formula that are no parameters -> the metrics that they stand for."""
        names = [
            n for n in self._formula.names if not (n in parameters or n.rpartition(".")[0] in parameters)
        ]
        return {name: self._quoted.get(name, name) for name in names}

    def holds(self, names: Mapping[str, Value]) -> bool:
        """Whether it is true."""
        return self._formula.holds(names)


@dataclass(frozen=True)
class Judged:
    """Result of a trial: intervals of the goal and of the metrics that conditions name."""

    state: str
    values: Sequence[Interval | None]
    runs: int


@dataclass(frozen=True)
class Judgement:
    """Results of all trials."""

    # Texts of the goal, with what they stand for.
    asked: list[str]
    metrics: list[Metric]
    trials: list[Judged]


def judge(wanted: Wanted, points: Sequence[Point], sweep: Sweep) -> Judgement:
    """Looks at what has landed; an error says which metric is none, or of several."""
    measured = sweep.measured
    conditions = [Condition(text) for text in wanted.subject_to]
    parameters = [_parameters(wanted, point, row) for point, row in zip(points, sweep.plan, strict=True)]
    named = [condition.metrics(parameters[0]) for condition in conditions]
    chosen = {
        text: _one(measured, text) for text in [wanted.goal, *(t for found in named for t in found.values())]
    }
    values = {text: measured.values(metric) for text, metric in chosen.items()}
    trials = []
    for row, known in zip(sweep.plan, parameters, strict=True):
        cell = row["cell"] or 0
        found = {
            text: bootstrap.estimate(list(values[text].get(cell, {}).values()), metric.over, metric.bounds)
            for text, metric in chosen.items()
        }
        state = OK if row["cell"] else FAILED if "error" in row else NOT_ALLOWED
        if row["cell"] and (None in found.values() or measured.runs.get(cell, 0) < row["runs"]):
            state = FAILED
        for condition, names in zip(conditions, named, strict=True):
            seen = {name: found[text] for name, text in names.items()}
            if None not in seen.values() and not condition.holds(
                {
                    **known,
                    **{
                        name: metric_quantity(chosen[names[name]], one.mean)
                        for name, one in seen.items()
                        if one
                    },
                }
            ):
                state = NOT_ALLOWED if state == OK else state
        trials.append(Judged(state, list(found.values()), measured.runs.get(cell, 0)))
    return Judgement(list(chosen), list(chosen.values()), trials)


def _parameters(wanted: Wanted, point: Point, row: Mapping[str, Any]) -> dict[str, Value]:
    """Names in formulas for the values of a trial."""
    axes = {name: text for name, text in row["axes"].items() if name != "trial"}
    left = {name: value_of(text) for name, text in wanted.base.items()}
    return {**left, **environment(axes), **environment(wanted.values(point))}


def _said_in(scenario: Scenario, names: Iterable[str]) -> dict[str, str]:
    """Values in the file of the names that are its paths."""
    found = {}
    for name in sorted(names):
        with suppress(ValueError):
            found[name] = scenario.written(name)
    return found


def _one(measured: Measured, text: str) -> Metric:
    return single(measured.metrics([text]), text)


def single(found: Sequence[Metric], text: str) -> Metric:
    """The one metric that a text names; an error where there are several."""
    if len(found) > 1:
        raise UsageError(
            f"{text} is ambiguous: name one of {', '.join(f'{m.owner}.{m.name}' for m in found)}"
        )
    return found[0]


def metric_quantity(metric: Metric, value: float) -> Quantity:
    """A metric as formulas see it, in bits, seconds and packets; shares from 0 to 1."""
    plain = value / metric.scale
    for part in metric.figure.split("."):
        for end, (unit, factor) in _FIGURES.items():
            if part.endswith(end):
                return Quantity(plain * factor, unit)
    return Quantity(plain)


# -- the search ----------------------------------------------------------------------------------------------------


class Hunt:
    """A search under way in a store."""

    def __init__(self, scenario: Scenario, wanted: Wanted, writer: Writer) -> None:
        self._scenario = scenario
        self._wanted = wanted = wanted.based(scenario)
        self._writer = writer
        self._said = {**wanted.as_json(), "scenario": scenario.to_toml()}
        self._points = self._recorded()
        self._survey = sweep_runner.Survey(without=Without(scenario) if wanted.wants_damage else None)
        sweep_runner.check_engine(writer)
        # Runs of an earlier command.
        self._found = len(writer.index.runs())

    def _recorded(self) -> list[Point]:
        """The trials of an earlier command, which must have been after the same."""
        place = self._writer.place
        text = self._writer.index.fact(SEARCH)
        if text is None:
            if self._writer.index.fact(sweep_runner.PLAN) is not None:
                raise UsageError(f"{place} holds a sweep that is no search; use -o for another folder")
            return []
        found = json.loads(text)
        differs = [key for key, value in self._said.items() if found["said"].get(key) != value]
        if differs:
            raise UsageError(
                f"{place} holds another search: {', '.join(differs)} differ; -o keeps it, --fresh begins anew"
            )
        points: list[Point] = found["points"]
        return points

    def run(self, way: sweep_runner.Way, watch: Watch, stop: Callable[[], bool] = lambda: False) -> bool:
        """Tries until there are enough; whether it was stopped before."""
        watch.found(self._found)
        while True:
            if not self._points:
                self._propose()
            todo = self._enter()
            landed = {row[:2] for row in self._writer.index.runs()}
            if todo and not landed:
                # The first run shows whether there are such metrics; with an attack's damage it takes two.
                if self._do(way, _first(todo), watch, stop):
                    return True
                landed = {row[:2] for row in self._writer.index.runs()}
            if landed:
                self._judge()
            if self._do(way, [one for one in todo if one[1:] not in landed], watch, stop):
                return True
            if len(self._points) >= self._wanted.trials:
                return False
            self._propose()

    def _do(
        self,
        way: sweep_runner.Way,
        todo: Sequence[sweep_runner.Todo],
        watch: Watch,
        stop: Callable[[], bool],
    ) -> bool:
        """Does some runs; whether it was stopped meanwhile."""
        if not todo or stop():
            return stop()
        total = self._wanted.trials * self._scenario.runs
        there = len(self._writer.index.runs())
        part = _Part(watch, there - self._found, len(todo), total - self._found)
        _, interrupted = way(self._scenario, todo, self._writer, part, stop)
        return interrupted

    def _propose(self) -> None:
        """A batch, or what is lacking of one."""
        wanted = self._wanted
        whole = len(self._points) // wanted.batch * wanted.batch
        found = propose(
            wanted.space,
            self._told()[:whole],
            wanted.batch,
            maximize=wanted.maximize,
            sampler=wanted.sampler,
            seed=self._scenario.seed,
        )
        self._points = [*self._points, *found[len(self._points) - whole :]][: wanted.trials]

    def _judge(self) -> Judgement:
        return judge(self._wanted, self._points, Sweep.load(self._writer.place))

    def _told(self) -> list[Told]:
        if not self._points:
            return []
        return [
            Told(
                point,
                one.values[0].mean if one.values[0] and one.state != FAILED else None,
                one.state != NOT_ALLOWED,
            )
            for point, one in zip(self._points, self._judge().trials, strict=True)
        ]

    def _enter(self) -> list[sweep_runner.Todo]:
        """Writes down the trials, before any of them is run; the runs that are lacking."""
        for number in range(len(self._survey.all) + 1, len(self._points) + 1):
            point = self._points[number - 1]
            cell = self._wanted.cell(number, point)
            if cell is not None:
                self._survey.look(self._scenario, cell)
            else:
                names = self._wanted.plan(point).columns
                axes = {names[name]: text for name, text in self._wanted.values(point).items()}
                self._survey.pass_over(Cell(_label(number), {}, {"trial": str(number), **axes}))
        self._survey.derived = self._wanted.plan(self._points[0]).derived
        if not any(self._survey.cells):
            raise next(
                iter(self._survey.errors.values()), UsageError("--when holds for none of the first trials")
            )
        numbers = sweep_runner.enter(self._writer, self._scenario, self._survey)
        overrides = {path: str(value) for path, value in self._scenario.overrides.items()}
        about = {"said": self._said, "points": self._points, "set": overrides}
        self._writer.index.state(SEARCH, json.dumps(about))
        return sweep_runner.lacking(sweep_runner.share(self._survey), numbers, self._writer)


def _first(todo: Sequence[sweep_runner.Todo]) -> list[sweep_runner.Todo]:
    """The first run, and the same without its attack."""
    planned, _, number = todo[0]
    other = planned.without.id if planned.without else None
    return [todo[0], *(one for one in todo if one[0].id == other and one[2] == number)]


class _Part:
    """Shows the progress of some runs as that of all that the search has to do."""

    def __init__(self, watch: Watch, before: int, runs: int, total: int) -> None:
        self._watch = watch
        self._before = before
        self._runs = runs
        self._total = total

    def found(self, runs: int) -> None:
        """The search has said so of itself."""

    def progress(self, fraction: float) -> None:
        """The share of these runs that is done."""
        self._watch.progress(min(1.0, (self._before + fraction * self._runs) / max(1, self._total)))

    def ended(self, job: Job, wall_s: float) -> None:
        """Counts an ended job."""
        self._watch.ended(job, wall_s)

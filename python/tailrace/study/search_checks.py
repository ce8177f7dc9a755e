"""Metrics and units that a search names, checked before its first run."""

from __future__ import annotations

from collections.abc import Mapping

from tailrace.errors import UsageError
from tailrace.scenario.scenario import Scenario
from tailrace.stats.formulas import Value, value_of
from tailrace.study import metric_probe
from tailrace.study.attack_damage import is_named
from tailrace.study.cells import environment
from tailrace.study.metric_probe import Probe
from tailrace.study.sampler import propose
from tailrace.study.search_driver import Condition, Wanted, metric_quantity, single


def check(wanted: Wanted, scenario: Scenario) -> None:
    """Refuses a goal or condition whose metrics no run of the scenario has, or whose quantities cannot be compared."""
    known = _parameters(wanted, scenario)
    conditions = [Condition(text) for text in wanted.subject_to]
    named = [condition.metrics(known) for condition in conditions]
    metrics = dict.fromkeys([wanted.goal, *(name for found in named for name in found.values())])
    # No single run has what an attack costs.
    metric_probe.check([name for name in metrics if not is_named([name])], [scenario])
    probe = Probe.of(scenario)
    values = {name: value for name in metrics if (value := _made_up(name, probe)) is not None}
    for condition, names in zip(conditions, named, strict=True):
        if all(text in values for text in names.values()):
            _check_units(condition, {**known, **{name: values[text] for name, text in names.items()}})


def _parameters(wanted: Wanted, scenario: Scenario) -> dict[str, Value]:
    """Names in formulas for the values of a trial."""
    based = wanted.based(scenario)
    (point,) = propose(
        wanted.space, [], 1, maximize=wanted.maximize, sampler=wanted.sampler, seed=scenario.seed
    )
    left = {name: value_of(text) for name, text in based.base.items()}
    return {**left, **environment(wanted.values(point))}


def _made_up(name: str, probe: Probe) -> Value | None:
    """A value of a metric, in its unit; None of one that is there once runs have begun."""
    try:
        found = probe.known.metric(name)
    except UsageError:
        return None
    return metric_quantity(single(found, name), 1.0)


def _check_units(condition: Condition, values: Mapping[str, Value]) -> None:
    """Computes a condition with made-up values of its metrics; only what is wrong with their units counts."""
    try:
        condition.holds(values)
    except UsageError as error:
        if "unit" in str(error):
            raise

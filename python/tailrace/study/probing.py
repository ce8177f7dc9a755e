"""Whether there will be such metrics, before any time is spent: of a run that is stopped before it begins."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Sequence
from itertools import islice

from tailrace import _native, figures
from tailrace.errors import UsageError
from tailrace.scenario import Scenario
from tailrace.study.metrics import Known

# Of so many cells, where some have figures that others lack.
_MOST_TRIED = 50
# Figures of its connections are there only once these are.
_MULTIPATH = "mptcp"


def known(scenario: Scenario) -> Known:
    """The metrics that a run of the scenario has, as far as they do not depend on what happens in it."""
    task = _native.Task(scenario.native, 1)
    task.cancel()
    found = Known(figures.of_texts([(1, 1, task.execute().summary)]))
    # Those that have not begun have no figures yet.
    windows = [window["name"] for window in tomllib.loads(scenario.to_toml()).get("window", [])]
    found.windows = list(dict.fromkeys([*found.windows, *windows]))
    return found


def check(names: Sequence[str], scenarios: Iterable[Scenario]) -> None:
    """Refuses a name of a metric that none of the scenarios has."""
    first: UsageError | None = None
    lacking = dict.fromkeys(names)
    for scenario in islice(scenarios, _MOST_TRIED):
        if not lacking or any(group["transport"] == _MULTIPATH for group in scenario.outline["groups"]):
            return
        there = known(scenario)
        for name in list(lacking):
            try:
                there.metric(name)
            except UsageError as error:
                first = first or error
            else:
                del lacking[name]
    if lacking and first:
        raise first

"""Whether there will be such metrics, before any time is spent: of a run that is stopped before it begins."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from tailrace import _native, figures
from tailrace.errors import UsageError
from tailrace.scenario import Scenario
from tailrace.study.metrics import Known

# Of so many cells, where some have figures that others lack.
_MOST_TRIED = 50
# Figures of its connections are there only once these are.
_MULTIPATH = "mptcp"


@dataclass(frozen=True)
class Probe:
    """What a run of a scenario has, as far as that does not depend on what happens in it."""

    known: Known
    # Table -> its columns of numbers.
    columns: Mapping[str, Sequence[str]]
    # Whether there may be metrics that it does not know.
    open: bool

    @classmethod
    def of(cls, scenario: Scenario) -> Probe:
        """That of a run that is stopped before it begins."""
        task = _native.Task(scenario.native, 1)
        task.cancel()
        output = task.execute()
        found = Known(figures.of_texts([(1, 1, output.summary)]))
        # Those that have not begun have no figures yet.
        windows = [window["name"] for window in tomllib.loads(scenario.to_toml()).get("window", [])]
        found.windows = list(dict.fromkeys([*found.windows, *windows]))
        columns = {
            table: [name for name, (kind, *_) in each.items() if kind != "text"]
            for table, each in output.tables().items()
        }
        multipath = any(group["transport"] == _MULTIPATH for group in scenario.outline["groups"])
        return cls(found, columns, multipath)


def probes(scenarios: Iterable[Scenario]) -> Iterator[Probe]:
    """Those of the first cells, of which some have figures that others lack."""
    return map(Probe.of, islice(scenarios, _MOST_TRIED))


def check(names: Sequence[str], scenarios: Iterable[Scenario]) -> None:
    """Refuses a name of a metric that none of the scenarios has."""
    first: UsageError | None = None
    lacking = dict.fromkeys(names)
    for probe in probes(scenarios):
        if probe.open:
            return
        for name in list(lacking):
            try:
                probe.known.metric(name)
            except UsageError as error:
                first = first or error
            else:
                del lacking[name]
        if not lacking:
            return
    if first:
        raise first

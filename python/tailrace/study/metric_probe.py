"""Whether there will be such metrics, before any time is spent: of a run that is stopped before it begins."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from tailrace.errors import UsageError
from tailrace.execution import tasks
from tailrace.scenario.scenario import Scenario
from tailrace.stats import host_programs, numbers
from tailrace.stats.metrics import Known
from tailrace.study import lazy_metrics

# Cells that are probed at most.
_MOST_TRIED = 50
# Figures of its connections are there only once these are.
_MULTIPATH = "mptcp"


@dataclass(frozen=True)
class Probe:
    """Metrics of a scenario's runs, as far as they do not depend on events in them."""

    known: Known
    # Table -> its columns of numbers.
    columns: Mapping[str, Sequence[str]]
    # Flow groups whose connections, over Multipath TCP, it does not know.
    multipath: Sequence[str]

    @classmethod
    def of(cls, scenario: Scenario) -> Probe:
        """Probe from a run that is stopped before it begins."""
        task = tasks.of(scenario.native, 1)
        task.cancel()
        output = task.execute()
        declared = tomllib.loads(scenario.to_toml())
        # Programs have no numbers before they are started.
        summary = json.loads(output.summary) | host_programs.foreseen(declared.get("host", []))
        found = Known(lazy_metrics.with_spreads(numbers.frame([(1, 1, summary)])))
        # Windows that have not begun have no numbers yet.
        windows = [window["name"] for window in declared.get("window", [])]
        found.windows = list(dict.fromkeys([*found.windows, *windows]))
        columns = {
            table: [name for name, (kind, *_) in each.items() if kind != "text"]
            for table, each in output.tables().items()
        }
        groups = scenario.outline["groups"]
        multipath = [group["name"] for group in groups if group["transport"] == _MULTIPATH]
        if multipath:
            found.figures["connection"] |= lazy_metrics.figures_of_connections()
        return cls(found, columns, multipath)

    def may_have(self, name: str) -> bool:
        """Whether a run can have a metric though it does not before it begins."""
        return bool(self.multipath) and lazy_metrics.may_have(name, self.multipath, self.known.windows)


def probes(scenarios: Iterable[Scenario]) -> Iterator[Probe]:
    """Probes of the first cells, some of which have numbers that others lack."""
    return map(Probe.of, islice(scenarios, _MOST_TRIED))


def check(names: Sequence[str], scenarios: Iterable[Scenario]) -> None:
    """Refuses a name of a metric that none of the scenarios has."""
    first: UsageError | None = None
    lacking = dict.fromkeys(names)
    for probe in probes(scenarios):
        for name in list(lacking):
            try:
                probe.known.metric(name)
            except UsageError as error:
                if not probe.may_have(name):
                    first = first or error
                    continue
            del lacking[name]
        if not lacking:
            return
    if first:
        raise first

"""Columns and metrics that the runs of a study will have, as far as known before the first of them."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from tailrace.errors import UsageError
from tailrace.scenario.scenario import Scenario
from tailrace.stats.metrics import Metric
from tailrace.study import attack_damage, metric_probe
from tailrace.study.metric_probe import Probe
from tailrace.study.variation import Variation


class Foreseen:
    """Expected columns of a scenario and its cells, which are examined on demand.

    `variation` is what a sweep varies, None where that is not known yet; `cells` gives the scenarios of its cells.
    """

    def __init__(
        self, scenario: Scenario, variation: Variation | None, cells: Callable[[], Iterable[Scenario]]
    ) -> None:
        self.scenario = scenario
        self.variation = variation
        self._cells = cells
        self._probed: list[Probe] = []
        self._more = metric_probe.probes(self._scenarios())

    def _scenarios(self) -> Iterator[Scenario]:
        yield self.scenario
        yield from self._cells()

    def _probes(self) -> Iterator[Probe]:
        """Probes in order, each made once."""
        yield from self._probed
        for probe in self._more:
            self._probed.append(probe)
            yield probe

    def metrics(self, name: str) -> list[Metric]:
        """Metrics for a name in the first cell that has it; empty where only a run can tell."""
        if attack_damage.is_named([name]):
            # An error without an attack.
            attack_damage.Without(self.scenario)
            return []
        first: UsageError | None = None
        for probe in self._probes():
            try:
                return probe.known.metrics([name])
            except UsageError as error:
                first = first or error
            if probe.may_have(name):
                return []
        raise first or UsageError(f"there is no metric {name!r}")

    def columns(self, table: str) -> Sequence[str]:
        """Columns of a table with numbers; empty where they are not known."""
        return self._columns.get(table, ())

    @cached_property
    def _columns(self) -> Mapping[str, Sequence[str]]:
        found: dict[str, dict[str, None]] = {}
        for probe in self._probes():
            for table, names in probe.columns.items():
                found.setdefault(table, {}).update(dict.fromkeys(names))
        return {table: list(names) for table, names in found.items()}

    @property
    def groups(self) -> list[str]:
        """The names of flow groups."""
        return [group["name"] for group in self.scenario.outline["groups"]]

    @cached_property
    def transports(self) -> set[str]:
        """Transports of all flows."""
        return {group["transport"] for each in self._scenarios() for group in each.outline["groups"]}

    @cached_property
    def has_queues(self) -> bool:
        """Whether results show one."""
        return any(probe.known.owners["queue"] for probe in self._probes())

    @cached_property
    def has_series(self) -> bool:
        """Whether the file has some recorded; who leaves them out for once wants no figures."""
        record = tomllib.loads(self.scenario.to_toml()).get("record", {})
        return record.get("interval") != "off" or "record.interval" in self.scenario.overrides

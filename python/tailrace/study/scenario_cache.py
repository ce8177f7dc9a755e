"""Cache of parsed scenarios, from the survey of a sweep's cells until their runs.

Run 1 of every cell comes before run 2 of any cell: without the cache, every run would parse its scenario again.
"""

from __future__ import annotations

from tailrace.scenario.scenario import Scenario

# Capacity in bytes: a thousand scenarios of ten hosts fit, one of ten thousand hosts does not.
CAPACITY_BYTES = 64 << 20


class ScenarioCache:
    """Keeps scenarios while there is room. Nothing is evicted: cells run in turn, where LRU would miss each time."""

    def __init__(self) -> None:
        self._free_bytes = CAPACITY_BYTES

    def keep(self, scenario: Scenario) -> Scenario | None:
        """Keeps and returns the scenario, or returns None if it does not fit."""
        size = scenario.size
        if size > self._free_bytes:
            return None
        self._free_bytes -= size
        return scenario

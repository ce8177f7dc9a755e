"""Scenarios of cells, kept from the survey of a sweep until their runs begin.

Run 1 of every cell comes before run 2 of any, so without them each run would read its scenario anew.
"""

from __future__ import annotations

from tailrace.scenario.scenario import Scenario

# Memory for all of them: some thousand scenarios of ten hosts, none of ten thousand.
ROOM_BYTES = 64 << 20


class ScenarioCache:
    """Keeps scenarios while there is room; none makes room for another, since all are used in turn."""

    def __init__(self) -> None:
        self._room = ROOM_BYTES

    def kept(self, scenario: Scenario) -> Scenario | None:
        """The scenario, or None where there is no room for it."""
        size = scenario.size
        if size > self._room:
            return None
        self._room -= size
        return scenario

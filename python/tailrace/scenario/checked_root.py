"""Scenarios in code that read and check themselves with the compiled parser."""

from __future__ import annotations

from typing import Self

from tailrace.scenario import objects
from tailrace.scenario.scenario import Algorithms, Scenario, check_is_text


class Root(objects.Root):
    """A whole scenario."""

    __slots__ = ()

    @classmethod
    def from_toml(cls, text: str, algorithms: Algorithms = ()) -> Self:
        """The objects for the text of a scenario file; its comments are lost. `ScenarioError` says what is wrong.

        `algorithms` has classes of one's own that it names. Files that it names are sought in the working directory.
        """
        check_is_text(text, "Scenario.from_toml() takes", "Scenario.from_toml(Path({}).read_text())")
        return objects.of_values(cls, Scenario(text, "text", algorithms=algorithms).said())

    def check(self, algorithms: Algorithms = ()) -> Scenario:
        """The validated scenario, with its warnings and every default; `ScenarioError` says what is wrong with it."""
        return Scenario.of(self, algorithms=algorithms)

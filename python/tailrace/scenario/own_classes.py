"""Classes of one's own with methods that the engine never calls, or with none that it calls for an effect."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tailrace.scenario.algorithms import Algorithm

    Objection: TypeAlias = tuple[str, str, str | None]

CODE = "own-class"


def named(classes: Iterable[type[Algorithm]], resolved: str) -> list[type[Algorithm]]:
    """The classes that the text of a scenario with all its defaults names."""
    return [each for each in classes if f'"{each.name}"' in resolved]


def objections(classes: Iterable[type[Algorithm]]) -> list[Objection]:
    """What is probably a mistake in classes: path in the scenario, message and help."""
    return [objection for each in classes for objection in _of_class(each)]


def _of_class(each: type[Algorithm]) -> Iterator[Objection]:
    own = f"class {each.__name__} ({each.name})"
    if each.__init__ is not object.__init__:
        why = f"{own} has an `__init__`, which is never called"
        yield "", why, "call it `start`, which gets a link or the set-up of a connection"
    if not any(each.overrides(hook) for hook in each._decides):
        *rest, last = [f"`{hook}`" for hook in each._decides]
        why = f"{own} has no {', no '.join(rest)} and no {last}: {each._without}"
        yield "", why, "look for a slip in the names of its methods"

"""Description of a paper: readings, studies, quantities, claims, figures, tables. All of it is data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any

from tailrace.reproduce.toml_keys import Keys


class Outcome(Enum):
    """Outcomes of a claim under a reading."""

    HOLDS = "holds"
    FAILS = "fails"
    # The interval over the runs reaches across the limit.
    OPEN = "open"


class Fault(Enum):
    """Reasons for which a claim does not hold."""

    PAPER = "paper"
    MISSING = "missing parameter"
    MODEL = "model"


@dataclass(frozen=True)
class Reading:
    """A way to fill in what the paper leaves open."""

    name: str
    title: str
    # Settings and their reasons, for people.
    means: str
    # It was chosen because it comes near the paper's numbers.
    found: bool
    # Path of the scenario -> value.
    sets: Mapping[str, Any]


# The only reading of a paper that needs none.
PLAIN = Reading("", "as the paper says", "", found=False, sets={})


@dataclass(frozen=True)
class Quick:
    """Changes of a study by `--quick`."""

    runs: int | None = None
    sets: Mapping[str, Any] = field(default_factory=dict)
    skip: bool = False


@dataclass(frozen=True)
class Own:
    """Changes of a study by one of its readings."""

    scenario: Path | None
    sets: Mapping[str, Any]
    sweep: Mapping[str, Any]


@dataclass(frozen=True)
class Study:
    """A scenario that is run for every cell of a sweep, and every reading."""

    name: str
    scenario: Path
    readings: Sequence[str]
    runs: int | None
    sets: Mapping[str, Any]
    # Arguments of `tailrace.sweep`: `axes`, `together`, `let`, `derive`, `presets`, `when`.
    sweep: Mapping[str, Any]
    # By reading: what is so only under that one.
    own: Mapping[str, Own]
    damage: bool
    quick: Quick
    keys: Keys


@dataclass(frozen=True)
class Check:
    """A comparison: its kind, and the keys of this kind."""

    kind: str
    keys: Keys


@dataclass(frozen=True)
class Expectation:
    """Expected outcome, and the reason where it is not the paper's."""

    # Reading -> outcome.
    outcomes: Mapping[str, Outcome]
    reason: str
    at_fault: Fault | None


@dataclass(frozen=True)
class Claim:
    """A sentence of the paper that can be wrong."""

    id: str
    place: str
    says: str
    study: str
    readings: Sequence[str]
    checks: Sequence[Check]
    expected: Expectation
    figure: str | None
    # Reason for which nobody can judge it; there are no checks then.
    not_judged: str | None
    keys: Keys


@dataclass(frozen=True)
class Figure:
    """A figure of a study, drawn for each reading."""

    name: str
    place: str
    title: str
    study: str
    readings: Sequence[str]
    # `metric` or `series`, and how it is drawn.
    asked: Mapping[str, Any]
    keys: Keys


@dataclass(frozen=True)
class Table:
    """A table of the paper beside ours: a row a value of a parameter, a column a quantity."""

    name: str
    place: str
    title: str
    study: str
    readings: Sequence[str]
    along: str
    # Heading -> quantity.
    columns: Mapping[str, str]
    # Value of the parameter -> the paper's numbers, one a column (NaN where it has none).
    paper: Mapping[str, Sequence[float]]
    keys: Keys


@dataclass(frozen=True)
class Beyond:
    """Something that the paper did not ask."""

    title: str
    study: str
    readings: Sequence[str]
    says: str
    # Metrics of a table of all cells, or of the extreme cell for each value of a parameter.
    columns: Sequence[str]
    # Selected cells, in the form of `--where`; all if empty.
    where: Sequence[str]
    worst: Mapping[str, Any] | None
    figure: str | None
    keys: Keys


@dataclass(frozen=True)
class Paper:
    """All of a folder of `papers/`."""

    id: str
    folder: Path
    title: str
    authors: str
    venue: str
    summary: str
    found: str
    beside: str
    sources: Sequence[str]
    readings: Mapping[str, Reading]
    studies: Mapping[str, Study]
    # Name -> how it is taken out of the runs.
    quantities: Mapping[str, Keys]
    claims: Sequence[Claim]
    figures: Mapping[str, Figure]
    tables: Mapping[str, Table]
    beyond: Sequence[Beyond]

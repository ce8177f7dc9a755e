"""Scenarios: from a file, from text, or from a dictionary. The compiled parser is the only validator."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from tailrace import _native, toml_text
from tailrace.errors import ScenarioError, UsageError

Overrides: TypeAlias = Mapping[str, object]
ScenarioLike: TypeAlias = "Scenario | str | os.PathLike[str] | Mapping[str, object]"


class Scenario:
    """A validated scenario with every default filled in.

    >>> import tailrace
    >>> tailrace.Scenario.of("papers/kochher/kochher.toml", set={"runs": 2}).runs  # doctest: +SKIP
    2
    """

    def __init__(self, text: str, file_name: str = "scenario", overrides: Overrides | None = None) -> None:
        self.text = text
        self.file_name = file_name
        self.overrides = dict(overrides or {})
        try:
            self.native = _native.parse(text, file_name, _as_text(self.overrides))
        except _native.ScenarioError as error:
            rendered, diagnostics = error.args
            raise ScenarioError(rendered, json.loads(diagnostics)) from None

    @classmethod
    def of(cls, source: ScenarioLike, set: Overrides | None = None) -> Scenario:  # noqa: A002 - the name of the command line
        """A scenario from a path, from TOML text (it holds a line break or a `=`), or from a dictionary."""
        match source:
            case Scenario():
                return source.replaced(set) if set else source
            case Mapping():
                return cls(toml_text.document(source), "dictionary", set)
            case str() if "\n" in source or "=" in source:
                return cls(source, "text", set)
            case _:
                return cls(read(Path(source)), os.fspath(source), set)

    def replaced(self, overrides: Overrides | None) -> Scenario:
        """The same scenario with some values set, by their path in the file (`link.bottleneck.rate`)."""
        return Scenario(self.text, self.file_name, {**self.overrides, **(overrides or {})})

    @property
    def name(self) -> str:
        """Its name; result folders are called after it."""
        return self.native.name

    @property
    def question(self) -> str:
        """The question it answers."""
        return self.native.question

    @property
    def runs(self) -> int:
        """How many replications."""
        return self.native.runs

    @property
    def seed(self) -> int:
        """The seed that the runs' seeds are derived from."""
        return self.native.seed

    @property
    def duration_s(self) -> float:
        """Simulated seconds of a run."""
        return self.native.duration_s

    @property
    def warnings(self) -> list[str]:
        """What looks like a slip but can be run, as text for people."""
        return [text.rstrip() for text in self.native.warnings]

    @property
    def outline(self) -> dict[str, Any]:
        """Counts and names for an overview."""
        outline: dict[str, Any] = json.loads(self.native.outline())
        return outline

    def to_toml(self) -> str:
        """The scenario as a file with every default written out."""
        return self.native.to_toml()

    def __repr__(self) -> str:
        return f"<Scenario {self.name!r}: {self.runs} runs of {self.duration_s:g} s, seed {self.seed}>"


def read(path: Path) -> str:
    """The text of a scenario file."""
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise UsageError(f"there is no file {path}{_nearest(path)}") from None
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8 text (byte {error.start})") from None
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from None


def _nearest(path: Path) -> str:
    import difflib  # only when something is wrong

    try:
        names = [entry.name for entry in path.parent.iterdir()]
    except OSError:
        return ""
    close = difflib.get_close_matches(path.name, names, n=1)
    return f"; did you mean {path.parent / close[0]}?" if close else ""


def _as_text(overrides: Overrides) -> list[tuple[str, str]]:
    """Strings go as the user typed them, other values as TOML."""
    return [(path, v if isinstance(v, str) else toml_text.value(v)) for path, v in overrides.items()]


def parse_assignments(assignments: Iterable[str]) -> dict[str, str]:
    """`path=value` pairs of the command line."""
    pairs: dict[str, str] = {}
    for text in assignments:
        path, equals, value = text.partition("=")
        if not equals or not path.strip():
            raise UsageError(f"--set takes path=value, for example link.bottleneck.rate=10mbit; got {text!r}")
        pairs[path.strip()] = value.strip()
    return pairs

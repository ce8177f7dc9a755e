"""Variants of one scenario: the grid of a file's `[sweep]`, or of `--set-each` options."""

from __future__ import annotations

import itertools
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tailrace.errors import UsageError
from tailrace.scenario.scenario import Scenario

# What a path says beside names: where in the file something stands.
SECTIONS = frozenset({"link", "flow", "attack", "host", "router", "fault", "window", "capture"})
_HOLDERS = frozenset({"app", "transport"})

_OPENING, _CLOSING, _QUOTES = "[{(", "]})", "\"'"


@dataclass(frozen=True)
class Variant:
    """A name for tables and figures, and what it sets."""

    label: str
    overrides: Mapping[str, str]


def of_scenario(scenario: Scenario) -> list[Variant]:
    """The cells of the file's `[sweep]`, in the order of the file; empty where it has none."""
    from tailrace.study import cells, declaration

    declared = declaration.of_file(scenario)
    if not declared:
        return []
    found = list(cells.Plan(declared, scenario.seed, cells.base(declared, scenario.written)).cells())
    labels = _distinct([cell.label for cell in found])
    return [Variant(label, cell.overrides) for label, cell in zip(labels, found, strict=True)]


def of_options(options: Iterable[str]) -> list[Variant]:
    """`path=first,second,...` each; several options span a grid.

    >>> [v.label for v in of_options(["queue=droptail,{ kind = 'red', ecn = true }"])]
    ['droptail', 'red']
    """
    axes: dict[str, list[str]] = {}
    for option in options:
        path, equals, values = option.partition("=")
        parts = split_list(values)
        if not equals or not path.strip() or not all(parts):
            raise UsageError(
                f"--set-each takes path=value,value,... (link.bottleneck.queue=red,codel); got {option!r}"
            )
        axes[path.strip()] = parts
    return grid(axes)


def grid(axes: Mapping[str, Sequence[str]]) -> list[Variant]:
    """Every combination of the axes' values, which are TOML or bare text; the last axis varies fastest."""
    if not axes:
        return []
    cells = [dict(zip(axes, values, strict=True)) for values in itertools.product(*axes.values())]
    varied = [path for path, values in axes.items() if len(values) > 1] or list(axes)
    names = endings(varied)
    words = {path: _labels(path, axes[path], alone=len(varied) == 1, name=names[path]) for path in varied}
    labels = _distinct([" ".join(words[path][cell[path]] for path in varied) for cell in cells])
    return [Variant(label, cell) for label, cell in zip(labels, cells, strict=True)]


def warnings(cells: Mapping[str, Scenario]) -> list[str]:
    """What looks like a slip in any of several scenarios, said once where it is alike; `""` is the file itself."""
    found = Warned()
    for label, scenario in cells.items():
        found.look(label, scenario)
    return found.said()


class Warned:
    """What looks like a slip in any of several scenarios, however many: they are looked at one after the other."""

    def __init__(self) -> None:
        # What is alike -> where it was first, the text there, and in how many it is.
        self._alike: dict[tuple[object, ...], tuple[str, str, int]] = {}
        self._of_file: set[tuple[object, ...]] = set()
        self._looked = 0

    def look(self, label: str, scenario: Scenario) -> None:
        """Takes the warnings of one more; `""` is the file itself."""
        self._looked += 1
        if not scenario.native.warnings and not scenario.native.kernels:
            return
        for text, warning in scenario.found():
            what = tuple(warning.get(key) for key in ("message", "line", "column"))
            first, said, count = self._alike.get(what, (label, text, 0))
            self._alike[what] = first, said, count + 1
            if not label:
                self._of_file.add(what)

    def said(self) -> list[str]:
        """Each once, with where it is unless that is everywhere, or in the file itself."""
        return [
            text if what in self._of_file or count == self._looked else text + _whose(label, text, count - 1)
            for what, (label, text, count) in self._alike.items()
        ]


def _whose(label: str, text: str, more: int) -> str:
    if f"variant {label!r}" in text:
        return f"\n  = likewise in {more} more" if more else ""
    return f"\n  = in variant {label!r}" + (f" and {more} more" if more else "")


def split_list(text: str) -> list[str]:
    """Splits at commas outside brackets and quotes."""
    parts, depth, quote, start = [], 0, "", 0
    for position, character in enumerate(text):
        if quote:
            quote = "" if character == quote else quote
        elif character in _QUOTES:
            quote = character
        elif character in _OPENING:
            depth += 1
        elif character in _CLOSING:
            depth -= 1
        elif character == "," and depth == 0:
            parts.append(text[start:position].strip())
            start = position + 1
    return [*parts, text[start:].strip()]


def short(path: str) -> str:
    """What tables call the value at a path, without its section and the tables that hold keys: `bot.period`."""
    parts = path.split(".")
    # What is called by its position says nothing without its section.
    if len(parts) > 2 and parts[0] in SECTIONS and not parts[1].isdecimal():  # noqa: PLR2004 - section, name, key
        parts = [part for place, part in enumerate(parts[1:]) if place == 0 or part not in _HOLDERS] or parts
    return ".".join(parts)


def endings(paths: Sequence[str]) -> dict[str, str]:
    """What each path is called among others: its last word, or as tables call it where another has that word."""
    last = {path: path.rpartition(".")[2] for path in paths}
    ends = Counter(last.values())
    found = {path: short(path) if ends[end] > 1 else end for path, end in last.items()}
    times = Counter(found.values())
    return {path: path if times[name] > 1 else name for path, name in found.items()}


def _labels(path: str, texts: Sequence[str], *, alone: bool, name: str) -> dict[str, str]:
    """A word for each value of an axis: a table is called by its kind, and by what differs where kinds repeat.

    Where its last word is that of another axis, too, so that `name` has more, that is said of kinds as well.
    """
    values = _as_tables({text: _value(text) for text in texts})
    differing = _differing([v for v in values.values() if isinstance(v, Mapping) and "kind" in v])
    lines = Counter(value.partition(" ")[0] for value in values.values() if isinstance(value, str))
    labels = {}
    for text, value in values.items():
        if isinstance(value, Mapping) and "kind" in value:
            kind = str(value["kind"])
            labels[text] = " ".join(
                [kind, *(f"{key}={_said(value[key])}" for key in value if key in differing[kind])]
            )
        elif isinstance(value, str) and (path.endswith("queue") or differing):
            # A queue as a tc line starts with its kind; the whole line tells lines of one kind apart.
            kind = value.partition(" ")[0]
            labels[text] = kind if lines[kind] == 1 else value
        else:
            plain = (value or "empty") if isinstance(value, str) else text
            labels[text] = plain if alone else f"{name}={plain}"
        if "." in name and not labels[text].startswith(f"{name}="):
            labels[text] = f"{name}={labels[text]}"
    return labels


def _as_tables(values: Mapping[str, object]) -> dict[str, object]:
    """A kind by its name alone is a table without parameters where others of that kind are tables."""
    kinds = {value["kind"] for value in values.values() if isinstance(value, Mapping) and "kind" in value}
    return {
        text: {"kind": value} if isinstance(value, str) and value in kinds else value
        for text, value in values.items()
    }


def _said(value: object) -> str:
    """As the file has it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _differing(tables: Sequence[Mapping[str, object]]) -> dict[str, set[str]]:
    """The keys of each kind that tell its tables apart."""
    kinds: dict[str, list[Mapping[str, object]]] = {}
    for table in tables:
        kinds.setdefault(str(table["kind"]), []).append(table)
    return {
        kind: {key for key in set().union(*alike) if len({repr(table.get(key)) for table in alike}) > 1}
        for kind, alike in kinds.items()
    }


def words(path: str, texts: Sequence[str], name: str | None = None) -> dict[str, str]:
    """A word for each value of an axis among others: `red`, `period=0.5 s`; `name` is what [`endings`] calls it."""
    return _labels(path, texts, alone=False, name=name or path.rpartition(".")[2])


def _value(text: str) -> object:
    """TOML where it is TOML, else the bare text."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text.strip()


def _distinct(labels: Sequence[str]) -> list[str]:
    """`red`, `red` become `red-1`, `red-2`: labels name folders, too."""
    total, counts = Counter(labels), dict.fromkeys(labels, 0)
    distinct = []
    for label in labels:
        counts[label] += 1
        distinct.append(f"{label}-{counts[label]}" if total[label] > 1 else label)
    return distinct

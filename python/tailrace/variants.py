"""Variants of one scenario: the grid of a file's `[sweep]`, or of `--set-each` options."""

from __future__ import annotations

import itertools
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tailrace.errors import UsageError
from tailrace.scenario import Scenario

_OPENING, _CLOSING, _QUOTES = "[{(", "]})", "\"'"


@dataclass(frozen=True)
class Variant:
    """A name for tables and figures, and what it sets."""

    label: str
    overrides: Mapping[str, str]


def of_scenario(scenario: Scenario) -> list[Variant]:
    """The cells of the file's `[sweep]`, in the order of the file; empty where it has none."""
    return grid({axis["path"]: axis["values"] for axis in scenario.outline["sweep"]})


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
    words = {path: _labels(path, axes[path], alone=len(varied) == 1) for path in varied}
    labels = _distinct([" ".join(words[path][cell[path]] for path in varied) for cell in cells])
    return [Variant(label, cell) for label, cell in zip(labels, cells, strict=True)]


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


def _labels(path: str, texts: Sequence[str], *, alone: bool) -> dict[str, str]:
    """A word for each value of an axis: a table is called by its kind, and by what differs where kinds repeat."""
    values = {text: _value(text) for text in texts}
    kinds = [value.get("kind") for value in values.values() if isinstance(value, Mapping)]
    labels = {}
    for text, value in values.items():
        if isinstance(value, Mapping) and "kind" in value:
            alike = [v for v in values.values() if isinstance(v, Mapping) and v.get("kind") == value["kind"]]
            differing = [key for key in value if any(other.get(key) != value[key] for other in alike)]
            labels[text] = " ".join([str(value["kind"]), *(f"{key}={value[key]}" for key in differing)])
        elif isinstance(value, str) and (path.endswith("queue") or kinds):
            # A queue as a tc line starts with its kind; the whole line tells lines of one kind apart.
            kind = value.partition(" ")[0]
            alike_lines = [v for v in values.values() if isinstance(v, str) and v.partition(" ")[0] == kind]
            labels[text] = kind if len(alike_lines) == 1 else value
        else:
            plain = (value or "empty") if isinstance(value, str) else text
            labels[text] = plain if alone else f"{path.rpartition('.')[2]}={plain}"
    return labels


def _value(text: str) -> object:
    """TOML where it is TOML, else the bare text."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text.strip()


def _distinct(labels: Sequence[str]) -> list[str]:
    """`red`, `red` become `red-1`, `red-2`: labels name folders, too."""
    counts = dict.fromkeys(labels, 0)
    distinct = []
    for label in labels:
        counts[label] += 1
        distinct.append(f"{label}-{counts[label]}" if labels.count(label) > 1 else label)
    return distinct

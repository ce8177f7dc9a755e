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
    labels = _distinct(
        [" ".join(_label(path, cell[path], alone=len(varied) == 1) for path in varied) for cell in cells]
    )
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


def _label(path: str, text: str, *, alone: bool) -> str:
    """A queue is called by its kind, a number by the last part of its path."""
    try:
        value = tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        value = text
    if isinstance(value, Mapping) and "kind" in value:
        return str(value["kind"])
    if isinstance(value, str):
        # A queue as a tc line starts with its kind.
        text = value.split()[0] if path.endswith("queue") and value.strip() else value
        alone = alone or path.endswith("queue")
    return text if alone else f"{path.rpartition('.')[2]}={text}"


def _distinct(labels: Sequence[str]) -> list[str]:
    """`red`, `red` become `red-1`, `red-2`: labels name folders, too."""
    counts = dict.fromkeys(labels, 0)
    distinct = []
    for label in labels:
        counts[label] += 1
        distinct.append(f"{label}-{counts[label]}" if labels.count(label) > 1 else label)
    return distinct

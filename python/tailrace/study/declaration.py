"""Declaration of a sweep: a file's `[sweep]`, options of the command line, or arguments in Python."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tailrace.errors import UsageError
from tailrace.scenario.scenario import Scenario
from tailrace.text import toml_text
from tailrace.text.value_labels import split_list


@dataclass(frozen=True)
class Range:
    """Values between two ends, given as scenarios write them; drawn by ratio where it is logarithmic."""

    low: str
    high: str
    logarithmic: bool = False


@dataclass(frozen=True)
class Declaration:
    """Variants as data; values are TOML text, or bare words as on the command line."""

    # Path -> values: every combination of these is a cell.
    grid: Mapping[str, Sequence[str]] = field(default_factory=dict)
    # Groups of such axes that go together, first with first.
    zips: Sequence[Mapping[str, Sequence[str]]] = ()
    # Names for formulas -> values.
    names: Mapping[str, Sequence[str]] = field(default_factory=dict)
    # Path -> formula.
    derived: Mapping[str, str] = field(default_factory=dict)
    # Name -> path -> value: one axis.
    presets: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    # Formulas that must hold.
    conditions: Sequence[str] = ()
    # Path or name -> range; which of these are names.
    ranges: Mapping[str, Range] = field(default_factory=dict)
    name_ranges: Mapping[str, Range] = field(default_factory=dict)
    samples: int | None = None
    independent: bool = False

    def __bool__(self) -> bool:
        """Whether it declares anything."""
        drawn = self.samples or self.ranges or self.name_ranges
        return bool(self.grid or self.zips or self.names or self.presets or self.derived or drawn)

    def joined(self, other: Declaration) -> Declaration:
        """Both together; where both say something of a path or name, the other's."""
        zipped = {path for group in other.zips for path in group}
        own = {path: values for path, values in self.grid.items() if path not in zipped}
        return replace(
            self,
            grid={**own, **other.grid},
            zips=[*self.zips, *other.zips],
            names={**self.names, **other.names},
            derived={**self.derived, **other.derived},
            presets={**self.presets, **other.presets},
            conditions=[*self.conditions, *other.conditions],
            ranges={**self.ranges, **other.ranges},
            name_ranges={**self.name_ranges, **other.name_ranges},
            samples=other.samples or self.samples,
            independent=other.independent or self.independent,
        )


def of_file(scenario: Scenario) -> Declaration:
    """The `[sweep]` of a scenario's file, which the parser has checked."""
    said: Mapping[str, Any] = scenario.outline["sweep"]
    return Declaration(
        grid=_axes(said["grid"]),
        zips=[_axes(group) for group in said["zip"]],
        names=_axes(said["let"]),
        derived=dict(said["derive"]),
        presets={preset["name"]: dict(preset["values"]) for preset in said["preset"]},
        conditions=[said["when"]] if said["when"] else [],
        ranges=_ranges(said["ranges"]),
        name_ranges=_ranges(said["let_ranges"]),
        samples=said["samples"],
        independent=said["independent"],
    )


def _axes(listed: Iterable[Mapping[str, Any]]) -> dict[str, Sequence[str]]:
    return {axis["path"]: axis["values"] for axis in listed}


def _ranges(listed: Iterable[Mapping[str, Any]]) -> dict[str, Range]:
    return {drawn["path"]: Range(drawn["low"], drawn["high"], drawn["logarithmic"]) for drawn in listed}


@dataclass(frozen=True)
class Options:
    """The same as a command line says it."""

    set_each: Sequence[str] = ()
    together: Sequence[str] = ()
    let: Sequence[str] = ()
    derive: Sequence[str] = ()
    when: Sequence[str] = ()
    samples: int | None = None
    method: str = "latin_hypercube"


def of_options(options: Options) -> Declaration:
    """`--set-each PATH=V,V --zip 'PATH=V,V; PATH=V,V' --let NAME=V,V --derive PATH=FORMULA --when FORMULA`."""
    if options.method not in {"latin_hypercube", "random"}:
        raise UsageError(f"--method is latin_hypercube or random, not {options.method!r}")
    grid, ranges = _parted(_axis("--set-each", text) for text in options.set_each)
    names, name_ranges = _parted(_axis("--let", text) for text in options.let)
    zips = [dict(_axis("--zip", part) for part in _semicolons(text)) for text in options.together]
    return _checked(
        Declaration(
            grid=grid,
            zips=zips,
            names=names,
            derived=dict(_formula(text) for text in options.derive),
            conditions=list(options.when),
            ranges=ranges,
            name_ranges=name_ranges,
            samples=options.samples,
            independent=options.method == "random",
        )
    )


def of_python(  # noqa: PLR0913 - what can be said
    grid: Mapping[str, Any] | None = None,
    *,
    together: Sequence[Mapping[str, Sequence[Any]]] = (),
    let: Mapping[str, Any] | None = None,
    derive: Mapping[str, str] | None = None,
    presets: Mapping[str, Mapping[str, Any]] | None = None,
    when: str | Sequence[str] = (),
    samples: int | None = None,
    independent: bool = False,
) -> Declaration:
    """The same from Python values: lists are axes, `"uniform(a, b)"` is drawn, other values of names are constants."""
    axes, ranges = _parted(_python_axis(path, values) for path, values in (grid or {}).items())
    names, name_ranges = _parted(_python_axis(name, values) for name, values in (let or {}).items())
    return _checked(
        Declaration(
            grid=axes,
            zips=[dict(_python_axis(path, values) for path, values in group.items()) for group in together],
            names=names,
            derived=dict(derive or {}),
            presets={
                name: {path: toml_text.value(value) for path, value in body.items()}
                for name, body in (presets or {}).items()
            },
            conditions=[when] if isinstance(when, str) else list(when),
            ranges=ranges,
            name_ranges=name_ranges,
            samples=samples,
            independent=independent,
        )
    )


def searched(option: str, texts: Sequence[str]) -> dict[str, Range | Sequence[str]]:
    """Varied values of a search: `PATH=uniform(A, B)` or `PATH=V,V,...` each."""
    listed, drawn = _parted(_axis(option, text) for text in texts)
    return {**listed, **drawn}


def searched_python(axes: Mapping[str, Any]) -> dict[str, Range | Sequence[str]]:
    """The same from Python values."""
    listed, drawn = _parted(_python_axis(path, values) for path, values in axes.items())
    return {**listed, **drawn}


def derived(texts: Sequence[str]) -> dict[str, str]:
    """`--derive PATH=FORMULA` each."""
    return dict(_formula(text) for text in texts)


def _checked(declared: Declaration) -> Declaration:
    for group in declared.zips:
        counts = {path: len(values) for path, values in group.items()}
        if len(set(counts.values())) > 1:
            listed = ", ".join(f"{path} has {count}" for path, count in counts.items())
            raise UsageError(f"values that go together must be as many: {listed}")
    return declared


def _python_axis(path: str, values: object) -> tuple[str, Sequence[str]]:
    if isinstance(values, str) and _range(values):
        return path, [values]
    many = values if isinstance(values, Iterable) and not isinstance(values, str | Mapping) else [values]
    texts = [value if isinstance(value, str) else toml_text.value(value) for value in many]
    if not texts:
        raise UsageError(f"{path} has no values")
    return path, texts


def _axis(option: str, text: str) -> tuple[str, list[str]]:
    path, equals, values = text.partition("=")
    parts = [values.strip()] if _range(values) else split_list(values)
    if not equals or not path.strip() or not all(parts):
        raise UsageError(
            f"{option} takes path=value,value,... (link.bottleneck.queue=red,codel); got {text!r}"
        )
    return path.strip(), parts


def _parted(
    axes: Iterable[tuple[str, Sequence[str]]],
) -> tuple[dict[str, Sequence[str]], dict[str, Range]]:
    """Lists, and what is to be drawn."""
    listed: dict[str, Sequence[str]] = {}
    drawn: dict[str, Range] = {}
    for path, values in axes:
        found = _range(values[0]) if len(values) == 1 else None
        if found:
            drawn[path] = found
        else:
            listed[path] = values
    return listed, drawn


def _range(text: str) -> Range | None:
    kind, opened, ends = text.strip().partition("(")
    low, comma, high = ends.removesuffix(")").partition(",")
    if kind not in {"uniform", "log_uniform"} or not opened or not comma or not ends.endswith(")"):
        return None
    return Range(low.strip(), high.strip(), kind == "log_uniform")


def _semicolons(text: str) -> list[str]:
    return [part for part in text.split(";") if part.strip()]


def _formula(text: str) -> tuple[str, str]:
    path, equals, formula = text.partition("=")
    if not equals or not path.strip() or not formula.strip():
        raise UsageError(
            f"--derive takes path=formula (flow.attack.app.rate='mean * period / burst'); got {text!r}"
        )
    return path.strip(), formula.strip()

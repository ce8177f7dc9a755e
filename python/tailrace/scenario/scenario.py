"""Scenarios: from a file, from text, or from a dictionary. The compiled parser is the only validator."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from tailrace import _native
from tailrace.errors import ScenarioError, UsageError
from tailrace.scenario import newer_toml, objects
from tailrace.system import memory_limit, path_errors
from tailrace.text import toml_text

if TYPE_CHECKING:
    from tailrace.scenario.algorithms import Algorithm
    from tailrace.scenario.plugins import Shipped

# Prefix by which the parser names the place of an override.
_PLACE_OF_SET = "  --> --set "

# Name of a scenario that is from no file.
_UNNAMED = "scenario"

Overrides: TypeAlias = Mapping[str, object]
# Codes of warnings, or a single one.
Codes: TypeAlias = str | Sequence[str]
# Classes of one's own that a scenario may name.
Algorithms: TypeAlias = "Sequence[type[Algorithm]]"
# A warning as text, and as data.
Warned: TypeAlias = tuple[str, dict[str, Any]]
ScenarioLike: TypeAlias = "Scenario | objects.Root | str | os.PathLike[str] | Mapping[str, object]"


class Scenario:
    """A validated scenario with every default filled in, made of the text of a file; `Scenario.of` takes all else.

    >>> import tailrace
    >>> tailrace.Scenario.of("papers/kochher/kochher.toml", set={"runs": 2}).runs  # doctest: +SKIP
    2
    """

    def __init__(
        self,
        text: str,
        file_name: str = _UNNAMED,
        overrides: Overrides | None = None,
        variant: tuple[str, Overrides] | None = None,
        source: _native.Source | None = None,
        allow: Codes = (),
        algorithms: Algorithms = (),
    ) -> None:
        if file_name == _UNNAMED:
            check_is_text(text, "Scenario() takes", "Scenario.of({})")
        self.text = text
        self.file_name = file_name
        self.overrides = dict(overrides or {})
        self.allow = _codes(allow)
        # Classes of one's own that it may name.
        self.algorithms = tuple(algorithms)
        self._variant = variant
        set_by_variant = variant[1] if variant else {}
        try:
            given = self._given = _as_text({**self.overrides, **set_by_variant})
            # A variant's file has been read already, and its sweep is of no concern to it.
            self._source = source or _source(text, file_name, self.allow, self.algorithms)
            of_source = self._source.variant if variant else self._source.scenario
            self.native = of_source(given, memory_limit.memory())
        except _native.ScenarioError as error:
            raise self._error(error) from None

    def _error(self, error: Exception) -> ScenarioError:
        """Error with places as the author of the scenario knows them."""
        rendered, diagnostics = error.args
        found = json.loads(diagnostics)
        return ScenarioError(_placed(rendered, found, self._variant, self.text), found)

    def objected(self, objections: Sequence[tuple[str, str, str | None]]) -> ScenarioError:
        """The error for what is wrong beside what the parser knows: paths in the file, why, and what to do about it."""
        return self._error(self._source.objected(self._given, list(objections)))

    def warned(self, code: str, objections: Sequence[tuple[str, str, str | None]]) -> list[str]:
        """Warnings of what the parser does not know, as text for people; none where that code is allowed."""
        return [text for text, _ in self._warned(code, objections)]

    def _warned(self, code: str, objections: Sequence[tuple[str, str, str | None]]) -> list[Warned]:
        texts, diagnostics = self._source.warned(self._given, code, self.native, list(objections))
        return self._in_place(texts, json.loads(diagnostics))

    def _in_place(self, texts: Sequence[str], diagnostics: Sequence[dict[str, Any]]) -> list[Warned]:
        found = zip(texts, diagnostics, strict=True)
        return [
            (_placed(text, [warning], self._variant, self.text).rstrip(), warning) for text, warning in found
        ]

    def __reduce__(self) -> tuple[Callable[..., Scenario], tuple[object, ...]]:
        """Rebuilds the compiled scenario in another process, without the files that it names."""
        from tailrace.scenario import plugins

        shipped, files = plugins.ship(self.algorithms), self._source.files()
        return _again, (self.text, self.file_name, self.overrides, self._variant, self.allow, shipped, files)

    @classmethod
    def of(
        cls,
        source: ScenarioLike,
        set: Overrides | None = None,  # noqa: A002 - the name of the command line
        allow: Codes = (),
        algorithms: Algorithms = (),
    ) -> Scenario:
        """A scenario from a path, from TOML text (it holds a line break or a `=`), from objects of `tailrace.build`, or
        from a dictionary.

        `set` overrides values by their path in the file, `allow` has codes of warnings that are not wanted,
        `algorithms` classes of one's own that it names.
        """
        match source:
            case Scenario():
                changed = set or allow or algorithms
                return source.replaced(set, allow, algorithms) if changed else source
            case objects.Root():
                return cls(objects.written(source), "Scenario", set, allow=allow, algorithms=algorithms)
            case Mapping():
                return cls(toml_text.document(source), "dictionary", set, allow=allow, algorithms=algorithms)
            case str() if "\n" in source or "=" in source:
                return cls(source, "text", set, allow=allow, algorithms=algorithms)
            case _:
                return cls(read(Path(source)), os.fspath(source), set, allow=allow, algorithms=algorithms)

    def replaced(
        self, overrides: Overrides | None, allow: Codes = (), algorithms: Algorithms = ()
    ) -> Scenario:
        """The same scenario with some values set, by their path in the file (`link.bottleneck.rate`)."""
        merged = {**self.overrides, **(overrides or {})}
        more = [each for each in algorithms if each not in self.algorithms]
        return Scenario(
            self.text,
            self.file_name,
            merged,
            self._variant,
            allow=(*self.allow, *_codes(allow)),
            algorithms=(*self.algorithms, *more),
        )

    @property
    def given(self) -> list[str]:
        """The paths of what is set beside the file, for all variants or for this one."""
        return [path for path, _ in self._given]

    def variant(self, label: str, overrides: Overrides) -> Scenario:
        """The same with what a variant of that name sets. Errors and warnings about that name the variant."""
        variant = (label, dict(overrides))
        return Scenario(
            self.text, self.file_name, self.overrides, variant, self._source, self.allow, self.algorithms
        )

    def written(self, path: str) -> str:
        """Value of the file at a path (`link.bottleneck.rate`), as TOML; `ValueError` says why there is none."""
        return self._source.value(self._given, path)

    def said(self) -> dict[str, Any]:
        """Content of the file, without overrides."""
        import tomllib

        # Not the file's own text: the compiled parser takes more than version 1.0, which Python's does.
        return tomllib.loads(self._source.plain())

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
        """Number of replications."""
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
    def size(self) -> int:
        """About how many bytes of memory it takes, or less: the network of a run, and the files that it names."""
        run, recorded = self.native.memory
        return run - recorded + self._source.files_bytes

    @property
    def warnings(self) -> list[str]:
        """Probable mistakes that can be run, as text for people."""
        return [text for text, _ in self.found()]

    def found(self) -> list[Warned]:
        """The same, each beside its data."""
        texts = self.native.warnings
        # An outline takes time, which a sweep of thousands would notice.
        found = self._in_place(texts, self.outline["warnings"]) if texts else []
        if newer := newer_toml.objection(self.text):
            found += self._warned(newer_toml.CODE, [newer])
        if self.algorithms:
            from tailrace.scenario import own_classes

            classes = own_classes.named(self.algorithms, self.to_toml())
            found += self._warned(own_classes.CODE, own_classes.objections(classes))
        if self.native.kernels:
            from tailrace.scenario import ignored_keys

            found += self._warned(ignored_keys.CODE, ignored_keys.of(self))
        return found

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


def check_is_text(text: str | os.PathLike[str], takes: str, instead: str) -> None:
    """Refuses the path of a file where its text is meant, which is no line of TOML; `instead` reads the file."""
    if isinstance(text, os.PathLike) or (text.strip() and not set(text) & set("\n=[#")):
        path = os.fspath(text)
        raise UsageError(
            f"{takes} the text of a scenario, and {path!r} is none; of a file: {instead.format(repr(path))}"
        )


def _again(
    text: str,
    file_name: str,
    overrides: Overrides,
    variant: tuple[str, Overrides] | None,
    allow: tuple[str, ...],
    shipped: tuple[Shipped, ...],
    files: Mapping[str, str],
) -> Scenario:
    """The scenario in whatever process."""
    from tailrace.scenario import plugins

    algorithms = plugins.land(shipped)
    source = _source(text, file_name, allow, algorithms, files)
    return Scenario(text, file_name, overrides, variant, source, allow, algorithms)


def _source(
    text: str,
    file_name: str,
    allow: Sequence[str],
    known: Algorithms,
    files: Mapping[str, str] | None = None,
) -> _native.Source:
    """The text, read once; `files` is what was in those that it names, where that is known."""
    outsiders: list[_native.Plugin] = []
    if known:
        from tailrace.scenario import algorithms

        outsiders = algorithms.outsiders(known)
    try:
        return _native.Source(text, file_name, list(allow), outsiders, dict(files or {}))
    except ValueError as error:
        raise UsageError(str(error)) from None


def read(path: Path) -> str:
    """The text of a scenario file."""
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise UsageError(f"there is no file {path}{path_errors.nearest(path)}") from None
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8 text (byte {error.start})") from None
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from None


def _placed(
    rendered: str, found: list[dict[str, Any]], variant: tuple[str, Overrides] | None, text: str
) -> str:
    """Places as whoever wrote them knows them: in objects, or in a variant."""
    if isinstance(text, objects.Written):
        rendered = _in_objects(rendered, found, text)
    return rendered if variant is None else _in_variant(rendered, found, *variant)


def _in_objects(rendered: str, found: list[dict[str, Any]], text: objects.Written) -> str:
    """Nobody wrote the text's lines; `diagnostics` have the place as `path`, too."""
    for diagnostic in found:
        if "span" in diagnostic:
            path = diagnostic["path"] = text.path(diagnostic["span"])
            line = "{file}:{line}:{column}".format(**diagnostic)
            rendered = rendered.replace(f"--> {line}\n", f"--> {path}\n", 1)
    return rendered


def _in_variant(rendered: str, found: list[dict[str, Any]], label: str, overrides: Overrides) -> str:
    """Nobody wrote a `--set` for what a variant sets."""
    places = iter([diagnostic["override"] for diagnostic in found if "override" in diagnostic])
    lines = []
    for line in rendered.split("\n"):
        place = next(places, None) if line.startswith(_PLACE_OF_SET) else None
        own = place is not None and place["path"] in overrides
        lines.append(f"  --> variant {label!r}: {place['path']}={place['value']}" if place and own else line)
    return "\n".join(lines)


def _codes(allow: Codes) -> tuple[str, ...]:
    return (allow,) if isinstance(allow, str) else tuple(allow)


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

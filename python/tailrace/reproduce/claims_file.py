"""`claims.toml` of a paper, read into a `Paper`; every error names the line and the remedy."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from tailrace.errors import UsageError
from tailrace.reproduce import checks
from tailrace.reproduce.paper import (
    PLAIN,
    Beyond,
    Check,
    Claim,
    Expectation,
    Fault,
    Figure,
    Outcome,
    Own,
    Paper,
    Quick,
    Reading,
    Study,
    Table,
)
from tailrace.reproduce.toml_keys import Keys, Source, near

FILE = "claims.toml"
# Keys of a sweep in a study or reading, with their names in `tailrace.sweep`.
_SWEEP = {
    "each": "axes",
    "zip": "together",
    "let": "let",
    "derive": "derive",
    "preset": "presets",
    "when": "when",
}
_SECTIONS = ("reading", "study", "quantity", "claim", "figure", "table", "beyond")

T = TypeVar("T")


def load(folder: Path) -> Paper:
    """The paper of a folder."""
    file = folder / FILE
    try:
        text = file.read_text(encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}") from None
    try:
        told = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{file} is not TOML: {error}") from None
    return _File(folder, Source(str(file), text), told).paper()


class _File:
    """A claims file, whose parts refer to one another by name."""

    def __init__(self, folder: Path, source: Source, told: Mapping[str, Any]) -> None:
        self.folder = folder
        self.source = source
        self.told = told
        self.top = Keys(source, told, "", title="the file")

    def paper(self) -> Paper:
        top = self.top
        for section in _SECTIONS:
            top.any(section)
        title, authors, venue = (top.take(key, str) for key in ("title", "authors", "venue"))
        summary, found = top.take("summary", str), top.take("found", str, "")
        beside, sources = top.take("beside", str, ""), top.texts("sources")
        top.finish()
        self.readings = self._named("reading", self._reading) or {PLAIN.name: PLAIN}
        self.studies = self._named("study", self._study)
        self.figures = self._each("figure", self._figure, lambda figure: figure.name)
        claims = self._each("claim", self._claim, lambda claim: claim.id)
        tables = self._each("table", self._table, lambda table: table.name)
        beyond = self._each("beyond", self._beyond, lambda one: one.title)
        self._check_tables(list(claims.values()), tables)
        return Paper(
            self.folder.name,
            self.folder,
            title,
            authors,
            venue,
            summary,
            found,
            beside,
            sources,
            self.readings,
            self.studies,
            self._named("quantity", lambda _, keys: keys),
            list(claims.values()),
            self.figures,
            tables,
            list(beyond.values()),
        )

    # -- tables of the file ------------------------------------------------------------------------------------

    def _named(self, section: str, made: Callable[[str, Keys], T]) -> dict[str, T]:
        """Tables `[section.name]`."""
        tables = self.told.get(section, {})
        if not isinstance(tables, Mapping) or not all(isinstance(one, Mapping) for one in tables.values()):
            raise self.top.fail(f"{section}s are written as [{section}.NAME]", section)
        found = {}
        for name, table in tables.items():
            keys = Keys(self.source, table, f"[{section}.{name}]", title=f"{section} {name}")
            found[name] = made(name, keys)
            if section != "quantity":
                keys.finish()
        return found

    def _each(self, section: str, made: Callable[[Keys], T], name: Callable[[T], str]) -> dict[str, T]:
        """Tables `[[section]]`, with distinct names."""
        found: dict[str, T] = {}
        for keys in self._tables(section):
            one = made(keys)
            keys.finish()
            if name(one) in found:
                raise keys.fail(f"there are two of this name: {name(one)!r}")
            found[name(one)] = one
        return found

    def _tables(self, section: str) -> Iterator[Keys]:
        tables = self.told.get(section, [])
        if not isinstance(tables, list) or not all(isinstance(one, Mapping) for one in tables):
            raise self.top.fail(f"{section}s are written as [[{section}]]", section)
        for number, table in enumerate(tables):
            called = table.get("id") or table.get("name") or table.get("title") or f"number {number + 1}"
            yield Keys(self.source, table, f"[[{section}]]", number, f"{section} {called}")

    # -- their parts -------------------------------------------------------------------------------------------

    def _reading(self, name: str, keys: Keys) -> Reading:
        return Reading(
            name,
            keys.take("title", str),
            keys.take("means", str),
            keys.take("found", bool, default=False),
            keys.take("set", dict, {}),
        )

    def _readings(self, keys: Keys, default: Sequence[str]) -> tuple[str, ...]:
        names = keys.texts("readings", default)
        for name in names:
            if name not in self.readings:
                there = ", ".join(self.readings) if PLAIN.name not in self.readings else "none in this file"
                raise keys.fail(
                    f"there is no reading {name!r}{near(name, list(self.readings))} (there are {there})",
                    "readings",
                )
        return names

    def _study(self, name: str, keys: Keys) -> Study:
        readings = self._readings(keys, list(self.readings))
        own = {}
        for reading, table in keys.take("reading", dict, {}).items():
            if reading not in readings:
                raise keys.fail(f"`reading.{reading}` is of no reading of this study ({', '.join(readings)})")
            part = Keys(
                self.source, table, f"[study.{name}.reading.{reading}]", title=f"{keys.title}, {reading}"
            )
            file = part.take("scenario", str, "")
            own[reading] = Own(
                self._scenario(file, part) if file else None, part.take("set", dict, {}), _sweep(part)
            )
            part.finish()
        return Study(
            name,
            self._scenario(keys.take("scenario", str), keys),
            readings,
            keys.take("runs", int, 0) or None,
            keys.take("set", dict, {}),
            _sweep(keys),
            own,
            keys.take("damage", bool, default=False),
            self._quick(keys),
            keys,
        )

    def _scenario(self, file: str, keys: Keys) -> Path:
        found = self.folder / file
        if not found.is_file():
            raise keys.fail(f"there is no scenario {found}", "scenario")
        return found

    def _quick(self, keys: Keys) -> Quick:
        own = Keys(self.source, keys.take("quick", dict, {}), keys.header, title=f"{keys.title}, quick")
        found = Quick(
            own.take("runs", int, 0) or None, own.take("set", dict, {}), own.take("skip", bool, default=False)
        )
        own.finish()
        return found

    def _of_study(self, keys: Keys) -> tuple[str, tuple[str, ...]]:
        """The study that something is of, and the readings under which."""
        name = keys.take("study", str)
        if name not in self.studies:
            raise keys.fail(
                f"there is no study {name!r}{near(name, list(self.studies))} (there are {', '.join(self.studies)})",
                "study",
            )
        study = self.studies[name]
        readings = self._readings(keys, study.readings)
        for reading in readings:
            if reading not in study.readings:
                raise keys.fail(f"study {name} has no reading {reading!r}", "readings")
        return name, readings

    def _claim(self, keys: Keys) -> Claim:
        id_ = keys.take("id", str)
        keys.title = f"claim {id_}"
        place, says = keys.take("place", str), keys.take("says", str)
        not_judged = keys.take("not_judged", str, "") or None
        if not_judged:
            empty = Expectation({}, "", None)
            return Claim(id_, place, says, "", (), (), empty, None, not_judged, keys)
        study, readings = self._of_study(keys)
        figure = keys.take("figure", str, "") or None
        if figure and figure not in self.figures:
            raise keys.fail(f"there is no figure {figure!r}{near(figure, list(self.figures))}", "figure")
        return Claim(
            id_,
            place,
            says,
            study,
            readings,
            self._checks(keys),
            self._expected(keys, readings),
            figure,
            None,
            keys,
        )

    def _checks(self, keys: Keys) -> tuple[Check, ...]:
        told = keys.any("check")
        several = told if isinstance(told, list) else [told] if told is not None else []
        if not several or not all(isinstance(one, Mapping) for one in several):
            raise keys.fail("it has no check: a table `check = { kind = ... }`, or [[claim.check]]", "check")
        found = []
        for table in several:
            own = Keys(self.source, table, keys.header, keys.number, keys.title, "check")
            kind = own.take("kind", str)
            if kind not in checks.KINDS:
                raise own.fail(
                    f"there is no kind of check {kind!r} (there are {', '.join(checks.KINDS)})", "check"
                )
            found.append(Check(kind, own))
        return tuple(found)

    def _expected(self, keys: Keys, readings: Sequence[str]) -> Expectation:
        told = keys.any("expect", Outcome.HOLDS.value)
        by_reading = dict(told) if isinstance(told, Mapping) else dict.fromkeys(readings, told)
        words = [outcome.value for outcome in Outcome]
        for reading, word in by_reading.items():
            if reading not in readings:
                raise keys.fail(f"`expect` has {reading!r}, which is no reading of this claim", "expect")
            if word not in words:
                raise keys.fail(f"`expect` is one of {', '.join(words)}, not {word!r}", "expect")
        lacking = [reading for reading in readings if reading not in by_reading]
        if lacking:
            raise keys.fail(f"`expect` says nothing of reading {lacking[0]!r}", "expect")
        outcomes = {reading: Outcome(by_reading[reading]) for reading in readings}
        reason = keys.take("reason", str, "")
        faults = [fault.value for fault in Fault]
        word = keys.one_of("at_fault", faults, "")
        if Outcome.FAILS in outcomes.values() and not (reason and word):
            raise keys.fail(f"it fails: say `reason`, and `at_fault` ({', '.join(faults)})")
        return Expectation(outcomes, reason, Fault(word) if word else None)

    def _figure(self, keys: Keys) -> Figure:
        name, place, title = (keys.take(key, str) for key in ("name", "place", "title"))
        study, readings = self._of_study(keys)
        asked = {
            key: keys.any(key)
            for key in keys.table
            if key not in {"name", "place", "title", "study", "readings"}
        }
        if ("metric" in asked) == ("series" in asked):
            raise keys.fail("it has either a `metric` or a `series`")
        return Figure(name, place, title, study, readings, asked, keys)

    def _table(self, keys: Keys) -> Table:
        name, place, title = (keys.take(key, str) for key in ("name", "place", "title"))
        study, readings = self._of_study(keys)
        along = keys.take("along", str)
        columns, paper = keys.take("columns", dict), keys.take("paper", dict)
        for row, numbers in paper.items():
            if not isinstance(numbers, list) or len(numbers) != len(columns):
                raise keys.fail(f"`paper` of {row!r} must have {len(columns)} numbers, one a column", "paper")
        return Table(name, place, title, study, readings, along, columns, paper, keys)

    def _beyond(self, keys: Keys) -> Beyond:
        title = keys.take("title", str)
        study, readings = self._of_study(keys)
        worst = keys.any("worst")
        return Beyond(
            title,
            study,
            readings,
            keys.take("says", str),
            keys.texts("columns"),
            keys.texts("where"),
            worst if isinstance(worst, Mapping) else None,
            keys.take("figure", str, "") or None,
            keys,
        )

    def _check_tables(self, claims: Sequence[Claim], tables: Mapping[str, Table]) -> None:
        for claim in claims:
            for check in claim.checks:
                name = check.keys.table.get("table")
                if name is not None and name not in tables:
                    raise check.keys.fail(
                        f"there is no table {name!r}{near(str(name), list(tables))}", "table"
                    )


def _sweep(keys: Keys) -> dict[str, Any]:
    """Varied parameters, as `tailrace.sweep` takes them."""
    found = {of: keys.any(key) for key, of in _SWEEP.items()}
    if isinstance(found.get("together"), Mapping):
        found["together"] = [found["together"]]
    return {of: value for of, value in found.items() if value is not None}

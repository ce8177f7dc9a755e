"""Scenarios to start from: the gallery, and those of the papers; they are part of the installation."""

from __future__ import annotations

import difflib
import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any

from tailrace import _native
from tailrace.errors import UsageError

_GALLERY, _PAPERS, _HOWTO = "scenarios", "papers", "howto"
FIRST = "hello"
# Names that one can type, of scenarios that are named after their question.
SHORT = {
    "can-labels-replace-per-flow-state": "labels",
    "can-one-host-use-all-gateways": "gateways",
    "can-short-pulses-starve-tcp": "shrew",
    "can-two-paths-carry-one-stream": "two-paths",
    "does-a-backup-path-take-over": "backup-path",
    "does-a-returning-path-carry-data-again": "returning-path",
    "does-bursty-loss-hurt-tcp-more-than-scattered-loss": "bursty-loss",
    "does-cubic-fill-a-long-fat-path-better-than-reno": "long-fat-path",
    "does-fair-queueing-help-an-lte-link": "lte",
    "does-netfence-give-a-flooded-link-back": "netfence",
    "does-one-far-phone-slow-everybody-on-wifi": "wifi",
    "how-fast-does-tcp-recover-from-a-link-failure": "link-failure",
    "how-long-do-short-flows-wait-behind-bulk": "short-flows",
    "how-many-answers-at-once-are-too-many": "incast",
    "how-much-buffer-do-wifi-and-3g-need": "wifi-and-3g",
    "how-much-delay-does-a-deep-buffer-add": "deep-buffer",
    "how-responsive-is-a-line-under-load-both-ways": "rrul",
    "what-does-a-dead-link-cost-where-flows-spread": "ecmp",
    "who-wins-when-round-trips-differ": "round-trips",
}


@dataclass(frozen=True)
class Example:
    """A scenario of the gallery, or a paper with all of its scenarios."""

    name: str
    """As it is asked for."""
    question: str
    """What it is about."""
    files: Mapping[str, bytes]
    """What it is made of, by file name."""

    @property
    def short(self) -> str:
        """Name that one can type; its file is called so, too."""
        return SHORT.get(self.name, self.name)

    @property
    def is_paper(self) -> bool:
        """Whether it is a paper: a folder, not a file."""
        return "claims.toml" in self.files

    @property
    def text(self) -> str:
        """The scenario; of a paper, its claims."""
        file = "claims.toml" if self.is_paper else f"{self.name}.toml"
        return self.files[file].decode()

    def write(self, place: str | os.PathLike[str]) -> list[Path]:
        """Writes it: a scenario into the file `place`, a paper into the folder. Nothing that is there is replaced."""
        target = Path(place)
        pairs = [(target / name if self.is_paper else target, data) for name, data in self.files.items()]
        for file, _ in pairs:
            if file.exists():
                raise UsageError(f"{file} is there already; -o names another place")
        try:
            for file, data in pairs:
                file.parent.mkdir(parents=True, exist_ok=True)
                with file.open("xb") as out:
                    out.write(data)
        except OSError as error:
            raise UsageError(
                f"{file} cannot be written: {error.strerror or error}; -o names another place"
            ) from None
        return [file for file, _ in pairs]


@cache
def all_examples() -> dict[str, Example]:
    """Every example by its name: the gallery, the first one to try in front, the how-to pages' own, then the papers."""
    papers: dict[str, dict[str, bytes]] = {}
    gallery: dict[str, Example] = {}
    studies: dict[str, Example] = {}
    for place, data in _native.examples().items():
        folder, *rest = PurePosixPath(place).parts
        name = rest[0].removesuffix(".toml")
        if folder in {_GALLERY, _HOWTO}:
            of_folder = gallery if folder == _GALLERY else studies
            of_folder[name] = Example(name, _about(data.decode()), {rest[0]: data})
        else:
            papers.setdefault(rest[0], {})[rest[1]] = data
    # A page may begin with a scenario of the gallery.
    own = {name: study for name, study in studies.items() if name not in gallery}
    ordered = {FIRST: gallery.pop(FIRST), **gallery, **own}
    for name, files in papers.items():
        ordered[name] = Example(name, tomllib.loads(files["claims.toml"].decode())["title"], files)
    return ordered


def _about(text: str) -> str:
    """Question of a scenario; of a page's own that asks none what it is called."""
    said = _read(text)
    return str(said.get("question") or said.get("name") or "")


def _read(text: str) -> Mapping[str, Any]:
    """Content of a scenario, also of one in TOML 1.1, of which only names are looked for."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        found = re.findall(r'^(name|question) = "(.*)"$', text, re.MULTILINE)
        return dict(found)


def example(name: str) -> Example:
    """The example of that name, long or short; `flood.toml` and `scenarios/flood.toml` are `flood`, too."""
    known = all_examples()
    short = PurePosixPath(name).name.removesuffix(".toml")
    short = next((long for long, typed in SHORT.items() if typed == short and long in known), short)
    if short not in known:
        close = difflib.get_close_matches(short, [*known, *SHORT.values()], n=1)
        hint = f"; did you mean {close[0]}?" if close else ""
        raise UsageError(f"there is no example {name!r}{hint} (`tailrace example list` shows all)")
    return known[short]


def unpack_papers(place: Path) -> Path:
    """Writes all papers below a folder; where they are then."""
    for paper in all_examples().values():
        if paper.is_paper:
            paper.write(place / _PAPERS / paper.name)
    return place / _PAPERS

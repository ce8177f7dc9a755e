"""Scenarios to start from: the gallery, and those of the papers; they are part of the installation."""

from __future__ import annotations

import difflib
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath

from tailrace import _native
from tailrace.errors import UsageError

_GALLERY, _PAPERS = "scenarios", "papers"
FIRST = "hello"


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
    """Every example by its name: the gallery, the first one to try in front, then the papers."""
    papers: dict[str, dict[str, bytes]] = {}
    gallery: dict[str, Example] = {}
    for place, data in _native.examples().items():
        folder, *rest = PurePosixPath(place).parts
        if folder == _GALLERY:
            name = rest[0].removesuffix(".toml")
            gallery[name] = Example(name, tomllib.loads(data.decode()).get("question", ""), {rest[0]: data})
        else:
            papers.setdefault(rest[0], {})[rest[1]] = data
    ordered = {FIRST: gallery.pop(FIRST), **gallery}
    for name, files in papers.items():
        ordered[name] = Example(name, tomllib.loads(files["claims.toml"].decode())["title"], files)
    return ordered


def example(name: str) -> Example:
    """The example of that name; `flood.toml` and `scenarios/flood.toml` are `flood`, too."""
    known = all_examples()
    short = PurePosixPath(name).name.removesuffix(".toml")
    if short not in known:
        close = difflib.get_close_matches(short, known, n=1)
        hint = f"; did you mean {close[0]}?" if close else ""
        raise UsageError(f"there is no example {name!r}{hint} (`tailrace example list` shows all)")
    return known[short]


def unpack_papers(place: Path) -> Path:
    """Writes all papers below a folder; where they are then."""
    for paper in all_examples().values():
        if paper.is_paper:
            paper.write(place / _PAPERS / paper.name)
    return place / _PAPERS

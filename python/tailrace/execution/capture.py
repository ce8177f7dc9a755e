"""A capture of a run: a pcapng file that may be as long as the run was, so it is on the disk from the start."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from tailrace.text import names

SUFFIX = ".pcapng"


@dataclass(frozen=True, eq=False)
class Capture:
    """Capture at one place; two are equal if their bytes are."""

    run: int
    # The file name that it is to have.
    name: str
    # Where its bytes are, or they themselves: of a run on another machine, or out of a pickle.
    data: Path | bytes

    @property
    def size(self) -> int:
        """In bytes."""
        return len(self.data) if isinstance(self.data, bytes) else self.data.stat().st_size

    def read_bytes(self) -> bytes:
        """All of it."""
        return self.data if isinstance(self.data, bytes) else self.data.read_bytes()

    def save(self, file: Path) -> None:
        """Writes it into a file."""
        if isinstance(self.data, bytes):
            file.write_bytes(self.data)
        else:
            shutil.copyfile(self.data, file)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Capture):
            return NotImplemented
        return (self.run, self.name) == (other.run, other.name) and self.read_bytes() == other.read_bytes()

    def __hash__(self) -> int:
        return hash((self.run, self.name))

    def __reduce__(self) -> tuple[Callable[..., Capture], tuple[int, str, bytes]]:
        return Capture, (self.run, self.name, self.read_bytes())


def file_name(name: str) -> str:
    """File name of a capture, whatever the scenario calls the place."""
    return f"{names.shortened(name.removesuffix(SUFFIX))}{SUFFIX}"


def numbered(folder: Path, number: int) -> Path:
    """Where the simulator writes while the run goes on."""
    return folder / f"{number}{SUFFIX}"


def ordered(captures: Iterable[Capture]) -> list[Capture]:
    """By run, and by name within it: the same of runs that have just ended and of a folder."""
    return sorted(captures, key=lambda capture: (capture.run, capture.name))


def in_folder(folder: Path) -> list[Capture]:
    """Captures of a result's folder, in order."""
    found = []
    for file in folder.glob(f"run*/*{SUFFIX}"):
        number = file.parent.name.removeprefix("run")
        if number.isdecimal():
            found.append(Capture(int(number), file.name, file))
    return ordered(found)

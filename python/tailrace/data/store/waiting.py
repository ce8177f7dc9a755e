"""Tables of runs that have landed and are in no part yet: appended to a file, to which the index refers.

SQLite would write them into its pages, its journal and, when they move into a part, once more to free them. Here they
are written once. What is in the file and not in the index belongs to a transaction that did not happen.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import BinaryIO

from tailrace.system import folder_sync

FOLDER = "waiting"
_SUFFIX = ".tables"


class Appender:
    """The file that takes the tables of runs as they land; a new one each time that the old one has become a part."""

    def __init__(self, place: Path) -> None:
        self._folder = place / FOLDER
        self._number = max(_numbers(self._folder), default=0)
        self._file: BinaryIO | None = None
        self._end = 0

    def append(self, tables: Sequence[bytes]) -> list[str]:
        """Writes the tables of some runs; on return they are on the disk. Of each where it is, for the index."""
        file = self._opened()
        found = []
        for packed in tables:
            found.append(f"{self._number}:{self._end}:{len(packed)}:{zlib.crc32(packed)}")
            file.write(packed)
            self._end += len(packed)
        file.flush()
        os.fsync(file.fileno())
        return found

    def _opened(self) -> BinaryIO:
        if self._file is None:
            self._folder.mkdir(exist_ok=True)
            self._number += 1
            self._file = _file(self._folder, self._number).open("wb")
            self._end = 0
            folder_sync.sync(self._folder)
        return self._file

    def begin_anew(self, used: Iterable[str]) -> None:
        """The next run goes into a new file; old ones to which the index no longer refers are removed."""
        self.close()
        clear(self._folder.parent, used)

    def close(self) -> None:
        """Lets go of the file."""
        if self._file is not None:
            self._file.close()
            self._file = None


def read(place: Path, where: str) -> bytes:
    """The tables of a run.

    Raises
    ------
    FileNotFoundError
        if the file has become a part meanwhile
    ValueError
        if it is not what was written
    """
    number, offset, length, checksum = map(int, where.split(":"))
    with _file(place / FOLDER, number).open("rb") as file:
        file.seek(offset)
        packed = file.read(length)
    if len(packed) != length or zlib.crc32(packed) != checksum:
        raise ValueError(f"{file.name} is damaged")
    return packed


def is_intact(place: Path, where: str) -> bool:
    """Whether the tables of a run are what was written."""
    try:
        read(place, where)
    except (OSError, ValueError):
        return False
    return True


def clear(place: Path, used: Iterable[str]) -> None:
    """Removes files to which the index does not refer."""
    kept = {int(where.partition(":")[0]) for where in used}
    for number in _numbers(place / FOLDER) - kept:
        _file(place / FOLDER, number).unlink(missing_ok=True)


def remove(place: Path) -> None:
    """Removes all of it."""
    clear(place, ())
    if (place / FOLDER).is_dir() and not any((place / FOLDER).iterdir()):
        (place / FOLDER).rmdir()


def _file(folder: Path, number: int) -> Path:
    return folder / f"{number:06d}{_SUFFIX}"


def _numbers(folder: Path) -> set[int]:
    names = (
        {file.name.removesuffix(_SUFFIX) for file in folder.glob(f"*{_SUFFIX}")} if folder.is_dir() else set()
    )
    return {int(name) for name in names if name.isdecimal()}

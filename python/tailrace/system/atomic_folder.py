"""Result folders appear whole or not at all, and take the place of nothing but an older result."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tailrace.errors import UsageError
from tailrace.system import ownership, staging
from tailrace.system.ownership import Holding


def check_writable(target: str | os.PathLike[str]) -> None:
    """Refuses early what would fail after minutes of simulation: all that can be known before is tried out.

    An existing folder is replaced only if it is a result folder (or empty): nothing else is ever touched.
    """
    asked = Path(target)
    place = _replaceable(asked)
    made = _missing_parents(place)
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        # Asking the system is not enough: root passes the check on a read-only file system.
        with staging.work(place.parent, place.name):
            pass
    except OSError as error:
        raise UsageError(
            f"{asked} cannot be written: {error.strerror or error} ({place.parent}); choose another folder with -o"
        ) from None
    finally:
        for parent in made:
            with suppress(OSError):
                parent.rmdir()


@contextmanager
def replacing(target: str | os.PathLike[str]) -> Iterator[Path]:
    """A new folder that takes the place of `target` when the block ends well and vanishes when it does not.

    Of an older result that stood there only the files go that Tailrace wrote; others are handed over to the new one.
    """
    asked = Path(target)
    place = _replaceable(asked)
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with staging.work(place.parent, place.name) as work:
            yield work.new
            work.put_in_place()
    except OSError as error:
        raise UsageError(f"{asked} cannot be written: {error.strerror or error}") from error


def _replaceable(asked: Path) -> Path:
    """Where a result goes: links are followed, so that they lead to the new one as they led to the old."""
    try:
        place = asked.resolve()
        kind = _kind(place)
    except (OSError, RuntimeError) as error:  # a loop of links is a RuntimeError up to Python 3.12
        reason = error.strerror if isinstance(error, OSError) else "its links go round in a circle"
        raise UsageError(f"{asked} cannot be written: {reason}; choose another folder with -o") from None
    if kind is not None:
        _check_replaceable(asked, place, kind)
        return place
    above = next(parent for parent in place.parents if parent.exists())
    if not above.is_dir():
        raise UsageError(f"{asked} cannot be made: {above} is not a folder; choose another with -o")
    return place


def _kind(place: Path) -> int | None:
    """File type, asked in one step: another run may move the file away just now."""
    try:
        return place.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None


def _check_replaceable(asked: Path, place: Path, kind: int) -> None:
    if not stat.S_ISDIR(kind):
        raise UsageError(f"{asked} is a file; choose a folder with -o")
    if os.path.ismount(place):  # which is False where another run has just moved the folder away
        raise UsageError(f"{asked} is where a file system begins; choose a folder in it with -o")
    if place == Path.cwd() or place in Path.cwd().parents:
        raise UsageError(f"{asked} is the folder you are in; choose one in it with -o")
    try:
        with staging.alone(place.parent):
            held = ownership.holding(place)
    except OSError as error:
        raise UsageError(f"{asked} cannot be read: {error.strerror}; choose another folder with -o") from None
    if held is Holding.FOREIGN:
        raise UsageError(
            f"{asked} holds files that are not a result (its {ownership.MANIFEST} does not say so); "
            "choose another folder with -o"
            if (place / ownership.MANIFEST).exists()
            else f"{asked} holds files that are not a result; choose another folder with -o"
        )
    if held is Holding.STORE:
        raise UsageError(f"{asked} holds the runs of a sweep; choose another folder with -o")
    if held is Holding.LATER:
        raise UsageError(f"{asked} was written by a later version of tailrace; choose another folder with -o")


def _missing_parents(place: Path) -> list[Path]:
    """The folders that have to be made above it, the deepest first."""
    return [parent for parent in place.parents if not parent.exists()]

"""Errors about paths, with the remedy."""

from __future__ import annotations

from pathlib import Path

from tailrace.errors import UsageError

_WRITERS = "`tailrace run`, `compare`, `sweep` and `search` write one"


def missing(place: Path, what: str = "") -> UsageError:
    """There is no such folder, or it is a file."""
    kind = f"{what} folder" if what else "folder"
    if place.is_file():
        return UsageError(f"{place} is a file, not a {kind}; {_WRITERS}")
    return UsageError(f"there is no {kind} {place}{nearest(place) or f'; {_WRITERS}'}")


def foreign(place: Path, what: str, why: str) -> UsageError:
    """It holds something else."""
    return UsageError(f"{place} is not a {what} folder: {why}; {_WRITERS}")


def unwritable(place: Path, error: OSError) -> UsageError:
    """Nothing can be put there."""
    if place.is_file():
        return UsageError(f"{place} is a file; choose a folder with -o")
    return UsageError(f"{place} cannot be written: {error.strerror or error}; choose another folder with -o")


def nearest(path: Path) -> str:
    """Name beside it with a similar spelling."""
    import difflib  # only when something is wrong

    try:
        names = [entry.name for entry in path.parent.iterdir()]
    except OSError:
        return ""
    close = difflib.get_close_matches(path.name, names, n=1)
    return f"; did you mean {path.parent / close[0]}?" if close else ""

"""Files that appear whole or not at all, and take the place of nothing that somebody may want to keep."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from tailrace.errors import UsageError
from tailrace.system import staging


def check_suffix(target: Path, suffixes: Sequence[str]) -> None:
    """Refuses names that readers of the format would not take: also a guard of files that are something else."""
    if not target.name.endswith(tuple(suffixes)):
        raise UsageError(f"{target} has to end in {' or '.join(suffixes)}; say so with -o")


def check_free(target: Path, data: bytes) -> None:
    """Refuses a place where a file with other content is."""
    try:
        taken = target.is_file() and target.read_bytes() != data
    except OSError as error:
        raise UsageError(f"{target} cannot be read: {error.strerror}; choose another name with -o") from None
    if taken:
        raise UsageError(
            f"{target} is there already, and stays as it is: --force replaces it, -o names another place"
        )


def write(target: Path, data: bytes, *, force: bool = False) -> None:
    """Writes a file whole; one that is there with other content is replaced with `force` alone.

    What a killed command leaves is cleared by the next one that writes there.
    """
    place = target.resolve()
    if place.exists() and not place.is_file():
        raise UsageError(f"{target} is not a file; choose another name with -o")
    if not force:
        check_free(target, data)
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with staging.work(place.parent) as work:
            fresh = work.new / "file"
            with fresh.open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            fresh.replace(place)
    except OSError as error:
        raise UsageError(f"{target} cannot be written: {error.strerror or error}") from error

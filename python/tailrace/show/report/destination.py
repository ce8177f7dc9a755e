"""Where a report goes: a file of its own, that takes the place of nothing but an older report."""

from __future__ import annotations

from pathlib import Path

from tailrace.errors import UsageError
from tailrace.show.report.html_page import MARK
from tailrace.system import atomic_file, ownership

NAME = "report.html"
_SUFFIXES = (".html", ".htm")
# The mark stands in the head, behind a policy of some hundred characters.
_HEAD = 4096


def check_target(target: Path) -> None:
    """Refuses early what would fail, or be a loss, after the figures are drawn."""
    if target.is_dir():
        raise UsageError(f"{target} is a folder; name a file with -o, such as {target / NAME}")
    atomic_file.check_suffix(target, _SUFFIXES)
    if target.exists() and not _is_report(target):
        raise UsageError(
            f"{target} is no report of tailrace, and stays as it is; choose another file with -o"
        )


def write(target: Path, text: str) -> Path:
    """Writes it whole, or leaves what is there; within a result folder it becomes part of that."""
    check_target(target)
    folder = target.resolve().parent
    try:
        if not target.exists():
            ownership.claim(folder, [target.name])
    except OSError as error:
        raise UsageError(
            f"{target} cannot be written: {error.strerror or error}; choose another place with -o"
        ) from error
    atomic_file.write(target, text.encode(), force=True)
    return target


def _is_report(file: Path) -> bool:
    try:
        with file.open("rb") as opened:
            return MARK.encode() in opened.read(_HEAD)
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}; choose another file with -o") from None

"""Result folders appear whole or not at all: they are written beside their place and moved there."""

from __future__ import annotations

import errno
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tailrace.errors import UsageError

MANIFEST = "manifest.json"
# Others may put their result in the same place just now.
_ATTEMPTS = 20


def check_writable(target: Path) -> None:
    """Refuses early what would fail after minutes of simulation.

    An existing folder is replaced only if it is a result folder (or empty): nothing else is ever deleted.
    """
    kind = _kind(target)
    if kind is not None and stat.S_ISDIR(kind):
        # Asked twice, since another run may move an older result away just now.
        if _is_foreign(target) and _is_foreign(target):
            raise UsageError(f"{target} holds files that are not a result; choose another folder with -o")
    elif kind is not None:
        raise UsageError(f"{target} is a file; choose a folder with -o")
    parent = next(p for p in target.absolute().parents if p.exists())
    if not parent.is_dir():
        raise UsageError(f"{target} cannot be made: {parent} is not a folder")
    try:
        # Asking the system is not enough: root passes the check on a read-only file system.
        with tempfile.TemporaryFile(dir=parent):
            pass
    except OSError as error:
        raise UsageError(f"{target} cannot be written: {error.strerror} ({parent})") from None


def _kind(place: Path) -> int | None:
    """Of what stands there, asked in one step; a link that leads nowhere is what it is."""
    try:
        return place.stat().st_mode
    except OSError:
        return place.lstat().st_mode if place.is_symlink() else None


def _is_foreign(place: Path) -> bool:
    """Whether a folder holds files but no result."""
    try:
        names = {path.name for path in place.iterdir()}
    except FileNotFoundError:
        return False
    return bool(names) and MANIFEST not in names


@contextmanager
def replacing(target: Path) -> Iterator[Path]:
    """A new folder that takes the place of `target` when the block ends well and vanishes when it does not."""
    check_writable(target)
    target = target.absolute()
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        fresh = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
    except OSError as error:
        raise UsageError(f"{target} cannot be written: {error.strerror}") from None
    try:
        fresh.chmod(0o777 & ~_umask())
        yield fresh
        _move(fresh, target)
    except OSError as error:
        raise UsageError(f"{target} cannot be written: {error.strerror or error}") from error
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def _move(fresh: Path, target: Path) -> None:
    """Takes the place of `target`; of several that want it at once the last one has it."""
    for attempt in range(_ATTEMPTS):
        try:
            # An empty folder is replaced in one step.
            fresh.rename(target)
        except OSError as error:
            if error.errno not in {errno.ENOTEMPTY, errno.EEXIST} or attempt == _ATTEMPTS - 1:
                raise
        else:
            return
        old = Path(tempfile.mkdtemp(prefix=f".{target.name}.old.", dir=target.parent))
        with suppress(FileNotFoundError):  # another moved it away
            target.rename(old / "result")
        shutil.rmtree(old, ignore_errors=True)


def _umask() -> int:
    # The only portable way to read it is to set it.
    mask = os.umask(0)
    os.umask(mask)
    return mask

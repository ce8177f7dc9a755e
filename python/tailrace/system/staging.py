"""Hidden folders in which something is made ready, and what becomes of those whose maker was killed.

A work folder lies beside the place that its content will take. Its maker holds a lock on it, which the system takes
back however the maker ends. So whoever comes next can tell a dead maker's folder from one in use, and settles it:
nothing half-made stays, and nothing that had been moved out of the way is lost.
"""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tailrace.system import json_documents, ownership
from tailrace.system.ownership import Holding

_PREFIX = ".tailrace-work-"
# The lock's text makes a folder one of ours.
_LOCK, _WORDS = "lock", "made by tailrace; it is cleared away when nothing uses it\n"
_AT_FDCWD, _RENAME_EXCHANGE = -100, 2
# Others may want the same place just now.
_ATTEMPTS = 50


class Work:
    """A work folder.

    `new` is what is made; while `unfinished` stands, it may be thrown away. `target` holds the name of the folder
    whose place `new` takes. `old` is what stood there, where the two cannot be exchanged in one step.
    """

    def __init__(self, place: Path) -> None:
        self.place = place
        self.new = place / "new"
        self.old = place / "old"
        self.unfinished = place / "unfinished"
        self.target = place / "target"

    def put_in_place(self) -> None:
        """Lets `new` take the place of the target, which is at every moment the old folder or the new one."""
        target = self.place.parent / self.target.read_text(encoding="utf-8")
        with alone(self.place.parent):
            if target.exists() and not target.is_dir():
                raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(target))
            self.unfinished.unlink()
            for _ in range(_ATTEMPTS):
                if _taken(self.new, target) or _exchanged(self.new, target) or _displaced(self, target):
                    return
        raise OSError(errno.EBUSY, "others keep writing it", str(target))

    def settle(self) -> None:
        """Clears everything away: what is unfinished, and what of an old folder is Tailrace's."""
        with alone(self.place.parent):
            self._settle(self._target())

    def _settle(self, target: Path | None) -> None:
        if self.new.is_dir() and (self.unfinished.exists() or target is None):
            shutil.rmtree(self.new)
        for left in (self.old, self.new):
            if target is not None and left.is_dir() and not _taken(left, target):
                _hand_over(left, target)
        for file in (self.unfinished, self.target, self.place / _LOCK):
            file.unlink(missing_ok=True)
        self.place.rmdir()

    def _target(self) -> Path | None:
        try:
            name = self.target.read_text(encoding="utf-8")
        except FileNotFoundError:
            return None
        return self.place.parent / name if json_documents.is_plain_name(name) else None


@contextmanager
def alone(parent: Path) -> Iterator[None]:
    """No other command moves results in this folder meanwhile, as far as its file system knows locks."""
    folder = os.open(parent, os.O_RDONLY)
    try:
        with suppress(OSError):
            import fcntl

            fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


@contextmanager
def work(parent: Path, target: str | None = None) -> Iterator[Work]:
    """A work folder with an empty `new` in it. What is left in it vanishes at the end of the block."""
    clear(parent)
    made, lock = _make(parent)
    try:
        made.unfinished.touch()
        if target is not None:
            made.target.write_text(target, encoding="utf-8")
        made.new.mkdir()
        made.new.chmod(0o777 & ~_umask())
        yield made
    finally:
        # A folder that cannot be removed now stays unlocked, and the next command tries again.
        with suppress(OSError):
            made.settle()
        os.close(lock)


def clear(parent: Path) -> list[Path]:
    """Settles the work folders of dead makers; those that cannot be settled are returned and stay."""
    left = []
    for place in leftovers(parent):
        try:
            _clear(place)
        except OSError:
            left.append(place)
    return left


def leftovers(parent: Path) -> list[Path]:
    """All work folders there, in use or not."""
    try:
        return sorted(
            place for place in parent.glob(f"{_PREFIX}*") if place.is_dir() and not place.is_symlink()
        )
    except OSError:
        return []


def _make(parent: Path) -> tuple[Work, int]:
    while True:
        place = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=parent))
        try:
            lock = os.open(place / _LOCK, os.O_RDWR | os.O_CREAT, 0o666)
        except FileNotFoundError:  # taken for a dead maker's
            continue
        if _locked(lock, unless=BlockingIOError) and _is(place / _LOCK, lock):
            try:
                os.write(lock, _WORDS.encode())
            except OSError:  # the disk is full
                shutil.rmtree(place, ignore_errors=True)
                os.close(lock)
                raise
            return Work(place), lock
        os.close(lock)


def _clear(place: Path) -> None:
    try:
        lock = os.open(place / _LOCK, os.O_RDWR | os.O_NOFOLLOW)
    except FileNotFoundError:
        place.rmdir()  # its maker came no further
        return
    try:
        # Where a file system knows no locks, nobody can tell who is dead.
        if _locked(lock, unless=OSError) and _is(place / _LOCK, lock):
            words = os.pread(lock, len(_WORDS) + 1, 0).decode(errors="replace")
            if words == _WORDS or (not words and list(place.iterdir()) == [place / _LOCK]):
                Work(place).settle()
    finally:
        os.close(lock)


def _locked(file: int, *, unless: type[OSError]) -> bool:
    import fcntl

    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except unless:
        return False
    except OSError:
        pass
    return True


def _is(path: Path, file: int) -> bool:
    """Whether the open file is still the one of that name: a folder may have been cleared before it was locked."""
    try:
        return os.path.samestat(path.stat(), os.fstat(file))
    except FileNotFoundError:
        return False


def _taken(new: Path, target: Path) -> bool:
    """Whether `new` could take a place where nothing stands, or an empty folder."""
    try:
        new.rename(target)
    except OSError as error:
        if error.errno in {errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR}:
            return False
        raise
    return True


def _exchanged(new: Path, target: Path) -> bool:
    """Whether the two could change places in one step. Not all systems and file systems can do that."""
    import ctypes

    try:
        rename = ctypes.CDLL(None, use_errno=True).renameat2
    except (AttributeError, OSError, TypeError):
        return False
    return bool(rename(_AT_FDCWD, os.fsencode(new), _AT_FDCWD, os.fsencode(target), _RENAME_EXCHANGE) == 0)


def _displaced(made: Work, target: Path) -> bool:
    """The same in two steps: the old folder is moved aside, and back if the new one cannot follow."""
    try:
        target.rename(made.old)
    except FileNotFoundError:
        return False
    try:
        if _taken(made.new, target):
            return True
    except OSError:
        made.old.rename(target)
        raise
    # Another was quicker: its result takes over what others had put there.
    _hand_over(made.old, target)
    return False


def _hand_over(old: Path, target: Path) -> None:
    """Moves files, including those that others add meanwhile. A folder that is no result stays whole, beside the
    target.
    """
    if ownership.holding(old) is not Holding.RESULT:
        old.rename(ownership.vacant(target))
        return
    clear(old)
    for _ in range(_ATTEMPTS):
        try:
            ownership.hand_over(old, target)
        except OSError as error:
            if error.errno not in {errno.ENOTEMPTY, errno.EEXIST}:
                raise
        else:
            return


def _umask() -> int:
    # The only portable way to read it is to set it.
    mask = os.umask(0)
    os.umask(mask)
    return mask

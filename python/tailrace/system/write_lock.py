"""Lock of a writer, with a message for the next one about its holder."""

from __future__ import annotations

import datetime
import json
import os
import platform
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tailrace.errors import UsageError


@contextmanager
def held(file: Path, what: Path, remedy: str = "wait for it, or use -o for another") -> Iterator[int]:
    """Holds the lock within the block; the system takes it back however the holder ends.

    The block gets the open file: a process that it hands it to holds the lock, too.
    The file stays: whoever removed it would let two commands hold locks on two files of one name.
    """
    import fcntl

    lock = os.open(file, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UsageError(f"{what} is being written by {_holder(lock)}; {remedy}") from None
        except OSError:
            pass  # a file system without locks: nobody can tell
        os.ftruncate(lock, 0)
        with suppress(OSError):  # on a full disk the next one is told less
            os.pwrite(lock, _words().encode(), 0)
        yield lock
        os.ftruncate(lock, 0)
    finally:
        os.close(lock)


def _words() -> str:
    now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    command = " ".join([Path(sys.argv[0]).name, *sys.argv[1:]])
    return json.dumps({"process": os.getpid(), "host": platform.node(), "since": now, "command": command})


def _holder(lock: int) -> str:
    holder = {}
    with suppress(ValueError, OSError):
        holder = json.loads(os.pread(lock, 4096, 0))
    if not isinstance(holder, dict) or "process" not in holder:
        return "another command"
    return "process {process} on {host} since {since} ({command})".format_map(
        {key: holder.get(key, "?") for key in ("process", "host", "since", "command")}
    )

"""Memory of this machine, within the limits that the process was given."""

import os
from collections.abc import Iterable
from functools import cache
from pathlib import Path

# Where a container's or a service's limit stands: control groups of version 2 and 1.
_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


@cache
def memory() -> int | None:
    """Bytes of memory that this process may use; None where the system does not say."""
    known = [size for size in (_installed(), *map(_limit, _limit_files())) if size]
    return min(known, default=None)


def _installed() -> int | None:
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None


def _limit_files() -> Iterable[Path]:
    """The files with limits: those of the process's own group and of the groups above it."""
    yield from map(Path, _LIMITS)
    try:
        groups = Path("/proc/self/cgroup").read_text(encoding="utf-8").splitlines()
    except OSError:
        return
    for line in groups:
        number, _, rest = line.partition(":")
        _, _, group = rest.partition(":")
        if number == "0":
            top = Path("/sys/fs/cgroup")
            own = top / group.lstrip("/")
            yield from (folder / "memory.max" for folder in (own, *own.parents) if top in folder.parents)


def _limit(path: Path) -> int | None:
    """The limit in a file; None where there is none."""
    try:
        text = path.read_text(encoding="utf-8").strip()
    except OSError:
        return None
    return int(text) if text.isdigit() else None


def runs_at_once(run: int, kept: int) -> int:
    """Number of runs that fit into memory together, beside the output of all of them; at least one."""
    have = memory()
    if have is None:
        return max(1, os.cpu_count() or 1)
    return max(1, (have * 3 // 4 - kept) // max(1, run))

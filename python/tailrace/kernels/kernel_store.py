"""Where kernels are kept: a folder each, named by version and content, below the user's data folder."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tailrace.errors import UsageError

PROGRAM = "linux"
RECORD = "build.json"
_ENVIRONMENT = "TAILRACE_KERNELS"
_BANNER = re.compile(rb"Linux version (\d+\.\d+[^ %\0]*) \(")
# Fewer digits may be those of a version.
_FEWEST_DIGITS, SHOWN_DIGITS = 8, 12


@dataclass(frozen=True)
class Kernel:
    """A kernel that can be run. Of one that was not built by Tailrace, what stands below `sha256` is not known."""

    name: str
    """The series: the first two numbers of its version, as 6.12."""
    version: str
    """Its whole version, as it says it: 6.12.117."""
    path: Path
    """The program."""
    sha256: str
    """Of the program: part of a run's identity."""
    source: str = ""
    """The name of the archive or folder that it was built from."""
    source_sha256: str = ""
    """Of the archive, or of all files of the folder."""
    config_sha256: str = ""
    """Of the options that were asked for."""
    compiler: str = ""
    """The first line that `gcc --version` says."""
    built: str = ""
    """When, in UTC: 2026-11-23T11:30:00+00:00."""

    @property
    def size(self) -> int:
        """Bytes of the program."""
        return self.path.stat().st_size

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {**asdict(self), "path": str(self.path), "size": self.size}


def folder() -> Path:
    """Where kernels are kept: what `TAILRACE_KERNELS` names, else a folder of the user's data folder."""
    if named := os.environ.get(_ENVIRONMENT):
        return Path(named).expanduser().absolute()
    data = os.environ.get("XDG_DATA_HOME", "")
    # By its specification, a relative path there is to be ignored.
    place = Path(data) if Path(data).is_absolute() else Path.home() / ".local" / "share"
    return place / "tailrace" / "kernels"


def kernels() -> list[Kernel]:
    """All that are kept, the newest first: by version, then by when they were built."""
    found = [kernel for record in folder().glob(f"*/{RECORD}") if (kernel := _read(record)) is not None]
    return sorted(found, key=lambda kernel: (numbers(kernel.version), kernel.built), reverse=True)


def names(kept: list[Kernel]) -> list[str]:
    """The shortest name by which each of them is found: series, version, or the beginning of the hash."""
    given: list[str] = []
    for kernel in kept:
        hashed = kernel.sha256[:SHOWN_DIGITS]
        given.append(next(name for name in (kernel.name, kernel.version, hashed) if name not in given))
    return given


def find(name: str) -> Kernel:
    """The newest kernel of a series (6.12) or version (6.12.117), the one of a hash, or the one at a path.

    Raises `UsageError` where there is none, or where it is no longer what was built.
    """
    if "/" in name:
        return _at(Path(name).expanduser())
    kept = kernels()
    for kernel in kept:
        if name in (kernel.name, kernel.version) or (
            len(name) >= _FEWEST_DIGITS and kernel.sha256.startswith(name)
        ):
            return _unchanged(kernel)
    there = ", ".join(dict.fromkeys(names(kept))) or "none"
    # A series has two numbers.
    build = name if numbers(name)[1:] else "6.12"
    raise UsageError(
        f"there is no kernel {name!r} in {folder()}; there are: {there}. "
        f"`tailrace kernel build {build}` builds one; or name the path of a User-Mode Linux program"
    )


def keep(program: Path, record: dict[str, str]) -> Kernel:
    """Puts a program that was just built onto the shelf. One that is there already stays as it is."""
    from tailrace.system import staging

    sha256 = digest(program)
    whole = {"name": series(record["version"]), "sha256": sha256, **record}
    place = folder() / f"{record['version']}-{sha256[:SHOWN_DIGITS]}"
    if (there := _read(place / RECORD)) is not None and digest(there.path) == sha256:
        return there
    with staging.work(folder(), place.name) as work:
        shutil.copy2(program, work.new / PROGRAM)
        (work.new / RECORD).write_text(json.dumps(whole, indent=2) + "\n", encoding="utf-8")
        for damaged in (place / RECORD, place / PROGRAM):
            damaged.unlink(missing_ok=True)
        work.put_in_place()
    return Kernel(**whole, path=place / PROGRAM)


def banner(program: Path) -> str | None:
    """The version that a kernel's program has in it; it is not run for that."""
    found = _BANNER.search(program.read_bytes())
    return found[1].decode("ascii", "replace") if found else None


def series(version: str) -> str:
    """The first two numbers of a version.

    >>> series("6.12.117"), series("6.13-rc3")
    ('6.12', '6.13')
    """
    return ".".join(map(str, numbers(version)[:2]))


def is_of(version: str, wanted: str) -> bool:
    """Whether a version is the one that is wanted, or of the series that is.

    >>> is_of("6.12.117", "6.12"), is_of("6.1.2", "6.12"), is_of("6.13.0", "6.13-rc3")
    (True, False, False)
    """
    asked = numbers(wanted)
    return version == wanted or ("-" not in wanted and numbers(version)[: len(asked)] == asked)


def numbers(version: str) -> tuple[int, ...]:
    """The numbers of a version, to be compared.

    >>> numbers("6.12.117-rc1"), numbers("lts")
    ((6, 12, 117), ())
    """
    found = re.match(r"\d+(\.\d+)*", version)
    return tuple(map(int, found[0].split("."))) if found else ()


def digest(path: Path) -> str:
    """SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _at(path: Path) -> Kernel:
    """The kernel at a path: of the shelf, or one that somebody else built."""
    program = (path / PROGRAM if path.is_dir() else path).absolute()
    if not program.is_file() or not os.access(program, os.X_OK):
        raise UsageError(
            f"{path} is no kernel that can be run: name a User-Mode Linux program, or the folder it is in"
        )
    kept = _read(program.parent / RECORD)
    if kept is not None and kept.path == program:
        return _unchanged(kept)
    version = banner(program)
    if version is None:
        raise UsageError(f"{program} is no Linux kernel: it says no version")
    return Kernel(series(version), version, program.resolve(), digest(program))


def _unchanged(kernel: Kernel) -> Kernel:
    if digest(kernel.path) != kernel.sha256:
        raise UsageError(changed(kernel))
    return kernel


def changed(kernel: Kernel) -> str:
    """Message about a kernel that changed after it was built."""
    return (
        f"{kernel.path} is not what was built: its hash is another. "
        f"`tailrace kernel build {kernel.name}` builds it anew"
    )


def _read(record: Path) -> Kernel | None:
    """Kernel of a record; None if the record is damaged or the program is gone."""
    program = record.parent / PROGRAM
    try:
        kept = json.loads(record.read_text(encoding="utf-8"))
        if not program.is_file() or not all(isinstance(value, str) for value in kept.values()):
            return None
        return Kernel(**kept, path=program)
    except (OSError, ValueError, TypeError, AttributeError):
        return None

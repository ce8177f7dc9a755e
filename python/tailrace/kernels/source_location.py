"""Where a kernel's source is."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from tailrace.errors import UsageError
from tailrace.kernels import kernel_store

SYSTEM = Path("/usr/src")
_ENDINGS = (".tar.xz", ".tar.gz", ".tar.bz2", ".tar", "")
_VERSION = re.compile(r"\d+\.\d+(\.\d+)?(-rc\d+)?")


@dataclass(frozen=True)
class Source:
    """An archive or a folder of Linux's source."""

    path: Path

    @property
    def is_folder(self) -> bool:
        """Whether it is unpacked."""
        return self.path.is_dir()


def find(version: str, given: Path | None) -> Source:
    """The source of a version: where the user says, or where distributions put it."""
    if not _VERSION.fullmatch(version):
        raise UsageError(f"{version!r} is no version of Linux, such as 6.12 or 6.12.117")
    if given is not None:
        if not given.exists():
            raise UsageError(f"{given} does not exist: name an archive of Linux's source, or a folder of it")
        return Source(given.resolve())
    for path in _usual(version):
        if path.exists():
            return Source(path)
    raise UsageError(
        f"there is no source of Linux {version} in {SYSTEM}. On Debian: "
        f"apt install linux-source-{kernel_store.series(version)}. Elsewhere: fetch linux-{version}.tar.xz "
        "from kernel.org, and name it with --source"
    )


def _usual(version: str) -> list[Path]:
    stems = [f"linux-source-{version}", f"linux-{version}", f"linux-source-{kernel_store.series(version)}"]
    return [SYSTEM / f"{stem}{ending}" for stem in stems for ending in _ENDINGS]


def release(tree: Path) -> str:
    """The version that an unpacked source says it has."""
    try:
        head = (tree / "Makefile").read_text(encoding="utf-8", errors="replace")[:2000]
    except OSError as error:
        raise UsageError(f"{error.filename} cannot be read: {error.strerror}") from None
    said: dict[str, str] = {
        name: value.strip() for name, value in re.findall(r"^(\w+) *=(.*)$", head, re.MULTILINE)
    }
    parts = [said.get(name, "") for name in ("VERSION", "PATCHLEVEL", "SUBLEVEL")]
    return ".".join(part for part in parts if part) + said.get("EXTRAVERSION", "")


def is_linux(tree: Path) -> bool:
    """Whether it is a source from which a User-Mode Linux can be made."""
    return all((tree / part).is_file() for part in ("Makefile", "Kconfig", "arch/um/Kconfig"))

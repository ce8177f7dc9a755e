"""Requirements of a build on this machine: programs, disk space, a folder whose name make accepts."""

from __future__ import annotations

import shutil
from pathlib import Path

from tailrace.errors import UsageError
from tailrace.kernels.source_location import Source

TOOLS = ("make", "gcc", "ld", "flex", "bison", "bc", "tar")
_PACKED = {".xz": "xz", ".bz2": "bzip2", ".gz": "gzip"}
_ON_DEBIAN = "apt install gcc libc6-dev make flex bison bc tar xz-utils"
# An unpacked source and what is compiled of it.
_ROOM = 2 << 30
# Separators of names for make.
_FORBIDDEN_BY_MAKE = (" ", ":", "\t")


def look_for_tools(source: Source) -> None:
    """Whether all programs are there that a build runs."""
    packer = _PACKED.get(source.path.suffix)
    wanted = TOOLS if source.is_folder or packer is None else (*TOOLS, packer)
    missing = [tool for tool in wanted if shutil.which(tool) is None]
    if missing:
        raise UsageError(
            f"building a kernel needs {', '.join(missing)}, which this machine lacks. On Debian: {_ON_DEBIAN}"
        )


def prepare(kept: Path, source: Source, *, begun: bool) -> None:
    """Whether there can be a build at all: the shelf's folder, its name, its room."""
    if any(letter in str(kept) for letter in _FORBIDDEN_BY_MAKE):
        raise UsageError(
            f"Linux cannot be built below {str(kept)!r}: its make takes no spaces or colons in names of folders. "
            "TAILRACE_KERNELS names another folder"
        )
    if source.is_folder and kept.resolve().is_relative_to(source.path):
        raise UsageError(f"{kept} lies within the source; TAILRACE_KERNELS names another folder")
    try:
        kept.mkdir(parents=True, exist_ok=True)
        free = shutil.disk_usage(kept).free
    except OSError as error:
        raise UsageError(
            f"{kept} cannot be made: {error.strerror}. TAILRACE_KERNELS names another folder"
        ) from None
    if not begun and free < _ROOM:
        raise UsageError(
            f"a build takes up to {_ROOM >> 30} GiB below {kept}, and {free / (1 << 30):.1f} GiB are free. "
            "TAILRACE_KERNELS names another folder"
        )

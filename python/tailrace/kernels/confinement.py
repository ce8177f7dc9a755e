"""Files of this machine that programs of hosts with kernels may read, and what of a scenario needs consent.

The launcher confines a kernel, with the programs in it, to what programs of any machine need, the scenario's folder,
and what hosts name by `files` (crates/agent/src/confinement.rs).
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from tailrace.errors import UsageError
from tailrace.kernels import kernel_store

if TYPE_CHECKING:
    from tailrace import _native

OPTION = "--trust-programs"
# Consent for programs that run tailrace for others, such as workers of a cluster.
_ENVIRONMENT = "TAILRACE_TRUST_PROGRAMS"
_trusted = False

NO_LANDLOCK = (
    "nothing on this system keeps programs of a scenario from your files: it has no Landlock (Linux 5.13 or newer, "
    "with `landlock` among the security modules that /sys/kernel/security/lsm lists)"
)


def trust_programs(trusts: bool = True) -> None:
    """Consents to what is not confined: programs of scenarios read what `files` names outside the scenario's folder, a
    kernel is any program that a scenario names, and systems without Landlock run them, too.
    """
    global _trusted  # noqa: PLW0603 - consent is the user's, for all scenarios of a command
    _trusted = trusts


def trusts() -> bool:
    """Whether the user has consented."""
    return _trusted or os.environ.get(_ENVIRONMENT) == "1"


def unconfined() -> bool:
    """Whether kernels run without confinement. Raises `UsageError` where they would without consent."""
    if confines():
        return False
    if not trusts():
        raise UsageError(f"{NO_LANDLOCK}. If you trust this scenario, {OPTION} runs it all the same")
    return True


@lru_cache
def confines() -> bool:
    """Whether this system can confine programs."""
    from tailrace.kernels import system_probe  # loads the C library

    try:
        system_probe.landlock()
    except OSError:
        return False
    return True


def readable(native: _native.Scenario) -> dict[str, list[Path]]:
    """The files and folders that programs of each host may read, besides system programs and libraries."""
    own = _shared(native)
    return {host: [*own, *(path for _, path in _named(native, host))] for host, _ in native.kernel_files}


def objections(native: _native.Scenario) -> Iterator[tuple[str, str, str | None]]:
    """What is asked for and needs consent that there is not: the path in the file, why, and what to do about it."""
    own = _shared(native)
    for host, _ in native.kernel_files:
        where = f"host.{host.partition('[')[0]}.files"
        for name, path in _named(native, host):
            if not path.exists():
                yield where, f"there is no {path}; paths in `files` begin where the scenario file lies", None
            elif not trusts() and not any(path.is_relative_to(folder) for folder in own):
                why = f"{name!r} lies outside the scenario's folder: programs of this scenario could read it"
                yield where, why, _HELP


CONSENT = f"`tailrace.kernels.trust_programs()`, or {OPTION} of the commands, says that you trust it"
_HELP = f"if you trust the scenario with that, say so with {OPTION}"


def of_kernel(name: str) -> str | None:
    """Reason for which a kernel needs consent, or none. What Tailrace has not built is code of whoever made it."""
    if trusts() or "/" not in name:
        return None
    path = Path(name).expanduser().resolve()
    if path.is_relative_to(kernel_store.folder().resolve()):
        return None
    return f"{path} is a program that the scenario names, and no kernel that was built here"


def kernel_help() -> str:
    """Remedy for `of_kernel`."""
    return f"build one with `tailrace kernel build`, or say with {OPTION} that you trust this one"


def _shared(native: _native.Scenario) -> list[Path]:
    """The scenario's folder. Folders that hold more than a scenario's own files are none: home, those above it, and the
    folder for temporary files.
    """
    if (folder := native.folder) is None:
        return []
    folder = folder.resolve()
    common = [Path.home().resolve(), Path(tempfile.gettempdir()).resolve(), Path("/tmp"), Path("/var/tmp")]  # noqa: S108
    return [] if any(place.is_relative_to(folder) for place in common) else [folder]


def _named(native: _native.Scenario, host: str) -> list[tuple[str, Path]]:
    """The files and folders that a host names, each as in the file and as a path without links."""
    base = native.folder or Path.cwd()
    names = dict(native.kernel_files)[host]
    return [(name, (base / Path(name).expanduser()).resolve()) for name in names]

"""Brings a kernel's source to where it is built, so that the user's own stays as it is: builds write into it."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from tailrace.errors import UsageError
from tailrace.kernels import kernel_store, source_location
from tailrace.kernels.make import Maker
from tailrace.kernels.source_location import Source


@dataclass(frozen=True)
class Site:
    """Where one build happens, and what of."""

    version: str
    source: Source
    work: Path
    lock: int
    say: Callable[[str], None]

    @property
    def tree(self) -> Path:
        """The source that is built."""
        return self.work / "source"

    @property
    def kconfig(self) -> Path:
        """The head of its options."""
        return self.work / "Kconfig"

    @property
    def options(self) -> Path:
        """The options that are asked for."""
        return self.work / "kernel.config"

    @property
    def mark(self) -> Path:
        """Stands when the source is there, whole."""
        return self.work / "placed.json"

    @property
    def maker(self) -> Maker:
        """`make` there."""
        return Maker(self.tree, self.work / "build.log", self.lock, {"KBUILD_KCONFIG": str(self.kconfig)})

    def clear(self) -> None:
        """Removes it. The mark goes first: nobody goes on with what is half removed."""
        if self.work.exists():
            self.say(f"removing {self.work}")
            self.mark.unlink(missing_ok=True)
            shutil.rmtree(self.work, ignore_errors=True)


@dataclass(frozen=True)
class Placed:
    """A source that is where it is built."""

    version: str
    sha256: str
    """Of the archive, or of all files of the folder."""


def place(site: Site, sha256: str) -> Placed:
    """Puts the source there, whole; `sha256` is an archive's, and empty for a folder."""
    if (there := _left_by_another(site, sha256)) is not None:
        site.say(f"going on with the build in {site.work}")
        return there
    site.clear()
    site.work.mkdir()
    try:
        version = _copy(site) if site.source.is_folder else _unpack(site)
    except UsageError:
        site.clear()
        raise
    placed = Placed(version, sha256 or _digest_of_all(site.tree))
    site.mark.write_text(json.dumps(asdict(placed)), encoding="utf-8")
    return placed


def _left_by_another(site: Site, sha256: str) -> Placed | None:
    """Sources that an interrupted build left of the same archive. A folder may have changed since: it is copied
    anew.
    """
    try:
        there = Placed(**json.loads(site.mark.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None
    return there if there.sha256 == sha256 else None


def _unpack(site: Site) -> str:
    archive = site.source.path
    site.say(f"unpacking {archive}")
    into = site.work / "unpacked"
    into.mkdir()
    command = ["tar", "-xf", str(archive), "-C", str(into), "--no-same-owner", "--no-same-permissions"]
    # Were we killed, tar would go on, and hold the lock for as long.
    done = subprocess.run(  # noqa: S603 - no shell
        command, capture_output=True, text=True, check=False, pass_fds=(site.lock,)
    )
    if done.returncode:
        why = (done.stderr.strip().splitlines() or ["tar does not say why"])[0]
        raise UsageError(
            f"{archive} cannot be unpacked ({why}): it may be damaged, or no archive. Fetch it again, "
            "or name another with --source"
        )
    # Archives have a folder around the source.
    inner = [into, *(path for path in into.iterdir() if path.is_dir())]
    tree = next((path for path in inner if source_location.is_linux(path)), into)
    version = _version(site, tree)
    tree.rename(site.tree)
    return version


def _copy(site: Site) -> str:
    folder = site.source.path
    version = _version(site, folder)
    site.say(f"copying {folder}")
    try:
        shutil.copytree(folder, site.tree, symlinks=True, ignore=shutil.ignore_patterns(".git", "*.o"))
    except shutil.Error as error:
        (first, *_) = error.args[0]
        raise UsageError(f"{first[0]} cannot be copied: {first[2]}") from None
    # Removes output of earlier builds.
    site.maker.make("mrproper")
    return version


def _version(site: Site, tree: Path) -> str:
    """The version of what is, or is to be, the source, if it is the one that was asked for."""
    if not source_location.is_linux(tree):
        raise UsageError(
            f"{site.source.path} is no source of Linux: it lacks Makefile, Kconfig or arch/um/Kconfig"
        )
    version = source_location.release(tree)
    if not kernel_store.is_of(version, site.version):
        raise UsageError(f"{site.source.path} is Linux {version}, not {site.version}")
    return version


def _digest_of_all(tree: Path) -> str:
    """SHA-256 of names and content of all files."""
    whole = hashlib.sha256()
    for place, folders, files in os.walk(tree):
        folders.sort()
        for name in sorted(files):
            path = Path(place, name)
            content = str(path.readlink()) if path.is_symlink() else kernel_store.digest(path)
            whole.update(f"{path.relative_to(tree)}\0{content}\n".encode())
    return whole.hexdigest()

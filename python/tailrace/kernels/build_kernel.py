"""Build of a kernel: User-Mode Linux in simulated time, from unchanged source.

The work folder lies in the kernel store and is removed after the build. An interrupted build leaves it, and the
next build of the same archive continues in it.
"""

from __future__ import annotations

import datetime
import subprocess
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from tailrace.kernels import build_requirements, kernel_config, kernel_store, source_tree
from tailrace.kernels.kernel_store import Kernel
from tailrace.kernels.make import BuildError
from tailrace.kernels.source_location import Source
from tailrace.kernels.source_tree import Site

# Number of files that `make` reports for 6.12; similar for other versions. For the progress bar.
_STEPS = 1260


@dataclass(frozen=True)
class BuildMessages:
    """Progress messages of a build."""

    say: Callable[[str], None]
    """Writes a line."""
    progress: Callable[[str], AbstractContextManager[Callable[[float], None]]]
    """Context of a long step; the value takes the share done, 0 to 1."""


def build(version: str, source: Source, jobs: int, messages: BuildMessages, *, fresh: bool = False) -> Kernel:
    """Builds a kernel and keeps it; without `fresh`, one of the same source, options and compiler will do."""
    from tailrace.system import write_lock

    kept = kernel_store.folder()
    work = kept / f".build-{version}"
    build_requirements.look_for_tools(source)
    build_requirements.prepare(kept, source, begun=work.exists())
    about = _about(source)
    with write_lock.held(work.with_name(f"{work.name}.lock"), work, "wait for it") as held:
        site = Site(version, source, work, held, messages.say)
        if fresh:
            site.clear()
        kernel = None if fresh else _built_before(version, about)
        if kernel is not None:
            messages.say(f"Linux {kernel.version} was built of this before; --fresh builds it anew")
        else:
            kernel = _build(site, about, jobs, messages)
        site.clear()
    return kernel


def _build(site: Site, about: dict[str, str], jobs: int, messages: BuildMessages) -> Kernel:
    found = source_tree.place(site, about["source_sha256"])
    _configure(site)
    with messages.progress(f"building Linux {found.version}") as progress:
        steps = _Steps(progress)
        site.maker.make("linux", f"-j{jobs}", told=steps.count)
    program = site.tree / kernel_store.PROGRAM
    said = (kernel_store.banner(program) if program.is_file() else None) or "nothing"
    # A file of the source may add to the version.
    if not said.startswith(found.version):
        raise BuildError(f"make ended well, but {program} is not Linux {found.version}: it says {said}")
    built = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    record = {**about, "source_sha256": found.sha256, "version": said, "built": built}
    return kernel_store.keep(program, record)


def _about(source: Source) -> dict[str, str]:
    """Description of a kernel's source for its record; the hash of a folder is known when it is copied."""
    said = subprocess.run(["gcc", "--version"], capture_output=True, text=True, check=False)  # noqa: S607 - the user's
    return {
        "source": source.path.name,
        "source_sha256": "" if source.is_folder else kernel_store.digest(source.path),
        "config_sha256": kernel_config.wanted().sha256,
        "compiler": said.stdout.partition("\n")[0],
    }


def _built_before(version: str, about: dict[str, str]) -> Kernel | None:
    """Kernel of this version in the store with the same source, options and compiler."""
    for kernel in kernel_store.kernels():
        alike = all(getattr(kernel, key) == value for key, value in about.items() if key != "source")
        if (
            alike
            and kernel_store.is_of(kernel.version, version)
            and kernel_store.digest(kernel.path) == kernel.sha256
        ):
            return kernel
    return None


def _configure(site: Site) -> None:
    """Writes .config and checks that the options took effect."""
    wanted = kernel_config.wanted()
    head = (site.tree / "Kconfig").read_text(encoding="utf-8")
    _write(site.kconfig, kernel_config.with_ticks(head))
    _write(site.options, wanted.text)
    site.maker.make("allnoconfig", KCONFIG_ALLCONFIG=str(site.options))
    config = (site.tree / ".config").read_text(encoding="utf-8")
    if lacking := wanted.lacking(config):
        raise BuildError(
            f"Linux {site.version} cannot be a host: it does not take {', '.join(lacking)}. "
            f"What it took is in {site.tree}/.config"
        )
    if left_out := wanted.left_out(config):
        site.say(f"without {', '.join(left_out)}, which this version of Linux does not take")


def _write(file: Path, text: str) -> None:
    """Writes a file unless it has this text already: make compares modification times."""
    if not file.exists() or file.read_text(encoding="utf-8") != text:
        file.write_text(text, encoding="utf-8")


class _Steps:
    """Progress of `make`, from the files that it reports."""

    def __init__(self, progress: Callable[[float], None]) -> None:
        self._progress = progress
        self._done = 0

    def count(self, line: str) -> None:
        """Counts lines that begin with two spaces: they name a step and its file."""
        if line.startswith("  "):
            self._done += 1
            self._progress(min(self._done / _STEPS, 0.99))

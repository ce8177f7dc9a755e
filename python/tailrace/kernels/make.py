"""Runs `make` in a kernel's source: the caller's own variables for it do not reach it, and it ends with the caller."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tailrace.errors import TailraceError

# The program says who built it, where and when: the same source is to give the same program.
_FIXED = {
    "KBUILD_BUILD_TIMESTAMP": "1970-01-01",
    "KBUILD_BUILD_USER": "tailrace",
    "KBUILD_BUILD_HOST": "tailrace",
    "KBUILD_BUILD_VERSION": "1",
    "LC_ALL": "C",
}
_FOREIGN = (
    "KBUILD_",
    "KCONFIG_",
    "MAKE",
    "MFLAGS",
    "LLVM",
    "LOCALVERSION",
    "KCFLAGS",
    "KCPPFLAGS",
    "CROSS_COMPILE",
    "SUBARCH",
)
_LAST_LINES = 15
_PATIENCE_S = 10


class BuildError(TailraceError):
    """The kernel could not be built."""


@dataclass(frozen=True)
class Maker:
    """`make` for a tree, with a log."""

    tree: Path
    log: Path
    lock: int
    """An open file that is locked: it stays so until the last compiler has ended, whatever becomes of us."""
    variables: dict[str, str]

    def make(self, *arguments: str, told: Callable[[str], None] | None = None, **variables: str) -> None:
        """Runs it; each line that it says goes to the log and to `told`."""
        command = [
            "make",
            "--no-print-directory",
            "-C",
            str(self.tree),
            "ARCH=um",
            "LOCALVERSION=",
            *arguments,
        ]
        environment = _environment(self.variables | variables)
        with self.log.open("ab") as log:
            status = _run(command, environment, self.lock, lambda line: _both(line, log.write, told))
        if status:
            raise BuildError(f"make {arguments[0]} failed. {self._end()}")

    def _end(self) -> str:
        lines = self.log.read_text(encoding="utf-8", errors="replace").splitlines()[-_LAST_LINES:]
        return "\n".join((f"The last lines of {self.log}:", *lines))


def _both(line: bytes, log: Callable[[bytes], object], told: Callable[[str], None] | None) -> None:
    log(line)
    if told is not None:
        told(line.decode("utf-8", "replace"))


def _environment(variables: dict[str, str]) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(_FOREIGN)}
    return {**kept, **_FIXED, **variables}


def _run(
    command: Sequence[str], environment: dict[str, str], lock: int, told: Callable[[bytes], None]
) -> int:
    """A process group of its own, which ends with the block: a `make` alone would leave its children behind."""
    process = subprocess.Popen(  # noqa: S603 - no shell
        command,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        pass_fds=(lock,),
        start_new_session=True,
    )
    with process:
        try:
            for line in process.stdout or ():
                told(line)
        except BaseException:
            _end(process)
            raise
    return process.returncode


def _end(process: subprocess.Popen[bytes]) -> None:
    os.killpg(process.pid, signal.SIGTERM)
    try:
        process.wait(_PATIENCE_S)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()

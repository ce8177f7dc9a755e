"""Check that hosts can run a kernel: its version and options, and that it boots (if the launcher is installed)."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path

from tailrace.kernels import kernel_config, kernel_store, run_kernels
from tailrace.kernels.kernel_store import Kernel
from tailrace.system.diagnosis import Finding

# The program that starts guests: crates/agent. The variable names another one.
LAUNCHER, _ENVIRONMENT = "tailrace-agent", "TAILRACE_AGENT"
_PATIENCE_S = 60
_LAST_LINES = 5
_BOOTED = "tailrace: booted"
# Environment like that of guests in crates/guest, but without time control and network devices.
_AVX = ("AVX", "AVX2", "AVX512F", "AVX512VL", "AVX512BW", "AVX_Fast_Unaligned_Load")
# On the kernel's command line: programs do not use AVX, whose registers a context switch of User-Mode Linux loses.
WITHOUT_AVX = f"GLIBC_TUNABLES=glibc.cpu.hwcaps={','.join(f'-{feature}' for feature in _AVX)}"
_BOOT = (
    "mem=64M",
    "rootfstype=hostfs",
    "rootflags=/",
    "ro",
    "init=/bin/sh",
    "con=null",
    "con0=fd:0,fd:1",
    "quiet",
    "time-travel=inf-cpu",
    WITHOUT_AVX,
    "--",
    "-c",
    f'"mount -t proc proc /proc && echo {_BOOTED} $(cat /proc/sys/kernel/osrelease)"',
)


def check(kernel: Kernel) -> list[Finding]:
    """Findings about a kernel. It is booted only if version and options are right."""
    found = [_said(kernel), _options(kernel)]
    if all(finding.state == "ok" for finding in found):
        found.append(_boot(kernel))
    return found


def _said(kernel: Kernel) -> Finding:
    what = f"kernel {kernel.name}"
    if kernel_store.digest(kernel.path) != kernel.sha256:
        return Finding("FAIL", what, kernel_store.changed(kernel))
    status, text = _run([str(kernel.path), "--version"])
    version = text.strip()
    if status == 0 and version == kernel.version:
        return Finding(
            "ok", what, f"Linux {version}, sha256 {kernel.sha256[: kernel_store.SHOWN_DIGITS]}, {kernel.path}"
        )
    return Finding(
        "FAIL",
        what,
        f"{kernel.path} --version says {_end(text)!r}, not {kernel.version}: it is not for this machine, or no "
        f"User-Mode Linux; tailrace kernel build {kernel.name} --fresh builds it here",
    )


def _options(kernel: Kernel) -> Finding:
    _, config = _run([str(kernel.path), "--showconfig"])
    lacking = kernel_config.wanted().lacking(config)
    if not lacking:
        return Finding("ok", "options", "all that hosts need")
    return Finding(
        "FAIL",
        "options",
        f"it was built without {', '.join(lacking)}; tailrace kernel build {kernel.name} builds one with them",
    )


def _boot(kernel: Kernel) -> Finding:
    own = str(run_kernels.AGENT) if run_kernels.AGENT.exists() else None
    named = os.environ.get(_ENVIRONMENT) or own or shutil.which(LAUNCHER)
    if named is None:
        return Finding(
            "FAIL", "boot", f"{run_kernels.AGENT} is missing, which starts kernels. {run_kernels.REMEDY}"
        )
    text = _booted(Path(named).absolute(), kernel)
    if f"{_BOOTED} {kernel.version}" in text.splitlines():
        return Finding("ok", "boot", "it boots, and runs a program")
    return Finding("FAIL", "boot", f"it does not boot; its last words: {_end(text)}")


def _booted(launcher: Path, kernel: Kernel) -> str:
    """Console output of a guest. Its first program ends, so the kernel ends in a panic."""
    with tempfile.TemporaryDirectory(prefix="tailrace-boot-") as folder:
        console = Path(folder, "console")
        command = [str(launcher), "launch", str(kernel.path), *_BOOT]
        with (
            console.open("wb") as out,
            subprocess.Popen(  # noqa: S603 - our own launcher
                command, cwd=folder, stdin=subprocess.PIPE, stdout=out, stderr=subprocess.STDOUT
            ) as process,
            # With the end of its standard input, which is that of the block, the launcher ends the guest.
            suppress(subprocess.TimeoutExpired),
        ):
            process.wait(_PATIENCE_S)
        return console.read_text(encoding="utf-8", errors="replace")


def _run(command: list[str]) -> tuple[int, str]:
    """The status of what a kernel says of itself, and the text."""
    try:
        done = subprocess.run(  # noqa: S603 - a kernel that the user built or named
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=_PATIENCE_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return -1, f"nothing in {_PATIENCE_S} s"
    except OSError as error:
        return -1, str(error.strerror)
    return done.returncode, done.stdout.decode("utf-8", "replace")


def _end(text: str) -> str:
    return " | ".join(text.strip().splitlines()[-_LAST_LINES:])

"""Check that this machine can run kernels as hosts, with the remedy for each failure."""

from __future__ import annotations

import platform
import shutil
import subprocess
import sys
from pathlib import Path

from tailrace.kernels.confinement import NO_LANDLOCK, OPTION
from tailrace.system.diagnosis import Finding

# File system of guests' memory.
MEMORY = Path("/dev/shm")  # noqa: S108 - where Linux has it
_MIB = 1 << 20
# Default memory of a guest.
_GUEST = 128 * _MIB
_FEW_GUESTS = 8
_PATIENCE_S = 30


def check() -> list[Finding]:
    """Findings about everything that kernels need; only the first if the system is not Linux on x86_64."""
    system = _system()
    return (
        [system]
        if system.state == "FAIL"
        else [system, _ptrace(), _seccomp(), _landlock(), _memfd(), *_memory()]
    )


def _system() -> Finding:
    here = f"{platform.system()} {platform.machine()}"
    if here == "Linux x86_64":
        return Finding("ok", "system", f"{here}, {platform.release()}")
    return Finding(
        "FAIL", "system", f"this is {here}: kernels run on Linux x86_64 only, which may be a virtual machine"
    )


def _ptrace() -> Finding:
    if (why := _tried("ptrace")) is None:
        return Finding("ok", "ptrace", "processes can be traced")
    return Finding(
        "FAIL",
        "ptrace",
        f"no process can be traced here ({why}): in a container, start it with --cap-add=SYS_PTRACE "
        "--security-opt seccomp=unconfined; else as root: sysctl kernel.yama.ptrace_scope=1",
    )


def _seccomp() -> Finding:
    if (why := _tried("seccomp")) is None:
        return Finding("ok", "seccomp", "system calls can be denied")
    return Finding(
        "FAIL",
        "seccomp",
        f"no system call can be denied here ({why}), so guests could draw the machine's random numbers, and no "
        "run would be repeatable: this takes a Linux with CONFIG_SECCOMP_FILTER",
    )


def _landlock() -> Finding:
    if _tried("landlock") is None:
        return Finding("ok", "landlock", "programs of scenarios can be kept from files")
    return Finding("warning", "landlock", f"{NO_LANDLOCK}. Scenarios with kernels run with {OPTION} only")


def _memfd() -> Finding:
    if (why := _tried("memfd")) is None:
        return Finding("ok", "memfd", "memory can be shared")
    return Finding("FAIL", "memfd", f"no memory can be shared here ({why}): this takes Linux 3.17 or later")


def _memory() -> list[Finding]:
    """A container's is often small, and often does not let code be in it."""
    remedy = f"as root: mount -o remount,exec,size=2G {MEMORY}; docker run --tmpfs {MEMORY}:exec,size=2g"
    if (why := _tried("memory", str(MEMORY))) is not None:
        return [Finding("FAIL", "memory", f"guests' memory cannot lie in {MEMORY} ({why}). {remedy}")]
    free = shutil.disk_usage(MEMORY).free
    guests = free // _GUEST
    detail = f"{free / (1 << 30):.1f} GiB free in {MEMORY}, for {guests} guests of {_GUEST // _MIB} MiB"
    if guests >= _FEW_GUESTS:
        return [Finding("ok", "memory", detail)]
    return [Finding("warning" if guests else "FAIL", "memory", f"{detail}. For more, {remedy}")]


def _tried(what: str, *arguments: str) -> str | None:
    """Reason for which a requirement fails; None if it is met."""
    program = str(Path(__file__).with_name("system_probe.py"))
    try:
        done = subprocess.run(  # noqa: S603 - a file of this package
            [sys.executable, "-I", program, what, *arguments],
            capture_output=True,
            text=True,
            timeout=_PATIENCE_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return "it hangs"
    if done.returncode == 0:
        return None
    last = done.stderr.strip().splitlines()[-1:] or [f"it ended with {done.returncode}"]
    return last[0]

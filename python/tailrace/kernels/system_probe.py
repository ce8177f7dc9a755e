"""Tries what a kernel that is a process needs of the system, in a program of its own: what it does cannot be undone.

`python system_probe.py NAME` ends with 0 where it works, else it says why. It imports nothing of Tailrace.
"""

import ctypes
import mmap
import os
import signal
import struct
import sys
import tempfile
from collections.abc import Callable

_PTRACE_TRACEME, _PTRACE_GETREGS = 0, 12
_PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP, _SECCOMP_MODE_FILTER = 38, 22, 2
_LANDLOCK_CREATE_RULESET, _LANDLOCK_VERSION = 444, 1
# A program of one instruction, `ret ALLOW`.
_RETURN, _ALLOW = 0x06, 0x7FFF0000
# Room for `struct user_regs_struct`.
_REGISTERS = 512

_LIBC = ctypes.CDLL(None, use_errno=True)
_LIBC.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
_LIBC.ptrace.restype = ctypes.c_long


def ptrace() -> None:
    """A process that lets itself be traced can be looked into."""
    child = os.fork()
    if child == 0:
        refused = _LIBC.ptrace(_PTRACE_TRACEME, 0, None, None) != 0
        if not refused:
            os.kill(os.getpid(), signal.SIGSTOP)
        os._exit(ctypes.get_errno() if refused else 0)
    _, status = os.waitpid(child, 0)
    try:
        if not os.WIFSTOPPED(status):
            raise OSError(os.WEXITSTATUS(status), os.strerror(os.WEXITSTATUS(status)))
        _demand(_LIBC.ptrace(_PTRACE_GETREGS, child, None, ctypes.create_string_buffer(_REGISTERS)) == 0)
    finally:
        if os.WIFSTOPPED(status):
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)


def seccomp() -> None:
    """A process can give up system calls."""
    instruction = ctypes.create_string_buffer(struct.pack("HBBI", _RETURN, 0, 0, _ALLOW), 8)
    program = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", 1, ctypes.addressof(instruction)), 16)
    _demand(_LIBC.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0)
    _demand(_LIBC.prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, program) == 0)


def memfd() -> None:
    """Memory can be handed over as a file."""
    os.close(os.memfd_create("tailrace"))


def landlock() -> None:
    """A process can give up files: `landlock_create_ruleset` tells the version of its rules."""
    _demand(_LIBC.syscall(_LANDLOCK_CREATE_RULESET, None, ctypes.c_size_t(0), _LANDLOCK_VERSION) > 0)


def memory(folder: str) -> None:
    """A file there can be mapped as memory with code in it, as a kernel's own is."""
    with tempfile.TemporaryFile(dir=folder) as file:
        file.truncate(mmap.PAGESIZE)
        protection = mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC
        mmap.mmap(file.fileno(), mmap.PAGESIZE, mmap.MAP_SHARED, protection).close()


def _demand(worked: bool) -> None:
    if not worked:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


if __name__ == "__main__":
    what, *arguments = sys.argv[1:]
    tried: dict[str, Callable[..., None]]
    tried = {"ptrace": ptrace, "seccomp": seccomp, "landlock": landlock, "memfd": memfd, "memory": memory}
    try:
        tried[what](*arguments)
    except OSError as error:
        sys.exit(error.strerror or str(error))

"""Kernels that crash, hang or flood, runs that are killed: an error that names the host, and nothing left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from conftest import ROOT
from tailrace.kernels import kernel_store
from tailrace.kernels.run_requirements import MEMORY

ALONE = """
name = "alone"
duration = "20 s"
[[host]]
name = "a"
kernel = "KERNEL"
sysctl = { "vm.panic_on_oom" = 1 }
run = [{ at = "1 s", command = '''COMMAND''' }]
[[host]]
name = "b"
kernel = "KERNEL"
[[link]]
between = ["a", "b"]
rate = "10 Mbit/s"
delay = "1 ms"
"""
FLOOD = (
    "import socket; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
    "while True: s.sendto(bytes(1400), ('b', 9))"
)
HANG = "echo it hangs; while :; do :; done"
HANG_ALOUD = f"echo the console hears > /dev/console; {HANG}"
# Longer than any test: what ends before does not wait for it.
_FOR_EVER_S = 3600
_SOON_S = 60


class Place:
    """A folder for one run, in which all of its temporary files are."""

    def __init__(self, folder: Path, kernel: str) -> None:
        self.folder, self.kernel = folder, kernel
        self.temporary = folder / "tmp"
        self.temporary.mkdir()
        self.shared = set(MEMORY.iterdir())

    def start(self, command: str, patience_s: int) -> subprocess.Popen[str]:
        file = self.folder / "alone.toml"
        file.write_text(ALONE.replace("KERNEL", self.kernel).replace("COMMAND", command), encoding="utf-8")
        environment = os.environ | {"TMPDIR": str(self.temporary), "TAILRACE_PATIENCE": str(patience_s)}
        return subprocess.Popen(
            [sys.executable, "-m", "tailrace", "run", str(file), "-o", str(self.folder / "result")],
            cwd=self.folder,
            env=environment | {"PYTHONPATH": str(ROOT / "python")},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def fails(self, command: str, patience_s: int = _FOR_EVER_S) -> str:
        """What is said of a run that fails."""
        process = self.start(command, patience_s)
        _, said = process.communicate(timeout=10 * _SOON_S)
        assert process.returncode == 1, said
        assert "Traceback" not in said
        assert "HostFailed" not in said
        return said

    def processes(self) -> dict[int, str]:
        """Those that work within the folder, and how they were called."""
        found = {}
        for process in Path("/proc").glob("[0-9]*"):
            try:
                if str(self.temporary) in str((process / "cwd").readlink()):
                    found[int(process.name)] = (process / "cmdline").read_text().replace("\0", " ")
            except OSError:
                continue
        return found

    def consoles(self) -> list[Path]:
        return sorted(self.temporary.glob("tailrace-console-*.txt"))

    def is_clean(self) -> bool:
        """Whether nothing is left but consoles."""
        left = set(self.temporary.iterdir()) - set(self.consoles())
        memory = [file for file in set(MEMORY.iterdir()) - self.shared if file.name.startswith("vm_file")]
        return not left and not memory and not self.processes()

    def wait(self, what: str) -> None:
        """Until one of this object's questions is answered with yes."""
        end = time.monotonic() + _SOON_S
        while not getattr(self, what)():
            assert time.monotonic() < end, f"{list(self.temporary.rglob('*'))} {self.processes()}"
            time.sleep(0.05)

    def hangs(self) -> bool:
        return any("it hangs" in path.read_text() for path in self.temporary.rglob("output0"))


@pytest.fixture(params=["6.12", "6.1"])
def place(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Place]:
    kept = [kernel for kernel in kernel_store.kernels() if kernel.name == request.param]
    if not kept:
        pytest.skip(f"there is no kernel {request.param}: `tailrace kernel build {request.param}` builds one")
    made = Place(tmp_path, kept[0].version)
    yield made
    made.wait("is_clean")


def test_a_kernel_that_panics_ends_the_run_and_its_console_is_kept(place):
    said = place.fails("tail /dev/zero")
    assert 'host "a" failed at 1' in said
    assert "its kernel has ended" in said
    [console] = place.consoles()
    assert str(console) in said.replace("\n", "")
    assert "Kernel panic - not syncing" in console.read_text()


def test_a_kernel_that_is_switched_off_ends_the_run(place):
    said = place.fails('python3 -c "import ctypes; ctypes.CDLL(None).reboot(0x4321fedc)"')
    assert 'host "a" failed at 1' in said
    assert "its kernel has ended" in said


def test_a_program_that_computes_for_ever_ends_the_run(place):
    said = place.fails(HANG, patience_s=2)
    assert 'host "a" failed at 1' in said
    assert "has done nothing for 2 s" in said
    assert "TAILRACE_PATIENCE" in said
    assert 'which has said last "it hangs"; its console is empty' in said.replace("\n", " ")
    assert place.consoles() == []


def test_the_console_of_a_kernel_that_hangs_is_kept(place):
    said = place.fails(HANG_ALOUD, patience_s=2)
    assert "has done nothing for 2 s" in said
    assert "the end of its console:\nthe console hears\n" in said
    [console] = place.consoles()
    assert str(console) in said.replace("\n", "")
    assert console.read_text().splitlines() == ["the console hears"]


def test_a_program_that_sends_for_ever_in_no_time_ends_the_run(place):
    said = place.fails(f'python3 -c "{FLOOD}"')
    assert 'host "a" failed at 1' in said
    assert "sending without end" in said


@pytest.mark.parametrize("to_group", [False, True])
def test_what_kills_the_simulator_leaves_nothing(place, to_group):
    process = place.start(HANG, _FOR_EVER_S)
    place.wait("hangs")
    if to_group:
        os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
    process.communicate()
    place.wait("is_clean")


def test_what_kills_a_launcher_ends_the_run_and_leaves_nothing(place):
    process = place.start(HANG, _FOR_EVER_S)
    place.wait("hangs")
    launcher = min(pid for pid, words in place.processes().items() if " launch --forget " in words)
    os.kill(launcher, signal.SIGKILL)
    _, said = process.communicate(timeout=_SOON_S)
    assert process.returncode == 1
    assert "its kernel has ended" in said


def test_ctrl_c_ends_a_run_whose_kernel_hangs(place):
    process = place.start(HANG, _FOR_EVER_S)
    place.wait("hangs")
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=_SOON_S)
    assert process.returncode == 130, said
    assert "Traceback" not in said

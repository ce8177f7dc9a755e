"""The hand-written stub says what the extension is."""

import subprocess
import sys

from conftest import ROOT


def test_the_stub_agrees_with_the_extension():
    done = subprocess.run(
        [sys.executable, "-m", "mypy.stubtest", "tailrace._native"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr

"""Where a result comes from: versions, machine, seed, command."""

from __future__ import annotations

import datetime
import os
import platform
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

from tailrace import _native


def provenance() -> dict[str, Any]:
    """Entries of a manifest beside the runs themselves."""
    return {
        "tailrace": _native.__version__,
        "engine": _native.__engine__,
        "commit": commit(),
        "created": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "command": [Path(sys.argv[0]).name, *sys.argv[1:]],
        "python": platform.python_version(),
        "machine": {
            "system": platform.platform(),
            "architecture": platform.machine(),
            "processors": os.cpu_count(),
        },
    }


@cache
def commit() -> str | None:
    """The commit of the working copy this package lies in, with `+` if files differ; None when installed."""
    here = Path(__file__).resolve().parent
    git = shutil.which("git")
    if git is None or not any((parent / ".git").exists() for parent in here.parents[:3]):
        return None

    def ask(*arguments: str) -> str:
        return subprocess.run(  # noqa: S603 - fixed arguments
            [git, "-C", str(here), *arguments], capture_output=True, text=True, check=True, timeout=10
        ).stdout.strip()

    try:
        return ask("rev-parse", "HEAD") + ("+" if ask("status", "--porcelain", "-uno") else "")
    except (OSError, subprocess.SubprocessError):
        return None

"""Tasks of the simulator, with all that a scenario needs beside its own text."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tailrace import _native
from tailrace.execution import streaming


def of(
    native: _native.Scenario,
    run: int,
    captures: Path | None = None,
    rows: Callable[[dict[str, Any]], None] | None = None,
) -> _native.Task:
    """A run that can be executed. Captures go to that folder and long series to `rows` while it goes on.

    Raises `UsageError` where a kernel that the scenario names is not there.
    """
    kernels = None
    if native.kernels:
        from tailrace.kernels import run_kernels

        kernels = run_kernels.of(native)
    return _native.Task(
        native, run, captures, rows, streaming.AT_ONCE_BYTES if rows is not None else 0, kernels
    )

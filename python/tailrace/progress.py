"""Progress: a bar with the time left on a terminal, plain lines elsewhere; always on stderr."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Self, TextIO

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from tailrace.execute import Job


def watch(*, quiet: bool, total: int = 0, what: str = "simulating") -> Monitor:
    """The watch that fits where stderr goes."""
    if quiet:
        return Monitor()
    return Bar(what) if sys.stderr.isatty() else Lines(sys.stderr, total)


class Monitor:
    """Watches in silence; the others build on it."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Ends what `__enter__` began."""

    def progress(self, fraction: float) -> None:
        """The share of all simulated time that is done."""

    def ended(self, job: Job, wall_s: float) -> None:
        """A job reached its end."""


class Bar(Monitor):
    """A bar with elapsed and remaining time."""

    def __init__(self, what: str) -> None:
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.percentage:>3.0f} %"),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._task = self._progress.add_task(what, total=1.0)

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()

    def progress(self, fraction: float) -> None:
        """Moves the bar."""
        self._progress.update(self._task, completed=fraction)

    def ended(self, job: Job, wall_s: float) -> None:
        """The bar shows it already."""


class Lines(Monitor):
    """One line a finished run, with the time left."""

    def __init__(self, out: TextIO, total: int) -> None:
        self._out = out
        self._total = total
        self._ended = 0
        self._start = time.monotonic()

    def ended(self, job: Job, wall_s: float) -> None:
        """Writes the line."""
        self._ended += 1
        left = ""
        if self._total > self._ended:
            seconds = (time.monotonic() - self._start) / self._ended * (self._total - self._ended)
            left = f", about {seconds:.0f} s left"
        count = f"{self._ended} of {self._total}: " if self._total else ""
        print(f"{count}{job} took {wall_s:.2f} s{left}", file=self._out, flush=True)

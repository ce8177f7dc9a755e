"""Progress: a bar with the time left on a terminal, plain lines elsewhere; always on stderr."""

from __future__ import annotations

import importlib
import sys
import time
from contextlib import suppress
from types import TracebackType
from typing import Any, Self, TextIO

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from tailrace.execution.execute import Job
from tailrace.text.names import visible

_LINE_EVERY_S = 10.0
_CELL_EVERY_S = 0.25
# Steps of a bar: it begins with a whole number of them.
_STEPS = 1000


def watch(*, quiet: bool, total: int = 0, what: str = "simulating") -> Monitor:
    """The watch that fits where stderr goes."""
    if quiet:
        return Monitor()
    if _in_notebook():
        return Cell(what, total)
    return Bar(what, total) if sys.stderr.isatty() else Lines(sys.stderr, total)


def _in_notebook() -> bool:
    """Whether a notebook's kernel runs this, which can change what it has displayed."""
    shell = sys.modules.get("IPython")
    found = shell.get_ipython() if shell else None
    return found is not None and hasattr(found, "kernel")


class Monitor:
    """Watches in silence; the others build on it."""

    def __init__(self, total: int = 0) -> None:
        # Numbers of runs: all, those found at the start, and those ended since.
        self._total = total
        self._found = 0
        self._ended = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Ends what `__enter__` began."""

    def found(self, runs: int) -> None:
        """Counts runs that are there already; the display begins with them."""
        self._found = min(runs, self._total)

    def progress(self, fraction: float) -> None:
        """The share of the other runs' simulated time that is done."""

    def ended(self, job: Job, wall_s: float) -> None:  # noqa: ARG002 - for those that say something
        """A job reached its end."""
        self._ended += 1

    def _share(self, fraction: float) -> float:
        """Share of all runs that is done, for a share of the remaining ones."""
        if not self._found:
            return fraction
        return (self._found + fraction * (self._total - self._found)) / self._total

    def _count(self) -> str:
        """Number of runs, where it says something."""
        return f", {self._found + self._ended} of {self._total} runs" if self._total > 1 else ""


class Bar(Monitor):
    """A bar with elapsed and remaining time. A terminal that was closed meanwhile ends no run."""

    def __init__(self, what: str, total: int) -> None:
        super().__init__(total)
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
        self._task = self._progress.add_task(what, total=_STEPS)

    def __enter__(self) -> Self:
        with suppress(OSError):
            self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with suppress(OSError):
            self._progress.stop()

    def found(self, runs: int) -> None:
        """The bar begins there, and the time left goes by what is done from now on."""
        super().found(runs)
        with suppress(OSError):
            self._progress.reset(self._task, completed=round(_STEPS * self._share(0.0)))

    def progress(self, fraction: float) -> None:
        """Moves the bar."""
        with suppress(OSError):
            self._progress.update(self._task, completed=_STEPS * self._share(fraction))


class Cell(Monitor):
    """A line below a notebook's cell, which changes in its place, and is gone when all has ended."""

    def __init__(self, what: str, total: int) -> None:
        super().__init__(total)
        self._what = what
        self._start = time.monotonic()
        self._last = -_CELL_EVERY_S
        self._shown: Any = None

    def __enter__(self) -> Self:
        # By name: where there is no notebook, there is no IPython to be checked against.
        display = importlib.import_module("IPython.display").display
        self._shown = display({"text/plain": f"{self._what} ..."}, raw=True, display_id=True)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._show("")

    def progress(self, fraction: float) -> None:
        """Changes the line if the last change is a moment ago."""
        now = time.monotonic() - self._start
        if now - self._last < _CELL_EVERY_S:
            return
        self._last = now
        left = f", about {now * (1 / fraction - 1):.0f} s left" if 0 < fraction < 1 else ""
        self._show(f"{self._what}: {100 * self._share(fraction):.0f} %{self._count()}{left}")

    def _show(self, text: str) -> None:
        if self._shown is not None:
            self._shown.update({"text/plain": text}, raw=True)


class Lines(Monitor):
    """A line now and then, with the time left, and one at the end: a log of hundreds of runs stays short."""

    def __init__(self, out: TextIO, total: int) -> None:
        super().__init__(total)
        self._out = out
        self._start = self._last = time.monotonic()

    def progress(self, fraction: float) -> None:
        """Writes a line if the last is long ago."""
        now = time.monotonic()
        if now - self._last < _LINE_EVERY_S or fraction >= 1:
            return
        self._last = now
        left = f", about {(now - self._start) * (1 / fraction - 1):.0f} s left" if fraction > 0 else ""
        self._say(f"{100 * self._share(fraction):.0f} %{self._count()}{left}")

    def ended(self, job: Job, wall_s: float) -> None:
        """Writes of the first run, which tells how long the others may take, and of the last."""
        super().ended(job, wall_s)
        asked = self._total - self._found
        if self._ended == asked and self._total > 1:
            self._say(f"{asked} of {self._total} runs took {time.monotonic() - self._start:.2f} s")
        elif self._ended == 1:
            count = f"{self._found + 1} of {self._total}: " if self._total > 1 else ""
            self._say(f"{count}{job} took {wall_s:.2f} s")

    def _say(self, text: str) -> None:
        with suppress(OSError):  # a closed terminal ends no run
            print(visible(text), file=self._out, flush=True)

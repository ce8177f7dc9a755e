"""A line on stderr about work that takes its time: what is going on, and since when."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType
from typing import Self

_NOTICE_EVERY_S = 1.0
_LINE_EVERY_S = 10.0


class WaitNotice:
    """A line on stderr if what it encloses takes longer than a second: what is going on, and since when.

    `what` is asked each second, since it may say how far things are.
    """

    def __init__(self, what: Callable[[], str], *, quiet: bool) -> None:
        self._what = what
        self._quiet = quiet
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Self:
        if not self._quiet:
            self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        if not self._quiet:
            self._thread.join()

    def _watch(self) -> None:
        """Renews the line each second on a terminal, and clears it at the end; elsewhere a line every ten seconds."""
        terminal = sys.stderr.isatty()
        seconds = 0
        while not self._over.wait(_NOTICE_EVERY_S):
            seconds += 1
            if terminal or seconds % _LINE_EVERY_S == 1:
                text = f"{self._what()} ({seconds} s)"
                self._write(f"\r{text}\x1b[K" if terminal else f"{text}\n")
        if terminal and seconds:
            self._write("\r\x1b[K")

    def _write(self, text: str) -> None:
        with suppress(OSError, ValueError):
            sys.stderr.write(text)
            sys.stderr.flush()

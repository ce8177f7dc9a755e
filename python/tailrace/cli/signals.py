"""Handling of Ctrl-C, SIGTERM and SIGHUP: at any moment one of three actions, and never a traceback.

While nothing is at stake they end the program at once (`quitting`). Within a command they raise `KeyboardInterrupt`,
so that it can clear up (`raising`). From the first run to the end of saving they are noted, so that what has ended is
kept (`Held`). Whoever insists is obeyed.
"""

import _thread
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType, TracebackType
from typing import NoReturn, Self

INTERRUPTED = 130
# A terminal that is closed sends SIGHUP, a job scheduler SIGTERM.
_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")

Handler = Callable[[int, FrameType | None], None] | signal.Handlers


@contextmanager
def quitting() -> Iterator[None]:
    """Ends the program at once, within and ever after: the interpreter's own end is no place for an exception."""
    _install(_quit)
    try:
        yield
    finally:
        _install(_quit)


def ignore() -> None:
    """Ignores them, at the very end: all is done, and the exit code says how it went."""
    _install(signal.SIG_IGN)


@contextmanager
def raising() -> Iterator[None]:
    """Raises `KeyboardInterrupt`."""
    hook, sys.unraisablehook = sys.unraisablehook, _unraisable
    before = _install(_raise)
    try:
        yield
    finally:
        _restore(before)
        sys.unraisablehook = hook


class Held:
    """Notes the first signal, raises `KeyboardInterrupt` at the second, and ends the program at the third."""

    def __init__(self) -> None:
        self.asked = 0
        self._before: dict[int, object] = {}

    def __bool__(self) -> bool:
        return self.asked > 0

    def __enter__(self) -> Self:
        self._before = _install(self._note)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _restore(self._before)

    def _note(self, number: int, frame: FrameType | None) -> None:
        if _swallowed.is_set():
            _raise(number, frame)
        self.asked += 1
        if self.asked == 1:
            _say("\ninterrupted: finished runs are kept; Ctrl-C again stops at once\n")
        elif self.asked == 2:  # noqa: PLR2004 - the second
            raise KeyboardInterrupt
        else:
            _quit(number, frame)


def _quit(_number: int, _frame: FrameType | None) -> NoReturn:
    _say("\ninterrupted\n")
    os._exit(INTERRUPTED)


def _raise(_number: int, _frame: FrameType | None) -> NoReturn:
    _swallowed.clear()
    raise KeyboardInterrupt


# Whether the next signal repeats one whose exception was swallowed.
_swallowed = threading.Event()
# Until then a destructor or a callback of a weak reference has ended.
_MOMENT_S = 0.01


def _unraisable(ignored: "sys.UnraisableHookArgs") -> None:
    """Repeats a signal that came within a destructor or a callback of a weak reference, which let no exception out."""
    if not issubclass(ignored.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(ignored)
        return
    _swallowed.set()
    threading.Thread(target=_repeat, daemon=True).start()


def _repeat() -> None:
    time.sleep(_MOMENT_S)
    _thread.interrupt_main(signal.SIGTERM)


def _say(text: str) -> None:
    """Past Python's streams: a handler may have come between two halves of a line."""
    with suppress(OSError):  # the terminal may be gone
        os.write(2, text.encode())


def _install(handler: Handler) -> dict[int, object]:
    """Installs a handler and returns the previous ones. Ignored signals (`nohup`, a shell's `&`) stay ignored."""
    if threading.current_thread() is not threading.main_thread():
        return {}
    numbers = [getattr(signal, name) for name in _NAMES if hasattr(signal, name)]
    before = {number: signal.getsignal(number) for number in numbers}
    heeded = {number: old for number, old in before.items() if old is not signal.SIG_IGN}
    for number in heeded:
        signal.signal(number, handler)
    return dict(heeded)


def _restore(before: dict[int, object]) -> None:
    for number, handler in before.items():
        signal.signal(number, handler)  # type: ignore[arg-type]

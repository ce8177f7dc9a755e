"""Draws many figures at once, in processes of their own: Matplotlib holds the interpreter's lock all the time.

A worker opens the result folders by itself, so that nothing large is sent to it.
"""

from __future__ import annotations

import multiprocessing
import signal
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeAlias

from tailrace.data import comparison
from tailrace.data.comparison import Comparison
from tailrace.data.result import Result
from tailrace.data.store import is_store
from tailrace.errors import UsageError
from tailrace.show.plots.figures import FORMATS, save_all
from tailrace.study.sweep_result import Sweep

Source: TypeAlias = Result | Comparison | Sweep

# With fewer figures for each process the time that another takes to start is not won back.
_WORTH = 5
_MOMENT_S = 0.2


@dataclass(frozen=True)
class Order:
    """Order to draw a figure: source folders, name and target."""

    places: tuple[Path, ...]
    names: tuple[str, ...]
    target: Path
    formats: tuple[str, ...] = FORMATS
    # Options of the source's `plot`.
    options: Mapping[str, Any] = field(default_factory=dict)
    # Names of files, where they are others than those of the figures.
    files: Mapping[str, str] = field(default_factory=dict)
    # Figures with options of their own: the metric of a file name, and the options.
    own: Mapping[str, tuple[str, Mapping[str, Any]]] = field(default_factory=dict)


def opened(places: tuple[Path, ...]) -> Source:
    """Content of folders: a sweep, a result, or several results to overlay."""
    if not any(map(is_store, places)):
        return comparison.opened(places)
    if len(places) > 1:
        raise UsageError("a sweep is drawn by itself; --by lays its values over each other")
    return Sweep.load(places[0])


def draw(order: Order, source: Source, jobs: int) -> None:
    """Draws and writes all figures of the order with so many processes, of which this is one."""
    others = min(jobs, len(order.names) // _WORTH) - 1
    if others < 1:
        for name in order.names:
            _draw_one(order, name, source)
        return
    with helpers(others) as pool:
        with deaf():
            todo = [(name, pool.submit(_drawn_elsewhere, order, name)) for name in order.names]
        # From the end, where the others have not begun.
        for name, future in reversed(todo):
            if future.cancel():
                _draw_one(order, name, source)
        _raise_first(future for _, future in todo if not future.cancelled())


def _draw_one(order: Order, name: str, source: Source) -> None:
    file = order.files.get(name, name)
    figure, options = order.own.get(name, (name, order.options))
    save_all({file: source.plot(figure, **options)}, order.target, order.formats)


def _drawn_elsewhere(order: Order, name: str) -> None:
    _draw_one(order, name, _kept(order.places))


@lru_cache(maxsize=1)
def _kept(places: tuple[Path, ...]) -> Source:
    """A worker draws several figures of one source."""
    return opened(places)


def _raise_first(futures: Iterator[Future[None]]) -> None:
    try:
        for future in futures:
            future.result()
    except BrokenProcessPool:
        # A signal to all processes ends helpers sooner than it is heard here.
        time.sleep(_MOMENT_S)
        raise UsageError(
            "a process that drew figures was ended from outside, as systems do that are short of memory; -j 1 draws "
            "them in one"
        ) from None


@contextmanager
def helpers(count: int) -> Iterator[ProcessPoolExecutor]:
    """Processes that begin anew: a copy of this one would have threads' locks, but not their threads."""
    pool = ProcessPoolExecutor(count, mp_context=multiprocessing.get_context("spawn"))
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)


@contextmanager
def deaf() -> Iterator[None]:
    """Helpers begun within are deaf to Ctrl-C, which is this process's to act on."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)

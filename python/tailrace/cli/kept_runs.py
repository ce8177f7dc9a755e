"""Runs of `run`, `compare` and `twin`: into a working store, and from there into results that are saved."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

import typer

from tailrace.cli import output_folder, signals
from tailrace.cli.common import say
from tailrace.cli.shared_options import RunOptions
from tailrace.data.comparison import Comparison
from tailrace.data.result import Result

if TYPE_CHECKING:
    from tailrace.data.working_store import WorkingStore
    from tailrace.execution import progress
    from tailrace.study.precision import Goals
    from tailrace.study.result_runs import Ended, Variants
    from tailrace.study.sweep_runner import Way

R = TypeVar("R", Result, Comparison)


@dataclass(frozen=True)
class Kept(Generic[R]):
    """Result of a command's runs, the place where it is saved, and the exit code so far."""

    result: R
    place: Path | None
    ended: "Ended"
    code: int
    held: signals.Held


def of(
    variants: "Variants",
    options: RunOptions,
    target: Path | None,
    made: "Callable[[Variants, WorkingStore, Ended], R]",
    goals: "Goals | None" = None,
) -> Kept[R]:
    """Does all runs that have not landed, and saves what is made of them.

    Until everything is saved, whoever stops this still gets what has ended.
    """
    from tailrace.data import working_store
    from tailrace.execution import progress
    from tailrace.study import result_runs

    def watched(total: int) -> "progress.Monitor":
        return progress.watch(quiet=options.quiet, total=total)

    with (
        _way(options) as way,
        signals.Held() as held,
        working_store.opened(target, fresh=options.fresh) as store,
    ):
        for note in store.notes:
            say(note)
        ended = result_runs.run(
            variants, store, goals=goals, way=way, watched=watched, stop=lambda: bool(held)
        )
        say_known(ended, quiet=options.quiet)
        code = exit_code_of(ended)
        result = made(variants, store, ended)
        place = output_folder.keep(result, target) if target else None
        if place:
            store.remove()
    return Kept(result, place, ended, final(code, held, lost=place != target), held)


@contextmanager
def _way(options: RunOptions) -> "Iterator[Way]":
    """Execution of the runs: on a cluster, or here, where an error in a scenario ends all."""
    from tailrace.study import dask_workers, sweep_runner

    if options.dask is None:
        yield sweep_runner.Here(options.jobs, refusing=True)
        return
    with dask_workers.way(options.dask, options.jobs) as way:
        yield way


def say_known(ended: "Ended", *, quiet: bool) -> None:
    """Notes that runs were found and not done again."""
    if ended.known and not quiet:
        rest = "" if ended.known == ended.runs else f", {ended.runs - ended.known} were to do"
        say(f"{ended.known} of {ended.runs} runs were already there{rest}; --fresh repeats all")


def exit_code_of(ended: "Ended") -> int:
    """Tells what went wrong; the exit code that follows from it. Ends here if there is nothing to keep."""
    for error in ended.errors:
        say(f"error: {error}")
    if ended.interrupted and not ended.landed:
        say("interrupted before any run had finished; nothing was written")
        raise typer.Exit(signals.INTERRUPTED)
    if ended.interrupted:
        say("interrupted: finished runs are kept")
        return signals.INTERRUPTED
    return 1 if ended.errors else 0


def final(code: int, held: signals.Held, *, lost: bool) -> int:
    """The exit code of a command whose runs are over, and whose result may stand elsewhere than asked."""
    if held and code != signals.INTERRUPTED:
        say("interrupted: all runs had finished and are kept")
    return signals.INTERRUPTED if held else code or int(lost)

"""What the commands share: options, messages, exit codes."""

import functools
import os
import re
import shutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, NoReturn, ParamSpec

import typer

from tailrace.errors import TailraceError, UsageError
from tailrace.execute import Outcome
from tailrace.scenario import Scenario, parse_assignments

INTERRUPTED = 130
# As a shell reports a program that a closed pipe ended.
BROKEN_PIPE = 141
_LONGEST_SLUG = 100

P = ParamSpec("P")

Sets = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="PATH=VALUE", help="Override a value, e.g. link.bottleneck.rate=10mbit. Repeatable."
    ),
]
Runs = Annotated[int | None, typer.Option("--runs", min=1, help="Replications [default: the file's].")]
Seed = Annotated[int | None, typer.Option("--seed", min=0, help="Base seed [default: the file's].")]
Jobs = Annotated[
    int | None, typer.Option("--jobs", "-j", min=1, help="Runs in parallel [default: processors].")
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing but errors.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON on stdout.")]
NoPlots = Annotated[bool, typer.Option("--no-plots", help="Write no figures.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would be run, and stop.")]


def guarded(function: Callable[P, None]) -> Callable[P, None]:
    """Turns what a user can cause into a message and an exit code, never a traceback."""

    @functools.wraps(function)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            function(*args, **kwargs)
            sys.stdout.flush()
        except TailraceError as error:
            say(error.shown)
            raise typer.Exit(error.exit_code) from None
        except KeyboardInterrupt:
            say("interrupted")
            raise typer.Exit(INTERRUPTED) from None
        except BrokenPipeError:
            _abandon_stdout()
            raise typer.Exit(BROKEN_PIPE) from None
        except OSError as error:
            # Folders are written by code that names them; what is left is stdout, on a full disk for one.
            _abandon_stdout()
            where = error.filename or "stdout"
            say(f"error: {where} cannot be written: {error.strerror or error}")
            raise typer.Exit(1) from None

    return wrapped


def _abandon_stdout() -> None:
    """The interpreter flushes stdout once more at its end; it must not fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def say(text: str) -> None:
    """Talk, as opposed to data."""
    typer.echo(text, err=True)


def fail(text: str) -> NoReturn:
    """A usage error."""
    raise UsageError(text)


def load(file: str, sets: Sequence[str] | None, seed: int | None = None, runs: int | None = None) -> Scenario:
    """The scenario of a file, or of stdin for `-`."""
    from tailrace.api import merged

    overrides = merged(parse_assignments(sets or []), seed, runs)
    if file == "-":
        return Scenario(sys.stdin.read(), "stdin", overrides)
    if Path(file).is_dir():
        fail(f"{file} is a folder, not a scenario file")
    return Scenario.of(Path(file), overrides)


def show(*renderables: object) -> None:
    """Prints tables on stdout, wide enough for their numbers when nobody's window limits them."""
    from rich.console import Console

    class Piped(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

    console = Piped(width=None if sys.stdout.isatty() else 160, highlight=False)
    for renderable in renderables:
        console.print(renderable)


def exit_code_of(outcome: Outcome) -> int:
    """Tells what went wrong; the exit code that follows from it. Ends here if there is nothing to keep."""
    for error in outcome.errors:
        say(f"error: {error}")
    if outcome.interrupted and not any(outcome.finished):
        say("interrupted before a run had ended; nothing was written")
        raise typer.Exit(INTERRUPTED)
    if outcome.interrupted:
        say("interrupted: the runs that had ended are kept")
        return INTERRUPTED
    return 1 if outcome.errors else 0


def program() -> str:
    """How the user can call this program again."""
    on_path = shutil.which("tailrace")
    called = Path(sys.argv[0])
    if on_path is None and called.name == "tailrace":
        return os.path.relpath(called)
    return "tailrace" if on_path else f"{os.path.relpath(sys.executable)} -m tailrace"


def slug(name: str) -> str:
    """A scenario's name as a folder name, which file systems limit."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name)[:_LONGEST_SLUG].strip("-.") or "result"

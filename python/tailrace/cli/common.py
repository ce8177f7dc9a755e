"""Options, messages and exit codes that the commands share."""

import functools
import os
import shlex
import shutil
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn, ParamSpec

import typer

from tailrace.cli import signals
from tailrace.cli.signals import INTERRUPTED
from tailrace.errors import TailraceError, UsageError
from tailrace.scenario.scenario import Scenario, parse_assignments
from tailrace.text.names import visible
from tailrace.text.text_table import PIPED_WIDTH

if TYPE_CHECKING:
    from tailrace.scenario.scenario import Algorithms

# Exit code that a shell reports of a program ended by a closed pipe.
BROKEN_PIPE = 141

P = ParamSpec("P")


def offered(what: str) -> Callable[[typer.Context, str], list[tuple[str, str]]]:
    """Offers of the Tab key, from the function of `completion` with this name; that module loads when the key is
    pressed.
    """

    def offers(ctx: typer.Context, incomplete: str) -> list[tuple[str, str]]:
        from tailrace.cli import completion

        found: list[tuple[str, str]] = getattr(completion, what)(ctx, incomplete)
        return found

    return offers


Sets = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="PATH=VALUE",
        help="Change a value of the scenario, e.g. link.bottleneck.rate=10mbit. Repeatable.",
        autocompletion=offered("one_value"),
    ),
]
Allow = Annotated[
    list[str] | None,
    typer.Option(
        "--allow",
        metavar="CODE",
        help="Do not show warnings with this code, e.g. queue-stays-empty. Repeatable, or "
        "separated by commas.",
    ),
]
With = Annotated[
    list[str] | None,
    typer.Option(
        "--with",
        metavar="FILE.py",
        help="A Python file with your own algorithms, which the scenario can then use by name. Repeatable.",
    ),
]
Runs = Annotated[
    int | None,
    typer.Option(
        "--runs",
        metavar="N",
        min=1,
        help="Number of runs, each with another random seed [default: the file's].",
    ),
]
UntilCi = Annotated[
    str | None,
    typer.Option(
        "--until-ci",
        metavar="METRIC=SHARE",
        help="Add runs until half the 95 % interval is at most this share of the mean, e.g. goodput=5%.",
    ),
]
MaxRuns = Annotated[
    int | None,
    typer.Option("--max-runs", metavar="N", min=1, help="The most runs for --until-ci [default: 100]."),
]
Seed = Annotated[
    int | None,
    typer.Option(
        "--seed",
        metavar="N",
        min=0,
        help="Seed from which those of all runs are computed [default: the file's].",
    ),
]
Jobs = Annotated[
    int | None,
    typer.Option(
        "--jobs",
        "-j",
        metavar="N",
        min=1,
        help="Number of runs at the same time [default: the number of processors].",
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only.")]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
Figures = Annotated[
    str | None,
    typer.Option(
        "--figures",
        metavar="NAME,NAME,...",
        help="Figures to draw, or all [default: the most useful ones].",
    ),
]
Queue = Annotated[
    str | None,
    typer.Option(
        "--queue",
        metavar="A->B",
        help="The queue to show, by its name in results [default: the one with most drops].",
    ),
]
NoPlots = Annotated[bool, typer.Option("--no-plots", help="Do not draw figures.")]
Fresh = Annotated[
    bool,
    typer.Option(
        "--fresh", help="Repeat all runs. Without it, runs that are already in the folder are not repeated."
    ),
]
TrustPrograms = Annotated[
    bool,
    typer.Option(
        "--trust-programs",
        help="Let programs of hosts with kernels read what their `files` name anywhere, take kernels that were not "
        "built here, and run them also on systems that cannot confine them (without Landlock).",
    ),
]
Force = Annotated[bool, typer.Option("--force", help="Replace files of others that are there already.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show what would be run, without running it.")]


def guarded(function: Callable[P, None]) -> Callable[P, None]:
    """Turns what a user can cause into a message and an exit code, never a traceback."""

    @functools.wraps(function)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            with signals.raising():
                function(*args, **kwargs)
                sys.stdout.flush()
        except TailraceError as error:
            say(error.shown)
            raise typer.Exit(error.exit_code) from None
        except KeyboardInterrupt:
            say("interrupted")
            raise typer.Exit(INTERRUPTED) from None
        except BrokenPipeError:
            abandon_stdout()
            raise typer.Exit(BROKEN_PIPE) from None
        except OSError as error:
            # Folders are written by code that names them; what is left is stdout, on a full disk for one.
            abandon_stdout()
            where = error.filename or "stdout"
            say(f"error: {where} cannot be written: {error.strerror or error}")
            raise typer.Exit(1) from None

    return wrapped


def abandon_stdout() -> None:
    """The interpreter flushes stdout once more at its end; it must not fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def say(text: str) -> None:
    """Talk, as opposed to data. Who cannot be told any more (the terminal was closed) is not what a run ends at."""
    with suppress(OSError):
        typer.echo(visible(text), err=True)


def echo(text: str) -> None:
    """Data for people; names in it cannot steer their terminal."""
    typer.echo(visible(text))


def fail(text: str) -> NoReturn:
    """A usage error."""
    raise UsageError(text)


def nearest(word: str, names: Iterable[str], command: str) -> str:
    """The name that was meant, as a command to give."""
    import difflib  # only when something is wrong

    close = difflib.get_close_matches(word, list(names), n=1)
    return f"; did you mean tailrace {command} {close[0]}?" if close else ""


def load(
    file: str,
    sets: Sequence[str] | None,
    seed: int | None = None,
    runs: int | None = None,
    allow: Sequence[str] | None = None,
    with_files: Sequence[str] | None = None,
) -> Scenario:
    """The scenario of a file, or of stdin for `-`."""
    from tailrace.api import merged

    overrides = merged(parse_assignments(sets or []), seed, runs)
    codes = [code for text in allow or [] for code in listed(text)]
    if file == "-":
        return Scenario(sys.stdin.read(), "stdin", overrides, allow=codes, algorithms=own_classes(with_files))
    if Path(file).is_dir():
        fail(f"{file} is a folder, not a scenario file")
    return Scenario.of(Path(file), overrides, codes, own_classes(with_files))


def own_classes(with_files: Sequence[str] | None) -> "Algorithms":
    """The classes of the files after `--with`."""
    if not with_files:
        return ()
    from tailrace.scenario import plugins

    return [each for file in with_files for each in plugins.load(file)]


def show(*renderables: object) -> None:
    """Prints tables on stdout, wide enough for their numbers when nobody's window limits them."""
    from rich.console import Console

    class Piped(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

    console = Piped(width=None if sys.stdout.isatty() else PIPED_WIDTH, highlight=False)
    for renderable in renderables:
        console.print(renderable)


def listed(text: str | None) -> list[str]:
    """The words of an option that takes several, with commas; a path's name has spaces: `wifi to eth1.goodput`."""
    return [word for word in map(str.strip, (text or "").split(",")) if word]


def quoted(place: Path) -> str:
    """A path as a shell takes it."""
    return shlex.quote(str(place))


def again() -> str:
    """The command that continues the one that is running, as a shell takes it: `--fresh` would begin anew."""
    return f"{program()} {shlex.join(word for word in sys.argv[1:] if word != '--fresh')}"


def program() -> str:
    """Command with which the user can call this program again."""
    on_path = shutil.which("tailrace")
    called = Path(sys.argv[0])
    if on_path is None and called.name == "tailrace":
        return shlex.quote(os.path.relpath(called))
    return "tailrace" if on_path else f"{shlex.quote(os.path.relpath(sys.executable))} -m tailrace"

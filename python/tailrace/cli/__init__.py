"""The command line: `tailrace run | check | compare | plot | export | list | schema | doctor`.

Data goes to stdout, talk to stderr. Exit codes: 0 ok, 1 a run failed, 2 usage or scenario error, 3 some cells of a
sweep failed, 4 a comparison did not hold, 130 interrupted with state kept.
"""

import os
import signal
import sys
from pathlib import Path
from types import FrameType
from typing import Annotated, NoReturn

import typer

from tailrace.cli import check, compare, doctor, export, listing, plot, run
from tailrace.cli.common import guarded

app = typer.Typer(
    name="tailrace",
    help="A network lab for queue disciplines, TCP and Multipath TCP.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("run")(run.run)
app.command("check")(check.check)
app.command("compare")(compare.compare)
app.command("plot")(plot.plot)
app.add_typer(export.app, name="export")
app.command("list")(listing.listing)
app.command("schema")(listing.schema)
app.command("doctor")(doctor.doctor)


@guarded
def _version(value: bool) -> None:
    if value:
        from tailrace import __version__

        typer.echo(f"tailrace {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """A network lab for queue disciplines, TCP and Multipath TCP."""


def _terminate(_number: int, _frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt


def main() -> None:
    """The entry point."""
    # A job scheduler's SIGTERM deserves the same care as Ctrl-C: what ended is kept.
    signal.signal(signal.SIGTERM, _terminate)
    # Started without an open stdout or stderr, Python has None in their place.
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115 - open to the end
    # A terminal that cannot show ± must not end a run in an error.
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    app()

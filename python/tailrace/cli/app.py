"""The commands, put together."""

import os
import sys
import threading
from pathlib import Path
from typing import Annotated

import typer

from tailrace import execute
from tailrace.cli import (
    check,
    compare,
    doctor,
    export,
    kernel,
    listing,
    merge,
    plot,
    report,
    reproduce,
    run,
    search,
    sweep,
    twin,
)
from tailrace.cli.common import guarded

app = typer.Typer(
    name="tailrace",
    help="A network lab for queue disciplines, TCP and Multipath TCP.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    # Rich would take "[default: ...]" in a help text for markup.
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("run")(run.run)
app.command("check")(check.check)
app.command("sweep")(sweep.sweep)
app.command("merge")(merge.merge)
app.command("search")(search.search)
app.command("compare")(compare.compare)
app.command("twin")(twin.twin)
app.command("plot")(plot.plot)
app.command("report")(report.report)
app.command("reproduce")(reproduce.reproduce)
app.add_typer(export.app, name="export")
app.add_typer(kernel.app, name="kernel")
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


def main() -> None:
    """Runs the command that the arguments name, and ends the program."""
    # Started without an open stdout or stderr, Python has None in their place.
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115 - open to the end
    # A terminal that cannot show ± must not end a run in an error.
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    try:
        app()
    except SystemExit as end:
        _leave_behind_what_is_stuck(end.code)
        raise


def _leave_behind_what_is_stuck(code: object) -> None:
    """A run that could not be stopped must not be met by the interpreter's end: threads die badly there."""
    if any(thread.name == execute.WORKER and thread.is_alive() for thread in threading.enumerate()):
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os._exit(code if isinstance(code, int) else 0 if code is None else 1)

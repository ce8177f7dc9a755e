"""The commands, put together."""

import os
import sys
import threading
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer

from tailrace.cli import group, shells

# Where each command is, and the first sentence of its help: only the command that is asked for is loaded.
COMMANDS = {
    "run": ("run.run", "Run a scenario: prints a table, writes a result folder and figures."),
    "check": (
        "check.check",
        "Check scenarios without running them: errors with line and column, and warnings.",
    ),
    "migrate": (
        "migrate.migrate",
        "Move keys of older scenario files to where they belong now. Comments and layout stay.",
    ),
    "sweep": (
        "sweep.sweep",
        "Run a scenario for every combination of values. The same command continues after an interruption.",
    ),
    "merge": ("merge.merge", "Combine the shares of a sweep that several machines have run."),
    "search": (
        "search.search",
        "Find the values that make a metric largest or smallest. The same command continues after an interruption.",
    ),
    "compare": (
        "compare.compare",
        "Compare variants of a scenario, or result folders: a table and figures; for two "
        "folders the differences.",
    ),
    "twin": (
        "twin.twin",
        "Run a scenario twice, simulated and with Linux kernels as hosts, and show how much TCP differs.",
    ),
    "plot": (
        "plot.plot",
        "Draw figures from result folders, or from the folder of a sweep.",
    ),
    "report": (
        "report.report",
        "Write a report of results as one HTML page, with findings in words, figures, "
        "tables and the scenario.",
    ),
    "reproduce": (
        "reproduce.reproduce",
        "Run the scenarios of published papers and judge each claim. The same command "
        "continues after an interruption.",
    ),
    "bundle": (
        "bundle.bundle",
        "Pack result folders into one archive that another machine can confirm: scenarios, seeds, "
        "fingerprints, versions.",
    ),
    "verify": (
        "bundle.verify",
        "Run what a bundle holds again and compare every fingerprint.",
    ),
    "init": (
        "example.init",
        "Write an example to start from: a scenario file, or the folder of a paper.",
    ),
    "example": ("example.app", "List and show the examples that `tailrace init` can write."),
    "list": (
        "listing.listing",
        "List queue disciplines, congestion controls and everything else that a scenario can name.",
    ),
    "schema": (
        "listing.schema",
        "Print the JSON Schema of scenario files, with which editors can complete and check them.",
    ),
    "doctor": ("doctor.doctor", "Check that this machine has everything that tailrace needs."),
    "export": ("export.app", "Convert results, or a scenario's queues, to the formats of other tools."),
    "import": ("import_files.app", "Write a scenario of what other programs print, configure or record."),
    "explain": (
        "explain.explain",
        "Hold a pasted report against the model: which statements it confirms, which it contradicts, what is missing.",
    ),
    "kernel": ("kernel.app", "Build and check Linux kernels, which hosts of a scenario can run."),
}

# The variable by which a shell asks how words go on.
COMPLETE = "_TAILRACE_COMPLETE"


def application(loaded: Callable[[str], bool] = bool) -> typer.Typer:
    """The commands; of those that are not loaded, names and what they do."""
    app = typer.Typer(
        name="tailrace",
        cls=group.Group,
        help="A network lab for queue disciplines, TCP and Multipath TCP.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        # Rich would take "[default: ...]" in a help text for markup.
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_options)
    shells.teach()
    for name, (place, does) in COMMANDS.items():
        if not loaded(name):
            app.command(name, help=does)(_not_loaded)
            continue
        module, entry = place.split(".")
        found = getattr(import_module(f"tailrace.cli.{module}"), entry)
        if isinstance(found, typer.Typer):
            app.add_typer(found, name=name)
        else:
            app.command(name)(found)
    return app


def _not_loaded() -> None:
    raise AssertionError("a command that is run is loaded")


def _version(value: bool) -> None:
    if value:
        from tailrace._native import __version__
        from tailrace.cli.common import guarded

        guarded(typer.echo)(f"tailrace {__version__}")
        raise typer.Exit


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
        application(_asked_for())()
    except SystemExit as end:
        _leave_behind_what_is_stuck(end.code)
        raise


def _asked_for() -> Callable[[str], bool]:
    """Tests for names on the command line, or on one that a shell asks about for the Tab key."""
    words = sys.argv[1:]
    if COMPLETE in os.environ:
        words = (os.environ.get("COMP_WORDS") or os.environ.get("_TYPER_COMPLETE_ARGS", "")).split()[1:]
        # Typer would have Rich write every line of the answer, for its markup, of which there is none.
        sys.modules["rich"] = None  # type: ignore[assignment]
    word = next((word for word in words if not word.startswith("-")), None)
    return lambda name: name == word


def _leave_behind_what_is_stuck(code: object) -> None:
    """A run that could not be stopped must not be met by the interpreter's end: threads die badly there."""
    execute = sys.modules.get("tailrace.execution.execute")
    if execute and any(
        thread.name == execute.WORKER and thread.is_alive() for thread in threading.enumerate()
    ):
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os._exit(code if isinstance(code, int) else 0 if code is None else 1)

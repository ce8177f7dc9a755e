"""`tailrace migrate`: moves keys of older scenario files to where they belong now."""

import difflib
import os
import shutil
import sys
from pathlib import Path
from typing import Annotated

import typer

from tailrace import _native
from tailrace.cli import common
from tailrace.cli.common import guarded, say
from tailrace.errors import ScenarioError, UsageError
from tailrace.system import atomic_file


@guarded
def migrate(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE...", help="Scenario files (TOML), or - for stdin, which goes to stdout."
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", metavar="FILE", help="Write to this file instead, if there is one FILE."
        ),
    ] = None,
    diff: Annotated[
        bool,
        typer.Option(
            "--diff", help="Show the changes and write nothing. The exit code is 1 if there are any."
        ),
    ] = False,
    force: common.Force = False,
    quiet: common.Quiet = False,
) -> None:
    """Move keys of older scenario files to where they belong now. Comments and layout stay."""
    if output is not None and (diff or len(files) > 1):
        common.fail("--output goes with one FILE, and without --diff")
    code = 0
    for file in files:
        try:
            text, moved = _migrated(file)
        except UsageError as error:
            code = error.exit_code
            say(error.shown)
            continue
        if diff:
            code = max(code, int(_show(file, text[0], text[1])))
        elif file == "-" and output is None:
            sys.stdout.write(text[1])
        elif output is not None or moved:
            if output is not None and not force and not _is_same(output, file):
                atomic_file.check_free(output, text[1].encode())
            _write(output or Path(file), text[1])
        if not (quiet or diff):
            done = f"`behaviour` has {', '.join(moved)}" if moved else "nothing to move"
            say(f"{file}: {done}")
    if code:
        raise typer.Exit(code)


def _is_same(output: Path, file: str) -> bool:
    return file != "-" and output.exists() and output.samefile(file)


def _migrated(file: str) -> tuple[tuple[str, str], list[str]]:
    """The text before and after, and the keys that were moved."""
    try:
        # Line ends stay as they are.
        before = sys.stdin.read() if file == "-" else Path(file).read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{file} cannot be read: {getattr(error, 'strerror', None) or error}") from None
    try:
        after, moved = _native.migrate(before, "stdin" if file == "-" else file)
    except _native.ScenarioError as error:
        raise ScenarioError(str(error.args[0])) from None
    return (before, after), moved


def _show(file: str, before: str, after: str) -> bool:
    """Prints the changes; whether there are any."""
    lines = difflib.unified_diff(
        before.splitlines(keepends=True),
        after.splitlines(keepends=True),
        f"{file} (before)",
        f"{file} (after)",
    )
    shown = "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)
    typer.echo(shown, nl=False)
    return bool(shown)


def _write(place: Path, text: str) -> None:
    """Replaces the file as a whole: if that fails, the old one is still there."""
    target = place.resolve()
    beside = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        beside.write_bytes(text.encode("utf-8"))
        if target.exists():
            shutil.copymode(target, beside)
        beside.replace(target)
    finally:
        beside.unlink(missing_ok=True)

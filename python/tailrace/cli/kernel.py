"""`tailrace kernel`: the Linux kernels that hosts of a scenario can run."""

import json as json_text
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from tailrace.cli import common, doctor, group
from tailrace.cli.common import guarded, say

app = typer.Typer(
    cls=group.Group,
    help="Build and check Linux kernels, which hosts of a scenario can run.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.command("build")
@guarded
def build(
    version: Annotated[str, typer.Argument(metavar="VERSION", help="Version of Linux: 6.12, or 6.12.117.")],
    source: Annotated[
        Path | None,
        typer.Option(
            "--source",
            metavar="PATH",
            help="The kernel's source: an archive or a folder [default: found in /usr/src].",
        ),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs",
            "-j",
            metavar="N",
            min=1,
            help="Number of compilers at the same time [default: the number of processors].",
        ),
    ] = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Build it again, even if it was already built or started.")
    ] = False,
    quiet: common.Quiet = False,
) -> None:
    """Build a kernel from unchanged source; needs no root. The same command continues after an interruption."""
    from tailrace.kernels import build_kernel, source_location

    def say_unless_quiet(text: str) -> None:
        if not quiet:
            say(text)

    @contextmanager
    def progress(what: str) -> Iterator[Callable[[float], None]]:
        from tailrace.execution import progress as progress_bar

        say_unless_quiet(f"{what}: some minutes, on two processors 4 to 9")
        with progress_bar.watch(quiet=quiet, what=what) as watch:
            yield watch.progress

    messages = build_kernel.BuildMessages(say_unless_quiet, progress)
    location = source_location.find(version, source)
    kernel = build_kernel.build(version, location, jobs or os.cpu_count() or 1, messages, fresh=fresh)
    common.echo(f"Linux {kernel.version}: {kernel.path}")


@app.command("list")
@guarded
def list_kernels(json: common.Json = False) -> None:
    """List the kernels that have been built, the newest first, by the names that scenarios use."""
    from tailrace.kernels import kernel_store

    kernels = kernel_store.kernels()
    named = list(zip(kernel_store.names(kernels), kernels, strict=True))
    if json:
        typer.echo(json_text.dumps([kernel.as_dict() | {"name": name} for name, kernel in named], indent=2))
        return
    if not kernels:
        say(f"no kernel in {kernel_store.folder()}: tailrace kernel build 6.12 builds one")
        return
    rows = [
        (
            name,
            kernel.version,
            kernel.sha256[: kernel_store.SHOWN_DIGITS],
            f"{kernel.size / 1e6:.1f} MB",
            _to_the_minute(kernel.built),
            str(kernel.path),
        )
        for name, kernel in named
    ]
    headings = ("name", "version", "sha256", "size", "built (UTC)", "path")
    widths = [max(map(len, column)) for column in zip(headings, *rows, strict=True)]
    for row in (headings, *rows):
        common.echo("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


@app.command("check")
@guarded
def check(
    name: Annotated[
        str | None,
        typer.Argument(metavar="[NAME]", help="Name of a kernel, or its path [default: all kernels]."),
    ] = None,
    json: common.Json = False,
) -> None:
    """Check whether this machine can run kernels as hosts, and what to do if it cannot."""
    from tailrace.kernels import boot_check, kernel_store, run_requirements
    from tailrace.system.diagnosis import Finding

    chosen = [kernel_store.find(name)] if name is not None else kernel_store.kernels()
    findings = [
        *run_requirements.check(),
        *(finding for kernel in chosen for finding in boot_check.check(kernel)),
    ]
    if not chosen:
        findings.append(
            Finding(
                "FAIL", "kernel", f"none in {kernel_store.folder()}: tailrace kernel build 6.12 builds one"
            )
        )
    doctor.report(findings, json=json)


def _to_the_minute(built: str) -> str:
    """Time of a build from ISO 8601 (2026-11-23T11:30:05+00:00) to the minute (2026-11-23 11:30)."""
    return built[:16].replace("T", " ") or "?"

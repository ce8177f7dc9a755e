"""`tailrace export csv`, `flent`, `flowmonitor`, `qlog`, `mahimahi`: results for other tools."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tailrace.cli import common
from tailrace.cli.common import guarded, say

if TYPE_CHECKING:
    from tailrace.export.run_source import Run

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="Folder of a result, comparison or sweep.")]
RunNumber = Annotated[int, typer.Option("--run", metavar="N", min=1, help="Number of the run.")]
Cell = Annotated[
    str | None,
    typer.Option(
        "--cell", metavar="LABEL", help="Label of the cell of a sweep, or of the variant of a comparison."
    ),
]
Flows = Annotated[
    str | None, typer.Option("--flows", metavar="tcp[0..3],...", help="Flows to export [default: all].")
]


def _file(suffixes: str) -> typer.models.OptionInfo:
    option: typer.models.OptionInfo = typer.Option(
        "--output", "-o", metavar="FILE", help=f"File to write ({suffixes})."
    )
    return option


@guarded
def csv(
    folder: Folder,
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", metavar="DIR", help="Folder to write; it gets one file for each table."
        ),
    ],
    force: common.Force = False,
) -> None:
    """Write all tables as CSV files."""
    from tailrace.export import csv_tables

    written = csv_tables.write(folder, output, force=force)
    say(f"{len(written)} tables are in {output}")


@guarded
def flent(
    folder: Folder,
    output: Annotated[Path, _file(".flent.gz")],
    run: RunNumber = 1,
    cell: Cell = None,
    force: common.Force = False,
) -> None:
    """Write goodput, round trips and windows of a run as a flent data file."""
    from tailrace.export import flent as form

    _write(
        folder,
        output,
        (run, cell),
        form.SUFFIXES,
        lambda found: form.document(found, output.name),
        force=force,
    )


@guarded
def flowmonitor(
    folder: Folder,
    output: Annotated[Path, _file(".xml")],
    run: RunNumber = 1,
    cell: Cell = None,
    force: common.Force = False,
) -> None:
    """Write the totals of a run's flows in the format of ns-3's FlowMonitor."""
    from tailrace.export import flowmonitor as form

    _write(
        folder, output, (run, cell), form.SUFFIXES, lambda found: form.document(found).encode(), force=force
    )


@guarded
def qlog(
    folder: Folder,
    output: Annotated[Path, _file(".qlog or .sqlog")],
    run: RunNumber = 1,
    cell: Cell = None,
    flows: Flows = None,
    force: common.Force = False,
) -> None:
    """Write windows and round-trip times of a run's TCP flows as qlog."""
    from tailrace.export import qlog as form

    _write(
        folder,
        output,
        (run, cell),
        form.SUFFIXES,
        lambda found: form.document(found, output.suffix, flows).encode(),
        force=force,
    )


@guarded
def mahimahi(
    source: Annotated[
        Path,
        typer.Argument(metavar="DIR|FILE", help="Folder of a result, or a scenario file."),
    ],
    link: Annotated[
        str,
        typer.Option(
            "--link", metavar="NAME", help="A link (its forward direction), or one direction: r1->r2."
        ),
    ],
    output: Annotated[Path, _file("any name")],
    force: common.Force = False,
) -> None:
    """Write the times at which a link could deliver, as a trace for Mahimahi's mm-link."""
    from tailrace.export import mahimahi as form
    from tailrace.system import atomic_file

    lines = form.document(source, link)
    atomic_file.write(output, lines.encode(), force=force)
    say(f"{lines.count(chr(10))} opportunities of {link} are in {output}")


def _write(
    folder: Path,
    output: Path,
    choice: tuple[int, str | None],
    suffixes: Sequence[str],
    made: Callable[[Run], bytes],
    *,
    force: bool,
) -> None:
    from tailrace.export import run_source
    from tailrace.system import atomic_file

    atomic_file.check_suffix(output, suffixes)
    number, label = choice
    found = run_source.of(folder, number, label)
    atomic_file.write(output, made(found), force=force)
    say(f"run {found.number} of {found.title} is in {output}")

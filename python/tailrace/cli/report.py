"""`tailrace report`: what a folder holds as one page."""

from pathlib import Path
from typing import Annotated

import typer

from tailrace.cli import common
from tailrace.cli.common import guarded, say


@guarded
def report(
    folder: Annotated[
        Path,
        typer.Argument(metavar="DIR", help="Folder of a result, comparison, sweep, search or reproduction."),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="File to write (.html) [default: DIR/report.html]."
        ),
    ] = None,
    quiet: common.Quiet = False,
) -> None:
    """Write a report of results as one HTML page, with findings in words, figures, tables and the scenario."""
    from tailrace.reproduce import report_page
    from tailrace.show import report as reports  # Matplotlib takes half a second
    from tailrace.show.report.destination import NAME

    target = output or folder / NAME
    if folder.is_dir():
        reports.check_target(target)
    found = report_page.report(folder) if report_page.is_folder(folder) else reports.of_folder(folder)
    written = found.save(target)
    if not quiet:
        size = written.stat().st_size / 1e6
        say(f"the report is in {written} ({size:.1f} MB): open it in a browser; it needs no network")

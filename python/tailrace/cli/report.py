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
    columns: Annotated[
        str | None,
        typer.Option(
            "--columns",
            metavar="METRIC,...",
            help="Metrics that the page answers with, the first largest, e.g. voice.mos,delay_p99.",
        ),
    ] = None,
    baseline: Annotated[
        str | None,
        typer.Option(
            "--baseline",
            metavar="VARIANT",
            help="What others are compared with: a variant, or PARAMETER=VALUE of a sweep [default: the first].",
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
    names = common.listed(columns)
    if report_page.is_folder(folder):
        if names or baseline:
            common.fail(
                f"{folder} is of a paper, whose claims say what is compared: leave out --columns and --baseline"
            )
        found = report_page.report(folder)
    else:
        found = reports.of_folder(folder, names, baseline or "")
    written = found.save(target)
    if not quiet:
        size = written.stat().st_size / 1e6
        say(f"the report is in {written} ({size:.1f} MB): open it in a browser; it needs no network")

"""`tailrace search`: the values at which a metric is largest, or smallest."""

from typing import TYPE_CHECKING, Annotated

import typer

from tailrace.cli import common, output_folder, signals, table_options
from tailrace.cli.common import guarded, say
from tailrace.cli.run import on_a_closed_terminal, warn
from tailrace.cli.shared_options import RunOptions, spread
from tailrace.cli.sweep import FAILED

if TYPE_CHECKING:
    from tailrace.study.search_driver import Wanted
    from tailrace.study.search_result import Search


@guarded
@spread("results/<name>-search")
def search(  # noqa: PLR0913, PLR0917 - the options of the command
    file: Annotated[str, typer.Argument(metavar="FILE", help="Scenario file (TOML).")],
    options: RunOptions,
    maximize: Annotated[
        str | None,
        typer.Option(
            "--maximize", metavar="METRIC", help="The metric to make as large as possible, e.g. tcp.goodput."
        ),
    ] = None,
    minimize: Annotated[
        str | None,
        typer.Option(
            "--minimize", metavar="METRIC", help="The metric to make as small as possible, e.g. tcp.rtt_p99."
        ),
    ] = None,
    over: Annotated[
        list[str] | None,
        typer.Option(
            "--over",
            metavar="PATH=V,V,...",
            help="A value to search: a list, or a range, PATH=uniform(A, B) or log_uniform(A, B). "
            "Repeatable.",
            autocompletion=common.offered("several_values"),
        ),
    ] = None,
    let: Annotated[
        list[str] | None,
        typer.Option(
            "--let", metavar="NAME=V,...", help="The same for a variable that formulas use. Repeatable."
        ),
    ] = None,
    derive: Annotated[
        list[str] | None,
        typer.Option(
            "--derive",
            metavar="PATH=FORMULA",
            help="A value that is computed from others. Repeatable.",
            autocompletion=common.offered("path_alone"),
        ),
    ] = None,
    when: Annotated[
        list[str] | None,
        typer.Option("--when", metavar="FORMULA", help="Do not run trials for which this is false."),
    ] = None,
    subject_to: Annotated[
        list[str] | None,
        typer.Option(
            "--subject-to",
            metavar="FORMULA",
            help="A condition for the best trial, which can use metrics. Repeatable.",
        ),
    ] = None,
    trials: Annotated[
        int, typer.Option("--trials", metavar="N", min=1, help="Total number of trials.")
    ] = 100,
    sampler: Annotated[
        str, typer.Option("--sampler", metavar="NAME", help="Sampler of trials: tpe or random.")
    ] = "tpe",
    batch: Annotated[
        int, typer.Option("--batch", metavar="N", min=1, help="Number of trials chosen at a time.")
    ] = 4,
) -> None:
    """Find the values that make a metric largest or smallest. The same command continues after an interruption."""
    from tailrace.data.store import Writer
    from tailrace.execution import progress
    from tailrace.study import dask_workers, declaration, search_checks, search_driver
    from tailrace.study.search_result import Search

    quiet, form = options.quiet, table_options.form_of(options.form, json=options.json)
    wanted = search_driver.Wanted(
        *search_driver.goal(maximize, minimize),
        over=declaration.searched("--over", over or []),
        let=declaration.searched("--let", let or []),
        derive=declaration.derived(derive or []),
        when=when or [],
        subject_to=subject_to or [],
        trials=trials,
        sampler=sampler,
        batch=batch,
    ).checked()
    scenario = options.load(file)
    search_checks.check(wanted, scenario)
    target = options.output or output_folder.default_place(scenario, "-search", _said(wanted, over, let))
    if not quiet:
        warn(scenario.warnings)
    about = {"scenario": scenario.name, "file": scenario.file_name}
    with (
        dask_workers.way(options.dask, options.jobs) as way,
        signals.Held() as held,
        Writer.opened(target, about, fresh=options.fresh) as writer,
    ):
        for note in writer.notes:
            say(note)
        hunt = search_driver.Hunt(scenario, wanted, writer)
        with progress.watch(quiet=quiet, total=trials * scenario.runs) as watch:
            interrupted = hunt.run(way, watch, lambda: bool(held))
    if interrupted:
        say(f"interrupted: finished trials are in {target}; to continue:\n  {common.again()}")
        raise typer.Exit(signals.INTERRUPTED)
    with on_a_closed_terminal(held):
        _end(Search.load(target), form=form, quiet=quiet)


def _said(wanted: "Wanted", over: list[str] | None, let: list[str] | None) -> list[str]:
    """Options that tell one search from another, as part of the folder's name."""
    goal = f"{'max' if wanted.maximize else 'min'}={wanted.goal}"
    plan = [wanted.sampler] if wanted.sampler != "tpe" else []
    more = [*wanted.derive.values(), *wanted.when, *wanted.subject_to]
    return [goal, *(over or []), *(let or []), *more, *plan]


def _end(found: "Search", *, form: str | None, quiet: bool) -> None:
    """The tables, and the command that runs the best."""
    table, best = found.write_tables()
    if form or not quiet:
        table_options.show(table if form else best, form)
    if not found.has_best:
        say(f"none of the trials meets the conditions; all of them are in {found.place}/table.csv")
        raise typer.Exit(FAILED)
    if not quiet:
        say(
            f"All trials are in {found.place}/table.csv, their runs in parts/ (Parquet)\n"
            f"To run the best trial again:\n  {common.program()} {found.command}"
        )

"""`tailrace twin`: a scenario once simulated and once with Linux kernels."""

from typing import Annotated

import typer

from tailrace.cli import common, folder_differences, kept_runs, output_folder, table_options
from tailrace.cli.common import guarded
from tailrace.cli.compare import echo_plans, finish, of_several
from tailrace.cli.run import Shown, on_a_closed_terminal, warn
from tailrace.cli.shared_options import RunOptions, TableOptions, spread
from tailrace.data.comparison import folder_names
from tailrace.kernels import run_kernels
from tailrace.study import result_runs, twins
from tailrace.study.result_runs import Variants
from tailrace.study.variants import warnings


@guarded
@spread("results/<name>-twin")
def twin(
    file: Annotated[str, typer.Argument(metavar="FILE", help="Scenario file (TOML).")],
    options: RunOptions,
    tables: TableOptions,
    kernel: Annotated[
        str | None,
        typer.Option(
            "--kernel",
            metavar="NAME",
            help="Kernel for hosts of flows over TCP for which the file names none [default: the newest "
            "one that is built].",
        ),
    ] = None,
    tolerance: table_options.Tolerances = None,
    strict: table_options.Strict = False,
) -> None:
    """Run a scenario twice, simulated and with Linux kernels as hosts, and show how much TCP differs."""
    json, quiet = options.json, options.quiet
    scenario = options.load(file)
    cells = twins.of(scenario, kernel)
    run_kernels.check(cells[twins.KERNELS])
    shown = common.listed(tables.columns) or twins.looked_at(cells)
    alike = twins.alike(shown, tolerance or ())
    wished = table_options.wanted(
        ",".join(shown), options.form, alike, strict=strict, baseline=twins.SIMULATED, json=json
    )
    goals = tables.goals()
    table_options.check(cells.values(), wished, goals)
    if not quiet:
        warn([*cells.warnings, *warnings(cells)])
    if tables.dry_run:
        echo_plans(cells, json=json)
        return
    target = options.output if json else options.output or output_folder.default_place(scenario, "-twin", [])
    if target:
        named = dict(zip(folder_names(list(cells)), cells.values(), strict=True))
        output_folder.look_at(target, named, asked=options.output is not None, quiet=quiet)
    kept = kept_runs.of(Variants(scenario, cells, "hosts"), options, target, result_runs.comparison, goals)
    comparison, code = kept.result, of_several(kept.code)
    difference = folder_differences.of_results(comparison, wished, two=False) if len(comparison) > 1 else None
    plots = not tables.no_plots and code == 0
    with on_a_closed_terminal(kept.held):
        shown_once = Shown(kept.place, json=json, quiet=quiet, plots=plots, wished=wished, once=True)
        finish(comparison, shown_once, difference)
    if not quiet:
        table_options.say_missed(kept.ended.missed, len(cells))
    if difference:
        code = table_options.judged(difference, code)
    if code:
        raise typer.Exit(code)

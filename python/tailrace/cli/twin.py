"""`tailrace twin`: a scenario once simulated and once with Linux kernels."""

from pathlib import Path
from typing import Annotated

import typer

from tailrace.cli import common, folder_differences, output_folder, signals, table_options
from tailrace.cli.common import guarded
from tailrace.cli.compare import finish, run_cells
from tailrace.cli.run import Shown, ended, on_a_closed_terminal, warn
from tailrace.data.comparison import folder_names
from tailrace.data.resume import Resumption
from tailrace.kernels import confinement, run_kernels
from tailrace.study import twins
from tailrace.study.variants import warnings


@guarded
def twin(  # noqa: PLR0913, PLR0917 - the options of the command
    file: Annotated[str, typer.Argument(metavar="FILE", help="Scenario file (TOML).")],
    kernel: Annotated[
        str | None,
        typer.Option(
            "--kernel",
            metavar="NAME",
            help="Kernel for hosts of flows over TCP for which the file names none [default: the newest "
            "one that is built].",
        ),
    ] = None,
    sets: common.Sets = None,
    allow: common.Allow = None,
    runs: common.Runs = None,
    seed: common.Seed = None,
    jobs: common.Jobs = None,
    trust_programs: common.TrustPrograms = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="DIR", help="Folder for the results [default: results/<name>-twin]."
        ),
    ] = None,
    json: common.Json = False,
    quiet: common.Quiet = False,
    fresh: common.Fresh = False,
    no_plots: common.NoPlots = False,
    columns: table_options.Columns = None,
    form: table_options.Form = None,
    tolerance: table_options.Tolerances = None,
    strict: table_options.Strict = False,
) -> None:
    """Run a scenario twice, simulated and with Linux kernels as hosts, and show how much TCP differs."""
    confinement.trust_programs(trust_programs)
    scenario = common.load(file, sets, seed, runs, allow)
    cells = twins.of(scenario, kernel)
    run_kernels.check(cells[twins.KERNELS])
    shown = common.listed(columns) or twins.looked_at(cells)
    alike = twins.alike(shown, tolerance or ())
    wished = table_options.wanted(
        ",".join(shown), form, alike, strict=strict, baseline=twins.SIMULATED, json=json
    )
    table_options.check(cells.values(), wished)
    if not quiet:
        warn([*cells.warnings, *warnings(cells)])
    target = output if json else output or output_folder.default_place(scenario, "-twin", [])
    if target:
        named = dict(zip(folder_names(list(cells)), cells.values(), strict=True))
        output_folder.look_at(target, named, asked=output is not None, quiet=quiet)
    with signals.Held() as held, Resumption(target, fresh=fresh) as resumed:
        comparison, code = run_cells(cells, jobs, held, resumed, quiet=quiet)
        kept = output_folder.keep(comparison, target) if target else None
        if kept:
            resumed.over()
    difference = folder_differences.of_results(comparison, wished, two=False) if len(comparison) > 1 else None
    code = ended(code, held, lost=kept != target)
    plots = not no_plots and code == 0
    with on_a_closed_terminal(held):
        shown_once = Shown(kept, json=json, quiet=quiet, plots=plots, wished=wished, once=True)
        finish(comparison, shown_once, difference)
    if difference:
        code = table_options.judged(difference, code)
    if code:
        raise typer.Exit(code)

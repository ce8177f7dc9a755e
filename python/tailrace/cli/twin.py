"""`tailrace twin`: a scenario once simulated and once with Linux kernels."""

from pathlib import Path
from typing import Annotated

import typer

from tailrace import twins
from tailrace.cli import common, differing, keeping, signals, tabular
from tailrace.cli.common import guarded
from tailrace.cli.compare import finish, run_cells
from tailrace.cli.run import Shown, ended, on_a_closed_terminal, warn
from tailrace.comparison import folder_names
from tailrace.kernels import using
from tailrace.resume import Resumption
from tailrace.variants import warnings


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
    columns: tabular.Columns = None,
    form: tabular.Form = None,
    tolerance: tabular.Tolerances = None,
    strict: tabular.Strict = False,
) -> None:
    """Run a scenario twice, simulated and with Linux kernels as hosts, and show how much TCP differs."""
    scenario = common.load(file, sets, seed, runs, allow)
    cells = twins.of(scenario, kernel)
    using.check(cells[twins.KERNELS])
    shown = common.listed(columns) or twins.looked_at(cells)
    alike = twins.alike(shown, tolerance or ())
    wished = tabular.wanted(",".join(shown), form, alike, strict=strict, baseline=twins.SIMULATED, json=json)
    tabular.check(cells.values(), wished)
    if not quiet:
        warn([*cells.warnings, *warnings(cells)])
    target = output if json else output or keeping.default_place(scenario, "-twin", [])
    if target:
        named = dict(zip(folder_names(list(cells)), cells.values(), strict=True))
        keeping.look_at(target, named, asked=output is not None, quiet=quiet)
    with signals.Held() as held, Resumption(target, fresh=fresh) as resumed:
        comparison, code = run_cells(cells, jobs, held, resumed, quiet=quiet)
        kept = keeping.keep(comparison, target) if target else None
        if kept:
            resumed.over()
    difference = differing.of_results(comparison, wished, two=False) if len(comparison) > 1 else None
    code = ended(code, held, lost=kept != target)
    plots = not no_plots and code == 0
    with on_a_closed_terminal(held):
        shown_once = Shown(kept, json=json, quiet=quiet, plots=plots, wished=wished, once=True)
        finish(comparison, shown_once, difference)
    if difference:
        code = tabular.judged(difference, code)
    if code:
        raise typer.Exit(code)

"""`tailrace run`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from tailrace import api, folder, variants
from tailrace.cli import common
from tailrace.cli.common import guarded, say
from tailrace.result import Result
from tailrace.scenario import Scenario


@guarded
def run(  # noqa: PLR0913, PLR0917 - the options of the command
    file: Annotated[str, typer.Argument(metavar="FILE", help="Scenario file (TOML), or - for stdin.")],
    sets: common.Sets = None,
    runs: common.Runs = None,
    seed: common.Seed = None,
    jobs: common.Jobs = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Result folder [default: results/<name>, with --json none]."),
    ] = None,
    json: common.Json = False,
    quiet: common.Quiet = False,
    dry_run: common.DryRun = False,
    no_plots: common.NoPlots = False,
) -> None:
    """Run a scenario: a table, a result folder, figures."""
    scenario = common.load(file, sets, seed, runs)
    if not quiet:
        warn(scenario)
        cells = variants.of_scenario(scenario)
        if cells:
            say(
                f"note: this runs the file as it stands; for its {len(cells)} variants: tailrace compare {file}"
            )
    if dry_run:
        typer.echo(describe(scenario))
        return
    target = output or (None if json else Path("results") / common.slug(scenario.name))
    if target:
        folder.check_writable(target)
    outcome = api.watched(api.jobs_of(scenario), jobs, quiet=quiet)
    code = common.exit_code_of(outcome)
    result = api.result_of(scenario, outcome)
    _finish(result, Shown(target, json=json, quiet=quiet, plots=not no_plots and code == 0))
    if code:
        raise typer.Exit(code)


@dataclass(frozen=True)
class Shown:
    """What becomes of a result."""

    target: Path | None
    json: bool
    quiet: bool
    plots: bool


def _finish(result: Result, shown: Shown) -> None:
    target = shown.target
    if target:
        result.save(target)
        if shown.plots:
            from tailrace.cli.plot import redrawable, write_figures

            with redrawable(target):
                write_figures(result, target / "figures", quiet=shown.quiet)
    if shown.json:
        typer.echo(result.to_json())
    elif not shown.quiet:
        common.show(result)
    if target and not shown.quiet:
        say(f"{result.n} of {result.manifest['runs_asked']} runs are in {target}")


def warn(scenario: Scenario) -> None:
    """What looks like a slip, before time is spent on it."""
    for warning in scenario.warnings:
        say(warning)


def describe(scenario: Scenario) -> str:
    """What would be run."""
    outline = scenario.outline
    groups = ", ".join(f"{g['flows']} {g['name']} ({g['transport']})" for g in outline["groups"])
    runs = f"{scenario.runs} run{'s' if scenario.runs > 1 else ''} of {scenario.duration_s:g} s"
    return (
        f"{scenario.name}: {runs}, seed {scenario.seed}\n"
        f"{outline['nodes']} nodes, {outline['links']} links; flows: {groups}"
    )

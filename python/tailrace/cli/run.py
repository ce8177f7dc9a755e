"""`tailrace run`."""

import json as json_text
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tailrace import api
from tailrace.cli import common, named_figures, output_folder, signals, table_options
from tailrace.cli.common import guarded, say
from tailrace.cli.plot import Drawing, check_figures, redrawable
from tailrace.data.comparison import Comparison
from tailrace.data.loading import SUMMARY
from tailrace.data.result import Result
from tailrace.data.resume import Resumption
from tailrace.execution.execute import Job, Outcome
from tailrace.kernels import confinement, run_kernels
from tailrace.scenario.scenario import Scenario
from tailrace.stats import host_programs
from tailrace.study import variants

if TYPE_CHECKING:
    from tailrace.study.precision import Missed


@guarded
def run(  # noqa: PLR0913, PLR0917 - the options of the command
    file: Annotated[str, typer.Argument(metavar="FILE", help="Scenario file (TOML), or - for stdin.")],
    sets: common.Sets = None,
    allow: common.Allow = None,
    with_files: common.With = None,
    runs: common.Runs = None,
    seed: common.Seed = None,
    jobs: common.Jobs = None,
    trust_programs: common.TrustPrograms = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="DIR",
            help="Folder for the results [default: results/<name>, followed by the values of "
            "--set; none with --json].",
        ),
    ] = None,
    json: common.Json = False,
    quiet: common.Quiet = False,
    dry_run: common.DryRun = False,
    fresh: common.Fresh = False,
    figures: common.Figures = None,
    no_plots: common.NoPlots = False,
    columns: table_options.Columns = None,
    form: table_options.Form = None,
    until_ci: common.UntilCi = None,
    max_runs: common.MaxRuns = None,
) -> None:
    """Run a scenario: prints a table, writes a result folder and figures."""
    confinement.trust_programs(trust_programs)
    wished = table_options.wanted(columns, form, json=json and not dry_run)
    goals = table_options.goals(until_ci, wished, max_runs)
    scenario = common.load(file, sets, seed, runs, allow, with_files)
    table_options.check([scenario], wished, goals)
    if scenario.outline["figures"]:
        from tailrace.cli import figure_checks  # loads what figures need

        figure_checks.check_file(scenario)
    run_kernels.check(scenario)
    wanted = check_figures(figures) or named_figures.over_time(scenario)
    cells = variants.of_scenario(scenario)
    if not quiet:
        warn(scenario.warnings)
        if cells:
            say(
                f"note: this runs the file as it stands; for its {len(cells)} variants: tailrace compare {file}"
            )
    if dry_run:
        echo_plan(scenario, json=json)
        return
    target = output or (None if json else output_folder.default_place(scenario))
    if target:
        output_folder.look_at(target, {"": scenario}, asked=output is not None, quiet=quiet)
    # Until everything is saved, whoever stops this still gets what has ended.
    with signals.Held() as held, Resumption(target, fresh=fresh) as resumed:

        def watched(todo: Sequence[Job]) -> Outcome:
            return api.watched(todo, jobs, quiet=quiet, stop=lambda: bool(held), resumed=resumed)

        scenario, outcome, missed = api.until(scenario, goals, watched)
        common.say_known(resumed, len(outcome.finished), quiet=quiet)
        code = common.exit_code_of(outcome)
        result = api.result_of(scenario, outcome)
        kept = output_folder.keep(result, target) if target else None
        if kept:
            resumed.over()
    code = ended(code, held, lost=kept != target)
    shown = Shown(
        kept,
        json=json,
        quiet=quiet and kept == target,
        plots=not no_plots and code == 0,
        figures=wanted,
        wished=wished,
        interrupted=result.n < result.manifest["runs_asked"] and code == signals.INTERRUPTED,
    )
    with on_a_closed_terminal(held):
        _finish(result, shown, missed)
    if code:
        raise typer.Exit(code)


def ended(code: int, held: signals.Held, *, lost: bool) -> int:
    """The exit code of a command whose runs are over, and whose result may stand elsewhere than asked."""
    if held and code != signals.INTERRUPTED:
        say("interrupted: all runs had finished and are kept")
    return signals.INTERRUPTED if held else code or int(lost)


@contextmanager
def on_a_closed_terminal(held: signals.Held) -> Iterator[None]:
    """Keeps a closed terminal from being an error: the result is saved."""
    try:
        yield
        sys.stdout.flush()
    except OSError:
        if not held:
            raise
        common.abandon_stdout()


# Hosts with programs that are named at most.
_MOST_HOSTS = 6


@dataclass(frozen=True)
class Shown:
    """Output of a result: table, folder, figures."""

    target: Path | None
    json: bool
    quiet: bool
    plots: bool
    figures: Sequence[str] = ()
    wished: table_options.Wanted = table_options.NOTHING
    # Whether a table of differences, in which everything is, stands alone.
    once: bool = False
    interrupted: bool = False


def _finish(result: Result, shown: Shown, missed: "Sequence[Missed]") -> None:
    """The table or document, and only then the figures, which take longest."""
    target = shown.target
    wished = shown.wished
    if shown.json:
        typer.echo(result.to_json())
    elif wished.form:
        table_options.show(result.metrics_table(wished.columns), wished.form)
    elif not shown.quiet:
        common.show(result.metrics_table(wished.columns) if wished.columns else result)
    if not shown.quiet:
        say_unsettled({"": result})
        table_options.say_missed(missed)
    if target and shown.plots:
        draw(result, target, shown)
    if target and not shown.quiet:
        rest = f"; to continue:\n  {common.again()}" if shown.interrupted else ""
        say(f"{result.n} of {result.manifest['runs_asked']} runs are in {target}{rest}")
        if host_programs.of_first(result.summary["runs"])[1]:
            say(f"output of programs: {target / SUMMARY}, and `tailrace report {target}`")


def say_unsettled(results: Mapping[str, Result]) -> None:
    """Prints series that still moved when the statistics began, below the table that they make doubtful."""
    from tailrace.stats import steady_state

    for label, result in results.items():
        for note in steady_state.notes(result):
            say(f"note: {label}: {note}" if label else f"note: {note}")


def draw(source: Result | Comparison, place: Path, shown: Shown) -> None:
    """The figures of what has just been saved."""
    # The table stands there before they are begun, also where it goes through a pipe.
    sys.stdout.flush()
    with redrawable(place):
        Drawing((place,), place / "figures", shown.figures).draw(source, quiet=shown.quiet)


def warn(warnings: Sequence[str]) -> None:
    """Prints probable mistakes before time is spent on runs."""
    for warning in warnings:
        say(warning)


def echo_plan(scenario: Scenario, *, json: bool) -> None:
    """Prints on stdout what would be run."""
    if json:
        typer.echo(json_text.dumps(plan(scenario), indent=2))
    else:
        common.echo(describe(scenario))


def plan(scenario: Scenario) -> dict[str, Any]:
    """Runs that would be done, as data."""
    outline = scenario.outline
    return {
        "scenario": scenario.name,
        "runs": scenario.runs,
        "duration_s": scenario.duration_s,
        "seed": scenario.seed,
        "nodes": outline["nodes"],
        "links": outline["links"],
        "groups": outline["groups"],
        "warnings": outline["warnings"],
    }


def describe(scenario: Scenario) -> str:
    """Runs that would be done, as text."""
    outline = scenario.outline
    groups = ", ".join(f"{g['flows']} {g['name']} ({g['transport']})" for g in outline["groups"])
    hosts = Counter(program["host"] for program in host_programs.of_scenario(scenario.to_toml()))
    ran = ", ".join(f"{count} on {host}" for host, count in list(hosts.items())[:_MOST_HOSTS])
    ran += f" and {len(hosts) - _MOST_HOSTS} more hosts" if len(hosts) > _MOST_HOSTS else ""
    what = [*([f"flows: {groups}"] if groups else []), *([f"programs: {ran}"] if ran else [])]
    runs = f"{scenario.runs} run{'s' if scenario.runs > 1 else ''} of {scenario.duration_s:g} s"
    return (
        f"{scenario.name}: {runs}, seed {scenario.seed}\n"
        f"{outline['nodes']} nodes, {outline['links']} links; {'; '.join(what)}"
    )

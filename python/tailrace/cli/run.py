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

from tailrace.cli import common, kept_runs, named_figures, output_folder, signals, table_options
from tailrace.cli.common import guarded, say
from tailrace.cli.plot import Drawing, check_figures, redrawable
from tailrace.cli.shared_options import RunOptions, TableOptions, spread
from tailrace.data.comparison import Comparison
from tailrace.data.loading import SUMMARY
from tailrace.data.result import Result
from tailrace.kernels import run_kernels
from tailrace.scenario.scenario import Scenario
from tailrace.stats import host_programs
from tailrace.study import result_runs, variants
from tailrace.study.result_runs import Variants

if TYPE_CHECKING:
    from tailrace.study.precision import Missed


@guarded
@spread("results/<name>, followed by the values of --set; none with --json")
def run(
    file: Annotated[str, typer.Argument(metavar="FILE", help="Scenario file (TOML), or - for stdin.")],
    options: RunOptions,
    tables: TableOptions,
    figures: common.Figures = None,
) -> None:
    """Run a scenario: prints a table, writes a result folder and figures."""
    json, quiet = options.json, options.quiet
    wished = table_options.wanted(tables.columns, options.form, json=json and not tables.dry_run)
    goals = tables.goals()
    scenario = options.load(file)
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
    if tables.dry_run:
        echo_plan(scenario, json=json)
        return
    target = options.output or (None if json else output_folder.default_place(scenario))
    if target:
        output_folder.look_at(target, {"": scenario}, asked=options.output is not None, quiet=quiet)
    kept = kept_runs.of(Variants(scenario, {"": scenario}), options, target, result_runs.single, goals)
    result, code = kept.result, kept.code
    shown = Shown(
        kept.place,
        json=json,
        quiet=quiet and kept.place == target,
        plots=not tables.no_plots and code == 0,
        figures=wanted,
        wished=wished,
        interrupted=result.n < result.manifest["runs_asked"] and code == signals.INTERRUPTED,
    )
    with on_a_closed_terminal(kept.held):
        _finish(result, shown, kept.ended.missed)
    if code:
        raise typer.Exit(code)


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

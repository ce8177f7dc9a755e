"""`tailrace sweep`: many variants of a scenario, resumed where they stopped."""

import shlex
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tailrace.cli import (
    common,
    figure_checks,
    named_figures,
    output_folder,
    signals,
    sweep_plan,
    table_options,
)
from tailrace.cli.common import guarded, say
from tailrace.cli.run import on_a_closed_terminal, warn
from tailrace.kernels import confinement, run_kernels
from tailrace.scenario.scenario import Scenario

if TYPE_CHECKING:
    from tailrace.data.store import Writer
    from tailrace.study.cells import Plan
    from tailrace.study.declaration import Options
    from tailrace.study.precision import Goals, Missed
    from tailrace.study.sharding import Shard
    from tailrace.study.sweep_result import Sweep
    from tailrace.study.sweep_runner import Done, Survey, Way

# The exit code where some runs failed, or are missing.
FAILED = 3


Dask = Annotated[
    str | None,
    typer.Option(
        "--dask",
        metavar="ADDRESS",
        help="Run on a Dask cluster: tcp://host:port of its scheduler, or local.",
    ),
]


@guarded
def sweep(  # noqa: PLR0913, PLR0917 - the options of the command
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="Scenario file (TOML) with a [sweep]; or any scenario, with --set-each and similar options.",
        ),
    ],
    set_each: Annotated[
        list[str] | None,
        typer.Option(
            "--set-each",
            metavar="PATH=V,V,...",
            help="Values to try, or PATH=uniform(A, B) to draw them at random. Repeatable.",
            autocompletion=common.offered("several_values"),
        ),
    ] = None,
    together: Annotated[
        list[str] | None,
        typer.Option(
            "--zip",
            metavar="PATH=V,V; PATH=V,V",
            help="Values that change together instead of in all combinations. Repeatable.",
        ),
    ] = None,
    let: Annotated[
        list[str] | None,
        typer.Option("--let", metavar="NAME=V,...", help="A variable for formulas. Repeatable."),
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
        typer.Option("--when", metavar="FORMULA", help="Leave out cells for which this is not true."),
    ] = None,
    samples: Annotated[
        int | None,
        typer.Option("--samples", metavar="N", min=1, help="Number of random values that are drawn."),
    ] = None,
    method: Annotated[
        str,
        typer.Option(
            "--method", metavar="NAME", help="Method of drawing random values: latin_hypercube or random."
        ),
    ] = "latin_hypercube",
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
            "--output", "-o", metavar="DIR", help="Folder for the results [default: results/<name>-sweep]."
        ),
    ] = None,
    shard: Annotated[
        str | None,
        typer.Option(
            "--shard",
            metavar="K/N",
            help="Run only this share of the sweep; `tailrace merge` combines the shares.",
        ),
    ] = None,
    dask: Dask = None,
    fresh: Annotated[
        bool,
        typer.Option(
            "--fresh",
            help="Repeat all runs. Without it, runs that are already in the folder are not repeated.",
        ),
    ] = False,
    damage: Annotated[
        bool,
        typer.Option(
            "--damage",
            help="Also run everything without the attack, for the metrics damage and potency "
            "(asking for these does the same).",
        ),
    ] = False,
    until_ci: common.UntilCi = None,
    max_runs: common.MaxRuns = None,
    columns: table_options.Columns = None,
    form: table_options.Form = None,
    json: common.Json = False,
    no_plots: common.NoPlots = False,
    quiet: common.Quiet = False,
    dry_run: common.DryRun = False,
) -> None:
    """Run a scenario for every combination of values. The same command continues after an interruption."""
    from tailrace.data.store import Writer
    from tailrace.study import cells, dask_workers, declaration, precision, sweep_runner
    from tailrace.study.attack_damage import is_named
    from tailrace.study.sharding import Shard

    form = table_options.form_of(form, json=json and not dry_run)
    part = Shard.parse(shard) if shard is not None else None
    goals = precision.parse(until_ci, common.listed(columns), max_runs, part)
    scenario = common.load(file, sets, seed, runs, allow, with_files)
    options = declaration.Options(
        set_each or [], together or [], let or [], derive or [], when or [], samples, method
    )
    declared = declaration.of_file(scenario).joined(declaration.of_options(options))
    plan = cells.Plan(declared, scenario.seed, cells.base(declared, scenario.written))
    drawn = named_figures.of_sweep(scenario)
    asked = [*common.listed(columns), *named_figures.metrics(drawn), *precision.asked_by(goals)]
    damage = damage or is_named(asked)
    if not declared and not damage:
        common.fail(
            f"{file} has no [sweep]; give an axis, for example --set-each link.bottleneck.queue=red,codel"
        )
    surveyed = sweep_runner.survey(scenario, plan, damage=damage)
    surveyed = precision.begun(surveyed, goals) if goals else surveyed
    _check_asked(asked, scenario, surveyed, trusts=trust_programs)
    target = output or output_folder.default_place(scenario, "-sweep", _said(options, part))
    if not quiet:
        _warn(scenario, surveyed, plan)
    if dry_run:
        sweep_plan.echo(scenario, surveyed, json=json)
        return
    about = {"scenario": scenario.name, "file": scenario.file_name}
    with (
        dask_workers.way(dask, jobs) as way,
        signals.Held() as held,
        Writer.opened(target, about, fresh=fresh) as writer,
    ):
        _say_found(writer, scenario, surveyed, part, quiet=quiet)
        _note(writer, _again(file, options, sets, seed, runs, allow, with_files), columns, damage=damage)
        done, missed = _done(_Task(scenario, surveyed, writer, way, held), part, goals, quiet=quiet)
    if done.interrupted:
        _stopped(target, held, done, columns=[] if part else common.listed(columns), form=form, quiet=quiet)
        raise typer.Exit(signals.INTERRUPTED)
    _say_all_known(done, quiet=quiet)
    if part is None:
        show_table(target, held, columns=common.listed(columns), form=form, quiet=quiet)
        named_figures.draw(target, None if no_plots or done.failed else drawn, quiet=quiet)
    elif not quiet:
        _point_to_merge(target, done, part)
    _end(target, done, [] if quiet else missed, surveyed)


def _say_all_known(done: "Done", *, quiet: bool) -> None:
    if done.runs and done.known == done.runs and not quiet:
        say(f"all {done.runs} runs were already there")


def _warn(scenario: Scenario, surveyed: "Survey", plan: "Plan") -> None:
    own = surveyed.warned.said()
    warn([*own, *(text for text in scenario.warnings if not any(other.startswith(text) for other in own))])
    for name, count in plan.unused.items():
        alike = f": its {count} values make cells that are alike" if count > 1 else ""
        say(f"warning: no formula uses `{name}`{alike}")
    for place in list(surveyed.errors)[:3]:
        say(f"cell {surveyed.all[place].label!r} cannot be run:\n{surveyed.errors[place].shown}")


def _end(target: Path, done: "Done", missed: "list[Missed]", surveyed: "Survey") -> None:
    table_options.say_missed(missed, len(surveyed.all))
    end_with_failures(target, done.failed)


def _note(writer: "Writer", words: list[str], columns: str | None, *, damage: bool) -> None:
    """Writes into the folder which command fills it."""
    from tailrace.study import sweep_runner

    writer.index.state(sweep_runner.COMMAND, shlex.join([*words, *(["--damage"] if damage else [])]))
    writer.index.state(sweep_runner.COLUMNS, columns or "")


def _check_asked(asked: list[str], scenario: Scenario, surveyed: "Survey", *, trusts: bool) -> None:
    """Figures and metrics, before anything is run. Damage is of pairs of runs: no single run has it."""
    from tailrace.study import metric_probe, sweep_runner
    from tailrace.study.attack_damage import is_named
    from tailrace.study.variation import Variation

    variation = Variation.of_cells(surveyed.all, surveyed.errors)
    confinement.trust_programs(trusts)
    run_kernels.check(scenario)
    figure_checks.check(scenario, variation, lambda: sweep_runner.scenarios(scenario, surveyed))

    names = [name for name in asked if not is_named([name])]
    if names:
        metric_probe.check(names, sweep_runner.scenarios(scenario, surveyed))


def _say_found(
    writer: "Writer", scenario: Scenario, surveyed: "Survey", part: "Shard | None", *, quiet: bool
) -> None:
    """Prints what the folder holds already."""
    from tailrace.study import sweep_runner

    for note in writer.notes:
        say(note)
    if quiet:
        return
    other = sweep_runner.replaced(writer, scenario)
    landed, of = sweep_runner.landed(writer, surveyed, part), len(sweep_runner.share(surveyed, part))
    known = [f"{landed} of {of} runs are already there, {of - landed} are to do"] if 0 < landed < of else []
    for note in [*([other] if other else []), *known]:
        say(note)


def _stopped(
    target: Path, held: signals.Held, done: "Done", *, columns: list[str], form: str | None, quiet: bool
) -> None:
    """State of an interrupted sweep, and how to go on."""
    from tailrace.data.store import Reader

    reader = Reader(target)
    landed = len(reader.index.runs())
    reader.close()
    if landed and not quiet:
        show_table(target, held, columns=columns, form=form, quiet=quiet, whole=False)
    say(f"interrupted: {landed} of {done.runs} runs are in {target}; to continue:\n  {common.again()}")


@dataclass(frozen=True)
class _Task:
    """A sweep that is to be run."""

    scenario: Scenario
    surveyed: "Survey"
    writer: "Writer"
    way: "Way"
    held: signals.Held


def _done(
    task: _Task, part: "Shard | None", goals: "Goals | None", *, quiet: bool
) -> "tuple[Done, list[Missed]]":
    """Runs it; what became of it, and which cells are known less closely than wanted."""
    from tailrace.execution import progress
    from tailrace.study import precision, sweep_runner

    def watched(total: int) -> progress.Monitor:
        return progress.watch(quiet=quiet, total=total)

    sweep = task.scenario, task.surveyed, task.writer
    if goals:
        return precision.run(*sweep, goals, way=task.way, watched=watched, stop=lambda: bool(task.held))
    with watched(len(sweep_runner.share(task.surveyed, part))) as watch:
        return sweep_runner.run(*sweep, task.way, watch, lambda: bool(task.held), part), []


def _said(options: "Options", part: "Shard | None") -> list[str]:
    """Varied options as part of the folder's name: with more values or samples it is the same folder."""
    axes = [*options.set_each, *(part for text in options.together for part in text.split(";")), *options.let]
    varied = dict.fromkeys(text.partition("=")[0].strip() for text in (*axes, *options.derive))
    return [*varied, *options.when, *([f"shard={part.number}-of-{part.of}"] if part else [])]


def _again(
    file: str,
    options: "Options",
    sets: list[str] | None,
    seed: int | None,
    runs: int | None,
    allow: list[str] | None,
    with_files: list[str] | None,
) -> list[str]:
    """The words of a command line that does the whole sweep."""
    several = {
        "--set-each": options.set_each,
        "--zip": options.together,
        "--let": options.let,
        "--derive": options.derive,
        "--when": options.when,
        "--set": sets or [],
        "--allow": allow or [],
        "--with": with_files or [],
    }
    single = {"--samples": options.samples, "--seed": seed, "--runs": runs}
    drawn = {"--method": options.method} if options.samples else {}
    return [
        "sweep",
        file,
        *(word for option, values in several.items() for value in values for word in (option, value)),
        *(str(word) for pair in {**single, **drawn}.items() if pair[1] is not None for word in pair),
    ]


def _point_to_merge(target: Path, done: "Done", part: "Shard") -> None:
    lacking = f", {done.failed} failed" if done.failed else ""
    say(
        f"shard {part}: {done.runs} runs{lacking}, in {target}\n"
        f"When all shards are done:\n  {common.program()} merge DIR... -o OUT"
    )


def show_table(
    target: Path,
    held: signals.Held,
    *,
    columns: list[str],
    form: str | None,
    quiet: bool,
    whole: bool = True,
) -> None:
    """Writes the table of a sweep, and prints it; with what to do next where it is whole."""
    from tailrace.study.sweep_result import Sweep

    found = Sweep.load(target)
    with on_a_closed_terminal(held):
        table = found.write_table(columns)
        if table is not None:
            if form:
                typer.echo(table.text(form), nl=False)
            elif not quiet:
                from tailrace.text import text_table

                common.show(text_table.RichGrid(table.grid()))
        sys.stdout.flush()
        if whole and not quiet:
            _point_on(target, found)


def end_with_failures(target: Path, failed: int) -> None:
    """Says what failed, and ends with the exit code for it."""
    from tailrace.study.sweep_result import Sweep

    if failed:
        for label, run, error in Sweep.load(target).failures.head(5).iter_rows():
            say(f"error: {label}{f' run {run}' if run else ''}: {error}")
        say(f"{failed} cells or runs failed; the others are complete")
        raise typer.Exit(FAILED)


def _point_on(target: Path, found: "Sweep") -> None:
    metric, frame = found.to_look_at
    say(
        f"Everything is in {target}/: table.md, table.csv; all runs in parts/ (Parquet)\n"
        f"Next:\n  {common.program()} plot {common.quoted(target)} --metric {shlex.quote(metric)}   "
        "(choose the axis with --against PARAMETER, the lines with --by PARAMETER)\n"
        f"  {common.program()} report {common.quoted(target)}   (everything as one HTML page, to pass on)\n"
        f"  in Python: tailrace.Sweep.load({str(target)!r}).{frame}"
    )

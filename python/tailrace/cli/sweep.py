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
    folder_differences,
    named_figures,
    output_folder,
    signals,
    sweep_plan,
    table_options,
)
from tailrace.cli.common import guarded, say
from tailrace.cli.run import on_a_closed_terminal, warn
from tailrace.cli.shared_options import RunOptions, TableOptions, VariationOptions, spread
from tailrace.kernels import run_kernels
from tailrace.scenario.scenario import Scenario

if TYPE_CHECKING:
    from tailrace.data.store import Writer
    from tailrace.study.cells import Plan
    from tailrace.study.declaration import Declaration, Options
    from tailrace.study.precision import Goals, Missed
    from tailrace.study.sharding import Shard
    from tailrace.study.sweep_result import Sweep
    from tailrace.study.sweep_runner import Done, Survey, Way

# The exit code where some runs failed, or are missing.
FAILED = 3


@guarded
@spread("results/<name>-sweep")
def sweep(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="Scenario file (TOML) with a [sweep]; or any scenario, with --set-each and similar options.",
        ),
    ],
    variation: VariationOptions,
    options: RunOptions,
    tables: TableOptions,
    shard: Annotated[
        str | None,
        typer.Option(
            "--shard",
            metavar="K/N",
            help="Run only this share of the sweep; `tailrace merge` combines the shares.",
        ),
    ] = None,
    damage: Annotated[
        bool,
        typer.Option(
            "--damage",
            help="Also run everything without the attack, for the metrics damage and potency "
            "(asking for these does the same).",
        ),
    ] = False,
) -> None:
    """Run a scenario for every combination of values. The same command continues after an interruption."""
    from tailrace.data.store import Writer
    from tailrace.study import cells, dask_workers, declaration, precision
    from tailrace.study.attack_damage import is_named
    from tailrace.study.sharding import Shard

    quiet, columns = options.quiet, common.listed(tables.columns)
    form = table_options.form_of(options.form, json=options.json and not tables.dry_run)
    part = Shard.parse(shard) if shard is not None else None
    goals = tables.goals(part)
    scenario = options.load(file)
    declared = declaration.of_file(scenario).joined(variation.declared())
    plan = cells.Plan(declared, scenario.seed, cells.base(declared, scenario.written))
    drawn = named_figures.of_sweep(scenario)
    asked = [*columns, *named_figures.metrics(drawn), *precision.asked_by(goals)]
    damage = damage or is_named(asked)
    surveyed = _surveyed(scenario, declared, plan, damage=damage)
    surveyed = precision.begun(surveyed, goals) if goals else surveyed
    _check_asked(asked, scenario, surveyed)
    shared = [f"shard={part.number}-of-{part.of}"] if part else []
    target = options.output or output_folder.default_place(scenario, "-sweep", [*variation.varied, *shared])
    if not quiet:
        _warn(scenario, surveyed, plan)
    if tables.dry_run:
        sweep_plan.echo(scenario, surveyed, json=options.json)
        return
    about = {"scenario": scenario.name, "file": scenario.file_name}
    with (
        dask_workers.way(options.dask, options.jobs) as way,
        signals.Held() as held,
        Writer.opened(target, about, fresh=options.fresh) as writer,
    ):
        _say_found(writer, scenario, surveyed, part, quiet=quiet)
        _note(writer, _again(file, variation.said, options), tables.columns, damage=damage)
        done, missed = _done(_Task(scenario, surveyed, writer, way, held), part, goals, quiet=quiet)
    if done.interrupted:
        _stopped(target, held, done, columns=[] if part else columns, form=form, quiet=quiet)
        raise typer.Exit(signals.INTERRUPTED)
    _say_all_known(done, quiet=quiet)
    if part is None:
        show_table(target, held, columns=columns, form=form, quiet=quiet)
        named_figures.draw(target, None if tables.no_plots or done.failed else drawn, quiet=quiet)
    elif not quiet:
        _point_to_merge(target, done, part)
    _end(target, done, [] if quiet else missed, surveyed)


def _surveyed(scenario: Scenario, declared: "Declaration", plan: "Plan", *, damage: bool) -> "Survey":
    """All cells, read once."""
    from tailrace.study import sweep_runner

    if not declared and not damage:
        common.fail(
            f"{scenario.file_name} has no [sweep]; give an axis, for example "
            "--set-each link.bottleneck.queue=red,codel"
        )
    return sweep_runner.survey(scenario, plan, damage=damage)


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


def _check_asked(asked: list[str], scenario: Scenario, surveyed: "Survey") -> None:
    """Figures and metrics, before anything is run. Damage is of pairs of runs: no single run has it."""
    from tailrace.study import metric_probe, sweep_runner
    from tailrace.study.attack_damage import is_named
    from tailrace.study.variation import Variation

    variation = Variation.of_cells(surveyed.all, surveyed.errors)
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


def _again(file: str, said: "Options", options: RunOptions) -> list[str]:
    """The words of a command line that does the whole sweep."""
    several = {
        "--set-each": said.set_each,
        "--zip": said.together,
        "--let": said.let,
        "--derive": said.derive,
        "--when": said.when,
        "--set": options.sets or [],
        "--allow": options.allow or [],
        "--with": options.with_files or [],
    }
    single = {"--samples": said.samples, "--seed": options.seed, "--runs": options.runs}
    drawn = {"--method": said.method} if said.samples else {}
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
    sure = _sureness(found, common.quoted(target))
    say(
        f"Everything is in {target}/: table.md, table.csv; all runs in parts/ (Parquet)\n"
        f"Next:\n  {common.program()} plot {common.quoted(target)} --metric {shlex.quote(metric)}   "
        "(choose the axis with --against PARAMETER, the lines with --by PARAMETER)\n"
        f"{sure}"
        f"  {common.program()} report {common.quoted(target)}   (everything as one HTML page, to pass on)\n"
        f"  in Python: tailrace.Sweep.load({str(target)!r}).{frame}"
    )


def _sureness(found: "Sweep", place: str) -> str:
    """Command that says how sure differences along a parameter of names are; nothing where there is none."""
    from tailrace.stats import design

    if not found.has_runs or max(found.measured.runs.values()) < 2:  # noqa: PLR2004 - a pair each
        return ""
    axis = design.leading(design.axes(found.measured), lambda _: False)
    metric = folder_differences.first_metric(found.measured)
    if axis is None or metric is None:
        return ""
    base = found.parameters[axis.name].words[0]
    return f"{folder_differences.how_sure(place, shlex.quote(f'{axis.name}={base}'), metric)}\n"

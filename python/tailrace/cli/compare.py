"""`tailrace compare`: variants of a scenario, or result folders, side by side."""

import json as json_text
import shlex
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tailrace.cli import (
    common,
    figure_checks,
    folder_differences,
    kept_runs,
    named_figures,
    output_folder,
    signals,
    table_options,
)
from tailrace.cli.common import guarded, say
from tailrace.cli.plot import check_figures
from tailrace.cli.run import Shown, describe, draw, on_a_closed_terminal, plan, say_unsettled, warn
from tailrace.cli.shared_options import RunOptions, TableOptions, VariationOptions, spread
from tailrace.data.comparison import Comparison, folder_names, opened
from tailrace.data.result import Result
from tailrace.kernels import run_kernels
from tailrace.scenario.scenario import Scenario
from tailrace.stats import host_programs
from tailrace.study import result_runs, variants
from tailrace.study.declaration import Declaration
from tailrace.study.result_runs import Variants
from tailrace.system import path_errors
from tailrace.text import near_misses

if TYPE_CHECKING:
    from tailrace.stats.differences import Differences


@guarded
@spread("results/<name>-compare for a file; none for folders")
def compare(  # noqa: PLR0913, PLR0917 - the options of the command
    paths: Annotated[
        list[str],
        typer.Argument(metavar="FILE | DIR...", help="A scenario file, or two or more result folders."),
    ],
    variation: VariationOptions,
    options: RunOptions,
    tables: TableOptions,
    figures: common.Figures = None,
    queue: common.Queue = None,
    identical: Annotated[
        bool,
        typer.Option(
            "--identical",
            help="Check that all results are the same to the last bit (equal fingerprints); if "
            "not, exit with 4.",
        ),
    ] = False,
    tolerance: table_options.Tolerances = None,
    strict: table_options.Strict = False,
    baseline: table_options.Baseline = None,
) -> None:
    """Compare variants of a scenario, or result folders: a table and figures; for two folders the differences."""
    wanted = check_figures(figures)
    json, quiet = options.json, options.quiet
    wished = table_options.wanted(
        tables.columns,
        options.form,
        tolerance,
        strict=strict,
        baseline=baseline,
        json=json and not tables.dry_run,
    )
    two = folder_differences.is_pair(paths, wished)
    _end_with_studies(paths, wished, two=two, json=json, quiet=quiet)
    look = _Look(wanted, wished, queue, identical=identical, two=two, plots=not tables.no_plots)
    if all(Path(path).is_dir() for path in paths):
        _compare_folders(paths, options, look)
    else:
        _compare_variants(_single(paths), variation, options, tables, look)


@dataclass(frozen=True)
class _Look:
    """Form in which results are shown, and what must hold of them."""

    figures: Sequence[str]
    wished: table_options.Wanted
    queue: str | None
    identical: bool
    two: bool
    plots: bool


def _compare_folders(paths: Sequence[str], options: RunOptions, look: _Look) -> None:
    """Puts result folders side by side; what was asked to be kept of it is kept."""
    target = options.output
    if target:
        output_folder.look_at(target, {}, asked=True, quiet=options.quiet)
    with signals.Held() as held:
        comparison = of_folders(paths).studying(look.queue)
        place = output_folder.keep(comparison, target) if target else None
    code = kept_runs.final(0, held, lost=place != target)
    _end(comparison, (place, target), (code, held), options, look)


def _compare_variants(
    file: str, variation: VariationOptions, options: RunOptions, tables: TableOptions, look: _Look
) -> None:
    """Runs the variants of a file as a sweep, and puts their results side by side."""
    scenario = options.load(file)
    declared = variation.declared()
    figure_checks.check_file(scenario, variation.said)
    run_kernels.check(scenario)
    cells = of_file(scenario, declared, look.queue)
    wished, goals = look.wished, tables.goals()
    if wished.baseline is not None:
        near_misses.known(wished.baseline, list(cells), "variant")
    table_options.check(cells.values(), wished, goals)
    if not options.quiet:
        warn(variants.warnings(cells))
    if tables.dry_run:
        echo_plans(cells, json=options.json)
        return
    target = options.output
    if not options.json:
        target = target or output_folder.default_place(scenario, "-compare", variation.varied_values)
    if target:
        named = dict(zip(folder_names(list(cells)), cells.values(), strict=True))
        output_folder.look_at(target, named, asked=options.output is not None, quiet=options.quiet)
    kept = kept_runs.of(Variants(scenario, cells), options, target, result_runs.comparison, goals)
    look = replace(look, figures=look.figures or named_figures.over_time(scenario))
    if not options.quiet:
        table_options.say_missed(kept.ended.missed, len(cells))
    _end(
        kept.result.studying(look.queue),
        (kept.place, target),
        (of_several(kept.code), kept.held),
        options,
        look,
    )


def of_several(code: int) -> int:
    """Exit code 3 is "some failed": 1 would say that there is nothing to look at."""
    return 3 if code == 1 else code


def _end(
    comparison: Comparison,
    places: tuple[Path | None, Path | None],
    ended: tuple[int, signals.Held],
    options: RunOptions,
    look: _Look,
) -> None:
    """Shows results that are at the first place and were to be at the second, and judges them."""
    (kept, target), (code, held) = places, ended
    difference = folder_differences.of_results(comparison, look.wished, two=look.two)
    shown = Shown(
        kept,
        json=options.json,
        quiet=options.quiet and kept == target,
        plots=look.plots and code == 0,
        figures=look.figures,
        wished=look.wished,
    )
    with on_a_closed_terminal(held):
        finish(comparison, shown, difference)
    if code := _judged(comparison, difference, code, identical=look.identical):
        raise typer.Exit(code)


def _end_with_studies(
    paths: list[str], wished: table_options.Wanted, *, two: bool, json: bool, quiet: bool
) -> None:
    """Ends with a table and nothing else, for sweeps and for two comparisons."""
    if folder_differences.is_sweep(paths):
        raise typer.Exit(folder_differences.of_sweep(paths[0], wished, json=json, quiet=quiet))
    if two and folder_differences.are_studies(paths):
        raise typer.Exit(folder_differences.of_studies(paths, wished, json=json, quiet=quiet))


def _judged(comparison: Comparison, difference: "Differences | None", code: int, *, identical: bool) -> int:
    """The exit code, by what was to hold."""
    if difference:
        code = table_options.judged(difference, code)
    if identical and len({result.fingerprint for result in comparison.results.values()}) > 1:
        say("the fingerprints differ")
        code = code or 4
    return code


def _single(paths: list[str]) -> str:
    """The one scenario that is to be compared with itself."""
    if len(paths) > 1:
        missing = [path for path in paths if not Path(path).exists()]
        if missing:
            raise path_errors.missing(Path(missing[0]))
        common.fail("give one scenario file, or only result folders")
    return paths[0]


def echo_plans(cells: Mapping[str, Scenario], *, json: bool) -> None:
    """Prints what would be run of each variant."""
    if json:
        typer.echo(json_text.dumps({label: plan(cell) for label, cell in cells.items()}, indent=2))
    else:
        common.echo("\n".join(f"{label}: {describe(cell)}" for label, cell in cells.items()))


def of_file(scenario: Scenario, declared: Declaration, queue: str | None = None) -> dict[str, Scenario]:
    """The variants of a scenario; every one is checked before any is run, and that there is such a queue."""
    cells = variants.of_declaration(scenario, declared)
    if not cells:
        common.fail(
            f"{scenario.file_name} has no [sweep]; say what to compare, "
            "for example --set-each link.bottleneck.queue=droptail,codel"
        )
    scenarios = {cell.label: scenario.variant(cell.label, cell.overrides) for cell in cells}
    if queue:
        check_queue(scenarios, queue)
    return scenarios


def check_queue(cells: Mapping[str, Scenario], queue: str) -> None:
    """Refuses a queue that no variant has, before any is run."""
    entries = (entry for cell in cells.values() for entry in json_text.loads(cell.native.tc(None)))
    near_misses.known(queue, list(dict.fromkeys(str(entry["queue"]) for entry in entries)), "queue")


def of_folders(paths: Sequence[str]) -> Comparison:
    """Result folders, called by their names, or by their paths where names repeat."""
    places = [Path(path) for path in paths]
    found = opened(places)
    if isinstance(found, Result):
        common.fail(f"{places[0]} is one result; name at least two")
    return found


def finish(comparison: Comparison, shown: Shown, difference: "Differences | None" = None) -> None:
    """The table or document, only then the figures, which take longest, and where everything is."""
    target = shown.target
    _print(comparison, shown, difference)
    if target and not shown.quiet:
        say_unsettled(comparison.results)
    if target and shown.plots:
        draw(comparison, target, shown)
    if target and not shown.quiet:
        say(signposts(comparison, target, plots=shown.plots))


def _print(comparison: Comparison, shown: Shown, difference: "Differences | None") -> None:
    """With a form one table: of two folders the differences, in which both stand."""
    wished = shown.wished
    if shown.json:
        more = {"difference": difference.records()} if difference else {}
        typer.echo(json_text.dumps({**comparison.document, **more}, indent=2, allow_nan=False))
    elif wished.form:
        table_options.show(difference or comparison.metrics_table(wished.columns), wished.form)
    elif not shown.quiet:
        if not (shown.once and difference):
            common.show(comparison.metrics_table(wished.columns) if wished.columns else comparison)
        if difference:
            common.show(difference)


def signposts(comparison: Comparison, target: Path, *, plots: bool) -> str:
    """Guide to the folder of a comparison, and what to do next."""
    first = comparison.folder_names()[0]
    file = shlex.quote(next(iter(comparison.results.values())).manifest["file"])
    call = common.program()
    link = _link_under_study(comparison)
    queue, rate = (shlex.quote(f"link.{link}.{said}") for said in ("queue=sfq,codel", "rate=3mbit"))
    here, one = common.quoted(target), common.quoted(target / first)
    folders = zip(comparison.folder_names(), comparison.results.values(), strict=True)
    ran = next((name for name, result in folders if host_programs.of_first(result.summary["runs"])[1]), None)
    said = f"summary.json of each variant, and `{call} report {common.quoted(target / ran)}`" if ran else ""
    lines = [
        f"Everything is in {target}/",
        "  table.md, comparison.json    the table above; every number behind it",
        "  figures/                     overlays over time (PNG and SVG)" if plots else "",
        "  <variant>/                   summary.json, scenario.toml, Parquet tables",
        f"  output of programs           {said}" if said else "",
        "Next:",
        f"  {call} plot {here} --figures all   (also jitter, loss, ...; `plot {one}` for one variant)",
        _sureness(comparison, here),
        f"  {call} report {here}   (everything as one HTML page, to pass on)",
        f"  {call} list queues           (all queue disciplines; `list queues red` shows the parameters of one)",
        f"  {call} compare {file} --set-each {queue} --runs 10" if link else "",
        f"  {call} run {file} --set {rate}" if link else "",
        f"  in Python: tailrace.Result.load({str(target / first)!r}).flow_series",
    ]
    return "\n".join(line for line in lines if line)


def _sureness(comparison: Comparison, here: str) -> str:
    """Command that says how sure differences from the first variant are; nothing where single runs cannot tell."""
    if len(comparison) < 2 or max(result.n for result in comparison.values()) < 2:  # noqa: PLR2004 - a pair each
        return ""
    measured = comparison.measured
    metric = folder_differences.first_metric(measured)
    base = shlex.quote(next(iter(comparison)))
    return folder_differences.how_sure(here, base, metric) if metric else ""


def _link_under_study(comparison: Comparison) -> str | None:
    """The first named link whose queue the file writes: what the next commands may change."""
    text = next(iter(comparison.results.values())).scenario_toml
    links = tomllib.loads(text).get("link", [])
    return next((str(link["name"]) for link in links if "name" in link and "queue" in link), None)

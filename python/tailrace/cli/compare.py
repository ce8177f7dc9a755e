"""`tailrace compare`: variants of a scenario, or result folders, side by side."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from tailrace import api, folder, variants
from tailrace.cli import common
from tailrace.cli.common import guarded, say
from tailrace.cli.run import Shown, describe
from tailrace.compare import Comparison
from tailrace.result import Result
from tailrace.scenario import Scenario


@guarded
def compare(  # noqa: PLR0913, PLR0917 - the options of the command
    paths: Annotated[
        list[str],
        typer.Argument(metavar="FILE | DIR...", help="A scenario file, or two or more result folders."),
    ],
    set_each: Annotated[
        list[str] | None,
        typer.Option(
            "--set-each", metavar="PATH=V,V,...", help="Values to compare [default: the file's sweep]."
        ),
    ] = None,
    sets: common.Sets = None,
    runs: common.Runs = None,
    seed: common.Seed = None,
    jobs: common.Jobs = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Folder [default for a file: results/<name>-compare]."),
    ] = None,
    json: common.Json = False,
    quiet: common.Quiet = False,
    dry_run: common.DryRun = False,
    no_plots: common.NoPlots = False,
    identical: Annotated[
        bool, typer.Option("--identical", help="Exit with 4 unless all fingerprints are equal.")
    ] = False,
) -> None:
    """Compare variants of a scenario, or result folders: a table, overlay figures."""
    code = 0
    if all(Path(path).is_dir() for path in paths):
        target = output
        comparison = of_folders([Path(path) for path in paths])
        if target:
            folder.check_writable(target)
    else:
        if len(paths) > 1:
            missing = [path for path in paths if not Path(path).exists()]
            if missing:
                common.fail(f"there is no folder {missing[0]}")
            common.fail("give one scenario file, or only result folders")
        scenario = common.load(paths[0], sets, seed, runs)
        cells = of_file(scenario, set_each or [])
        if dry_run:
            typer.echo("\n".join(f"{label}: {describe(cell)}" for label, cell in cells.items()))
            return
        target = output or (None if json else Path("results") / f"{common.slug(scenario.name)}-compare")
        if target:
            folder.check_writable(target)
        comparison, code = run_cells(cells, jobs, scenario.name, quiet=quiet)
    finish(comparison, Shown(target, json=json, quiet=quiet, plots=not no_plots and code == 0))
    if identical and len({result.fingerprint for result in comparison.results.values()}) > 1:
        say("the fingerprints differ")
        code = code or 4
    if code:
        raise typer.Exit(code)


def of_file(scenario: Scenario, set_each: list[str]) -> dict[str, Scenario]:
    """The variants of a scenario; every one is checked before any is run."""
    cells = variants.of_options(set_each) or variants.of_scenario(scenario)
    if not cells:
        common.fail(
            f"{scenario.file_name} has no [sweep]; say what to compare, "
            "for example --set-each link.bottleneck.queue=droptail,codel"
        )
    return {cell.label: scenario.replaced(cell.overrides) for cell in cells}


def of_folders(places: list[Path]) -> Comparison:
    """Result folders, called by their names, or by their paths where names repeat."""
    if len(places) == 1 and Comparison.is_folder(places[0]):
        return Comparison.load(places[0])
    if len(places) == 1:
        common.fail(f"{places[0]} is one result; name at least two")
    names = [place.resolve().name for place in places]
    labels = names if len(set(names)) == len(names) else [str(place) for place in places]
    return Comparison({label: Result.load(place) for label, place in zip(labels, places, strict=True)})


def run_cells(
    cells: Mapping[str, Scenario], jobs: int | None, title: str, *, quiet: bool
) -> tuple[Comparison, int]:
    """Runs every variant; what ended is kept whatever stopped the others."""
    if not quiet:
        for warning in dict.fromkeys(text for cell in cells.values() for text in cell.warnings):
            say(warning)
    todo = [job for label, scenario in cells.items() for job in api.jobs_of(scenario, label)]
    outcome = api.watched(todo, jobs, quiet=quiet)
    code = common.exit_code_of(outcome)
    comparison = api.comparison_of(cells, todo, outcome, title)
    if comparison is None:  # exit_code_of ended here already
        raise typer.Exit(code)
    # Exit code 3 is "some failed": 1 would say that there is nothing to look at.
    return comparison, 3 if code == 1 else code


def finish(comparison: Comparison, shown: Shown) -> None:
    """Folder and figures, then the table or document, then where everything is."""
    target = shown.target
    if target:
        comparison.save(target)
        if shown.plots:
            from tailrace.cli.plot import redrawable, write_comparison

            with redrawable(target):
                write_comparison(comparison, target, quiet=shown.quiet)
    if shown.json:
        typer.echo(comparison.to_json())
    elif not shown.quiet:
        common.show(comparison)
    if target and not shown.quiet:
        say(_signposts(comparison, target, plots=shown.plots))


def _signposts(comparison: Comparison, target: Path, *, plots: bool) -> str:
    first = comparison.folder_names()[0]
    file = next(iter(comparison.results.values())).manifest["file"]
    call = common.program()
    link = _link_under_study(comparison)
    multipath = any(len(result.subflow_series) for result in comparison.results.values())
    lines = [
        f"Everything is in {target}/",
        "  table.md, comparison.json    the table above; every number behind it",
        "  figures/                     overlays over time: queue, cwnd, throughput, delay, jitter, loss"
        if plots
        else "",
        "                               of Multipath TCP: subflow_cwnd, path_throughput, data_sequence, reordering"
        if plots and multipath
        else "",
        "  <variant>/figures/           the same for each variant (PNG and SVG)" if plots else "",
        "  <variant>/                   summary.json, scenario.toml, Parquet tables",
        "Next:",
        f"  {call} list queues           (which disciplines there are; `list queues red` has their parameters)",
        f"  {call} compare {file} --set-each 'link.{link}.queue=sfq,codel' --runs 10" if link else "",
        f"  {call} run {file} --set link.{link}.rate=3mbit" if link else "",
        f"  in Python: tailrace.Result.load('{target}/{first}').flow_series",
    ]
    return "\n".join(line for line in lines if line)


def _link_under_study(comparison: Comparison) -> str | None:
    """The first named link whose queue the file writes: what the next commands may change."""
    text = next(iter(comparison.results.values())).scenario_toml
    links = tomllib.loads(text).get("link", [])
    return next((str(link["name"]) for link in links if "name" in link and "queue" in link), None)

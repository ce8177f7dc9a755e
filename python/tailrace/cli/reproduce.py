"""`tailrace reproduce`: published papers done again, and each of their claims judged."""

import atexit
import json as json_
import shlex
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tailrace.cli import common, signals
from tailrace.cli.common import guarded, say
from tailrace.errors import UsageError
from tailrace.kernels import confinement

if TYPE_CHECKING:
    from tailrace.execution.progress import Monitor
    from tailrace.reproduce.judgement import Verdict
    from tailrace.reproduce.pipeline import Work

# The exit code where a claim has another verdict than its file expects.
OTHER = 4
_PAPERS = Path("papers")


@guarded
def reproduce(  # noqa: PLR0913, PLR0917 - the options of the command
    papers: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[PAPER]...",
            help="Folder of a paper, or its name in ./papers [default: all papers there].",
        ),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Fewer and shorter runs: a first look in two minutes.")
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="DIR",
            help="Folder for the results [default: results/papers, or results/papers-quick].",
        ),
    ] = None,
    jobs: common.Jobs = None,
    trust_programs: common.TrustPrograms = False,
    fresh: common.Fresh = False,
    no_plots: common.NoPlots = False,
    json: common.Json = False,
    quiet: common.Quiet = False,
    dry_run: common.DryRun = False,
) -> None:
    """Run the scenarios of published papers and judge each claim. The same command continues after an interruption."""
    confinement.trust_programs(trust_programs)
    from tailrace.reproduce import pipeline

    target = output or Path("results") / ("papers-quick" if quick else "papers")
    works = [pipeline.planned(folder, target, quick=quick) for folder in _folders(papers)]
    if dry_run:
        for work in works:
            common.echo(
                f"{work.paper.id}: {len(work.paper.claims)} claims, {work.runs} runs in {len(work.tasks)} studies"
            )
        return
    found = [(work, _done(work, jobs, fresh=fresh, plots=not no_plots, quiet=quiet)) for work in works]
    if json:
        typer.echo(json_.dumps([pipeline.record(work, verdicts) for work, verdicts in found], indent=1))
    elif not quiet:
        _show(found)
        say(f"Pages: {target / pipeline.PAGE}, and one for each paper next to it")
    _end(found, quick=quick)


def _folders(papers: Sequence[str] | None) -> list[Path]:
    """The folders that are meant."""
    from tailrace.reproduce import claims_file

    there = sorted(file.parent for file in _PAPERS.glob(f"*/{claims_file.FILE}")) or _installed()
    return [_folder(text, there) for text in papers] if papers else there


def _installed() -> list[Path]:
    """Papers of the installation, in a folder that is there as long as this program runs."""
    from tailrace.scenario import examples

    kept = tempfile.TemporaryDirectory(prefix="tailrace-papers-")
    atexit.register(kept.cleanup)
    return sorted(folder for folder in examples.unpack_papers(Path(kept.name)).iterdir())


def _folder(text: str, there: Sequence[Path]) -> Path:
    from tailrace.reproduce import claims_file

    if (Path(text) / claims_file.FILE).is_file():
        return Path(text)
    for folder in there:
        if folder.name == text:
            return folder
    names = ", ".join(folder.name for folder in there)
    raise UsageError(f"there is no paper {text!r}: neither {text}/{claims_file.FILE} nor one of {names}")


def _done(work: "Work", jobs: int | None, *, fresh: bool, plots: bool, quiet: bool) -> "list[Verdict]":
    """Runs, judges, draws and writes one paper."""
    from tailrace.execution import progress
    from tailrace.reproduce import judgement, pipeline

    def watched(total: int) -> "Monitor":
        return progress.watch(quiet=quiet, total=total)

    if not quiet:
        say(f"{work.paper.id}: {work.runs} runs")
    with signals.Held() as held:
        interrupted = pipeline.run(work, watched, jobs, lambda: bool(held), fresh=fresh)
    if interrupted:
        say(f"interrupted: finished runs are kept in {work.place}; to continue:\n  {common.again()}")
        raise typer.Exit(signals.INTERRUPTED)
    found = judgement.verdicts(work.paper, work.sweeps)
    pipeline.write(work, found, _command(work), jobs, plots=plots)
    return found


def _command(work: "Work") -> str:
    """The command that makes the page again."""
    return shlex.join(["tailrace", "reproduce", work.paper.id, *(["--quick"] if work.quick else [])])


def _show(found: "Sequence[tuple[Work, list[Verdict]]]") -> None:
    """Prints how many claims of each paper hold, and which verdicts are new."""
    from tailrace.reproduce import judgement
    from tailrace.text import text_table

    counted = [judgement.counts(verdicts, work.paper.claims) for work, verdicts in found]
    words = list(counted[0])
    rows = [
        [work.paper.id, *(str(counts[word]) for word in words)]
        for (work, _), counts in zip(found, counted, strict=True)
    ]
    common.show(text_table.RichGrid(text_table.Grid("claims", ["paper", *words], rows)))


def _end(found: "Sequence[tuple[Work, list[Verdict]]]", *, quick: bool) -> None:
    """Ends with an error where a verdict is another than was known."""
    new = [
        f"{work.paper.id} {verdict.claim.id}{f' under {verdict.reading}' if verdict.reading else ''}: "
        f"{verdict.outcome.value}, expected {verdict.expected.value} ({verdict.findings[0].ours})"
        for work, verdicts in found
        for verdict in verdicts
        if verdict.is_new(quick=quick)
    ]
    if new:
        for text in new:
            say(f"error: {text}")
        say(
            "Another verdict than claims.toml expects: either the engine has changed, or the expectation is wrong"
        )
        raise typer.Exit(OTHER)

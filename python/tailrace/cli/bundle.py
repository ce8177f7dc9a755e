"""`tailrace bundle` and `tailrace verify`: a study as one archive, and whether another machine gets the same runs."""

import json as json_text
import tempfile
from pathlib import Path
from typing import Annotated, Any

import typer

from tailrace.cli import common, signals
from tailrace.cli.common import guarded, say
from tailrace.kernels import confinement

# Same exit code as a difference in `tailrace compare --identical` and `tailrace reproduce`.
DIFFERENT = 4
# Rows of the table for runs that differ; all are in the JSON.
_MOST_SHOWN = 20


@guarded
def bundle(
    places: Annotated[
        list[Path], typer.Argument(metavar="DIR...", help="Folders of results, comparisons and sweeps.")
    ],
    output: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="FILE", help="Archive to write (.tar.gz)."),
    ] = Path("bundle.tar.gz"),
    with_files: common.With = None,
    everything: Annotated[
        bool,
        typer.Option(
            "--all",
            help="Pack tables, figures and captures, too: everything in the folders that is Tailrace's.",
        ),
    ] = False,
    force: common.Force = False,
    quiet: common.Quiet = False,
) -> None:
    """Pack result folders into one archive that another machine can confirm: scenarios, seeds,
    fingerprints, versions."""
    from tailrace.bundle import archive, experiment
    from tailrace.system import atomic_file

    atomic_file.check_suffix(output, [".tar.gz", ".tgz"])
    algorithms = common.own_classes(with_files)
    experiments = [one for place in places for one in experiment.of_folder(place, algorithms)]
    own = [Path(file) for file in with_files or ()]
    size = archive.write(output, experiments, places, own, everything=everything, force=force)
    if not quiet:
        runs = sum(len(one.runs) for one in experiments)
        say(
            f"{len(experiments)} experiment{'s' if len(experiments) != 1 else ''} with {runs} runs are in {output} "
            f"({size / 1e6:.1f} MB); "
            f"to confirm them elsewhere:\n  tailrace verify {common.quoted(output)}"
        )


@guarded
def verify(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="An archive written by `tailrace bundle`.")],
    sample: Annotated[
        int | None,
        typer.Option(
            "--sample",
            metavar="N",
            min=1,
            help="Verify only so many of the runs, spread over the experiments.",
        ),
    ] = None,
    run_algorithms: Annotated[
        bool,
        typer.Option(
            "--run-algorithms",
            help="Run the bundle's own algorithms. They are programs and can do whatever you can: read them first.",
        ),
    ] = False,
    jobs: common.Jobs = None,
    trust_programs: common.TrustPrograms = False,
    json: common.Json = False,
    quiet: common.Quiet = False,
) -> None:
    """Run what a bundle holds again and compare every fingerprint.

    Ends with 4 if one differs.
    """
    confinement.trust_programs(trust_programs)
    from tailrace.bundle import archive, verification
    from tailrace.execution import progress
    from tailrace.scenario import plugins

    found = archive.read(file)
    if found.algorithms and not run_algorithms:
        names = ", ".join(sorted(found.algorithms))
        common.fail(
            f"{file} has algorithms of its authors' own ({names}), which are programs: read them "
            f"(tar -xzf {common.quoted(file)} algorithms), then give --run-algorithms"
        )
    with tempfile.TemporaryDirectory() as place, signals.Held() as held:
        classes = []
        for name, data in found.algorithms.items():
            path = Path(place) / Path(name).name
            path.write_bytes(data)
            classes += plugins.load(path)
        total = len(verification.chosen(found, sample))
        with progress.watch(quiet=quiet, total=total, what="verifying") as watch:
            done = verification.verify(found, sample, classes, jobs, watch, lambda: bool(held))
    if json:
        typer.echo(json_text.dumps(_document(done, total), indent=2))
    elif not quiet:
        _show(done, total, dict(found.about))
    if done.interrupted:
        raise typer.Exit(signals.INTERRUPTED)
    if done.different or done.failed:
        raise typer.Exit(DIFFERENT)


def _document(done: Any, total: int) -> dict[str, Any]:  # noqa: ANN401 - verification loads the engine
    return {
        "runs": total,
        "equal": done.equal,
        "different": [
            {"experiment": one.experiment.name, **vars(run), "here": here}
            for one in done.verified
            for run, here in one.different
        ],
        "failed": [error for one in done.verified for error in one.errors],
        "other_engines": done.other_engines,
        "interrupted": done.interrupted,
    }


def _show(done: Any, total: int, about: dict[str, Any]) -> None:  # noqa: ANN401 - verification loads the engine
    common.echo(f"{done.equal} of {total} runs are equal to the bit")
    lines = [
        f"{one.experiment.name}, run {run.run}: {here} here, {run.fingerprint} in the bundle"
        for one in done.verified
        for run, here in one.different
    ]
    lines += [error for one in done.verified for error in one.errors]
    for line in lines[:_MOST_SHOWN]:
        common.echo(line)
    if len(lines) > _MOST_SHOWN:
        common.echo(f"... and {len(lines) - _MOST_SHOWN} more: --json has all")
    if done.other_engines:
        say(
            f"note: the runs are of another engine ({', '.join(done.other_engines)}), and equal fingerprints are "
            f"promised for equal engines only: pip install tailrace=={about['tailrace']}"
        )

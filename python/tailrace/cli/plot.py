"""`tailrace plot`: figures from result folders."""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tailrace.cli import common
from tailrace.cli.common import guarded, say
from tailrace.compare import Comparison
from tailrace.errors import TailraceError, UsageError
from tailrace.result import Result

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_FORMATS = ("png", "svg", "pdf")


@guarded
def plot(
    places: Annotated[
        list[Path], typer.Argument(metavar="DIR...", help="Result folders; several are overlaid.")
    ],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Folder for the figures [default: DIR/figures].")
    ] = None,
    formats: Annotated[str, typer.Option("--format", help="Of png, svg and pdf, with commas.")] = "png,svg",
    quiet: common.Quiet = False,
) -> None:
    """Draw figures from result folders; several folders are overlaid."""
    kinds = [kind.strip().lower() for kind in formats.split(",") if kind.strip()]
    unknown = [kind for kind in kinds if kind not in _FORMATS]
    if unknown or not kinds:
        common.fail(f"figures can be {', '.join(_FORMATS)}, not {', '.join(unknown) or 'nothing'}")
    if output and output.exists() and not output.is_dir():
        common.fail(f"{output} is a file; choose a folder with -o")
    if len(places) == 1 and not Comparison.is_folder(places[0]):
        target = output or places[0] / "figures"
        drawn = write_figures(Result.load(places[0]), target, kinds, quiet=quiet)
    elif len(places) == 1:
        target = output or places[0] / "figures"
        drawn = write_overlays(Comparison.load(places[0]), target, kinds, quiet=quiet)
    else:
        from tailrace.cli.compare import of_folders  # they know each other

        target = output or Path("figures")
        drawn = write_overlays(of_folders(places), target, kinds, quiet=quiet)
    if drawn and not quiet:
        say(f"figures in {target}")


@contextmanager
def redrawable(place: Path) -> Iterator[None]:
    """Says what is kept when figures of a folder already written cannot be finished, and how to go on."""
    hint = f"the results are in {place}; for the figures: {common.program()} plot {place}"
    try:
        yield
    except KeyboardInterrupt:
        say(f"interrupted while drawing; {hint}")
        raise typer.Exit(common.INTERRUPTED) from None
    except UsageError as error:
        raise TailraceError(f"{error}; {hint}") from None


def write_comparison(comparison: Comparison, place: Path, *, quiet: bool) -> None:
    """The overlays, and each variant's own figures in its folder."""
    for name, result in zip(comparison.folder_names(), comparison.results.values(), strict=True):
        write_figures(result, place / name / "figures", quiet=quiet)
    write_overlays(comparison, place / "figures", quiet=quiet)


def write_figures(result: Result, place: Path, kinds: Sequence[str] = ("png", "svg"), *, quiet: bool) -> bool:
    """One figure a metric; whether there was anything to draw."""
    from tailrace import plots  # Matplotlib takes half a second

    if not _has_series([result], quiet=quiet):
        return False
    if not quiet:
        say(f"drawing {place}")
    _write({name: plots.single(result, name) for name in plots.names_for(result)}, place, kinds)
    return True


def write_overlays(
    comparison: Comparison, place: Path, kinds: Sequence[str] = ("png", "svg"), *, quiet: bool
) -> bool:
    """One figure a metric with a line a result; whether there was anything to draw."""
    from tailrace import plots  # Matplotlib takes half a second

    if not _has_series(list(comparison.results.values()), quiet=quiet):
        return False
    if not quiet:
        say(f"drawing {place}")
    _write(
        {name: comparison.plot(name) for name in plots.names_for_all(comparison.results.values())},
        place,
        kinds,
    )
    return True


def _has_series(results: Sequence[Result], *, quiet: bool) -> bool:
    found = any(len(result.flow_series) or len(result.queue_series) for result in results)
    if not found and not quiet:
        say(
            'no figures: no time series were recorded (the scenario can ask for them: [record] interval = "100 ms")'
        )
    return found


def _write(figures: "dict[str, Figure]", place: Path, kinds: Sequence[str]) -> None:
    """Draws beside the folder first, so that Ctrl-C leaves no half-written figure."""
    from tailrace import plots

    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".figures.", dir=place.parent) as fresh:
            files = plots.save_all(figures, Path(fresh), kinds)
            place.mkdir(exist_ok=True)
            for file in files:
                file.replace(place / file.name)
    except OSError as error:
        raise UsageError(f"{place} cannot be written: {error.strerror or error}") from None

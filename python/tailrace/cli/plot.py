"""`tailrace plot`: figures from result folders."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tailrace import belongings, present, staging
from tailrace.cli import common, signals
from tailrace.cli.common import guarded, say
from tailrace.comparison import Comparison, opened
from tailrace.errors import TailraceError, UsageError
from tailrace.execute import default_jobs
from tailrace.result import Result

if TYPE_CHECKING:
    from tailrace.plots.style import Options

_FORMATS = ("png", "svg", "pdf")
_USUAL_FORMATS = ("png", "svg")


@guarded
def plot(  # noqa: PLR0913, PLR0917 - the options of the command
    places: Annotated[
        list[Path], typer.Argument(metavar="DIR...", help="Result folders; several are overlaid.")
    ],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Folder for the figures [default: DIR/figures].")
    ] = None,
    figures: common.Figures = None,
    queue: common.Queue = None,
    formats: Annotated[str, typer.Option("--format", help="Of png, svg and pdf, with commas.")] = "png,svg",
    size: Annotated[
        str, typer.Option("--size", help="screen; single or double: columns of a paper.")
    ] = "screen",
    no_title: Annotated[bool, typer.Option("--no-title", help="Leave titles off.")] = False,
    jobs: Annotated[
        int | None, typer.Option("--jobs", "-j", min=1, help="Processes that draw [default: processors].")
    ] = None,
    quiet: common.Quiet = False,
) -> None:
    """Draw figures from result folders; several folders are overlaid."""
    kinds = [kind.lower() for kind in common.listed(formats)]
    unknown = [kind for kind in kinds if kind not in _FORMATS]
    if unknown or not kinds:
        common.fail(f"figures can be {', '.join(_FORMATS)}, not {', '.join(unknown) or 'nothing'}")
    if output and output.exists() and not output.is_dir():
        common.fail(f"{output} is a file; choose a folder with -o")
    from tailrace.plots import SIZES  # Matplotlib takes half a second

    options: Options = {
        "size": present.known(size, list(SIZES), "size of figures"),
        "title": not no_title,
        "queue": queue,
    }
    source = opened(places)
    target = output or (places[0] / "figures" if len(places) == 1 else Path("figures"))
    order = Drawing(tuple(places), target, common.listed(figures), kinds, options, jobs)
    if order.draw(source, quiet=quiet) and not quiet:
        say(f"figures in {target}")


def check_figures(figures: str | None) -> list[str]:
    """The figures that an option names, before any time is spent."""
    wanted = common.listed(figures)
    if wanted and wanted != ["all"]:
        from tailrace import plots  # Matplotlib takes half a second

        plots.names_for([], wanted)
    return wanted


@contextmanager
def redrawable(place: Path) -> Iterator[None]:
    """Says what is kept when figures of a folder already written cannot be finished, and how to go on."""
    hint = f"the results are in {place}; for the figures: {common.program()} plot {place}"
    try:
        yield
    except KeyboardInterrupt:
        say(f"interrupted while drawing; {hint}")
        raise typer.Exit(signals.INTERRUPTED) from None
    except UsageError as error:
        raise TailraceError(f"{error}; {hint}") from None


@dataclass(frozen=True)
class Drawing:
    """Figures to be drawn of what is in folders, into another."""

    places: tuple[Path, ...]
    target: Path
    wanted: Sequence[str] = ()
    kinds: Sequence[str] = _USUAL_FORMATS
    options: "Options | None" = None
    jobs: int | None = None

    def draw(self, source: Result | Comparison, *, quiet: bool) -> bool:
        """Whether there was anything to draw."""
        results = list(source.results.values()) if isinstance(source, Comparison) else [source]
        if not _has_series(results, quiet=quiet):
            return False
        from tailrace import plots  # Matplotlib takes half a second

        names = plots.names_for(results, self.wanted)
        queue = (self.options or {}).get("queue")
        if queue:
            present.studied_queue([result.aggregate for result in results], queue)
        if not quiet:
            say(f"drawing {self.target}")
        self._write(tuple(names), source)
        return True

    def _write(self, names: tuple[str, ...], source: Result | Comparison) -> None:
        """Draws beside the folder first, so that Ctrl-C leaves no half-written figure."""
        from tailrace.plots import workshop

        place = self.target
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            with staging.work(place.parent) as work:
                order = workshop.Order(self.places, names, work.new, tuple(self.kinds), self.options or {})
                workshop.draw(order, source, self.jobs or default_jobs())
                files = sorted(work.new.iterdir())
                # Of a result folder they become part.
                belongings.claim(place.parent, [f"{place.name}/{file.name}" for file in files])
                place.mkdir(exist_ok=True)
                for file in files:
                    file.replace(place / file.name)
        except OSError as error:
            raise UsageError(f"{place} cannot be written: {error.strerror or error}") from None


def _has_series(results: Sequence[Result], *, quiet: bool) -> bool:
    found = any(len(result.group_series) or len(result.queue_series) for result in results)
    if not found and not quiet:
        say(
            'no figures: no time series were recorded (the scenario can ask for them: [record] interval = "100 ms")'
        )
    return found

"""`tailrace plot`: figures from result folders."""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tailrace.cli import common, plot_frame, plot_sweep, signals
from tailrace.cli.common import guarded, say
from tailrace.data.comparison import Comparison
from tailrace.data.result import Result
from tailrace.errors import TailraceError, UsageError
from tailrace.execution.execute import default_jobs
from tailrace.stats import summary_measures
from tailrace.system import ownership, path_errors, staging
from tailrace.text import near_misses

if TYPE_CHECKING:
    from tailrace.show.plots.parallel_render import Source

_FORMATS = ("png", "svg", "pdf")
_USUAL_FORMATS = ("png", "svg")


@guarded
def plot(  # noqa: PLR0913, PLR0917 - the options of the command
    places: Annotated[
        list[Path],
        typer.Argument(
            metavar="DIR...",
            help="Result folders (several are drawn into the same figures), or the folder of a sweep.",
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="DIR", help="Folder for the figures [default: DIR/figures]."),
    ] = None,
    figures: common.Figures = None,
    queue: common.Queue = None,
    flows: Annotated[
        str | None,
        typer.Option(
            "--flows", metavar="tcp[0..3],...", help="Draw these single flows instead of flow groups."
        ),
    ] = None,
    formats: Annotated[
        str,
        typer.Option(
            "--format", metavar="FORMAT,...", help="File formats: png, svg, pdf, separated by commas."
        ),
    ] = "png,svg",
    size: Annotated[
        str,
        typer.Option(
            "--size",
            metavar="SIZE",
            help="Size: screen, or the width of one column (single) or two columns (double) of a paper.",
        ),
    ] = "screen",
    no_title: Annotated[bool, typer.Option("--no-title", help="Draw no titles.")] = False,
    xlabel: plot_frame.XLabel = None,
    ylabel: plot_frame.YLabel = None,
    xlim: plot_frame.XLimits = None,
    ylim: plot_frame.YLimits = None,
    name: plot_frame.Names = None,
    metric: plot_sweep.Metrics = None,
    against: plot_sweep.Against = None,
    by: plot_sweep.By = None,
    kind: plot_sweep.Kind = None,
    where: plot_sweep.Where = None,
    formula: plot_sweep.Formulas = None,
    of: plot_sweep.Of = "runs",
    log: plot_sweep.Log = None,
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs",
            "-j",
            metavar="N",
            min=1,
            help="Number of figures at the same time [default: the number of processors].",
        ),
    ] = None,
    force: common.Force = False,
    quiet: common.Quiet = False,
) -> None:
    """Draw figures from result folders, or from the folder of a sweep."""
    kinds = [kind.lower() for kind in common.listed(formats)]
    unknown = [kind for kind in kinds if kind not in _FORMATS]
    if unknown or not kinds:
        common.fail(f"figures can be {', '.join(_FORMATS)}, not {', '.join(unknown) or 'nothing'}")
    if output and output.exists() and not output.is_dir():
        common.fail(f"{output} is a file; choose a folder with -o")
    from tailrace.show.plots import SIZES, parallel_render  # Matplotlib takes half a second

    options = {
        "size": near_misses.known(size, list(SIZES), "size of figures"),
        "title": not no_title,
        "queue": queue,
        **plot_frame.options(xlabel, ylabel, xlim, ylim, name),
    }
    source = parallel_render.opened(tuple(places))
    target = output or (places[0] / "figures" if len(places) == 1 else Path("figures"))
    asked = plot_sweep.Asked(metric, against, by, kind, where or [], formula or [], of, log)
    if isinstance(source, Result | Comparison):
        asked.check_unused(places[0])
        options["flows"] = flows
        order = Drawing(tuple(places), target, common.listed(figures), kinds, options, jobs, force=force)
        drawn = order.draw(source, quiet=quiet)
    else:
        if figures or flows:
            instead = "--metric instead of --figures" if figures else "--of flows instead of --flows"
            common.fail(f"{places[0]} is a sweep: say {instead}")
        options |= asked.options()
        order = Drawing(tuple(places), target, asked.metrics(source), kinds, options, jobs, force=force)
        order.write(order.wanted, source, asked.files(order.wanted, options), quiet=quiet)
        drawn = True
    if drawn and not quiet:
        say(f"figures in {target}")


def check_figures(figures: str | None) -> list[str]:
    """The figures that an option names, before any time is spent."""
    wanted = common.listed(figures)
    if wanted and wanted != ["all"]:
        from tailrace.show import plots  # Matplotlib takes half a second

        plots.names_for([], wanted)
    return wanted


@contextmanager
def redrawable(place: Path) -> Iterator[None]:
    """Says what is kept when figures of a folder already written cannot be finished, and how to go on."""
    hint = f"the results are in {place}; for the figures: {common.program()} plot {common.quoted(place)}"
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
    options: Mapping[str, Any] | None = None
    jobs: int | None = None
    # Figures with names of their own: metric and options.
    own: Mapping[str, tuple[str, Mapping[str, Any]]] | None = None
    # Whether files of others are replaced.
    force: bool = False

    def draw(self, source: Result | Comparison, *, quiet: bool) -> bool:
        """Whether there was anything to draw."""
        results = list(source.results.values()) if isinstance(source, Comparison) else [source]
        if not _has_series(results, quiet=quiet):
            return False
        from tailrace.show import plots  # Matplotlib takes half a second

        names = plots.names_for(results, self.wanted)
        queue = (self.options or {}).get("queue")
        if queue:
            summary_measures.studied_queue([result.aggregate for result in results], queue)
        self.write(names, source, {}, quiet=quiet)
        return True

    def write(self, names: Sequence[str], source: "Source", files: Mapping[str, str], *, quiet: bool) -> None:
        """Draws beside the folder first, so that Ctrl-C leaves no half-written figure.

        `files` has names of files that are other than those of the figures.
        """
        from tailrace.show.plots import parallel_render

        place = self.target
        if not quiet:
            say(f"drawing {place}")
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            with staging.work(place.parent) as work:
                order = parallel_render.Order(
                    self.places,
                    tuple(names),
                    work.new,
                    tuple(self.kinds),
                    self.options or {},
                    files,
                    self.own or {},
                )
                parallel_render.draw(order, source, self.jobs or default_jobs())
                written = sorted(work.new.iterdir())
                self._check_free([file.name for file in written])
                # Figures become part of a result folder.
                ownership.claim(place.parent, [f"{place.name}/{file.name}" for file in written])
                place.mkdir(exist_ok=True)
                for file in written:
                    file.replace(place / file.name)
        except OSError as error:
            raise path_errors.unwritable(place, error) from None

    def _check_free(self, files: Sequence[str]) -> None:
        """Refuses to replace what is no figure of Tailrace's. In result folders, others' files are moved aside."""
        from tailrace.show.plots import figures

        if self.force or ownership.kind(self.target.parent) is not None:
            return
        for file in (self.target / name for name in files):
            if file.exists() and not figures.is_drawn(file):
                raise UsageError(
                    f"{file} is no figure that tailrace has drawn, and stays as it is: --force replaces it, -o names "
                    "another folder"
                )


def _has_series(results: Sequence[Result], *, quiet: bool) -> bool:
    tables = ("group_series", "queue_series")
    found = any(len(result.columns(name, "run")) for result in results for name in tables)
    if not found and not quiet:
        # With an interval there are series of whatever can have some.
        interval = (
            tomllib.loads(results[0].scenario_toml).get("record", {}).get("interval") if results else None
        )
        say(
            "no figures: there are no flows, and no queue under study (a link with `queue`, or between routers)"
            if interval
            else "no figures: no time series were recorded "
            '(the scenario can ask for them: [record] interval = "100 ms")'
        )
    return found

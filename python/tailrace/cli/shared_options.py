"""Options that several commands share, each in one place: a field here is an option of all of them.

A command takes the fields as one argument of the class. `spread` shows them to Typer as options of their own.
"""

import functools
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args, get_type_hints

import typer
from typer.models import OptionInfo

from tailrace.cli import common, table_options
from tailrace.kernels import confinement

if TYPE_CHECKING:
    from tailrace.scenario.scenario import Scenario
    from tailrace.study.declaration import Declaration, Options
    from tailrace.study.precision import Goals
    from tailrace.study.sharding import Shard

_PLACE = "PLACE"


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """Options of all commands that run scenarios."""

    sets: common.Sets = None
    allow: common.Allow = None
    with_files: common.With = None
    runs: common.Runs = None
    seed: common.Seed = None
    jobs: common.Jobs = None
    trust_programs: common.TrustPrograms = False
    dask: Annotated[
        str | None,
        typer.Option(
            "--dask",
            metavar="ADDRESS",
            help="Run on a Dask cluster: tcp://host:port of its scheduler, or local.",
        ),
    ] = None
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="DIR", help=f"Folder for the results [default: {_PLACE}]."),
    ] = None
    fresh: common.Fresh = False
    form: table_options.Form = None
    json: common.Json = False
    quiet: common.Quiet = False

    def load(self, file: str) -> "Scenario":
        """The scenario of a file with the values that are set. Its programs may do what was consented to."""
        confinement.trust_programs(self.trust_programs)
        return common.load(file, self.sets, self.seed, self.runs, self.allow, self.with_files)


@dataclass(frozen=True, kw_only=True)
class TableOptions:
    """Options of commands whose result is a table with figures: all but a search."""

    columns: table_options.Columns = None
    until_ci: common.UntilCi = None
    max_runs: common.MaxRuns = None
    no_plots: common.NoPlots = False
    dry_run: common.DryRun = False

    def goals(self, shard: "Shard | None" = None) -> "Goals | None":
        """Precision goals for means."""
        if self.until_ci is None and self.max_runs is None:
            return None
        from tailrace.study import precision

        return precision.parse(self.until_ci, common.listed(self.columns), self.max_runs, shard)


@dataclass(frozen=True, kw_only=True)
class VariationOptions:
    """Options that say which variants of a scenario there are."""

    set_each: Annotated[
        list[str] | None,
        typer.Option(
            "--set-each",
            metavar="PATH=V,V,...",
            help="Values to try, or PATH=uniform(A, B) to draw them at random. Repeatable.",
            autocompletion=common.offered("several_values"),
        ),
    ] = None
    together: Annotated[
        list[str] | None,
        typer.Option(
            "--zip",
            metavar="PATH=V,V; PATH=V,V",
            help="Values that change together instead of in all combinations. Repeatable.",
        ),
    ] = None
    let: Annotated[
        list[str] | None,
        typer.Option("--let", metavar="NAME=V,...", help="A variable for formulas. Repeatable."),
    ] = None
    derive: Annotated[
        list[str] | None,
        typer.Option(
            "--derive",
            metavar="PATH=FORMULA",
            help="A value that is computed from others. Repeatable.",
            autocompletion=common.offered("path_alone"),
        ),
    ] = None
    when: Annotated[
        list[str] | None,
        typer.Option("--when", metavar="FORMULA", help="Leave out variants for which this is not true."),
    ] = None
    samples: Annotated[
        int | None,
        typer.Option("--samples", metavar="N", min=1, help="Number of random values that are drawn."),
    ] = None
    method: Annotated[
        str,
        typer.Option(
            "--method", metavar="NAME", help="Method of drawing random values: latin_hypercube or random."
        ),
    ] = "latin_hypercube"

    @property
    def said(self) -> "Options":
        """The words of the command line."""
        from tailrace.study import declaration

        return declaration.Options(
            self.set_each or [],
            self.together or [],
            self.let or [],
            self.derive or [],
            self.when or [],
            self.samples,
            self.method,
        )

    def declared(self) -> "Declaration":
        """The same as data, checked."""
        from tailrace.study import declaration

        return declaration.of_options(self.said)

    @property
    def varied(self) -> list[str]:
        """What is varied, as part of a folder's name: with more values or samples it is the same folder."""
        said = self.said
        axes = [*said.set_each, *(part for text in said.together for part in text.split(";")), *said.let]
        names = dict.fromkeys(text.partition("=")[0].strip() for text in (*axes, *said.derive))
        return [*names, *said.when]

    @property
    def varied_values(self) -> list[str]:
        """All that is said of variants, as part of a folder's name: with other values it is another folder."""
        said = self.said
        listed = [*said.set_each, *said.together, *said.let, *said.derive, *said.when]
        return [*listed, *([f"samples={said.samples}"] if said.samples else [])]


CLASSES = (RunOptions, TableOptions, VariationOptions)


def spread(place: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Shows the fields of arguments that are of `CLASSES` as options; `place` is the default folder of results."""

    def spreading(function: Callable[..., None]) -> Callable[..., None]:
        hints = get_type_hints(function, include_extras=True)
        classes = {name: hint for name, hint in hints.items() if hint in CLASSES}

        @functools.wraps(function)
        def command(*arguments: Any, **given: Any) -> None:  # noqa: ANN401 - as its options are
            made = {
                name: kind(**{f.name: given.pop(f.name) for f in fields(kind) if f.name in given})
                for name, kind in classes.items()
            }
            function(*arguments, **given, **made)

        parameters = list(_parameters(function, hints, classes, place))
        command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        command.__annotations__ = {each.name: each.annotation for each in parameters}
        return command

    return spreading


def _parameters(
    function: Callable[..., None], hints: dict[str, Any], classes: dict[str, Any], place: str
) -> Iterator[inspect.Parameter]:
    """Parameters of a command with those of option classes in their places; all but the first by name alone."""
    own = inspect.signature(function).parameters.values()
    first = True
    for parameter in own:
        if parameter.name not in classes:
            kind = parameter.POSITIONAL_OR_KEYWORD if first else parameter.KEYWORD_ONLY
            yield parameter.replace(annotation=hints[parameter.name], kind=kind)
            first = False
            continue
        of_class = get_type_hints(classes[parameter.name], include_extras=True)
        for field in fields(classes[parameter.name]):
            yield inspect.Parameter(
                field.name,
                inspect.Parameter.KEYWORD_ONLY,
                default=field.default,
                annotation=_placed(of_class[field.name], place),
            )


def _placed(annotation: Any, place: str) -> Any:  # noqa: ANN401 - any type with an option
    """The same option with the default place in its help."""
    kind, option = get_args(annotation)
    if not isinstance(option, OptionInfo) or _PLACE not in (option.help or ""):
        return annotation
    changed = OptionInfo(**{**vars(option), "help": (option.help or "").replace(_PLACE, place)})
    return Annotated[kind, changed]

"""Tables of metrics that are chosen by name, and in which form they are printed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from tailrace.cli import common
from tailrace.cli.common import say

if TYPE_CHECKING:
    from tailrace.scenario.scenario import Scenario
    from tailrace.stats.differences import Differences
    from tailrace.stats.table_forms import Tabular
    from tailrace.study.precision import Goals, Missed

Columns = Annotated[
    str | None,
    typer.Option(
        "--columns",
        metavar="METRIC,...",
        help="Metrics to show, e.g. goodput,tcp.delay_p99,utilization,median(goodput).",
    ),
]
Form = Annotated[
    str | None, typer.Option("--format", metavar="FORMAT", help="Print the table as md, csv, json or latex.")
]
Tolerances = Annotated[
    list[str] | None,
    typer.Option(
        "--tolerance",
        metavar="METRIC=LIMIT",
        help="Exit with 4 if two folders, or variants and --baseline, differ by more, e.g. goodput=5%, delay=2ms, "
        "goodput=-5%. Repeatable.",
    ),
]
Baseline = Annotated[
    str | None,
    typer.Option(
        "--baseline",
        metavar="VARIANT",
        help="Show how much the others differ from this variant; for the folder of a sweep, PARAMETER=VALUE.",
    ),
]
Strict = Annotated[
    bool,
    typer.Option(
        "--strict",
        help="With --tolerance: exit with 4 also if the intervals are too wide to show that "
        "the difference is small enough.",
    ),
]


@dataclass(frozen=True)
class Wanted:
    """Options for tables of a command line."""

    columns: Sequence[str] = ()
    form: str | None = None
    tolerances: Sequence[str] = ()
    strict: bool = False
    # Label that the others are compared with.
    baseline: str | None = None


NOTHING = Wanted()


def form_of(form: str | None, *, json: bool) -> str | None:
    """In which form a table is printed; there is one only."""
    from tailrace.stats import table_forms

    table_forms.check(form)
    if json and form not in {None, "json"}:
        common.fail(f"--json and --format {form} are two forms of one output: leave out one of them")
    return "json" if json else form


def wanted(
    columns: str | None,
    form: str | None,
    tolerances: Sequence[str] | None = None,
    *,
    strict: bool = False,
    baseline: str | None = None,
    json: bool = False,
) -> Wanted:
    """The same, checked."""
    form_of(form, json=json)
    if strict and not tolerances:
        common.fail("--strict is of --tolerance, and there is none")
    return Wanted(common.listed(columns), form, tolerances or (), strict, baseline)


def check(scenarios: Iterable[Scenario], wished: Wanted, goals: Goals | None = None) -> None:
    """Refuses metrics that none of the scenarios will have, before any is run."""
    names = [*wished.columns]
    if wished.tolerances:
        from tailrace.stats import tolerances

        names += [tolerances.parse(text)[0] for text in wished.tolerances]
    names += [goal.metric for goal in goals.goals] if goals else []
    if names:
        from tailrace.study import metric_probe

        metric_probe.check(names, scenarios)


def say_missed(missed: Sequence[Missed], cells: int = 0) -> None:
    """Prints means that are known less closely than wanted."""
    if missed:
        from tailrace.study import precision

        say(precision.told(missed, cells))


def show(table: Tabular, form: str | None) -> None:
    """On stdout."""
    from tailrace.stats import table_forms
    from tailrace.text import text_table

    if form:
        typer.echo(table_forms.text(table, form), nl=False)
    else:
        common.show(text_table.RichGrid(table.grid()))


def judged(found: Differences, code: int) -> int:
    """Says which tolerances are broken; the exit code."""
    from tailrace.stats.differences import broken_text

    for row in found.broken:
        say(broken_text(row, found.sides))
    return code or (4 if found.broken else 0)

"""Checks of the figures that a scenario names; every command reports all mistakes before the first run."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from tailrace.cli import common
from tailrace.cli.named_figures import SERIES, asked_of
from tailrace.errors import UsageError
from tailrace.scenario.scenario import Scenario
from tailrace.stats.formulas import Formula
from tailrace.stats.metrics import Metric
from tailrace.stats.parameters import meant
from tailrace.study.cells import Cell
from tailrace.study.expected_columns import Foreseen
from tailrace.study.variation import Variation
from tailrace.text import quantities

if TYPE_CHECKING:
    from tailrace.study.declaration import Options

_T = TypeVar("_T")
# Words that `by` takes beside swept parameters: owners of a metric.
_PARTS = frozenset(
    f"{part}{end}"
    for part in ("group", "queue", "connection", "path", "program", "host")
    for end in ("", "s")
)
# Errors of `tailrace plot` call keys by its options, and some end with what there is.
_OPTION = re.compile(r"--(metric|against|by|kind|where|formula|of|log)\b")
_THERE_ARE = re.compile(r"(.*\S) \((there (?:is|are) .*)\)", re.DOTALL)


def check(scenario: Scenario, variation: Variation | None, cells: Callable[[], Iterable[Scenario]]) -> None:
    """Refuses a scenario with figures that cannot be drawn; see `Foreseen` for the others."""
    figures: Sequence[Mapping[str, str]] = scenario.outline["figures"]
    if not figures:
        return
    there = Foreseen(scenario, variation, cells)
    checked = [_Figure(f"figure.{place}", said, there) for place, said in enumerate(figures)]
    wrong = [each for figure in checked for each in figure.wrong]
    if wrong:
        raise scenario.objected(wrong)


def check_file(scenario: Scenario, said: Options | None = None) -> None:
    """The same with the variants of the file's `[sweep]`, and of options."""
    if not scenario.outline["figures"]:
        return
    from tailrace.study import cells, declaration

    more = declaration.of_options(said or declaration.Options())
    declared = declaration.of_file(scenario).joined(more)
    if not declared:
        check(scenario, None, lambda: ())
        return
    plan = cells.Plan(declared, scenario.seed, cells.base(declared, scenario.written))
    found = list(plan.cells())
    check(scenario, Variation.of_cells(found), lambda: _able(scenario, found))


def _able(scenario: Scenario, cells: Iterable[Cell]) -> Iterator[Scenario]:
    """Cells that can be run; the others report their own errors."""
    for cell in cells:
        with suppress(UsageError):
            yield scenario.variant(cell.label, cell.overrides)


class _Figure:
    """A `[[figure]]`; `wrong` has paths, reasons and remedies."""

    def __init__(self, path: str, said: Mapping[str, str], there: Foreseen) -> None:
        self.wrong: list[tuple[str, str, str | None]] = []
        self._path, self._said, self._there = path, said, there
        if SERIES in said:
            self._check_series()
        else:
            self._check_metrics()

    def _try(self, key: str, step: Callable[[], _T]) -> _T | None:
        """Result of a step; a refusal is noted at a key, or at the figure."""
        try:
            return step()
        except UsageError as error:
            why = _OPTION.sub(r"`\1`", str(error))
            split = _THERE_ARE.fullmatch(why)
            remedy: tuple[str, str | None] = (split[1], split[2]) if split else (why, None)
            self.wrong.append((f"{self._path}.{key}" if key else self._path, *remedy))
        return None

    # -- over time ---------------------------------------------------------------------------------------------

    def _check_series(self) -> None:
        for key in self._said:
            if key != SERIES:
                self._try(key, _refuse_beside_series)
        for name in common.listed(self._said[SERIES]):
            self._try(SERIES, partial(self._check_one_series, name))

    def _check_one_series(self, name: str) -> None:
        from tailrace.show import plots  # Matplotlib takes half a second

        if name == "all":
            return
        plots.names_for([], [name])
        lacking = plots.needed(name, self._there.transports, queues=self._there.has_queues)
        if lacking:
            raise UsageError(f"{name} is of {lacking}, and there are none; leave it out")
        if not self._there.has_series:
            raise UsageError(f'{name} is drawn from time series: set [record] interval, such as "100 ms"')

    # -- of sweeps ---------------------------------------------------------------------------------------------

    def _check_metrics(self) -> None:
        from tailrace.show.plots.swept import request  # Matplotlib takes half a second

        tries: Mapping[str, Callable[[str], object]] = {
            "kind": request.check_kind,
            "of": request.check_table,
            "log": request.axes_of,
            "against": self._check_parameter,
            "by": self._check_by,
            "where": self._check_where,
            "formula": _check_formula,
        }
        for key, attempt in tries.items():
            if key in self._said:
                self._try(key, partial(attempt, self._said[key]))
        names = common.listed(self._said["metric"])
        if not names:
            self._try("metric", _refuse_no_metric)
        for name in names:
            self._check_metric(name)

    def _check_parameter(self, text: str) -> None:
        if self._there.variation is not None:
            meant(text, self._there.variation.columns)

    def _check_by(self, text: str) -> None:
        if text not in _PARTS:
            self._check_parameter(text)

    def _check_where(self, text: str) -> None:
        from tailrace.study import cell_selection

        if self._there.variation is not None:
            cell_selection.places(self._there.variation, [text])
        elif cell_selection.assigned(text) is None:
            Formula(text, "where")

    def _check_metric(self, name: str) -> None:
        of_runs = self._said.get("of", "runs") == "runs"
        values = self._try("metric", partial(self._metrics if of_runs else self._unit, name))
        if values and not self.wrong and self._there.variation is not None:
            self._try("", partial(self._rehearse, name, values, self._there.variation))

    def _metrics(self, name: str) -> list[Metric]:
        from tailrace.show.plots.swept import run_values

        found = self._there.metrics(name)
        for metric in found:
            run_values.check_mean(metric)
        return found

    def _unit(self, name: str) -> quantities.Unit | None:
        """Unit of a column of single flows or connections."""
        from tailrace.show.plots.swept import run_values

        columns = self._there.columns(self._said["of"])
        return (
            quantities.of_name(run_values.column_of(name, columns, self._there.groups)[1])
            if columns
            else None
        )

    def _rehearse(self, name: str, values: Sequence[Metric] | quantities.Unit, variation: Variation) -> None:
        from tailrace.show.plots.swept import dry_run

        asked = asked_of(self._said).request(name)
        if isinstance(values, quantities.Unit):
            dry_run.of_column(variation, asked, values)
        else:
            dry_run.of_metrics(variation, asked, values)


def _check_formula(text: str) -> None:
    from tailrace.show.plots.swept import request

    Formula(request.named_formula(text)[1], "formula")


def _refuse_beside_series() -> None:
    raise UsageError("this is of figures of sweeps, which have a `metric`; leave it out")


def _refuse_no_metric() -> None:
    raise UsageError('a metric is missing, such as "goodput"')

"""The report of a sweep."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from tailrace.errors import UsageError
from tailrace.show.report import (
    answer_table,
    cell_figure,
    charts,
    contrast,
    contrasts,
    network_drawing,
    of_result,
    page_figures,
    provenance,
    resolved_scenario,
    result_findings,
    static_figures,
)
from tailrace.show.report.html_page import Page, Section
from tailrace.show.report.html_tables import Sheet
from tailrace.show.report.markup import Markup, joined, tag
from tailrace.show.report.of_comparison import AT_ONCE
from tailrace.show.report.statements import Statement, counted
from tailrace.stats import asked_metrics, metric_table
from tailrace.study import sweep_runner

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from tailrace.stats.metrics import Metric
    from tailrace.study.sweep_result import Sweep

# More static figures take long to draw.
_MOST_STILLS = 6


def page(sweep: Sweep, columns: Sequence[str] = (), baseline: str = "") -> Page:
    """All of it, with the metrics that were asked for in front: here, by the sweep's command, or by the question."""
    scenario = resolved_scenario.of(sweep.scenario_toml)
    measured, question = sweep.measured, str(sweep.about.get("question") or "")
    told = asked_metrics.of(measured, columns, question, (sweep.fact(sweep_runner.COLUMNS) or "").split(","))
    design = contrast.of(measured, question, baseline)
    table = metric_table.of(measured, list(dict.fromkeys([*told, *sweep.metrics()])))
    most = max(row.runs for row in table.rows)
    return Page(
        f"sweep of {counted(len(sweep.plan), 'cell')}",
        sweep.name,
        question,
        [
            *contrasts.statements(design, told[: asked_metrics.MOST]),
            *([AT_ONCE] if most > 1 else [result_findings.one_run()]),
            *_doubts(sweep),
        ],
        [
            ("cells", str(len(sweep.plan))),
            ("varied", ", ".join(sweep.varied)),
            ("runs", str(sweep.runs.select("cell", "run").unique().height)),
            *([("simulated", f"{scenario['duration']} each")] if "duration" in scenario else []),
            ("seed", str(sweep.about.get("seed", ""))),
        ],
        [
            Section(
                "cells",
                "Figures",
                [*page_figures.of_cells("cells", "Any metric over any parameter"), _stills(sweep, told)],
            ),
            Section("tables", "Tables", [Sheet(table.grid(None), "table.csv", "Every cell").markup()]),
            of_result.network_section(
                scenario, _loads(sweep), "As the file has it; loads from the least to the most of all cells."
            ),
            Section("scenario", "Scenario", [provenance.scenario(sweep.scenario_toml, "scenario.toml")]),
            Section("origin", "Where it comes from", _origin(sweep)),
        ],
        {
            "charts": [],
            "looks": charts.looks(),
            "cells": {"cells": cell_figure.plain(table, next(iter(told), None))},
        },
        answer_table.markup(design.leading, told),
    )


def _loads(sweep: Sweep) -> network_drawing.Loads:
    """The mean of each cell."""
    measured = sweep.measured
    names = measured.known.owners["queue"]
    found: dict[str, list[float]] = {}
    for metric in measured.metrics(["utilization"]) if names else []:
        runs = [list(values.values()) for values in measured.values(metric).values() if values]
        found[metric.owner or names[0]] = [sum(values) / len(values) / 100 for values in runs]
    return network_drawing.loads_of(found)


def _doubts(sweep: Sweep) -> list[Statement]:
    missing = sweep.missing
    said_missing = (
        f"{counted(missing, 'run')} of {sweep.asked} are missing: they failed, or are not done yet."
    )
    told = [note for note in sweep.measured.notes if note]
    return [
        *([Statement("Incomplete", said_missing, True)] if missing else []),
        *(Statement("Note", f"{note}.", True) for note in told),
    ]


def _stills(sweep: Sweep, told: Sequence[Metric]) -> Markup | None:
    """The figures that `tailrace plot` draws of a sweep; of one that it cannot place the table is enough."""
    wanted = list(dict.fromkeys(metric.name for metric in told if metric.window is None))[:_MOST_STILLS]
    drawn: dict[str, bytes] = {}
    for name in wanted:
        try:
            drawn |= static_figures.drawn({name: partial(_figure, sweep, name)})
        except UsageError:  # too many panels, say
            continue
    return tag(
        "div",
        joined(
            *(page_figures.still(f"{name}, as tailrace plot draws it", data) for name, data in drawn.items())
        ),
        cls="figures spare",
    )


def _figure(sweep: Sweep, name: str) -> Figure:
    return sweep.plot(name, title=False)


def _origin(sweep: Sweep) -> list[Markup | None]:
    command = sweep.fact(sweep_runner.COMMAND)
    rows = _runs(sweep)
    about = {"engine": sweep.fact(sweep_runner.ENGINE), "file": sweep.about.get("file")}
    return [
        provenance.repeated([f"tailrace {command}"], "Runs that are there are not done again.")
        if command
        else None,
        provenance.fingerprints(rows, "the folder's index.sqlite"),
        provenance.environment(about),
    ]


def _runs(sweep: Sweep) -> list[tuple[str, int, int, str]]:
    labels = {row["cell"]: row["label"] for row in sweep.plan}
    found = sweep.runs.select("cell", "run", "seed", "fingerprint").unique(maintain_order=True)
    return [(labels.get(cell, "?"), run, seed, mark) for cell, run, seed, mark in found.iter_rows()]

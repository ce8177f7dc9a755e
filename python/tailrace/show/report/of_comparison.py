"""The report of results side by side."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from tailrace.show import summary_tables
from tailrace.show.charts.over_time import Source
from tailrace.show.plots import spans
from tailrace.show.plots.figures import names_for
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
    time_figures,
    variant_axes,
)
from tailrace.show.report.html_page import Page, Section
from tailrace.show.report.html_tables import Sheet
from tailrace.show.report.markup import Markup
from tailrace.show.report.statements import Statement, counted
from tailrace.stats import asked_metrics, metric_table

if TYPE_CHECKING:
    from tailrace.data.comparison import Comparison

# Variants with doubts in words at most.
_MOST_DOUBTS = 6
AT_ONCE = Statement(
    "Better, worse",
    'These words are for differences whose 95 % interval over the runs leaves out 0, "not shown" for all others; runs '
    "of equal seeds are compared in pairs. Each difference is judged by itself: where nothing differs, 1 of 20 is "
    "called better or worse by chance.",
)


def page(comparison: Comparison, columns: Sequence[str] = (), baseline: str = "") -> Page:
    """All of it, with the metrics that were asked for in front: here, by the command, or by the question."""
    results = comparison.results
    first = next(iter(results.values()))
    question = of_result.question(first)
    measured = comparison.measured
    told = asked_metrics.of(measured, columns, question, of_result.asked_columns(first))
    design = contrast.of(variant_axes.parted(comparison), question, baseline)
    scenario = resolved_scenario.of(first.scenario_toml)
    source = Source(results, comparison.queue)
    found = time_figures.charts(source)
    table = metric_table.of(measured, list(dict.fromkeys([*told, *measured.metrics()])))
    most = max(result.n for result in results.values())
    return Page(
        f"comparison of {len(results)} variants",
        comparison.title,
        question,
        [
            *contrasts.statements(design, told[: asked_metrics.MOST]),
            *([AT_ONCE] if most > 1 else [result_findings.one_run()]),
            *_doubts(comparison),
        ],
        _facts(comparison),
        [
            Section("variants", "Variants", page_figures.of_cells("cells", "Every metric of every variant")),
            Section("figures", "Over time", page_figures.over_time(found, _drawn(comparison))),
            Section("tables", "Tables", [sheet.markup() for sheet in _sheets(comparison)]),
            of_result.network_section(
                scenario,
                network_drawing.loads([result.aggregate for result in results.values()]),
                f"As in the variant {next(iter(results))!r}; loads from the least to the most of all variants.",
            ),
            of_result.timeline_section(spans.of(list(results.values())), scenario),
            Section("scenario", "Scenarios", [_scenario(label, comparison) for label in results]),
            Section("origin", "Where it comes from", _origin(comparison)),
        ],
        {
            "charts": [charts.plain(chart, time_figures.most_points(source)) for chart in found],
            "looks": charts.looks(),
            "cells": {"cells": cell_figure.plain(table, next(iter(told), None))},
        },
        answer_table.markup(design.leading, told),
    )


def _doubts(comparison: Comparison) -> list[Statement]:
    found = [
        doubt
        for label, result in comparison.results.items()
        for doubt in result_findings.doubts(result, label)
    ]
    more = len(found) - _MOST_DOUBTS
    rest = [Statement("And more", f"{counted(more, 'further note')} of this kind.", True)] if more > 0 else []
    return [*found[:_MOST_DOUBTS], *rest]


def _facts(comparison: Comparison) -> list[tuple[str, str]]:
    results = comparison.results.values()
    runs = sorted({result.n for result in results})
    scenario = resolved_scenario.of(next(iter(results)).scenario_toml)
    return [
        ("variants", str(len(results))),
        ("runs", f"{runs[0]} each" if len(runs) == 1 else f"{runs[0]} to {runs[-1]} each"),
        *([("simulated", f"{scenario['duration']} each")] if "duration" in scenario else []),
        ("seed", ", ".join(sorted({str(result.seed) for result in results}))),
        ("status", comparison.status),
    ]


def _drawn(comparison: Comparison) -> dict[str, bytes]:
    names = names_for(list(comparison.results.values()))
    return static_figures.drawn({name: partial(comparison.plot, name, title=False) for name in names})


def _sheets(comparison: Comparison) -> list[Sheet]:
    flows, queues = summary_tables.comparison_grids(comparison.results, comparison.title, comparison.queue)
    return [
        Sheet(flows, caption=f"{'Flow groups' if 'flows' in flows.columns else 'Programs'} of each variant"),
        *([Sheet(queues, caption="The queue under study")] if len(queues.columns) > 1 else []),
    ]


def _scenario(label: str, comparison: Comparison) -> Markup:
    result = comparison.results[label]
    return provenance.scenario(result.scenario_toml, "scenario.toml", label)


def _origin(comparison: Comparison) -> list[Markup | None]:
    abouts = [result.manifest for result in comparison.results.values()]
    rows = [
        (label, int(run["run"]), int(run["seed"]), str(run["fingerprint"]))
        for label, result in comparison.results.items()
        for run in result.summary["runs"]
    ]
    commands = list(
        dict.fromkeys(
            provenance.command(r.manifest.get("command") or []) for r in comparison.results.values()
        )
    )
    return [
        provenance.repeated([command for command in commands if command]),
        provenance.fingerprints(rows, "summary.json of each variant"),
        provenance.kernels(abouts),
        provenance.environment(abouts[0]),
    ]

"""The report of one result."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import polars as pl

from tailrace.data import measured_results
from tailrace.show import summary_tables
from tailrace.show.charts.over_time import Source
from tailrace.show.plots import spans
from tailrace.show.plots.figures import names_for
from tailrace.show.report import (
    charts,
    network_drawing,
    network_layout,
    page_figures,
    program_output,
    provenance,
    resolved_scenario,
    result_findings,
    result_order,
    static_figures,
    time_figures,
    timeline,
)
from tailrace.show.report.html_page import Page, Section
from tailrace.show.report.html_tables import Sheet
from tailrace.show.report.markup import Markup, tag
from tailrace.show.report.statements import counted
from tailrace.stats import asked_metrics
from tailrace.text import interval_text, quantities, text_table

if TYPE_CHECKING:
    from tailrace.data.result import Result
    from tailrace.show.charts.description import Span

# Columns of single flows that a page shows; all are in flows.parquet.
_FLOW_COLUMNS = (
    "run",
    "group",
    "flow",
    "src",
    "dst",
    "cc",
    "start_s",
    "goodput_bps",
    "loss_ratio",
    "one_way_delay_mean_s",
    "rtt_mean_s",
    "retransmitted_packets",
    "reordered_packets",
    "timeouts",
    "completed",
)
_LABELS = 6


def page(result: Result, columns: Sequence[str] = ()) -> Page:
    """All of it, with the metrics that were asked for in front: here, by the command, or by the question."""
    scenario = resolved_scenario.of(result.scenario_toml)
    source = Source({"": result})
    found = time_figures.charts(source)
    measured = measured_results.of_result(result)
    names = columns or asked_metrics.still_there(measured, asked_columns(result))
    statements = [
        *result_order.asked(measured, names),
        *result_order.of(result_findings.of(result), question(result)),
        *([result_findings.one_run()] if result.n == 1 else []),
    ]
    return Page(
        f"{counted(result.n, 'run')} of a scenario",
        result.name,
        question(result),
        statements,
        facts(result, scenario),
        [
            Section("figures", "Figures", page_figures.over_time(found, _drawn(result))),
            Section("tables", "Tables", [sheet.markup() for sheet in sheets(result)]),
            Section("programs", "Programs", program_output.of_programs(result.summary["runs"])),
            network_section(scenario, network_drawing.loads([result.aggregate])),
            timeline_section(list(spans.all_of(result)), scenario),
            Section("scenario", "Scenario", [provenance.scenario(result.scenario_toml, "scenario.toml")]),
            Section("origin", "Where it comes from", origin_of(result)),
        ],
        {
            "charts": [charts.plain(chart, time_figures.most_points(source)) for chart in found],
            "looks": charts.looks(),
        },
    )


def question(result: Result) -> str:
    """The one that the scenario asks; results of version 0.1.0 have it in their scenario alone."""
    asked = (
        result.manifest.get("question") or resolved_scenario.of(result.scenario_toml).get("question") or ""
    )
    return str(asked)


def asked_columns(result: Result) -> list[str]:
    """Metrics that the command which made a result was told to show."""
    words = [str(word) for word in result.manifest.get("command") or []]
    found = [after for word, after in itertools.pairwise(words) if word == "--columns"]
    found += [word.partition("=")[2] for word in words if word.startswith("--columns=")]
    return [name for text in found[-1:] for name in text.split(",")]


def facts(result: Result, scenario: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Facts about the result, in short."""
    length = scenario.get("duration")
    return [
        ("runs", str(result.n)),
        *([("simulated", f"{length} each")] if length else []),
        *(
            [("warm-up left out", str(scenario["warmup"]))]
            if resolved_scenario.seconds(scenario, "warmup")
            else []
        ),
        ("seed", str(result.seed)),
        ("fingerprint", result.fingerprint),
        *([("written", written)] if (written := str(result.manifest.get("created", ""))[:10]) else []),
    ]


def _drawn(result: Result) -> dict[str, bytes]:
    """The figures that are drawn unless something else is asked for."""
    return static_figures.drawn(
        {name: partial(result.plot, name, title=False) for name in names_for([result])}
    )


# -- tables ----------------------------------------------------------------------------------------------------


def sheets(result: Result) -> list[Sheet]:
    """Tables of the terminal, and single flows."""
    grids = summary_tables.result_grids(result)
    named = [
        Sheet(_named(grid), caption=_CAPTIONS.get(grid.columns[0]) if place == 0 else None)
        for place, grid in enumerate(grids)
    ]
    return [*named, *_flows(result)]


def _named(grid: text_table.Grid) -> text_table.Grid:
    """With a capital, as headings of a page have."""
    title = grid.title[:1].upper() + grid.title[1:] if grid.title else "Queue under study by window"
    columns = [heading or _UNNAMED.get(grid.columns[0], "what") for heading in grid.columns]
    return text_table.Grid(title, columns, grid.rows, grid.labels, grid.notes)


# Captions by the first column: in a terminal the title names the result, too.
_CAPTIONS = {"flows": "Flow groups", "host": "Programs"}
# Columns without a heading in a terminal, by the heading before them.
_UNNAMED = {"flows": "how many", "queue": "discipline"}


def _flows(result: Result) -> list[Sheet]:
    rows = result.flows
    if rows.is_empty():
        return []
    # Of downloads the delay is that of what servers send.
    if {"one_way_delay_mean_s", "reverse_one_way_delay_mean_s"} <= set(rows.columns):
        rows = rows.with_columns(pl.coalesce("one_way_delay_mean_s", "reverse_one_way_delay_mean_s"))
    kept = [name for name in _FLOW_COLUMNS if name in rows.columns and rows[name].is_not_null().any()]
    kept = [
        name
        for name in kept
        if rows[name].dtype == pl.String or name == "run" or (rows[name] != 0).any() or name == "flow"
    ]
    units = [quantities.of_name(name) for name in kept]
    heads = [_heading(name, unit.name) for name, unit in zip(kept, units, strict=True)]
    cells = [
        [_cell(value, unit.factor) for value, unit in zip(row, units, strict=True)]
        for row in rows.select(kept).iter_rows()
    ]
    labels = sum(1 for name in kept if name in _FLOW_COLUMNS[:_LABELS])
    return [Sheet(text_table.Grid("Single flows", heads, cells, labels=labels), "flows.parquet")]


def _heading(name: str, unit: str) -> str:
    plain = name
    for end in ("_bps", "_ratio", "_packets", "_s"):
        plain = plain.removesuffix(end)
    words = {
        "src": "from",
        "dst": "to",
        "cc": "control",
        "one_way_delay_mean": "delay",
        "rtt_mean": "round trip",
    }
    return f"{words.get(plain, plain.replace('_', ' '))} {unit if unit != 'packets' else ''}".strip()


def _cell(value: object, factor: float) -> str:
    if value is None or value == "":
        return interval_text.NO_VALUE
    if isinstance(value, str):
        return value
    return interval_text.mean_with_interval({"mean": float(str(value)) * factor, "ci95": None})


# -- network, time, origin -------------------------------------------------------------------------------------


def network_section(scenario: Mapping[str, Any], loads: network_drawing.Loads, note: str = "") -> Section:
    """The network as a drawing and a table."""
    found = network_layout.of(scenario)
    picture = network_drawing.picture(found, loads)
    note = note or found.note
    content: list[Markup | None] = [
        tag("p", note, cls="note") if note else None,
        _scrolled(picture, "Drawing of the network") if picture else None,
        network_drawing.legend() if picture else None,
        network_drawing.table(found, loads).markup() if found.edges else None,
    ]
    return Section("network", "Network", content)


def timeline_section(found: list[Span], scenario: Mapping[str, Any]) -> Section:
    """Windows, attacks and faults."""
    picture = timeline.picture(found, resolved_scenario.seconds(scenario, "duration"))
    content = [_scrolled(picture, "Timeline"), timeline.table(found).markup()] if picture else []
    return Section("timeline", "Timeline", content)


def _scrolled(picture: Markup, what: str) -> Markup:
    return tag("div", picture, cls="scroll drawing", tabindex="0", role="region", aria_label=what)


def origin_of(result: Result) -> list[Markup | None]:
    """Command, environment, fingerprints."""
    about = result.manifest
    again = (
        "The same scenario, seed, engine and kernels give the same fingerprint on this machine. On others it may "
        "differ: programs are those of the machine, and kernels may find another processor."
        if about.get("kernels")
        else "The same scenario, seed and engine give the same fingerprint on every machine."
    )
    rows = [
        ("", int(run["run"]), int(run["seed"]), str(run["fingerprint"])) for run in result.summary["runs"]
    ]
    warned = [str(text) for text in about.get("warnings") or []]
    return [
        provenance.repeated(
            [provenance.command(about.get("command") or ["tailrace", "run", "scenario.toml"])],
            f"{again} The scenario below, saved as a file, gives it, too.",
        ),
        provenance.fingerprints(rows, "summary.json"),
        provenance.kernels([about]),
        provenance.environment(about, [("fingerprint of all runs", result.fingerprint)]),
        tag("h3", "Warnings of the scenario") if warned else None,
        *(provenance.code(text, "warning", str(place)) for place, text in enumerate(warned, start=1)),
    ]

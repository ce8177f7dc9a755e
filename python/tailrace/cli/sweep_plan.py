"""`tailrace sweep --dry-run`: what would be run, and what it may take."""

import json as json_text
import time
from typing import TYPE_CHECKING

import typer

from tailrace.cli import common
from tailrace.execution import execute, tasks
from tailrace.scenario.scenario import Scenario
from tailrace.system import memory_limit

if TYPE_CHECKING:
    from tailrace.study.sweep_runner import Survey

# Cells of a plan that are listed at most.
_MOST_LISTED = 20


def echo(scenario: Scenario, surveyed: "Survey", *, json: bool) -> None:
    """Cells, runs, and what they may take: the first run of the first cell is tried for it."""
    wall_s, size = _tried(scenario, surveyed)
    first = next(planned for planned in surveyed.cells if planned)
    at_once = min(execute.default_jobs(), memory_limit.runs_at_once(first.memory, 0))
    seconds = wall_s * surveyed.simulated_s / scenario.duration_s / at_once
    disk = size * surveyed.runs
    if json:
        plan = {
            "cells": len(surveyed.all),
            "runs": surveyed.runs,
            "failing_cells": len(surveyed.errors),
            "alike_cells": surveyed.alike,
        }
        labels = [cell.label for cell in surveyed.all]
        typer.echo(
            json_text.dumps(
                {**plan, "estimated_s": seconds, "estimated_bytes": disk, "labels": labels}, indent=2
            )
        )
        return
    common.echo(
        f"{scenario.name}: {len(surveyed.all)} cells, {surveyed.runs} runs of {scenario.duration_s:g} s"
    )
    if surveyed.alike:
        common.echo(f"  of the cells {surveyed.alike} say the same as others, and share their runs")
    for cell in surveyed.all[:_MOST_LISTED]:
        common.echo(f"  {cell.label}")
    if len(surveyed.all) > _MOST_LISTED:
        common.echo(f"  ... and {len(surveyed.all) - _MOST_LISTED} more")
    common.echo(
        f"about {_duration(seconds)} with {at_once} at a time, about {disk / 1e6:.3g} MB before compression "
        f"(by the first run: {wall_s:.3g} s)"
    )


def _tried(scenario: Scenario, surveyed: "Survey") -> tuple[float, int]:
    """Seconds and bytes of the first run."""
    from tailrace import _native

    first = next(planned for planned in surveyed.cells if planned)
    variant = scenario.variant(first.cell.label, first.cell.overrides)
    start = time.perf_counter()
    output = tasks.of(variant.native, 1).execute()
    wall_s = time.perf_counter() - start
    captured = sum(len(data) for _, data in output.captures())
    return wall_s, len(output.summary) + len(_native.pack(output.tables())) + captured


def _duration(seconds: float) -> str:
    for unit, size in (("h", 3600.0), ("min", 60.0)):
        if seconds >= 2 * size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.2g} s"

"""`tailrace check`."""

import json as json_text
from typing import Annotated

import typer

from tailrace import variants
from tailrace.cli import common
from tailrace.cli.common import guarded
from tailrace.cli.run import describe, warn
from tailrace.errors import ScenarioError


@guarded
def check(
    file: Annotated[str, typer.Argument(metavar="FILE", help="Scenario file (TOML), or - for stdin.")],
    sets: common.Sets = None,
    json: common.Json = False,
    quiet: common.Quiet = False,
) -> None:
    """Check a scenario without running it: errors with line and column, and warnings."""
    try:
        scenario = common.load(file, sets)
        for cell in variants.of_scenario(scenario):
            scenario.replaced(cell.overrides)
    except ScenarioError as error:
        if json:
            typer.echo(json_text.dumps({"ok": False, "errors": error.diagnostics, "warnings": []}, indent=2))
            raise typer.Exit(error.exit_code) from None
        raise
    if json:
        warnings = scenario.outline["warnings"]
        typer.echo(json_text.dumps({"ok": True, "errors": [], "warnings": warnings}, indent=2))
        return
    warn(scenario)
    if not quiet:
        typer.echo(describe(scenario))

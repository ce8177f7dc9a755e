"""`tailrace check`."""

import json as json_text
from typing import Annotated, Any

import typer

from tailrace import variants
from tailrace.cli import common
from tailrace.cli.common import guarded, say
from tailrace.cli.run import describe, warn
from tailrace.errors import ScenarioError, UsageError
from tailrace.scenario import Scenario


@guarded
def check(
    files: Annotated[
        list[str], typer.Argument(metavar="FILE...", help="Scenario files (TOML), or - for stdin.")
    ],
    sets: common.Sets = None,
    json: common.Json = False,
    quiet: common.Quiet = False,
) -> None:
    """Check scenarios without running them: errors with line and column, and warnings."""
    code = 0
    reports = []
    for file in files:
        try:
            scenario = _checked(file, sets)
        except UsageError as error:
            code = error.exit_code
            reports.append(_report(file, errors=_errors(error)))
            if not json:
                say(error.shown)
            continue
        reports.append(_report(file, warnings=scenario.outline["warnings"]))
        if not json:
            warn(scenario)
            if not quiet:
                typer.echo(describe(scenario))
    if json:
        # One file, one report: what reads it need not unwrap a list.
        typer.echo(json_text.dumps(reports[0] if len(reports) == 1 else reports, indent=2))
    if code:
        raise typer.Exit(code)


def _checked(file: str, sets: list[str] | None) -> Scenario:
    """The scenario of a file, each variant of its `[sweep]` read as well."""
    scenario = common.load(file, sets)
    for cell in variants.of_scenario(scenario):
        scenario.replaced(cell.overrides)
    return scenario


def _report(
    file: str, *, errors: list[Any] | None = None, warnings: list[Any] | None = None
) -> dict[str, Any]:
    return {"file": file, "ok": not errors, "errors": errors or [], "warnings": warnings or []}


def _errors(error: UsageError) -> list[dict[str, Any]]:
    if isinstance(error, ScenarioError):
        return error.diagnostics
    return [{"severity": "error", "message": str(error)}]

"""`tailrace check`."""

import json as json_text
from collections.abc import Mapping
from typing import Annotated, Any

import typer

from tailrace.cli import common, figure_checks
from tailrace.cli.common import guarded, say
from tailrace.cli.run import describe, warn
from tailrace.errors import ScenarioError, UsageError
from tailrace.execution.wait_notice import WaitNotice
from tailrace.kernels import confinement, run_kernels
from tailrace.scenario.scenario import Scenario
from tailrace.study import variants


@guarded
def check(
    files: Annotated[
        list[str], typer.Argument(metavar="FILE...", help="Scenario files (TOML), or - for stdin.")
    ],
    sets: common.Sets = None,
    allow: common.Allow = None,
    with_files: common.With = None,
    json: common.Json = False,
    quiet: common.Quiet = False,
    trust_programs: common.TrustPrograms = False,
) -> None:
    """Check scenarios without running them: errors with line and column, and warnings."""
    confinement.trust_programs(trust_programs)
    code = 0
    reports = []
    for file in files:
        try:
            scenario, cells = _checked(file, sets, allow, with_files, quiet=quiet or json)
        except UsageError as error:
            code = error.exit_code
            reports.append(_report(file, errors=_errors(error)))
            if not json:
                say(error.shown)
            continue
        reports.append(_report(file, warnings=_warnings(scenario, cells)))
        if not json and not quiet:
            warn(variants.warnings({"": scenario, **cells}))
            common.echo(describe(scenario))
    if json:
        # A single file gives a single report, so that its reader need not unwrap a list.
        typer.echo(json_text.dumps(reports[0] if len(reports) == 1 else reports, indent=2))
    if code:
        raise typer.Exit(code)


def _checked(
    file: str, sets: list[str] | None, allow: list[str] | None, with_files: list[str] | None, *, quiet: bool
) -> tuple[Scenario, dict[str, Scenario]]:
    """The scenario of a file, and each variant of its `[sweep]`."""
    cells: dict[str, Scenario] = {}
    total = 0

    def state() -> str:
        return f"checking {file}" + (f": {len(cells)} of {total} variants" if total else "")

    with WaitNotice(state, quiet=quiet):
        scenario = common.load(file, sets, allow=allow, with_files=with_files)
        figure_checks.check_file(scenario)
        found = variants.of_scenario(scenario)
        total = len(found)
        for cell in found:
            cells[cell.label] = scenario.variant(cell.label, cell.overrides)
        for each in (scenario, *cells.values()):
            run_kernels.check(each)
    return scenario, cells


def _warnings(scenario: Scenario, cells: Mapping[str, Scenario]) -> list[dict[str, Any]]:
    """The scenario's own, and those that only variants have, with the first one's name."""
    found: list[dict[str, Any]] = [warning for _, warning in scenario.found()]
    known = {repr(warning) for warning in found}
    for label, cell in cells.items():
        new = [warning for _, warning in cell.found() if repr(warning) not in known]
        known.update(map(repr, new))
        found += [{**warning, "variant": label} for warning in new]
    return found


def _report(
    file: str, *, errors: list[Any] | None = None, warnings: list[Any] | None = None
) -> dict[str, Any]:
    return {"file": file, "ok": not errors, "errors": errors or [], "warnings": warnings or []}


def _errors(error: UsageError) -> list[dict[str, Any]]:
    if isinstance(error, ScenarioError):
        return error.diagnostics
    return [{"severity": "error", "code": None, "message": str(error)}]

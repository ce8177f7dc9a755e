"""`tailrace explain`: a pasted report held against the model."""

import json as json_text
from pathlib import Path
from typing import Annotated

import typer

from tailrace.cli import common
from tailrace.cli.common import guarded

# Exit code where the model contradicts a statement.
CONTRADICTED = 4


@guarded
def explain(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="A text with what tc -s, iperf3, ping, ss -ti or ip mptcp printed, or - for stdin.",
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FILE.toml", help="Write the scenario that was run, too."),
    ] = None,
    runs: common.Runs = None,
    jobs: common.Jobs = None,
    json: common.Json = False,
) -> None:
    """Hold a pasted report against the model: which statements it confirms, which it contradicts, what is missing.

    Ends with 4 if the model contradicts a statement.
    """
    from tailrace.explain import explanation

    found = explanation.explain(file, runs=runs, jobs=jobs)
    if output:
        found.draft.write(output)
    if json:
        typer.echo(json_text.dumps(found.document(), indent=2))
    else:
        common.echo(found.text().rstrip("\n"))
    if output:
        common.say(f"the scenario is in {common.quoted(output)}; next: tailrace run {common.quoted(output)}")
    if found.contradicted:
        raise typer.Exit(CONTRADICTED)

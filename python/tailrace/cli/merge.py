"""`tailrace merge`: the shards of a sweep put together."""

from pathlib import Path
from typing import Annotated

import typer

from tailrace.cli import common, signals, table_options
from tailrace.cli.common import guarded, say
from tailrace.cli.sweep import FAILED, end_with_failures, show_table


@guarded
def merge(
    places: Annotated[
        list[Path], typer.Argument(metavar="DIR...", help="Folders written by `tailrace sweep --shard K/N`.")
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="DIR", help="Folder for the complete sweep.")
    ],
    columns: table_options.Columns = None,
    form: table_options.Form = None,
    json: common.Json = False,
    quiet: common.Quiet = False,
) -> None:
    """Combine the shares of a sweep that several machines have run."""
    from tailrace.study import merge_stores

    form = table_options.form_of(form, json=json)
    # Ctrl-C may come at any moment: parts are there or not, and the same command goes on.
    merged = merge_stores.merge(places, output)
    if not quiet:
        say(f"{merged.copied} runs copied")
    wished = columns if columns is not None else merged.columns
    show_table(output, signals.Held(), columns=common.listed(wished), form=form, quiet=quiet)
    for note in merged.notes(output):
        say(note)
    end_with_failures(output, merged.failed)
    if merged.missing:
        raise typer.Exit(FAILED)

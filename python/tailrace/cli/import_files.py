"""`tailrace import`: files of other programs as scenarios."""

import json as json_text
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from tailrace.cli import common, group
from tailrace.cli.common import guarded
from tailrace.imports.draft import ScenarioDraft
from tailrace.imports.readers import READERS, Reader
from tailrace.scenario.scenario import parse_assignments

app = typer.Typer(
    cls=group.Group,
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Write a scenario of what other programs print, configure or record.",
)

Output = Annotated[
    Path | None,
    typer.Option(
        "-o",
        "--output",
        metavar="FILE.toml",
        help="Scenario file to write; nothing that is there is replaced [default: printed].",
    ),
]

Sets = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="PATH=VALUE",
        help="Write another value into the scenario, e.g. link.line.rate=10mbit. Repeatable.",
    ),
]


def _command(reader: Reader) -> Callable[..., None]:
    """The command of a kind."""

    def command(
        files: Annotated[
            list[str], typer.Argument(metavar="FILE", help=f"{reader.files} - is the standard input.")
        ],
        output: Output = None,
        sets: Sets = None,
        json: common.Json = False,
    ) -> None:
        if len(files) > reader.most_files:
            most = f"{reader.most_files} files" if reader.most_files > 1 else "one file"
            common.fail(f"{len(files)} files are given, of which at most {most} can be read: {reader.files}")
        draft = reader.read(files)
        for path, value in parse_assignments(sets or []).items():
            draft.replace(path, value)
        _show(draft, output, json=json)

    command.__doc__ = reader.summary
    return guarded(command)


for _kind, _reader in READERS.items():
    app.command(_kind)(_command(_reader))


def _show(draft: ScenarioDraft, output: Path | None, *, json: bool) -> None:
    """Prints or writes the scenario, and says what was taken and what was not."""
    if output:
        written = draft.write(output)
    elif draft.files:
        common.fail(
            f"the scenario comes with files ({', '.join(draft.files)}): -o FILE.toml says where to write"
        )
    else:
        draft.scenario()
    if json:
        typer.echo(json_text.dumps(_document(draft, output), indent=2))
    elif output:
        for file in written:
            typer.echo(file)
    else:
        typer.echo(draft.toml(), nl=False)
    for each in draft.omissions:
        common.say(f"not taken over: {each.place}: {each.why}")
    if output:
        command = "compare" if draft.sweep else "run"
        common.say(f"next: tailrace {command} {common.quoted(output)}")


def _document(draft: ScenarioDraft, output: Path | None) -> dict[str, object]:
    return {
        "scenario": draft.toml(output.parent if output else Path()),
        "values": [
            {"path": path, "place": value.place or None, "comment": value.comment}
            for path, value in draft.values()
        ],
        "not_taken_over": [{"place": each.place, "why": each.why} for each in draft.omissions],
    }

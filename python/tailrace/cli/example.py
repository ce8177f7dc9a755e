"""`tailrace init` and `tailrace example`: scenarios to start from."""

from pathlib import Path
from typing import Annotated

import typer

from tailrace.cli import common, group
from tailrace.cli.common import guarded

app = typer.Typer(
    cls=group.Group,
    help="List and show the examples that `tailrace init` can write.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


def _names(incomplete: str) -> list[str]:
    from tailrace.scenario import examples

    names = dict.fromkeys(name for e in examples.all_examples().values() for name in (e.short, e.name))
    return [name for name in names if name.startswith(incomplete)]


Name = Annotated[
    str,
    typer.Argument(
        metavar="[NAME]",
        help="Name of an example: `tailrace example list` shows them.",
        autocompletion=_names,
    ),
]


@guarded
def init(
    name: Name = "hello",
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="PATH",
            help="File to write, or for a paper the folder [default: named after the example].",
        ),
    ] = None,
    editor: Annotated[
        bool, typer.Option("--editor", help="Write what editors need to complete and check it, too.")
    ] = False,
) -> None:
    """Write an example to start from: a scenario file, or the folder of a paper."""
    from tailrace.scenario import examples

    example = examples.example(name)
    place = output or Path(example.name if example.is_paper else f"{example.short}.toml")
    for file in example.write(place):
        typer.echo(file)
    if editor:
        set_up_editor(place if example.is_paper else place.parent)
    if example.is_paper:
        common.say(f"next: tailrace reproduce {place}")
        return
    command = "compare" if "[sweep]" in example.text else "run"
    common.say(f"next: tailrace {command} {place}")


def set_up_editor(folder: Path, with_files: common.With = None) -> None:
    """Writes what editors need into a folder, and says what was there already."""
    from tailrace import api
    from tailrace.scenario import editor as files

    written, kept = files.write(folder, api.schema(common.own_classes(with_files)))
    for file in written:
        typer.echo(file)
    for file in kept:
        common.say(f"note: {file} is there already and stays as it is; it should name {files.SCHEMA}")


@app.command("list")
@guarded
def listing(json: common.Json = False) -> None:
    """List the examples, each with the question that it answers."""
    from tailrace.scenario import examples

    found = examples.all_examples().values()
    if json:
        import json as json_text

        entries = [
            {
                "name": e.name,
                "short": e.short,
                "kind": "paper" if e.is_paper else "scenario",
                "question": e.question,
            }
            for e in found
        ]
        typer.echo(json_text.dumps(entries, indent=2))
        return
    width = max(len(example.short) for example in found)
    for example in found:
        typer.echo(f"{example.short:<{width}}  {example.question}")


@app.command("show")
@guarded
def show(name: Name = "hello") -> None:
    """Print an example."""
    from tailrace.scenario import examples

    typer.echo(examples.example(name).text, nl=False)

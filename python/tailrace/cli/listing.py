"""`tailrace list` and `tailrace schema`: what a scenario can say."""

import json as json_text
from typing import Annotated, Any

import typer

from tailrace import _native, api, toml_text
from tailrace.cli import common
from tailrace.cli.common import guarded


@guarded
def listing(
    kind: Annotated[
        str | None, typer.Argument(metavar="[KIND]", help="queues, cc, apps, ... [default: all].")
    ] = None,
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="One entry with its parameters.")
    ] = None,
    json: common.Json = False,
) -> None:
    """List queue disciplines, congestion controls and whatever else a scenario can name."""
    catalog = api.catalog()
    if kind is not None and kind not in catalog:
        common.fail(f"there is no list {kind!r}; there are {', '.join(catalog)}")
    chosen = {kind: catalog[kind]} if kind else catalog
    if kind and name:
        entries = [entry for entry in catalog[kind] if name == entry["name"]]
        if not entries:
            common.fail(f"{kind} has no {name!r}; it has {', '.join(e['name'] for e in catalog[kind])}")
        chosen = {kind: entries}
    if json:
        typer.echo(json_text.dumps(chosen, indent=2))
    elif kind and name:
        _show_entry(chosen[kind][0])
    else:
        _show_lists(chosen)


@guarded
def schema() -> None:
    """Print the JSON Schema of scenario files, for editors."""
    typer.echo(_native.schema())


def _show_lists(chosen: dict[str, list[dict[str, Any]]]) -> None:
    for position, (kind, entries) in enumerate(chosen.items()):
        if position:
            typer.echo()
        typer.echo(f"{kind}:")
        width = max((len(entry["name"]) for entry in entries), default=0)
        for entry in entries:
            typer.echo(f"  {entry['name']:<{width}}  {entry['doc'].strip().splitlines()[0]}".rstrip())
    if len(chosen) == 1:
        (kind,) = chosen
        typer.echo(f"\nparameters: tailrace list {kind} NAME")


def _show_entry(entry: dict[str, Any]) -> None:
    typer.echo(f"{entry['name']}: {' '.join(entry['doc'].split())}")
    for parameter in entry.get("params", []):
        default = parameter["default"]
        shown = "required" if default is None else f"= {_toml(default)}" if default != "" else ""
        typer.echo(f"\n  {parameter['name']} {shown}   ({parameter['kind']})")
        typer.echo(f"      {' '.join(parameter['doc'].split())}")
        if parameter.get("source"):
            typer.echo(f"      default from: {parameter['source']}")


def _toml(value: object) -> str:
    return value if isinstance(value, str) else toml_text.value(value)

"""`tailrace list` and `tailrace schema`: what a scenario can say."""

import json as json_text
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from tailrace import api
from tailrace.cli import common
from tailrace.cli.common import guarded
from tailrace.text import toml_text

# Families of disciplines, in words; what is not here stands as it is.
FAMILIES = {
    "fifo": "first in, first out",
    "red": "random early detection and kin",
    "blue": "BLUE and kin",
    "price": "controllers of load or price",
    "delay": "controllers of delay",
    "fair": "fair queueing",
    "shaper": "shapers and policers",
    "priority": "strict priority",
    "own": "your own",
}
# Properties shown at a glance.
PROPERTIES: dict[str, Callable[[dict[str, Any]], bool]] = {
    "ecn": lambda entry: entry["ecn"] != "ignored",
    "flows": lambda entry: not entry["per_flow_state"].startswith("none"),
    "flags": lambda entry: entry["classifies"],
    "tc": lambda entry: entry["in_linux"],
}
# Lists that stand under this key of a flow.
TRANSPORT, TRANSPORTS = "transport", ("tcp", "mptcp", "quic")
# Word for all lists one below the other.
EVERYTHING = "all"
# Names of a list that stand beside its count.
_MOST_BESIDE = 60
LEGEND = (
    "ecn: can mark; flows: keeps something for each flow; flags: singles out flows and reports them; "
    "tc: Linux has it"
)


@guarded
def listing(
    kind: Annotated[
        str | None,
        typer.Argument(
            metavar="[KIND]",
            help="List to show: queues, cc, apps, ..., or all [default: which lists there are].",
            autocompletion=common.offered("kinds_listed"),
        ),
    ] = None,
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[NAME]",
            help="Show this entry with all its parameters.",
            autocompletion=common.offered("entries_listed"),
        ),
    ] = None,
    with_files: common.With = None,
    json: common.Json = False,
) -> None:
    """List queue disciplines, congestion controls and everything else that a scenario can name."""
    catalog = api.catalog(common.own_classes(with_files))
    if kind == TRANSPORT and name is None and not json:
        _show_transports(catalog)
        return
    if kind == EVERYTHING and name is None:
        kind = None
    elif kind is None and not json:
        _show_kinds(catalog)
        return
    if kind is not None and kind not in catalog:
        hint = common.nearest(kind, [*catalog, TRANSPORT], "list")
        common.fail(f"there is no list {kind!r}{hint}; there are {', '.join(catalog)}")
    chosen = {kind: catalog[kind]} if kind else catalog
    if kind and name:
        entries = [entry for entry in catalog[kind] if name == entry["name"]]
        if not entries:
            names = [entry["name"] for entry in catalog[kind]]
            hint = common.nearest(name, names, f"list {kind}")
            common.fail(f"{kind} has no {name!r}{hint}; it has {', '.join(names)}")
        chosen = {kind: entries}
    if json:
        typer.echo(json_text.dumps(chosen, indent=2))
    elif kind and name:
        _show_entry(chosen[kind][0])
    else:
        _show_lists(chosen)


@guarded
def schema(
    with_files: common.With = None,
    editor: Annotated[
        bool,
        typer.Option("--editor", help="Write it into this folder, with the files that lead editors to it."),
    ] = False,
) -> None:
    """Print the JSON Schema of scenario files, with which editors can complete and check them."""
    if editor:
        from tailrace.cli import example

        example.set_up_editor(Path(), with_files)
        return
    typer.echo(api.schema(common.own_classes(with_files)))


def _show_kinds(catalog: dict[str, list[dict[str, Any]]]) -> None:
    """A line for each list: how many entries it has, and the first of them."""
    width = max(len(kind) for kind in catalog)
    for kind, entries in catalog.items():
        shown: list[str] = []
        for entry in entries:
            if len(", ".join([*shown, entry["name"]])) > _MOST_BESIDE:
                break
            shown.append(entry["name"])
        more = ", ..." if len(shown) < len(entries) else ""
        typer.echo(f"{kind:<{width}}  {len(entries):>3}  {', '.join(shown)}{more}".rstrip())
    typer.echo(
        "\none list: tailrace list KIND; an entry with its parameters: tailrace list KIND NAME; "
        f"all lists: tailrace list {EVERYTHING}"
    )


def _show_lists(chosen: dict[str, list[dict[str, Any]]]) -> None:
    for position, (kind, entries) in enumerate(chosen.items()):
        if position:
            typer.echo()
        typer.echo(f"{kind}:")
        width = max((len(entry["name"]) for entry in entries), default=0)
        for family, members in _by_family(entries).items():
            if family:
                typer.echo(f"\n  {FAMILIES.get(family, family)}")
            for entry in members:
                properties = [word for word, has in PROPERTIES.items() if "family" in entry and has(entry)]
                properties += [entry["severity"]] if "severity" in entry else []
                line = f"  {entry['name']:<{width}}  {entry['doc'].strip().splitlines()[0]}"
                typer.echo(f"{line} [{', '.join(properties)}]" if properties else line.rstrip())
    if "queues" in chosen:
        typer.echo(f"\n{LEGEND}")
    kind, *others = chosen
    if not others and any(entry.get("params") for entry in chosen[kind]):
        typer.echo(f"\nparameters: tailrace list {kind} NAME")


def _show_transports(catalog: dict[str, list[dict[str, Any]]]) -> None:
    """The options of transports, and where the rest of what they do is listed."""
    for kind in TRANSPORTS:
        (entry,) = catalog[kind]
        _show_entry(entry)
        typer.echo()
    typer.echo(
        "`profile` sets all of them, and the table `behaviour` of what implementations do differently:\n"
        "tailrace list behaviours tcp, tailrace list behaviours mptcp"
    )


def _by_family(entries: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """The entries under their families, these in the order of their first members."""
    families: dict[str, list[dict[str, Any]]] = {}
    for entry in entries:
        families.setdefault(entry.get("family", ""), []).append(entry)
    return families


def _show_entry(entry: dict[str, Any]) -> None:
    typer.echo(f"{entry['name']}: {' '.join(entry['doc'].split())}")
    if entry.get("citation"):
        typer.echo(f"  source: {entry['citation']}")
    if "family" in entry:
        typer.echo(f"  family: {FAMILIES.get(entry['family'], entry['family'])}")
        typer.echo(f"  for each flow: {entry['per_flow_state']}")
        typer.echo(f"  ECN: {entry['ecn']}")
        typer.echo(f"  singles out flows: {'yes, and reports them' if entry['classifies'] else 'no'}")
        typer.echo(f"  in Linux: {'yes; tailrace export tc' if entry['in_linux'] else 'no'}")
        typer.echo(f"  series: {', '.join(entry['states']) or 'backlog and sojourn only'}")
    for parameter in entry.get("params", []):
        default = parameter["default"]
        shown = "required" if default is None else f"= {_toml(default)}" if default != "" else ""
        takes = f"({parameter['kind']})" if parameter["kind"] else ""
        typer.echo(f"\n  {parameter['name']} {shown}   {takes}".rstrip())
        typer.echo(f"      {' '.join(parameter['doc'].split())}")
        for choice in parameter.get("choices", []):
            typer.echo(f"        {choice['word']}: {' '.join(choice['doc'].split())}")
        bounds = parameter.get("bounds")
        if bounds and not bounds["usual"]:
            typer.echo(f"      allowed: {bounds['shown']} ({bounds['why']})")
        if parameter.get("source"):
            typer.echo(f"      default from: {parameter['source']}")


def _toml(value: object) -> str:
    return value if isinstance(value, str) else toml_text.value(value)

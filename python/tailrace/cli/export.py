"""`tailrace export`: a scenario's queues and what a run found, for other tools."""

import json as json_text
from typing import Annotated, Any

import typer

from tailrace.cli import common, export_results, export_sqm, group
from tailrace.cli.common import guarded

app = typer.Typer(
    cls=group.Group,
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Convert results, or a scenario's queues, to the formats of other tools.",
)
app.command("csv")(export_results.csv)
app.command("flent")(export_results.flent)
app.command("flowmonitor")(export_results.flowmonitor)
app.command("qlog")(export_results.qlog)
app.command("mahimahi")(export_results.mahimahi)
app.command("sqm")(export_sqm.sqm)

# Beyond what is under way for the link's delay netem holds packets in a queue of its own, which must not drop.
_SMALLEST_PACKET_BITS = 8 * 64
# Words of cake that tell hosts apart by their addresses.
_FAIR_TO_HOSTS = frozenset({"srchost", "dsthost", "hosts", "dual-srchost", "dual-dsthost", "triple-isolate"})
_NETEM_SPARE = 1000


@app.command("tc")
@guarded
def tc(  # noqa: PLR0913, PLR0917 - the options of the command
    file: Annotated[str, typer.Argument(metavar="FILE", help="Scenario file (TOML), or - for stdin.")],
    queue: Annotated[
        str | None, typer.Option("--queue", metavar="A->B", help="Only this queue, by its name in results.")
    ] = None,
    link: Annotated[
        str | None, typer.Option("--link", metavar="NAME", help="Only the queues of this link.")
    ] = None,
    dev: Annotated[
        str,
        typer.Option("--dev", metavar="NAME", help="Name of the network device to put into the commands."),
    ] = "DEV",
    shape: Annotated[
        bool,
        typer.Option(
            "--shape",
            help="Also limit a faster device to the link's rate, and add the link's delay with netem.",
        ),
    ] = False,
    sets: common.Sets = None,
    with_files: common.With = None,
    json: common.Json = False,
) -> None:
    """Print Linux `tc` commands for a scenario's queues, and what they cannot express."""
    if queue and link:
        common.fail("give --queue or --link, not both")
    scenario = common.load(file, sets, with_files=with_files)
    try:
        entries: list[dict[str, Any]] = json_text.loads(scenario.native.tc(queue or link))
    except ValueError as error:
        common.fail(str(error))
    if not entries:
        common.fail(f"{scenario.name} has no link with a queue; choose one with --link")
    for entry in entries:
        entry["commands"] = commands(entry, dev, shape=shape)
    if json:
        typer.echo(json_text.dumps(entries, indent=2))
    else:
        common.echo("\n\n".join(_shown(entry, names) for entry, names in _alike(entries)))


def commands(entry: dict[str, Any], dev: str, *, shape: bool) -> list[str]:
    """Commands to run for one queue: at the root of the device, or under a shaper."""
    if entry["tc"] is None:
        return []
    place = "parent 1:1" if shape else "root"
    handle = " handle 10:" if shape else ""
    own = entry["commands"] or [f"tc qdisc replace dev DEV PARENT{handle} {entry['tc']}"]
    lines = [line.replace("PARENT", place) for line in own]
    if shape:
        lines[:0] = [
            "tc qdisc replace dev DEV root handle 1: htb default 1",
            f"tc class replace dev DEV parent 1: classid 1:1 htb rate {entry['rate_tc']}",
        ]
        if entry["delay_s"] > 0:
            under_way = int(entry["rate_bps"] * entry["delay_s"] / _SMALLEST_PACKET_BITS) + _NETEM_SPARE
            lines.append(f"tc qdisc replace dev NEXT root netem delay {entry['delay_tc']} limit {under_way}")
    return [line.replace("DEV", dev) for line in lines]


def _alike(entries: list[dict[str, Any]]) -> list[tuple[dict[str, Any], list[str]]]:
    """Queues that differ in nothing but their names, which both directions of a link mostly are."""
    groups: dict[str, tuple[dict[str, Any], list[str]]] = {}
    for entry in entries:
        key = json_text.dumps({k: v for k, v in entry.items() if k != "queue"})
        groups.setdefault(key, (entry, []))[1].append(entry["queue"])
    return list(groups.values())


def _shown(entry: dict[str, Any], names: list[str]) -> str:
    lines = [f"# {', '.join(names)}: {entry['kind']} at {entry['rate_tc']}"]
    if entry["why"]:
        lines.append(f"# {entry['why']}")
    for line in entry["commands"]:
        if "NEXT" in line:
            spread = "the mean of " if entry["delay_varies"] else ""
            lines.append(
                f"# {spread}the link's delay; NEXT is the device by which packets leave the next hop"
            )
        lines.append(line)
    if entry["not_carried"]:
        lines.append("# not carried over, scenario against tc:")
        lines += [f"#   {d['parameter']}: {d['scenario']}, {d['tc']}" for d in entry["not_carried"]]
    if _FAIR_TO_HOSTS.intersection((entry["tc"] or "").split()):
        lines.append(
            "# on a device that translates addresses (NAT), add the word nat: hosts look alike without it"
        )
    if entry["impaired"] and entry["commands"]:
        lines.append("# the link's loss and jitter are not part of it")
    return "\n".join(lines)

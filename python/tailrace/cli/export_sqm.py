"""`tailrace export sqm`: shapers of a scenario for OpenWrt."""

from typing import Annotated

import typer

from tailrace.cli import common
from tailrace.cli.common import guarded


@guarded
def sqm(
    file: Annotated[str, typer.Argument(metavar="FILE", help="Scenario file (TOML), or - for stdin.")],
    interface: Annotated[
        str, typer.Option("--interface", metavar="NAME", help="Name of the router's interface to the modem.")
    ],
    link: Annotated[
        str | None,
        typer.Option(
            "--link", metavar="NAME", help="The link with the shapers [default: the only one that has any]."
        ),
    ] = None,
    sets: common.Sets = None,
    with_files: common.With = None,
) -> None:
    """Print a section of OpenWrt's /etc/config/sqm for the shapers of a link, whose forward direction is the upload."""
    from tailrace.export import sqm as section
    from tailrace.text import interface_names

    if not interface_names.fits(interface):
        common.fail(
            f"--interface {interface!r}: an interface has at most 15 characters, without spaces and quotation marks"
        )
    typer.echo(section.section(common.load(file, sets, with_files=with_files), link, interface), nl=False)

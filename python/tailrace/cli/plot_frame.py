"""Options of `tailrace plot` for the frame of a figure: labels and limits of its axes, and other names."""

from collections.abc import Sequence
from typing import Annotated, Any

import typer

XLabel = Annotated[str | None, typer.Option("--xlabel", metavar="TEXT", help="Label of the horizontal axis.")]
YLabel = Annotated[str | None, typer.Option("--ylabel", metavar="TEXT", help="Label of the vertical axis.")]
XLimits = Annotated[
    str | None,
    typer.Option(
        "--xlim",
        metavar="LOW,HIGH",
        help="Stretch of the horizontal axis that is shown, in its unit; either end may be left out: ,50.",
    ),
]
YLimits = Annotated[
    str | None,
    typer.Option("--ylim", metavar="LOW,HIGH", help="Stretch of the vertical axis that is shown, likewise."),
]
Names = Annotated[
    list[str] | None,
    typer.Option(
        "--name",
        metavar="OLD=NEW",
        help="Another name for a variant, a value or a group, e.g. 'droptail=no AQM'. Repeatable.",
    ),
]


def options(
    xlabel: str | None, ylabel: str | None, xlim: str | None, ylim: str | None, names: Sequence[str] | None
) -> dict[str, Any]:
    """For `plot` of what is drawn; a mistake is said before anything is."""
    from tailrace.show.plots.frame import Frame  # Matplotlib takes half a second

    given: dict[str, Any] = {
        name: value
        for name, value in (("xlabel", xlabel), ("ylabel", ylabel), ("xlim", xlim), ("ylim", ylim))
        if value is not None
    }
    if names:
        given["names"] = list(names)
    Frame.made(given)  # type: ignore[arg-type]
    return given

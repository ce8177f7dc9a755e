"""The figures that a scenario names: `[[figure]]`, drawn after the table."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tailrace.cli import common
from tailrace.cli.common import say
from tailrace.cli.plot import Drawing, redrawable
from tailrace.cli.plot_sweep import Asked
from tailrace.system import ownership

if TYPE_CHECKING:
    from tailrace.scenario.scenario import Scenario

SERIES = "series"
_FOLDER = "figures"
# Key of these figures' files in the manifest.
_NAMED = "named_figures"


def over_time(scenario: Scenario) -> list[str]:
    """Figures of `run` and `compare`, which have been checked."""
    series = [name for said in _said(scenario) if SERIES in said for name in common.listed(said[SERIES])]
    return list(dict.fromkeys(series))


def of_sweep(scenario: Scenario) -> list[Asked]:
    """Figures of `sweep`."""
    return [asked_of(said) for said in _said(scenario) if SERIES not in said]


def asked_of(said: Mapping[str, str]) -> Asked:
    """Options of `tailrace plot` for a named figure."""
    return Asked(
        said["metric"],
        said.get("against"),
        said.get("by"),
        said.get("kind"),
        _listed(said.get("where")),
        _listed(said.get("formula")),
        said.get("of", "runs"),
        said.get("log"),
    )


def metrics(figures: Collection[Asked]) -> list[str]:
    """Metrics that figures need of runs; columns of tables are known when there are some."""
    return [name for asked in figures if asked.of == "runs" for name in common.listed(asked.metric)]


def draw(place: Path, figures: Sequence[Asked] | None, *, quiet: bool) -> None:
    """Draws all of them of a sweep that has been run; those that the scenario named before and does no more go.

    None leaves what there is.
    """
    if figures is None:
        return
    files = _drawn(place, figures, quiet=quiet) if figures else []
    gone = ownership.redrawn(place, _NAMED, files)
    if gone and not quiet:
        say(f"removed what no [[figure]] of the scenario draws any more: {', '.join(gone)}")


def _drawn(place: Path, figures: Sequence[Asked], *, quiet: bool) -> list[str]:
    """The files."""
    from tailrace.show.plots import parallel_render  # Matplotlib takes half a second

    source = parallel_render.opened((place,))
    own: dict[str, tuple[str, Mapping[str, Any]]] = {}
    for asked in figures:
        files = asked.files(common.listed(asked.metric), {})
        for metric, file in files.items():
            alike = sum(name == file or name.startswith(f"{file}-again-") for name in own)
            own[f"{file}-again-{alike}" if alike else file] = (metric, asked.options())
    with redrawable(place):
        drawing = Drawing((place,), place / _FOLDER, own=own)
        drawing.write(list(own), source, {}, quiet=quiet)
    return [f"{_FOLDER}/{name}.{kind}" for name in own for kind in drawing.kinds]


def _said(scenario: Scenario) -> list[dict[str, str]]:
    figures: list[dict[str, str]] = scenario.outline["figures"]
    return figures


def _listed(text: str | None) -> list[str]:
    return [] if text is None else [text]

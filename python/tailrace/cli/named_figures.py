"""The figures that a scenario names: `[[figure]]`, drawn after the table."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tailrace.cli import common
from tailrace.cli.plot import Drawing, check_figures, redrawable
from tailrace.cli.plot_sweep import Asked
from tailrace.errors import UsageError

if TYPE_CHECKING:
    from tailrace.scenario import Scenario

_SERIES = "series"
# What `--by` may say beside swept parameters: whose a metric is.
_PARTS = frozenset({"group", "groups", "queue", "queues", "connection", "connections", "path", "paths"})


def over_time(scenario: Scenario) -> list[str]:
    """Those of `run` and `compare`; an error names the one that there is not."""
    found = []
    for place, said in _numbered(scenario):
        if _SERIES in said:
            beside = next((key for key in said if key != _SERIES), None)
            if beside:
                raise UsageError(f"{place}: `{beside}` is of figures of sweeps, which have a `metric`")
            found += _checked(place, said[_SERIES])
    return list(dict.fromkeys(found))


def _checked(place: str, text: str) -> list[str]:
    try:
        return check_figures(text)
    except UsageError as error:
        raise UsageError(f"{place}: {error}") from None


def of_sweep(scenario: Scenario, parameters: Sequence[str]) -> list[Asked]:
    """Those of `sweep`, which varies these; an error says what cannot be."""
    return [_asked(place, said, parameters) for place, said in _numbered(scenario) if _SERIES not in said]


def _asked(place: str, said: Mapping[str, str], parameters: Sequence[str]) -> Asked:
    from tailrace.plots.swept.selection import assigned  # Matplotlib takes half a second
    from tailrace.study.formulas import Formula
    from tailrace.study.parameters import meant

    asked = Asked(
        said["metric"],
        said.get("against"),
        said.get("by"),
        said.get("kind"),
        _listed(said.get("where")),
        _listed(said.get("formula")),
        said.get("of", "runs"),
        said.get("log"),
    )
    try:
        asked.files(common.listed(asked.metric), {})
        parts = [(asked.against, ()), (asked.by, _PARTS), *((one, ()) for one in map(assigned, asked.where))]
        for text, others in parts:
            if text is not None and text not in others:
                meant(text, parameters)
        for text in asked.where:
            if assigned(text) is None:
                Formula(text, "where")
        for text in asked.formula:
            Formula(text.partition("=")[2].strip(), "formula")
    except UsageError as error:
        raise UsageError(f"{place}: {error}") from None
    return asked


def metrics(figures: Collection[Asked]) -> list[str]:
    """What they need of runs; columns of tables are known when there are some."""
    return [name for asked in figures if asked.of == "runs" for name in common.listed(asked.metric)]


def draw(place: Path, figures: Sequence[Asked], *, quiet: bool) -> None:
    """Draws all of them of a sweep that has been run."""
    if not figures:
        return
    from tailrace.plots import workshop  # Matplotlib takes half a second

    source = workshop.opened((place,))
    own: dict[str, tuple[str, Mapping[str, Any]]] = {}
    for asked in figures:
        files = asked.files(common.listed(asked.metric), {})
        for metric, file in files.items():
            alike = sum(name == file or name.startswith(f"{file}-again-") for name in own)
            own[f"{file}-again-{alike}" if alike else file] = (metric, asked.options())
    with redrawable(place):
        Drawing((place,), place / "figures", own=own).write(list(own), source, {}, quiet=quiet)


def _numbered(scenario: Scenario) -> list[tuple[str, dict[str, str]]]:
    figures: list[dict[str, str]] = scenario.outline["figures"]
    return [(f"[[figure]] {number} of {scenario.file_name}", said) for number, said in enumerate(figures, 1)]


def _listed(text: str | None) -> list[str]:
    return [] if text is None else [text]

"""Options of `tailrace plot` for figures of sweeps."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tailrace.cli import common

if TYPE_CHECKING:
    from tailrace.show.plots.swept import Request
    from tailrace.study.sweep_result import Sweep

Metrics = Annotated[
    str | None,
    typer.Option(
        "--metric",
        metavar="NAME,...",
        help="Metrics to draw, one figure for each: goodput, tcp.loss, utilization... "
        "[default: the usual ones].",
    ),
]
Against = Annotated[
    str | None,
    typer.Option(
        "--against",
        metavar="PARAMETER",
        help="The swept parameter on the horizontal axis.",
    ),
]
By = Annotated[
    str | None,
    typer.Option(
        "--by",
        metavar="PARAMETER",
        help="The swept parameter with one line for each of its values.",
    ),
]
Kind = Annotated[
    str | None,
    typer.Option(
        "--kind",
        metavar="KIND",
        help="Form: line, bars, box, cdf or map [default: lines for numbers, bars for names].",
    ),
]
Where = Annotated[
    list[str] | None,
    typer.Option(
        "--where",
        metavar="PARAMETER=VALUE",
        help="Only these cells; several values are separated by commas, or write a formula: "
        "'load < 0.9'. Repeatable.",
    ),
]
Formulas = Annotated[
    list[str] | None,
    typer.Option(
        "--formula",
        metavar="NAME=EXPR",
        help="Add a dashed line, e.g. 'model = min(1, x / 2)'. Repeatable.",
    ),
]
Of = Annotated[
    str,
    typer.Option(
        "--of",
        metavar="WHAT",
        help="Draw values of runs, flows or connections; for the last two, --metric is a "
        "column of that table.",
    ),
]
Log = Annotated[
    str | None,
    typer.Option(
        "--log",
        metavar="AXES",
        help="Logarithmic axes: x, y, x,y or none.",
    ),
]


@dataclass(frozen=True)
class Asked:
    """These options as they were given."""

    metric: str | None
    against: str | None
    by: str | None
    kind: str | None
    where: Sequence[str]
    formula: Sequence[str]
    of: str
    log: str | None

    def check_unused(self, place: Path) -> None:
        """Refuses them for a folder that is no sweep."""
        words = {"--metric": self.metric, "--against": self.against, "--by": self.by, "--kind": self.kind}
        given = {**words, "--where": self.where, "--formula": self.formula, "--log": self.log}
        used = [name for name, value in given.items() if value] + (["--of"] if self.of != "runs" else [])
        if used:
            common.fail(f"{used[0]} is for sweeps, and {place} is none; figures over time: --figures")

    def metrics(self, sweep: "Sweep") -> list[str]:
        """The metrics of which a figure each is drawn."""
        named = common.listed(self.metric)
        if named:
            return list(dict.fromkeys(named))
        if self.of != "runs":
            common.fail(f"--of {self.of} needs a column of that table: --metric goodput")
        return _usual(sweep)

    def options(self) -> dict[str, Any]:
        """For `Sweep.plot`."""
        said = {"against": self.against, "by": self.by, "kind": self.kind, "log": self.log}
        return {**said, "where": list(self.where), "formula": list(self.formula), "of": self.of}

    def files(self, metrics: Sequence[str], options: Mapping[str, Any]) -> dict[str, str]:
        """Names of the figures' files, by metric; what is wrong with the options is said before one is drawn."""
        from tailrace.show.plots.swept import file_name  # Matplotlib takes half a second

        return {metric: file_name(self.request(metric, options.get("queue"))) for metric in metrics}

    def request(self, metric: str, queue: str | None = None) -> "Request":
        """Request for the figure of a metric; an error says what is wrong with the options."""
        from tailrace.show.plots.swept import Request

        return Request.made(
            metric,
            self.against,
            self.by,
            self.kind,
            {"where": self.where, "formula": self.formula, "of": self.of, "log": self.log, "queue": queue},
        )


def _usual(sweep: "Sweep") -> list[str]:
    """The metrics of a sweep's table that have values, each once for all groups."""
    found = dict.fromkeys(metric.name for metric in sweep.metrics() if sweep.metric(metric)["value"].count())
    return list(found)

"""The figures of a page: interactive ones with the static ones that stand for them where no script runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tailrace.report import stills
from tailrace.report.charts import Chart
from tailrace.report.markup import Markup, joined, tag

HINT = (
    "Drag across a figure to zoom into it, double-click for the whole; all time axes go together. "
    "With the keyboard: arrows move the cursor, + and − zoom, 0 is the whole."
)

_NEEDS = "This figure needs JavaScript; `tailrace plot DIR --figures all` draws most of them."


def over_time(charts: Sequence[Chart], drawn: Mapping[str, bytes], note: str = "") -> list[Markup | None]:
    """Charts by name, each with its static figure; static ones without a chart stand behind them."""
    if not charts and not drawn:
        return []
    named = {chart.name: chart for chart in charts}
    extra = [name for name in drawn if name not in named]
    return [
        tag("div", id="time-tools", cls="tools", hidden=True) if charts else None,
        tag("p", HINT, cls="note live") if charts else None,
        tag("p", note, cls="note") if note else None,
        tag(
            "div",
            [
                _figure(chart.name, f"{_capital(chart.title)} over time", drawn.get(chart.name))
                for chart in charts
            ],
            [_figure("", _capital(name.replace("_", " ")), drawn[name]) for name in extra],
            cls="figures",
        ),
    ]


def of_cells(name: str, title: str) -> Markup:
    """The figure of metrics over parameters, which only the script draws."""
    return tag("div", tag("h3", title), cls="chart cells live", data_chart=name)


def still(title: str, data: bytes) -> Markup:
    """A static figure by itself."""
    return _figure("", title, data)


def _figure(name: str, title: str, data: bytes | None) -> Markup:
    picture = stills.image(data, f"{title}, as a static figure") if data else None
    only_live = None if data else tag("p", _NEEDS, cls="note still")
    kind = "chart" if name else "chart alone"
    return tag(
        "figure",
        tag("figcaption", tag("h3", title)),
        joined(picture, only_live),
        cls=kind,
        data_chart=name or None,
    )


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]

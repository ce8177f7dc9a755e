"""The figures of a page: interactive ones with the static ones that stand for them where no script runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tailrace.show.charts.description import Chart
from tailrace.show.report import static_figures
from tailrace.show.report.markup import Markup, tag
from tailrace.show.report.statements import listed

HINT = (
    "Drag across a figure to zoom into it, or use the buttons; all time axes go together. "
    "With the keyboard: arrows move the cursor, + and − zoom, 0 is the whole."
)


def over_time(charts: Sequence[Chart], drawn: Mapping[str, bytes]) -> list[Markup | None]:
    """Charts by name, each with its static figure; static ones without a chart stand behind them."""
    if not charts and not drawn:
        return []
    named = {chart.name: chart for chart in charts}
    extra = [name for name in drawn if name not in named]
    return [
        tag("div", id="time-tools", cls="tools", hidden=True) if charts else None,
        tag("p", HINT, cls="note live") if charts else None,
        tag(
            "p",
            _missing([chart.subject for chart in charts if chart.name not in drawn]),
            cls="note unscripted",
        ),
        tag(
            "div",
            [
                _figure(chart.name, f"{_capital(chart.subject)} over time", drawn.get(chart.name))
                for chart in charts
            ],
            [_figure("", _capital(name.replace("_", " ")), drawn[name]) for name in extra],
            cls="figures",
        ),
    ]


def _missing(titles: Sequence[str]) -> str:
    """Note about figures that need the script."""
    more = f", and {listed(titles, 12)}" if titles else ""
    return f"With JavaScript these figures can be zoomed into{more} are here, too."


def of_cells(name: str, title: str) -> list[Markup | None]:
    """The figure of metrics over parameters, which only the script draws."""
    instead = "With JavaScript this is a figure; its numbers are in the tables below."
    return [
        tag("div", tag("h3", title), cls="chart cells live", data_chart=name),
        tag("p", instead, cls="note unscripted"),
    ]


def still(title: str, data: bytes) -> Markup:
    """A static figure by itself."""
    return _figure("", title, data)


def _figure(name: str, title: str, data: bytes | None) -> Markup:
    picture = static_figures.image(data, f"{title}, as a static figure") if data else None
    # Figures that only the script draws are hidden without it.
    kind = "chart alone" if not name else "chart" if data else "chart live"
    return tag("figure", tag("figcaption", tag("h3", title)), picture, cls=kind, data_chart=name or None)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]

"""The network as a picture, with what its links carried; colours of loads are those of tailrace's figures."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tailrace.show.report.html_tables import Sheet
from tailrace.show.report.markup import Markup, joined, tag
from tailrace.show.report.network_layout import Edge, Network, Node
from tailrace.show.report.statements import value
from tailrace.text import interval_text, text_table

# Between the middles of nodes; around all of them, across and upright.
_COLUMN, _ROW, _MARGIN, _ABOVE = 285.0, 84.0, 8.0, 34.0
_BOX = (126.0, 40.0)
# From these shares on a link is called busy, and full.
_BUSY, _FULL = 0.5, 0.9
_DRAWN = re.compile(r"uniform\((\S+ \S+), (\S+ \S+)\)")
# Distance between links that join the same two nodes.
_APART = 34.0


@dataclass(frozen=True)
class Load:
    """The utilization of a link in one direction: over the runs, variants and links that a drawing takes together."""

    least: float
    most: float

    def said(self) -> str:
        """In per cent, to a digit where that tells something."""
        least, most = (f"{100 * share:.3g}" for share in (self.least, self.most))
        return f"{least} %" if least == most else f"{least} to {most} %"


# The load of queues by their names.
Loads = Callable[[Sequence[str]], Load | None]


def loads(aggregates: Sequence[Mapping[str, Any]]) -> Loads:
    """From results."""
    found: dict[str, list[float]] = {}
    for aggregate in aggregates:
        for name, queue in (aggregate.get("queues") or {}).items():
            share = value(queue, "utilization")
            if share is not None:
                found.setdefault(name, []).append(share)

    return loads_of(found)


def loads_of(found: Mapping[str, Sequence[float]]) -> Loads:
    """From the utilizations of every queue."""

    def of(names: Sequence[str]) -> Load | None:
        shares = [share for name in names for share in found.get(name, ())]
        return Load(min(shares), max(shares)) if shares else None

    return of


def picture(network: Network, of: Loads) -> Markup | None:
    """The drawing; nothing where the network is not placed."""
    if network.note or not network.nodes:
        return None
    places = {node.name: _place(node) for node in network.nodes}
    low = min(y for _, y in places.values()) - _ABOVE
    width = max(x for x, _ in places.values()) + _MARGIN + _BOX[0] / 2
    height = max(y for _, y in places.values()) + _ABOVE - low
    title = f"The network: {len(network.nodes)} nodes, {len(network.edges)} links"
    return tag(
        "svg",
        tag("title", title),
        [_edge(edge, network, places, of) for edge in network.edges],
        [_node(node, *places[node.name]) for node in network.nodes],
        cls="network",
        role="img",
        aria_label=title,
        viewBox=f"0 {low:g} {width:g} {height:g}",
        width=f"{width:g}",
        height=f"{height:g}",
    )


def _place(node: Node) -> tuple[float, float]:
    return _MARGIN + _BOX[0] / 2 + node.column * _COLUMN, node.row * _ROW


def _node(node: Node, x: float, y: float) -> Markup:
    width, height = _BOX
    shape = tag(
        "rect",
        x=f"{x - width / 2:g}",
        y=f"{y - height / 2:g}",
        width=f"{width:g}",
        height=f"{height:g}",
        rx="6" if node.host else "20",
        cls="host" if node.host else "router",
    )
    many = f" × {node.count}" if node.count > 1 else ""
    name = f"{node.name}{many}"
    short = name if len(name) <= 16 else f"{node.name[: 14 - len(many)]}…{many}"  # noqa: PLR2004 - what the box holds
    return tag("g", tag("title", name), shape, tag("text", short, x=f"{x:g}", y=f"{y + 5:g}", cls="name"))


def _edge(edge: Edge, network: Network, places: Mapping[str, tuple[float, float]], of: Loads) -> Markup:
    (x1, y1), (x2, y2) = (places[end] for end in edge.ends)
    twins = [other for other in network.edges if set(other.ends) == set(edge.ends)]
    bend = (next(i for i, one in enumerate(twins) if one is edge) - (len(twins) - 1) / 2) * _APART
    x, y = (x1 + x2) / 2, (y1 + y2) / 2 + bend
    there, back = of(edge.forward), of(edge.backward)
    most = max((load.most for load in (there, back) if load), default=None)
    path = tag("path", d=f"M{x1:g} {y1:g} Q{x:g} {y + bend:g} {x2:g} {y2:g}", cls=f"link {_grade(most)}")
    # Rightwards is what a reader takes for the way there.
    if x1 > x2:
        there, back = back, there
    texts = [
        tag("text", text, x=f"{x:g}", y=f"{y + below:g}", cls=kind)
        for text, kind, below in (
            (_speed(edge), "speed", -25.0 if there else -8.0),
            (f"→ {there.said()}" if there else "", "load", -9.0),
            (f"← {back.said()}" if back else "", "load", 20.0),
        )
        if text
    ]
    return tag("g", tag("title", f"{edge.name}: {_speed(edge)}"), path, texts)


def _speed(edge: Edge) -> str:
    rate, delay = edge.link.get("rate"), edge.link.get("delay")
    said = rate if isinstance(rate, str) else str(rate.get("kind", "")) if isinstance(rate, Mapping) else ""
    return ", ".join(_short(str(text)) for text in (said, delay) if text)


def _short(text: str) -> str:
    """Range of values that are drawn at random.

    >>> _short("uniform(1 ms, 9 ms)"), _short("5 ms")
    ('1 to 9 ms', '5 ms')
    """
    found = _DRAWN.fullmatch(text)
    if not found:
        return text
    (low, unit), (high, other) = (end.split(" ") for end in found.groups())
    return f"{low} to {high} {unit}" if unit == other else f"{low} {unit} to {high} {other}"


def _grade(share: float | None) -> str:
    if share is None:
        return "unseen"
    return "full" if share >= _FULL else "busy" if share >= _BUSY else "calm"


def table(network: Network, of: Loads) -> Sheet:
    """The links with what they carried, also where they are too many for a picture, or nobody sees it."""
    rows = []
    for edge in network.edges:
        queue = edge.link.get("queue")
        kind = str(queue.get("kind", "")) if isinstance(queue, Mapping) else str(queue or "")
        heard = [
            load.said() if load else interval_text.NO_VALUE for load in (of(edge.forward), of(edge.backward))
        ]
        rows.append([edge.name, *edge.ends, _speed(edge), kind, *heard])
    grid = text_table.Grid(
        "Links",
        ["link", "from", "to", "rate, delay", "queue", "used there", "used back"],
        rows,
        labels=5,
        notes=["used: bytes sent over what the rate allows, of queues under study; – where none is"],
    )
    return Sheet(grid)


def legend() -> Markup:
    """Legend of the colours."""
    words = (
        ("calm", f"used less than {100 * _BUSY:.0f} %"),
        ("busy", f"{100 * _BUSY:.0f} to {100 * _FULL:.0f} %"),
        ("full", f"{100 * _FULL:.0f} % and more"),
        ("unseen", "not under study"),
    )
    return tag(
        "p",
        [joined(tag("span", tag("i", cls=f"swatch {grade}"), f" {text}"), " ") for grade, text in words],
        cls="key",
    )

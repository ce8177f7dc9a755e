"""Networks as scenarios: a router with a host for each node, a link for each edge, demands as flows."""

from __future__ import annotations

import heapq
import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from tailrace.imports.draft import ScenarioDraft, Value, assumed, taken
from tailrace.imports.input_file import InputFile

# Kilometres of the Earth's mean radius (IUGG), and of light in fibre a second: group index 1.468 of ITU-T G.652 fibre.
_EARTH_KM = 6371.0088
_FIBRE_KM_A_SECOND = 299_792.458 / 1.468
# Costs of links end there, as in OSPF (RFC 2328).
_MOST_COST = 65_535
# Payload of the packets of a demand, bytes, and packets that a run should have.
_PAYLOAD, _PACKETS = 1250, 1_000_000
# Names that a remark lists.
_MOST_NAMED = 8
# Rates that a link can have, in bits a second, and numbers of degrees.
_LEAST_RATE, _MOST_RATE = 1.0, 1e13
_MOST_LONGITUDE, _MOST_LATITUDE = 180.0, 90.0
_MILLISECOND = 1e-3
_RATES = ((1e9, "Gbit/s"), (1e6, "Mbit/s"), (1e3, "kbit/s"), (1.0, "bit/s"))


@dataclass(frozen=True)
class Node:
    """A node of a graph."""

    id: str
    label: str
    line: int
    position: tuple[float, float] | None = None
    """Longitude and latitude in degrees."""


@dataclass(frozen=True)
class Edge:
    """An edge of a graph, with what its file says about it: values in bits a second, seconds and kilometres."""

    source: str
    target: str
    line: int
    rate: float | None = None
    rate_words: str = ""
    delay: float | None = None
    distance: float | None = None
    weight: float | None = None
    assumed_rate: str = ""
    """Reason why the rate is a guess, if it is one."""


@dataclass(frozen=True)
class Demand:
    """Traffic from a node to another, in bits a second."""

    source: str
    target: str
    rate: float
    line: int
    name: str = ""


@dataclass
class Graph:
    """A network as its file has it."""

    name: str
    nodes: list[Node]
    edges: list[Edge]
    demands: list[Demand] = field(default_factory=list)
    directed: bool = False
    remarks: list[str] = field(default_factory=list)
    omissions: list[tuple[str, str]] = field(default_factory=list)
    rate_unit: str = ""
    """Reading of the numbers of demands, where the file does not state their unit."""


@dataclass(frozen=True)
class _Link:
    """An edge, or two of opposite directions."""

    there: Edge
    back: Edge | None = None


def draft_of(file: InputFile, graph: Graph) -> ScenarioDraft:
    """The scenario of a graph."""
    links = _checked_links(file, graph)
    draft = ScenarioDraft(graph.name or file.stem, _question(graph))
    draft.remark(
        f"Read from {file.name}: {len(graph.nodes)} nodes, {len(links)} links"
        + (f", {len(graph.demands)} demands." if graph.demands else ".")
    )
    for remark in graph.remarks:
        draft.remark(remark)
    linked = {end for link in links for end in (link.there.source, link.there.target)}
    for node in graph.nodes:
        if node.id not in linked:
            graph.omissions.append((f"{file.name}:{node.line}", f"node {node.label} has no link"))
    for place, why in graph.omissions:
        draft.omit(place, why)
    nodes = [node for node in graph.nodes if node.id in linked]
    names = {node.id: draft.router(node.label) for node in nodes}
    _say_changed_names(draft, nodes, names)
    hosts = {node.id: draft.host(f"{names[node.id]}/host") for node in nodes}
    delays = _add_links(draft, file, graph, links, names)
    fastest = max((_rate_of(link.there) for link in links), default=_ASSUMED_RATE)
    for node in nodes:
        draft.link(
            f"{names[node.id]}/access",
            (hosts[node.id], names[node.id]),
            rate=assumed(rate_text(fastest), "as fast as the fastest link, so that no host is a bottleneck"),
            delay="10 us",
        )
    if graph.demands:
        _add_demands(draft, file, graph, hosts)
    else:
        _add_farthest(draft, links, delays, hosts)
    return draft


_ASSUMED_RATE = 10e9


def _question(graph: Graph) -> str:
    if graph.demands:
        return "Which links do the demands of this network fill, and how long do packets wait?"
    return "What does a transfer between the two ends of this network get?"


def _checked_links(file: InputFile, graph: Graph) -> list[_Link]:
    """Links between nodes that are there; edges of opposite directions of a directed graph are one."""
    known = {node.id for node in graph.nodes}
    if len(known) < len(graph.nodes):
        twice = next(name for name, count in Counter(n.id for n in graph.nodes).items() if count > 1)
        line = [node.line for node in graph.nodes if node.id == twice][-1]
        file.fail(f"the node {twice!r} is there twice: give one of them another id", line)
    edges: list[Edge] = []
    for edge in graph.edges:
        for end in (edge.source, edge.target):
            if end not in known:
                file.fail(
                    f"the edge leads to {end!r}, and there is no such node: add it, or take the edge out",
                    edge.line,
                )
        if edge.source == edge.target:
            graph.omissions.append(
                (f"{file.name}:{edge.line}", f"the edge leads from {edge.source} to itself")
            )
        else:
            edges.append(edge)
    if not edges:
        file.fail("has no edges between two nodes: a network needs at least one")
    for demand in graph.demands:
        for end in (demand.source, demand.target):
            if end not in known:
                file.fail(f"the demand names {end!r}, and there is no such node", demand.line)
    return _paired(edges) if graph.directed else [_Link(edge) for edge in edges]


def _paired(edges: list[Edge]) -> list[_Link]:
    """Each edge with one that leads back. Where some have none, as in the Topology Zoo, each is a link by itself."""
    links: list[_Link] = []
    waiting: dict[tuple[str, str], list[int]] = {}
    for edge in edges:
        back = waiting.get((edge.target, edge.source))
        if back:
            at = back.pop(0)
            links[at] = _Link(links[at].there, edge)
        else:
            waiting.setdefault((edge.source, edge.target), []).append(len(links))
            links.append(_Link(edge))
    return links


def _say_changed_names(draft: ScenarioDraft, nodes: Iterable[Node], names: dict[str, str]) -> None:
    changed = [f"{node.label!r} is {names[node.id]}" for node in nodes if names[node.id] != node.label]
    if changed:
        more = f", and {len(changed) - _MOST_NAMED} more" if len(changed) > _MOST_NAMED else ""
        draft.remark(
            f"Names with signs that none may have, or that are used twice: {', '.join(changed[:_MOST_NAMED])}{more}."
        )


def _add_links(
    draft: ScenarioDraft, file: InputFile, graph: Graph, links: list[_Link], names: dict[str, str]
) -> list[float]:
    """Adds the links, and returns their delays in seconds."""
    positions = {node.id: node.position for node in graph.nodes}
    costs = _costs(draft, links)
    delays = []
    if any(link.there.delay is None and _positions_of(link.there, positions) for link in links):
        draft.remark(
            "Delays are those of light in fibre along great circles (204 km a millisecond); real fibre takes detours."
        )
    for link, cost in zip(links, costs, strict=True):
        edge = link.there
        seconds, delay = _delay_of(file, edge, positions)
        delays.append(seconds)
        reverse: dict[str, object] = {}
        if link.back is not None:
            if link.back.rate != edge.rate and link.back.rate is not None:
                reverse["rate"] = _rate_value(file, link.back)
            back_cost = _scaled(link.back.weight, costs.scale)
            if cost is not None and back_cost is not None and back_cost != cost:
                reverse["cost"] = taken(
                    back_cost, f"{file.name}:{link.back.line}", f"weight {link.back.weight:g}"
                )
        draft.link(
            f"{names[edge.source]}-{names[edge.target]}",
            (names[edge.source], names[edge.target]),
            rate=_rate_value(file, edge),
            delay=delay,
            cost=None if cost is None else taken(cost, f"{file.name}:{edge.line}", f"weight {edge.weight:g}"),
            reverse=reverse or None,
        )
    return delays


class _Costs(list[int | None]):
    """Costs of links in their order."""

    scale: float | None = None


def _costs(draft: ScenarioDraft, links: list[_Link]) -> _Costs:
    """Weights as costs: whole numbers as they are, others times a power of ten that all of them fit."""
    edges = [edge for link in links for edge in (link.there, link.back) if edge is not None]
    weights = [edge.weight for edge in edges if edge.weight is not None]
    found = _Costs()
    if weights and len(weights) == len(edges) and min(weights) > 0 and len(set(weights)) > 1:
        found.scale = 1.0
        if max(weights) > _MOST_COST or any(not weight.is_integer() for weight in weights):
            found.scale = 10.0 ** math.floor(math.log10(_MOST_COST / max(weights)))
            draft.remark(f"Costs are the file's weights times {found.scale:g}, rounded to 1 to {_MOST_COST}.")
    elif weights and (len(weights) < len(edges) or min(weights) <= 0):
        draft.remark("Weights are not taken as costs: some edges have none, or one that is not above 0.")
    found.extend(_scaled(link.there.weight, found.scale) for link in links)
    return found


def _scaled(weight: float | None, scale: float | None) -> int | None:
    if weight is None or scale is None:
        return None
    return min(_MOST_COST, max(1, round(weight * scale)))


def _rate_of(edge: Edge) -> float:
    return edge.rate or _ASSUMED_RATE


def _rate_value(file: InputFile, edge: Edge) -> Value:
    if not edge.rate:
        return assumed(rate_text(_ASSUMED_RATE), "the file states no rate here")
    if edge.assumed_rate:
        return Value(
            rate_text(edge.rate),
            f"{file.name}:{edge.line}: {edge.rate_words} ({edge.assumed_rate})",
            f"{file.name}:{edge.line}",
        )
    return taken(rate_text(edge.rate), f"{file.name}:{edge.line}", edge.rate_words)


def _positions_of(
    edge: Edge, positions: dict[str, tuple[float, float] | None]
) -> tuple[tuple[float, float], tuple[float, float]] | None:
    a, b = positions[edge.source], positions[edge.target]
    return (a, b) if a and b else None


def _delay_of(
    file: InputFile, edge: Edge, positions: dict[str, tuple[float, float] | None]
) -> tuple[float, Value]:
    place = f"{file.name}:{edge.line}"
    if edge.delay is not None:
        return edge.delay, taken(_delay_text(edge.delay), place, "its delay")
    ends = _positions_of(edge, positions)
    kilometres = great_circle(*ends) if ends else edge.distance
    if kilometres is None:
        return 1e-3, assumed("1 ms", "the file has neither delay nor coordinates here")
    # Of two nodes in one place: a hundred metres.
    seconds = max(kilometres, 0.1) / _FIBRE_KM_A_SECOND
    return seconds, taken(_delay_text(seconds), place, f"{kilometres:.0f} km of fibre")


def great_circle(a: tuple[float, float], b: tuple[float, float]) -> float:
    """Kilometres between two longitudes and latitudes (haversine formula).

    >>> round(great_circle((-74.006, 40.7128), (-118.2437, 34.0522)))  # New York, Los Angeles
    3936
    """
    (lon_a, lat_a), (lon_b, lat_b) = ([math.radians(x) for x in place] for place in (a, b))
    half = math.sin((lat_b - lat_a) / 2) ** 2
    half += math.cos(lat_a) * math.cos(lat_b) * math.sin((lon_b - lon_a) / 2) ** 2
    return 2 * _EARTH_KM * math.asin(math.sqrt(min(1.0, half)))


def _delay_text(seconds: float) -> str:
    return f"{seconds * 1e3:.4g} ms" if seconds >= _MILLISECOND else f"{max(seconds * 1e6, 0.001):.4g} us"


def _span(seconds: float) -> str:
    return f"{seconds:g} s" if seconds >= 1 else f"{seconds * 1e3:g} ms"


def usable_rate(bits: float) -> float | None:
    """A rate that a link can have, or none."""
    return bits if _LEAST_RATE <= bits <= _MOST_RATE else None


def position_of(longitude: float, latitude: float) -> tuple[float, float] | None:
    """A place on the Earth, or none where the numbers cannot be one."""
    possible = abs(longitude) <= _MOST_LONGITUDE and abs(latitude) <= _MOST_LATITUDE
    return (longitude, latitude) if possible else None


def rate_text(bits: float) -> str:
    """A rate as scenarios have it.

    >>> rate_text(2.48832e9), rate_text(64000)
    ('2.48832 Gbit/s', '64 kbit/s')
    """
    size, unit = next((each for each in _RATES if bits >= each[0]), _RATES[-1])
    return f"{bits / size:.9g} {unit}"


def _add_demands(draft: ScenarioDraft, file: InputFile, graph: Graph, hosts: dict[str, str]) -> None:
    """Demands as packets at random times (Poisson) of their mean rate."""
    demands = [demand for demand in graph.demands if demand.rate >= 1 and demand.source != demand.target]
    if len(demands) < len(graph.demands):
        draft.omit(
            file.name, f"{len(graph.demands) - len(demands)} demands of nothing, or of a node with itself"
        )
    demands = [demand for demand in demands if demand.source in hosts and demand.target in hosts]
    if not demands:
        file.fail("all of its demands are 0: give a file with demands, or one without that section")
    packets = sum(demand.rate for demand in demands) / 8 / _PAYLOAD
    seconds = min(10.0, max(1e-3, _PACKETS / packets))
    seconds = float(f"{seconds:.1g}")
    draft.set(
        "duration",
        assumed(_span(seconds), f"some {packets * seconds:.0e} packets; each demand is Poisson traffic"),
    )
    draft.set("warmup", assumed(_span(seconds / 10), "a tenth"))
    for demand in demands:
        words = f"demand of {rate_text(demand.rate)}" + (f" ({graph.rate_unit})" if graph.rate_unit else "")
        draft.flow(
            f"{demand.name or 'demand'}",
            hosts[demand.source],
            hosts[demand.target],
            "udp",
            {
                "kind": "poisson",
                "rate": taken(rate_text(demand.rate), f"{file.name}:{demand.line}", words),
                "size": f"{_PAYLOAD} B",
            },
        )


def _add_farthest(
    draft: ScenarioDraft, links: list[_Link], delays: list[float], hosts: dict[str, str]
) -> None:
    """A transfer and a ping between the two hosts that are farthest apart, by delay."""
    ways: dict[str, list[tuple[str, float]]] = {node: [] for node in hosts}
    for link, delay in zip(links, delays, strict=True):
        ways[link.there.source].append((link.there.target, delay))
        ways[link.there.target].append((link.there.source, delay))
    # Twice from the farthest: exact in trees, and near it elsewhere.
    first = _farthest(ways, next(iter(ways)))[0]
    far, delay = _farthest(ways, first)
    seconds = max(10.0, math.ceil(delay * 2 * 200))
    draft.set("duration", assumed(f"{seconds:g} s", "some hundred round trips of the longest path"))
    draft.set("warmup", "2 s")
    tcp = assumed(
        {"kind": "tcp", "profile": "linux"},
        f"the file has no traffic; the longest path takes {delay * 1e3:.3g} ms",
    )
    draft.flow("transfer", hosts[first], hosts[far], tcp, "bulk")
    draft.flow("ping", hosts[first], hosts[far], "udp", {"kind": "ping", "interval": "100 ms"})


def _farthest(ways: dict[str, list[tuple[str, float]]], start: str) -> tuple[str, float]:
    """The node with the longest shortest path from another, and its delay."""
    found: dict[str, float] = {}
    heap = [(0.0, start)]
    far = (start, 0.0)
    while heap:
        delay, node = heapq.heappop(heap)
        if node in found:
            continue
        found[node] = delay
        far = (node, delay)
        for other, more in ways[node]:
            if other not in found:
                heapq.heappush(heap, (delay + more, other))
    return far

"""The network of a scenario on a grid: hosts that are alike are one node, columns go with the flows."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tailrace.scenario import flow_addresses as ways
from tailrace.scenario import flow_groups
from tailrace.show.report import resolved_scenario as of_scenario

# A drawing of more nodes is not read.
MOST_NODES = 40
_SWEEPS = 6


@dataclass(frozen=True)
class Node:
    """A router, a host, or hosts that are alike; its column, and how far from the middle of it."""

    name: str
    host: bool
    count: int = 1
    column: float = 0.0
    row: float = 0.0


@dataclass(frozen=True)
class Edge:
    """Links that join two nodes: one, or one for each of the hosts that are alike."""

    ends: tuple[str, str]
    link: Mapping[str, Any]
    # Queue names of its two directions in results.
    forward: tuple[str, ...]
    backward: tuple[str, ...]

    @property
    def name(self) -> str:
        """Name in the scenario, or its ends."""
        return str(self.link.get("name") or " – ".join(self.ends))


@dataclass(frozen=True)
class Network:
    """Elements of a network to draw."""

    nodes: Sequence[Node] = ()
    edges: Sequence[Edge] = ()
    # Reason for which it is not placed.
    note: str = ""


@dataclass
class _Graph:
    """Every host and router by itself, and their links."""

    declared: dict[str, str]
    hosts: set[str]
    pairs: list[tuple[int, str, str]] = field(default_factory=list)

    def neighbours(self, node: str) -> list[tuple[int, str]]:
        found = [(link, b) for link, a, b in self.pairs if a == node]
        return found + [(link, a) for link, a, b in self.pairs if b == node]


def of(said: Mapping[str, Any]) -> Network:
    """The network of a resolved scenario."""
    graph = _graph(said)
    if not graph.pairs:
        return Network(note="The scenario has no links that can be read.")
    called = _merged(graph)
    counts: dict[str, int] = {}
    for name in called.values():
        counts[name] = counts.get(name, 0) + 1
    edges = _edges(graph, called, of_scenario.tables(said, "link"))
    nodes = [Node(name, name in {called[h] for h in graph.hosts}, count) for name, count in counts.items()]
    if len(nodes) > MOST_NODES:
        return Network(
            nodes, edges, f"{len(nodes)} nodes are too many for a drawing: the links are listed below."
        )
    return Network(_placed(nodes, edges, _sources(said, called)), edges)


def _graph(said: Mapping[str, Any]) -> _Graph:
    hosts, routers = (of_scenario.tables(said, section) for section in ("host", "router"))
    counts = {str(node.get("name")): node.get("count") for node in (*hosts, *routers)}
    own = {name: ways.members(counts, name) for name in counts}
    graph = _Graph(
        {member: name for name, members in own.items() for member in members},
        {member for node in hosts for member in own[str(node.get("name"))]},
    )
    for number, link in enumerate(of_scenario.tables(said, "link")):
        between = link.get("between")
        if isinstance(between, list) and len(between) == 2 and all(isinstance(e, str) for e in between):  # noqa: PLR2004
            graph.pairs += [
                (number, a, b)
                for a, b in ways.pairs(counts, *between)
                if a in graph.declared and b in graph.declared
            ]
    return graph


def _merged(graph: _Graph) -> dict[str, str]:
    """Drawn node of each node: members of one declaration with the same links are one."""
    beside: dict[str, set[tuple[int, str]]] = {member: set() for member in graph.declared}
    inner = set()
    for link, a, b in graph.pairs:
        beside[a].add((link, graph.declared[b]))
        beside[b].add((link, graph.declared[a]))
        if graph.declared[a] == graph.declared[b]:
            inner.add(graph.declared[a])
    alike: dict[str, set[frozenset[tuple[int, str]]]] = {}
    for member, links in beside.items():
        alike.setdefault(graph.declared[member], set()).add(frozenset(links))
    return {
        member: name if len(alike[name]) == 1 and name not in inner else member
        for member, name in graph.declared.items()
    }


def _edges(graph: _Graph, called: Mapping[str, str], links: Sequence[Mapping[str, Any]]) -> list[Edge]:
    found: dict[tuple[int, str, str], list[tuple[str, str]]] = {}
    for number, a, b in graph.pairs:
        found.setdefault((number, called[a], called[b]), []).append((a, b))
    return [
        Edge(
            (a, b),
            links[number],
            tuple(name for x, y in pairs for name in _queue_names(links[number], x, y)),
            tuple(name for x, y in pairs for name in _queue_names(links[number], y, x)),
        )
        for (number, a, b), pairs in found.items()
    ]


def _queue_names(link: Mapping[str, Any], a: str, b: str) -> list[str]:
    """Names that results may have for the queue of a direction."""
    plain = f"{a}->{b}"
    return [plain, f"{link['name']}:{plain}"] if "name" in link else [plain]


def _sources(said: Mapping[str, Any], called: Mapping[str, str]) -> list[str]:
    """Where flows begin, the first group's in front."""
    found: dict[str, None] = {}
    for _, group in flow_groups.running(said):
        name = str(group.get("from", "")).partition("[")[0]
        found |= dict.fromkeys(drawn for member, drawn in called.items() if member.partition("[")[0] == name)
    return list(found)


# -- places ----------------------------------------------------------------------------------------------------


def _placed(nodes: Sequence[Node], edges: Sequence[Edge], sources: Sequence[str]) -> list[Node]:
    """Columns by how far it is from where flows begin; rows so that few links cross."""
    beside: dict[str, list[str]] = {node.name: [] for node in nodes}
    for edge in edges:
        a, b = edge.ends
        beside[a].append(b)
        beside[b].append(a)
    columns = _columns(nodes, beside, sources)
    order: dict[int, list[str]] = {}
    for node in nodes:
        order.setdefault(columns[node.name], []).append(node.name)
    rows = _rows(order, beside)
    return [replace(node, column=columns[node.name], row=rows[node.name]) for node in nodes]


def _columns(
    nodes: Sequence[Node], beside: Mapping[str, Sequence[str]], sources: Sequence[str]
) -> dict[str, int]:
    hosts = {node.name for node in nodes if node.host}
    away: dict[str, int] = {}
    # A node that no link leads to from the first source starts a column of its own.
    for start in [*sources[:1], *(node.name for node in nodes)]:
        if start not in away:
            _walk(start, beside, away)
    found = dict(away)
    for name in hosts:
        routers = [away[other] for other in beside[name] if other not in hosts]
        if routers:
            found[name] = min(routers) - 1 if name in sources else max(routers) + 1
    least = min(found.values())
    return {name: column - least for name, column in found.items()}


def _walk(start: str, beside: Mapping[str, Sequence[str]], away: dict[str, int]) -> None:
    away[start] = 0
    waiting = deque([start])
    while waiting:
        name = waiting.popleft()
        for other in beside[name]:
            if other not in away:
                away[other] = away[name] + 1
                waiting.append(other)


def _rows(order: Mapping[int, list[str]], beside: Mapping[str, Sequence[str]]) -> dict[str, float]:
    """Each column about the middle, sorted by where its neighbours are, again and again."""
    rows = _about_the_middle(order)
    for _ in range(_SWEEPS):
        for names in order.values():
            names.sort(key=lambda name: _mean((rows[other] for other in beside[name]), rows[name]))
        rows = _about_the_middle(order)
    return rows


def _about_the_middle(order: Mapping[int, Sequence[str]]) -> dict[str, float]:
    return {
        name: place - (len(names) - 1) / 2 for names in order.values() for place, name in enumerate(names)
    }


def _mean(values: Iterable[float], otherwise: float) -> float:
    there = list(values)
    return sum(there) / len(there) if there else otherwise

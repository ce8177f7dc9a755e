"""Addresses, ports and ways of flows, worked out from a resolved scenario as the engine does it.

Each end of a link at a host has an address, counted from 10.0.0.1 in the order of the links or given by the host; a
flow takes the pair of addresses with the fewest links between them. Faults, which may lead it elsewhere, do not count.
"""

from __future__ import annotations

import itertools
import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address
from typing import Any

from tailrace.scenario import flow_groups

_FIRST = IPv4Address("10.0.0.1")
_SELECTOR = re.compile(r"(.+?)(?:\[(\*|\d+)(?:\.\.(\d+))?\])?")
_PORTS = 1 << 16


@dataclass(frozen=True)
class Way:
    """Where a flow's packets come from and go to."""

    source: IPv4Address
    destination: IPv4Address
    source_port: int
    destination_port: int
    # Routers on the way.
    routers: int


class Network:
    """Hosts, routers and links of a scenario."""

    def __init__(self, scenario: Mapping[str, Any]) -> None:
        # In the order in which the engine gives ports.
        self._flows = {flow["name"]: flow for _, flow in flow_groups.declared(scenario)}
        hosts, routers = scenario.get("host", []), scenario.get("router", [])
        self._counts = {node["name"]: node.get("count") for node in (*hosts, *routers)}
        self._hosts = {name for node in hosts for name in self._members(node["name"])}
        links = scenario.get("link", [])
        self._links = [pair for link in links for pair in pairs(self._counts, *link["between"])]
        self._addresses = self._counted()
        # Host -> its links with the other ends of these; router -> the routers next to it.
        self._ends: dict[str, list[tuple[int, str]]] = {}
        self._next: dict[str, list[str]] = {}
        for number, pair in enumerate(self._links):
            for end, other in (pair, pair[::-1]):
                if end in self._hosts:
                    self._ends.setdefault(end, []).append((number, other))
                elif other not in self._hosts:
                    self._next.setdefault(end, []).append(other)
        self._away: dict[str, dict[str, int]] = {}
        for node in hosts:
            self._give(node)
        self._taken: set[tuple[IPv4Address, IPv4Address, int]] = set()
        # Where to look next, by the port that the scenario asks for.
        self._free: dict[tuple[IPv4Address, IPv4Address, int], int] = {}
        # Groups behind which those that are switched off have theirs already.
        self._passed: set[str] = set()

    def way(self, group: str, source: str, destination: str) -> Way | None:
        """The way of the group's next flow, to be asked in the order of flows; None where there is none."""
        flow = self._flows.get(group)
        found = self._nearest(source, destination)
        if flow is None or found is None:
            return None
        self._pass_idle(group)
        links, a, b = found
        return Way(a, b, flow["client_port"], self._port(a, b, flow["server_port"]), links - 1)

    def _pass_idle(self, group: str) -> None:
        """Flows before a group that are switched off keep their ports, so that others have the same without them."""
        for name, flow in self._flows.items():
            if name == group:
                return
            if name not in self._passed and not flow.get("enabled", True):
                self._passed.add(name)
                ways = (self._nearest(*pair) for pair in self._pairs_of(flow))
                for _, a, b in filter(None, ways):
                    self._port(a, b, flow["server_port"])

    def _pairs_of(self, flow: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        """The ends of a group's flows; those of a permutation only the engine knows, which draws them."""
        pattern = flow.get("pattern", "pairs")
        if pattern == "pairs":
            yield from pairs(self._counts, flow["from"], flow["to"])
        elif pattern != "permutation":
            ends = itertools.product(self._members(flow["from"]), self._members(flow["to"]))
            yield from (pair for pair in ends if pair[0] != pair[1])

    def _port(self, a: IPv4Address, b: IPv4Address, first: int) -> int:
        """The next free one: flows between the same two addresses have different ones."""
        port = self._free.get((a, b, first), first)
        while (a, b, port) in self._taken or port == 0:
            port = (port + 1) % _PORTS
        self._taken.add((a, b, port))
        self._free[a, b, first] = (port + 1) % _PORTS
        return port

    def _members(self, selector: str) -> list[str]:
        return members(self._counts, selector)

    def _counted(self) -> dict[tuple[str, int], IPv4Address]:
        """The address of each host at each of its links."""
        ends = [(end, number) for number, pair in enumerate(self._links) for end in pair]
        own = [(end, number) for end, number in ends if end in self._hosts]
        return {place: _FIRST + count for count, place in enumerate(own)}

    def _give(self, node: Mapping[str, Any]) -> None:
        given = node.get("address")
        if given is None:
            return
        firsts = [given] if isinstance(given, str) else given
        for count, host in enumerate(self._members(node["name"])):
            for (number, _), first in zip(self._ends.get(host, []), firsts, strict=False):
                self._addresses[host, number] = IPv4Address(first) + count

    def _nearest(self, source: str, destination: str) -> tuple[int, IPv4Address, IPv4Address] | None:
        best = None
        for out, first in self._ends.get(source, []):
            for into, last in self._ends.get(destination, []):
                links = 1 if out == into else self._links_over(first, last)
                if links is not None and (best is None or links < best[0]):
                    best = (links, self._addresses[source, out], self._addresses[destination, into])
        return best

    def _links_over(self, first: str, last: str) -> int | None:
        """The links of a way over these routers, its two ends included; None where there is none, for hosts too."""
        between = self._routers_from(first).get(last)
        return None if between is None else between + 2

    def _routers_from(self, first: str) -> dict[str, int]:
        """Distance in links of each router from the first; only routers forward."""
        if first in self._away:
            return self._away[first]
        found = {} if first in self._hosts else {first: 0}
        waiting = deque(found)
        while waiting:
            router = waiting.popleft()
            for other in self._next.get(router, []):
                if other not in found:
                    found[other] = found[router] + 1
                    waiting.append(other)
        self._away[first] = found
        return found


def members(counts: Mapping[str, int | None], selector: str) -> list[str]:
    """The nodes that a selector picks: `src`, `src[2]`, `src[0..2]` or `src[*]`; `counts` has those of all names.

    >>> members({"src": 3, "dst": None}, "src[1..3]"), members({"dst": None}, "dst")
    (['src[1]', 'src[2]'], ['dst'])
    """
    match = _SELECTOR.fullmatch(selector)
    name, low, high = match.groups() if match else (selector, None, None)
    count = counts.get(name)
    if count is None:
        return [name]
    if low is None or low == "*":
        return [f"{name}[{place}]" for place in range(count)]
    return [f"{name}[{place}]" for place in range(int(low), int(high) if high else int(low) + 1)]


def pairs(counts: Mapping[str, int | None], first: str, second: str) -> Iterator[tuple[str, str]]:
    """Pairs of two selectors' nodes: in order, or one with each."""
    a, b = members(counts, first), members(counts, second)
    length = max(len(a), len(b))
    yield from zip(_stretched(a, length), _stretched(b, length), strict=True)


def _stretched(names: Sequence[str], length: int) -> Sequence[str]:
    return list(names) * length if len(names) == 1 else names

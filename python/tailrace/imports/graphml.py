"""Graphs in GraphML (graphml.graphdrawing.org), among them those of the Internet Topology Zoo and of yEd."""

from __future__ import annotations

from collections.abc import Sequence

from tailrace.imports.draft import ScenarioDraft
from tailrace.imports.graph_attributes import edge_of, node_of
from tailrace.imports.input_file import InputFile
from tailrace.imports.topology import Graph, draft_of
from tailrace.imports.xml_elements import Element, root_of


def read(files: Sequence[InputFile]) -> ScenarioDraft:
    """The network of a GraphML file."""
    return draft_of(files[0], parse(files[0]))


def parse(file: InputFile) -> Graph:
    """The graph of a file."""
    root = root_of(file)
    if root.name != "graphml":
        file.fail(f"its outermost element is {root.name!r}, in GraphML it is graphml", root.line)
    keys = {key.attributes.get("id", ""): key for key in root.all("key")}
    inside = root.first("graph")
    if inside is None:
        file.fail("has no graph", root.line)
    own = _data(inside, keys, "graph")
    name = own.get("label") or own.get("Network") or own.get("name") or file.stem
    graph = Graph(name, [], [], directed=inside.attributes.get("edgedefault") == "directed")
    for element in inside.every():
        if element.name == "node":
            identifier = element.attributes.get("id")
            if identifier is None:
                file.fail("this node has no id: edges name nodes by it", element.line)
            graph.nodes.append(node_of(identifier, _data(element, keys, "node"), element.line))
        elif element.name == "edge":
            ends = [element.attributes.get(end) for end in ("source", "target")]
            if ends[0] is None or ends[1] is None:
                file.fail("this edge has no source or no target: write the ids of two nodes", element.line)
            graph.edges.append(edge_of(ends[0], ends[1], _data(element, keys, "edge"), element.line))
    return graph


def _data(element: Element, keys: dict[str, Element], domain: str) -> dict[str, str]:
    """Attributes of an element by their names, with the defaults of their keys."""
    found = {
        _name(key): default.text
        for key in keys.values()
        if (default := key.first("default")) is not None and key.attributes.get("for") in {domain, "all"}
    }
    for data in element.all("data"):
        key = keys.get(data.attributes.get("key", ""))
        name = _name(key) if key else data.attributes.get("key", "")
        # yEd's labels lie within the drawing of a node.
        label = next((each.text for each in data.every() if each.name in {"NodeLabel", "EdgeLabel"}), "")
        if label:
            found["label"] = label
        elif data.text:
            found[name] = data.text
    return found


def _name(key: Element) -> str:
    return key.attributes.get("attr.name") or key.attributes.get("id", "")

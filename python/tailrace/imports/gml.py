"""Graphs in GML (Himsolt, "GML: a portable graph file format", 1997), among them those of the Internet Topology Zoo."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from tailrace.imports.draft import ScenarioDraft
from tailrace.imports.graph_attributes import edge_of, node_of
from tailrace.imports.input_file import InputFile
from tailrace.imports.topology import Graph, draft_of

_TOKEN = re.compile(r'[ \t\n]+|(?m:^[ \t]*\#.*$)|(?P<string>"[^"]*")|(?P<mark>[\[\]])|(?P<word>[^\s\[\]"]+)')
# Lists within one another: real files have three, and reading them calls itself.
_DEEPEST = 50

# Keys with their lines and values, in the order of the file: a key may be there several times.
Pairs: TypeAlias = "list[tuple[str, int, str | Pairs]]"


@dataclass(frozen=True)
class _Token:
    text: str
    line: int
    is_string: bool


def read(files: Sequence[InputFile]) -> ScenarioDraft:
    """The network of a GML file."""
    return draft_of(files[0], parse(files[0]))


def parse(file: InputFile) -> Graph:
    """The graph of a file."""
    top = _pairs(file, _tokens(file))
    graphs = [value for key, _, value in top if key.lower() == "graph" and isinstance(value, list)]
    if not graphs:
        file.fail("has no graph [ ... ]: a file in GML begins with one")
    inside = graphs[0]
    plain = {key.lower(): value for key, _, value in inside if isinstance(value, str)}
    graph = Graph(
        plain.get("label") or plain.get("network") or plain.get("name") or file.stem,
        [],
        [],
        directed=plain.get("directed") == "1",
    )
    for key, line, value in inside:
        if not isinstance(value, list) or key.lower() not in {"node", "edge"}:
            continue
        attributes = {name: text for name, _, text in value if isinstance(text, str)}
        if key.lower() == "node":
            identifier = attributes.pop("id", None)
            if identifier is None:
                file.fail("this node has no id: edges name nodes by it", line)
            graph.nodes.append(node_of(identifier, attributes, line))
        else:
            source, target = attributes.pop("source", None), attributes.pop("target", None)
            if source is None or target is None:
                file.fail("this edge has no source or no target: write the ids of two nodes", line)
            graph.edges.append(edge_of(source, target, attributes, line))
    return graph


def _tokens(file: InputFile) -> Iterator[_Token]:
    text, at, line = file.text, 0, 1
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            file.fail("a quotation mark is not closed", line)
        word = found[0]
        if found["string"] is not None:
            yield _Token(html.unescape(word[1:-1]), line, is_string=True)
        elif found["mark"] or found["word"]:
            yield _Token(word, line, is_string=False)
        line += word.count("\n")
        at = found.end()


def _pairs(file: InputFile, tokens: Iterator[_Token]) -> Pairs:
    """All keys with their values, lists within lists."""
    top: Pairs = []
    lists: list[tuple[Pairs, int]] = [(top, 0)]
    for token in tokens:
        if not token.is_string and token.text == "]":
            if len(lists) == 1:
                file.fail("a ] closes nothing: take it out", token.line)
            lists.pop()
            continue
        if token.is_string or token.text == "[":
            file.fail(f"{token.text[:30]!r} stands where a key is expected: write key and value", token.line)
        value = next(tokens, None)
        if value is None or (not value.is_string and value.text == "]"):
            file.fail(f"{token.text[:30]!r} has no value: write one, or take it out", token.line)
        if value.is_string or value.text != "[":
            lists[-1][0].append((token.text, token.line, value.text))
            continue
        inside: Pairs = []
        lists[-1][0].append((token.text, token.line, inside))
        lists.append((inside, token.line))
        if len(lists) > _DEEPEST:
            file.fail(f"has more than {_DEEPEST} lists within one another", token.line)
    if len(lists) > 1:
        file.fail("this list is not closed: a ] is missing", lists[-1][1])
    return top

"""Networks of SNDlib in its native format and in XML.

Orlowski et al., "SNDlib 1.0: survivable network design library", Networks 55(3), 2010.
Positions are longitudes and latitudes; capacities and demands are in Mbit/s unless the file states a unit.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tailrace.imports.draft import ScenarioDraft
from tailrace.imports.input_file import InputFile, Line
from tailrace.imports.topology import Demand, Edge, Graph, Node, draft_of, position_of, usable_rate
from tailrace.imports.xml_elements import Element, root_of
from tailrace.text import finite

_UNITS = {"BITPERSEC": 1.0, "KBITPERSEC": 1e3, "MBITPERSEC": 1e6, "GBITPERSEC": 1e9}
_DEFAULT = 1e6
# Words of a link before its modules, and of a demand before the longest path: name, (, two ends, ), and numbers.
_LINK_WORDS, _DEMAND_WORDS = 9, 7
_TOKEN = re.compile(r"[()]|[^\s()]+")
_SECTION = re.compile(r"(META|NODES|LINKS|DEMANDS|ADMISSIBLE_PATHS)\s*\((.*)")


def read(files: Sequence[InputFile]) -> ScenarioDraft:
    """The network of a file of SNDlib."""
    return draft_of(files[0], parse(files[0]))


def parse(file: InputFile) -> Graph:
    """The network of a file, in either format."""
    is_xml = file.data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<")
    graph = _xml(file) if is_xml else _native(file)
    graph.remarks += (
        [f"Modules of capacity are {_MODULES}."] if any(e.assumed_rate for e in graph.edges) else []
    )
    return graph


_MODULES = "what links could be given; where nothing is installed, the largest one is assumed"


def _native(file: InputFile) -> Graph:
    first = next((line for line in file.lines if line.text.strip()), None)
    if first is None or not first.text.strip().startswith("?SNDlib native format"):
        file.fail('does not begin with "?SNDlib native format; type: network; version: 1.0"', first)
    if "network" not in first.text:
        file.fail("is no network of SNDlib: give the file of type network", first)
    sections = _sections(file)
    unit, said = _unit_of(file, sections.get("META", []))
    graph = Graph(_native_name(file), [], [], rate_unit=said)
    for line in sections.get("NODES", []):
        words = _TOKEN.findall(line.text)
        graph.nodes.append(Node(words[0], words[0], line.number, _position(_numbers(words[1:]))))
    for line in sections.get("LINKS", []):
        words = _TOKEN.findall(line.text)
        if len(words) < _LINK_WORDS or words[1] != "(" or words[4] != ")":
            file.fail(
                "is no link: write name ( source target ) capacity cost routing_cost setup_cost ( modules )",
                line,
            )
        installed, _, routing, _ = [finite.number(word) for word in words[5:9]]
        modules = _numbers(words[9:])[::2]
        graph.edges.append(_edge(words[2:4], line.number, (installed, modules, routing), unit, said))
    for line in sections.get("DEMANDS", []):
        words = _TOKEN.findall(line.text)
        if len(words) < _DEMAND_WORDS or words[1] != "(" or words[4] != ")":
            file.fail("is no demand: write name ( source target ) routing_unit value max_path_length", line)
        graph.demands.append(_demand(file, words[0], words[2:4], words[5:7], unit, line.number))
    return graph


def _native_name(file: InputFile) -> str:
    """The name in the comment `# network polska`, or that of the file."""
    comment = re.search(r"^# network ([\w-]+)", file.text, re.MULTILINE)
    return comment[1] if comment else file.stem


def _sections(file: InputFile) -> dict[str, list[Line]]:
    """Lines of each section that are not empty."""
    sections: dict[str, list[Line]] = {}
    current: list[Line] | None = None
    begun: Line | None = None
    for line in file.lines[1:]:
        text = line.text.strip()
        if not text or text.startswith(("#", "?")):
            continue
        if found := _SECTION.fullmatch(text):
            current, begun = sections.setdefault(found[1], []), line
            if found[2].strip() == ")":
                current = None
        elif text == ")":
            current = None
        elif current is None:
            file.fail(f"{text[:40]!r} is in no section: there are META, NODES, LINKS and DEMANDS", line)
        else:
            current.append(Line(line.number, text, line.file))
    if current is not None:
        file.fail("this section is not closed: a ) is missing", begun)
    if not sections.get("NODES"):
        file.fail("has no NODES ( ... )")
    return sections


def _unit_of(file: InputFile, meta: Sequence[Line]) -> tuple[float, str]:
    """Bits a second that a 1 in the file is, and how that was read where the file does not say it."""
    for line in meta:
        name, _, value = line.text.partition("=")
        if name.strip().lower() == "unit":
            return _unit(file, value.strip(), line.number), ""
    return _DEFAULT, "no unit; read as Mbit/s"


def _unit(file: InputFile, word: str, line: int) -> float:
    if word.upper() not in _UNITS:
        file.fail(f"{word!r} is no unit: {', '.join(_UNITS)} can be read", line)
    return _UNITS[word.upper()]


def _edge(
    ends: Sequence[str],
    line: int,
    values: tuple[float | None, list[float], float | None],
    unit: float,
    said: str,
) -> Edge:
    """A link with its installed capacity, or else its largest module."""
    installed, modules, routing = values
    capacity = installed or 0.0
    guess = said
    words = f"capacity {capacity:g}"
    if capacity <= 0 and modules:
        capacity = max(modules)
        words, guess = f"module of {capacity:g}", "; ".join(filter(None, ["none is installed", said]))
    rate = capacity * unit
    return Edge(
        ends[0],
        ends[1],
        line,
        rate=usable_rate(rate),
        rate_words=words,
        assumed_rate=guess,
        weight=routing if routing else None,
    )


def _demand(
    file: InputFile, name: str, ends: Sequence[str], numbers: Sequence[str], unit: float, line: int
) -> Demand:
    """A demand: its value times its routing unit, the capacity that one of it takes."""
    factor, value = (finite.number(word) for word in numbers)
    if factor is None or value is None or factor * value < 0:
        file.fail(f"{' '.join(numbers)!r} are no routing unit and value of a demand: write two numbers", line)
    return Demand(ends[0], ends[1], factor * value * unit, line, name)


def _position(numbers: Sequence[float]) -> tuple[float, float] | None:
    """Longitude and latitude, where they can be that."""
    return position_of(*numbers[:2]) if numbers[1:] else None


def _numbers(words: Sequence[str]) -> list[float]:
    return [number for word in words if (number := finite.number(word)) is not None]


def _xml(file: InputFile) -> Graph:
    root = root_of(file)
    structure = root.first("networkStructure")
    if root.name != "network" or structure is None:
        file.fail("is no network of SNDlib: its elements are network and networkStructure", root.line)
    stated = root.first("meta", "unit")
    unit, said = (
        (_unit(file, stated.text, stated.line), "") if stated else (_DEFAULT, "no unit; read as Mbit/s")
    )
    graph = Graph(file.stem, [], [], rate_unit=said)
    nodes = structure.first("nodes")
    on_earth = nodes is not None and nodes.attributes.get("coordinatesType", "geographical") == "geographical"
    for node in nodes.all("node") if nodes else ():
        name = node.attributes.get("id") or file.fail("this node has no id", node.line)
        at = [finite.number(_text(node, "coordinates", axis)) for axis in ("x", "y")]
        position = _position([x for x in at if x is not None]) if on_earth else None
        graph.nodes.append(Node(name, name, node.line, position))
    if nodes is not None and not on_earth:
        graph.remarks.append("Coordinates are those of a drawing, and give no delays.")
    links = structure.first("links")
    for link in links.all("link") if links else ():
        modules = [finite.number(_text(m, "capacity")) for m in link.every() if m.name == "addModule"]
        values = (
            finite.number(_text(link, "preInstalledModule", "capacity")),
            [module for module in modules if module is not None],
            finite.number(_text(link, "routingCost")),
        )
        graph.edges.append(
            _edge([_text(link, "source"), _text(link, "target")], link.line, values, unit, said)
        )
    demands = root.first("demands")
    for demand in demands.all("demand") if demands else ():
        numbers = [_text(demand, "routingUnit") or "1", _text(demand, "demandValue")]
        ends = [_text(demand, "source"), _text(demand, "target")]
        graph.demands.append(_demand(file, demand.attributes.get("id", ""), ends, numbers, unit, demand.line))
    return graph


def _text(element: Element, *path: str) -> str:
    found = element.first(*path)
    return found.text if found else ""

"""XML as elements that know their line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NoReturn
from xml.parsers import expat

from tailrace.imports.input_file import InputFile


@dataclass
class Element:
    """An element, with its name without the namespace."""

    name: str
    attributes: dict[str, str]
    line: int
    text: str = ""
    """Text before its first child, without spaces around it."""
    children: list[Element] = field(default_factory=list)

    def all(self, name: str) -> list[Element]:
        """Children of a name."""
        return [child for child in self.children if child.name == name]

    def first(self, *path: str) -> Element | None:
        """The first child of the first name, of that the first of the second, and so on."""
        found: Element | None = self
        for name in path:
            found = next((child for child in found.children if child.name == name), None) if found else None
        return found

    def every(self) -> Iterator[Element]:
        """The element and all below it."""
        yield self
        for child in self.children:
            yield from child.every()


# Elements within one another: real files have ten, and reading them calls itself.
_DEEPEST = 100


def root_of(file: InputFile) -> Element:
    """The outermost element of a file. Document types, with which texts can grow without bounds, are refused."""
    top = Element("", {}, 0)
    open_elements = [top]
    parser = expat.ParserCreate()

    def refuse(*_: object) -> NoReturn:
        file.fail("has a document type or an entity of its own: take that line out", parser.CurrentLineNumber)

    def start(name: str, attributes: dict[str, str]) -> None:
        if len(open_elements) > _DEEPEST:
            file.fail(f"has more than {_DEEPEST} elements within one another", parser.CurrentLineNumber)
        element = Element(
            _local(name), {_local(k): v for k, v in attributes.items()}, parser.CurrentLineNumber
        )
        open_elements[-1].children.append(element)
        open_elements.append(element)

    def end(_: str) -> None:
        open_elements.pop().text = (
            "".join(pieces).strip() if not open_elements[-1].children else open_elements[-1].text
        )
        pieces.clear()

    pieces: list[str] = []

    def started(name: str, attributes: dict[str, str]) -> None:
        open_elements[-1].text = open_elements[-1].text or "".join(pieces).strip()
        pieces.clear()
        start(name, attributes)

    parser.StartElementHandler = started
    parser.EndElementHandler = end
    parser.CharacterDataHandler = pieces.append
    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    try:
        parser.Parse(file.data, True)
    except expat.ExpatError as error:
        file.fail(f"is no XML: {expat.errors.messages[error.code]}", error.lineno)
    return top.children[0]


def _local(name: str) -> str:
    return name.rpartition(":")[2]

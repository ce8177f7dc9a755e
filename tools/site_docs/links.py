"""The links of a Markdown page, outside of code."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

_FENCE = re.compile(r"^\s*(```+|~~~+)")
_CODE = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)")
_LINK = re.compile(r"(\]\()([^)\s]+)((?:\s+\"[^\"]*\")?\))")
_OTHER = re.compile(r"^[a-z][a-z0-9+.-]*:", re.IGNORECASE)


@dataclass(frozen=True)
class Link:
    """Where a link leads, and where it stands."""

    target: str
    line: int

    @property
    def path(self) -> str:
        """The file it names; nothing where it stays on its page."""
        return self.target.partition("#")[0]

    @property
    def anchor(self) -> str:
        """`#` and the place on the page, or nothing."""
        _, sign, place = self.target.partition("#")
        return sign + place

    @property
    def is_external(self) -> bool:
        """Whether it leaves this repository."""
        return bool(_OTHER.match(self.target))


def rewritten(text: str, turn: Callable[[Link], str]) -> str:
    """The page with every link but external ones turned."""
    lines = []
    fence = ""
    for number, line in enumerate(text.split("\n"), start=1):
        if found := _FENCE.match(line):
            if not fence:
                fence = found[1]
            elif found[1].startswith(fence):
                fence = ""
        lines.append(line if fence or found else _line(line, number, turn))
    return "\n".join(lines)


def found(text: str) -> list[Link]:
    """All of them."""
    links: list[Link] = []

    def note(link: Link) -> str:
        links.append(link)
        return link.target

    rewritten(text, note)
    return links


def _line(line: str, number: int, turn: Callable[[Link], str]) -> str:
    spans = [match.span() for match in _CODE.finditer(line)]

    def one(match: re.Match[str]) -> str:
        link = Link(match[2], number)
        within = any(start < match.start() < end for start, end in spans)
        return match[0] if within or link.is_external else f"{match[1]}{turn(link)}{match[3]}"

    return _LINK.sub(one, line)

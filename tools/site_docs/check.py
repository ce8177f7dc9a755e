"""Every link of the built site leads somewhere, and no page loads anything from another host."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# Attributes by element from which a browser loads files by itself.
_LOADS = {
    ("audio", "src"),
    ("embed", "src"),
    ("iframe", "src"),
    ("img", "src"),
    ("img", "srcset"),
    ("link", "href"),
    ("object", "data"),
    ("script", "src"),
    ("source", "src"),
    ("source", "srcset"),
    ("video", "src"),
}
# Relations of <link> that load nothing.
_NAMES_ONLY = {"canonical", "author", "help", "next", "prev", "search", "index", "license"}
_IN_STYLE = re.compile(r"(?:@import\s+|url\(\s*)[\"']?((?:https?:)?//[^\"')\s]+)")


@dataclass
class Page(HTMLParser):
    """The places of a page, and where it leads."""

    ids: set[str] = field(default_factory=set)
    links: list[tuple[int, str]] = field(default_factory=list)
    loads: list[tuple[int, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Takes down what the element names."""
        found = {name: value or "" for name, value in attrs}
        line = self.getpos()[0]
        self.ids.update(found[name] for name in ("id", "name") if found.get(name))
        if tag == "a" and "href" in found:
            self.links.append((line, found["href"]))
        for name, value in found.items():
            if (tag, name) in _LOADS and found.get("rel") not in _NAMES_ONLY:
                self.loads.append((line, value))


def main(site: Path) -> int:
    """Says what is wrong, and fails if anything is."""
    pages = read(site)
    wrong = [*_links(site, pages), *_loads(site, pages), *_styles(site)]
    for each in wrong:
        print(each, file=sys.stderr)
    count = sum(len(page.links) for page in pages.values())
    print(f"{len(pages)} pages, {count} links: {len(wrong)} wrong")
    return bool(wrong)


def read(site: Path) -> dict[Path, Page]:
    """Every page of the site; the playground is an application with pages of its own making."""
    pages = {}
    for path in sorted(site.rglob("*.html")):
        page = Page()
        page.feed(path.read_text(encoding="utf-8"))
        pages[path] = page
    return pages


def _links(site: Path, pages: dict[Path, Page]) -> list[str]:
    wrong = []
    for path, page in pages.items():
        for line, href in page.links:
            why = _astray(site, path, href, pages)
            if why:
                wrong.append(f"{path.relative_to(site)}:{line}: {href}: {why}")
    return wrong


def _astray(site: Path, path: Path, href: str, pages: dict[Path, Page]) -> str:
    parts = urlsplit(href)
    if parts.scheme or parts.netloc:
        return ""
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    if not target.is_relative_to(site.resolve()) and target != path:
        return "it leaves the site"
    if target.is_dir():
        target /= "index.html"
    if not target.is_file():
        return "no such file"
    # Fragments of the playground are its own.
    of_page = pages.get(site / target.relative_to(site.resolve()) if target != path else path)
    own = "playground" in target.relative_to(site.resolve()).parts if target != path else False
    if parts.fragment and of_page and not own and unquote(parts.fragment) not in of_page.ids:
        return "no such place on the page"
    return ""


def _loads(site: Path, pages: dict[Path, Page]) -> list[str]:
    return [
        f"{path.relative_to(site)}:{line}: {source}: loaded from another host"
        for path, page in pages.items()
        for line, source in page.loads
        if urlsplit(source).netloc
    ]


def _styles(site: Path) -> list[str]:
    return [
        f"{path.relative_to(site)}: {source}: loaded from another host"
        for path in sorted(site.rglob("*.css"))
        for source in _IN_STYLE.findall(path.read_text(encoding="utf-8"))
    ]

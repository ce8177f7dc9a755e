"""Lays out the folder that Sphinx reads: pages under their addresses on the site, with links that fit there.

`docs/README.md` is the front page, and its lists are the site's navigation; a folder's own list is its
`README.md`. Other files of the repository that pages link to, such as scenarios, become pages that show them.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path, PurePosixPath

from site_docs import links, notebook_page
from site_docs.links import Link

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PLAYGROUND = ROOT / "build" / "playground"

# Pages that lie elsewhere, and where the site has them.
OUTSIDE = {
    "ARTIFACT.md": "about/artifact.md",
    "CHANGELOG.md": "about/changelog.md",
    "CODE_OF_CONDUCT.md": "about/conduct.md",
    "CONTRIBUTING.md": "about/contributing.md",
    "SECURITY.md": "about/security.md",
    "benches/peers/README.md": "about/peers.md",
    "changes/README.md": "about/next.md",
    "fuzz/README.md": "about/fuzzing.md",
    "scenarios/README.md": "gallery.md",
    "templates/discipline/README.md": "howto/discipline-outside.md",
}
# Sphinx has a page of this name itself.
_TAKEN = {"search.md": "searching.md"}
_LANGUAGES = {".toml": "toml", ".py": "python", ".rs": "rust", ".sh": "sh", ".json": "json", ".ipynb": "json"}
# Larger files are handed out as they are.
_MOST_SHOWN = 200_000
_SECTION = re.compile(r"^## (.+)$", re.MULTILINE)
# Places on a page that are no headings.
_PLACE = re.compile(r'<a id="([^"]+)">')
_ITEM = re.compile(r"^- \[([^\]]+)\]\(([^)]+)\)", re.MULTILINE)


class LinkError(Exception):
    """A link leads nowhere."""


def main(target: Path) -> int:
    """Writes the folder anew."""
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    try:
        Stage(target).write()
    except LinkError as wrong:
        print(wrong, file=sys.stderr)
        return 1
    if not PLAYGROUND.is_dir():
        print("no playground (build/playground): the pages have no links into it")
    return 0


def pages() -> dict[Path, PurePosixPath]:
    """Every page of the repository that the site has, and its place there."""
    found = {}
    for path in sorted(DOCS.rglob("*.md")):
        place = PurePosixPath(path.relative_to(DOCS))
        place = PurePosixPath(_TAKEN.get(str(place), place))
        found[path] = place.with_name("index.md") if path.name == "README.md" else place
    for path in sorted(DOCS.rglob(f"*{notebook_page.SUFFIX}")):
        found[path] = PurePosixPath(path.relative_to(DOCS)).with_suffix(".md")
    return found | {ROOT / path: PurePosixPath(place) for path, place in OUTSIDE.items()}


class Stage:
    """A layout of the site."""

    def __init__(self, target: Path) -> None:
        self.target = target
        self.pages = pages()
        self.shown: set[Path] = set()
        self.known: dict[Path, set[str]] = {}
        front = (DOCS / "README.md").read_text(encoding="utf-8")
        # Pages in the lists of the front page.
        self.named = {Path(os.path.normpath(DOCS / target)) for _, target in _ITEM.findall(front)}

    def write(self) -> None:
        """Writes everything."""
        texts = {path: self._read(path) for path in self.pages}
        wrong: list[str] = []
        for path, text in texts.items():
            place = self.pages[path]
            try:
                done = links.rewritten(text, self._turning(path, place))
            except LinkError as each:
                wrong.append(str(each))
                continue
            alone = not path.is_relative_to(DOCS) and path not in self.named and place.parts[0] == "about"
            head = "---\norphan: true\n---\n\n" if alone else ""
            self._put(place, head + self._with_playground(path, done) + self._trees(path, text))
        if wrong:
            raise LinkError("\n".join(wrong))
        for path in sorted(self.shown):
            self._show(path)
        self._copy()

    def _read(self, path: Path) -> str:
        """The Markdown of a page; beside that of a notebook the notebook itself and its pictures are laid."""
        if path.suffix != notebook_page.SUFFIX:
            return path.read_text(encoding="utf-8")
        page = notebook_page.page(path)
        folder = (self.target / self.pages[path]).parent
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, folder / path.name)
        for name, content in page.pictures.items():
            (folder / name).write_bytes(content)
        return page.text

    def _turning(self, page: Path, place: PurePosixPath) -> Callable[[Link], str]:
        def turn(link: Link) -> str:
            if not link.path:
                return self._at(page, link, "", "")
            path = Path(os.path.normpath(page.parent / link.path))
            if path.is_dir():
                path /= "README.md"
            if not path.is_file():
                where = f"{page.relative_to(ROOT)}:{link.line}"
                raise LinkError(f"{where}: the link {link.target!r} leads to no file")
            leads_to = _relative(self._place(path, page, link), place)
            return self._at(path, link, leads_to, str(PurePosixPath(leads_to).with_suffix(".html")))

        return turn

    def _at(self, page: Path, link: Link, source: str, built: str) -> str:
        """A place on a page: Sphinx knows headings, and is told of others by a scheme of its own (conf.py)."""
        if page in self.pages and link.anchor and link.anchor[1:] in self._places(page):
            return f"place:{built}{link.anchor}"
        return source + link.anchor

    def _places(self, page: Path) -> set[str]:
        if page not in self.known:
            self.known[page] = set(_PLACE.findall(page.read_text(encoding="utf-8")))
        return self.known[page]

    def _place(self, path: Path, page: Path, link: Link) -> PurePosixPath:
        """Where the site has a file."""
        if path in self.pages:
            return self.pages[path]
        if path.suffix == ".md":
            where = f"{page.relative_to(ROOT)}:{link.line}"
            raise LinkError(
                f"{where}: {link.target!r} is no page of the site; OUTSIDE in {__file__} lists those"
            )
        if path.is_relative_to(DOCS) and path.suffix in {".svg", ".png"}:
            return PurePosixPath(path.relative_to(DOCS))
        self.shown.add(path)
        relative = PurePosixPath(path.relative_to(ROOT))
        return PurePosixPath("files") / relative.with_name(relative.name + ".md")

    def _show(self, path: Path) -> None:
        """A page that shows a file."""
        relative = PurePosixPath(path.relative_to(ROOT))
        text = path.read_text(encoding="utf-8")
        if len(text) > _MOST_SHOWN:
            text = text[:_MOST_SHOWN] + "\n..."
        fence = "`" * max(3, *(len(run) + 1 for run in re.findall("`+", text)), 3)
        language = _LANGUAGES.get(path.suffix, "text")
        place = PurePosixPath("files") / relative.with_name(relative.name + ".md")
        head = f"---\norphan: true\n---\n\n# `{relative}`\n\n"
        if relative.parent.name == "scenarios" and PLAYGROUND.is_dir():
            head += _try(place, f"#gallery={path.stem}", "Open it in the playground")
        self._put(place, f"{head}{fence}{language}\n{text.rstrip()}\n{fence}\n")

    def _with_playground(self, path: Path, text: str) -> str:
        """The page with the way into the playground, before its first section."""
        place = self.pages[path]
        if not PLAYGROUND.is_dir():
            return text
        link = ""
        if path == DOCS / "README.md":
            link = _try(place, "", "Or try it in your browser: the playground")
        elif place.parent.name == "queues" and f"figures/{path.stem}.svg" in text:
            link = _try(place, f"#queue={path.stem}", "Try it in the playground")
        return text.replace("\n## ", f"\n{link}## ", 1) if link else text

    def _trees(self, path: Path, text: str) -> str:
        """The navigation that a page adds."""
        place = self.pages[path]
        if path == DOCS / "README.md":
            return "\n" + "\n".join(_contents(text, self._turning(path, place)))
        if place.name == "index.md":
            below = [self._entry(other, place) for other in self._below(path, text)]
            return "\n" + _toctree("", below) if below else ""
        return ""

    def _below(self, index: Path, text: str) -> Iterator[Path]:
        """Pages of a folder, in the order in which its list names them."""
        place = self.pages[index]
        folder = place.parent
        inside = [
            path
            for path, other in self.pages.items()
            if path not in {index, *self.named}
            and folder in (other.parent, *([other.parent.parent] if other.name == "index.md" else []))
        ]
        order = [os.path.normpath(index.parent / link.path) for link in links.found(text) if link.path]
        yield from sorted(
            inside, key=lambda path: order.index(str(path)) if str(path) in order else len(order)
        )

    def _entry(self, path: Path, index: PurePosixPath) -> str:
        return str(PurePosixPath(_relative(self.pages[path], index)).with_suffix(""))

    def _put(self, place: PurePosixPath, text: str) -> None:
        path = self.target / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def _copy(self) -> None:
        """Copies files that pages show, and Sphinx's configuration."""
        for path in [*DOCS.rglob("*.svg"), *DOCS.rglob("*.png"), DOCS / "conf.py", *DOCS.glob("_static/*")]:
            copy = self.target / path.relative_to(DOCS)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)


def _contents(text: str, turn: Callable[[Link], str]) -> Iterator[str]:
    """A hidden tree for each list of the front page."""
    starts = [*_SECTION.finditer(text)]
    for section, following in zip(starts, [*starts[1:], None], strict=True):
        part = text[section.end() : following.start() if following else len(text)]
        entries = []
        for name, target in _ITEM.findall(part):
            place = turn(Link(target, text.count("\n", 0, section.start()) + 1))
            entries.append(f"{name.replace('`', '')} <{PurePosixPath(place).with_suffix('')}>")
        if entries:
            yield _toctree(section[1], entries)


def _toctree(caption: str, entries: Iterable[str]) -> str:
    options = [":hidden:", *([f":caption: {caption}"] if caption else [])]
    return "\n".join(["```{toctree}", *options, "", *entries, "```", ""])


def _relative(place: PurePosixPath, page: PurePosixPath) -> str:
    return os.path.relpath(place, page.parent).replace(os.sep, "/")


def _try(place: PurePosixPath, fragment: str, words: str) -> str:
    up = "../" * (len(place.parts) - 1)
    return f'<p class="try-it"><a href="{up}playground/index.html{fragment}">{words}</a></p>\n\n'

"""Pictures of pages that are done as they stand, written in one step with the tables beside them.

The commands of a page run once. The page gets the tables that they write, and each picture is the file that they draw.
A picture carries the checksum of the table beside it, so that a test tells a picture of other data without a run;
`differs` compares a picture with what is drawn.
"""

from __future__ import annotations

import hashlib
import io
import re
import shlex
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image, PngImagePlugin

from queue_docs.catalog import ROOT
from queue_docs.figures import smaller

DOCS = ROOT / "docs"
_BLOCK = re.compile(r"(?:`([\w/-]+\.\w+)`:\n\n)?^```(\w+)[^\n]*\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_TABLE = re.compile(r"(?:^\|.*\|$\n?)+|(?<=^```text\n)(?:(?!^```).*\n)+", re.MULTILINE)
_DRAWN = re.compile(r'<g id="(?:line2d|LineCollection|PolyCollection|patch)_\d+">.*?</g>', re.DOTALL)
_NUMBER = re.compile(r'(?<=[ "MLCQ])-?\d+(?:\.\d+)?(?=[ "LCQz])')
_MARK = "Table beside the figure: sha256 "
_FOUND = re.compile(re.escape(_MARK) + r"([0-9a-f]{64})")
# Coordinates are kept to a tenth of a point.
_POINT = 0.15
# Share of the range of grey by which two drawings may differ on average: the same curves, otherwise rounded.
_GREY = 0.002


@dataclass(frozen=True)
class Picture:
    """A picture of a page, and which file the page's commands draw it into."""

    page: str
    file: str
    drawn: str

    @property
    def path(self) -> Path:
        """The committed picture."""
        return DOCS / self.file

    def beside(self) -> str:
        """Checksum of the table beside the picture: the last one before it that has intervals."""
        text = (DOCS / self.page).read_text(encoding="utf-8")
        before = text.partition(f"({Path(self.file).relative_to(Path(self.page).parent)})")[0]
        assert len(before) < len(text), f"{self.page} does not show {self.file}"
        return checksum([table for table in _tables(before) if "±" in table][-1])

    def recorded(self) -> str:
        """Checksum that the committed picture carries; empty if it carries none."""
        if self.path.suffix == ".svg":
            told = self.path.read_text(encoding="utf-8")
        else:
            with Image.open(self.path) as image:
                told = str(image.info.get("Description", ""))
        found = _FOUND.search(told)
        return found[1] if found else ""

    def of(self, folder: Path) -> Path:
        """File that the page's commands have drawn in a folder."""
        (found,) = folder.glob(self.drawn)
        return found


PICTURES = (
    Picture(
        "howto/after-a-flood.md",
        "howto/after-a-flood.svg",
        "results/after-a-flood-sweep/figures/tcp.goodput*.svg",
    ),
    Picture(
        "howto/home-router-sqm.md", "howto/home-router-sqm.svg", "results/bandwidth/figures/ping.rtt_p99*.svg"
    ),
    Picture("howto/notebook.md", "howto/notebook.svg", "results/buffers-sweep/figures/call.rtt*.svg"),
    Picture(
        "howto/policer.md", "howto/limits-throughput.svg", "results/limits-compare/figures/throughput.svg"
    ),
    Picture("howto/policer.md", "howto/limits-delay.svg", "results/limits-compare/figures/delay.svg"),
    Picture("howto/policer.md", "howto/policer.svg", "results/policer-sweep/figures/goodput-*.svg"),
    Picture("howto/pulses.md", "howto/pulses.svg", "results/pulses-sweep/figures/damage-*.svg"),
    Picture("howto/web-flows.md", "howto/web-flows.png", "results/web-flows-sweep/figures/completion-*.png"),
    Picture("tutorial.md", "figures/tutorial-rates.svg", "results/rates/figures/call.rtt*.svg"),
)


def write() -> list[Path]:
    """Does the pages; their tables and pictures are those that come out."""
    written: list[Path] = []
    for page in dict.fromkeys(picture.page for picture in PICTURES):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            _follow(DOCS / page, folder)
            _put_tables(DOCS / page, folder)
            for picture in PICTURES:
                if picture.page == page:
                    _record(picture, picture.of(folder))
                    written.append(picture.path)
    return written


def checksum(table: str) -> str:
    """Checksum of a table's words; gaps between columns do not count."""
    return hashlib.sha256(" ".join(table.split()).encode()).hexdigest()


def differs(picture: Picture, drawn: Path) -> str:
    """Difference of the committed picture from one that was drawn now; empty if both show the same data."""
    if drawn.suffix == ".svg":
        ours, theirs = (_points(file.read_text(encoding="utf-8")) for file in (picture.path, drawn))
        if len(ours) != len(theirs):
            return f"{len(ours)} coordinates, and {len(theirs)} are drawn now"
        most = max((abs(a - b) for a, b in zip(ours, theirs, strict=True)), default=0.0)
        return f"points lie {most:.1f} pt away from where they are drawn now" if most > _POINT else ""
    ours_grey, theirs_grey = (_grey(file) for file in (picture.path, drawn))
    if ours_grey.shape != theirs_grey.shape:
        return f"{ours_grey.shape} pixels, and {theirs_grey.shape} are drawn now"
    mean = float(np.abs(ours_grey - theirs_grey).mean())
    return f"pixels differ by {mean:.2%} from what is drawn now" if mean > _GREY else ""


def _points(svg: str) -> list[float]:
    """Coordinates of everything that is drawn, in order."""
    return [float(number) for part in _DRAWN.findall(smaller(svg)) for number in _NUMBER.findall(part)]


def _grey(file: Path) -> np.ndarray:
    with Image.open(file) as image:
        return np.asarray(image.convert("L"), dtype=np.float64) / 255.0


def _follow(page: Path, folder: Path) -> None:
    """Saves the page's files and gives its commands."""
    for name, language, text in _BLOCK.findall(page.read_text(encoding="utf-8")):
        if name:
            (folder / name).write_text(text, encoding="utf-8")
        elif language == "sh":
            for line in text.replace("\\\n", "").splitlines():
                command = [sys.executable, "-m", *shlex.split(line)]
                subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)


def _put_tables(page: Path, folder: Path) -> None:
    """Replaces the page's tables of results by those that were written, each by the one with the same heading."""
    there = {
        _head(table): table
        for path in folder.glob("results/*/table.md")
        for table in _tables(path.read_text("utf-8"))
    }

    def fresh(match: re.Match[str]) -> str:
        known = there.get(_head(match[0])) if "±" in match[0] else None
        return f"{known.rstrip()}\n" if known else match[0]

    text = page.read_text(encoding="utf-8")
    page.write_text(_TABLE.sub(fresh, text), encoding="utf-8")


def _tables(text: str) -> list[str]:
    return _TABLE.findall(text)


def _head(table: str) -> str:
    return " ".join(table.partition("\n")[0].split())


def _record(picture: Picture, drawn: Path) -> None:
    """Takes over a picture, with the checksum of the table beside it."""
    told = f"{_MARK}{picture.beside()}"
    if drawn.suffix == ".svg":
        head, tag, rest = smaller(drawn.read_text(encoding="utf-8")).partition("<svg ")
        picture.path.write_text(f"{head}<!-- {told} -->\n{tag}{rest}", encoding="utf-8")
        return
    about = PngImagePlugin.PngInfo()
    about.add_text("Description", told)
    kept = io.BytesIO()
    with Image.open(drawn) as image:
        image.save(kept, format="png", pnginfo=about, optimize=True)
    picture.path.write_bytes(kept.getvalue())

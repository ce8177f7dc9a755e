"""Pages that tell how to do something are done as they stand: files are saved, commands given, programs run.

What a page shows is held against what comes out. A block of `text` after a command is what it prints: each of its lines
must be there, but for the width of gaps. A table with `±` is one that a command has written as `table.md`.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_BLOCK = re.compile(r"(?:`([\w/-]+\.\w+)`:\n\n)?^```(\w+)[^\n]*\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_TABLE = re.compile(r"(?:^\|.*\|$\n?)+", re.MULTILINE)
_RULE = re.compile(r"^\|[ :|-]+\|$")


@dataclass(frozen=True)
class Block:
    """A fenced block, and the file that it is."""

    name: str
    language: str
    text: str


def blocks(text: str) -> list[Block]:
    """All of a page, in order."""
    return [Block(*(part or "" for part in found.groups())) for found in _BLOCK.finditer(text)]


def follow(page: Path, folder: Path) -> None:
    """Does what the page says, in the folder; fails where something else comes out than it shows."""
    text = page.read_text(encoding="utf-8")
    printed = ""
    shown = 0
    for block in blocks(text):
        if block.name:
            path = folder / block.name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text, encoding="utf-8")
        elif block.language == "sh":
            printed = "\n".join(
                _command(line, folder) for line in block.text.replace("\\\n", "").splitlines()
            )
        elif block.language == "python":
            printed = _run([sys.executable, "-c", block.text], folder)
        elif block.language == "text" and printed:
            lines = {" ".join(line.split()) for line in printed.splitlines()}
            missing = [line for line in block.text.splitlines() if " ".join(line.split()) not in {*lines, ""}]
            assert not missing, f"{page.name} shows {missing}, but this comes out:\n{printed}"
            shown += 1
    shown += _tables(text, folder)
    assert shown, "a page shows what comes out"


def _command(line: str, folder: Path) -> str:
    program, *arguments = shlex.split(line)
    assert program == "tailrace", "commands that are not ours stand in blocks of `console`"
    return _run([sys.executable, "-m", "tailrace", *arguments], folder)


def _run(command: list[str], folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, f"{command}: {done.stderr}"
    return done.stdout + done.stderr


def _tables(text: str, folder: Path) -> int:
    """How many tables of results the page shows, all as they came out."""
    written = [*_rows(path.read_text(encoding="utf-8") for path in folder.glob("results/*/table.md"))]
    shown = [table for table in _rows([text]) if "±" in "".join(table)]
    for table in shown:
        assert table in written
    return len(shown)


def _rows(texts: Iterator[str] | list[str]) -> Iterator[list[str]]:
    for text in texts:
        for found in _TABLE.findall(text):
            yield [line for line in found.splitlines() if not _RULE.match(line)]


if __name__ == "__main__":
    # tools/try_wheel.sh has the Python of an installed wheel do it.
    follow(Path(sys.argv[1]), Path(sys.argv[2]))

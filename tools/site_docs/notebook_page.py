"""Notebooks as pages of the site: text as it stands, code as code, outputs below it.

The site needs no Jupyter for that: a notebook is JSON, its text is Markdown as that of other pages, and its outputs are
kept in it.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

SUFFIX = ".ipynb"


@dataclass
class Page:
    """The Markdown of a notebook, and the pictures that it shows by file name."""

    text: str
    pictures: dict[str, bytes] = field(default_factory=dict)


def page(path: Path) -> Page:
    """The page of a notebook."""
    found = Page("")
    parts: list[str] = []
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        source = _text(cell["source"]).rstrip()
        if cell["cell_type"] == "markdown":
            parts.append(source)
            continue
        parts.append(_fenced("python", source))
        parts += [_shown(form, content, source, path.stem, found) for form, content in _outputs(cell)]
    # The title stands alone in its cell's first line; the file itself follows it.
    title, _, rest = "\n\n".join(parts).partition("\n")
    taken = f"A notebook: {{download}}`{path.name}` opens in JupyterLab."
    found.text = f"{title}\n\n{taken}\n{rest}\n"
    return found


def _outputs(cell: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """The outputs of a cell, each in its richest form."""
    for output in cell["outputs"]:
        if output["output_type"] == "stream":
            yield "text/plain", _text(output["text"])
            continue
        forms = output["data"]
        form = next(form for form in ("image/png", "text/html", "text/plain") if form in forms)
        yield form, _text(forms[form])


def _shown(form: str, content: str, source: str, stem: str, found: Page) -> str:
    if form == "text/html":
        return _fenced("{raw} html", f'<div class="cell-output">{content}</div>')
    if form == "image/png":
        name = f"{stem}-{len(found.pictures) + 1}.png"
        found.pictures[name] = base64.b64decode(content)
        return _fenced(f"{{image}} {name}", f":alt: Output of {source.splitlines()[-1]}")
    return _fenced("text", content)


def _fenced(language: str, content: str) -> str:
    return f"```{language}\n{content.rstrip()}\n```"


def _text(lines: str | list[str]) -> str:
    return lines if isinstance(lines, str) else "".join(lines)

"""Static figures in a page: for readers without JavaScript, and for print."""

from __future__ import annotations

import base64
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from tailrace.show.report.markup import Markup, tag

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def drawn(figures: Mapping[str, Callable[[], Figure]]) -> dict[str, bytes]:
    """Figures by name as SVG, drawn by tailrace's own plots."""
    from tailrace.show.plots.figures import save_all

    found = {}
    with tempfile.TemporaryDirectory(prefix="tailrace-") as folder:
        # Figures are drawn one by one: each takes some megabytes until it is freed.
        for name, draw in figures.items():
            (file,) = save_all({"figure": draw()}, Path(folder), ["svg"])
            found[name] = file.read_bytes()
    return found


def image(data: bytes, alt: str, kind: str = "svg+xml", cls: str = "still") -> Markup:
    """A picture within the page. As an image its own names and styles stay its own, and nothing in it runs."""
    return tag(
        "img", cls=cls, alt=alt, src=f"data:image/{kind};base64,{base64.b64encode(data).decode('ascii')}"
    )

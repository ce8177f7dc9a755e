"""`python -m queue_docs [PART ...]`; without a word all parts but `cost`, which measures."""

import sys
from collections.abc import Callable
from pathlib import Path

from queue_docs import (
    apps,
    columns,
    commands,
    cost,
    figures,
    page_figures,
    pages,
    python_names,
    reference,
    tutorial,
    zoo,
)
from queue_docs.catalog import ROOT

PARTS: dict[str, Callable[[], list[Path]]] = {
    "apps": apps.write,
    "columns": columns.write,
    "commands": commands.write,
    "python_names": python_names.write,
    "reference": reference.write,
    "pages": pages.write,
    "figures": figures.write,
    "tutorial": tutorial.write,
    "page_figures": page_figures.write,
    "zoo": zoo.write,
    "cost": cost.write,
}


def main(words: list[str]) -> int:
    """Writes the parts that are named."""
    unknown = [word for word in words if word not in PARTS]
    if unknown:
        print(f"no part {unknown[0]!r}; there are {', '.join(PARTS)}", file=sys.stderr)
        return 2
    for word in words or [part for part in PARTS if part != "cost"]:
        written = PARTS[word]()
        print(f"{word}: {len(written)} files under {written[0].parent.relative_to(ROOT)}")
    return 0


sys.exit(main(sys.argv[1:]))

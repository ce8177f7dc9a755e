"""`python -m notebooks [FILE...]` does notebooks, all of docs/notebooks without a name, and writes their outputs."""

import sys
from pathlib import Path

from notebooks import document
from notebooks.execution import NOTEBOOKS, CellError, executed


def main(words: list[str]) -> int:
    """Writes each file anew."""
    for path in [Path(word) for word in words] or sorted(NOTEBOOKS.glob("*.ipynb")):
        notebook = document.read(path)
        try:
            outputs = executed(notebook)
        except CellError as error:
            print(f"{path.name}: {error}", file=sys.stderr)
            return 1
        path.write_text(document.text(notebook, outputs), encoding="utf-8")
        print(path.name)
    return 0


sys.exit(main(sys.argv[1:]))

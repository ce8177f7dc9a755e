"""The places that name the version or the address of the repository; Cargo.toml is the one that the others follow."""

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# The address while nobody has filled in another.
UNSET = "https://example.invalid/tailrace"


@dataclass(frozen=True)
class Place:
    """A file and the pattern of the one line in it, whose only group is the value."""

    file: str
    pattern: str

    def value(self, root: Path = ROOT) -> str:
        """Value in the file.

        Raises
        ------
        ValueError
            if it stands there not exactly once
        """
        found = re.findall(self.pattern, (root / self.file).read_text(encoding="utf-8"), re.MULTILINE)
        if len(set(found)) != 1:
            raise ValueError(
                f"{self.file}: /{self.pattern}/ must stand there once, and does {len(found)} times"
            )
        return str(found[0])

    def write(self, value: str, root: Path = ROOT) -> None:
        """Writes another value there."""
        path = root / self.file
        text = path.read_text(encoding="utf-8")
        old = self.value(root)
        path.write_text(
            re.sub(self.pattern, lambda m: m[0].replace(old, value), text, flags=re.MULTILINE),
            encoding="utf-8",
        )


_NUMBER = r"(\d+\.\d+\.\d+)"
VERSION = [
    Place("Cargo.toml", rf'^version = "{_NUMBER}"$'),
    Place("CITATION.cff", rf"^version: {_NUMBER}$"),
    Place(".zenodo.json", rf'"version": "{_NUMBER}"'),
    Place("docs/cite.md", rf"version = \{{{_NUMBER}\}}"),
    Place("packaging/conda/recipe.yaml", rf"^  version: {_NUMBER}$"),
]
REPOSITORY = [
    Place("Cargo.toml", r'^repository = "(https://[^"]+)"$'),
    Place("CITATION.cff", r'^repository-code: "(https://[^"]+)"$'),
    Place(".zenodo.json", r'"identifier": "(https://[^"]+)"'),
]

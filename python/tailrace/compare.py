"""Several results side by side: a table, overlay figures, a folder."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tailrace import folder, manifest, present
from tailrace.errors import UsageError
from tailrace.result import Result

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.console import RenderableType

_VARIANTS = "variants"
# Of a variant's folder, which file systems limit.
_LONGEST_NAME = 100


class Comparison:
    """Results by label, in the order in which they are shown."""

    def __init__(
        self, results: Mapping[str, Result], title: str = "comparison", status: str = "complete"
    ) -> None:
        if not results:
            raise UsageError("there is nothing to compare")
        self.results = dict(results)
        self.title = title
        # "interrupted" or "failed" where runs are missing, be it whole variants.
        self.status = status

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Comparison:
        """A comparison from its folder."""
        place = Path(path)
        try:
            about = json.loads((place / folder.MANIFEST).read_text(encoding="utf-8"))
            variants = {str(label): str(sub) for label, sub in about[_VARIANTS].items()}
            title, status = str(about["title"]), str(about["status"])
        except FileNotFoundError:
            raise UsageError(f"there is no comparison in {place}") from None
        except (OSError, ValueError) as error:
            raise UsageError(f"{place} does not hold a comparison: {error}") from None
        except (AttributeError, KeyError, TypeError):
            raise UsageError(f"{place / folder.MANIFEST} is damaged; run the comparison again") from None
        return cls({label: Result.load(place / sub) for label, sub in variants.items()}, title, status)

    @staticmethod
    def is_folder(place: Path) -> bool:
        """Whether a comparison was saved there."""
        try:
            about = json.loads((place / folder.MANIFEST).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return False
        return isinstance(about, dict) and _VARIANTS in about

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Writes a folder with one result folder a variant, `comparison.json` and `table.md`."""
        with folder.replacing(Path(path)) as fresh:
            self.write_into(fresh)
        return Path(path)

    def write_into(self, place: Path) -> None:
        """Writes the files into a folder that exists."""
        places = dict(zip(self.results, self.folder_names(), strict=True))
        for label, result in self.results.items():
            (place / places[label]).mkdir()
            result.write_into(place / places[label])
        (place / "comparison.json").write_text(self.to_json() + "\n", encoding="utf-8")
        (place / "table.md").write_text(present.markdown(self.grid), encoding="utf-8")
        about = {
            **manifest.provenance(),
            "title": self.title,
            _VARIANTS: places,
            "fingerprints": {label: result.fingerprint for label, result in self.results.items()},
            "status": self.status,
        }
        (place / folder.MANIFEST).write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")

    def folder_names(self) -> list[str]:
        """The name of each variant's folder within the comparison's."""
        return _folder_names(list(self.results))

    @property
    def document(self) -> dict[str, Any]:
        """Each variant's summary, by label."""
        return {"title": self.title, _VARIANTS: {label: r.summary for label, r in self.results.items()}}

    def to_json(self) -> str:
        """The same as JSON text."""
        return json.dumps(self.document, indent=2, allow_nan=False)

    @property
    def grid(self) -> present.Grid:
        """The table."""
        return present.comparison_grid(self.results, self.title)

    def plot(self, metric: str) -> Figure:
        """An overlay figure of `queue`, `cwnd`, `throughput`, `delay`, `jitter` or `loss` over time.

        Of Multipath TCP also `subflow_cwnd`, `path_throughput`, `data_sequence` and `reordering`.
        """
        from tailrace import plots  # Matplotlib takes half a second

        return plots.overlay(self.results, metric, self.title)

    def __getitem__(self, label: str) -> Result:
        return self.results[label]

    def __rich__(self) -> RenderableType:
        return present.RichComparison(self.results, self.title)

    def _repr_html_(self) -> str:
        return present.html([self.grid])

    def __repr__(self) -> str:
        return f"<Comparison {self.title!r}: {', '.join(self.results)}>"


def compare(results: Mapping[str, Result], title: str = "comparison") -> Comparison:
    """Puts results side by side: a table in a terminal or notebook, `.plot(metric)`, `.save(folder)`."""
    return Comparison(results, title)


def _folder_names(labels: list[str]) -> list[str]:
    """Labels as folder names, still distinct."""
    names: list[str] = []
    for label in labels:
        name = re.sub(r"[^A-Za-z0-9._=+-]+", "-", label)[:_LONGEST_NAME].strip("-.") or "variant"
        taken = {other.casefold() for other in (*names, "figures")}
        count = 1
        while (name if count == 1 else f"{name}-{count}").casefold() in taken:
            count += 1
        names.append(name if count == 1 else f"{name}-{count}")
    return names

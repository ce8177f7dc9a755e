"""Reading result folders: what is damaged in them, or by somebody else, neither fails later nor goes unnoticed."""

from __future__ import annotations

import difflib
import hashlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tailrace.errors import UsageError
from tailrace.system import json_documents, ownership, path_errors
from tailrace.system.json_documents import COUNT, NUMBER, TEXT, DamagedError, Shape, each, rows
from tailrace.system.ownership import FORMAT_VERSION, MANIFEST

if TYPE_CHECKING:
    import polars as pl

SUMMARY, SCENARIO = "summary.json", "scenario.toml"
# Tables of the result contract, in the order of its description.
TABLES = (
    "flows",
    "paths",
    "queues",
    "flow_windows",
    "group_series",
    "flow_series",
    "queue_series",
    "law_series",
    "subflow_series",
    "connection_series",
    "path_series",
    "reordering",
    "connections",
    "events",
)

# A table of more values stays on the disk until somebody asks for all of it; a small file cannot hold so many.
_MANY_VALUES = 4_000_000
_WORTH_LOOKING = 100_000


def _tree(value: object, where: str) -> None:
    """Tables in tables, down to numbers and words."""
    if not isinstance(value, dict):
        json_documents.check(value, (*NUMBER, bool, str), where)
    elif "ci95" in value:
        json_documents.check(value, {"mean": NUMBER, "ci95": NUMBER, "n": COUNT}, where)
    else:
        each(_tree)(value, where)


_BRANCHES: Mapping[str, Shape] = {name: each(each(_tree)) for name in ("groups", "queues", "connections")}


def _having(shape: Mapping[str, Shape], maybe: Mapping[str, Shape]) -> Callable[[object, str], None]:
    """Check for all parts of one shape, and for those parts of another that are present."""

    def check(value: object, where: str) -> None:
        json_documents.check(value, shape, where)
        if isinstance(value, dict):
            for name in maybe.keys() & value.keys():
                json_documents.check(value[name], maybe[name], f"{where}.{name}")

    return check


_PATHS: Mapping[str, Shape] = {"paths": each(each(_tree))}
_WINDOW: Shape = _having({"start_s": _tree, "end_s": _tree, **_BRANCHES}, _PATHS)


def _run_of(shape: Mapping[str, Shape]) -> Callable[[object, str], None]:
    """Figures of a run, or of all; windows are there where the scenario has some, paths where it has such flows."""
    return _having(shape, {"windows": each(_WINDOW), **_PATHS})


_RUN: Mapping[str, Shape] = {"run": COUNT, "seed": COUNT, "fingerprint": TEXT}
_SUMMARY_SHAPE: Shape = {
    "scenario": TEXT,
    "fingerprint": TEXT,
    "runs": rows(_run_of({**_RUN, **_BRANCHES})),
    "aggregate": _run_of(_BRANCHES),
}
_ABOUT_SHAPE: Mapping[str, Shape] = {
    "scenario": TEXT,
    "file": TEXT,
    "seed": COUNT,
    "runs_asked": COUNT,
    "runs": rows(_RUN),
    "fingerprint": TEXT,
    "status": TEXT,
}
_LISTS: Mapping[str, Shape] = {"files": rows(TEXT), "tables": each(each(TEXT))}
_SUMS: Mapping[str, Shape] = {ownership.CHECKSUMS: each({"bytes": COUNT, "blake2b": TEXT})}
_COMPARISON_SHAPE: Mapping[str, Shape] = {
    "title": TEXT,
    "status": TEXT,
    "variants": each(TEXT),
    "fingerprints": each(TEXT),
}


def result(place: Path) -> tuple[dict[str, Any], dict[str, Any], str]:
    """Summary, manifest and resolved scenario of a result folder."""
    about = _manifest(place, ownership.RESULT, "result")
    summary = _document(place / SUMMARY, _SUMMARY_SHAPE, "result")
    _check_fingerprints(place, summary, about)
    for name in (SUMMARY, SCENARIO):
        _check_is_intact(place, name, about)
    for name in about.get("tables", {}):
        if not (place / f"{name}.parquet").is_file():
            raise UsageError(f"{place} is not whole: {name}.parquet is missing; run the scenario again")
    try:
        return summary, about, (place / SCENARIO).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise path_errors.foreign(place, "result", f"it has no {SCENARIO}") from None
    except (OSError, ValueError) as error:
        raise UsageError(f"{place / SCENARIO} cannot be read: {error}") from None


def comparison(place: Path) -> dict[str, Any]:
    """The manifest of a comparison folder."""
    about = _manifest(place, ownership.COMPARISON, "comparison")
    for name in about["variants"].values():
        if not json_documents.is_plain_name(name):
            raise UsageError(
                f"{place / MANIFEST} is damaged: a variant in {name!r}; run the comparison again"
            )
    return about


def is_comparison(place: Path) -> bool:
    """Whether a comparison was saved there; what is wrong with it shows when it is loaded."""
    try:
        about = json_documents.read(place / MANIFEST)
    except (OSError, ValueError):
        return False
    return isinstance(about, dict) and "variants" in about


def table(place: Path, name: str, about: dict[str, Any]) -> pl.DataFrame | pl.LazyFrame | None:
    """A table of a result folder, of a large one nothing but its columns; None if it was not recorded."""
    from tailrace.execution import polars_frames  # Polars loads when it is needed

    file = place / f"{name}.parquet"
    expected = about.get("tables", {}).get(name)
    # A folder with checksums says which tables are its own; another's file beside them is none.
    if expected is None and (ownership.CHECKSUMS in about or not file.is_file()):
        return None
    _check_is_intact(place, file.name, about)
    try:
        if file.is_file() and file.stat().st_size > _WORTH_LOOKING:
            found = polars_frames.opened(file, expected)
            if polars_frames.values(found) > _MANY_VALUES:
                return found
        return polars_frames.read(file, expected)
    except ValueError as error:
        raise _unreadable(file, error) from None


def collected(rows: pl.LazyFrame, name: str, place: Path | None) -> pl.DataFrame:
    """Reads the selected rows and columns of a large table."""
    from tailrace.execution import polars_frames

    try:
        return polars_frames.collected(rows)
    except ValueError as error:
        raise _unreadable((place or Path()) / f"{name}.parquet", error) from None


def _check_is_intact(place: Path, name: str, about: Mapping[str, Any]) -> None:
    """Refuses a file that is not what was written. One that cannot be read is refused where it is read."""
    try:
        intact = ownership.is_intact(place, name, about)
    except OSError:
        return
    if not intact:
        raise UsageError(
            f"{place / name} is not what was written there ({MANIFEST} has its checksum): it was edited, replaced or "
            "damaged; run the scenario again"
        )


def _unreadable(file: Path, error: ValueError) -> UsageError:
    return UsageError(f"{file} cannot be read: {error}; run the scenario again")


def check_table_name(name: str) -> None:
    """Refuses what is no table of the contract, and names the nearest."""
    if name not in TABLES:
        close = difflib.get_close_matches(name, TABLES, n=1)
        hint = f"; did you mean {close[0]}?" if close else ""
        raise UsageError(f"there is no table {name!r}{hint} There are {', '.join(TABLES)}")


def combined_fingerprint(fingerprints: Sequence[str]) -> str:
    """Fingerprint of several fingerprints; depends on their order."""
    return hashlib.blake2b(" ".join(fingerprints).encode(), digest_size=8).hexdigest()


def _manifest(place: Path, kind: str, what: str) -> dict[str, Any]:
    if not place.is_dir():
        raise path_errors.missing(place, what)
    shape = _ABOUT_SHAPE if kind == ownership.RESULT else _COMPARISON_SHAPE
    # The version first: what a later one wrote may have another shape.
    about = _document(place / MANIFEST, {}, what)
    version = about.get("format_version", 0)
    if isinstance(version, int) and version > FORMAT_VERSION:
        raise UsageError(
            f"{place} was written by a later version of tailrace (format {version}; this one reads up to "
            f"{FORMAT_VERSION}): use that version"
        )
    if about.get("format", kind) != kind:
        raise UsageError(f"{place} is not a {what} folder: its {MANIFEST} says {str(about['format'])!r}")
    whole = {**shape, **_LISTS} if "format" in about and kind == ownership.RESULT else shape
    # Versions up to 0.2.0 wrote no checksums.
    return _document(place / MANIFEST, {**whole, **_SUMS} if ownership.CHECKSUMS in about else whole, what)


def _document(file: Path, shape: Shape, what: str) -> dict[str, Any]:
    again = f"run the {'scenario' if what == 'result' else what} again"
    try:
        found: dict[str, Any] = json_documents.read(file)
        json_documents.check(found, shape)
    except FileNotFoundError:
        raise path_errors.foreign(file.parent, what, f"it has no {file.name}") from None
    except DamagedError as error:
        raise UsageError(f"{file} is damaged: {error}; {again}") from None
    except (OSError, ValueError) as error:
        raise UsageError(f"{file} cannot be read: {error}; {again}") from None
    return found


def _check_fingerprints(place: Path, summary: dict[str, Any], about: dict[str, Any]) -> None:
    """Summary and manifest belong together, and neither was changed."""
    runs = [(run["run"], run["seed"], run["fingerprint"]) for run in summary["runs"]]
    stated = [(run["run"], run["seed"], run["fingerprint"]) for run in about["runs"]]
    combined = combined_fingerprint([fingerprint for _, _, fingerprint in runs])
    if runs != stated or {summary["fingerprint"], about["fingerprint"]} != {combined}:
        raise UsageError(
            f"{place} is damaged: {SUMMARY} and {MANIFEST} have different fingerprints; run the scenario again"
        )

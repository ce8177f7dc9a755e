"""Ownership of folders and files: whether a folder is a result, and which of its files are ours. Nothing else is
removed.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from pathlib import Path
from typing import Any

from tailrace.system import json_documents

MANIFEST = "manifest.json"
_FRESH_MANIFEST = f"{MANIFEST}.new"
RESULT, COMPARISON, STORE = "tailrace-result", "tailrace-comparison", "tailrace-store"
# Key of a manifest with the size and hash of each file whose content it vouches for.
CHECKSUMS = "checksums"
_FORMATS = frozenset({RESULT, COMPARISON, STORE})
# Grows when an older version could no longer read a folder rightly; every older format stays readable.
FORMAT_VERSION = 1

_PROVENANCE = {
    "tailrace": str,
    "created": str,
    "command": list,
    "python": str,
    "machine": dict,
    "status": str,
}
# Manifests of 0.1.0 had no format; nobody else's have all of these.
_FIRST_RESULT = {
    **_PROVENANCE,
    "scenario": str,
    "file": str,
    "seed": int,
    "runs_asked": int,
    "runs": list,
    "fingerprint": str,
    "warnings": list,
}
_FIRST_COMPARISON = {**_PROVENANCE, "title": str, "variants": dict, "fingerprints": dict}
# Files of 0.1.0, which kept no list.
_FIRST_FILES = re.compile(
    r"summary\.json|scenario\.toml|manifest\.json|comparison\.json|table\.md"
    r"|(flows|queues|(group|flow|queue|law|subflow|connection)_series|reordering|events)\.parquet"
    r"|captures/run\d+/[^/]+\.pcapng|figures/[a-z_]+\.(png|svg|pdf)"
)


class Holding(Enum):
    """Kind of a place's content."""

    NOTHING = "nothing"
    RESULT = "a result or a comparison"
    STORE = "the runs of a sweep"
    LATER = "a result of a later version"
    FOREIGN = "something else"


def holding(place: Path) -> Holding:
    """Content of a folder; a manifest makes it a result."""
    try:
        # Whoever was killed while making a folder ours got no further than a manifest that is not in its place.
        if all(file.name == _FRESH_MANIFEST for file in place.iterdir()):
            return Holding.NOTHING
    except FileNotFoundError:
        return Holding.NOTHING
    about = _manifest(place)
    if about.get("format") in _FORMATS:
        version = about.get("format_version")
        if about["format"] == STORE and isinstance(version, int) and version <= FORMAT_VERSION:
            return Holding.STORE
        return Holding.RESULT if isinstance(version, int) and version <= FORMAT_VERSION else Holding.LATER
    return Holding.RESULT if is_first_format(about) else Holding.FOREIGN


def kind(place: Path) -> str | None:
    """The format that a folder's manifest says; None without one."""
    found = _manifest(place).get("format")
    return found if isinstance(found, str) else None


def is_first_format(about: Mapping[str, Any]) -> bool:
    """Whether a manifest is one of version 0.1.0, whole."""
    return "format" not in about and any(
        all(isinstance(about.get(key), kind) for key, kind in shape.items())
        for shape in (_FIRST_RESULT, _FIRST_COMPARISON)
    )


def own_files(place: Path) -> set[str]:
    """The files in a result folder that are Tailrace's, relative to it; in a comparison also those of its variants."""
    about = _manifest(place)
    if is_first_format(about):
        own = {name for name in _walk(place) if _FIRST_FILES.fullmatch(name)}
    elif about.get("format") in _FORMATS:
        listed = about.get("files")
        own = {str(name) for name in listed} if isinstance(listed, list) else set()
        own |= {MANIFEST, _FRESH_MANIFEST}
    else:
        return set()
    variants = about.get("variants")
    for name in variants.values() if isinstance(variants, dict) else ():
        if isinstance(name, str) and json_documents.is_plain_name(name):
            own |= {f"{name}/{file}" for file in own_files(place / name)}
    return own


def claim(place: Path, names: Iterable[str]) -> None:
    """Notes in a result folder's manifest that files are Tailrace's, before they are written.

    What somebody else put there under such a name is moved aside.
    """
    about = _manifest(place)
    if about.get("format") not in _FORMATS:
        return
    known, wanted = own_files(place), list(names)
    for name in wanted:
        if name not in known and (place / name).exists():
            (place / name).rename(vacant(place / name))
    about["files"] = sorted({*about.get("files", []), *wanted})
    fresh = place / _FRESH_MANIFEST
    _write_json(fresh, about)
    fresh.replace(place / MANIFEST)


def describe(place: Path, about: Mapping[str, Any]) -> None:
    """Writes into a result folder's manifest whose it is now."""
    known = _manifest(place)
    if any(known.get(key) != value for key, value in about.items()):
        fresh = place / _FRESH_MANIFEST
        _write_json(fresh, {**known, **about})
        fresh.replace(place / MANIFEST)


def redrawn(place: Path, key: str, names: Iterable[str]) -> list[str]:
    """Notes that files are those of `key`, and removes those that were and that nobody has changed since; which."""
    about, own = _manifest(place), own_files(place)
    if about.get("format") not in _FORMATS:
        return []
    before = about.get(key)
    stale = dict(before) if isinstance(before, dict) else {}
    wanted = list(names)
    if not stale and not wanted:
        return []
    gone = [
        name
        for name, digest in stale.items()
        if name in own and name not in wanted and _is_within(name) and _digest(place / name) == digest
    ]
    for name in gone:
        (place / name).unlink()
    kept = sorted(set(about.get("files", [])).difference(gone))
    describe(place, {"files": kept, key: {name: _digest(place / name) for name in wanted}})
    return gone


def checksums(place: Path, names: Iterable[str]) -> dict[str, dict[str, str | int]]:
    """Size and hash of files of a folder, for its manifest. What was just written is read from memory."""
    return {name: {"bytes": (place / name).stat().st_size, "blake2b": digest(place / name)} for name in names}


def is_intact(place: Path, name: str, about: Mapping[str, Any]) -> bool:
    """Whether a file is what its folder's manifest has a checksum of. Folders of earlier versions have none."""
    stated = about.get(CHECKSUMS, {}).get(name)
    return stated is None or (
        (place / name).stat().st_size == stated["bytes"] and digest(place / name) == stated["blake2b"]
    )


def digest(file: Path) -> str:
    """A hash of a file."""
    with file.open("rb") as content:
        return hashlib.file_digest(content, lambda: hashlib.blake2b(digest_size=16)).hexdigest()


def _is_within(name: str) -> bool:
    """Whether a name leads to a file of the folder itself, whoever wrote the manifest."""
    return not Path(name).is_absolute() and ".." not in Path(name).parts


def _digest(file: Path) -> str | None:
    """Digest of a file's content; None where there is no readable file."""
    try:
        return digest(file)
    except OSError:
        return None


def hand_over(old: Path, heir: Path) -> None:
    """Removes what Tailrace wrote into a folder whose place another has taken; what others put there moves over."""
    own = own_files(old)
    folders = {str(parent) for name in own for parent in Path(name).parents}
    _hand_over(old, heir, "", own, folders)


def _hand_over(old: Path, heir: Path, at: str, own: set[str], folders: set[str]) -> None:
    """The manifest goes last: what is left behind by a kill still says whose it is."""
    with os.scandir(old / at) as found:
        entries = sorted(found, key=lambda entry: (entry.name == MANIFEST, entry.name))
    for entry in entries:
        name, path = f"{at}{entry.name}", Path(entry.path)
        if entry.is_dir(follow_symlinks=False) and (name in folders or not any(path.iterdir())):
            _hand_over(old, heir, f"{name}/", own, folders)
        elif entry.is_file(follow_symlinks=False) and name in own:
            path.unlink(missing_ok=True)
        else:
            (heir / name).parent.mkdir(parents=True, exist_ok=True)
            path.rename(vacant(heir / name))
    (old / at).rmdir()


def vacant(place: Path) -> Path:
    """The place, or the first beside it that nobody has: `notes.txt.kept`, `notes.txt.kept-2`, ..."""
    tried, count = place, 1
    while os.path.lexists(tried):
        tried = place.with_name(f"{place.name}.kept" if count == 1 else f"{place.name}.kept-{count}")
        count += 1
    return tried


def seal(place: Path, kind: str, about: Mapping[str, Any]) -> None:
    """Writes the manifest, last of all: it lists every file of a folder that is Tailrace's alone so far."""
    files = sorted({*_walk(place), MANIFEST})
    ours = {"format": kind, "format_version": FORMAT_VERSION}
    # In one step: half a manifest would make the folder somebody else's.
    _write_json(place / _FRESH_MANIFEST, {**ours, **about, **ours, "files": files})
    (place / _FRESH_MANIFEST).replace(place / MANIFEST)


def _write_json(file: Path, document: object) -> None:
    file.write_text(json.dumps(document, indent=2, allow_nan=False) + "\n", encoding="utf-8")


def _walk(place: Path) -> Iterator[str]:
    for folder, _, files in os.walk(place):
        for file in files:
            yield (Path(folder) / file).relative_to(place).as_posix()


def _manifest(place: Path) -> dict[str, Any]:
    """Empty where there is none that can be read."""
    try:
        about = json_documents.read(place / MANIFEST)
    except (OSError, ValueError):
        return {}
    return about if isinstance(about, dict) else {}

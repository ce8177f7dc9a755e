"""Whether the tree is ready for a release: what is not is said, each with its place."""

import re
from pathlib import Path

from release.places import REPOSITORY, ROOT, UNSET, VERSION

# Bullets of a section of the changelog, which is for readers; the story of a change is in its commit.
MAX_BULLETS = 15
KINDS = ("added", "changed", "results", "fixed")


def faults(root: Path = ROOT, *, published: bool = False) -> list[str]:
    """Obstacles to a release; `published` asks for a real address of the repository, too."""
    version = VERSION[0].value(root)
    found = [
        f"{place.file}: version {place.value(root)}, where Cargo.toml has {version}: make release VERSION=... sets all"
        for place in VERSION
        if place.value(root) != version
    ]
    repository = REPOSITORY[0].value(root)
    found += [
        f"{place.file}: not the repository of Cargo.toml"
        for place in REPOSITORY
        if place.value(root) != repository
    ]
    if published and repository == UNSET:
        found.append(
            f"Cargo.toml: the repository is {UNSET}: python -m release repository URL sets it everywhere"
        )
    found += [f"changes/{path.name}: not in CHANGELOG.md yet: make release" for path in fragments(root)]
    changelog = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    return found + changelog_faults(changelog, version)


def changelog_faults(text: str, version: str) -> list[str]:
    """A version without a section, and sections that are too long."""
    found = re.search(rf"^## {re.escape(version)} .*?(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    if found is None:
        return [f"CHANGELOG.md: no section of {version}"]
    sections = re.split(r"^### ", found[0], flags=re.MULTILINE)[1:]
    long = {
        section.splitlines()[0]: section.count("\n- ")
        for section in sections
        if section.count("\n- ") > MAX_BULLETS
    }
    return [
        f"CHANGELOG.md: {name!r} of {version} has {n} lines, at most {MAX_BULLETS}"
        for name, n in long.items()
    ]


def fragments(root: Path = ROOT) -> list[Path]:
    """The notes of changes that no version has yet."""
    return sorted(
        path for path in (root / "changes").iterdir() if path.name not in {"README.md", ".gitignore"}
    )


def fragment_faults(root: Path = ROOT) -> list[str]:
    """Fragments with a wrong name, or with more than a line for the changelog needs."""
    found = []
    for path in fragments(root):
        kind = path.name.split(".")[-2] if path.name.endswith(".md") and path.name.count(".") >= 2 else ""
        if kind not in KINDS or not path.name.startswith("+"):
            found.append(f"changes/{path.name}: the name is +WORDS.KIND.md with a kind of {', '.join(KINDS)}")
        text = path.read_text(encoding="utf-8").strip()
        if not text or text.startswith(("-", "#")) or len(text) > 400:
            found.append(
                f"changes/{path.name}: a sentence or two, without bullet or heading, of at most 400 characters"
            )
    return found

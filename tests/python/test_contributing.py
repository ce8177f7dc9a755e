"""The examples of CONTRIBUTING.md are run as they stand: all of them in one copy of the tree, with the tests
named beside them."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from conftest import ROOT

TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```rust ?(\S*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# A line of a table of algorithms; the new one comes after the last.
ROW = re.compile(r'^    "\w+" => \w+::\w+\(\w+\),\n', re.MULTILINE)
# In a place that stays, so that what has not changed since the last time is not built again.
PLACE = ROOT / "target" / "contributing"
COPY = PLACE / "tree"


def blocks(kind):
    """Examples by the file that they are, or go into."""
    found = [(what.partition("="), code) for what, code in BLOCK.findall(TEXT)]
    return {Path(path): code for (word, _, path), code in found if word == kind}


def with_line(text, line):
    last = list(ROW.finditer(text))[-1]
    return text[: last.end()] + line + text[last.end() :]


@pytest.fixture(scope="module")
def tree():
    """A copy of what is tracked or new, with the examples in it."""
    if shutil.which("cargo") is None or shutil.which("git") is None:
        pytest.skip("cargo or git is missing")
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    paths = [Path(name) for name in listed.split("\0") if name and (ROOT / name).is_file()]
    contents = {path: (ROOT / path).read_bytes() for path in paths}
    contents |= {path: code.encode() for path, code in blocks("file").items()}
    for path, line in blocks("line").items():
        contents[path] = with_line(contents[path].decode(), line).encode()
    for path in [p for p in COPY.rglob("*") if p.is_file() and p.relative_to(COPY) not in contents]:
        path.unlink()
    for path, content in contents.items():
        copy = COPY / path
        if not (copy.is_file() and copy.read_bytes() == content):
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(content)
    return COPY


def test_every_example_says_where_it_belongs_and_is_not_there_yet():
    kinds = {what.partition("=")[0] for what, _ in BLOCK.findall(TEXT)}
    assert kinds == {"file", "line"}
    assert [path for path in blocks("file") if (ROOT / path).exists()] == []
    assert len(blocks("file")) == len(blocks("line")) >= 4


def test_the_examples_have_the_one_format(tree):
    files = [str(tree / path) for path in blocks("file")]
    found = subprocess.run(
        ["rustfmt", "--edition", "2024", "--check", *files], check=False, capture_output=True, text=True
    )
    assert found.returncode == 0, found.stdout + found.stderr


def named_tests():
    """The tests that CONTRIBUTING.md names and that there are."""
    words = set(re.findall(r"`(\w+)`", TEXT))
    crates = {path.parts[1] for path in blocks("file")}
    sources = [file for crate in crates for file in (ROOT / "crates" / crate).rglob("*.rs")]
    there = {
        name for file in sources for name in re.findall(r"\bfn (\w+)\(", file.read_text(encoding="utf-8"))
    }
    return sorted(word for word in words & there if word.count("_") >= 3)


def test_the_examples_pass_the_tests_that_are_named(tree):
    crates = sorted({path.parts[1] for path in blocks("file")})
    assert [c for c in crates if f"cargo test -p tailrace-{c}" not in TEXT] == []
    own = [f"::{path.stem}::tests" for path, code in blocks("file").items() if "mod tests {" in code]
    assert len(own) >= 2 and len(named_tests()) >= 8
    # A target directory of its own: cargo tells crates of two copies apart by their place in the tree only.
    environment = os.environ | {"CARGO_TARGET_DIR": str(PLACE / "target"), "PROPTEST_RNG_SEED": "1"}
    environment["CARGO_INCREMENTAL"] = "0"
    # Without optimisation all is built soonest.
    optimised = re.findall(
        r"^\[profile\.dev\.package\.([\w-]+)\]", (ROOT / "Cargo.toml").read_text(), re.MULTILINE
    )
    settings = [f"profile.dev.package.{package}.opt-level=0" for package in optimised]
    quick = [word for setting in settings for word in ("--config", setting)]
    packages = [word for crate in crates for word in ("-p", f"tailrace-{crate}")]
    targets = ["--lib", "--test", "conformance", "--test", "allocation", "--test", "link"]
    found = subprocess.run(
        ["cargo", "test", "--locked", *quick, *packages, *targets, "--no-fail-fast", "--", *own, *named_tests()],
        cwd=tree, env=environment, check=False, capture_output=True, text=True,
    )  # fmt: skip
    assert found.returncode == 0, found.stdout[-5000:] + found.stderr[-5000:]
    missing = [name for name in own + named_tests() if name not in found.stdout]
    assert missing == [], "these did not run"

"""The form of comments: each begins with a noun or a verb, so that it can be skimmed and searched."""

import ast
import re
import subprocess

import pytest

from conftest import ROOT

# Words with which a sentence begins that has no subject: "What befalls packets", "Those of the slips", "One that runs".
RIDDLE = re.compile(r"(What|One|Ones|As|Of|Those|So|That|Such|Which|Who|Whose|Why|How)\b")
# Largest share of such comments in a crate or package. A question as a title ("How a run ends") is fine.
LARGEST_SHARE = 0.03
_RUST_COMMENT = re.compile(r"(?:///|//!|//) (.*)")
_PYTHON_COMMENT = re.compile(r"# (.*)")
CRATES = sorted(path.name for path in (ROOT / "crates").iterdir())


def blocks(text, comment):
    """The first line of every block of comments, with its number."""
    inside = False
    for number, line in enumerate(text.splitlines(), 1):
        found = comment.match(line.strip())
        if found and not inside:
            yield number, found[1]
        inside = bool(found) or (inside and line.strip() in {"///", "//!", "//", "#"})


def docstrings(text):
    """The first line of every docstring, with its number."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            found = ast.get_docstring(node)
            if found:
                yield node.body[0].lineno, found.partition("\n")[0]


def tracked(pattern):
    listed = subprocess.run(
        ["git", "ls-files", pattern], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return [ROOT / name for name in listed.stdout.split() if (ROOT / name).is_file()]


def held(lines):
    """Fails if too many begin without a noun or a verb, and shows where."""
    lines = list(lines)
    riddles = [f"{place}: {text}" for place, text in lines if RIDDLE.match(text)]
    assert len(riddles) <= LARGEST_SHARE * len(lines), (
        f"{len(riddles)} of {len(lines)} comments begin without noun or verb:\n" + "\n".join(riddles)
    )


@pytest.mark.parametrize("crate", CRATES)
def test_comments_of_a_crate_begin_with_a_noun_or_a_verb(crate):
    held(
        (f"{file.relative_to(ROOT)}:{number}", text)
        for file in tracked(f"crates/{crate}/**.rs")
        for number, text in blocks(file.read_text(encoding="utf-8"), _RUST_COMMENT)
    )


def test_comments_and_docstrings_of_the_package_begin_with_a_noun_or_a_verb():
    held(
        (f"{file.relative_to(ROOT)}:{number}", line)
        for file in tracked("python/tailrace/**.py")
        for text in [file.read_text(encoding="utf-8")]
        for number, line in [*blocks(text, _PYTHON_COMMENT), *docstrings(text)]
    )


def test_blocks_begin_once_and_riddles_are_found():
    text = "/// What it is,\n/// over two lines.\n///\n/// One.\nfn f() {}\n// Counts.\n"
    assert list(blocks(text, _RUST_COMMENT)) == [(1, "What it is,"), (6, "Counts.")]
    assert [bool(RIDDLE.match(line)) for _, line in blocks(text, _RUST_COMMENT)] == [True, False]
    assert list(docstrings('"""How."""\ndef f():\n    """Counts."""\n')) == [(1, "How."), (3, "Counts.")]
    with pytest.raises(AssertionError, match="1 of 1 comments"):
        held([("a.rs:1", "What it is.")])

"""TOML of the repository is TOML 1.0, which every reader takes; of a file that is not, `check` says so."""

import subprocess
import tomllib

import pages
import tailrace
from conftest import ROOT, command_line

SMALL = """name = "versions"
duration = "1 s"
host = [{ name = "a" }, { name = "b" }]
link = [{ between = ["a", "b"], rate = "1 Mbit/s", delay = "1 ms" }]
flow = [{ name = "f", from = "a", to = "b", transport = "tcp", app = "bulk" }]
"""
BROKEN = SMALL.replace('link = [{ between = ["a", "b"], ', 'link = [{ between = ["a", "b"],\n  ')


def _files(suffix):
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [ROOT / name for name in listed.splitlines() if name.endswith(suffix)]


def _blocks():
    for page in _files(".md"):
        for block in pages.blocks(page.read_text(encoding="utf-8")):
            if block.language == "toml":
                yield page, block.text


def test_every_file_and_every_block_is_read_by_tomllib():
    texts = [(path, path.read_text(encoding="utf-8")) for path in _files(".toml")]
    blocks = list(_blocks())
    assert len(blocks) > 20
    wrong = [(path.relative_to(ROOT), why) for path, text in [*texts, *blocks] if (why := _why_unread(text))]
    assert wrong == []


def _why_unread(text):
    """Why `tomllib` does not read a text; a list of lines to choose from is read line by line."""
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        if "overwrite" in str(error):
            return next(filter(None, map(_why_unread, text.splitlines())), None)
        return str(error)
    return None


def test_a_line_break_in_an_inline_table_is_warned_of(tmp_path):
    assert tailrace.Scenario(SMALL).warnings == []
    (found,) = tailrace.Scenario(BROKEN).warnings
    assert found.startswith("warning[newer-toml]") and "line 4" in found
    assert "on one line" in found
    assert tailrace.Scenario('allow = ["newer-toml"]\n' + BROKEN).warnings == []
    path = tmp_path / "broken.toml"
    path.write_text(BROKEN, encoding="utf-8")
    done = command_line("check", path, cwd=tmp_path)
    assert done.returncode == 0 and "newer-toml" in done.stderr


def test_what_is_built_in_python_is_toml_1_0():
    resolved = tailrace.Scenario(SMALL).to_toml()
    assert tomllib.loads(resolved)["name"] == "versions"
    assert tailrace.Scenario(resolved).warnings == []

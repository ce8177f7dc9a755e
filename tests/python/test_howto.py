"""The how-to pages are done as they stand: their scenario is saved, their commands are given."""

import re
import shlex
import subprocess
import sys

import pytest

from conftest import ROOT

PAGES = sorted(page for page in (ROOT / "docs" / "howto").glob("*.md") if page.name != "README.md")
SCENARIO = re.compile(r"`([\w-]+\.toml)`:\n\n```toml\n(.*?)```", re.DOTALL)
COMMANDS = re.compile(r"```sh\n(.*?)```", re.DOTALL)
ROWS = re.compile(r"^\| (?!---).*\|$", re.MULTILINE)
MOST_LINES = 30


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_can_be_followed_and_shows_what_comes_out(page, tmp_path):
    text = page.read_text(encoding="utf-8")
    ((name, scenario),) = SCENARIO.findall(text)
    assert scenario.count("\n") <= MOST_LINES
    (tmp_path / name).write_text(scenario)
    (commands,) = COMMANDS.findall(text)
    for command in commands.splitlines():
        program, *arguments = shlex.split(command)
        assert program == "tailrace"
        done = subprocess.run(
            [sys.executable, "-m", "tailrace", *arguments, "-q"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
    (table,) = tmp_path.glob("results/*/table.md")
    assert ROWS.findall(text) == ROWS.findall(table.read_text(encoding="utf-8"))
    assert list(tmp_path.glob("results/*/figures/*.png"))

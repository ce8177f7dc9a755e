"""docs/reference/presets.md: every line there is a queue that can be used as it stands."""

import re
from pathlib import Path

import pytest

from conftest import SMALL, command_line

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "presets.md"
LINES = re.findall(r"^queue = (\{.*\})$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)


def test_the_page_has_lines_for_each_discipline_that_papers_name():
    kinds = {re.search(r'kind = "(\w+)"', line).group(1) for line in LINES}
    assert kinds == {"red", "blue", "sfb", "fred", "sfq", "droptail", "pi", "rem"}


@pytest.mark.parametrize("line", LINES)
def test_a_line_can_be_used_as_it_stands(line, tmp_path):
    file = tmp_path / "small.toml"
    file.write_text(SMALL)
    done = command_line("check", file, "--set", f"link.bottleneck.queue={line}", cwd=tmp_path)
    assert done.returncode == 0, done.stderr

"""The tutorial and the how-to pages are done as they stand: files are saved, commands given, outputs compared."""

import subprocess
import sys

import pytest

import pages
from conftest import ROOT

HOWTO = ROOT / "docs" / "howto"
PAGES = sorted(page for page in HOWTO.glob("*.md") if page.name != "README.md")
# A study of the how-to pages is short enough to be read at a glance.
MOST_LINES = 30
WITH_KERNELS = {"kernel-hosts"}


def test_the_tutorial_can_be_followed(tmp_path):
    pages.follow(ROOT / "docs" / "tutorial.md", tmp_path)
    assert (tmp_path / "results" / "rates" / "report.html").is_file()
    assert list((tmp_path / "results" / "rates" / "figures").glob("call.rtt*.png"))


def test_the_tutorial_begins_with_the_first_scenario_of_the_gallery():
    found = pages.blocks((ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8"))
    assert [b.text for b in found if b.name] == [
        (ROOT / "scenarios" / "hello.toml").read_text(encoding="utf-8")
    ]


def test_the_first_page_keeps_its_word(tmp_path):
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    found = pages.blocks(text)
    (scenario,) = [block for block in found if block.name]
    (commands,) = [block for block in found if block.language == "sh" and "tailrace run" in block.text]
    (table,) = [block for block in found if block.language == "text"]
    (program,) = [block for block in found if block.language == "python"]
    page = tmp_path / "page.md"
    written = [f"`{scenario.name}`:\n\n```toml\n{scenario.text}```", f"```python\n{program.text}```"]
    for command in commands.text.splitlines():
        written.append(f"```sh\n{command}\n```")
        if " compare " in command:
            written.append(f"```text\n{table.text}```")
    page.write_text("\n\n".join(written), encoding="utf-8")
    pages.follow(page, tmp_path)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_can_be_followed_and_shows_what_comes_out(page, tmp_path):
    if page.stem in WITH_KERNELS and not _kernels():
        pytest.skip("no Linux kernel is built: tailrace kernel build 6.12")
    text = page.read_text(encoding="utf-8")
    for block in pages.blocks(text):
        if "[sweep]" in block.text and block.name:
            assert block.text.count("\n") <= MOST_LINES
    if any(block.language == "sh" for block in pages.blocks(text)):
        pages.follow(page, tmp_path)


def test_the_list_names_every_page():
    listed = (HOWTO / "README.md").read_text(encoding="utf-8")
    assert [page.name for page in PAGES if f"]({page.name})" not in listed] == []


def _kernels() -> bool:
    command = [sys.executable, "-m", "tailrace", "kernel", "list", "--json"]
    return '"name"' in subprocess.run(command, capture_output=True, text=True, check=True).stdout

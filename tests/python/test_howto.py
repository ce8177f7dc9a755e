"""The tutorial and the how-to pages are done as they stand: files are saved, commands given, outputs compared."""

import re
import subprocess
import sys

import pytest
from PIL import Image

import pages
from conftest import ROOT
from queue_docs import page_figures

HOWTO = ROOT / "docs" / "howto"
PAGES = sorted(page for page in HOWTO.glob("*.md") if page.name != "README.md")
# A study of the how-to pages is short enough to be read at a glance.
MOST_LINES = 30
WITH_KERNELS = {"kernel-hosts"}
PICTURE = re.compile(r"!\[[^\]]*\]\(([^)]+)\)")
MAKE_PICTURES = "PYTHONPATH=tools python -m queue_docs page_figures"


def test_the_tutorial_can_be_followed(tmp_path):
    pages.follow(ROOT / "docs" / "tutorial.md", tmp_path)
    assert (tmp_path / "results" / "rates" / "report.html").is_file()
    assert list((tmp_path / "results" / "rates" / "figures").glob("call.rtt*.png"))
    _pictures_are_drawn_now("tutorial.md", tmp_path)


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
    _pictures_are_drawn_now(f"howto/{page.name}", tmp_path)


@pytest.mark.parametrize("picture", page_figures.PICTURES, ids=lambda picture: picture.file)
def test_a_picture_is_of_the_data_of_the_table_beside_it(picture):
    assert picture.recorded() == picture.beside(), f"docs/{picture.file} is of other data: {MAKE_PICTURES}"


def test_every_picture_of_a_page_that_is_done_has_its_maker():
    shown = {
        (page.parent / name).resolve().relative_to(ROOT / "docs").as_posix()
        for page in [*PAGES, ROOT / "docs" / "tutorial.md"]
        for name in PICTURE.findall(page.read_text(encoding="utf-8"))
    }
    assert shown == {picture.file for picture in page_figures.PICTURES}


def test_a_picture_of_other_data_is_seen(tmp_path):
    svg, png = (
        next(each for each in page_figures.PICTURES if each.path.suffix == kind) for kind in (".svg", ".png")
    )
    assert page_figures.differs(svg, svg.path) == ""
    assert page_figures.differs(png, png.path) == ""
    marker = re.compile(r'(<use [^>]*y=")(\d+)')
    moved = tmp_path / "moved.svg"
    moved.write_text(marker.sub(lambda at: f"{at[1]}{int(at[2]) + 2}", svg.path.read_text("utf-8")), "utf-8")
    assert "2.0 pt away" in page_figures.differs(svg, moved)
    with Image.open(png.path) as image:
        image.transpose(Image.Transpose.FLIP_TOP_BOTTOM).save(tmp_path / "moved.png")
    assert "pixels differ" in page_figures.differs(png, tmp_path / "moved.png")


def test_the_list_names_every_page():
    listed = (HOWTO / "README.md").read_text(encoding="utf-8")
    assert [page.name for page in PAGES if f"]({page.name})" not in listed] == []


def _pictures_are_drawn_now(page: str, folder):
    """Holds the page's committed pictures against those that its commands have drawn in a folder."""
    for picture in page_figures.PICTURES:
        if picture.page == page:
            found = page_figures.differs(picture, picture.of(folder))
            assert found == "", f"docs/{picture.file}: {found}: {MAKE_PICTURES}"


def _kernels() -> bool:
    command = [sys.executable, "-m", "tailrace", "kernel", "list", "--json"]
    return '"name"' in subprocess.run(command, capture_output=True, text=True, check=True).stdout

"""The site: links that lead somewhere, pages that can be found, references that say what the program says."""

import re

import pytest

import tailrace
from conftest import ROOT
from queue_docs import commands, python_names, reference
from site_docs import check, links, stage

DOCS = ROOT / "docs"


@pytest.mark.generated
def test_the_references_say_what_the_program_says():
    for path, text in reference.texts().items():
        assert path.read_text(encoding="utf-8") == text, "`make docs` writes it"
    assert sorted(reference.PLACE.glob("*.md")) == sorted(reference.texts())
    assert commands.PAGE.read_text(encoding="utf-8") == commands.text(), "`make docs` writes it"


def test_the_page_of_the_package_lists_every_name_with_a_line():
    page = python_names.PAGE.read_text(encoding="utf-8")
    named = [name for name in tailrace.__all__ if name != "__version__"]
    assert sorted(python_names.names()) == sorted(named)
    readable = re.sub(r"```\{eval-rst\}.*?```", "", page, flags=re.DOTALL)
    rows = dict(re.findall(r"^\| `([\w.]+)[^|]*` \| (.*) \|$", readable, re.MULTILINE))
    assert [name for name in named if len(rows.get(f"tailrace.{name}", "")) < 10] == []
    lists = readable.split("\nOf a `")[1:]
    described = [getattr(tailrace, one.partition("`")[0]) for one in lists]
    assert {tailrace.Result, tailrace.Sweep, tailrace.Comparison, tailrace.Scenario} <= set(described)


@pytest.mark.generated
def test_the_lists_of_names_are_those_of_the_package():
    assert python_names.PAGE.read_text(encoding="utf-8") == python_names.text(), "`make docs` writes it"


def test_every_link_of_the_pages_leads_to_a_file_and_every_page_can_be_reached(tmp_path):
    laid_out = stage.Stage(tmp_path)
    laid_out.write()
    trees = re.compile(r"```\{toctree\}\n(.*?)```", re.DOTALL)
    reached = set()
    for page in tmp_path.rglob("*.md"):
        for tree in trees.findall(page.read_text(encoding="utf-8")):
            for line in tree.splitlines():
                if line and not line.startswith(":"):
                    name = re.sub(r".*<(.*)>", r"\1", line)
                    reached.add((page.parent / f"{name}.md").resolve())
    sources = [*DOCS.rglob("*.md"), *DOCS.rglob("*.ipynb")]
    wanted = {(tmp_path / laid_out.pages[path]).resolve() for path in sources}
    assert wanted - reached == {(tmp_path / "index.md").resolve()}


def test_a_link_that_leads_nowhere_is_told_with_its_line(tmp_path, monkeypatch):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "README.md").write_text("# Front\n\n`[code](a.md)`\n\n[gone](gone.md)\n")
    monkeypatch.setattr(stage, "ROOT", tmp_path)
    monkeypatch.setattr(stage, "DOCS", tmp_path / "docs")
    monkeypatch.setattr(stage, "OUTSIDE", {})
    with pytest.raises(stage.LinkError, match=r"docs/README\.md:5: the link 'gone\.md' leads to no file"):
        stage.Stage(tmp_path / "out").write()


def test_links_in_code_are_none():
    text = "[a](a.md) `[b](b.md)`\n```md\n[c](c.md)\n```\n[d](https://example.invalid) ![e](e.svg)\n[f](#f)"
    assert [(link.target, link.line) for link in links.found(text)] == [("a.md", 1), ("e.svg", 5), ("#f", 6)]


def test_the_check_of_the_site_finds_what_is_wrong(tmp_path, capsys):
    (tmp_path / "a.html").write_text(
        '<link rel="stylesheet" href="a.css"><script src="https://example.invalid/x.js"></script>'
        '<a href="b.html#here">1</a><a href="b.html#gone">2</a><a href="c.html">3</a>'
        '<a href="../up.html">4</a><a href="https://example.invalid">5</a>'
    )
    (tmp_path / "b.html").write_text('<p id="here">')
    (tmp_path / "a.css").write_text(
        "@import url('https://example.invalid/f.css'); p { background: url(p.png) }"
    )
    assert check.main(tmp_path) == 1
    assert capsys.readouterr().err.splitlines() == [
        "a.html:1: b.html#gone: no such place on the page",
        "a.html:1: c.html: no such file",
        "a.html:1: ../up.html: it leaves the site",
        "a.html:1: https://example.invalid/x.js: loaded from another host",
        "a.css: https://example.invalid/f.css: loaded from another host",
    ]


def test_the_version_to_cite_is_this_one():
    for page in ("CITATION.cff", "docs/cite.md"):
        assert tailrace.__version__ in (ROOT / page).read_text(encoding="utf-8")

"""Examples are part of the installation, and a start."""

from pathlib import Path

import pytest

import pages
from conftest import ROOT, command_line
from tailrace.cli.app import COMMANDS, application
from tailrace.errors import UsageError
from tailrace.scenario import examples


def test_all_scenarios_and_papers_of_the_repository_are_there():
    found = examples.all_examples()
    assert next(iter(found)) == "hello"
    gallery = {file.stem: file.read_bytes() for file in ROOT.glob("scenarios/*.toml")}
    pages_own = {
        Path(block.name).stem: block.text.encode()
        for page in (ROOT / "docs" / "howto").glob("*.md")
        for block in pages.blocks(page.read_text(encoding="utf-8"))
        if block.name.endswith(".toml") and "\nname = " in f"\n{block.text}"
    }
    assert {"parking-lot", "pulses", "phone", "bufferbloat"} <= set(pages_own)
    wanted = {**pages_own, **gallery}
    assert {e.name: e.files[f"{e.name}.toml"] for e in found.values() if not e.is_paper} == wanted
    papers = {folder.name for folder in ROOT.glob("papers/*") if (folder / "claims.toml").exists()}
    assert {e.name for e in found.values() if e.is_paper} == papers
    for name in papers:
        wanted = {
            p.name: p.read_bytes()
            for p in (ROOT / "papers" / name).iterdir()
            if p.suffix in {".toml", ".trace"}
        }
        assert found[name].files == wanted
    assert all(e.question for e in found.values())


def test_the_first_example_is_that_of_the_tutorial():
    assert examples.example("hello").text in (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")


def test_an_example_is_written_once_and_runs(tmp_path):
    for arguments in (
        ["init"],
        ["check", "hello.toml"],
        ["init", "scenarios/flood.toml", "-o", "sub/mine.toml"],
        ["init", "felix"],
    ):
        done = command_line(*arguments, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    assert (tmp_path / "sub/mine.toml").read_text() == (ROOT / "scenarios/flood.toml").read_text()
    # A scenario finds the files that it names beside it.
    assert command_line("check", "felix/hetnet.toml", cwd=tmp_path).returncode == 0
    (tmp_path / "hello.toml").write_text("mine")
    again = command_line("init", "hello", cwd=tmp_path)
    assert (again.returncode, again.stdout) == (2, "")
    assert "hello.toml is there already; -o names another place" in again.stderr
    assert (tmp_path / "hello.toml").read_text() == "mine"


def test_long_names_have_short_ones_that_one_can_type(tmp_path):
    found = examples.all_examples()
    shorts = [e.short for e in found.values()]
    assert len(set(shorts)) == len(shorts)
    assert all(len(short) <= 24 for short in shorts)
    assert set(examples.SHORT) <= set(found)
    assert not set(examples.SHORT.values()) & set(found)
    done = command_line("init", "link-failure", cwd=tmp_path)
    assert (done.stdout, done.returncode) == ("link-failure.toml\n", 0)
    long = "how-fast-does-tcp-recover-from-a-link-failure"
    assert (tmp_path / "link-failure.toml").read_bytes() == found[long].files[f"{long}.toml"]
    listed = command_line("example", "list", cwd=tmp_path).stdout
    assert "\nlink-failure " in listed
    assert "\nparking-lot " in listed


def test_the_scenario_of_a_how_to_page_is_written_and_checks(tmp_path):
    for name in ("parking-lot", "pulses"):
        assert command_line("init", name, cwd=tmp_path).returncode == 0
        assert command_line("check", f"{name}.toml", cwd=tmp_path).returncode == 0


def test_a_name_that_is_none_is_told_the_nearest(tmp_path):
    with pytest.raises(UsageError, match="no example 'floot'; did you mean flood"):
        examples.example("floot")
    done = command_line("example", "show", "nothing-like-it", cwd=tmp_path)
    assert done.returncode == 2
    assert "`tailrace example list` shows all" in done.stderr


def test_papers_are_found_where_no_folder_of_theirs_is(tmp_path):
    done = command_line("reproduce", "kochher", "--dry-run", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "kochher: " in done.stdout + done.stderr
    assert list(Path(tmp_path).iterdir()) == []


def test_commands_say_of_themselves_what_the_overview_says():
    import typer.main

    found = typer.main.get_command(application()).commands
    assert {
        name: (command.help or "").split("\n\n")[0].replace("\n", " ") for name, command in found.items()
    } == {name: does for name, (_, does) in COMMANDS.items()}

"""Files of others where a command writes: they stay, unless the user says otherwise."""

from __future__ import annotations

import pytest

import tailrace
from conftest import SMALL, command_line


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    place = tmp_path_factory.mktemp("others") / "r"
    return tailrace.run(SMALL, runs=1).save(place)


def refused(*words, cwd):
    done = command_line(*words, cwd=cwd)
    assert done.returncode == 2, done.stdout + done.stderr
    assert "stays as it is: --force replaces it" in done.stderr
    return done.stderr


def test_a_figure_that_tailrace_has_not_drawn_stays(saved, tmp_path):
    own = tmp_path / "shown" / "queue.png"
    own.parent.mkdir()
    own.write_bytes(b"mine")
    words = ("plot", saved, "-o", "shown", "--figures", "queue,goodput", "--format", "png,svg,pdf")
    assert "shown/queue.png is no figure that tailrace has drawn" in refused(*words, cwd=tmp_path)
    assert [file.name for file in own.parent.iterdir()] == ["queue.png"]
    assert command_line(*words, "--force", cwd=tmp_path).returncode == 0
    assert own.read_bytes() != b"mine"
    # Figures that it has drawn are drawn anew, whatever they show.
    done = command_line(*words, "--no-title", cwd=tmp_path)
    assert done.returncode == 0, done.stderr


def test_an_archive_takes_the_place_of_a_bundle_alone(saved, tmp_path):
    own = tmp_path / "bundle.tar.gz"
    own.write_bytes(b"mine")
    refused("bundle", saved, cwd=tmp_path)
    assert own.read_bytes() == b"mine"
    assert command_line("bundle", saved, "--force", cwd=tmp_path).returncode == 0
    assert command_line("bundle", saved, "--all", cwd=tmp_path).returncode == 0


def test_a_migrated_file_takes_the_place_of_none(tmp_path):
    (tmp_path / "a.toml").write_text(SMALL)
    (tmp_path / "b.toml").write_text("mine")
    refused("migrate", "a.toml", "-o", "b.toml", cwd=tmp_path)
    assert (tmp_path / "b.toml").read_text() == "mine"
    assert command_line("migrate", "a.toml", "-o", "b.toml", "--force", cwd=tmp_path).returncode == 0
    assert (tmp_path / "b.toml").read_text() == SMALL
    assert command_line("migrate", "a.toml", "-o", "./a.toml", cwd=tmp_path).returncode == 0

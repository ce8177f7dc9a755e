"""`tailrace migrate`: keys move, everything else of a file stays."""

import stat

import pytest

import tailrace
from conftest import SMALL, command_line

OLD = SMALL.replace('cc = "newreno" }', 'cc = "newreno", tso = true } # a comment', 1)
NEW = OLD.replace("tso", "behaviour.tso")


@pytest.fixture
def old(tmp_path):
    assert OLD.count("tso") == 1
    place = tmp_path / "old.toml"
    place.write_text(OLD, encoding="utf-8", newline="")
    return place


def test_check_names_the_new_place_and_the_command(old, tmp_path):
    done = command_line("check", old, cwd=tmp_path)
    assert done.returncode == 2
    assert "behaviour.tso = ..." in done.stderr and "tailrace migrate FILE" in done.stderr


def test_migrate_rewrites_the_file_in_place_with_its_mode(old, tmp_path):
    old.chmod(0o640)
    done = command_line("migrate", old, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "")
    assert "`behaviour` has tso" in done.stderr
    assert old.read_text(encoding="utf-8") == NEW
    assert stat.S_IMODE(old.stat().st_mode) == 0o640
    assert [path.name for path in tmp_path.iterdir()] == ["old.toml"]
    assert tailrace.Scenario.of(old)
    again = command_line("migrate", old, cwd=tmp_path)
    assert again.returncode == 0 and "nothing to move" in again.stderr
    assert old.read_text(encoding="utf-8") == NEW


def test_migrate_with_diff_shows_changes_and_writes_nothing(old, tmp_path):
    done = command_line("migrate", old, "--diff", cwd=tmp_path)
    assert done.returncode == 1
    assert '-transport = { kind = "tcp", cc = "newreno", tso = true } # a comment\n' in done.stdout
    assert '+transport = { kind = "tcp", cc = "newreno", behaviour.tso = true } # a comment\n' in done.stdout
    assert old.read_text(encoding="utf-8") == OLD


def test_migrate_writes_elsewhere_and_from_stdin_to_stdout(old, tmp_path):
    assert command_line("migrate", old, "-o", "new.toml", cwd=tmp_path).returncode == 0
    assert (tmp_path / "new.toml").read_text(encoding="utf-8") == NEW
    assert old.read_text(encoding="utf-8") == OLD
    assert command_line("migrate", "-", "-q", cwd=tmp_path, input=OLD).stdout == NEW


def test_line_ends_stay(old, tmp_path):
    old.write_bytes(OLD.replace("\n", "\r\n").encode())
    assert command_line("migrate", old, "-q", cwd=tmp_path).returncode == 0
    assert old.read_bytes() == NEW.replace("\n", "\r\n").encode()


def test_a_file_that_is_no_toml_stays_and_others_are_migrated(old, tmp_path):
    broken = tmp_path / "broken.toml"
    broken.write_text("name = ", encoding="utf-8")
    done = command_line("migrate", broken, old, cwd=tmp_path)
    assert done.returncode == 2 and "broken.toml:1" in done.stderr
    assert broken.read_text(encoding="utf-8") == "name = "
    assert old.read_text(encoding="utf-8") == NEW

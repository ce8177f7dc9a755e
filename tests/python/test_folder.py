"""Result folders appear whole or not at all, and nothing else is ever overwritten."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tailrace import folder
from tailrace.errors import UsageError


def write(place, text):
    (place / folder.MANIFEST).write_text(text)


def test_a_folder_replaces_an_older_result_and_leaves_no_trace(tmp_path):
    target = tmp_path / "deep" / "result"
    for text in ("first", "second"):
        with folder.replacing(target) as fresh:
            write(fresh, text)
        assert (target / folder.MANIFEST).read_text() == text
    assert [path.name for path in target.parent.iterdir()] == ["result"]


def test_a_failure_leaves_the_old_result_untouched(tmp_path):
    target = tmp_path / "result"
    with folder.replacing(target) as fresh:
        write(fresh, "old")
    with pytest.raises(KeyboardInterrupt), folder.replacing(target) as fresh:
        write(fresh, "half")
        raise KeyboardInterrupt
    assert (target / folder.MANIFEST).read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["result"]


def test_other_peoples_files_are_not_overwritten(tmp_path):
    target = tmp_path / "thesis"
    target.mkdir()
    (target / "chapter1.tex").write_text("precious")
    with pytest.raises(UsageError, match="not a result"):
        folder.check_writable(target)
    with pytest.raises(UsageError, match="is a file"):
        folder.check_writable(target / "chapter1.tex")
    with pytest.raises(UsageError, match="not a folder"):
        folder.check_writable(target / "chapter1.tex" / "result")
    assert (target / "chapter1.tex").read_text() == "precious"


def test_an_empty_folder_may_be_filled(tmp_path):
    target = tmp_path / "empty"
    target.mkdir()
    with folder.replacing(target) as fresh:
        write(fresh, "new")
    assert (target / folder.MANIFEST).read_text() == "new"


def test_a_folder_that_cannot_be_written_is_refused_early():
    # /proc refuses new files even to root.
    if not Path("/proc/self").is_dir():
        pytest.skip("needs /proc")
    with pytest.raises(UsageError, match="cannot be written"):
        folder.check_writable(Path("/proc/self/result"))


def test_permissions_are_those_of_any_new_folder(tmp_path):
    with folder.replacing(tmp_path / "result") as fresh:
        write(fresh, "x")
    plain = tmp_path / "plain"
    plain.mkdir()
    assert (tmp_path / "result").stat().st_mode == plain.stat().st_mode


def test_of_several_at_once_each_ends_well_and_one_result_is_there(tmp_path):
    target = tmp_path / "result"

    def save(number):
        with folder.replacing(target) as fresh:
            write(fresh, f"{number}")

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(save, range(60)))
    assert (target / folder.MANIFEST).read_text().isdecimal()
    assert [path.name for path in tmp_path.iterdir()] == ["result"]

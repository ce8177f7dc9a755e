"""Result folders appear whole or not at all, and nothing but what Tailrace wrote is ever removed."""

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tailrace.errors import UsageError
from tailrace.system import atomic_folder, ownership, staging

KILLS = Path(__file__).parent / "kills.py"


def write(place, text):
    """What a result folder minimally is."""
    (place / "summary.json").write_text(text)
    (place / "captures").mkdir()
    (place / "captures" / "a.pcapng").write_text(text)
    ownership.seal(place, ownership.RESULT, {})


def save(target, text):
    with atomic_folder.replacing(target) as fresh:
        write(fresh, text)


def test_a_folder_replaces_an_older_result_and_leaves_no_trace(tmp_path):
    target = tmp_path / "deep" / "result"
    for text in ("first", "second"):
        save(target, text)
        assert (target / "summary.json").read_text() == text
    assert [path.name for path in target.parent.iterdir()] == ["result"]


def test_a_failure_leaves_the_old_result_untouched(tmp_path):
    target = tmp_path / "result"
    save(target, "old")
    with pytest.raises(KeyboardInterrupt), atomic_folder.replacing(target) as fresh:
        write(fresh, "half")
        raise KeyboardInterrupt
    assert (target / "summary.json").read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["result"]


def test_other_peoples_files_are_not_overwritten(tmp_path):
    target = tmp_path / "thesis"
    target.mkdir()
    (target / "chapter1.tex").write_text("precious")
    with pytest.raises(UsageError, match="not a result"):
        atomic_folder.check_writable(target)
    with pytest.raises(UsageError, match="is a file"):
        atomic_folder.check_writable(target / "chapter1.tex")
    with pytest.raises(UsageError, match="not a folder"):
        atomic_folder.check_writable(target / "chapter1.tex" / "result")
    assert (target / "chapter1.tex").read_text() == "precious"


@pytest.mark.parametrize(
    "manifest", ["{}", "[]", "{", '{"format": "web-extension"}', '{"variants": {}, "status": "complete"}']
)
def test_another_programs_manifest_makes_no_result_folder(tmp_path, manifest):
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "manifest.json").write_text(manifest)
    (tmp_path / "app" / "main.c").write_text("precious")
    with pytest.raises(UsageError, match="not a result"):
        save(tmp_path / "app", "new")
    assert {path.name for path in (tmp_path / "app").iterdir()} == {"manifest.json", "main.c"}


def test_a_later_versions_result_is_not_replaced(tmp_path):
    save(tmp_path / "result", "old")
    manifest = json.loads((tmp_path / "result" / "manifest.json").read_text())
    (tmp_path / "result" / "manifest.json").write_text(json.dumps({**manifest, "format_version": 99}))
    with pytest.raises(UsageError, match="later version"):
        save(tmp_path / "result", "new")


def test_what_a_user_put_into_a_result_moves_over_into_the_next(tmp_path):
    target = tmp_path / "result"
    save(target, "old")
    (target / "notes.txt").write_text("precious")
    (target / "captures" / "mine.pcapng").write_text("precious")
    (target / "thesis" / "img").mkdir(parents=True)
    (target / "thesis" / "img" / "plot.svg").write_text("precious")
    (target / "link").symlink_to(tmp_path)
    for text in ("new", "newer"):
        save(target, text)
        assert (target / "summary.json").read_text() == text
        for name in ("notes.txt", "captures/mine.pcapng", "thesis/img/plot.svg"):
            assert (target / name).read_text() == "precious"
        assert (target / "link").is_symlink()
    assert [path.name for path in tmp_path.iterdir()] == ["result"]


def test_a_users_file_that_has_the_name_of_a_new_one_is_kept_beside_it(tmp_path):
    target = tmp_path / "result"
    with atomic_folder.replacing(target) as fresh:
        ownership.seal(fresh, ownership.RESULT, {})
    (target / "summary.json").write_text("precious")
    save(target, "new")
    assert (target / "summary.json").read_text() == "new"
    assert (target / "summary.json.kept").read_text() == "precious"


def test_a_list_of_files_cannot_lead_out_of_the_folder(tmp_path):
    (tmp_path / "precious.txt").write_text("precious")
    save(tmp_path / "result", "old")
    about = json.loads((tmp_path / "result" / "manifest.json").read_text())
    outside = [*about["files"], "../precious.txt", str(tmp_path / "precious.txt")]
    (tmp_path / "result" / "manifest.json").write_text(json.dumps({**about, "files": outside}))
    save(tmp_path / "result", "new")
    assert (tmp_path / "precious.txt").read_text() == "precious"


def test_figures_drawn_later_belong_to_the_folder_but_their_namesakes_do_not(tmp_path):
    target = tmp_path / "result"
    save(target, "old")
    (target / "figures").mkdir()
    (target / "figures" / "queue.svg").write_text("precious")
    ownership.claim(target, ["figures/queue.svg", "figures/cwnd.svg"])
    for name in ("queue.svg", "cwnd.svg"):
        (target / "figures" / name).write_text("drawn")
    save(target, "new")
    assert [path.name for path in (target / "figures").iterdir()] == ["queue.svg.kept"]
    assert (target / "figures" / "queue.svg.kept").read_text() == "precious"


def test_an_empty_folder_may_be_filled(tmp_path):
    target = tmp_path / "empty"
    target.mkdir()
    save(target, "new")
    assert (target / "summary.json").read_text() == "new"


def test_a_link_to_a_folder_leads_to_the_new_result(tmp_path):
    (tmp_path / "disk").mkdir()
    (tmp_path / "latest").symlink_to(tmp_path / "disk" / "result")
    for text in ("old", "new"):
        save(tmp_path / "latest", text)
        assert (tmp_path / "latest").is_symlink()
        assert (tmp_path / "disk" / "result" / "summary.json").read_text() == text
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with pytest.raises(UsageError, match=r"loop cannot be written"):
        atomic_folder.check_writable(tmp_path / "loop")


def test_what_would_fail_at_the_end_is_refused_at_the_beginning(tmp_path, monkeypatch):
    with pytest.raises(UsageError, match="too long"):
        atomic_folder.check_writable(tmp_path / ("x" * 300))
    with pytest.raises(UsageError, match="a file system begins"):
        atomic_folder.check_writable("/")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="the folder you are in"):
        atomic_folder.check_writable(".")
    atomic_folder.check_writable(tmp_path / "not" / "yet" / "there")
    assert list(tmp_path.iterdir()) == []
    # /proc refuses new files even to root.
    if Path("/proc/self").is_dir():
        with pytest.raises(UsageError, match="cannot be written"):
            atomic_folder.check_writable(Path("/proc/self/result"))


def test_permissions_are_those_of_any_new_folder(tmp_path):
    save(tmp_path / "result", "x")
    plain = tmp_path / "plain"
    plain.mkdir()
    assert (tmp_path / "result").stat().st_mode == plain.stat().st_mode


@pytest.mark.parametrize("exchange", [True, False])
def test_of_several_at_once_each_ends_well_and_one_result_is_there(tmp_path, monkeypatch, exchange):
    if not exchange:
        monkeypatch.setattr(staging, "_exchanged", lambda *_: False)
    target = tmp_path / "result"
    save(target, "old")
    (target / "notes.txt").write_text("precious")
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: save(target, f"{number}"), range(60)))
    assert (target / "summary.json").read_text().isdecimal()
    assert (target / "notes.txt").read_text() == "precious"
    assert [path.name for path in tmp_path.iterdir()] == ["result"]


@pytest.mark.parametrize("way", ["exchange", "aside"])
def test_killed_at_any_step_of_saving_a_whole_result_stands_there(tmp_path, way):
    """Kills a saver at each of its file operations in turn: see kills.py."""
    done = subprocess.run(
        [sys.executable, KILLS, tmp_path, way], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    kills = int(done.stdout.split()[0])
    assert kills > 30


def test_a_work_folder_in_use_is_left_alone_and_a_users_folder_of_that_name_too(tmp_path):
    mine = tmp_path / ".tailrace-work-mine"
    mine.mkdir()
    (mine / "lock").write_text("precious")
    with staging.work(tmp_path, "result") as work:
        staging.clear(tmp_path)
        assert work.new.is_dir()
    staging.clear(tmp_path)
    assert list(tmp_path.iterdir()) == [mine]
    assert (mine / "lock").read_text() == "precious"

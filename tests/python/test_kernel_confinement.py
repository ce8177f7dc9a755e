"""Programs of hosts with kernels: the files of this machine that they see, and what takes the user's consent."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import tailrace
from conftest import ROOT, command_line
from tailrace.errors import ScenarioError, UsageError
from tailrace.kernels import confinement, kernel_store
from tailrace.stats import host_programs

PAIR = """
name = "pair"
duration = "3 s"
[[host]]
name = "a"
kernel = "KERNEL"
run = [{ command = '''COMMAND''' }]
FILES
[[host]]
name = "b"
[[link]]
between = ["a", "b"]
rate = "10 Mbit/s"
delay = "1 ms"
"""

# Root of the guest tries each way to files that it has not been given: by their names, by a root that it makes
# writable, and by a file system of the machine that it mounts itself (the name that 6.12 wants, and the one before).
MOUNT = "mkdir /tmp/m; mount -t hostfs a /tmp/m -o hostfs=host || mount -t hostfs a /tmp/m -o host"
TRIES = """
try() { what=$1; shift; if "$@" > /tmp/said 2>&1; then echo "$what: done"; else echo "$what: refused"; fi; }
try usr cat /usr/bin/env
try passwd cat /etc/passwd
try listing ls /etc
try scenario cat SCENARIO/data.txt
try own-folder sh -c 'echo x > /tmp/own/made && cat /tmp/own/made && rm /tmp/own/made'
try sources cat ROOT/Cargo.toml
try shadow cat /etc/shadow
try home ls HOME
try root-listing ls /
mount -o remount,rw /
try remounted-write sh -c 'echo x > SCENARIO/new'
try remounted-append sh -c 'echo x >> SCENARIO/data.txt'
MOUNT
mountpoint -q /tmp/m && echo "mounted again"
try secret cat /tmp/m/VICTIM
try victim-folder ls /tmp/m/PRIVATE
try write sh -c 'echo x > /tmp/m/VICTIM'
try append sh -c 'echo x >> /tmp/m/VICTIM'
try truncate truncate -s 0 /tmp/m/VICTIM
try chmod chmod 777 /tmp/m/VICTIM
try chown chown 12:12 /tmp/m/VICTIM
try times touch -d 2001-01-01 /tmp/m/VICTIM
try remove rm -f /tmp/m/VICTIM
try rename mv /tmp/m/VICTIM /tmp/own/stolen
try hard-link ln /tmp/m/VICTIM /tmp/own/linked
try symbolic-link ln -s VICTIM /tmp/own/link
try make sh -c 'echo x > /tmp/m/PRIVATE/new'
try make-folder mkdir /tmp/m/PRIVATE/folder
try make-device mknod /tmp/own/disk b 8 0
try environment cat /tmp/m/proc/self/environ
try memory sh -c 'ls /tmp/m/dev/shm'
"""
ALLOWED = {"usr", "passwd", "listing", "scenario", "own-folder"}


@pytest.fixture
def place(tmp_path):
    """A folder for a scenario, beside one with a file that is none of its business."""
    private, lab = tmp_path / "private", tmp_path / "lab"
    private.mkdir()
    lab.mkdir()
    (private / "victim").write_text("mine\n")
    (lab / "data.txt").write_text("ours\n")
    return lab


def scenario(place: Path, kernel: str, command: str, files: str = "") -> tailrace.Scenario:
    file = place / "pair.toml"
    text = PAIR.replace("KERNEL", kernel).replace("COMMAND", command).replace("FILES", files)
    file.write_text(text, encoding="utf-8")
    return tailrace.Scenario.of(file)


def ran(of: tailrace.Scenario) -> dict[str, object]:
    return tailrace.run(of).summary["runs"][0]["programs"][0]


def test_a_guest_reads_what_it_was_given_and_writes_nothing_of_the_machines(place, kernel):
    victim = place.parent / "private" / "victim"
    names = {
        "MOUNT": MOUNT,
        "SCENARIO": place,
        "ROOT": ROOT,
        "HOME": Path.home(),
        "PRIVATE": victim.parent,
        "VICTIM": victim,
    }
    tries = TRIES
    for word, path in names.items():
        tries = tries.replace(word, str(path))
    (place / "tries.sh").write_text(tries)
    before, whole = victim.stat(), sorted(path.name for path in place.iterdir())
    said = str(ran(scenario(place, kernel, f"sh {place}/tries.sh"))["output"])
    lines = dict(line.split(": ") for line in said.splitlines() if line.endswith((": done", ": refused")))
    assert "mounted again" in said, said
    assert {what for what, how in lines.items() if how == "done"} == ALLOWED, said
    assert len(lines) == TRIES.count("\ntry "), said
    after = victim.stat()
    assert victim.read_text() == "mine\n"
    assert (place / "data.txt").read_text() == "ours\n"
    assert [path.name for path in victim.parent.iterdir()] == ["victim"]
    assert sorted([*whole, "pair.toml"]) == sorted(path.name for path in place.iterdir())
    same = ("st_mode", "st_uid", "st_gid", "st_mtime_ns", "st_nlink")
    assert [getattr(after, one) for one in same] == [getattr(before, one) for one in same]


def test_a_folder_that_is_named_is_read_with_consent(place, kernel, monkeypatch):
    tools = place.parent / "private"
    shutil.copy("/bin/echo", tools / "tool")
    asks = scenario(place, kernel, f"{tools}/tool hello", f'files = ["{tools}"]')
    with pytest.raises(UsageError, match=r"lies outside the scenario's folder.*trust_programs\(\)"):
        tailrace.run(asks)
    done = command_line("run", place / "pair.toml", cwd=place)
    assert done.returncode == 2
    assert "--trust-programs" in done.stderr
    assert "pair.toml:8" in done.stderr
    monkeypatch.setattr(confinement, "_trusted", True)
    assert ran(asks)["output"] == "hello\n"
    done = command_line("run", place / "pair.toml", "--trust-programs", cwd=place)
    assert done.returncode == 0, done.stderr
    # A path from where the scenario lies, below its folder, needs none.
    monkeypatch.setattr(confinement, "_trusted", False)
    shutil.copy("/bin/echo", place / "tool")
    assert ran(scenario(place, kernel, f"{place}/tool again", 'files = ["tool"]'))["output"] == "again\n"


def test_of_a_program_that_a_guest_does_not_see_it_is_said(place, kernel):
    tool = place.parent / "private" / "tool"
    shutil.copy("/bin/echo", tool)
    found = ran(scenario(place, kernel, f"{tool} hello"))
    assert found["exit_code"] == 127
    assert found["unseen_file"] == str(tool)
    [note] = host_programs.notes([{"programs": [found]}])
    assert f"guests do not see {tool}" in note
    assert "`files`" in note


def test_where_the_scenario_lies_makes_no_difference_to_its_numbers(place, kernel):
    text = PAIR.replace("KERNEL", kernel).replace("COMMAND", "ping -c 3 -i 0.2 b").replace("FILES", "")
    of_file = tailrace.run(scenario(place, kernel, "ping -c 3 -i 0.2 b"))
    assert of_file.fingerprint == tailrace.run(tailrace.Scenario(text)).fingerprint


@pytest.mark.parametrize("folder", ["", "above"])
def test_home_is_no_folder_of_a_scenario(tmp_path, monkeypatch, folder):
    home = tmp_path / "above" / "user"
    home.mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    lies = home if not folder else home.parent
    assert confinement.readable(scenario(lies, "6.12", "true").native) == {"a": []}
    below = home / "lab"
    below.mkdir()
    assert confinement.readable(scenario(below, "6.12", "true").native) == {"a": [below]}


def test_without_landlock_programs_run_with_consent_alone(place, monkeypatch, kernel):
    def refused():
        raise OSError

    monkeypatch.setattr("tailrace.kernels.system_probe.landlock", refused)
    confinement.confines.cache_clear()
    try:
        with pytest.raises(UsageError, match=r"has no Landlock.*--trust-programs runs it all the same"):
            tailrace.run(scenario(place, kernel, "true"))
        monkeypatch.setenv("TAILRACE_TRUST_PROGRAMS", "1")
        # The launcher is told so, and confines nothing.
        outside = place.parent / "private" / "victim"
        found = ran(scenario(place, kernel, f"{MOUNT}; cat /tmp/m{outside}"))
        assert str(found["output"]).endswith("mine\n")
    finally:
        confinement.confines.cache_clear()


def test_a_kernel_that_was_not_built_here_takes_consent(place, kernel, monkeypatch):
    copy = place / "linux"
    shutil.copy2(kernel_store.find(kernel).path, copy)
    own = scenario(place, str(copy), "true")
    with pytest.raises(UsageError, match="is a program that the scenario names"):
        tailrace.run(own)
    done = command_line("run", place / "pair.toml", cwd=place)
    assert done.returncode == 2
    assert "no kernel that was built here" in done.stderr
    monkeypatch.setattr(confinement, "_trusted", True)
    assert ran(own)["exit_code"] == 0


def test_a_file_that_is_not_there_is_said(place, kernel):
    done = (
        command_line("run", "pair.toml", cwd=place)
        if scenario(place, kernel, "true", 'files = ["no"]')
        else None
    )
    assert done is not None
    assert done.returncode == 2
    assert f"there is no {place}/no" in done.stderr
    with pytest.raises(ScenarioError, match="a kernel has a /proc of its own"):
        scenario(place, kernel, "true", 'files = ["/proc/1"]')

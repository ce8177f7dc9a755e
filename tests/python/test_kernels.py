"""Kernels are built, kept, found and looked at; the source is a small one, whose `make` writes a script."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import tarfile
import time
import types
from pathlib import Path

import pytest

from conftest import ROOT, command_line
from tailrace.errors import UsageError
from tailrace.kernels import (
    boot_check,
    build_requirements,
    find,
    kernel_config,
    kernel_store,
    make,
    run_kernels,
    run_requirements,
    source_location,
    source_tree,
)

# `a.o` and `b.o` note that they were made; `b.o` waits while a file is there.
MAKEFILE = r"""
VERSION = 6
PATCHLEVEL = 12
SUBLEVEL = 7
EXTRAVERSION =
RELEASE := $(VERSION).$(PATCHLEVEL).$(SUBLEVEL)$(EXTRAVERSION)

allnoconfig:
	@grep -v 'CONFIG_HZ$(if $(LOSE),\|$(LOSE))=' $(KCONFIG_ALLCONFIG) > .config
	@awk '/config HZ/ { hz = 1 } hz && /default/ { print "CONFIG_HZ=" $$2; exit }' $(KBUILD_KCONFIG) >> .config
mrproper:
	@rm -f linux a.o b.o .config
a.o:
	@echo "  CC      $@"; echo $@ >> $(NOTES); touch $@
b.o: a.o
	@echo "  CC      $@"
	@[ ! -e $(HOLD) ] || { echo $$$$ > $(HOLD).new; mv $(HOLD).new $(HOLD).pid; exec sleep 600; }
	@echo $@ >> $(NOTES); $(if $(BREAK),echo it is broken; exit 1,touch $@)
linux: b.o
	@echo '#!/bin/sh' > $@; echo '# Linux version $(RELEASE) ($(ARCH) $(KBUILD_BUILD_USER))' >> $@
	@echo '[ $$1 = --version ] && echo $(RELEASE)' >> $@; echo '[ $$1 = --showconfig ] && cat <<END' >> $@
	@{ cat .config; echo END; echo 'exit 0'; } >> $@; chmod +x $@
"""
FILES = {"Makefile": MAKEFILE, "Kconfig": 'mainmenu "Linux"\nsource "arch/um/Kconfig"\n'}
FILES |= {"arch/um/Kconfig": "config HZ\n\tint\n\tdefault 100\n"}


def archive(path: Path, files: dict[str, str] = FILES, top: str = "linux-6.12.7") -> Path:
    with tarfile.open(path, "w:gz") as made:
        for name, text in files.items():
            member = tarfile.TarInfo(f"{top}/{name}")
            member.size = len(text.encode())
            made.addfile(member, io.BytesIO(text.encode()))
    return path


class Bench:
    """A machine with all that a build needs, and with a shelf of its own."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.shelf = place / "kernels"
        self.source = archive(place / "linux-6.12.7.tar.gz")
        self.tools = place / "bin"
        self.tools.mkdir()
        for tool in ("gcc", "ld", "flex", "bison", "bc", "xz"):
            self.tool(tool, f"echo {tool} of a test 1.0")
        self.notes = place / "notes"
        self.hold = place / "hold"

    def tool(self, name: str, script: str) -> Path:
        path = self.tools / name
        path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        path.chmod(0o755)
        return path

    def environment(self, **variables: str) -> dict[str, str]:
        path = f"{self.tools}:{os.environ['PATH']}"
        mine = {"TAILRACE_KERNELS": str(self.shelf), "NOTES": str(self.notes), "HOLD": str(self.hold)}
        return mine | {"PATH": path, "TAILRACE_AGENT": ""} | variables

    def run(self, *arguments: object, **variables: str) -> subprocess.CompletedProcess[str]:
        return command_line("kernel", *arguments, cwd=self.place, environment=self.environment(**variables))

    def build(self, *more: object, **variables: str) -> subprocess.CompletedProcess[str]:
        return self.run("build", "6.12", "--source", self.source, *more, **variables)

    def held_build(self) -> subprocess.Popen[str]:
        """A build that has come as far as `b.o`, and waits there."""
        self.hold.touch()
        process = subprocess.Popen(
            [sys.executable, "-m", "tailrace", "kernel", "build", "6.12", "--source", str(self.source)],
            env=os.environ | self.environment(),
            stderr=subprocess.PIPE,
            text=True,
        )
        until(lambda: Path(f"{self.hold}.pid").exists() or process.poll() is not None)
        assert process.poll() is None, process.stderr.read()
        self.hold.unlink()
        return process

    @property
    def compiler(self) -> int:
        return int(Path(f"{self.hold}.pid").read_text(encoding="utf-8"))

    @property
    def made(self) -> list[str]:
        return self.notes.read_text(encoding="utf-8").split()

    @property
    def left(self) -> list[str]:
        """What is on the shelf beside the lock."""
        return sorted(path.name for path in self.shelf.iterdir() if not path.name.endswith(".lock"))


def until(met) -> None:
    for _ in range(3000):
        if met():
            return
        time.sleep(0.02)
    raise AssertionError("it never came")


def lives(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text(encoding="utf-8")
    except OSError:
        return False
    return state.rpartition(")")[2].split()[0] not in "ZX"


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


@pytest.fixture
def here(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """The shelf of the bench is that of this process, too."""
    monkeypatch.setenv("TAILRACE_KERNELS", str(bench.shelf))
    monkeypatch.delenv("TAILRACE_AGENT", raising=False)
    return bench


def test_a_kernel_is_built_kept_by_its_hash_and_nothing_else_stays(here):
    before = here.source.read_bytes()
    done = here.build()
    assert done.returncode == 0, done.stderr
    (name,) = here.left
    kernel = find("6.12")
    assert (kernel.name, kernel.version, name) == ("6.12", "6.12.7", f"6.12.7-{kernel.sha256[:12]}")
    assert kernel.path == here.shelf / name / "linux"
    assert kernel.sha256 == kernel_store.digest(kernel.path)
    assert kernel.source_sha256 == kernel_store.digest(here.source)
    assert kernel.compiler == "gcc of a test 1.0"
    assert kernel.config_sha256 == kernel_config.wanted().sha256
    assert str(kernel.path) in done.stdout
    assert here.source.read_bytes() == before
    # Who built it is not in it, and the ticks are those of the options, not of the source.
    text = kernel.path.read_text(encoding="utf-8")
    assert "(um tailrace)" in text
    assert "CONFIG_HZ=1000" in text


def test_what_was_built_of_the_same_is_not_built_again_but_when_asked(bench):
    first, again, anew = bench.build(), bench.build(), bench.build("--fresh")
    assert [done.returncode for done in (first, again, anew)] == [0, 0, 0]
    assert first.stdout == again.stdout == anew.stdout
    assert "built of this before" in again.stderr
    assert bench.made == ["a.o", "b.o"] * 2
    # Of another compiler it is another kernel.
    bench.tool("gcc", "echo a later one")
    assert "built of this before" not in bench.build().stderr
    assert bench.made == ["a.o", "b.o"] * 3


def test_quiet_says_nothing(bench):
    assert bench.build("--quiet").stderr == ""


def test_the_callers_variables_for_make_do_not_reach_it(bench):
    done = bench.build(MAKEFLAGS="-n", KBUILD_BUILD_USER="me", ARCH="arm", KBUILD_KCONFIG="/nowhere")
    assert done.returncode == 0, done.stderr


def test_a_folder_is_copied_and_stays_as_it_is(here):
    tree = here.place / "tree"
    for name, text in FILES.items():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text(text, encoding="utf-8")
    (tree / "a.o").write_text("of another build", encoding="utf-8")
    (tree / ".git").mkdir()
    before = sorted(path.name for path in tree.rglob("*"))
    done = here.run("build", "6.12", "--source", "tree")
    assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in tree.rglob("*")) == before
    assert here.made == ["a.o", "b.o"]
    first = find("6.12")
    # A change of the folder is another source.
    (tree / "Makefile").write_text(MAKEFILE.replace("SUBLEVEL = 7", "SUBLEVEL = 8"), encoding="utf-8")
    assert here.run("build", "6.12", "--source", "tree").returncode == 0
    assert find("6.12").version == "6.12.8"
    assert find("6.12").source_sha256 != first.source_sha256


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_build_ends_its_compilers_and_goes_on_later(bench, number):
    process = bench.held_build()
    process.send_signal(number)
    assert process.wait(60) == 130
    process.stderr.close()
    assert not lives(bench.compiler)
    assert bench.left == [".build-6.12"]
    done = bench.build()
    assert done.returncode == 0, done.stderr
    assert "going on" in done.stderr
    assert bench.made == ["a.o", "b.o"]
    assert [name[:7] for name in bench.left] == ["6.12.7-"]


def test_two_builds_exclude_each_other_even_where_the_first_was_killed_and_its_compilers_were_not(bench):
    process = bench.held_build()
    second = bench.build()
    assert second.returncode == 2
    assert f"being written by process {process.pid}" in second.stderr
    process.kill()
    process.communicate()
    assert lives(bench.compiler)
    assert bench.build().returncode == 2
    os.kill(bench.compiler, signal.SIGKILL)
    until(lambda: bench.build().returncode == 0)
    assert bench.made == ["a.o", "b.o"]


def test_what_was_half_unpacked_or_of_another_source_is_not_gone_on_with(bench):
    process = bench.held_build()
    process.send_signal(signal.SIGINT)
    process.communicate()
    archive(bench.source, FILES | {"new": "changed"})
    done = bench.build()
    assert (done.returncode, "going on" in done.stderr) == (0, False)
    assert bench.made == ["a.o", "a.o", "b.o"]
    (bench.shelf / ".build-6.12" / "source").mkdir(parents=True)
    done = bench.build("--fresh")
    assert (done.returncode, "going on" in done.stderr) == (0, False)


def test_what_a_build_left_when_it_had_ended_goes_with_the_next(bench):
    assert bench.build().returncode == 0
    (bench.shelf / ".build-6.12" / "source").mkdir(parents=True)
    assert bench.build().returncode == 0
    assert [name[:7] for name in bench.left] == ["6.12.7-"]


def test_what_is_half_removed_is_not_gone_on_with(tmp_path, monkeypatch):
    site = source_tree.Site("6.12", source_location.Source(tmp_path), tmp_path / "work", 0, print)
    site.work.mkdir()
    site.mark.write_text("{}", encoding="utf-8")

    def interrupted(*_arguments: object, **_options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(source_tree.shutil, "rmtree", interrupted)
    with pytest.raises(KeyboardInterrupt):
        site.clear()
    assert not site.mark.exists()


def test_a_build_that_was_begun_needs_no_more_room(tmp_path, monkeypatch):
    monkeypatch.setattr(
        build_requirements.shutil, "disk_usage", lambda _: types.SimpleNamespace(free=1 << 30)
    )
    build_requirements.prepare(tmp_path, source_location.Source(Path("/none.tar")), begun=True)
    with pytest.raises(UsageError, match=r"1\.0 GiB are free\. TAILRACE_KERNELS names another"):
        build_requirements.prepare(tmp_path, source_location.Source(Path("/none.tar")), begun=False)


def test_a_build_that_fails_shows_the_end_of_its_log_and_goes_on_when_the_cause_is_gone(bench):
    done = bench.build(BREAK="1")
    assert done.returncode == 1
    assert "make linux failed" in done.stderr
    assert "it is broken" in done.stderr
    assert str(bench.shelf / ".build-6.12" / "build.log") in done.stderr
    assert bench.build().returncode == 0
    assert bench.made == ["a.o", "b.o", "b.o"]


def test_an_option_that_hosts_need_and_the_version_does_not_take_is_an_error_that_names_it(bench):
    done = bench.build(LOSE="CONFIG_VIRTIO_UML")
    assert done.returncode == 1
    assert "does not take CONFIG_VIRTIO_UML=y" in done.stderr
    assert not bench.notes.exists()


def test_an_option_that_a_version_may_lack_is_said(bench):
    done = bench.build(LOSE="CONFIG_TCP_CONG_NV")
    assert done.returncode == 0
    assert "without CONFIG_TCP_CONG_NV=y" in done.stderr


def test_errors_name_the_place_and_what_to_do(bench):
    def error(*arguments: object, **variables: str) -> str:
        done = bench.run("build", *arguments, **variables)
        assert done.returncode == 2, done.stderr
        return done.stderr

    assert "linux-source-4.99" in error("4.99")
    assert "apt install linux-source-4.99" in error("4.99.1")
    assert "no version of Linux" in error("newest")
    assert "nowhere.tar.xz does not exist" in error("6.12", "--source", "nowhere.tar.xz")
    assert "is Linux 6.12.7, not 6.1" in error("6.1", "--source", bench.source)
    other = archive(bench.place / "other.tar.gz", {"Makefile": "all:\n"})
    assert f"{other} is no source of Linux" in error("6.12", "--source", other)
    torn = bench.place / "torn.tar.gz"
    torn.write_bytes(bench.source.read_bytes()[:300])
    assert f"{torn} cannot be unpacked" in error("6.12", "--source", torn)
    within = error("6.12", "--source", bench.place)
    assert "lies within the source" in within
    assert bench.left == []
    spaced = str(bench.place / "my kernels")
    assert "TAILRACE_KERNELS names another" in error(
        "6.12", "--source", bench.source, TAILRACE_KERNELS=spaced
    )
    barred = f"{bench.source}/kernels"
    assert "cannot be made" in error("6.12", "--source", bench.source, TAILRACE_KERNELS=barred)
    (bench.tools / "bison").unlink()
    few = bench.place / "few"
    few.mkdir()
    for tool in bench.tools.iterdir():
        (few / tool.name).symlink_to(tool)
    lacks = error("6.12", "--source", bench.source, PATH=str(few))
    assert "make, bison, tar" in lacks
    assert "apt install" in lacks


def test_the_source_is_found_where_distributions_put_it(tmp_path, monkeypatch):
    monkeypatch.setattr(source_location, "SYSTEM", tmp_path)
    there = tmp_path / "linux-source-6.12.tar.xz"
    there.touch()
    assert source_location.find("6.12", None).path == there
    assert source_location.find("6.12.7", None).path == there
    own = tmp_path / "linux-6.12.7"
    own.mkdir()
    assert source_location.find("6.12.7", None).path == own


def kept(place: Path, version: str, built: str, text: str = "") -> kernel_store.Kernel:
    place.mkdir(exist_ok=True)
    program = place / "new"
    program.write_text(f"#!/bin/sh\n# Linux version {version} ({text})\n", encoding="utf-8")
    program.chmod(0o755)
    return kernel_store.keep(program, {"version": version, "built": built})


def test_a_series_is_its_newest_version_and_every_kernel_has_a_name(here):
    day = "2026-11-2{}T10:00:00+00:00".format
    old = kept(here.shelf, "6.12.9", day(3))
    new = kept(here.shelf, "6.12.10", day(1))
    twin = kept(here.shelf, "6.12.10", day(2), "of another compiler")
    other = kept(here.shelf, "6.1.176", day(4))
    assert kernel_store.kernels() == [twin, new, old, other]
    names = kernel_store.names(kernel_store.kernels())
    assert names == ["6.12", "6.12.10", "6.12.9", "6.1"]
    assert find("6.12") == find("6.12.10") == twin
    assert find(new.sha256[:12]) == new


def test_list_gives_names_that_find_the_kernels(here):
    first, second = kept(here.shelf, "6.12.9", "2026-11-23T10:00:00+00:00"), kept(here.shelf, "6.1.2", "")
    rows = here.run("list").stdout.splitlines()
    assert rows[0].split()[:4] == ["name", "version", "sha256", "size"]
    assert rows[1].split()[:3] == ["6.12", "6.12.9", first.sha256[:12]]
    assert "2026-11-23 10:00" in rows[1]
    assert str(second.path) in rows[2]
    listed = json.loads(here.run("list", "--json").stdout)
    assert [entry["name"] for entry in listed] == ["6.12", "6.1"]
    assert listed[0]["sha256"] == first.sha256
    assert listed[0]["size"] == first.size
    assert here.run("list", TAILRACE_KERNELS=str(here.place / "none")).stdout == ""


def test_unknown_names_are_answered_with_what_there_is_and_the_command_that_builds(here):
    with pytest.raises(UsageError, match=r"there are: none. `tailrace kernel build 6.12` builds one"):
        find("mine")
    kept(here.shelf, "6.1.2", "")
    with pytest.raises(UsageError, match=r"no kernel '6.12'.*there are: 6.1. `tailrace kernel build 6.12`"):
        find("6.12")


def test_a_path_is_a_kernel_too_if_it_is_one(here):
    kernel = kept(here.shelf, "6.1.2", "")
    assert find(str(kernel.path)) == find(str(kernel.path.parent)) == kernel
    own = here.place / "own"
    own.write_bytes(b"\x7fELF\0Linux version %s (\0Linux version 6.6.1-mine+ (me@here) #1\0")
    with pytest.raises(UsageError, match="no kernel that can be run"):
        find(str(own))
    own.chmod(0o755)
    found = find(str(own))
    assert (found.name, found.version, found.sha256) == ("6.6", "6.6.1-mine+", kernel_store.digest(own))
    with pytest.raises(UsageError, match="no Linux kernel"):
        find("/bin/sh")
    with pytest.raises(UsageError, match="nowhere"):
        find("/nowhere/linux")


def test_a_kernel_that_was_changed_or_half_removed_is_none(here):
    kernel = kept(here.shelf, "6.1.2", "")
    kernel.path.write_text("#!/bin/sh\n# Linux version 6.1.2 (another)\n", encoding="utf-8")
    for name in ("6.1", str(kernel.path)):
        with pytest.raises(UsageError, match="not what was built"):
            find(name)
    assert kept(here.shelf, "6.1.2", "") == kernel == find("6.1")
    (kernel.path.parent / "build.json").write_text("[1]", encoding="utf-8")
    assert kernel_store.kernels() == []
    kernel.path.unlink()
    assert kernel_store.kernels() == []


def test_the_folder_is_the_users(monkeypatch, tmp_path):
    monkeypatch.delenv("TAILRACE_KERNELS", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    assert kernel_store.folder() == tmp_path / "data" / "tailrace" / "kernels"
    for ignored in ("", "relative"):
        monkeypatch.setenv("XDG_DATA_HOME", ignored)
        assert kernel_store.folder() == tmp_path / ".local" / "share" / "tailrace" / "kernels"
    monkeypatch.setenv("TAILRACE_KERNELS", "~/mine")
    assert kernel_store.folder() == tmp_path / "mine"


def test_check_says_what_a_kernel_is_and_boots_it_where_a_launcher_is(here, monkeypatch):
    monkeypatch.setattr(run_kernels, "AGENT", here.place / "none")
    assert here.build().returncode == 0
    found = {finding.what: finding for finding in boot_check.check(find("6.12"))}
    assert {what: finding.state for what, finding in found.items()} == {
        "kernel 6.12": "ok",
        "options": "ok",
        "boot": "FAIL",
    }
    assert "make build" in found["boot"].detail
    agent = here.tool("agent", "echo $@; echo; echo 'tailrace: booted 6.12.7'; cat")
    done = here.run("check", "6.12", TAILRACE_AGENT=str(agent))
    assert "it boots" in done.stdout
    done = here.run("check", "6.12", TAILRACE_AGENT=str(here.tool("agent", "echo no room")))
    assert done.returncode == 1
    assert "its last words: no room" in done.stdout


def test_check_knows_what_is_no_user_mode_linux_or_lacks_options(here):
    kernel = kept(here.shelf, "6.1.2", "")
    kernel.path.write_text("#!/bin/sh\nexit 3 # Linux version 6.1.2 ()\n", encoding="utf-8")
    said, lacking = boot_check.check(find_at(kernel.path, here.place / "copy"))
    assert (said.state, lacking.state) == ("FAIL", "FAIL")
    assert "CONFIG_VIRTIO_UML=y" in lacking.detail
    assert "tailrace kernel build 6.1" in said.detail


def test_check_tells_of_bytes_that_have_changed(here):
    kernel = kept(here.shelf, "6.1.2", "")
    with kernel.path.open("ab") as program:
        program.write(b"more")
    done = here.run("check")
    assert done.returncode == 1
    assert "is not what was built: its hash is another" in done.stdout


def find_at(program: Path, place: Path) -> kernel_store.Kernel:
    place.write_bytes(program.read_bytes())
    place.chmod(0o755)
    return find(str(place))


def test_check_without_a_kernel_fails_and_says_how_to_get_one(bench):
    bench.shelf.mkdir()
    done = bench.run("check", "--json")
    assert done.returncode == 1
    last = json.loads(done.stdout)[-1]
    assert (last["state"], last["what"]) == ("FAIL", "kernel")
    assert "tailrace kernel build 6.12" in last["detail"]


def test_each_thing_that_a_machine_lacks_has_its_remedy(monkeypatch):
    monkeypatch.setattr(run_requirements, "_tried", lambda what, *_: f"no {what}")
    states = {finding.what: finding for finding in run_requirements.check()}
    if states["system"].state == "ok":
        assert {what for what, finding in states.items() if finding.state == "FAIL"} == {
            "ptrace",
            "seccomp",
            "memfd",
            "memory",
        }
        assert "SYS_PTRACE" in states["ptrace"].detail
        assert "remount,exec" in states["memory"].detail
    monkeypatch.setattr(run_requirements.platform, "machine", lambda: "aarch64")
    (system,) = run_requirements.check()
    assert (system.state, "x86_64" in system.detail) == ("FAIL", True)


def test_what_is_tried_is_tried(tmp_path, monkeypatch):
    assert run_requirements._tried("memory", str(tmp_path / "nowhere")) == "No such file or directory"
    # A file of the system in which no code may be.
    assert run_requirements._tried("memory", "/proc/self") is not None
    monkeypatch.setattr(
        run_requirements.shutil, "disk_usage", lambda _: types.SimpleNamespace(free=200 << 20)
    )
    monkeypatch.setattr(run_requirements, "_tried", lambda *_: None)
    (little,) = run_requirements._memory()
    assert (little.state, "for 1 guests" in little.detail) == ("warning", True)


def test_every_option_is_said_once_and_ticks_are_put_before_the_kernels_own():
    wanted = kernel_config.wanted()
    lines = [line for line in wanted.text.splitlines() if line.startswith("CONFIG_")]
    assert len(lines) == len(wanted.required) + len(wanted.optional)
    assert "CONFIG_TCP_CONG_BBR" in wanted.optional
    assert wanted.lacking(wanted.text) == wanted.left_out(wanted.text) == []
    assert "CONFIG_IPV6=n" in wanted.lacking(wanted.text.replace("CONFIG_IPV6=n", "CONFIG_IPV6=y"))
    assert "CONFIG_IPV6=n" not in wanted.lacking("# CONFIG_IPV6 is not set")
    assert kernel_config.with_ticks('mainmenu "x"\nsource "y"\n').split("\n") == [
        'mainmenu "x"',
        "",
        "config HZ",
        "\tint",
        "\tdefault 1000",
        "",
        'source "y"',
        "",
    ]


def test_no_variable_of_another_make_is_handed_on(monkeypatch):
    for name in ("MAKEFLAGS", "MAKELEVEL", "KCONFIG_CONFIG", "KBUILD_OUTPUT", "LLVM", "CROSS_COMPILE"):
        monkeypatch.setenv(name, "x")
    given = make._environment({"KBUILD_KCONFIG": "mine"})
    assert {name for name, value in given.items() if value == "x"} == set()
    assert given["KBUILD_KCONFIG"] == "mine"


def test_kernels_cost_little_to_import():
    script = "import tailrace.kernels, sys; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert not {"numpy", "polars", "rich", "typer", "matplotlib"} & set(loaded.stdout.split())

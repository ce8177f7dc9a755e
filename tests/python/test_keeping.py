"""Ctrl-C and its kin, full disks, places that turn out to be taken: what has ended is kept."""

import json
import os
import re
import signal
import subprocess
import sys
import time

import pytest
import typer

import tailrace
from conftest import SMALL, command_line, started
from tailrace.cli import run
from tailrace.data import result


def interrupted(arguments, cwd, ready, number=signal.SIGINT):
    """Starts a run, sends a signal once `ready` shows on stderr, and waits for the end."""
    with started(arguments, cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        seen = ""
        while ready not in seen:
            line = process.stderr.readline()
            assert line, seen
            seen += line
        time.sleep(0.2)
        process.send_signal(number)
        _, rest = process.communicate(timeout=60)
        return process.returncode, seen + rest


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_keeps_the_runs_that_ended_and_exits_130(small_file, tmp_path, number):
    # The second variant would take hours: when the first has ended, Ctrl-C comes.
    code, err = interrupted(
        [
            "compare",
            str(small_file),
            "--set-each",
            "duration=2 s,1000000 s",
            "--runs",
            "1",
            "-j",
            "1",
            "-o",
            "kept",
        ],
        tmp_path,
        ready="took",
        number=number,
    )
    assert code == 130, err
    assert "Traceback" not in err
    manifest = json.loads((tmp_path / "kept" / "manifest.json").read_text())
    assert list(manifest["variants"]) == ["2 s"]
    assert manifest["status"] == "interrupted"
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_ctrl_c_before_anything_ended_writes_nothing(small_file, tmp_path):
    small_file.write_text(SMALL.replace('"6 s"', '"1000000 s"').replace("interval", "# interval"))
    arguments = ["run", small_file, "-o", "none"]
    with started(arguments, tmp_path, stderr=subprocess.PIPE) as process:
        time.sleep(3)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "nothing was written" in err
    assert "Traceback" not in err
    assert not (tmp_path / "none").exists()


def test_ctrl_c_while_drawing_says_what_is_kept(small_file, tmp_path):
    code, err = interrupted(["run", str(small_file), "-o", "kept"], tmp_path, ready="drawing")
    assert code == 130, err
    assert "the results are in kept" in err
    assert tailrace.Result.load(tmp_path / "kept").n == 3
    assert not any(path.name.startswith(".") for path in tmp_path.rglob("*"))


SWALLOWS = """
import os, signal, time, weakref
from tailrace.cli import signals

class Dies:
    pass

def callback(_):
    os.kill(os.getpid(), signal.SIGTERM)
    for _ in range(1000):
        pass

try:
    with signals.raising(), HELD as held:
        dies = Dies()
        reference = weakref.ref(dies, callback)
        del dies
        end = time.monotonic() + 20
        while time.monotonic() < end:
            time.sleep(0.01)
        print("went on")
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.parametrize("held", ["open(os.devnull)", "signals.Held()"])
def test_a_signal_within_a_callback_that_lets_no_exception_out_is_obeyed(tmp_path, held):
    program = SWALLOWS.replace("HELD", held)
    if "Held" in held:
        # The second one stops; the third would end the program at once.
        program = program.replace("        del dies\n", "        held.asked = 1\n        del dies\n")
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "interrupted\n", "")


ENDS = """
import os, signal, sys
from tailrace.cli import main

class AtTheEnd:
    def __init__(self):
        self.kill, self.pid, self.number = os.kill, os.getpid(), signal.NAME

    def __del__(self):
        self.kill(self.pid, self.number)

sys.argv, sys.kept = ["tailrace", "--version"], AtTheEnd()
main()
"""


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_a_signal_after_all_is_done_leaves_the_exit_code(tmp_path, name):
    # Modules are torn down after the interpreter has given handlers back to the system.
    done = subprocess.run(
        [sys.executable, "-c", ENDS.replace("NAME", name)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


# Not right after `tailrace.cli` itself: until its `main` is called, Python's own start goes on.
@pytest.mark.parametrize("loaded", ["typing", "tailrace.errors", "typer.main", "tailrace.cli.common"])
def test_ctrl_c_while_the_program_loads_is_no_traceback(tmp_path, loaded):
    before = ["/bin/sh", "-c", 'PYTHONPROFILEIMPORTTIME=1 exec "$@"', "sh"]
    with started(["list"], tmp_path, before, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        while loaded not in process.stderr.readline():
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "interrupted" in err
    assert "Traceback" not in err


def test_what_nohup_ignores_stays_ignored(small_file, tmp_path):
    arguments = ["compare", str(small_file), "--set-each", "duration=2 s,60 s", "-j", "1", "--json", "-q"]
    before = ["/bin/sh", "-c", 'trap "" HUP; exec "$@"', "sh"]
    with started(arguments, tmp_path, before, stdout=subprocess.PIPE) as process:
        time.sleep(1)
        process.send_signal(signal.SIGHUP)
        out, _ = process.communicate(timeout=120)
    assert process.returncode == 0
    assert set(json.loads(out)["variants"]) == {"2 s", "60 s"}


def test_what_has_ended_is_kept_when_the_terminal_is_closed(small_file, tmp_path):
    ours, theirs = os.openpty()
    arguments = [
        "compare", str(small_file), "--set-each", "duration=2 s,1000000 s", "--runs", "1", "-j", "1", "-o", "kept",
    ]  # fmt: skip
    # The first terminal that a new session opens is its own.
    script = f'exec "$@" <>{os.ttyname(theirs)} >&0 2>&0'
    before = ["/bin/sh", "-c", script, "sh"]
    with started(arguments, tmp_path, before, start_new_session=True) as process:
        seen = b""
        while b" 50 %" not in seen:
            seen += os.read(ours, 4096)
        os.close(theirs)
        os.close(ours)
        assert process.wait(timeout=60) == 130
    assert list(tailrace.Comparison.load(tmp_path / "kept")) == ["2 s"]


def run_here(file, target):
    """The command in this process; its exit code."""
    try:
        run.run(str(file), output=target, no_plots=True)
    except typer.Exit as end:
        return end.exit_code
    return 0


def interrupting(monkeypatch, place, name, times):
    """Lets a function be interrupted at its beginning, so many times."""
    real = getattr(place, name)

    def interrupted(*arguments, **options):
        for _ in range(times):
            os.kill(os.getpid(), signal.SIGINT)
        return real(*arguments, **options)

    monkeypatch.setattr(place, name, interrupted)


@pytest.mark.parametrize("step", [(result.statistics, "aggregate"), (result.Result, "write_into")])
def test_ctrl_c_between_the_last_run_and_the_end_of_saving_loses_nothing(
    small, small_file, tmp_path, monkeypatch, capfd, step
):
    interrupting(monkeypatch, *step, times=1)
    assert run_here(small_file, tmp_path / "kept") == 130
    kept = tailrace.Result.load(tmp_path / "kept")
    assert (kept.fingerprint, kept.manifest["status"]) == (small.fingerprint, "complete")
    assert "all runs had finished and are kept" in capfd.readouterr().err


def test_ctrl_c_twice_while_saving_leaves_the_old_result(small, small_file, tmp_path, monkeypatch):
    small.save(tmp_path / "kept")
    with monkeypatch.context() as patched:
        interrupting(patched, result.Result, "write_into", times=2)
        assert run_here(small_file, tmp_path / "kept") == 130
    assert tailrace.Result.load(tmp_path / "kept").fingerprint == small.fingerprint
    assert {path.name for path in tmp_path.iterdir()} == {"kept", "small.toml"}
    (tmp_path / "kept").rename(tmp_path / "old")
    with monkeypatch.context() as patched:
        interrupting(patched, result.Result, "write_into", times=2)
        assert run_here(small_file, tmp_path / "kept") == 130
    assert {path.name for path in tmp_path.iterdir()} == {"kept.unfinished", "old", "small.toml"}
    assert run_here(small_file, tmp_path / "kept") == 0
    assert {path.name for path in tmp_path.iterdir()} == {"kept", "old", "small.toml"}


@pytest.fixture
def tiny_disk(tmp_path):
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=512k", "none", str(place)]
    try:
        subprocess.run(mount, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("needs the right to mount a small file system: a full disk is not tried")
    yield place
    subprocess.run(["umount", "--lazy", str(place)], check=True)


def test_a_disk_that_fills_loses_neither_the_old_result_nor_the_new(small, small_file, tiny_disk, tmp_path):
    small.save(tiny_disk / "result")
    (tmp_path / "tmp").mkdir()
    done = command_line(
        "run", small_file, "--set", "record.interval=1 ms", "-o", tiny_disk / "result", cwd=tmp_path,
        environment={"TMPDIR": str(tmp_path / "tmp")}, process=True,
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    assert "No space left" in done.stderr
    assert "Traceback" not in done.stderr
    assert "goodput" in done.stdout
    assert len(tailrace.Result.load(tiny_disk / "result").flow_series) == len(small.flow_series)
    assert [path.name for path in tiny_disk.iterdir()] == ["result"]
    (rescued,) = (tmp_path / "tmp").glob("tailrace-*/result.kept")
    assert str(rescued) in done.stderr
    assert len(tailrace.Result.load(rescued).flow_series) > 10 * len(small.flow_series)


def test_a_full_disk_is_noticed_before_anything_is_run(small_file, tiny_disk, tmp_path):
    with pytest.raises(OSError, match="No space"), (tiny_disk / "big").open("wb") as big:
        while True:
            big.write(bytes(4096))
    done = command_line("run", small_file, "-o", tiny_disk / "result", cwd=tmp_path, process=True)
    assert done.returncode == 2
    assert "No space left" in done.stderr
    assert "took" not in done.stderr


def test_a_place_taken_meanwhile_is_left_alone_and_the_result_lies_beside_it(
    small, small_file, tmp_path, monkeypatch, capfd
):
    def taken(*arguments):
        (tmp_path / "thesis").mkdir()
        (tmp_path / "thesis" / "chapter1.tex").write_text("precious")
        return real(*arguments)

    real = run.result_runs.single
    monkeypatch.setattr(run.result_runs, "single", taken)
    assert run_here(small_file, tmp_path / "thesis") == 1
    assert [path.name for path in (tmp_path / "thesis").iterdir()] == ["chapter1.tex"]
    assert tailrace.Result.load(tmp_path / "thesis.kept").fingerprint == small.fingerprint
    assert "thesis.kept instead" in capfd.readouterr().err


def test_other_settings_have_another_folder(small_file, tmp_path):
    for options in ([], ["--set", "link.bottleneck.queue=red"], ["--runs", "1"], ["--set", "duration=5 s"]):
        done = command_line("run", small_file, "--no-plots", "-q", *options, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    each = ["--set-each", "link.bottleneck.queue=droptail,{ kind = 'red', ecn = true }"]
    assert command_line("compare", small_file, *each, "--no-plots", "-q", cwd=tmp_path).returncode == 0
    found = sorted(path.name for path in (tmp_path / "results").iterdir())
    assert found[:4] == ["small", "small--duration=5-s", "small--link.bottleneck.queue=red", "small--runs=1"]
    assert re.fullmatch(r"small-compare--queue=droptail,red-[0-9a-f]{6}", found[4])


def test_a_default_folder_with_long_values_has_their_first_words(small_file, tmp_path):
    tc = "droptail limit 500,cake bandwidth 18mbit besteffort dual-srchost nat,fq_codel limit 1000"
    each = ["--set-each", f"link.bottleneck.queue={tc}", "--set-each", "link.bottleneck.rate=1mbit,2mbit"]
    for more in ([], ["--set", "duration=3 s"]):
        done = command_line("compare", small_file, *each, *more, "--no-plots", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        places = re.findall(r" (?:plot|report|compare) (\S+)", done.stderr)
        folders = [place for place in places if place.startswith("results/")]
        assert len(folders) > 1
        assert max(map(len, folders)) <= 80
    first, second = sorted(path.name for path in (tmp_path / "results").iterdir())
    assert first != second
    assert all(len(name) <= 72 for name in (first, second))
    assert any(
        n.startswith("small-compare--queue=droptail,cake,fq_codel--rate=1mbit,2mbit-")
        for n in (first, second)
    )


def test_a_changed_file_says_that_the_older_result_is_replaced(small_file, tmp_path):
    first = command_line("run", small_file, "--no-plots", "--runs", 1, cwd=tmp_path)
    again = command_line("run", small_file, "--no-plots", "--runs", 1, cwd=tmp_path)
    small_file.write_text(SMALL.replace("2 Mbit/s", "3 Mbit/s"))
    changed = command_line("run", small_file, "--no-plots", "--runs", 1, cwd=tmp_path)
    assert ["is replaced" in done.stderr for done in (first, again, changed)] == [False, False, True]


@pytest.mark.parametrize("name", ["網路", "Überlast", "x" * 400, "名" * 300])
def test_names_of_any_script_and_length_name_folders(small_file, tmp_path, name):
    small_file.write_text(SMALL.replace('"small"', f'"{name}"').replace('"6 s"', '"1 s"'))
    done = command_line("run", small_file, "--no-plots", "-q", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    (place,) = (tmp_path / "results").iterdir()
    assert place.name[:2] == name[:2]
    assert tailrace.Result.load(place).name == name

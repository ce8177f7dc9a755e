"""The command line as a process: what it prints where, exit codes, nothing half-written."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import tailrace
from conftest import KOCHHER, SMALL, command_line


def test_run_writes_a_folder_with_figures_and_prints_a_table(small, small_file, tmp_path):
    done = command_line("run", small_file, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    place = tmp_path / "results" / "small"
    names = {path.name for path in place.iterdir()}
    assert {
        "summary.json",
        "scenario.toml",
        "manifest.json",
        "flows.parquet",
        "queue_series.parquet",
    } <= names
    figures = {path.name for path in (place / "figures").iterdir()}
    assert figures == {
        f"{m}.{k}" for m in ("queue", "cwnd", "throughput", "delay", "jitter", "loss") for k in ("png", "svg")
    }
    assert tailrace.Result.load(place).fingerprint == small.fingerprint
    assert "goodput Mbit/s" in done.stdout
    assert "goodput" not in done.stderr
    assert "took" in done.stderr
    assert [path.name for path in place.parent.iterdir()] == ["small"]


def test_json_is_all_that_stdout_holds_and_no_folder_is_made(small, small_file, tmp_path):
    done = command_line("run", small_file, "--json", "-q", cwd=tmp_path)
    assert done.returncode == 0
    assert done.stderr == ""
    assert json.loads(done.stdout)["fingerprint"] == small.fingerprint
    assert not (tmp_path / "results").exists()


def test_options_override_the_file(small_file, tmp_path):
    done = command_line(
        "run", small_file, "--runs", 2, "--seed", 3, "--set", "duration=2 s",
        "--set", "link.bottleneck.queue=codel", "-j", 2, "-o", "out", "--no-plots", "-q", cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout == done.stderr == ""
    result = tailrace.Result.load(tmp_path / "out")
    assert (result.n, result.seed) == (2, 3)
    assert result.summary["runs"][0]["queues"]["r1->r2"]["kind"] == "codel"
    assert result.summary["runs"][0]["engine"]["simulated_s"] == pytest.approx(2.0)
    assert not (tmp_path / "out" / "figures").exists()


def test_a_scenario_comes_from_stdin(small, tmp_path):
    done = command_line("run", "-", "--json", "-q", cwd=tmp_path, input=SMALL)
    assert json.loads(done.stdout)["fingerprint"] == small.fingerprint


def test_a_dry_run_runs_nothing(small_file, tmp_path):
    done = command_line("run", small_file, "--dry-run", cwd=tmp_path)
    assert done.returncode == 0
    assert "3 runs of 6 s, seed 7" in done.stdout
    assert not (tmp_path / "results").exists()


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["run", "nowhere.toml"], "nowhere.toml"),
        (["run", "."], "folder"),
        (["run", "small.toml", "--set", "link"], "path=value"),
        (["run", "small.toml", "--set", "link.bottleneck.rate=0 bit/s"], "rate"),
        (["run", "small.toml", "--set", "link.bottleneck.queue=coddel"], "codel"),
        (["run", "small.toml", "--runs", "0"], "--runs"),
        (["run", "small.toml", "-o", "small.toml"], "is a file"),
        (["run", "small.toml", "-o", "/proc/self/x"], "cannot be written"),
        (["run"], "FILE"),
        (["fly"], "fly"),
        (["compare", "small.toml"], "[sweep]"),
        (["compare", "small.toml", "small.toml"], "one scenario file"),
        (["plot", "nowhere"], "nowhere"),
        (["plot", ".", "--format", "bmp"], "bmp"),
        (["list", "quueues"], "queues"),
        (["list", "queues", "coddel"], "codel"),
    ],
)
def test_a_users_mistake_is_a_message_and_exit_code_2(small_file, arguments, word):
    done = command_line(*arguments, cwd=small_file.parent)
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    assert word in done.stderr
    assert "Traceback" not in done.stderr
    assert [path.name for path in small_file.parent.iterdir()] == ["small.toml"]


def test_check_reports_all_errors_with_places(small_file):
    text = SMALL.replace('rate = "2 Mbit/s"', 'rate = "2 mbps"').replace('cc = "newreno"', 'cc = "newrenno"')
    small_file.write_text(text)
    done = command_line("check", small_file, cwd=small_file.parent)
    assert done.returncode == 2
    for wrong in ('"2 mbps"', '"newrenno"'):
        line = text[: text.index(wrong)].count("\n") + 1
        assert f"{small_file}:{line}:" in done.stderr
    data = json.loads(command_line("check", small_file, "--json", cwd=small_file.parent).stdout)
    assert not data["ok"]
    assert len(data["errors"]) == 2


def test_check_takes_several_files_and_reports_on_each(small_file):
    (small_file.parent / "bad.toml").write_text(SMALL.replace("2 Mbit/s", "2 mbps"))
    done = command_line("check", "bad.toml", "nowhere.toml", "small.toml", cwd=small_file.parent)
    assert done.returncode == 2
    assert "bad.toml" in done.stderr
    assert "no file nowhere.toml" in done.stderr
    assert "small: 3 runs" in done.stdout
    done = command_line("check", "bad.toml", "small.toml", "--json", cwd=small_file.parent)
    assert [(report["file"], report["ok"]) for report in json.loads(done.stdout)] == [
        ("bad.toml", False),
        ("small.toml", True),
    ]


def test_check_accepts_the_papers_scenario_and_its_variants(tmp_path):
    done = command_line("check", KOCHHER, "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["ok"]


def test_check_finds_an_error_in_a_variant(tmp_path):
    text = KOCHHER.read_text().replace('{ kind = "codel", limit', '{ kind = "codel", lmit')
    (tmp_path / "bad.toml").write_text(text)
    done = command_line("check", "bad.toml", cwd=tmp_path)
    assert done.returncode == 2
    assert "limit" in done.stderr


def test_what_compare_proposes_next_names_a_link_of_the_file(small_file, tmp_path):
    text = small_file.read_text()
    assert "bottleneck" in text
    renamed = tmp_path / "renamed.toml"
    renamed.write_text(text.replace("bottleneck", "narrow"))
    done = command_line(
        "compare",
        renamed,
        "--set-each",
        "link.narrow.queue=droptail,codel",
        "-o",
        "out",
        "--no-plots",
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    assert "link.narrow.rate=3mbit" in done.stderr
    assert "bottleneck" not in done.stderr


def test_compare_runs_variants_and_draws_overlays(small_file, tmp_path):
    done = command_line(
        "compare",
        small_file,
        "--set-each",
        "link.bottleneck.queue=droptail,codel",
        "-o",
        "both",
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    assert "droptail" in done.stdout
    assert "±" in done.stdout
    place = tmp_path / "both"
    assert (place / "figures" / "queue.png").is_file()
    assert (place / "codel" / "figures" / "cwnd.svg").is_file()
    assert "droptail" in (place / "table.md").read_text()
    assert set(json.loads((place / "comparison.json").read_text())["variants"]) == {"droptail", "codel"}
    assert str(place.name) in done.stderr
    again = command_line("plot", "both", "-o", "again", "--format", "png", cwd=tmp_path)
    assert again.returncode == 0, again.stderr
    assert len(list((tmp_path / "again").glob("*.png"))) == 6


def test_compare_tells_whether_results_are_identical(small_file, tmp_path):
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        command_line("run", small_file, "--seed", seed, "-o", name, "--no-plots", "-q", cwd=tmp_path)
    same = command_line("compare", "a", "b", "--identical", cwd=tmp_path)
    other = command_line("compare", "a", "c", "--identical", cwd=tmp_path)
    assert (same.returncode, other.returncode) == (0, 4)


def test_list_and_schema_and_version(tmp_path):
    assert "droptail" in command_line("list", "queues", cwd=tmp_path).stdout
    entry = command_line("list", "queues", "codel", cwd=tmp_path).stdout
    assert "target = 5 ms" in entry
    assert "RFC 8289" in entry
    assert {"queues", "cc", "apps"} <= set(json.loads(command_line("list", "--json", cwd=tmp_path).stdout))
    assert "properties" in json.loads(command_line("schema", cwd=tmp_path).stdout)
    assert command_line("--version", cwd=tmp_path).stdout == f"tailrace {tailrace.__version__}\n"


def test_doctor_finds_this_machine_fit(tmp_path):
    done = command_line("doctor", cwd=tmp_path)
    assert done.returncode == 0, done.stdout
    assert "ran twice alike" in done.stdout
    assert "FAIL" not in done.stdout
    assert {entry["what"] for entry in json.loads(command_line("doctor", "--json", cwd=tmp_path).stdout)} >= {
        "python"
    }


def interrupted(arguments, cwd, ready):
    """Starts a run, sends Ctrl-C once `ready` shows on stderr, and waits for the end."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tailrace", *arguments],
        cwd=cwd,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    seen = ""
    while ready not in seen:
        line = process.stderr.readline()
        assert line, seen
        seen += line
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    _, rest = process.communicate(timeout=60)
    return process.returncode, seen + rest


def test_ctrl_c_keeps_the_runs_that_ended_and_exits_130(small_file, tmp_path):
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
    )
    assert code == 130, err
    assert "Traceback" not in err
    manifest = json.loads((tmp_path / "kept" / "manifest.json").read_text())
    assert list(manifest["variants"]) == ["2 s"]
    assert manifest["status"] == "interrupted"
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_ctrl_c_before_anything_ended_writes_nothing(small_file, tmp_path):
    small_file.write_text(SMALL.replace('"6 s"', '"1000000 s"').replace("interval", "# interval"))
    process = subprocess.Popen(
        [sys.executable, "-m", "tailrace", "run", str(small_file), "-o", "none"],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
    )
    time.sleep(3)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "nothing was written" in err
    assert "Traceback" not in err
    assert not (tmp_path / "none").exists()


def test_a_closed_pipe_is_no_error_message(tmp_path):
    reader, writer = os.pipe()
    os.close(reader)
    process = subprocess.run(
        [sys.executable, "-m", "tailrace", "list"],
        stdout=writer, stderr=subprocess.PIPE, text=True, cwd=tmp_path, timeout=60, check=False,
    )  # fmt: skip
    os.close(writer)
    assert "Traceback" not in process.stderr
    assert "Exception" not in process.stderr
    assert process.returncode == 141


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
@pytest.mark.parametrize(
    "arguments", [["--version"], ["list"], ["schema"], ["run", "small.toml", "--json", "-q"]]
)
def test_a_full_disk_behind_stdout_is_a_message(small_file, arguments):
    with Path("/dev/full").open("w") as full:
        process = subprocess.run(
            [sys.executable, "-m", "tailrace", *arguments],
            stdout=full, stderr=subprocess.PIPE, text=True, cwd=small_file.parent, timeout=60, check=False,
        )  # fmt: skip
    assert process.returncode == 1
    assert process.stderr.startswith("error: stdout cannot be written: No space left")
    assert process.stderr.count("\n") == 1


@pytest.mark.parametrize("closed", [1, 2])
def test_a_stream_that_is_not_open_ends_nothing(small_file, closed):
    script = f'exec "$0" -m tailrace run small.toml --no-plots -o out {closed}>&-'
    done = subprocess.run(
        ["/bin/sh", "-c", script, sys.executable],
        check=False,
        cwd=small_file.parent,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert tailrace.Result.load(small_file.parent / "out").n == 3


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("summary.json", "{"),
        ("summary.json", "[]"),
        ("summary.json", "{}"),
        ("manifest.json", "7"),
        ("manifest.json", "{}"),
        ("manifest.json", '{"variants": 3}'),
        ("flow_series.parquet", "PAR1"),
    ],
)
def test_a_damaged_folder_is_named(small, tmp_path, file, text):
    place = small.save(tmp_path / "hurt")
    (place / file).write_text(text)
    done = command_line("plot", "hurt", cwd=tmp_path)
    assert done.returncode == 2, done.stderr
    assert "hurt" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (place / "figures").exists()


def test_ctrl_c_while_drawing_says_what_is_kept(small_file, tmp_path):
    code, err = interrupted(["run", str(small_file), "-o", "kept"], tmp_path, ready="drawing")
    assert code == 130, err
    assert "the results are in kept" in err
    assert tailrace.Result.load(tmp_path / "kept").n == 3
    assert not any(path.name.startswith(".") for path in tmp_path.rglob("*"))

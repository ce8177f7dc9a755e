"""The command line as a process: what it prints where, exit codes, nothing half-written."""

import json
import os
import re
import subprocess
import sys
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
    assert figures == {f"{m}.{k}" for m in ("queue", "cwnd", "goodput", "delay") for k in ("png", "svg")}
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
    assert "droptail" in (place / "table.md").read_text()
    assert set(json.loads((place / "comparison.json").read_text())["variants"]) == {"droptail", "codel"}
    assert str(place.name) in done.stderr
    again = command_line("plot", "both", "-o", "again", "--format", "png", cwd=tmp_path)
    assert again.returncode == 0, again.stderr
    assert len(list((tmp_path / "again").glob("*.png"))) == 4


def test_the_table_is_printed_before_figures_are_begun(small_file, tmp_path):
    both = subprocess.run(
        [sys.executable, "-m", "tailrace", "run", str(small_file), "-o", "out", "--figures", "loss"],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=True, timeout=120,
    )  # fmt: skip
    assert both.stdout.index("goodput Mbit/s") < both.stdout.index("drawing")
    assert [path.name for path in sorted((tmp_path / "out" / "figures").iterdir())] == [
        "loss.png",
        "loss.svg",
    ]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("run", "small.toml", "--figures", "queue,lose"), ("no figure 'lose'", "did you mean 'loss'")),
        (("compare", "small.toml", "--queue", "r1-r2"), ("no queue 'r1-r2'", "did you mean 'r1->r2'")),
        (("plot", "kept", "--size", "doubel"), ("no size of figures 'doubel'", "did you mean 'double'")),
        (("plot", "kept", "--queue", "r9->r2"), ("no queue 'r9->r2'", "did you mean 'r1->r2'")),
        (("plot", "kept", "--figures", "troughput"), ("did you mean 'throughput'",)),
    ],
)
def test_what_is_to_be_drawn_is_checked_before_any_run(small, small_file, tmp_path, arguments, words):
    small_file.write_text(SMALL + '\n[sweep]\n"link.bottleneck.queue" = ["droptail", "codel"]\n')
    small.save(tmp_path / "kept")
    done = command_line(*arguments, cwd=tmp_path)
    assert done.returncode == 2, done.stderr
    assert "took" not in done.stderr
    assert all(word in done.stderr for word in words), done.stderr
    assert not (tmp_path / "kept" / "figures").exists()


def test_figures_for_a_paper(small, small_codel, tmp_path):
    tailrace.compare({"droptail": small, "codel": small_codel}).save(tmp_path / "both")
    done = command_line(
        "plot", "both", "--figures", "queue,goodput", "--queue", "r2->r1", "--size", "single", "--no-title",
        "--format", "pdf,svg", "-o", "paper", cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    names = {"queue.pdf", "queue.svg", "goodput.pdf", "goodput.svg"}
    assert {path.name for path in (tmp_path / "paper").iterdir()} == names
    drawn = (tmp_path / "paper" / "goodput.svg").read_text()
    assert 'width="239.76pt"' in drawn
    assert "goodput over time" not in drawn


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
    kinds = command_line("list", cwd=tmp_path).stdout.splitlines()
    assert len(kinds) < 30
    assert any(re.match(r"queues +\d+  droptail, red, ", line) for line in kinds)
    assert kinds[-1].endswith("all lists: tailrace list all")
    whole = command_line("list", "all", cwd=tmp_path).stdout
    assert "\nqueues:\n" in whole
    assert "  codel " in whole
    assert {"queues", "cc", "apps"} <= set(json.loads(command_line("list", "--json", cwd=tmp_path).stdout))
    assert "properties" in json.loads(command_line("schema", cwd=tmp_path).stdout)
    assert command_line("--version", cwd=tmp_path).stdout == f"tailrace {tailrace.__version__}\n"


def test_doctor_finds_this_machine_fit(tmp_path):
    done = command_line("doctor", cwd=tmp_path)
    assert done.returncode == 0, done.stdout
    assert "ran twice with equal results" in done.stdout
    assert "FAIL" not in done.stdout
    assert {entry["what"] for entry in json.loads(command_line("doctor", "--json", cwd=tmp_path).stdout)} >= {
        "python"
    }


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


def test_help_tells_the_defaults(tmp_path):
    text = " ".join(command_line("run", "--help", cwd=tmp_path).stdout.split())
    assert "Number of runs, each with another random seed [default: the file's]." in text
    assert "[default: results/<name>" in text


# Behind slower links the queue that variants write stays empty.
SLIPS = (
    SMALL.replace('"2 Mbit/s"', '"300 Mbit/s"').replace(
        'queue = { kind = "droptail", limit = "20 packets" }', ""
    )
    + '[sweep]\n"link.bottleneck.queue" = ["sfq", "codel"]\n'
)


@pytest.mark.parametrize("arguments", [["check"], ["compare", "--dry-run"]])
def test_slips_of_variants_are_said_before_anything_runs_and_name_the_variant(small_file, arguments):
    small_file.write_text(SLIPS)
    done = command_line(*arguments, small_file, cwd=small_file.parent)
    assert done.returncode == 0
    assert done.stderr.count("its queue stays empty") == 1
    assert "variant 'sfq': link.bottleneck.queue=" in done.stderr
    assert "--set" not in done.stderr
    quiet = command_line(*arguments, small_file, "-q", cwd=small_file.parent)
    assert quiet.stderr == ""


def test_an_error_in_a_variant_names_it(small_file):
    each = ["--set-each", "link.bottleneck.queue=sfq,codle limit 3"]
    done = command_line("compare", small_file, *each, cwd=small_file.parent)
    assert done.returncode == 2
    assert "variant 'codle': link.bottleneck.queue=" in done.stderr
    assert "--set" not in done.stderr


def test_a_dry_run_as_json_is_json(small_file):
    plan = json.loads(command_line("run", small_file, "--dry-run", "--json", cwd=small_file.parent).stdout)
    assert (plan["runs"], plan["seed"], plan["groups"][0]["name"]) == (3, 7, "tcp")
    small_file.write_text(SLIPS)
    plans = json.loads(
        command_line("compare", small_file, "--dry-run", "--json", cwd=small_file.parent).stdout
    )
    assert list(plans) == ["sfq", "codel"]


def test_many_runs_are_few_lines(small_file):
    done = command_line(
        "run", small_file, "--runs", 60, "--set", "duration=100 ms", "--json", cwd=small_file.parent
    )
    lines = [line for line in done.stderr.splitlines() if " of 60" in line]
    assert "1 of 60" in lines[0]
    assert "60 of 60 runs took" in lines[-1]
    assert len(lines) < 10


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [(["queue"], "tailrace list queues"), (["queues", "redd"], "tailrace list queues red")],
)
def test_list_proposes_the_nearest_name(tmp_path, arguments, hint):
    assert f"did you mean {hint}?" in command_line("list", *arguments, cwd=tmp_path).stderr


def test_names_cannot_steer_a_terminal(small_file, tmp_path):
    small_file.write_text(SMALL.replace('name = "small"', 'name = "sm\\u001b[31mall"'))
    for arguments in (["check"], ["run", "--dry-run"], ["run", "--no-plots"]):
        done = command_line(*arguments, small_file, cwd=tmp_path)
        assert done.returncode == 0
        assert "\x1b" not in done.stdout + done.stderr
        assert r"sm\x1b[31mall" in done.stdout


def test_doctor_clears_away_what_killed_commands_left_and_names_what_it_does_not_know(small, tmp_path):
    small.save(tmp_path / "results" / "small")
    script = (
        "import os, pathlib; from tailrace.system import staging\n"
        "with staging.work(pathlib.Path('results'), 'small'): os._exit(9)"
    )
    subprocess.run([sys.executable, "-c", script], cwd=tmp_path, check=False)
    assert len(list((tmp_path / "results").iterdir())) == 2
    assert "1 left by killed commands, now removed" in command_line("doctor", cwd=tmp_path).stdout
    assert [path.name for path in (tmp_path / "results").iterdir()] == ["small"]
    small.save(tmp_path / "results" / ".small.k3jd82_a")
    assert ".small.k3jd82_a" in command_line("doctor", cwd=tmp_path).stdout
    assert len(list((tmp_path / "results").iterdir())) == 2

"""Bundles: what one machine ran, another confirms, and whatever was changed is found."""

import json
import tarfile

import pytest

import tailrace
from conftest import ROOT, command_line
from tailrace.bundle import archive, experiment, verification
from tailrace.errors import UsageError
from tailrace.kernels import run_kernels

HELLO = """
name = "small"
duration = "2 s"
runs = 2
host = [{ name = "a" }, { name = "b" }]
link = [{ name = "l", between = ["a", "b"], rate = "10 Mbit/s", delay = "5 ms", queue = "droptail limit 20" }]
flow = [{ name = "f", from = "a", to = "b", transport = "tcp", app = "bulk", start = "uniform(0 s, 1 s)" }]
"""


@pytest.fixture
def result(tmp_path):
    return tailrace.run(HELLO).save(tmp_path / "one")


def bundled(place, folders, **options):
    experiments = [one for folder in folders for one in experiment.of_folder(folder)]
    archive.write(place / "b.tar.gz", experiments, folders, **options)
    return archive.read(place / "b.tar.gz")


def test_a_result_a_comparison_and_a_sweep_are_confirmed(result, tmp_path):
    compared = tailrace.run_variants({"red": tailrace.Scenario.of(HELLO, {"link.l.queue": "red"})}).save(
        tmp_path / "two"
    )
    tailrace.sweep(HELLO, {"link.l.rate": ["5 Mbit/s", "8 Mbit/s"]}, output=tmp_path / "three")
    found = bundled(tmp_path, [result, compared, tmp_path / "three"])
    assert [one.name for one in found.experiments] == [
        "one", "two: red", "three: 5 Mbit/s", "three: 8 Mbit/s",
    ]  # fmt: skip
    assert found.runs == 8
    done = verification.verify(found)
    assert (done.equal, done.different, done.failed, done.other_engines) == (8, 0, 0, [])


def test_the_same_study_is_the_same_archive_but_for_the_day(result, tmp_path):
    first = bundled(tmp_path, [result])
    second = bundled(tmp_path, [result])
    assert first.experiments == second.experiments


def test_a_sample_is_the_same_each_time_and_no_larger_than_asked(result, tmp_path):
    found = bundled(tmp_path, [result])
    assert verification.chosen(found, 1) == verification.chosen(found, 1)
    assert len(verification.chosen(found, 1)) == 1
    assert len(verification.chosen(found, 100)) == 2


def test_a_changed_scenario_is_found(result, tmp_path):
    (one,) = experiment.of_folder(result)
    other = experiment.Experiment(
        one.name, one.toml.replace('"10 Mbit/s"', '"9 Mbit/s"'), one.runs, one.engine
    )
    archive.write(tmp_path / "b.tar.gz", [other])
    done = verification.verify(archive.read(tmp_path / "b.tar.gz"))
    assert (done.equal, done.different) == (0, 2)


def test_the_archive_has_what_a_reader_needs_and_everything_if_asked(result, tmp_path):
    bundled(tmp_path, [result])
    with tarfile.open(tmp_path / "b.tar.gz") as tar:
        names = set(tar.getnames())
        about = json.load(tar.extractfile("bundle.json"))
    assert {"README.md", "bundle.json", "scenarios/001.toml", "results/one/summary.json"} <= names
    assert "results/one/flows.parquet" not in names
    assert about["tailrace"] == tailrace.__version__
    assert "numpy" in about["packages"]
    bundled(tmp_path, [result], everything=True)
    with tarfile.open(tmp_path / "b.tar.gz") as tar:
        assert "results/one/flows.parquet" in tar.getnames()


@pytest.mark.parametrize("content", [b"", b"no archive", b"\x1f\x8b\x08\x00"])
def test_what_is_no_bundle_is_refused_by_name(tmp_path, content):
    (tmp_path / "x.tar.gz").write_bytes(content)
    with pytest.raises(UsageError, match=r"x\.tar\.gz"):
        archive.read(tmp_path / "x.tar.gz")
    with pytest.raises(UsageError, match=r"missing\.tar\.gz cannot be read"):
        archive.read(tmp_path / "missing.tar.gz")


def test_a_bundle_without_its_index_is_damaged(tmp_path):
    with tarfile.open(tmp_path / "x.tar.gz", "w:gz") as tar:
        tar.add(ROOT / "LICENSE-MIT", "LICENSE-MIT")
    with pytest.raises(UsageError, match="is no bundle"):
        archive.read(tmp_path / "x.tar.gz")


def test_the_commands_pack_and_confirm(result, tmp_path):
    packed = command_line("bundle", str(result), "-o", str(tmp_path / "study.tar.gz"), cwd=tmp_path)
    assert packed.returncode == 0
    assert "1 experiment with 2 runs" in packed.stderr
    confirmed = command_line("verify", str(tmp_path / "study.tar.gz"), "--json", cwd=tmp_path)
    assert confirmed.returncode == 0
    assert json.loads(confirmed.stdout)["equal"] == 2


OWN = '''
import tailrace


class Short(tailrace.Aqm):
    """Holds LIMIT packets."""

    name = "short"

    def on_enqueue(self, size, backlog, now, rng):
        return tailrace.Verdict.DROP if backlog.packets >= LIMIT else tailrace.Verdict.PASS
'''


def own_file(place, limit):
    """A file with a discipline of one's own."""
    (place / "short.py").write_text(OWN.replace("LIMIT", str(limit)))
    return place / "short.py"


@pytest.mark.parametrize("command", ["run", "compare", "sweep"])
def test_algorithms_of_ones_own_are_confirmed_and_a_changed_one_is_found(command, tmp_path):
    (tmp_path / "small.toml").write_text(HELLO)
    own = own_file(tmp_path, 5)
    varied = {
        "run": ["--set", "link.l.queue=short"],
        "compare": ["--set-each", "link.l.queue=short,droptail"],
        "sweep": ["--set-each", "link.l.queue=short,droptail"],
    }
    done = command_line(
        command, "small.toml", *varied[command], "--with", own, "--no-plots", "-o", "out", cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    packed = command_line("bundle", "out", "--with", own, "-o", "b.tar.gz", cwd=tmp_path)
    assert packed.returncode == 0, packed.stderr
    refused = command_line("verify", "b.tar.gz", cwd=tmp_path)
    assert refused.returncode == 2
    assert "short.py" in refused.stderr
    assert "--run-algorithms" in refused.stderr
    runs = 2 if command == "run" else 4
    confirmed = command_line("verify", "b.tar.gz", "--run-algorithms", "--json", cwd=tmp_path)
    assert confirmed.returncode == 0, confirmed.stderr
    assert json.loads(confirmed.stdout)["equal"] == runs
    # Another algorithm under the same name gives other runs, which are those of its variant alone.
    command_line("bundle", "out", "--with", own_file(tmp_path, 3), "-o", "c.tar.gz", cwd=tmp_path)
    other = command_line("verify", "c.tar.gz", "--run-algorithms", "--json", cwd=tmp_path)
    assert other.returncode != 0
    assert sorted(run["run"] for run in json.loads(other.stdout)["different"]) == [1, 2]


def test_runs_with_kernels_are_confirmed_and_without_one_their_want_is_said(kernel, tmp_path, monkeypatch):
    (tmp_path / "small.toml").write_text(HELLO.replace("runs = 2", "runs = 1"))
    done = command_line(
        "twin", "small.toml", "--kernel", kernel, "--no-plots", "-o", "out", "--tolerance", "goodput=99%",
        cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode in {0, 4}, done.stderr
    found = bundled(tmp_path, [tmp_path / "out"])
    assert [one.name for one in found.experiments] == ["out: simulated", "out: kernels"]
    there = verification.verify(found)
    assert (there.equal, there.different, there.failed) == (2, 0, 0)
    monkeypatch.setenv("TAILRACE_KERNELS", str(tmp_path / "empty"))
    run_kernels.found.cache_clear()
    without = verification.verify(found)
    run_kernels.found.cache_clear()
    assert (without.equal, without.different, without.failed) == (1, 0, 1)
    (error,) = [text for one in without.verified for text in one.errors]
    assert "tailrace kernel build" in error

"""What `tailrace sweep` and its kin say beside their tables: before a run, when stopped, and of folders."""

import json
import os
import shlex
import signal
import subprocess
import time

import pytest

import tailrace
from conftest import SMALL, command_line, started
from tailrace.cli import common
from tailrace.errors import UsageError
from tailrace.study import cells, declaration, metric_probe, sweep_runner

QUEUES = ("--set-each", "link.bottleneck.queue=red,codel")


@pytest.fixture
def there(tmp_path):
    """A folder with a scenario, whose name has a space."""
    place = tmp_path / "my work"
    place.mkdir()
    (place / "small.toml").write_text(SMALL)
    return place


@pytest.mark.parametrize(
    "command",
    [
        ("sweep", "small.toml", *QUEUES, "--columns", "tcp.goodputt"),
        ("sweep", "small.toml", *QUEUES, "--until-ci", "goodputt=5%"),
        ("run", "small.toml", "--columns", "goodputt"),
        ("compare", "small.toml", *QUEUES, "--columns", "median(goodputt)"),
        ("search", "small.toml", "--over", "link.bottleneck.queue=red,codel", "--maximize", "goodputt"),
    ],
    ids=lambda command: command[0],
)
def test_metrics_that_there_are_not_are_refused_before_a_run(there, command):
    done = command_line(*command, cwd=there)
    assert done.returncode == 2
    assert "did you mean" in done.stderr
    assert not (there / "results").exists()


@pytest.mark.parametrize(
    ("name", "there_is"),
    [
        ("subflows_established", True),
        ("tcp[0].subflows_established", True),
        ("tcp.subflows_established", False),
        ("max(tcp[1].paths.a.timeouts)", True),
        ("tcp[0].backward.paths.b.reinjected_bytes", True),
        ("paths.a.timeoutss", False),
        ("path_goodput", True),
        ("tcp[0].a to eth1.delay_p95", True),
        ("tcp[0].a.one_way_delay_s.p50@late", True),
        ("tcp[0].a.one_way_delay_s.p50@later", False),
        ("none[0].subflows_lost", False),
    ],
)
def test_metrics_of_connections_over_multipath_tcp_are_known_before_there_is_one(name, there_is):
    text = SMALL.replace('kind = "tcp", cc = "newreno"', 'kind = "mptcp"')
    scenario = tailrace.Scenario(f'{text}\n[[window]]\nname = "late"\nstart = "5 s"\n')
    if there_is:
        metric_probe.check([name], [scenario])
    else:
        with pytest.raises(UsageError, match="there is no "):
            metric_probe.check([name], [scenario])


def test_names_of_paths_may_have_spaces():
    assert common.listed("goodput, mp[0].wifi to eth1.goodput,") == ["goodput", "mp[0].wifi to eth1.goodput"]


def test_goodput_until_completion_is_known_before_anything_is_complete():
    text = SMALL.replace('app = { kind = "bulk" }', 'app = { kind = "transfer", size = "20 kB" }')
    metric_probe.check(["tcp.completion_goodput", "completion_goodput_bps.max"], [tailrace.Scenario(text)])


def test_metrics_of_some_cells_only_are_none_of_a_slip(there):
    text = SMALL.replace('transport = { kind = "tcp", cc = "newreno" }', 'transport = { kind = "udp" }')
    (there / "voice.toml").write_text(text.replace('app = { kind = "bulk" }', 'app = { kind = "voip" }'))
    asked = ("--set-each", "flow.tcp.app={ kind = 'cbr', rate = '1 Mbit/s' },voip")
    done = command_line(
        "sweep", "voice.toml", *asked, "--columns", "tcp.voice.mos.mean", "--dry-run", cwd=there
    )
    assert done.returncode == 0, done.stderr


def test_what_had_landed_is_counted(there):
    command_line("sweep", "small.toml", *QUEUES, "--runs", "1", "-o", "s", cwd=there)
    more = command_line("sweep", "small.toml", *QUEUES, "--runs", "3", "-o", "s", cwd=there)
    assert "2 of 6 runs are already there, 4 are to do" in more.stderr
    again = command_line("sweep", "small.toml", *QUEUES, "--runs", "3", "-o", "s", cwd=there)
    assert "all 6 runs were already there" in again.stderr


def test_a_sweep_that_is_stopped_shows_what_there_is_and_how_to_go_on(there):
    sets = ("--set", "duration=60 s", "--set", "record.interval=off", "--set", "record.events=false")
    words = ["sweep", "small.toml", *QUEUES, *sets, "--runs", "2000", "-o", "some where"]
    environment = {**os.environ, "COLUMNS": "160"}
    with started(words, there, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment) as sweep:
        while not landed(there / "some where"):
            assert sweep.poll() is None
            time.sleep(0.05)
        sweep.send_signal(signal.SIGINT)
        out, err = sweep.communicate(timeout=60)
    assert sweep.returncode == 130
    assert "goodput" in out
    assert "of 4000 runs are in some where; to continue:" in err
    assert shlex.split(err.strip().splitlines()[-1])[-len(words) :] == words
    assert (there / "some where" / "table.csv").is_file()


def landed(place):
    try:
        return tailrace.Sweep.load(place).runs.height
    except UsageError:
        return 0


def test_fresh_takes_away_the_tables_of_what_was_there(there):
    command_line("sweep", "small.toml", *QUEUES, "--runs", "1", "-o", "s", cwd=there)
    (there / "s" / "notes.md").write_text("mine")
    with sweep_runner.Writer.opened(there / "s", {}, fresh=True):
        pass
    assert {file.name for file in (there / "s").glob("*.md")} == {"notes.md"}
    assert not (there / "s" / "table.csv").exists()


def test_another_scenario_in_the_folder_of_a_sweep_is_said(there):
    (there / "other.toml").write_text(SMALL.replace('name = "small"', 'name = "other"'))
    (there / "older.toml").write_text(SMALL.replace('rate = "20 Mbit/s"', 'rate = "30 Mbit/s"'))
    plain = command_line("sweep", "small.toml", *QUEUES, "--runs", "1", "-o", "s", cwd=there)
    more = command_line("sweep", "small.toml", *QUEUES, "--runs", "2", "-o", "s", cwd=there)
    assert "note:" not in plain.stderr + more.stderr
    changed = command_line("sweep", "older.toml", *QUEUES, "--runs", "1", "-o", "s", cwd=there)
    assert "note: s holds runs of an older form of this scenario" in changed.stderr
    other = command_line("sweep", "other.toml", *QUEUES, "--runs", "1", "-o", "s", cwd=there)
    assert "note: s holds runs of the scenario 'small'" in other.stderr
    assert json.loads((there / "s" / "manifest.json").read_text())["scenario"] == "other"


def test_warnings_of_cells_are_said_once_with_their_number(there):
    rates = "link.bottleneck.rate=2 Mbit/s,900 Mbit/s,950 Mbit/s"
    done = command_line("sweep", "small.toml", "--set-each", rates, "--dry-run", cwd=there)
    assert done.stderr.count("warning[queue-stays-empty]") == 1
    assert "more" in done.stderr


def test_a_name_that_no_formula_uses_is_said_and_cells_that_are_alike_are_counted_once(there):
    done = command_line("sweep", "small.toml", *QUEUES, "--let", "load=1,2,3", "--dry-run", cwd=there)
    assert "no formula uses `load`: its 3 values make cells that are alike" in done.stderr
    assert "6 cells, 6 runs" in done.stdout
    assert "4 say the same as others" in done.stdout
    declared = declaration.of_python(let={"a": [1, 2], "b": 3}, derive={"link.x.rate": "a * '1 Mbit/s'"})
    assert cells.Plan(declared).unused == {"b": 1}


def test_merge_shows_what_its_shards_were_to_show(there):
    for shard in ("1/2", "2/2"):
        asked = ("--shard", shard, "--columns", "tcp.loss", "-o", f"s{shard[0]}", "--runs", "1")
        assert command_line("sweep", "small.toml", *QUEUES, *asked, cwd=there).returncode == 0
    merged = command_line("merge", "s1", "s2", "-o", "all", "--format", "csv", cwd=there)
    assert (
        merged.stdout.splitlines()[0]
        == "bottleneck.queue,runs,tcp loss [%] mean,tcp loss [%] low,tcp loss [%] high,tcp loss [%] n"
    )
    other = command_line("merge", "s1", "s2", "-o", "all", "--format", "csv", "--columns", "jain", cwd=there)
    assert "jain" in other.stdout.splitlines()[0]


def test_python_writes_the_tables_that_the_command_writes(there):
    done = command_line("sweep", "small.toml", *QUEUES, "--runs", 1, "-o", "command", "-q", cwd=there)
    assert done.returncode == 0, done.stderr
    queues = {"link.bottleneck.queue": ["red", "codel"]}
    swept = tailrace.sweep(there / "small.toml", queues, runs=1, output=there / "python")
    for name in ("table.md", "table.csv"):
        assert (there / "python" / name).read_text() == (there / "command" / name).read_text()
    assert (
        tailrace.sweep(there / "small.toml", queues, runs=1, output=swept.place).table().rows
        == swept.table().rows
    )
    assert not list(there.glob("python/*.kept"))


def test_commands_for_what_comes_next_can_be_given_as_they_stand(there):
    done = command_line("sweep", "small.toml", *QUEUES, "--runs", "1", "-o", "some where", cwd=there)
    (plot,) = [line for line in done.stderr.splitlines() if " plot " in line]
    assert "'some where'" in plot
    compared = command_line(
        "compare", "small.toml", *QUEUES, "--runs", "1", "-o", "two of them", "--no-plots", cwd=there
    )
    (plot,) = [line for line in compared.stderr.splitlines() if " plot " in line]
    assert "'two of them'" in plot


@pytest.mark.parametrize(
    "command",
    [
        ("sweep", "small.toml", *QUEUES),
        ("run", "small.toml"),
        ("compare", "small.toml", *QUEUES),
        ("merge", "s", "-o", "t"),
    ],
    ids=lambda command: command[0],
)
def test_two_forms_of_one_output_are_refused(there, command):
    done = command_line(*command, "--json", "--format", "csv", cwd=there)
    assert done.returncode == 2
    assert "--json and --format csv" in done.stderr


@pytest.mark.parametrize(
    ("command", "text"),
    [
        (
            ("sweep", "small.toml", *QUEUES, "-o", "small.toml"),
            "small.toml is a file; choose a folder with -o",
        ),
        (("sweep", "small.toml", *QUEUES, "-o", "small.toml/x"), "choose another folder with -o"),
        (("sweep", "small.toml", *QUEUES, "-o", "/proc/x"), "choose another folder with -o"),
        (("run", "small.toml", "-o", "/proc/x"), "choose another folder with -o"),
        (("plot", "nowhere"), "`tailrace run`, `compare`, `sweep` and `search` write one"),
        (("plot", "foreigm"), "did you mean foreign?"),
        (("plot", "small.toml"), "small.toml is a file, not a result folder"),
        (("merge", "foreign", "-o", "m"), "is not a sweep's folder"),
        (("compare", "nowhere", "nowhere"), "write one"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_what_is_wrong_with_a_folder_is_said_with_the_remedy(there, command, text):
    (there / "foreign").mkdir()
    (there / "foreign" / "x").touch()
    done = command_line(*command, cwd=there)
    assert done.returncode == 2
    assert text in done.stderr


def test_tables_that_there_are_not_are_refused():
    sweep = tailrace.sweep(SMALL, {"link.bottleneck.queue": ["red"]}, runs=1, set={"record.events": False})
    for ask in (sweep.frame, sweep.scan):
        with pytest.raises(UsageError, match=r"no table 'flow'.*did you mean 'flows'"):
            ask("flow")
    # One that was not recorded is empty.
    assert sweep.frame("events").is_empty()
    with pytest.raises(KeyError, match="there are flows"):
        sweep["flow"]


def test_one_metric_is_not_taken_for_its_letters():
    sweep = tailrace.sweep(SMALL, {"link.bottleneck.queue": ["red", "codel"]}, runs=1)
    assert str(sweep.table("tcp.goodput")) == str(sweep.table(["tcp.goodput"]))
    assert len(sweep.difference(sweep, "tcp.goodput").rows) == 2


def test_results_that_are_not_alike_are_compared_with_a_note(small):
    longer = tailrace.run(SMALL, runs=2, set={"duration": "7 s", "name": "other"})
    notes = small.difference(longer).notes
    assert "not alike: name is small in A and other in B" in notes
    assert "not alike: duration is 6 s in A and 7 s in B" in notes
    assert "not alike: runs is 3 in A and 2 in B" in notes
    assert not [note for note in small.difference(small).notes if note.startswith("not alike")]

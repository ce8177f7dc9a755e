"""Sweeps: cells, runs that land, what is done again and what is not, tables."""

import json
import pickle
import sqlite3
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

import tailrace
from conftest import SMALL
from tailrace.data.store import Reader, Writer
from tailrace.errors import ScenarioError, UsageError
from tailrace.execution import identity
from tailrace.stats import formulas
from tailrace.study import cells, declaration, sweep_runner

QUEUES = {"link.bottleneck.queue": ["droptail", "red"], "link.bottleneck.rate": ["1 Mbit/s", "2 Mbit/s"]}


@pytest.fixture(scope="module")
def swept(tmp_path_factory):
    place = tmp_path_factory.mktemp("sweep") / "store"
    return tailrace.sweep(SMALL, QUEUES, runs=2, output=place)


def test_frames_have_a_column_for_every_parameter_and_run(swept):
    assert swept.cells.columns == ["cell", "label", "bottleneck.queue", "bottleneck.rate"]
    assert swept.cells["bottleneck.rate"].to_list() == [1e6, 2e6] * 2
    assert swept.unit("bottleneck.rate") == "bit/s"
    flows = swept.flows
    assert flows.height == 4 * 2 * 3
    assert flows.select("bottleneck.queue", "run").unique().height == 4
    assert set(swept) >= {"flows", "queues", "events", "flow_series"}
    assert swept["queues"].equals(swept.queues)
    assert swept.groups["group"].unique().sort().to_list() == ["cbr", "tcp"]
    assert "goodput_bps.sum" in swept.groups.columns


def test_a_cell_is_the_run_of_its_scenario(swept):
    alone = tailrace.run(
        SMALL, runs=2, set={"link.bottleneck.queue": "red", "link.bottleneck.rate": "1 Mbit/s"}
    )
    mine = swept.flows.filter((pl.col("bottleneck.queue") == "red") & (pl.col("bottleneck.rate") == 1e6))
    same = [name for name in alone.flows.columns if name != "run"]
    assert mine.select(same).equals(alone.flows.select(same))
    fingerprints = swept.runs.filter(pl.col("label") == "red rate=1 Mbit/s")["fingerprint"].to_list()
    assert fingerprints == [run["fingerprint"] for run in alone.summary["runs"]]
    told = swept.metric("tcp.goodput").filter(pl.col("label") == "red rate=1 Mbit/s")["value"].to_list()
    assert told == pytest.approx(
        [r["groups"]["tcp"]["goodput_bps"]["sum"] / 1e6 for r in alone.summary["runs"]]
    )


def test_a_sweep_pickles(swept):
    assert pickle.loads(pickle.dumps(swept)).flows.equals(swept.flows)


def test_what_has_landed_is_not_done_again(tmp_path, monkeypatch):
    place = tmp_path / "s"
    tailrace.sweep(SMALL, QUEUES, runs=1, output=place)
    begun = []
    real = sweep_runner.Job

    def noted(*arguments):
        begun.append(arguments[1:])
        return real(*arguments)

    monkeypatch.setattr(sweep_runner, "Job", noted)
    more = tailrace.sweep(
        SMALL, {**QUEUES, "link.bottleneck.rate": ["1 Mbit/s", "3 Mbit/s"]}, runs=2, output=place
    )
    # Run 1 of both cells with 1 Mbit/s is there.
    assert sorted((label, run) for run, label, _ in begun) == sorted(
        [(f"{q} rate={r} Mbit/s", run) for q in ("droptail", "red") for r in (1, 3) for run in (1, 2)][i]
        for i in (1, 2, 3, 5, 6, 7)
    )
    assert more.cells.height == 4
    assert more.runs.height == 8
    begun.clear()
    tailrace.sweep(SMALL, QUEUES, runs=1, output=place)
    assert begun == []
    tailrace.sweep(SMALL, QUEUES, runs=1, output=place, fresh=True)
    assert len(begun) == 4


def test_words_make_no_other_cell():
    def of(text):
        return identity.of_cell(tailrace.Scenario.of(text))

    assert of(SMALL) == of(SMALL.replace("Does it work?", "Why not?").replace("runs = 3", "runs = 30"))
    assert of(SMALL) == of(SMALL.replace('rate = "2 Mbit/s"', 'rate = "2000 kbit/s"'))
    assert of(SMALL) != of(SMALL.replace("seed = 7", "seed = 8"))


def test_cells_that_say_the_same_share_their_runs(tmp_path):
    same = {"link.bottleneck.rate": ["2 Mbit/s", "2000 kbit/s"]}
    found = tailrace.sweep(SMALL, same, runs=2, output=tmp_path / "s")
    assert found.cells["cell"].to_list() == [1, 1]
    assert found.runs.height == 4
    assert len(Reader(tmp_path / "s").index.runs()) == 2


def test_a_cell_that_cannot_be_run_is_noted_and_the_others_go_on():
    found = tailrace.sweep(SMALL, {"link.bottleneck.queue.limit": ["20 packets", "20 bananas"]}, runs=1)
    assert found.runs.height == 1
    (label, run, error) = found.failures.row(0)
    assert (label, run) == ("20 bananas", 0)
    assert "bananas" in error
    with pytest.raises(ScenarioError, match="bananas"):
        tailrace.sweep(SMALL, {"link.bottleneck.queue.limit": ["20 bananas"]})


def test_results_of_another_engine_do_not_mix(tmp_path, monkeypatch):
    place = tmp_path / "s"
    tailrace.sweep(SMALL, QUEUES, runs=1, output=place)
    monkeypatch.setattr(identity, "ENGINE", "0.0.1+0")
    with pytest.raises(UsageError, match=r"of another engine .*--fresh"):
        tailrace.sweep(SMALL, QUEUES, runs=2, output=place)
    assert tailrace.sweep(SMALL, QUEUES, runs=2, output=place, fresh=True).runs.height == 8


def test_one_command_writes_and_the_next_is_told_which(tmp_path):
    place = tmp_path / "s"
    tailrace.sweep(SMALL, QUEUES, runs=1, output=place)
    with Writer.opened(place, {}):
        with (
            pytest.raises(UsageError, match=r"is being written by process .* since"),
            Writer.opened(place, {}),
        ):
            pass
        assert tailrace.Sweep.load(place).flows.height == 12


def test_damaged_parts_are_named_and_done_again(tmp_path):
    place = tmp_path / "s"
    before = tailrace.sweep(SMALL, QUEUES, runs=1, output=place)
    table = before.table().text("csv")
    (part,) = place.glob("parts/*-flows.parquet")
    whole = part.read_bytes()
    part.write_bytes(whole[:50] + bytes([whole[50] ^ 255]) + whole[51:])
    with pytest.raises(UsageError, match=r"flows\.parquet"):
        part.write_bytes(whole[: len(whole) // 2])
        _ = tailrace.Sweep.load(place).flows
    again = tailrace.sweep(SMALL, QUEUES, runs=1, output=place)
    assert again.table().text("csv") == table
    assert again.flows.height == 12


@pytest.mark.parametrize("how", ["removed", "emptied"])
def test_finished_parts_are_taken_back_without_an_index(tmp_path, monkeypatch, how):
    place = tmp_path / "s"
    before = tailrace.sweep(SMALL, QUEUES, runs=1, output=place)
    table, index = before.table().text("csv"), place / "index.sqlite"
    whole = {file: file.read_bytes() for file in place.glob("parts/*")}
    if how == "removed":
        index.unlink()
    else:
        index.write_bytes(b"")
    with pytest.raises(UsageError, match=r"index\.sqlite.* takes (them|back)"):
        tailrace.Sweep.load(place)
    with Writer.opened(place, {}) as writer:
        [note] = writer.notes
        assert "4 finished runs were taken back" in note
        assert len(writer.index.runs()) == 4
    begun = []
    monkeypatch.setattr(sweep_runner, "Job", lambda *arguments: begun.append(arguments))
    again = tailrace.sweep(SMALL, QUEUES, runs=1, output=place)
    assert begun == []
    assert again.table().text("csv") == table
    assert again.flows.equals(before.flows)
    assert {file: file.read_bytes() for file in place.glob("parts/*")} == whole
    # A further cell gets a number that none has.
    monkeypatch.undo()
    more = tailrace.sweep(SMALL, {**QUEUES, "link.bottleneck.rate": ["1 Mbit/s"]}, runs=2, output=place)
    assert more.runs.height == 4


def test_parts_without_an_index_that_do_not_say_whose_they_are_are_left_alone(tmp_path):
    place = tmp_path / "s"
    tailrace.sweep(SMALL, QUEUES, runs=1, output=place)
    for file in place.glob("parts/*-summaries.parquet"):
        pl.read_parquet(file).select("cell", "run", "summary").write_parquet(file)
    (place / "index.sqlite").unlink()
    files = sorted(place.glob("parts/*"))
    with pytest.raises(
        UsageError, match=r"parts with finished runs, which do not say whose they are.*--fresh"
    ):
        tailrace.sweep(SMALL, QUEUES, runs=1, output=place)
    assert sorted(place.glob("parts/*")) == files
    assert tailrace.sweep(SMALL, QUEUES, runs=1, output=place, fresh=True).runs.height == 4


def test_of_damaged_parts_without_an_index_the_rest_is_taken_back(tmp_path):
    place = tmp_path / "s"
    tailrace.sweep(SMALL, QUEUES, runs=1, output=place)
    tailrace.sweep(SMALL, QUEUES, runs=2, output=place)
    flows = place / "parts" / "000001-flows.parquet"
    flows.write_bytes(flows.read_bytes()[:-9])
    (place / "index.sqlite").unlink()
    with Writer.opened(place, {}) as writer:
        assert [note.partition(":")[2] or note for note in writer.notes] == [
            f" 4 finished runs were taken back from {place}/parts",
            " their runs are done anew",
        ]
    assert tailrace.sweep(SMALL, QUEUES, runs=2, output=place).runs.height == 8


def test_parts_of_another_engine_are_no_ones_without_an_index_either(tmp_path, monkeypatch):
    place = tmp_path / "s"
    tailrace.sweep(SMALL, QUEUES, runs=1, output=place)
    (place / "index.sqlite").unlink()
    monkeypatch.setattr(identity, "ENGINE", "0.0.1+0")
    with pytest.raises(UsageError, match=r"of another engine .*--fresh"):
        tailrace.sweep(SMALL, QUEUES, runs=1, output=place)


@pytest.mark.parametrize("table", ["runs", "parts", "facts"])
def test_an_index_with_a_changed_column_is_damaged_and_disks_are_not_full(tmp_path, table):
    place = tmp_path / "s"
    tailrace.sweep(SMALL, QUEUES, runs=1, output=place)
    column = {"runs": "captures", "parts": "files", "facts": "value"}[table]
    with sqlite3.connect(place / "index.sqlite") as index:
        index.execute(f"ALTER TABLE {table} RENAME COLUMN {column} TO captured")
    with pytest.raises(
        UsageError, match=r"index\.sqlite is damaged: no such column.*move it away"
    ) as refused:
        found = tailrace.Sweep.load(place)
        _ = found.runs, found.flows, Reader(place).index.captured()
    assert "space" not in str(refused.value)


@pytest.mark.parametrize("damage", [b"", b"no database", None])
def test_a_damaged_index_is_named(tmp_path, damage):
    place = tmp_path / "s"
    tailrace.sweep(SMALL, QUEUES, runs=1, output=place)
    index = place / "index.sqlite"
    if damage is None:
        sqlite3.connect(index).execute("PRAGMA application_id = 5")
    else:
        index.write_bytes(damage)
    with pytest.raises(UsageError, match=r"index\.sqlite"):
        tailrace.Sweep.load(place)


def test_a_later_version_is_refused(tmp_path):
    place = tmp_path / "s"
    tailrace.sweep(SMALL, QUEUES, runs=1, output=place)
    sqlite3.connect(place / "index.sqlite").execute("PRAGMA user_version = 99")
    with pytest.raises(UsageError, match="later version"):
        tailrace.Sweep.load(place)


def test_a_folder_of_something_else_is_left_alone(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(UsageError, match="-o"):
        tailrace.sweep(SMALL, QUEUES, output=tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["notes.txt"]
    result = tmp_path / "r"
    tailrace.run(SMALL, runs=1).save(result)
    with pytest.raises(UsageError, match="no sweep"):
        tailrace.sweep(SMALL, QUEUES, output=result)


# -- what a sweep declares -----------------------------------------------------------------------------------------


def planned(text, *, seed=1, overrides=None):
    scenario = tailrace.Scenario.of(f"{SMALL}\n{text}", overrides)
    declared = declaration.of_file(scenario)
    return list(cells.Plan(declared, seed, cells.base(declared, scenario.written)).cells())


def test_a_file_declares_all_of_it():
    found = planned(
        """
        [sweep]
        "link.bottleneck.queue" = ["red", { kind = "codel", target = "10 ms" }]
        when = "load < 0.9 and queue.kind != 'red' or load == 0.9"
        [[sweep.zip]]
        "link.bottleneck.rate" = ["1 Mbit/s", "2 Mbit/s"]
        "link.bottleneck.delay" = ["10 ms", "5 ms"]
        [sweep.let]
        load = [0.5, 0.9]
        [sweep.derive]
        "flow.cbr.app.rate" = "rate * load / 2"
        """
    )
    assert [cell.label for cell in found] == [
        "red rate=1 Mbit/s delay=10 ms load=0.9",
        "red rate=2 Mbit/s delay=5 ms load=0.9",
        "codel rate=1 Mbit/s delay=10 ms load=0.5",
        "codel rate=1 Mbit/s delay=10 ms load=0.9",
        "codel rate=2 Mbit/s delay=5 ms load=0.5",
        "codel rate=2 Mbit/s delay=5 ms load=0.9",
    ]
    rates = [cell.overrides["flow.cbr.app.rate"] for cell in found]
    # 1 or 2 Mbit/s * load / 2
    assert [formulas.value_of(rate).value for rate in rates] == [450e3, 900e3, 250e3, 450e3, 500e3, 900e3]


def test_formulas_call_what_the_file_says_by_its_path():
    mean = """
        [sweep.let]
        share = [0.5, 0.25]
        [sweep.derive]
        "flow.cbr.app.rate" = "share * link.bottleneck.rate"
        """

    def rates(text, overrides=None):
        found = planned(text, overrides=overrides)
        return [formulas.value_of(cell.overrides["flow.cbr.app.rate"]).value for cell in found]

    assert rates(mean) == [1e6, 5e5]
    assert rates(mean, {"link.bottleneck.rate": "8 Mbit/s"}) == [4e6, 2e6]
    # Where a cell sets the value, or the table that it is in, that counts.
    preset = """
        [sweep]
        when = "link.bottleneck.queue.kind != 'red'"
        [sweep.preset.as_written]
        "flow.tcp.stop" = "3 s"
        [sweep.preset.slow]
        "link.bottleneck.rate" = "1 Mbit/s"
        [sweep.preset.red]
        "link.bottleneck.queue" = "red"
        [sweep.derive]
        "flow.cbr.app.rate" = "link.bottleneck.rate / 2"
        """
    assert rates(preset) == [1e6, 5e5]


@pytest.mark.parametrize(
    ("formula", "message"),
    [
        ("link.botleneck.rate / 2", r"there is no `link.botleneck`; did you mean `link.bottleneck.rate`\?"),
        ("link.bottleneck.mtu / '1 s'", r"the file does not say `link.bottleneck.mtu`"),
        ("bottleneck.rate / 2", "there is no 'bottleneck.rate'"),
    ],
)
def test_a_path_that_the_file_does_not_say_is_an_error_of_its_formula(formula, message):
    with pytest.raises(UsageError, match=f"derived flow.cbr.app.rate: .*{message}"):
        planned(f'[sweep.derive]\n"flow.cbr.app.rate" = "{formula}"')


def test_a_fault_is_varied_by_its_name():
    fault = '[[fault]]\nname = "first"\nat = "1 s"\nuntil = "2 s"\nlink = "bottleneck"\nkind = "down"\n'
    sweep = tailrace.sweep(SMALL + fault, {"fault.first.at": ["0.5 s", "1.5 s"]}, runs=1)
    assert sweep.cells["first.at"].to_list() == [0.5, 1.5]
    longer, shorter = sweep.metric("tcp.goodput")["value"].to_list()
    assert longer < shorter
    with pytest.raises(ScenarioError, match=r"there is no `fault\.second`"):
        tailrace.Scenario.of(SMALL + fault, {"fault.second.at": "1 s"})


def test_presets_are_one_axis():
    found = planned(
        """
        [sweep.preset.calm]
        "flow.cbr.app.rate" = "100 kbit/s"
        [sweep.preset.storm]
        "flow.cbr.app.rate" = "5 Mbit/s"
        "link.bottleneck.queue" = "red"
        """
    )
    assert [cell.label for cell in found] == ["calm", "storm"]
    assert found[1].overrides == {"flow.cbr.app.rate": '"5 Mbit/s"', "link.bottleneck.queue": '"red"'}


def test_samples_of_a_latin_hypercube_fill_every_stratum():
    text = (
        '[sweep]\nsamples = 20\n"link.bottleneck.delay" = "uniform(0 ms, 20 ms)"\nseed = "uniform(1, 1000)"\n'
    )
    found = planned(text)
    delays = sorted(formulas.value_of(cell.overrides["link.bottleneck.delay"]).value * 1e3 for cell in found)
    assert [int(delay) for delay in delays] == list(range(20))
    assert all(cell.overrides["seed"].isdecimal() for cell in found)
    assert found == planned(text)
    assert found != planned(text, seed=2)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"set_each": ["queue"]}, "takes path=value"),
        ({"set_each": ["a.b=1,2"], "derive": ["a.c=1 + x"]}, "there is no 'x'"),
        ({"let": ["x=5 ms"], "derive": ["a.c=x + 1"]}, r"s \+ no unit"),
        ({"let": ["x=5 ms"], "derive": ["a.c=x * x"]}, r"measured in s\^2"),
        ({"let": ["x=1,2"], "when": ["x"]}, "neither true nor false"),
        ({"let": ["x=1,2"], "when": ["__import__('os')"]}, "not allowed|there is no"),
        ({"let": ["x=0"], "derive": ["a.c=1 / x"]}, "division"),
        ({"together": ["a.b=1,2; a.c=1,2,3"]}, "must be as many"),
        ({"set_each": ["a.b=uniform(1 ms, 2 ms)"]}, "say how often"),
        ({"set_each": ["a.b=uniform(3 ms, 2 ms)"], "samples": 5}, "nothing can be drawn"),
        ({"set_each": ["a.b=uniform(3 ms, 2 packets)"], "samples": 5}, "one kind"),
        ({"samples": 5}, "something to draw"),
        ({"method": "sobol"}, "latin_hypercube"),
        ({"set_each": [f"a.b{i}=" + ",".join(map(str, range(1000))) for i in range(3)]}, "1000000000 cells"),
    ],
)
def test_what_cannot_be_is_said(options, message):
    with pytest.raises(UsageError, match=message):
        list(cells.Plan(declaration.of_options(declaration.Options(**options))).cells())


def test_formulas_know_units():
    names = {
        name: formulas.value_of(text) for name, text in {"rate": '"8 Mbit/s"', "rtt": '"100 ms"'}.items()
    }
    # The product of bandwidth and delay: 100 kB.
    assert formulas.Formula("rate * rtt", "x").as_toml(names) == '"100000 B"'
    assert formulas.Formula("max(rate / 4, rate - rate)", "x").as_toml(names) == '"2000000 bit/s"'
    assert (
        formulas.Formula("'5 ms' + rtt if rate > '1 Mbit/s' else rtt", "x").as_toml(names) == '"105000000 ns"'
    )
    assert formulas.Formula("sqrt(16) ** 2", "x").as_toml(names) == "16"


# -- tables --------------------------------------------------------------------------------------------------------


def test_metrics_have_names_and_errors_tell_the_nearest(swept):
    assert [metric.heading for metric in swept.metrics(["goodput"])] == [
        "cbr goodput [Mbit/s]",
        "tcp goodput [Mbit/s]",
    ]
    assert swept.metrics(["tcp.rtt_p99"])[0].figure == "rtt_s.p99"
    assert swept.metrics(["tcp.goodput_bps.min"])[0].figure == "goodput_bps.min"
    assert swept.metrics(["tcp.rtt_min"])[0].figure == "rtt_s.min"
    (median,) = swept.metrics(["median(tcp.goodput)"])
    assert median.heading == "median(tcp goodput) [Mbit/s]"
    assert swept.metrics(["cv(tcp.goodput)"])[0].heading == "cv(tcp goodput)"
    with pytest.raises(UsageError, match="over runs there are"):
        swept.metrics(["mode(goodput)"])
    with pytest.raises(UsageError, match="did you mean goodput"):
        swept.metrics(["godput"])
    with pytest.raises(UsageError, match=r"name one of cbr\.goodput, tcp\.goodput"):
        swept.metric("goodput")
    with pytest.raises(UsageError, match="no swept parameter"):
        swept.column("nonsense")
    assert swept.column("link.bottleneck.rate") == swept.column("rate") == "bottleneck.rate"


def test_tables_in_all_forms(swept):
    table = swept.table(["tcp.goodput", "utilization"])
    rows = json.loads(table.text("json"))
    assert [row["runs"] for row in rows] == [2] * 4
    leaf = rows[0]["tcp goodput [Mbit/s]"]
    assert leaf["low"] < leaf["mean"] < leaf["high"]
    assert leaf["n"] == 2
    csv = table.text("csv").splitlines()
    assert csv[0].startswith("bottleneck.queue,bottleneck.rate [bit/s],runs,tcp goodput [Mbit/s] mean,")
    assert len(csv) == 5
    latex = table.text("latex")
    assert latex.count("\\\\") == 5
    assert "\\toprule" in latex
    assert "utilization [\\%]" in latex
    assert table.text("md").count("|\n") >= 6


# -- whatever ends it ----------------------------------------------------------------------------------------------


def test_a_killed_sweep_goes_on_where_it_stopped(tmp_path):
    """Also at hand for longer: `python sweep_kills.py FOLDER 100 300 1`."""
    script = Path(__file__).with_name("sweep_kills.py")
    done = subprocess.run(
        [sys.executable, script, tmp_path, "6", "40", "1"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


# A file system of its own, so small that the sweep fills it; then it is enlarged.
FULL_DISK = """
mount -t tmpfs -o size=600k none {place} || exit 77
{sweep} && exit 1
test $? = 1 || exit 2
mount -o remount,size=50m none {place}
{sweep}
cp {place}/s/table.csv {place}/../table.csv
ls -A {place}/s {place}/s/captures > {place}/../files
"""


def test_a_disk_that_fills_loses_nothing(tmp_path):
    text = SMALL + '\n[[capture]]\nat = "bottleneck"\n'
    (tmp_path / "s.toml").write_text(text)
    rates = [f"{n} Mbit/s" for n in range(1, 6)]
    whole = tailrace.sweep(text, {"link.bottleneck.rate": rates}, runs=4, output=tmp_path / "whole")
    (tmp_path / "whole" / "table.csv").write_text(whole.table().text("csv"))
    (tmp_path / "small").mkdir()
    values = ",".join(rates)
    sweep = f"{sys.executable} -m tailrace sweep {tmp_path}/s.toml -o {tmp_path}/small/s --runs 4 -q"
    sweep = f"{sweep} --set-each 'link.bottleneck.rate={values}'"
    script = FULL_DISK.format(place=tmp_path / "small", sweep=sweep)
    done = subprocess.run(["unshare", "-m", "sh", "-c", script], capture_output=True, text=True, check=False)
    if done.returncode == 77 or "unshare" in done.stderr:
        pytest.skip(f"no file system can be mounted here: {done.stderr}")
    assert done.returncode == 0, done.stderr
    assert "free some space, and repeat the command" in done.stderr
    assert (tmp_path / "table.csv").read_text() == (tmp_path / "whole" / "table.csv").read_text()
    files = set((tmp_path / "files").read_text().split())
    assert {f"cell{cell}-run{run}" for cell in range(1, 6) for run in range(1, 5)} < files
    assert not [name for name in files if "journal" in name or ".new" in name]


def test_axes_that_go_together_take_the_place_of_the_files(tmp_path):
    own = SMALL + '\n[sweep]\n"link.bottleneck.queue" = ["droptail", "red", "codel"]\n'
    found = tailrace.sweep(
        own,
        together=[
            {"link.bottleneck.queue": ["droptail", "red"], "link.bottleneck.rate": ["1 Mbit/s", "2 Mbit/s"]}
        ],
        runs=1,
        output=tmp_path / "store",
    )
    assert len(found.plan) == 2
    assert found.cells["bottleneck.queue"].to_list() == ["droptail", "red"]
    assert found.cells["bottleneck.rate"].to_list() == [1e6, 2e6]

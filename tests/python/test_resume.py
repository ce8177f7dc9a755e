"""What `run`, `compare` and `twin` do not do again."""

import gc
import tarfile

import pytest

import tailrace
from conftest import ROOT, SMALL
from tailrace import api
from tailrace.cli import common
from tailrace.data import working_store
from tailrace.execution import progress
from tailrace.execution.execute import Outcome
from tailrace.scenario.scenario import Scenario
from tailrace.study import precision, result_runs
from tailrace.study.result_runs import Variants

CAPTURED = SMALL + '\n[[capture]]\nat = "bottleneck"\n'


def watched(_total):
    return progress.watch(quiet=True)


def begun(scenario, target, **options):
    """As a command that is killed before it saves; how many runs it found."""
    with working_store.opened(target, **options) as store:
        return result_runs.run(Variants(scenario, {"": scenario}), store, watched=watched).known


def run(scenario, target, *, goals=None, **options):
    """As the command does it: the result, and how many runs were found."""
    variants = Variants(scenario, {"": scenario})
    with working_store.opened(target, **options) as store:
        ended = result_runs.run(variants, store, goals=goals, watched=watched)
        result = result_runs.single(variants, store, ended)
        result.save(target)
        store.remove()
    return result, ended.known


def compare(cells, target):
    """The same of several; the comparison, and how many runs were found."""
    variants = Variants(next(iter(cells.values())), cells)
    with working_store.opened(target) as store:
        ended = result_runs.run(variants, store, watched=watched)
        found = result_runs.comparison(variants, store, ended)
        found.save(target)
        store.remove()
    return found, ended.known


def alike(one, other):
    for name in ("flows", "queues", "events", "flow_series", "connections"):
        assert one.table(name).equals(other.table(name)), name
    assert one.fingerprint == other.fingerprint
    assert one.aggregate["groups"] == other.aggregate["groups"]
    assert one.captures == other.captures


def test_more_runs_are_added_to_those_that_are_there(tmp_path):
    target = tmp_path / "r"
    assert run(Scenario.of(CAPTURED, {"runs": 2}), target)[1] == 0
    more, found = run(Scenario.of(CAPTURED, {"runs": 4}), target)
    assert found == 2
    alike(more, tailrace.run(CAPTURED, runs=4))
    alike(tailrace.Result.load(target), tailrace.Result.load(target))
    fewer, found = run(Scenario.of(CAPTURED, {"runs": 3}), target)
    assert (found, fewer.n) == (3, 3)
    assert run(Scenario.of(CAPTURED, {"runs": 3}), target, fresh=True)[1] == 0
    del more, fewer  # which have their captures beside
    gc.collect()
    assert sorted(place.name for place in tmp_path.iterdir()) == ["r"]


@pytest.mark.parametrize("change", [{"seed": 8}, {"link.bottleneck.rate": "3 Mbit/s"}])
def test_another_scenario_takes_over_nothing(tmp_path, change):
    run(Scenario.of(SMALL), tmp_path / "r")
    assert run(Scenario.of(SMALL, change), tmp_path / "r")[1] == 0


def test_another_engine_takes_over_nothing(tmp_path, monkeypatch):
    run(Scenario.of(SMALL), tmp_path / "r")
    monkeypatch.setattr("tailrace.execution.identity.ENGINE", "0.0.1+0")
    assert run(Scenario.of(SMALL), tmp_path / "r")[1] == 0


def test_runs_of_a_killed_command_are_taken_over(tmp_path):
    target = tmp_path / "r"
    assert begun(Scenario.of(CAPTURED, {"runs": 2}), target) == 0
    assert [place.name for place in tmp_path.iterdir()] == ["r.unfinished"]
    result, found = run(Scenario.of(CAPTURED), target)
    assert found == 2
    alike(result, tailrace.run(CAPTURED))
    del result  # which has its captures beside
    gc.collect()
    assert sorted(place.name for place in tmp_path.iterdir()) == ["r"]


def test_runs_of_a_killed_command_lie_beside_those_of_the_result_that_it_was_to_extend(tmp_path):
    target = tmp_path / "r"
    run(Scenario.of(CAPTURED, {"runs": 1}), target)
    assert begun(Scenario.of(CAPTURED, {"runs": 2}), target) == 1
    result, found = run(Scenario.of(CAPTURED), target)
    assert found == 2
    alike(result, tailrace.run(CAPTURED))


def test_what_is_to_be_known_closely_counts_runs_that_are_there(tmp_path):
    goals = precision.parse("goodput=0.001%", most=6)
    run(Scenario.of(SMALL, {"runs": 3}), tmp_path / "r")
    result, found = run(Scenario.of(SMALL), tmp_path / "r", goals=goals)
    alone, _ = run(Scenario.of(SMALL), tmp_path / "alone", goals=goals)
    assert (found, result.n, alone.n) == (3, 6, 6)
    alike(result, alone)
    assert result.manifest["runs_asked"] == 6


def test_a_store_that_others_write_or_that_is_damaged_stops_nobody(tmp_path):
    target, scenario = tmp_path / "r", Scenario.of(SMALL)
    with working_store.opened(target) as other:
        result_runs.run(Variants(scenario, {"": scenario.replaced({"runs": 1})}), other, watched=watched)
        with working_store.opened(target) as second:
            assert "is being written by" in second.notes[0]
            result_runs.run(Variants(scenario, {"": scenario}), second, watched=watched)
    assert run(scenario, tmp_path / "s")[1] == 0
    (tmp_path / "r.unfinished" / "index.sqlite").write_bytes(b"no database")
    assert run(scenario, target)[1] == 0
    assert run(scenario, target)[1] == 3


def test_a_full_disk_leaves_runs_in_memory(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tailrace.data.store.waiting.Appender.append", full)
    goals = precision.parse("goodput=50%", most=5)
    result, _ = run(Scenario.of(SMALL), tmp_path / "r", goals=goals)
    alike(result, tailrace.run(SMALL, runs=result.n))
    assert [place.name for place in tmp_path.iterdir()] == ["r"]


def test_nothing_is_left_where_no_run_ended(tmp_path):
    with working_store.opened(tmp_path / "r") as store:
        assert store.place.is_dir()
    assert not list(tmp_path.iterdir())


def test_a_comparison_takes_over_its_variants(tmp_path):
    variants = {queue: Scenario.of(SMALL, {"link.bottleneck.queue": queue}) for queue in ("droptail", "red")}
    target = tmp_path / "c"
    assert compare({"red": variants["red"]}, target)[1] == 0
    assert compare(variants, target)[1] == 3
    found, known = compare(variants, target)
    assert known == 6
    for label, scenario in variants.items():
        alike(found[label], tailrace.run(scenario))


def test_variants_that_say_the_same_share_their_runs(tmp_path):
    cells = {"a": Scenario.of(SMALL, {"runs": 2}), "b": Scenario.of(SMALL, {"runs": 3})}
    found, _ = compare(cells, tmp_path / "c")
    alike(found["a"], tailrace.run(SMALL, runs=2))
    alike(found["b"], tailrace.run(SMALL, runs=3))


def test_what_was_interrupted_is_taken_over(tmp_path):
    scenario = Scenario.of(SMALL)
    partial = api.watched(api.jobs_of(scenario)[:1], None, quiet=True)
    stopped = Outcome([partial.finished[0], None, None], interrupted=True)
    api.result_of(scenario, stopped).save(tmp_path / "r")
    result, found = run(scenario, tmp_path / "r")
    assert found == 1
    alike(result, tailrace.run(SMALL))


@pytest.mark.parametrize(
    ("name", "labels"), [("compare", ["droptail", "red"]), ("twin", ["simulated", "kernels"])]
)
def test_folders_of_before_are_read_and_replaced(tmp_path, name, labels):
    """Folders of 0.2.0: `compare` with `--set-each link.bottleneck.queue=droptail,red`, and `twin`."""
    with tarfile.open(ROOT / f"tests/python/folders/{name}-0.2.0.tar.xz") as archive:
        archive.extractall(tmp_path, filter="data")
    place = tmp_path / name
    found = tailrace.Comparison.load(place)
    assert list(found) == labels
    text = str(found)
    for label in labels:
        one = tailrace.Result.load(place / label)
        assert one.fingerprint == found[label].fingerprint
        assert one.group_series.height
        assert one["flows"].height == one.n
        assert label in text
    assert found.metrics_table(["goodput"]).rows
    assert found.report().html
    # Another engine: nothing is taken over, and what the folder holds of others stays.
    (place / "notes.txt").write_text("precious")
    scenario = Scenario.of(
        found[labels[0]].scenario_toml, {"host.a.kernel": "'none'"} if name == "twin" else {}
    )
    compare({"only": scenario}, place)
    assert list(tailrace.Comparison.load(place)) == ["only"]
    assert (place / "notes.txt").read_text() == "precious"
    assert not (place / labels[1]).exists()


def test_what_was_begun_anew_is_not_continued_by_beginning_anew_again(monkeypatch):
    monkeypatch.setattr("sys.argv", ["tailrace", "run", "a b.toml", "--fresh", "--runs", "3"])
    assert common.again().endswith("run 'a b.toml' --runs 3")

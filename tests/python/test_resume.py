"""What `run` and `compare` do not do again."""

import gc

import pytest

import tailrace
from conftest import SMALL
from tailrace import api
from tailrace.cli import common
from tailrace.data import resume
from tailrace.data.resume import Resumption
from tailrace.execution.execute import Outcome
from tailrace.scenario.scenario import Scenario

CAPTURED = SMALL + '\n[[capture]]\nat = "bottleneck"\n'


def run(scenario, target, **options):
    """As the command does it: the result, and how many runs were found."""
    with Resumption(target, **options) as resumed:
        outcome = api.watched(api.jobs_of(scenario), None, quiet=True, resumed=resumed)
        result = api.result_of(scenario, outcome)
        result.save(target)
        resumed.over()
    return result, resumed.found


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


def test_runs_of_a_killed_command_are_taken_over(tmp_path, monkeypatch):
    monkeypatch.setattr(resume, "_WORTH_LANDING_S", 0.0)
    target, scenario = tmp_path / "r", Scenario.of(CAPTURED)
    jobs = api.jobs_of(scenario)
    killed = Resumption(target)
    api.watched(jobs[:2], None, quiet=True, resumed=killed)
    # What a killed process holds is let go by the system.
    killed._open.close()
    killed.spill.close()
    assert [place.name for place in tmp_path.iterdir()] == ["r.unfinished"]
    result, found = run(scenario, target)
    assert found == 2
    alike(result, tailrace.run(CAPTURED))
    del result  # which has its captures beside
    gc.collect()
    assert sorted(place.name for place in tmp_path.iterdir()) == ["r"]


def test_a_store_that_others_write_or_that_is_damaged_stops_nobody(tmp_path, monkeypatch):
    monkeypatch.setattr(resume, "_WORTH_LANDING_S", 0.0)
    target, scenario = tmp_path / "r", Scenario.of(SMALL)
    other = Resumption(target)
    api.watched(api.jobs_of(scenario)[:1], None, quiet=True, resumed=other)
    assert run(scenario, target)[1] == 1
    other._open.close()
    (tmp_path / "r.unfinished" / "index.sqlite").write_bytes(b"no database")
    assert run(scenario, tmp_path / "other", fresh=True)[1] == 0
    assert run(scenario, target)[1] == 3


def test_a_comparison_takes_over_its_variants(tmp_path):
    variants = {queue: Scenario.of(SMALL, {"link.bottleneck.queue": queue}) for queue in ("droptail", "red")}
    target = tmp_path / "c"

    def compare(chosen):
        with Resumption(target) as resumed:
            jobs = [job for label in chosen for job in api.jobs_of(variants[label], label)]
            outcome = api.watched(jobs, None, quiet=True, resumed=resumed)
            api.comparison_of({label: variants[label] for label in chosen}, jobs, outcome, "c").save(target)
            resumed.over()
        return resumed.found

    assert compare(["red"]) == 0
    assert compare(["droptail", "red"]) == 3
    assert compare(["droptail", "red"]) == 6


def test_what_was_interrupted_is_taken_over(tmp_path):
    scenario = Scenario.of(SMALL)
    jobs = api.jobs_of(scenario)
    partial = api.watched(jobs[:1], None, quiet=True)
    stopped = Outcome([partial.finished[0], None, None], interrupted=True)
    api.result_of(scenario, stopped).save(tmp_path / "r")
    result, found = run(scenario, tmp_path / "r")
    assert found == 1
    alike(result, tailrace.run(SMALL))


def test_what_was_begun_anew_is_not_continued_by_beginning_anew_again(monkeypatch):
    monkeypatch.setattr("sys.argv", ["tailrace", "run", "a b.toml", "--fresh", "--runs", "3"])
    assert common.again().endswith("run 'a b.toml' --runs 3")

"""Running from Python: the result contract, determinism, overrides, errors, interruption."""

import json
import math
import threading
import time

import polars as pl
import pytest
import typer

import tailrace
from conftest import SMALL
from tailrace import _native, api
from tailrace.cli import kept_runs
from tailrace.execution import execute
from tailrace.study.result_runs import Ended

GROUP_SPREADS = ("goodput_bps", "throughput_bps")
GROUP_COUNTS = (
    "flows",
    "sent_packets",
    "lost_packets",
    "marked_packets",
    "retransmitted_packets",
    "timeouts",
)
DISTRIBUTION = {"mean", "sd", "min", "p50", "p95", "p99", "max"}


def test_the_document_has_the_keys_of_the_contract(small):
    assert set(small.summary) == {"scenario", "fingerprint", "runs", "aggregate"}
    assert [entry["run"] for entry in small.summary["runs"]] == [1, 2, 3]
    for entry in small.summary["runs"]:
        assert set(entry) >= {"run", "seed", "groups", "queues", "connections", "engine"}
        for group in entry["groups"].values():
            assert all(set(group[key]) == {"mean", "sd", "min", "max", "sum"} for key in GROUP_SPREADS)
            assert all(isinstance(group[key], int) for key in GROUP_COUNTS)
            assert set(group["one_way_delay_s"]) == DISTRIBUTION
            assert 0 <= group["loss_ratio"] <= 1
        assert entry["groups"]["cbr"]["role"] == "attack"
        queue = entry["queues"]["r1->r2"]
        assert queue["kind"] == "droptail"
        assert set(queue["sojourn_s"]) == DISTRIBUTION
        assert {"mean", "sd", "min", "max"} <= set(queue["backlog_packets"])
        assert {"overlimit", "aqm"} <= set(queue["dropped_packets"])
        assert set(entry["engine"]) >= {"simulated_s", "wall_s", "events", "packet_hops", "peak_rss_bytes"}


def test_the_document_is_strict_json(small):
    def refuse(constant):
        raise AssertionError(constant)

    assert json.loads(small.to_json(), parse_constant=refuse) == small.summary


def test_the_aggregate_has_the_same_leaves(small):
    def leaves(tree, path=()):
        for key, value in tree.items():
            if isinstance(value, dict) and not {"mean", "ci95", "n"} <= set(value):
                yield from leaves(value, (*path, key))
            else:
                yield (*path, key)

    ignored = {"run", "seed", "fingerprint"}
    first = {k: v for k, v in small.summary["runs"][0].items() if k not in ignored}
    assert set(leaves(first)) == set(leaves(small.aggregate))
    goodputs = [run["groups"]["tcp"]["goodput_bps"]["sum"] for run in small.summary["runs"]]
    found = small.aggregate["groups"]["tcp"]["goodput_bps"]["sum"]
    assert found["mean"] == pytest.approx(math.fsum(goodputs) / 3)
    assert found["n"] == 3
    assert found["ci95"] > 0


def test_the_bottleneck_is_full_and_loses_packets(small):
    queue = small.summary["runs"][0]["queues"]["r1->r2"]
    assert queue["utilization"] > 0.9
    assert queue["dropped_packets"]["overlimit"] > 0
    # 2 Mbit/s is all there is; the CBR flow offers a quarter of it.
    groups = small.summary["runs"][0]["groups"]
    assert groups["tcp"]["goodput_bps"]["sum"] + groups["cbr"]["goodput_bps"]["sum"] < 2e6
    assert 0.2e6 < groups["cbr"]["goodput_bps"]["sum"] < 0.55e6


def test_tables_agree_with_the_summary(small):
    flows = small.flows.filter(pl.col("run") == 1, pl.col("group").cast(pl.String) == "tcp")
    entry = small.summary["runs"][0]["groups"]["tcp"]
    assert len(flows) == entry["flows"] == 2
    assert flows["sent_packets"].sum() == entry["sent_packets"]
    assert flows["lost_packets"].sum() == entry["lost_packets"]
    assert flows["goodput_bps"].sum() == pytest.approx(entry["goodput_bps"]["sum"])


def test_series_cover_all_runs_and_the_whole_duration(small):
    for frame in (small.flow_series, small.queue_series):
        assert frame["run"].unique().sort().to_list() == [1, 2, 3]
        assert frame["time_s"].max() == pytest.approx(6.0, abs=0.11)
    assert {"cwnd_segments", "throughput_bps", "one_way_delay_s", "lost_packets"} <= set(
        small.flow_series.columns
    )
    assert small.queue_series["backlog_packets"].max() <= 20


def test_same_seed_same_fingerprint_whatever_the_number_of_threads(small):
    for jobs in (1, 8):
        again = tailrace.run(SMALL, jobs=jobs)
        assert again.fingerprint == small.fingerprint
        for name in ("flows", "flow_series", "queue_series", "events"):
            assert again.table(name).equals(small.table(name))


def test_another_seed_another_fingerprint(small):
    assert tailrace.run(SMALL, seed=8).fingerprint != small.fingerprint


def test_a_run_does_not_depend_on_how_many_there_are(small):
    alone = tailrace.run(SMALL, runs=1)
    ignored = {"engine"}
    first = {k: v for k, v in small.summary["runs"][0].items() if k not in ignored}
    assert {k: v for k, v in alone.summary["runs"][0].items() if k not in ignored} == first
    assert alone.aggregate["groups"]["tcp"]["jain"]["ci95"] is None


def test_sources_can_be_text_paths_dictionaries_and_scenarios(small, small_file):
    import tomllib

    for source in (small_file, str(small_file), tomllib.loads(SMALL), tailrace.Scenario(SMALL)):
        assert tailrace.run(source).fingerprint == small.fingerprint


def test_the_resolved_scenario_gives_the_same_run(small):
    assert tailrace.run(small.scenario_toml).fingerprint == small.fingerprint


def test_overrides_change_the_run(small, small_codel):
    assert small_codel.summary["runs"][0]["queues"]["r1->r2"]["kind"] == "codel"
    delay = ("groups", "tcp", "one_way_delay_s", "mean")

    def mean(result):
        found = result.aggregate
        for key in delay:
            found = found[key]
        return found["mean"]

    assert mean(small_codel) < mean(small)


def test_scenario_errors_carry_text_and_data():
    with pytest.raises(tailrace.ScenarioError) as caught:
        tailrace.run(SMALL.replace('kind = "droptail"', 'kind = "dropptail"'))
    assert "droptail" in str(caught.value)
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic["severity"] == "error"
    assert diagnostic["line"] == SMALL[: SMALL.index('kind = "droptail"')].count("\n") + 1


def test_an_override_that_names_nothing_is_an_error():
    with pytest.raises(tailrace.ScenarioError, match="bottelneck"):
        tailrace.Scenario(SMALL, overrides={"link.bottelneck.rate": "1mbit"})


def test_a_missing_file_is_a_usage_error_that_names_the_nearest(small_file):
    with pytest.raises(tailrace.UsageError, match=r"did you mean .*small\.toml"):
        tailrace.run(small_file.with_name("smal.toml"))


def test_warnings_that_repeat_for_each_link_are_counted_not_repeated():
    scenario = tailrace.Scenario.of(
        {
            "name": "slip",
            "duration": "10 s",
            "host": [{"name": "src", "count": 40}, {"name": "dst"}],
            "router": [{"name": "r"}],
            "link": [
                {"between": ["src[*]", "r"], "rate": "10 Mbit/s", "delay": "20 ms", "queue": "droptail"},
                {"between": ["r", "dst"], "rate": "1 Gbit/s", "delay": "1 ms"},
            ],
            "flow": [
                {
                    "name": "tcp",
                    "from": "src[*]",
                    "to": "dst",
                    "transport": {"kind": "tcp", "window": 1},
                    "app": "bulk",
                }
            ],
        }
    )
    assert len(scenario.warnings) == len(scenario.outline["warnings"]) <= 3
    assert any("40 links of src[*]-r" in warning for warning in scenario.warnings)


def test_a_cancelled_task_says_so():
    scenario = tailrace.Scenario(SMALL, overrides={"duration": "100000 s"})
    task = _native.Task(scenario.native, 1)
    threading.Timer(0.2, task.cancel).start()
    start = time.monotonic()
    assert task.execute().interrupted
    assert time.monotonic() - start < 60
    assert 0 < task.progress() < 1


def test_jobs_under_way_stop_on_ctrl_c_and_finished_ones_are_kept():
    scenario = tailrace.Scenario(SMALL)
    endless = scenario.replaced({"duration": "100000 s"})
    jobs = [*api.jobs_of(scenario), execute.Job(endless, 1)]

    class CtrlC(execute.Silent):
        ended_jobs = 0

        def ended(self, job, wall_s):  # noqa: ARG002
            self.ended_jobs += 1
            if self.ended_jobs == 3:
                raise KeyboardInterrupt

    outcome = execute.execute(jobs, 2, CtrlC())
    assert outcome.interrupted
    assert [run is not None for run in outcome.finished] == [True, True, True, False]
    kept = api.result_of(scenario, execute.Outcome(outcome.finished[:3], interrupted=True))
    assert kept.n == 3


def test_a_run_that_fails_is_named_and_the_others_go_on(monkeypatch):
    class Failing:
        def __init__(self, scenario, run, *others):
            self.run, self.task = run, real(scenario, run, *others)
            self.progress, self.cancel = self.task.progress, self.task.cancel

        def execute(self):
            if self.run == 2:
                raise RuntimeError("the second fails")
            return self.task.execute()

    real = _native.Task
    monkeypatch.setattr(_native, "Task", Failing)
    scenario = tailrace.Scenario(SMALL)
    outcome = execute.execute(api.jobs_of(scenario), 2)
    assert outcome.errors == ["run 2 failed: RuntimeError: the second fails"]
    result = api.result_of(scenario, outcome)
    assert [entry["run"] for entry in result.summary["runs"]] == [1, 3]
    assert result.manifest["status"] == "failed"
    with pytest.raises(tailrace.RunError, match="the second fails"):
        api.result_of(scenario, execute.Outcome([None], outcome.errors))


def test_what_ends_the_only_run_is_said_once(capsys):
    """By the error that ends the command; where others go on, by a line of its own."""
    with pytest.raises(tailrace.RunError, match="run 1 failed: why"):
        execute.completed(execute.Outcome([None], ["run 1 failed: why"]))
    assert capsys.readouterr().err == ""
    with pytest.raises(typer.Exit):
        kept_runs.exit_code_of(Ended(1, 0, 0, ["run 1 failed: why"], interrupted=True))
    assert "run 1 failed: why" in capsys.readouterr().err


def test_ctrl_c_in_python_hands_over_what_had_ended(monkeypatch):
    real = execute.execute

    def stopped(jobs, threads, watch, *_others):
        outcome = real(jobs, threads, watch)
        return execute.Outcome([outcome.finished[0], None, None], interrupted=True)

    monkeypatch.setattr(execute, "execute", stopped)
    with pytest.raises(KeyboardInterrupt) as caught:
        tailrace.run(SMALL)
    assert caught.value.partial.n == 1
    assert caught.value.partial.manifest["status"] == "interrupted"


def test_a_run_that_heeds_nothing_is_left_behind(monkeypatch):
    class Stuck:
        def __init__(self, scenario, run, *others):
            self.run, self.task = run, real(scenario, run, *others)
            self.progress, self.cancel = self.task.progress, self.task.cancel

        def execute(self):
            if self.run == 2:
                time.sleep(60)
            return self.task.execute()

    real = _native.Task
    monkeypatch.setattr(_native, "Task", Stuck)
    monkeypatch.setattr(execute, "_GRACE_S", 0.3)
    jobs = api.jobs_of(tailrace.Scenario(SMALL, overrides={"runs": 2}))
    start = time.monotonic()
    outcome = execute.execute(jobs, 2, stop=lambda: time.monotonic() - start > 2)
    assert time.monotonic() - start < 30
    assert outcome.interrupted
    assert [run is not None for run in outcome.finished] == [True, False]


def test_ctrl_c_while_workers_start_is_an_interruption_like_any_other(monkeypatch):
    started = []

    class Thread(threading.Thread):
        def start(self):
            if len(started) == 2:
                raise KeyboardInterrupt
            started.append(self)
            super().start()

    monkeypatch.setattr(threading, "Thread", Thread)
    scenario = tailrace.Scenario(SMALL, overrides={"duration": "100000 s"})
    assert execute.execute(api.jobs_of(scenario) * 2, 4).interrupted


def test_variants_are_paths_text_dictionaries_or_scenarios(small_file):
    comparison = tailrace.run_variants(
        {"path": small_file, "text": SMALL, "scenario": tailrace.Scenario(SMALL)}
    )
    assert len({result.fingerprint for result in comparison.values()}) == 1


def test_numbers_may_be_numpys(small):
    import numpy as np

    again = tailrace.run(
        SMALL, seed=np.int64(7), runs=np.uint8(3), set={"record.events": np.bool_(True), "warmup": "0 s"}
    )
    assert again.fingerprint == small.fingerprint
    assert (
        tailrace.Scenario.of(SMALL, set={"flow.cbr.app.jitter": np.float64(0.1)}).to_toml()
        == small.scenario_toml
    )


def test_the_catalog_describes_every_parameter():
    queues = {queue["name"]: queue for queue in tailrace.list_queues()}
    assert {"droptail", "red", "codel", "sfq"} <= set(queues)
    assert {"reno", "newreno", "cubic"} <= {entry["name"] for entry in api.catalog()["cc"]}
    for queue in queues.values():
        assert queue["doc"]
        assert all(parameter["doc"] and "default" in parameter for parameter in queue["params"])
    target = next(p for p in queues["codel"]["params"] if p["name"] == "target")
    assert target["default"] == "5 ms"


def test_every_default_of_the_catalog_can_be_written_into_a_scenario():
    from tailrace.text import toml_text

    for queue in tailrace.list_queues():
        written = {"kind": queue["name"], **{p["name"]: p["default"] for p in queue["params"]}}
        plain = tailrace.Scenario(SMALL, overrides={"link.bottleneck.queue": queue["name"]})
        full = tailrace.Scenario(SMALL, overrides={"link.bottleneck.queue": toml_text.value(written)})
        assert full.to_toml() == plain.to_toml()


def test_the_schema_is_json():
    schema = json.loads(_native.schema())
    assert {"name", "duration", "link", "flow"} <= set(schema["properties"])

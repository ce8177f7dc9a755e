"""Searches: what is proposed, what counts, and that nothing but trials and seed decides it."""

import html
import json
import shlex

import polars as pl
import pytest

import tailrace
from conftest import SMALL, command_line
from tailrace.data.store import Writer
from tailrace.errors import ScenarioError, UsageError
from tailrace.show import report
from tailrace.study import declaration, sampler, search_driver
from tailrace.study.declaration import Range
from tailrace.study.sampler import Space, Told, propose
from test_attack_damage import ATTACKED

pytest.importorskip("optuna")

RATE = {"link.bottleneck.rate": "uniform(1 Mbit/s, 4 Mbit/s)"}
BOTH = {"link.bottleneck.queue": ["droptail", "red", "codel"], **RATE}
GOAL = {"minimize": "tcp.rtt_p99", "subject_to": "tcp.goodput > '1 Mbit/s'"}


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    place = tmp_path_factory.mktemp("search") / "s"
    return tailrace.search(SMALL, BOTH, **GOAL, trials=16, runs=2, output=place)


def test_proposals_come_near_to_what_is_best():
    space = Space({"x": Range("0", "1"), "kind": ["a", "b", "c"]})
    for method, closest in (("tpe", 0.02), ("random", 0.2)):
        told = []
        while len(told) < 60:
            points = propose(space, told, 4, maximize=True, sampler=method, seed=1)
            values = [-((p["x"] - 0.3) ** 2) - (p["kind"] != 2) for p in points]
            told += [Told(p, v, allowed=True) for p, v in zip(points, values, strict=True)]
        best = max(told, key=lambda one: one.value).point
        assert best["kind"] == 2
        assert abs(best["x"] - 0.3) < closest
        # Later trials are better than the first ones, which are drawn anywhere.
        if method == "tpe":
            assert sum(t.value for t in told[-20:]) > sum(t.value for t in told[:20])
    again = propose(space, told[:40], 4, maximize=True, sampler="tpe", seed=1)
    assert again == propose(space, told[:40], 4, maximize=True, sampler="tpe", seed=1)
    assert again != propose(space, told[:40], 4, maximize=True, sampler="tpe", seed=2)


def test_trials_that_fail_or_are_not_allowed_are_avoided():
    space, told = Space({"x": Range("0", "1")}), []
    while len(told) < 80:
        for point in propose(space, told, 4, maximize=True, sampler="tpe", seed=1):
            x = point["x"]
            told.append(Told(point, None if x > 0.9 else x, allowed=x <= 0.5))
    tried = [one.point["x"] for one in told[40:]]
    assert sum(x > 0.6 for x in tried) < len(tried) / 4
    assert max(x for x in tried if x <= 0.5) > 0.45


def test_a_search_has_its_best_its_trials_and_a_sweep(found):
    trials = found.trials
    assert trials.columns == [
        "trial", "bottleneck.queue", "bottleneck.rate", "state", "value", "low", "high", "runs",
    ]  # fmt: skip
    assert trials["trial"].to_list() == list(range(1, 17))
    assert set(trials["runs"]) == {2}
    ok = trials.filter(trials["state"] == "ok")
    assert 0 < ok.height < 16
    assert found.best.value.mean == ok["value"].min()
    assert found.best.number == ok.sort("value")["trial"][0]
    # It is the run of its values.
    alone = tailrace.run(SMALL, runs=2, set=found.best.overrides)
    runs = [run["groups"]["tcp"]["rtt_s"]["p99"] * 1e3 for run in alone.summary["runs"]]
    assert found.best.value.mean == pytest.approx(sum(runs) / 2)
    assert found.sweep.metric("tcp.rtt_p99").height == 32
    goodput = found.sweep.metric("tcp.goodput").group_by("label").agg(pl.col("value").mean())
    assert dict(goodput.iter_rows())[f"trial {found.best.number}"] > 1
    assert found.table().text("csv") == tailrace.Search.load(found.place).table().text("csv")


@pytest.mark.parametrize("landings", [1, 2, 5])
def test_a_search_that_is_stopped_goes_on_as_if_it_had_not_been(found, tmp_path, monkeypatch, landings):
    real, count = Writer.land, []

    def land(writer, runs, failures=()):
        real(writer, runs, failures)
        count.append(len(runs))
        if len(count) == landings:
            raise KeyboardInterrupt

    monkeypatch.setattr(Writer, "land", land)
    with pytest.raises(KeyboardInterrupt):
        tailrace.search(SMALL, BOTH, **GOAL, trials=16, runs=2, output=tmp_path / "s")
    monkeypatch.setattr(Writer, "land", real)
    again = tailrace.search(SMALL, BOTH, **GOAL, trials=16, runs=2, output=tmp_path / "s", jobs=1)
    assert again.table().text("csv") == found.table().text("csv")
    assert again.sweep.runs.drop("wall_s").equals(found.sweep.runs.drop("wall_s"))


def test_more_trials_later_are_those_of_a_longer_search(found, tmp_path):
    tailrace.search(SMALL, BOTH, **GOAL, trials=6, runs=2, output=tmp_path / "s")
    more = tailrace.search(SMALL, BOTH, **GOAL, trials=16, runs=2, output=tmp_path / "s")
    assert more.table().text("csv") == found.table().text("csv")
    # And fewer are not taken away.
    fewer = tailrace.search(SMALL, BOTH, **GOAL, trials=3, runs=2, output=tmp_path / "s")
    assert fewer.trials.height == 16


def test_conditions_call_what_the_file_says():
    rate = {"link.bottleneck.rate": ["2 Mbit/s", "4 Mbit/s"]}
    small = tailrace.search(
        SMALL, rate, maximize="tcp.goodput", subject_to="tcp.goodput < flow.cbr.app.rate", trials=4, runs=1
    )
    assert small.trials["state"].unique().to_list() == ["not allowed"]
    large = tailrace.search(
        SMALL, rate, maximize="tcp.goodput", subject_to="tcp.goodput > flow.cbr.app.rate", trials=4, runs=1
    )
    assert large.trials["state"].unique().to_list() == ["ok"]


def test_a_trial_that_cannot_be_run_is_a_failed_one():
    limits = {"link.bottleneck.queue.limit": ["20 packets", "20 bananas", "50 packets"]}
    found = tailrace.search(SMALL, limits, maximize="tcp.goodput", trials=8, runs=1)
    states = dict(found.trials.select(found.sweep.varied[-1], "state").iter_rows())
    assert states == {20.0: "ok", 50.0: "ok", None: "failed"}
    assert "20 bananas" in str(found)
    assert found.best.overrides["link.bottleneck.queue.limit"] != "20 bananas"
    with pytest.raises(ScenarioError, match="bananas"):
        tailrace.search(SMALL, {"link.bottleneck.queue.limit": ["20 bananas"]}, maximize="tcp.goodput")


def test_values_that_follow_and_what_is_not_run():
    found = tailrace.search(
        SMALL,
        {"flow.cbr.app.size": ["200 B", "500 B", "1000 B"]},
        let={"load": "uniform(0.1, 0.9)", "rate": "2 Mbit/s"},
        derive={"flow.cbr.app.rate": "rate * load"},
        when="load < 0.5",
        subject_to=["`r1->r2.sojourn_p99` < '1 s' and load > 0.2", "tcp.loss < 0.9"],
        minimize="tcp.goodput",
        trials=12,
        runs=1,
    )
    trials = found.trials
    run = trials.filter(trials["runs"] > 0)
    assert (run["load"] < 0.5).all()
    assert run["cbr.rate"].to_list() == pytest.approx([2e6 * load for load in run["load"]], abs=1)
    left_out = trials.filter(trials["runs"] == 0)
    assert left_out.height > 0
    assert set(left_out["state"]) == {"not allowed"}
    assert (trials.filter(trials["state"] == "ok")["load"] > 0.2).all()
    assert "flow.cbr.app.rate" in found.best.overrides


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"maximize": "goodput"}, r"goodput is ambiguous: name one of cbr\.goodput, tcp\.goodput"),
        ({"maximize": "tcp.godput"}, "did you mean"),
        ({}, "one metric"),
        ({"maximize": "tcp.goodput", "minimize": "tcp.rtt"}, "one metric"),
        ({"maximize": "tcp.goodput", "over": {}}, "nothing to search over"),
        ({"maximize": "tcp.goodput", "over": {"link.bottleneck.rate": "uniform(3, 2)"}}, "nothing can be"),
        ({"maximize": "tcp.goodput", "sampler": "cmaes"}, "tpe, random"),
        ({"maximize": "tcp.goodput", "trials": 0}, "at least one"),
        ({"maximize": "tcp.goodput", "subject_to": "tcp.rtt <"}, "no formula"),
        ({"maximize": "tcp.goodput", "subject_to": "tcp.rtt < 3"}, r"s compared with no unit"),
        ({"maximize": "tcp.goodput", "subject_to": "nonsense < 3"}, "no metric 'nonsense'"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_said_before_anything_is_run(options, message, tmp_path):
    with pytest.raises(UsageError, match=message):
        tailrace.search(SMALL, **{"over": RATE, **options}, runs=1, output=tmp_path / "search")
    assert not (tmp_path / "search").exists()


def test_a_folder_holds_one_search(found, tmp_path):
    with pytest.raises(UsageError, match=r"another search: goal, maximize differ; .*--fresh"):
        tailrace.search(
            SMALL, BOTH, maximize="tcp.goodput", subject_to=GOAL["subject_to"], runs=2, output=found.place
        )
    tailrace.sweep(SMALL, {"link.bottleneck.queue": ["red"]}, runs=1, output=tmp_path / "sweep")
    with pytest.raises(UsageError, match="a sweep that is no search"):
        tailrace.search(SMALL, RATE, maximize="tcp.goodput", output=tmp_path / "sweep")
    with pytest.raises(UsageError, match="no search"):
        tailrace.Search.load(tmp_path / "sweep")


def test_what_a_search_wants_reads_back():
    wanted = search_driver.Wanted(
        "tcp.goodput",
        True,
        declaration.searched("--over", ["a.b=log_uniform(1 ms, 2 s)", "a.c=1,2"]),
        trials=7,
    )
    back = search_driver.Wanted.of_json(wanted.as_json())
    assert back.over == wanted.over
    assert back.as_json() == wanted.as_json()
    assert sampler.Space(back.over).value("a.b", 0.0) == '"1000000 ns"'


def test_the_command_that_is_named_shows_what_an_attack_costs(tmp_path):
    swept = ATTACKED + '\n[sweep]\n"link.bottleneck.queue" = ["droptail", "red"]\n'
    (tmp_path / "attacked.toml").write_text(swept)
    rate = "flow.flood.app.rate=uniform(100 kbit/s, 2 Mbit/s)"
    goal = ("--maximize", "potency", "--over", rate, "--trials", "2", "--runs", "1", "-o", "found")
    done = command_line("search", "attacked.toml", *goal, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    command = shlex.split(done.stderr.rstrip().splitlines()[-1].partition(" sweep ")[2])
    again = command_line("sweep", *command, "--format", "json", "-q", cwd=tmp_path)
    assert again.returncode == 0, again.stderr
    (row,) = json.loads(again.stdout)
    assert row["potency [B/B]"]["mean"] == pytest.approx(
        tailrace.Search.load(tmp_path / "found").best.value.mean
    )


def test_python_writes_the_tables_that_the_command_writes(tmp_path):
    tailrace.search(SMALL, RATE, maximize="tcp.goodput", trials=2, runs=1, output=tmp_path / "s")
    assert len((tmp_path / "s" / "table.csv").read_text().splitlines()) == 3
    assert "tcp goodput" in (tmp_path / "s" / "table.md").read_text()


@pytest.mark.usefixtures("small_file")
def test_the_command_line_names_the_best_and_how_to_run_it(tmp_path):
    rate = f"link.bottleneck.rate={RATE['link.bottleneck.rate']}"
    words = [
        "search",
        "small.toml",
        "--maximize",
        "tcp.goodput",
        "--over",
        rate,
        "--trials",
        "6",
        "--runs",
        "2",
    ]
    done = command_line(*words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    (place,) = (tmp_path / "results").iterdir()
    lines = (place / "table.csv").read_text().splitlines()
    assert lines[0].startswith("trial,bottleneck.rate [bit/s],state,runs,tcp goodput [Mbit/s] mean")
    assert len(lines) == 7
    command = shlex.split(done.stderr.rstrip().splitlines()[-1].partition(" run ")[2])
    again = command_line("run", *command, "--json", "-q", cwd=tmp_path)
    assert again.returncode == 0, again.stderr
    goodput = json.loads(again.stdout)["aggregate"]["groups"]["tcp"]["goodput_bps"]["sum"]
    assert goodput["mean"] / 1e6 == pytest.approx(tailrace.Search.load(place).best.value.mean)
    assert goodput["n"] == 2
    nothing = command_line(*words, "--subject-to", "tcp.goodput > '9 Mbit/s'", "-o", "none", cwd=tmp_path)
    assert nothing.returncode == 3
    assert "none of the trials" in nothing.stderr
    assert len((tmp_path / "none" / "table.csv").read_text().splitlines()) == 7


def test_a_report_says_which_trial_is_the_best_and_how_to_run_it(found):
    page = found.report().page
    assert page.kind == "search of 16 trials"
    best = found.best
    assert page.statements[0].about == "Best"
    assert page.statements[0].text.startswith(f"Trial {best.number} has the smallest tcp.rtt_p99: ")
    assert "bottleneck.rate = " in page.statements[0].text
    assert [section.title for section in page.sections][:3] == ["Run the best trial", "Figures", "Trials"]
    text = html.unescape(page.text())
    assert f"tailrace {found.command}" in text
    assert found.ranked_table().rows[0].label == f"trial {best.number}"


def test_a_report_of_a_search_without_a_best_trial_says_so(tmp_path):
    goal = {"minimize": "tcp.rtt_p99", "subject_to": "tcp.goodput > '1 Gbit/s'"}
    none = tailrace.search(SMALL, RATE, **goal, trials=2, output=tmp_path / "s")
    told = [statement.text for statement in report.of_folder(none.place).page.statements]
    assert told[:2] == [
        "No trial is what was asked for.",
        "Of 2 trials 2 not allowed: none of these can be the best.",
    ]

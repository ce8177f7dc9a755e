"""What attacks cost: by hand, and against runs without the attack."""

import json
import re

import polars as pl
import pytest

import tailrace
from conftest import command_line
from tailrace.errors import UsageError
from tailrace.stats import metrics, numbers, statistics
from tailrace.study import attack_damage, sweep_runner
from tailrace.study.cells import Cell

ATTACKED = """
name = "attacked"
duration = "6 s"
warmup = "1 s"
runs = 2
host = [{ name = "tcp", count = 2 }, { name = "bot" }, { name = "sink" }]
router = [{ name = "r1" }, { name = "r2" }]
link = [
  { between = ["tcp[*]", "r1"], rate = "20 Mbit/s", delay = "uniform(1 ms, 5 ms)" },
  { between = ["bot", "r1"], rate = "20 Mbit/s", delay = "1 ms" },
  { name = "bottleneck", between = ["r1", "r2"], rate = "2 Mbit/s", delay = "5 ms", queue = "droptail limit 20" },
  { between = ["r2", "sink"], rate = "20 Mbit/s", delay = "1 ms" },
]
flow = [
  { name = "web", from = "tcp[*]", to = "sink", transport = "tcp", app = "bulk", start = "uniform(0 s, 1 s)" },
  { name = "flood", from = "bot", to = "sink", role = "attack", transport = "udp", start = "2 s", stop = "5 s",
    app = { kind = "cbr", rate = "1 Mbit/s", size = "500 B" } },
]
[[window]]
name = "during"
start = "2 s"
end = "5 s"
"""
RATES = {"flow.flood.app.rate": ["500 kbit/s", "1 Mbit/s"], "link.bottleneck.queue": ["droptail", "red"]}


def group(role, goodput_bps, delivered_bytes, sent_bytes):
    whole = {"delivered_bytes": delivered_bytes, "sent_bytes": sent_bytes}
    return {"role": role, "goodput_bps": {"sum": goodput_bps}, "whole_run": whole}


def entry(web, ping, flood):
    return {
        "groups": {
            "web": group("normal", *web),
            "ping": group("normal", *ping),
            "flood": group("attack", *flood),
        }
    }


def by_hand(attacked, quiet):
    """The figures of cell 1 whose other half is cell 2, with one run each."""
    found = attack_damage.figures(numbers.frame([(1, 1, attacked), (2, 1, quiet)]), [(1, 2)])
    return {
        (of, name, figure): value
        for of, name, figure, value in found.select("of", "name", "figure", "value").iter_rows()
    }


def test_no_interval_has_more_damage_than_all():
    (damage_of_all, in_bytes) = (metrics.SHORT[name] for name in ("damage", "damage_bytes"))
    found = statistics.interval([30.0, 99.0, 100.0], damage_of_all.bounds)
    assert found.ends[1] == 100.0
    assert found.ends[0] < 0
    # An attack may do good.
    assert statistics.interval([-2.0, 5.0], damage_of_all.bounds).ends is None
    assert in_bytes.bounds is None


def test_damage_and_potency_by_hand():
    found = by_hand(
        entry((6e6, 900, 0), (1e6, 100, 0), (2e6, 0, 250)), entry((8e6, 1500, 0), (1e6, 100, 0), (0.0, 0, 0))
    )
    assert found == {
        ("group", "web", "damage"): 0.25,  # 1 - 6/8
        ("group", "ping", "damage"): 0.0,
        ("attack", "attack", "damage"): pytest.approx(1 - 7 / 9),
        ("group", "web", "damage_bytes"): 600.0,
        ("group", "ping", "damage_bytes"): 0.0,
        ("attack", "attack", "damage_bytes"): 600.0,
        ("attack", "attack", "sent_bytes"): 250.0,
        ("attack", "attack", "potency"): 2.4,  # 600/250
    }


def test_an_attack_may_do_good_and_what_had_nothing_loses_nothing():
    found = by_hand(
        entry((6e6, 900, 0), (0.0, 0, 0), (0.0, 0, 0)), entry((5e6, 800, 0), (0.0, 0, 0), (0.0, 0, 0))
    )
    assert found["group", "web", "damage"] == pytest.approx(-0.2)
    assert found["group", "ping", "damage"] is None
    assert found["attack", "attack", "damage_bytes"] == -100
    # An attack that sends nothing has no cost, and no potency.
    assert found["attack", "attack", "potency"] is None


def test_runs_without_their_other_half_do_not_count():
    here = entry((6e6, 900, 0), (1e6, 100, 0), (2e6, 0, 250))
    there = entry((8e6, 900, 0), (1e6, 100, 0), (0.0, 0, 0))
    found = attack_damage.figures(numbers.frame([(1, 1, here), (1, 2, here), (2, 2, there)]), [(1, 2)])
    total = found.filter(pl.col("figure") == "damage", pl.col("of") == "attack")
    assert total["run"].to_list() == [2]


def test_a_search_for_the_most_potent_attack_runs_each_trial_without_it(tmp_path):
    rates = {"flow.flood.app.rate": ["500 kbit/s", "1 Mbit/s", "3 Mbit/s"]}
    found = tailrace.search(
        ATTACKED, rates, maximize="potency", subject_to="damage < 0.9", trials=5, output=tmp_path / "s"
    )
    trials = found.trials
    assert trials["state"].unique().to_list() == ["ok"]
    assert trials["value"].null_count() == 0
    swept = tailrace.sweep(ATTACKED, rates, damage=True).metric("potency")
    means = swept.group_by("flood.rate").agg(pl.mean("value"))
    by_rate = dict(means.iter_rows())
    for rate, value in trials.select("flood.rate", "value").iter_rows():
        assert value == pytest.approx(by_rate[rate])
    # The attack is all that varies: its runs, and one cell without it.
    assert len(found.sweep._reader.index.cells()) == trials["flood.rate"].n_unique() + 1


def test_damage_is_known_as_closely_as_wanted(tmp_path):
    found = tailrace.sweep(
        ATTACKED,
        {"flow.flood.app.rate": ["500 kbit/s"]},
        until_ci={"damage": 0.02},
        max_runs=7,
        output=tmp_path / "s",
    )
    runs = found.metric("damage")
    assert runs.height == 7
    both = found._reader.index.runs()
    assert sorted((cell, run) for cell, run, *_ in both) == [(c, r) for c in (1, 2) for r in range(1, 8)]


def test_what_is_set_of_the_attack_is_left_out_without_it():
    without = attack_damage.Without(tailrace.Scenario(ATTACKED))
    cell = Cell("a", {"flow.flood.app.rate": '"1 Mbit/s"', "flow.flood": "{}", "link.x.queue": '"red"'}, {})
    assert without.cell(cell).overrides == {"link.x.queue": '"red"', "flow.flood.enabled": "false"}


# The flood as an attack, in its own words.
TOLD = (
    re.sub(r"  \{ name = \"flood\".*?\} \},\n", "", ATTACKED, flags=re.DOTALL)
    + """[[attack]]
name = "flood"
from = "bot"
to = "sink"
start = "2 s"
stop = "5 s"
kind = "flood"
rate = "1 Mbit/s"
size = "500 B"
"""
)


def test_an_attack_costs_what_the_flow_does_that_it_comes_to(swept):
    axes = {
        "attack.flood.rate": RATES["flow.flood.app.rate"],
        "link.bottleneck.queue": RATES["link.bottleneck.queue"],
    }
    told = tailrace.sweep(TOLD, axes, damage=True)
    assert len({row[sweep_runner.WITHOUT] for row in told.plan}) == 2
    columns = ["flood.rate", "bottleneck.queue", "run", "value"]
    for metric in ("damage", "potency", "damage@during"):
        found, expected = (sweep.metric(metric).select(columns) for sweep in (told, swept))
        assert found.to_dicts() == expected.to_dicts(), metric


def test_an_attack_can_be_an_axis_itself():
    found = tailrace.sweep(TOLD, {"attack.flood.enabled": [True, False]}, damage=True)
    damages = found.metric("damage").group_by("flood.enabled").agg(pl.col("value").mean())
    by_switch = {str(switch).lower(): value for switch, value in damages.iter_rows()}
    assert by_switch["false"] == 0 and by_switch["true"] > 10


@pytest.fixture(scope="module")
def swept(tmp_path_factory):
    return tailrace.sweep(ATTACKED, RATES, output=tmp_path_factory.mktemp("sweep"), damage=True)


def test_cells_that_differ_in_the_attack_alone_share_the_run_without_it(swept):
    assert len(swept.plan) == 4
    assert len({row[sweep_runner.WITHOUT] for row in swept.plan}) == 2
    assert len(swept._reader.index.runs()) == 2 * (4 + 2)
    # Tables and frames are of what was asked for.
    assert swept.runs.height == 2 * 4
    assert swept.flows["run"].len() == 2 * 4 * 3
    assert len(swept.table(["damage"]).records()) == 4


def test_damage_is_that_against_a_run_without_the_attack(swept):
    at = {"flow.flood.app.rate": "1 Mbit/s", "link.bottleneck.queue": "red"}
    attacked = tailrace.run(ATTACKED, set=at).summary["runs"]
    # One that never begins is as good as one that is switched off.
    never = {"flow.flood.start": "100 s", "flow.flood.stop": "101 s"}
    quiet = tailrace.run(ATTACKED, set={**at, **never}).summary["runs"]
    expected = [
        (
            100 * (1 - a["groups"]["web"]["goodput_bps"]["sum"] / q["groups"]["web"]["goodput_bps"]["sum"]),
            (
                q["groups"]["web"]["whole_run"]["delivered_bytes"]
                - a["groups"]["web"]["whole_run"]["delivered_bytes"]
            )
            / a["groups"]["flood"]["whole_run"]["sent_bytes"],
        )
        for a, q in zip(attacked, quiet, strict=True)
    ]

    def found(metric):
        rows = swept.metric(metric)
        return rows.filter(pl.col("flood.rate") == 1e6, pl.col("bottleneck.queue") == "red")[
            "value"
        ].to_list()

    assert found("damage") == pytest.approx([damage for damage, _ in expected])
    assert found("web.damage") == found("damage")
    assert found("potency") == pytest.approx([potency for _, potency in expected])
    # In the attack's own time the loss is greater than over all of it.
    assert all(
        inner > whole > 10 for inner, whole in zip(found("damage@during"), found("damage"), strict=True)
    )


def test_the_usual_table_and_figures_know_of_it(swept):
    assert all(heading in swept.table().text("md") for heading in ("damage [%]", "potency [B/B]"))
    sheet = swept.plot("damage", against="flood.rate", by="bottleneck.queue", kind="map")
    assert "damage" in " ".join(
        text.get_text() for text in sheet.findobj(match=lambda a: hasattr(a, "get_text"))
    )


def test_shards_put_together_are_the_sweep_run_at_once(tmp_path, swept):
    for number in (1, 2):
        tailrace.sweep(ATTACKED, RATES, damage=True, shard=(number, 2), output=tmp_path / str(number))
    merged = tailrace.merge([tmp_path / "1", tmp_path / "2"], tmp_path / "all")
    assert str(merged.table(["damage", "potency"])) == str(swept.table(["damage", "potency"]))


def test_without_an_attack_there_is_no_damage():
    with pytest.raises(UsageError, match='say role = "attack"'):
        tailrace.sweep(ATTACKED.replace('role = "attack", ', ""), RATES, damage=True)


def test_naming_the_metric_is_enough_and_a_sweep_may_have_one_cell(tmp_path):
    (tmp_path / "a.toml").write_text(ATTACKED)
    done = command_line(
        "sweep", "a.toml", "--columns", "potency,median(damage)", "--format", "json", cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)
    again = command_line("sweep", "a.toml", "--damage", cwd=tmp_path)
    assert "all 4 runs were already there" in again.stderr
    planned = command_line("sweep", "a.toml", "--damage", "--dry-run", cwd=tmp_path)
    assert "4 runs" in planned.stdout

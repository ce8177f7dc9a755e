"""Answers of reports: the metrics that were asked for first, all else being equal, with better, worse and not shown."""

from __future__ import annotations

from dataclasses import replace

import pytest

import tailrace
from conftest import ROOT, SMALL, command_line
from tailrace.errors import UsageError
from tailrace.show import report
from tailrace.show.report import answer_table, contrast, contrasts, result_order, variant_axes
from tailrace.show.report.statements import Statement
from tailrace.stats import asked_metrics, design, preferences
from tailrace.stats.metrics import SHORT
from test_report import Page

# A home line: a call and a ping beside an upload, and pulses of an attack.
HOME = """
name = "home"
question = "QUESTION"
duration = "5 s"
warmup = "1 s"
runs = 3

[record]
interval = "100 ms"

[[host]]
name = "home"
[[host]]
name = "far"
[[host]]
name = "bot"
[[router]]
name = "modem"
[[router]]
name = "isp"

[[link]]
between = ["home", "modem"]
rate = "100 Mbit/s"
delay = "uniform(1 ms, 3 ms)"
[[link]]
between = ["bot", "modem"]
rate = "100 Mbit/s"
delay = "1 ms"
[[link]]
name = "line"
between = ["modem", "isp"]
rate = "2 Mbit/s"
delay = "10 ms"
queue = "droptail limit 60"
reverse = { rate = "10 Mbit/s", queue = "droptail limit 100" }
[[link]]
between = ["isp", "far"]
rate = "100 Mbit/s"
delay = "1 ms"

[[flow]]
name = "call"
from = "home"
to = "far"
transport = "udp"
app = "voip"
[[flow]]
name = "ping"
from = "home"
to = "far"
transport = "udp"
app = { kind = "ping", interval = "50 ms" }
[[flow]]
name = "upload"
from = "home"
to = "far"
transport = { kind = "tcp", profile = "linux" }
app = "bulk"
start = "uniform(0 s, 200 ms)"
[[flow]]
name = "fetch"
from = "home"
to = "far"
transport = { kind = "tcp", profile = "linux" }
app = { kind = "sequence", size = "5 kB", gap = "exponential(100 ms)" }

[[attack]]
name = "storm"
from = "bot"
to = "far"
kind = "pulse"
period = "500 ms"
burst = "150 ms"
rate = "6 Mbit/s"
size = "500 B"
start = "1 s"
"""
OUTAGE = """
[[fault]]
link = "line"
kind = "blackhole"
at = "2 s"
until = "2500 ms"

[[window]]
name = "outage"
start = "2 s"
end = "2500 ms"
[[window]]
name = "after"
start = "2500 ms"
"""
QUEUES = ["droptail limit 60", "fq_codel"]
ZIPPED = {"link.line.queue": QUEUES, "link.line.reverse.queue": ["droptail limit 100", "fq_codel"]}


def asking(question: str) -> str:
    return HOME.replace("QUESTION", question) + (OUTAGE if "outage" in question else "")


def swept(question: str, each: dict, **options: object) -> tailrace.Sweep:
    return tailrace.sweep(asking(question), each, **options)


@pytest.fixture(scope="module")
def attacked() -> tailrace.Sweep:
    question = "Does fq_codel protect a voice call against pulses of an attack?"
    return swept(question, {"attack.storm.enabled": [False, True]}, together=[ZIPPED])


@pytest.fixture(scope="module")
def page(attacked) -> Page:
    return Page(report.of(attacked).html)


# -- what is compared ------------------------------------------------------------------------------------------


def test_zipped_parameters_are_one_axis_and_a_switch_is_none_that_answers(attacked):
    switch, queues = design.axes(attacked.measured)
    assert (switch.name, switch.is_switch) == ("storm.enabled", True)
    assert (queues.name, queues.values, len(queues.places)) == ("line.queue", ["droptail", "fq_codel"], 2)
    assert design.leading([switch, queues], lambda _: False) is queues
    assert design.leading([switch], lambda _: False) is switch


def test_names_are_compared_where_everything_else_is_equal(attacked):
    found = contrast.of(attacked.measured, attacked.about["question"])
    assert found.leading is not None
    assert [case.label for case in found.leading.cases] == ["storm.enabled=false", "storm.enabled=true"]
    (metric,) = attacked.metrics(["call.mos"])
    for one in found.leading.changes(metric):
        if one.change is not None:
            where = {"storm.enabled": one.cell.parameters[0]}
            own = [
                attacked.metric("call.mos").filter(**where, **{"line.queue": name}).sort("run")["value"]
                for name in ("droptail", "fq_codel")
            ]
            assert one.change.change.mean == pytest.approx((own[1] - own[0]).mean())


def test_rates_of_links_that_differ_are_no_finding():
    each = {"link.line.rate": ["2 Mbit/s", "8 Mbit/s"]}
    found = swept("What does the line give?", each)
    metrics = found.metrics(["upload.goodput", "upload.loss"])
    said = contrasts.of(found.measured, metrics)
    assert [one.about for one in said] == ["Loss of upload", "Not compared"]
    assert said[1].text == (
        "Goodput of upload: the rates of links differ along line.rate, so more is no finding."
    )
    named = swept("?", {"link.line.rate": ["2 Mbit/s", "8 Mbit/s"], "link.line.queue": QUEUES}, runs=2)
    said = contrasts.of(named.measured, metrics)
    assert said[0].about == "Goodput of upload"
    assert "line.rate=2 Mbit/s" in said[0].text
    assert "line.rate=8 Mbit/s" in said[0].text
    assert said[1].about == "Loss of upload, by line.rate"
    variants = tailrace.compare(
        {rate: tailrace.run(SMALL, set={"link.bottleneck.rate": rate}) for rate in ("1 Mbit/s", "2 Mbit/s")}
    )
    (axis,) = design.axes(variant_axes.parted(variants))
    assert axis.sets_rates
    assert (axis.name, axis.values) == ("bottleneck.rate", ["1 Mbit/s", "2 Mbit/s"])


def test_variants_of_several_parameters_are_compared_case_by_case():
    scenarios = {
        f"{queue} {cc}": tailrace.Scenario(
            asking("?"), overrides={"link.line.queue": queue, "flow.upload.transport.cc": cc}
        )
        for queue in QUEUES
        for cc in ("cubic", "newreno")
    }
    found = contrast.of(variant_axes.parted(tailrace.run_variants(scenarios)), "?")
    assert [axis.name for axis in found.axes] == ["line.queue", "upload.cc"]
    assert found.leading is not None
    assert [case.label for case in found.leading.cases] == ["upload.cc=cubic", "upload.cc=newreno"]


# -- words -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "sign"),
    [
        ("goodput", 1),
        ("delay_p99", -1),
        ("completion", -1),
        ("completion_goodput", 1),
        ("jain", 1),
        ("marked", 0),
    ],
)
def test_which_way_a_metric_is_better(name, sign):
    assert preferences.direction(SHORT[name]) == sign


def test_every_metric_with_a_short_name_has_a_known_direction():
    neutral = {name for name, metric in SHORT.items() if not preferences.direction(metric)}
    assert neutral == {"marked", "ack_filtered", "sent", "received", "programs", "sojourn_min", "backlog_min"}


def test_what_an_attack_gets_is_neither_better_nor_worse(attacked):
    goodput = next(m for m in attacked.metrics(["goodput"]) if m.owner == "storm")
    assert preferences.direction(goodput, attacked.measured.known.attackers) == 0


def test_differences_have_the_same_words_on_the_command_line(attacked):
    found = attacked.against("line.queue=droptail", ["ping.rtt", "storm.goodput"])
    rows = found.records()
    assert {row["shown"] for row in rows if row["metric"] == "ping rtt [ms]"} == {"better"}
    assert {row["shown"] for row in rows if row["metric"].startswith("storm")} <= {
        "higher",
        "lower",
        "not shown",
        None,
    }
    assert found.grid().columns[-1] == "shown"


# -- questions -------------------------------------------------------------------------------------------------

DELAY = "How long does a ping take while an upload fills the line?"
SHORT_FLOWS = "How long do short transfers take to complete beside an upload, by queue?"
FAIR = "Is the share of upload and fetch fair?"
SURVIVAL = "Does fq_codel protect a voice call against pulses of an attack?"
RECOVERY = "How soon does the upload recover from an outage of the line?"


@pytest.mark.parametrize(
    ("question", "names"),
    [
        (DELAY, ["ping.rtt", "ping.rtt_p99"]),
        (SHORT_FLOWS, ["fetch.completion", "fetch.completion_p95"]),
        (FAIR, ["upload.flow_goodput", "fetch.flow_goodput"]),
        (SURVIVAL, ["call.mos", "call.delay_p99"]),
        (RECOVERY, ["upload.silence", "upload.goodput"]),
    ],
)
def test_the_words_of_a_question_choose_what_stands_first(attacked, question, names):
    found = asked_metrics.of(attacked.measured, (), question)
    assert [f"{metric.owner}.{metric.name}" for metric in found[:2]] == names


def test_columns_go_before_the_question_and_those_of_the_command_between(attacked):
    measured = attacked.measured
    assert [m.name for m in asked_metrics.of(measured, ["upload.loss"], DELAY)] == ["loss"]
    before = asked_metrics.of(measured, (), DELAY, ["fetch.completion_p50", "nonsense"])
    assert (before[0].name, before[1].name) == ("completion_p50", "goodput")
    # Without a question scores and delays are told, too.
    assert {"mos", "delay_p99", "rtt"} <= {m.name for m in asked_metrics.of(measured)}


@pytest.mark.parametrize("place", sorted((ROOT / "scenarios").glob("*.toml")), ids=lambda place: place.stem)
def test_questions_of_the_gallery_have_a_topic(place):
    question = next(line for line in place.read_text().splitlines() if line.startswith("question"))
    assert asked_metrics.topics(question.partition("=")[2])


# -- the first screen ------------------------------------------------------------------------------------------


def answer(text: str) -> str:
    """Question and answer as the page has them."""
    return text[text.index("Question and answer") : text.index("Better, worse")]


def test_the_first_screen_answers_about_the_survival_of_an_attack(page):
    text = answer(page.text)
    assert text.startswith(
        f"Question and answer {SURVIVAL} MOS of call Against droptail: fq_codel is better in both cases"
    )
    assert (
        text.index("call mos")
        < text.index("call delay_p99 [ms]")
        < text.index("MOS of call, by storm.enabled")
    )
    assert "Against storm.enabled=false: true" in text
    assert "baseline" in text
    assert "better: +" in text


@pytest.mark.parametrize(
    ("question", "each", "first"),
    [
        (DELAY, {"link.line.queue": QUEUES}, "Round trip of ping Against droptail ("),
        (SHORT_FLOWS, {"link.line.queue": QUEUES}, "Completion of fetch Against droptail ("),
        (FAIR, {"flow.upload.transport.cc": ["cubic", "bbr"]}, "Flow goodput of upload Against cubic ("),
        (
            RECOVERY,
            {"flow.upload.transport.cc": ["cubic", "bbr"]},
            "Time to reach 80 % of the rate before for 1 s of upload in after Against cubic (",
        ),
    ],
    ids=["delay", "short flows", "fairness", "recovery"],
)
def test_the_first_screen_answers(question, each, first):
    found = swept(question, each, runs=4, set={"duration": "8 s", "attack.storm.enabled": False})
    text = answer(Page(report.of(found).html).text)
    assert text.startswith(f"Question and answer {question} {first}")
    assert any(word in text for word in ("is better by", "is worse by", "is not shown to differ"))


def test_the_figure_of_cells_begins_with_the_first_metric(attacked):
    import json
    import re

    text = report.of(attacked, ["fetch.completion_p50", "call.mos"]).html
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    assert found
    cells = json.loads(found[1])["cells"]["cells"]
    assert cells["metrics"][cells["first"]]["name"] == "fetch completion_p50"


def test_one_run_has_no_words():
    one = swept(DELAY, {"link.line.queue": QUEUES}, runs=1)
    said = contrasts.of(one.measured, one.metrics(["ping.rtt"]))
    assert said[0].text.endswith(" lower.")
    assert not any(word in said[0].text for word in ("better", "worse", "shown"))
    table = answer_table.markup(contrast.of(one.measured).leading, one.metrics(["ping.rtt"]))
    assert table is not None
    assert "better" not in table


def test_many_names_are_counted(attacked):
    found = contrast.of(attacked.measured, SURVIVAL).leading
    assert found is not None
    (metric,) = attacked.metrics(["ping.rtt"])
    own = [one for one in found.changes(metric) if one.change is not None]
    rows = {f"queue {place}": [replace(own[0])] for place in range(6)}
    text = contrasts._told(metric, rows, 1)
    assert text.endswith("; of all 6 comparisons 6 better")
    assert text.count("is better by") == 3


def test_a_result_answers_with_what_was_asked_for(small):
    text = answer(Page(report.of(small, ["tcp.rtt_p99", "tcp.loss"]).html).text + "Better, worse")
    assert text.startswith("Question and answer Does it work? Round trip p99 of tcp ")
    found = [Statement("Goodput", "g"), Statement("Delay", "d"), Statement("Doubt", "!", True)]
    assert [one.about for one in result_order.of(found, "How long do packets wait?")] == [
        "Delay",
        "Goodput",
        "Doubt",
    ]


# -- on the command line ---------------------------------------------------------------------------------------


def test_report_takes_columns_and_a_baseline(attacked, tmp_path):
    place = str(attacked.place)
    options = ("--columns", "ping.rtt_p99,call.loss", "--baseline", "line.queue=fq_codel", "-o", "a.html")
    done = command_line("report", place, *options, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    text = answer(Page((tmp_path / "a.html").read_text()).text)
    assert f"{SURVIVAL} Round trip p99 of ping Against fq_codel: droptail is worse in both cases" in text
    for wrong, words in (
        ("queue=nonsense", "there is no value 'nonsense'"),
        ("nonsense", "is not PARAMETER=VALUE"),
    ):
        done = command_line("report", place, "--baseline", wrong, "-o", "b.html", cwd=tmp_path)
        assert done.returncode == 2
        assert words in done.stderr
    with pytest.raises(UsageError, match="a baseline is of a comparison or a sweep"):
        report.of(tailrace.run(SMALL, runs=1), baseline="x")


def test_a_sweeps_columns_are_those_of_its_report(tmp_path):
    (tmp_path / "home.toml").write_text(asking(DELAY))
    asked = ("--set-each", "link.line.queue=droptail,fq_codel", "--columns", "call.loss,fetch.completion_p50")
    done = command_line("sweep", "home.toml", *asked, "-o", "out", "--runs", "2", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert command_line("report", "out", cwd=tmp_path).returncode == 0
    text = answer(Page((tmp_path / "out" / "report.html").read_text()).text)
    assert f"{DELAY} Loss of call Against" in text

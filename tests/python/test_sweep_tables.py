"""What tables of sweeps say beside their numbers: units, signs, values that are not like the others."""

import csv
import io
from types import SimpleNamespace

import pytest

import tailrace
from conftest import ROOT, SMALL
from tailrace.errors import UsageError
from tailrace.stats import numbers, summary_measures, table_forms
from tailrace.stats.metrics import SHORT, Known, Metric, values
from tailrace.stats.parameters import Column
from tailrace.study import metric_probe
from tailrace.text import interval_text, text_table

RATES = {"link.bottleneck.rate": ["1 Mbit/s", "2 Mbit/s"]}


@pytest.fixture(scope="module")
def strange(tmp_path_factory):
    """A sweep of which one value lacks its unit."""
    place = tmp_path_factory.mktemp("strange") / "store"
    delays = ["10 ms", "20 ms", "10"]
    return tailrace.sweep(SMALL, {"link.bottleneck.delay": delays}, runs=2, output=place)


def test_transfers_that_did_not_complete_are_told():
    transfers = SMALL.replace('app = { kind = "bulk" }', 'app = { kind = "transfer", size = "200 kB" }')
    assert transfers != SMALL
    rate = {"link.bottleneck.rate": ["100 kbit/s", "2 Mbit/s"]}
    told = " ".join(str(tailrace.sweep(transfers, rate, runs=1)).split())
    assert (
        "tcp: 2 of 4 transfers completed, 2 under way at the end, 2 of 4 flows silent at the end: no " in told
    )
    assert "in all cells and runs" in told
    fast = {"link.bottleneck.rate": ["2 Mbit/s", "3 Mbit/s"]}
    assert "transfers completed" not in str(tailrace.sweep(transfers, fast, runs=1))


def test_windows_that_begin_later_are_known_before_the_first_run():
    windows = SMALL + '\n[[window]]\nname = "early"\nend = "3 s"\n[[window]]\nname = "late"\nstart = "5 s"\n'
    metric_probe.check(["tcp.goodput@early", "tcp.goodput@late"], [tailrace.Scenario(windows)])
    with pytest.raises(UsageError, match=r"no window 'later'; did you mean late"):
        metric_probe.check(["tcp.goodput@later"], [tailrace.Scenario(windows)])


def test_metrics_that_are_not_there_are_not_proposed(strange):
    with pytest.raises(UsageError, match=r"^potency is of sweeps and searches, which run"):
        strange.metrics("potency")
    with pytest.raises(UsageError, match=r"^nothing here has a page_load"):
        strange.metrics("page_load")


def test_tables_have_quantities_with_their_unit_and_spreadsheets_plain_numbers():
    table = tailrace.sweep(SMALL, RATES, runs=1).table(["tcp.goodput"])
    grid = table.grid()
    assert grid.columns[0] == "bottleneck.rate"
    assert [row[0] for row in grid.rows] == ["1 Mbit/s", "2 Mbit/s"]
    rows = list(csv.reader(io.StringIO(table.text("csv"))))
    assert rows[0][0] == "bottleneck.rate [bit/s]"
    assert [row[0] for row in rows[1:]] == ["1000000.0", "2000000.0"]


def test_one_strange_value_does_not_make_words_of_the_numbers(strange):
    assert strange.cells["bottleneck.delay"].to_list() == [0.01, 0.02, None]
    assert strange.unit("bottleneck.delay") == "s"
    table = strange.table(["tcp.goodput"])
    assert [row[0] for row in table.grid().rows] == ["10 ms", "20 ms", "10"]
    (note,) = strange.notes
    assert note == "bottleneck.delay: '10' is not in s as the others are, and cannot be run"
    assert note in table.grid().notes
    # Under a heading with a unit it would be a number of that.
    rows = list(csv.reader(io.StringIO(table.text("csv"))))
    assert [row[0] for row in rows[1:]] == ["0.01", "0.02", ""]


def test_a_table_names_what_failed(strange):
    (failed,) = [note for note in strange.table(["tcp.goodput"]).grid().notes if note.startswith("failed: ")]
    assert failed.startswith("failed: 10 (")
    assert "delay" in failed


def test_values_of_several_kinds_are_words_and_it_is_said():
    plan = [{"axes": {"queue.limit": text}} for text in ('"20 packets"', '"30 kB"', '"auto"')]
    column = Column("queue.limit", plan)
    assert column.numbers is None
    assert column.note is not None
    assert "B, packets, words" in column.note
    assert Column("queue", [{"axes": {"queue": text}} for text in ("red", "codel")]).note is None


def test_signs_of_uneven_intervals_are_explained_where_there_are_any():
    table = tailrace.sweep(SMALL, RATES, runs=2).table(["tcp.loss"])
    cells = [cell for row in table.grid().rows for cell in row]
    assert any(interval_text.BELOW in cell for cell in cells)
    assert interval_text.ASYMMETRY_NOTE in table.grid().notes
    assert (
        interval_text.ASYMMETRY_NOTE
        not in tailrace.sweep(SMALL, RATES, runs=1).table(["tcp.loss"]).grid().notes
    )


def test_no_interval_reaches_below_what_cannot_be_negative():
    table = tailrace.sweep(SMALL, RATES, runs=2).table(["tcp.timeouts", "tcp.goodput", "dropped"])
    lows = [leaf["low"] for row in table.records() for leaf in row.values() if isinstance(leaf, dict)]
    assert lows
    assert min(lows) >= 0


@pytest.mark.parametrize(
    ("mean", "half", "text"),
    [
        (2.823, 2e-5, "2.82300 ± 0.00002"),
        (99.5, 1e-9, "99.5000 ± <0.0001"),
        (1e8, 0.01, "100000000 ± <1"),
        (0.001234, 5.6e-5, "0.001234 ± 0.000056"),
        (5.0, 0.0, "5 ± 0"),
        # Left of equal floats that were added up.
        (0.3, 5e-17, "0.3 ± 0"),
    ],
)
def test_no_interval_is_said_to_be_nothing_that_is_something(mean, half, text):
    assert interval_text.mean_with_interval({"mean": mean, "ci95": half, "n": 5}) == text


def test_a_queue_in_which_nothing_waits_has_no_seven_digits():
    short = {metric.name: metric.least for metric in SHORT.values() if metric.least}
    assert short == dict.fromkeys(["backlog", "backlog_min", "backlog_max"], 1e-3) | dict.fromkeys(
        ["sojourn", "sojourn_min", "sojourn_p50", "sojourn_p95", "sojourn_p99"], 1e-4
    )
    # By its own name it is in seconds, of which a millisecond is many.
    assert Metric("r1->r2.sojourn_s.mean", "queue", "sojourn_s.mean").least == 0
    # 0.00002 packets and 0.0002 ms, a fifth of a microsecond: too little, and enough.
    queue = {"backlog_packets": {"mean": {"mean": 2e-5, "ci95": 1e-6, "n": 2}}, "sojourn_s": {}}
    queue["sojourn_s"]["mean"] = {"mean": 2e-7, "ci95": None, "n": 1}
    assert [measure.of(queue) for measure in summary_measures.QUEUE_MEASURES[:2]] == ["<0.001", "0.0002"]


def test_latex_takes_any_name():
    grid = text_table.Grid(
        "t", ["r1->r2 \\x", "a_b {µs}"], [["5 %", "1 ± 2"], ["#~^", "<3 −1 +2"]], 1, ["a\nnote"]
    )

    found = SimpleNamespace(grid=lambda most: grid if most is None else None)
    text = table_forms.text(found, "latex")
    assert "r1$\\rightarrow$r2 \\textbackslash{}x & a\\_b \\{$\\mu$s\\} \\\\" in text
    assert "5 \\% & 1 $\\pm$ 2 \\\\" in text
    assert "\\#\\textasciitilde{}\\textasciicircum{} & $<$3 $-$1 +2 \\\\" in text
    assert text.startswith("% a note\n")


def test_the_documentation_lists_every_short_name_of_a_metric():
    page = (ROOT / "docs/guides/sweeps.md").read_text(encoding="utf-8")
    section = page.partition("## Metrics\n")[2].partition("\n## ")[0]
    rows = [line.split("|")[1] for line in section.splitlines() if line.startswith("| `")]
    named = [name for row in rows for name in row.replace("`", "").replace(" ", "").split(",")]
    assert sorted(named) == sorted(SHORT)


def test_metrics_of_pages_videos_and_voice_are_those_of_the_groups_that_have_them():
    web = {"role": "normal", "pages": {"loaded": 3, "load_s": {"mean": 0.5, "min": 0.25, "p95": 0.75}}}
    tv = {"role": "normal", "video": {"stalls": {"mean": 2.0}, "stalled_s": {"mean": 1.5}}}
    found = numbers.frame([(1, 1, {"groups": {"web": web, "tv": tv}})])
    known = Known(found)
    (load,) = known.metric("page_load_min")
    assert load.heading == "web page_load_min [ms]"
    assert values(found, load)["value"].to_list() == [250.0]
    assert [m.heading for m in known.metrics(["pages", "stalls", "stalled"])] == [
        "web pages",
        "tv stalls",
        "tv stalled [s]",
    ]
    with pytest.raises(UsageError, match=r"no metric 'tv\.page_load'"):
        known.metric("tv.page_load")
    with pytest.raises(UsageError, match="nothing here has a mos"):
        known.metric("mos")

"""Papers done again: from `claims.toml` to the page, with a paper of this test's own."""

import json
import math
from dataclasses import replace

import pytest

from conftest import SMALL, command_line
from tailrace.errors import UsageError
from tailrace.execution.progress import Monitor
from tailrace.reproduce import claims_file, judgement, paper_tables, pipeline
from tailrace.reproduce.paper import Outcome
from tailrace.show.plots import layout
from tailrace.show.plots.swept import over_time

CLAIMS = """
title = "On small networks"
authors = "Nobody"
venue = "Nowhere 2026"
summary = "Two queues, one flood."
beside = '''
## Elsewhere

Somebody measured it otherwise.
'''

[reading.short]
title = "a short buffer"
means = "Ten packets."
set = { "flow.cbr.app.rate" = "400 kbit/s" }
[reading.flood]
title = "a stronger flood"
means = "Twice the rate."
found = true
set = { "flow.cbr.app.rate" = "800 kbit/s" }

[study.queues]
scenario = "small.toml"
runs = 3
each = { "link.bottleneck.queue" = ["droptail", "red"] }
quick = { runs = 2, set = { duration = "4 s" } }

[quantity.late]
series = "group_series.goodput_bps"
where = { group = "tcp" }
after = "3 s"
[quantity.share]
formula = "100 * tcp / (tcp + cbr)"
of = { tcp = "tcp.goodput", cbr = "cbr.goodput" }
unit = "%"

[[claim]]
id = "C1"
place = "Figure 1"
says = "The flood takes its rate."
study = "queues"
figure = "fig1"
check = { kind = "value", of = "cbr.throughput where queue=droptail", at_least = "300 kbit/s" }

[[claim]]
id = "C2"
place = "section 2"
says = "TCP has most of the link."
study = "queues"
expect = { short = "holds", flood = "fails" }
reason = "A flood of 800 kbit/s leaves TCP 60 % at most."
at_fault = "missing parameter"
check = { kind = "value", of = "share where queue=red", at_least = 65 }

[[claim]]
id = "C3"
place = "section 3"
says = "Users are happy."
not_judged = "happiness is no metric"

[[figure]]
name = "fig1"
place = "Figure 1"
title = "Goodput over time"
study = "queues"
series = "group_series.goodput_bps"
by = "group"
panels = "queue"
bin = "500 ms"

[[table]]
name = "table1"
place = "Table 1"
title = "goodput"
study = "queues"
along = "queue"
columns = { goodput = "tcp.goodput", late = "late" }
[table.paper]
droptail = [1.5, 1.6]
red = [1.4, nan]

[[beyond]]
title = "Which queue is worst?"
study = "queues"
says = "The one with the least goodput."
columns = ["tcp.loss"]
worst = { per = "queue", of = "tcp.goodput" }

[[beyond]]
title = "And RED?"
study = "queues"
says = "By itself."
columns = ["tcp.loss"]
where = "queue=red"
"""


def paper(tmp_path, claims=CLAIMS):
    folder = tmp_path / "papers" / "nobody"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "small.toml").write_text(SMALL)
    (folder / "claims.toml").write_text(claims)
    (folder.parent / "findings.md").write_text("One paper in one holds.\n")
    return folder


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    place = tmp_path_factory.mktemp("reproduce")
    folder = paper(place)
    work = pipeline.planned(folder, place / "out", quick=False)
    assert not pipeline.run(work, lambda _: Monitor(), None, lambda: False, fresh=False)
    found = judgement.verdicts(work.paper, work.sweeps)
    return work, found, pipeline.write(work, found, "tailrace reproduce nobody", 1, plots=True)


def test_claims_are_judged_under_each_reading(done):
    _, found, _ = done
    told = {(v.claim.id, v.reading): v.outcome.value for v in found}
    assert told == {
        ("C1", "short"): "holds",
        ("C1", "flood"): "holds",
        ("C2", "short"): "holds",
        ("C2", "flood"): "fails",
    }
    assert not any(v.is_new(quick=False) for v in found)


def test_tables_beyond_the_paper_say_their_reading(done):
    _, _, page = done
    titles = [
        line
        for line in page.read_text().splitlines()
        if line.startswith("**") and "least tcp.goodput" in line
    ]
    assert [title.rpartition("(")[2] for title in titles] == ["short)**", "flood)**"]


def test_a_table_of_some_cells_has_no_column_of_what_they_share(done):
    _, _, page = done
    rows = page.read_text().partition("### And RED?")[2].splitlines()
    assert next(row for row in rows if row.startswith("**")).endswith(", only queue=red (short)**")
    table = [row for row in rows if row.startswith("|")]
    assert "loss" in table[0] and "queue" not in table[0] and len(table) == 2 * 3


def test_a_formula_is_taken_run_by_run(done):
    work, found, _ = done
    sweep = work.sweeps.of("queues", "short")
    rows = sweep.groups.filter(sweep.groups["bottleneck.queue"] == "red")
    goodput = {(row["run"], row["group"]): row["goodput_bps.sum"] for row in rows.iter_rows(named=True)}
    shares = [100 * goodput[r, "tcp"] / (goodput[r, "tcp"] + goodput[r, "cbr"]) for r in (1, 2, 3)]
    claim = next(v for v in found if (v.claim.id, v.reading) == ("C2", "short"))
    words = claim.findings[0].ours.split()
    assert words[:2] == ["share", "red:"] and words[-1] == "%"
    # With as many digits as its interval leaves.
    assert float(words[2]) == pytest.approx(math.fsum(shares) / 3, abs=0.05)


def test_a_statistic_of_a_series_is_that_of_its_rows(done):
    import polars as pl

    work, _, page = done
    sweep = work.sweeps.of("queues", "flood")
    rows = sweep.frame("group_series").filter(
        (pl.col("bottleneck.queue") == "droptail") & (pl.col("group") == "tcp") & (pl.col("time_s") > 3)
    )
    mean = rows.group_by("run").agg(pl.col("goodput_bps").mean())["goodput_bps"].mean() / 1e6
    line = next(line for line in page.read_text().splitlines() if line.startswith("|  | flood |"))
    assert f"{mean:.3f}" in line or f"{mean:.2f}" in line


def test_a_table_has_no_row_of_a_reading_that_leaves_it_out(tmp_path):
    only = '[study.queues.reading.flood.each]\n"link.bottleneck.queue" = ["red"]\n\n[quantity.late]'
    told = CLAIMS.replace("[quantity.late]", only, 1).replace(
        '[[claim]]\nid = "C1"', '[[claim]]\nid = "C1"\nreadings = "short"'
    )
    work = pipeline.planned(paper(tmp_path, told), tmp_path / "out", quick=True)
    assert not pipeline.run(work, lambda _: Monitor(), None, lambda: False, fresh=False)
    grid = paper_tables.beside(work.paper, work.paper.tables["table1"], work.sweeps)
    assert [row[:2] for row in grid.rows] == [
        ["droptail", "paper"],
        ["", "short"],
        ["red", "paper"],
        ["", "short"],
        ["", "flood"],
    ]


def test_a_row_of_a_table_that_nothing_was_run_for_is_an_error(tmp_path):
    told = CLAIMS.replace("red = [1.4, nan]", "rde = [1.4, nan]")
    work = pipeline.planned(paper(tmp_path, told), tmp_path / "out", quick=True)
    assert not pipeline.run(work, lambda _: Monitor(), None, lambda: False, fresh=False)
    with pytest.raises(UsageError, match="'rde' is no queue that was run"):
        paper_tables.beside(work.paper, work.paper.tables["table1"], work.sweeps)


def test_the_page_says_it_all(done):
    _, _, page = done
    text = page.read_text()
    assert "Of 3 claims 1 holds, 1 holds under some readings, 1 cannot be judged." in text
    assert "| [C2](#c2) | section 2 | TCP has most of the link. | holds | **fails** |" in text
    assert "a stronger flood (*found*)" in text
    assert "\n## Elsewhere\n\nSomebody measured it otherwise.\n" in text
    assert "A flood of 800 kbit/s leaves TCP 60 % at most. (At fault: a missing parameter.)" in text
    assert "Not judged: happiness is no metric" in text
    assert "**Table 1: goodput**" in text
    assert "| droptail | paper | 1.5 | 1.6 |" in text
    assert "| red | paper | 1.4 | – |" in text
    for reading in ("short", "flood"):
        assert f"(figures/fig1-{reading}.svg)" in text
        assert (page.parent / "figures" / f"fig1-{reading}.svg").stat().st_size > 5000
    assert "for each queue the cell with the least tcp.goodput" in text
    record = json.loads((page.parent / "verdicts.json").read_text())
    assert record["counts"] == {
        "holds": 1,
        "holds under some readings": 1,
        "open": 0,
        "fails": 0,
        "not judged": 1,
    }
    front = (page.parent.parent / "README.md").read_text()
    assert "| [Nobody](nobody/README.md) | 3 | 1 | 1 | 0 | 0 | 1 |" in front
    assert "missing parameter (1)" in front
    assert front.endswith("\n\nOne paper in one holds.\n")
    assert not [name.name for name in page.parent.iterdir() if name.name.startswith(".")]


def test_nothing_is_done_twice_and_pages_are_the_same(done):
    work, _, page = done
    before = page.read_text()
    again = pipeline.planned(work.paper.folder, work.place.parent, quick=False)

    class Counting(Monitor):
        ends = 0

        def ended(self, _job, _wall_s):
            Counting.ends += 1

    assert not pipeline.run(again, lambda _: Counting(), None, lambda: False, fresh=False)
    assert Counting.ends == 0
    found = judgement.verdicts(again.paper, again.sweeps)
    pipeline.write(again, found, "tailrace reproduce nobody", 1, plots=False)
    assert [v.as_dict() for v in found] == [v.as_dict() for v in done[1]]
    pipeline.write(again, found, "tailrace reproduce nobody", 1, plots=True)
    assert page.read_text() == before


def test_the_command_ends_with_4_where_a_verdict_is_new(tmp_path):
    paper(tmp_path, CLAIMS.replace('short = "holds", flood = "fails"', 'short = "holds", flood = "holds"'))
    ended = command_line("reproduce", "nobody", "--no-plots", "-o", "out", cwd=tmp_path)
    assert ended.returncode == 4, ended.stderr
    assert "error: nobody C2 under flood: fails, expected holds (share red: " in ended.stderr
    assert "**fails** **!**" in (tmp_path / "out" / "nobody" / "README.md").read_text()
    quick = command_line("reproduce", "--quick", "--json", "--no-plots", "-q", cwd=tmp_path)
    record = json.loads(quick.stdout)
    assert record[0]["quick"] is True
    assert (tmp_path / "results" / "papers-quick" / "nobody" / "verdicts.json").is_file()


@pytest.mark.parametrize(
    ("outcome", "expected", "quick", "new"),
    [
        (Outcome.HOLDS, Outcome.FAILS, True, True),
        (Outcome.OPEN, Outcome.FAILS, True, False),
        (Outcome.HOLDS, Outcome.OPEN, True, False),
        (Outcome.OPEN, Outcome.FAILS, False, True),
        (Outcome.HOLDS, Outcome.OPEN, False, True),
    ],
)
def test_few_runs_surprise_only_where_both_are_decided(tmp_path, outcome, expected, quick, new):
    claim = claims_file.load(paper(tmp_path)).claims[0]
    known = replace(claim, expected=replace(claim.expected, outcomes={"short": expected}))
    assert judgement.Verdict(known, "short", outcome, []).is_new(quick=quick) == new


def test_what_is_interrupted_goes_on(tmp_path):
    folder = paper(tmp_path)
    work = pipeline.planned(folder, tmp_path / "out", quick=True)
    ended = []

    class Stopping(Monitor):
        def ended(self, job, _wall_s):
            ended.append(job)

    assert pipeline.run(work, lambda _: Stopping(), 1, lambda: len(ended) >= 2, fresh=False)
    first = len(ended)
    assert not pipeline.run(work, lambda _: Stopping(), 1, lambda: False, fresh=False)
    assert 0 < first < len(ended) == work.runs


def test_somebody_elses_folder_is_left_alone(tmp_path):
    folder = paper(tmp_path)
    (tmp_path / "out" / "nobody").mkdir(parents=True)
    (tmp_path / "out" / "nobody" / "thesis.tex").write_text("mine")
    with pytest.raises(UsageError, match="holds something else"):
        pipeline.planned(folder, tmp_path / "out", quick=False)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('figure = "fig1"', 'figure = "fig2"', "there is no figure 'fig2'; did you mean fig1?"),
        (
            'study = "queues"\nfigure',
            'study = "queue"\nfigure',
            "there is no study 'queue'; did you mean queues?",
        ),
        ('flood = "fails" }', 'food = "fails" }', "`expect` has 'food', which is no reading of this claim"),
        ('short = "holds", flood', "flood", "`expect` says nothing of reading 'short'"),
        ('at_fault = "missing parameter"', "", "it fails: say `reason`, and `at_fault`"),
        ('kind = "value", of = "cbr', 'kind = "worth", of = "cbr', "there is no kind of check 'worth'"),
        ('scenario = "small.toml"', 'scenario = "large.toml"', "there is no scenario"),
        ("at_least = 65", "atleast = 65", "there is no key `atleast`; did you mean at_least?"),
        ('id = "C2"', 'id = "C1"', "there are two of this name: 'C1'"),
        ('place = "section 3"', "", "`place` is missing"),
        ('panels = "queue"', 'panel = "queue"', "there is no key `panel`; did you mean panels?"),
        ('bin = "500 ms"', 'bin = "500"', "`bin` takes a time"),
        ("droptail = [1.5, 1.6]", "droptail = [1.5]", "`paper` of 'droptail' must have 2 numbers"),
        ('after = "3 s"', 'after = "3 bit"', "`after` takes a time"),
        (
            'series = "group_series.goodput_bps"\nwhere',
            'series = "nothing.x"\nwhere',
            "`series` is TABLE.COLUMN",
        ),
        ('where queue=droptail"', 'where queue=droptail in study9"', "there is no study 'study9'"),
        ("runs = 3\neach", 'runs = "3"\neach', "`runs` takes a whole number, not '3'"),
        ("[reading.flood]", "[readng.flood]", "there is no key `readng`; did you mean reading?"),
        ('"flow.cbr.app.rate" = "800 kbit/s"', '"flow.cbr.app.rat" = "800 kbit/s"', "flow.cbr.app.rat"),
    ],
)
def test_what_is_wrong_is_said_with_its_line_before_any_run(tmp_path, old, new, said):
    assert old in CLAIMS
    changed = CLAIMS.replace(old, new, 1)
    with pytest.raises(UsageError) as error:
        pipeline.planned(paper(tmp_path, changed), tmp_path / "out", quick=False)
    assert said in str(error.value)
    assert not (tmp_path / "out").exists()


def test_errors_name_the_line(tmp_path):
    with pytest.raises(UsageError) as error:
        claims_file.load(paper(tmp_path, CLAIMS.replace('figure = "fig1"', 'figure = "fig2"')))
    line = CLAIMS.splitlines().index('figure = "fig1"') + 1
    assert f"claims.toml:{line}: claim C1: " in str(error.value)
    with pytest.raises(UsageError) as error:
        pipeline.planned(
            paper(tmp_path, CLAIMS.replace("at_least = 65", "atleast = 65")), tmp_path, quick=True
        )
    line = next(at for at, text in enumerate(CLAIMS.splitlines(), 1) if "at_least = 65" in text)
    assert f"claims.toml:{line}: claim C2: there is no key `atleast`" in str(error.value)


def test_a_metric_that_is_none_is_said_with_the_claim(tmp_path):
    claims = CLAIMS.replace('of = "cbr.throughput where', 'of = "cbr.thruput where')
    work = pipeline.planned(paper(tmp_path, claims), tmp_path / "out", quick=True)
    pipeline.run(work, lambda _: Monitor(), None, lambda: False, fresh=False)
    with pytest.raises(UsageError, match=r"claim C1: there is no metric 'cbr.thruput'; did you mean"):
        judgement.verdicts(work.paper, work.sweeps)


def test_a_paper_that_is_not_there_is_said(tmp_path):
    paper(tmp_path)
    ended = command_line("reproduce", "somebody", cwd=tmp_path)
    assert ended.returncode == 2
    assert "there is no paper 'somebody'" in ended.stderr
    assert "nor one of nobody" in ended.stderr
    ended = command_line("reproduce", "--dry-run", cwd=tmp_path)
    assert ended.stdout == "nobody: 3 claims, 12 runs in 2 studies\n"


def test_every_panel_shows_all_of_its_lines(done, monkeypatch):
    # Panels in two columns share their axis.
    monkeypatch.setattr(layout, "TWO_COLUMNS", 2)
    work, _, _ = done
    asked = over_time.Series(series="group_series.goodput_bps", panels="group", where=["queue=droptail"])
    sheet = over_time.figure(work.sweeps.of("queues", "short"), asked, "both")
    for axis in sheet.axes:
        assert axis.get_ylim()[1] >= axis.dataLim.y1, axis.get_title()

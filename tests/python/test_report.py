"""Reports: what is on the page, that it is one file which asks for nothing, and that no name in it can do harm."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import tailrace
from conftest import SMALL, command_line
from tailrace.errors import UsageError
from tailrace.show import report
from tailrace.show.report import (
    assets,
    charts,
    contrasts,
    network_drawing,
    network_layout,
    resolved_scenario,
    result_findings,
    timeline,
)
from tailrace.show.report.downsampling import thinned
from tailrace.stats import asked_metrics, preferences

HOSTILE = "</script><b>\u202e"
WITH_FAULT = (
    SMALL
    + '\n[[fault]]\nlink = "bottleneck"\nkind = "down"\nat = "3 s"\nuntil = "4 s"\n[[window]]\nname = "late"\n'
    'start = "4 s"\n'
)


class Page(HTMLParser):
    """What a browser would see of a page."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.unbalanced: list[str] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.unbalanced.append(tag)

    def handle_data(self, data: str) -> None:
        if not self.open or self.open[-1] not in {"script", "style"}:
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())

    def of(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]

    @property
    def ids(self) -> list[str]:
        return [attributes["id"] or "" for _, attributes in self.tags if "id" in attributes]


@pytest.fixture(scope="module")
def run() -> tailrace.Result:
    return tailrace.run(WITH_FAULT)


@pytest.fixture(scope="module")
def run_page(run: tailrace.Result) -> str:
    return report.of(run).html


@pytest.fixture(scope="module")
def comparison(small: tailrace.Result, small_codel: tailrace.Result) -> tailrace.Comparison:
    return tailrace.compare({"droptail": small, "codel": small_codel}, "two")


@pytest.fixture(scope="module")
def comparison_page(comparison: tailrace.Comparison) -> str:
    return report.of(comparison).html


@pytest.fixture(scope="module")
def sweep(tmp_path_factory: pytest.TempPathFactory) -> tailrace.Sweep:
    each = {"link.bottleneck.queue": ["droptail", "codel"], "link.bottleneck.rate": ["1 Mbit/s", "2 Mbit/s"]}
    return tailrace.sweep(SMALL, each, runs=2, output=tmp_path_factory.mktemp("report") / "sweep")


@pytest.fixture(scope="module")
def sweep_page(sweep: tailrace.Sweep) -> str:
    return report.of(sweep).html


def data_of(page: str) -> dict:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert found
    return json.loads(found[1])


@pytest.fixture(params=["run_page", "comparison_page", "sweep_page"])
def each_page(request: pytest.FixtureRequest) -> str:
    return request.getfixturevalue(request.param)


# -- one file --------------------------------------------------------------------------------------------------


def test_a_page_is_whole_and_asks_for_nothing(each_page):
    page = Page(each_page)
    assert not page.unbalanced
    assert not page.open
    assert len(page.ids) == len(set(page.ids))
    sources = [
        value for _, a in page.tags for key, value in a.items() if key in {"src", "srcset", "data", "action"}
    ]
    assert all(value and value.startswith("data:") for value in sources)
    assert all((a["href"] or "").startswith("#") for a in (*page.of("a"), *page.of("link")) if "href" in a)
    styles = re.findall(r"<style>(.*?)</style>", each_page, re.DOTALL)
    assert not any(re.search(r"url\(|@import|//", text) for text in styles)
    assert not re.search(r"\bfetch\(|XMLHttpRequest|WebSocket|importScripts|sendBeacon", each_page)
    assert len(each_page.encode()) < 5_000_000


def test_only_the_scripts_of_the_page_are_allowed_by_its_policy(each_page):
    (rules,) = [a["content"] or "" for a in Page(each_page).of("meta") if a.get("http-equiv")]
    assert rules.startswith("default-src 'none'; ")
    for script in re.findall(r"<script(?: type=\"module\")?>(.*?)</script>", each_page, re.DOTALL):
        assert assets.digest(script) in rules


def test_links_within_lead_somewhere(each_page):
    page = Page(each_page)
    assert {(a["href"] or "")[1:] for a in page.of("a")} <= set(page.ids)


def test_without_a_script_there_are_tables_and_pictures(run_page, comparison_page, sweep_page):
    for page in map(Page, (run_page, comparison_page, sweep_page)):
        assert page.of("table")
        assert all(a["alt"] for a in page.of("img"))
    assert len(Page(run_page).of("img")) == len(Page(comparison_page).of("img")) == 4


def test_modules_are_joined_behind_those_that_they_import():
    script = assets.script()
    assert "import " not in re.sub(r"//.*", "", script)
    assert "export " not in re.sub(r"//.*", "", script)
    names = list(assets.modules())
    assert names[-1] == "main"
    assert names.index("dom") < names.index("tables")
    on_disk = {file.stem for file in Path(assets.__file__).parent.glob("assets/*.js")}
    assert on_disk == set(names)


def test_the_chart_library_is_the_one_that_its_note_says():
    place = Path(assets.__file__).parent / "assets" / "vendor" / "uplot"
    noted = dict(re.findall(r"\| `([\w.]+)` \| `([0-9a-f]{64})` \|", (place / "README.md").read_text()))
    assert set(noted) == {"uPlot.iife.min.js", "uPlot.min.css"}
    for name, digest in noted.items():
        assert hashlib.sha256((place / name).read_bytes()).hexdigest() == digest
    assert "The MIT License" in assets.library()


# -- what it says ----------------------------------------------------------------------------------------------


def test_a_run_says_who_gets_what_and_where_the_queue_stood(run, run_page):
    text = Page(run_page).text
    assert "Does it work?" in text
    assert "Single flows of tcp get" in text
    assert "At r1->r2 (droptail, at most 20 packets)" in text
    assert run.fingerprint in text
    for entry in run.summary["runs"]:
        assert str(entry["seed"]) in text
    assert "down (bottleneck), 3 s to 4 s. Goodput of tcp:" in text


def shares(**rates: float) -> dict:
    def number(value: float) -> dict:
        return {"mean": value, "ci95": None, "n": 1}

    return {
        "groups": {
            name: {
                "flows": number(2),
                "role": "attack" if name == "udp" else "normal",
                "goodput_bps": {"sum": number(rate)},
            }
            for name, rate in rates.items()
        },
        "queues": {},
    }


def test_shares_are_of_all_that_was_received():
    found = next(iter(result_findings._shares(shares(tcp=3e6, udp=1e6))))
    assert found.text == (
        "tcp (2 flows) get 3 Mbit/s together, 75 % of all that reached applications; "
        "udp (2 flows, an attack) get 1 Mbit/s together, 25 %."
    )


def test_what_makes_numbers_doubtful_is_said(small):
    one = tailrace.run(SMALL, runs=1)
    assert "With a single run there are no intervals" in Page(report.of(one).html).text
    assert "With a single run" not in Page(report.of(small).html).text


def test_a_comparison_says_what_is_significant(comparison):
    measured = comparison.measured
    found = {one.about: one.text for one in contrasts.of(measured, asked_metrics.of(measured))}
    # Of 6 s with a queue of 20 packets CoDel's is far shorter in every run; goodput hardly differs.
    assert found["Time in queue at r1->r2"].startswith("Against droptail (")
    assert ") is better by " in found["Time in queue at r1->r2"]
    table = comparison.against("droptail", ["tcp.goodput"])
    wanted = (
        preferences.word(table.rows[0].metric, table.rows[0].change)
        if table.rows[0].significant
        else "is not shown to differ"
    )
    assert wanted in found["Goodput of tcp"]


def test_a_sweep_says_who_is_better_all_else_being_equal(sweep):
    found = {one.about: one.text for one in contrasts.of(sweep.measured, sweep.metrics(["tcp.loss"]))}
    assert found["Loss of tcp"].startswith("Against droptail: codel ")
    assert "bottleneck.rate=1 Mbit/s" in found["Loss of tcp"]
    assert found["Loss of tcp, by bottleneck.rate"].startswith("From 1 Mbit/s to 2 Mbit/s: droptail ")


def test_a_sweeps_page_holds_every_cell(sweep, sweep_page):
    cells = data_of(sweep_page)["cells"]["cells"]
    assert [row["label"] for row in cells["rows"]] == [row["label"] for row in sweep.plan]
    assert cells["parameters"][1] == {"name": "bottleneck.rate", "unit": "Mbit/s", "numeric": True}
    assert [row["at"][1] for row in cells["rows"]] == [1, 2, 1, 2]
    column = [metric["name"] for metric in cells["metrics"]].index("tcp goodput")
    means = [row.values[0].mean for row in sweep.table(["tcp.goodput"]).rows]
    assert [row["values"][column][0] for row in cells["rows"]] == pytest.approx(means, rel=1e-5)


def test_charts_have_the_curves_of_the_static_figures_and_the_samples_of_runs(small):
    page = data_of(report.of(small).html)
    queue = next(chart for chart in page["charts"] if chart["name"] == "queue")
    views = [view for view in queue["views"] if view["part"] == "r1->r2"]
    assert [view["runs"] for view in views] == ["mean over all runs", "run 1", "run 2", "run 3"]
    rows = small.queue_series.filter((pl.col("run") == 2) & (pl.col("queue").cast(pl.String) == "r1->r2"))
    assert views[2]["lines"][0]["values"] == rows["backlog_packets"].to_list()
    assert views[2]["note"] == "samples as recorded"
    assert {"low", "high"} <= set(views[0]["lines"][0])


def test_lines_look_as_in_the_static_figures():
    looks = charts.looks()
    assert looks[0] == {"colour": "#0072B2", "dash": []}
    assert looks[1] == {"colour": "#D55E00", "dash": [12, 4]}
    assert len({json.dumps(look) for look in looks}) == len(looks) == 28


# -- long series -----------------------------------------------------------------------------------------------


def test_thinning_keeps_every_peak_and_makes_none_up():
    draw = np.random.default_rng(1)
    times, values = np.arange(100_000.0), draw.normal(size=100_000)
    values[54_321] = 99.0
    placed, (thin,), each = thinned(times, [values], 2000)
    assert each == 100
    assert len(placed) == len(thin) == 2000
    assert np.all(np.diff(placed) > 0)
    assert thin.max() == 99.0
    assert thin.min() == values.min()
    for start in range(0, 2000, 2):
        own = values[start // 2 * 100 : start // 2 * 100 + 100]
        assert {thin[start], thin[start + 1]} == {own.min(), own.max()}


def test_thinning_leaves_gaps():
    values = np.full(40, np.nan)
    values[30:] = 1.0
    _, (thin,), _ = thinned(np.arange(40.0), [values], 8)
    assert np.isnan(thin[:4]).all()
    assert (thin[6:] == 1.0).all()


# -- no name does harm -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def hostile(run: tailrace.Result) -> tailrace.Result:
    """As a folder of any origin may be: the parser takes no such name."""
    plain = json.dumps(HOSTILE)[1:-1]

    def spoilt(value: object) -> dict:
        text = re.sub(
            r'"(tcp|cbr|src|bottleneck|late|small)(?=["\[])',
            rf'"{plain}\1'.replace("\\u", "\\\\u"),
            json.dumps(value),
        )
        return json.loads(text)

    tables = {
        name: frame.with_columns(
            pl.col(column).cast(pl.String).replace({"tcp": f"{HOSTILE}tcp", "cbr": f"{HOSTILE}cbr"})
            for column in frame.columns
            if column in {"group", "src"}
        )
        for name, frame in run.items()
    }
    toml = run.scenario_toml.replace('"tcp"', f'"{HOSTILE}tcp"').replace('"src', f'"{HOSTILE}src')
    about = {**spoilt(run.manifest), "question": f"{HOSTILE}?", "command": ["tailrace", "run", HOSTILE]}
    return tailrace.Result(spoilt(run.summary), tables, toml, about)


def test_a_name_that_would_end_a_script_is_text(hostile, run_page):
    text = report.of(hostile).html
    page, plain = Page(text), Page(run_page)
    assert not page.unbalanced
    assert len(page.of("script")) == len(plain.of("script")) == 3
    # The one bold word in front is the heading of the answer, others those of facts: none is of a name.
    assert len(page.of("b")) == len(plain.of("b"))
    assert "</script><b>" in page.text
    assert "\u202e" not in text
    labels = [
        line["label"]
        for chart in data_of(text)["charts"]
        for view in chart["views"]
        for line in view["lines"]
    ]
    assert any(label.startswith("</script><b>") for label in labels)


# -- drawings --------------------------------------------------------------------------------------------------


def test_hosts_that_are_alike_are_one_node(run):
    found = network_layout.of(resolved_scenario.of(run.scenario_toml))
    assert {(node.name, node.count, node.column) for node in found.nodes} == {
        ("src", 3, 0),
        ("r1", 1, 1),
        ("r2", 1, 2),
        ("dst", 1, 3),
    }
    assert [edge.name for edge in found.edges] == ["src – r1", "bottleneck", "r2 – dst"]
    load = network_drawing.loads([run.aggregate])(found.edges[1].forward)
    assert load is not None
    assert load.most == run.aggregate["queues"]["r1->r2"]["utilization"]["mean"]


def test_a_network_that_is_too_large_is_listed():
    said_of = {
        "router": [{"name": "r", "count": 60}],
        "link": [{"between": ["r[0..59]", "r[1..60]"], "rate": "1 Mbit/s"}],
    }
    found = network_layout.of(said_of)
    assert "too many for a drawing" in found.note
    assert network_drawing.picture(found, network_drawing.loads([])) is None
    assert len(network_drawing.table(found, network_drawing.loads([])).grid.rows) == 59


def test_the_timeline_has_what_happens(run, run_page):
    from tailrace.show.plots import spans

    rows = timeline.table(list(spans.all_of(run))).grid.rows
    assert ["fault", "down (bottleneck)", "3", "4"] in [list(row) for row in rows]
    assert "fault down (bottleneck): 3 s to 4 s" in Page(run_page).text


def test_a_spoilt_scenario_is_reported_without_its_network(small):
    spoilt = tailrace.Result(small.summary, dict(small), "not [ toml", small.manifest)
    page = Page(report.of(spoilt).html)
    assert "The scenario has no links that can be read." in page.text
    assert "tcp (2 flows) get" in page.text


# -- where it goes ---------------------------------------------------------------------------------------------


@pytest.fixture
def saved(small: tailrace.Result, tmp_path: Path) -> Path:
    return small.save(tmp_path / "out")


def test_the_command_writes_into_the_folder_and_again(saved, tmp_path):
    done = command_line("report", "out", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    assert "out/report.html" in done.stderr
    first = (saved / "report.html").read_bytes()
    assert "report.html" in json.loads((saved / "manifest.json").read_text())["files"]
    assert command_line("report", "out", "-q", cwd=tmp_path).stderr == ""
    assert (saved / "report.html").read_bytes() == first
    tailrace.Result.load(saved)


@pytest.mark.usefixtures("saved")
def test_nothing_but_an_older_report_is_replaced(tmp_path):
    for name in ("mine.html", "out/report.html"):
        (tmp_path / name).write_text("<html>mine</html>")
        done = command_line("report", "out", "-o", name, cwd=tmp_path)
        assert done.returncode == 2
        assert (
            f"{name} is no report of tailrace, and stays as it is; choose another file with -o" in done.stderr
        )
        assert (tmp_path / name).read_text() == "<html>mine</html>"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["report", "nowhere"], "there is no result folder nowhere"),
        (["report", "small.toml"], "is a file, not a result folder"),
        (["report", "."], "is not a result folder"),
        (["report", "out", "-o", "page.pdf"], "has to end in .html or .htm"),
        (["report", "out", "-o", "out"], "is a folder; name a file with -o"),
        (["report", "out", "-o", "/proc/self/x.html"], "cannot be written"),
        (["report", "out", "-o", "small.toml/x.html"], "cannot be written"),
        (["report", "later"], "was written by a later version"),
    ],
)
def test_a_users_mistake_is_a_message_and_exit_code_2(saved, tmp_path, arguments, words):
    (tmp_path / "small.toml").write_text(SMALL)
    shutil.copytree(saved, tmp_path / "later")
    manifest = tmp_path / "later" / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"format_version": 1', '"format_version": 2'))
    done = command_line(*arguments, cwd=tmp_path)
    assert done.returncode == 2, done.stderr
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_a_sweep_without_runs_is_refused(sweep, monkeypatch):
    monkeypatch.setattr(type(sweep), "has_runs", False)
    with pytest.raises(UsageError, match="holds no run yet"):
        report.of(sweep)


def test_a_reproductions_verdicts_are_on_its_page(tmp_path):
    from conftest import ROOT
    from tailrace.reproduce import report_page

    shutil.copytree(ROOT / "docs" / "papers" / "kochher", tmp_path / "kochher")
    found = report_page.report(tmp_path / "kochher")
    page = Page(found.html)
    assert not page.unbalanced
    assert "Of 17 claims 3 hold" in page.text
    assert "SFQ has the highest throughput (of the TCP flows)." in page.text
    assert "tailrace reproduce kochher" in page.text
    assert len(found.html) < 5_000_000
    verdicts = tmp_path / "kochher" / "verdicts.json"
    verdicts.write_text(verdicts.read_text().replace('"counts"', '"conuts"'))
    with pytest.raises(UsageError, match=r"verdicts.json is damaged: it has no proper 'counts'"):
        report_page.report(tmp_path / "kochher")


def test_in_a_notebook_a_report_shows_itself_in_a_frame(small, tmp_path):
    found = small.report()
    assert found.save(tmp_path / "small.html").read_text() == found.html
    shown = found._repr_html_()
    assert shown.startswith('<iframe title="Tailrace report" srcdoc="&lt;!DOCTYPE html&gt;')
    assert "allow-same-origin" not in shown

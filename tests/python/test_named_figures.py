"""`[[figure]]`: the figures that a scenario names."""

import json

import pytest

import tailrace
from conftest import SMALL, command_line
from tailrace import ScenarioError
from tailrace.build import Figure, Scenario
from tailrace.cli import figure_checks
from tailrace.execution import identity

SWEPT = SMALL + '\n[sweep]\n"link.bottleneck.rate" = ["1 Mbit/s", "2 Mbit/s"]\n'
FIGURES = """
[[figure]]
metric = "tcp.goodput"
against = "bottleneck.rate"
[[figure]]
metric = "sojourn"
kind = "bars"
where = "rate > '500 kbit/s'"
[[figure]]
series = "queue,cwnd"
"""


@pytest.fixture
def file(tmp_path):
    file = tmp_path / "small.toml"
    file.write_text(SWEPT + FIGURES)
    return file


def stems(place):
    return sorted(figure.stem for figure in (place / "figures").glob("*.png"))


def test_a_sweep_draws_those_of_metrics_after_its_table(file, tmp_path):
    done = command_line("sweep", file, "-o", "s", "--runs", 1, cwd=tmp_path)
    assert done.returncode == 0
    assert "goodput" in done.stdout
    assert stems(tmp_path / "s") == [
        "sojourn-bars-rate-500-kbit-s",
        "tcp.goodput-against-bottleneck.rate",
    ]


def test_without_plots_there_are_none(file, tmp_path):
    assert command_line("sweep", file, "-o", "s", "--runs", 1, "--no-plots", cwd=tmp_path).returncode == 0
    assert not (tmp_path / "s" / "figures").exists()


def test_a_run_and_a_comparison_draw_those_over_time(file, tmp_path):
    for command in ("run", "compare"):
        assert command_line(command, file, "-o", command, "--runs", 1, "-q", cwd=tmp_path).returncode == 0
        assert stems(tmp_path / command) == ["cwnd", "queue"]
    assert (
        command_line(
            "run", file, "-o", "run", "--runs", 1, "-q", "--figures", "goodput", cwd=tmp_path
        ).returncode
        == 0
    )
    assert "goodput" in stems(tmp_path / "run")


def test_no_run_depends_on_them(file):
    with_them, without = tailrace.Scenario.of(file), tailrace.Scenario(SWEPT)
    assert identity.of_cell(with_them) == identity.of_cell(without)
    cell = {"link.bottleneck.rate": '"1 Mbit/s"'}
    assert with_them.variant("a", cell).to_toml() == without.variant("a", cell).to_toml()
    assert tailrace.Scenario(with_them.to_toml()).outline["figures"] == with_them.outline["figures"]
    assert len(with_them.outline["figures"]) == 3


def test_two_that_differ_in_a_formula_have_two_files(tmp_path):
    twice = '[[figure]]\nmetric = "tcp.goodput"\n'
    (tmp_path / "a.toml").write_text(f'{SWEPT}{twice}{twice}formula = "line = rate"\n{twice}log = "y"\n')
    assert command_line("sweep", "a.toml", "-o", "s", "--runs", 1, cwd=tmp_path).returncode == 0
    assert stems(tmp_path / "s") == ["tcp.goodput", "tcp.goodput-again-1", "tcp.goodput-again-2"]


def test_what_the_scenario_no_longer_names_goes_unless_somebody_has_changed_it(tmp_path):
    def swept(*figures):
        (tmp_path / "a.toml").write_text(SWEPT + "".join(f"[[figure]]\n{figure}\n" for figure in figures))
        done = command_line("sweep", "a.toml", "-o", "s", "--runs", 1, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        return done.stderr

    goodput, sojourn = 'metric = "tcp.goodput"', 'metric = "sojourn"'
    swept(goodput, f'{sojourn}\nkind = "line"')
    assert stems(tmp_path / "s") == ["sojourn-line", "tcp.goodput"]
    assert command_line("plot", "s", "--metric", "tcp.loss", "-q", cwd=tmp_path).returncode == 0
    (tmp_path / "s" / "figures" / "mine.png").write_bytes(b"mine")
    (tmp_path / "s" / "figures" / "tcp.goodput.png").write_bytes(b"changed")
    said = swept(f'{sojourn}\nkind = "bars"')
    gone = (
        said.rpartition("removed what no [[figure]] of the scenario draws any more: ")[2].strip().split(", ")
    )
    assert gone == ["figures/tcp.goodput.svg", "figures/sojourn-line.png", "figures/sojourn-line.svg"]
    assert stems(tmp_path / "s") == ["mine", "sojourn-bars", "tcp.goodput", "tcp.loss"]
    assert not (tmp_path / "s" / "figures" / "tcp.goodput.svg").exists()
    # Nothing is drawn, and nothing goes.
    (tmp_path / "a.toml").write_text(SWEPT)
    assert command_line("sweep", "a.toml", "-o", "s", "--runs", 1, "--no-plots", cwd=tmp_path).returncode == 0
    assert "sojourn-bars" in stems(tmp_path / "s")
    swept()
    assert stems(tmp_path / "s") == ["mine", "tcp.goodput", "tcp.loss"]
    files = json.loads((tmp_path / "s" / "manifest.json").read_text())["files"]
    assert "figures/sojourn-bars.png" not in files
    assert "figures/tcp.loss.png" in files


def test_they_are_objects_in_code():
    text = SWEPT + FIGURES
    built = Scenario.from_toml(text)
    assert built.figures[1] == Figure(metric="sojourn", kind="bars", where="rate > '500 kbit/s'")
    assert tailrace.Scenario.of(built).outline["figures"] == tailrace.Scenario(text).outline["figures"]


METRIC = 'metric = "goodput"'
# What a figure says, its line of which something is said, and that.
WRONG = [
    (f'{METRIC}\nwhere = "speed=3"', 2, "there is no swept parameter 'speed'"),
    (f'{METRIC}\nwhere = "rate=3 Mbit/s"', 2, "there is no cell with bottleneck.rate = '3 Mbit/s'"),
    (f"{METRIC}\nwhere = \"rate > '5 Mbit/s'\"", 2, "no cell is left where rate > '5 Mbit/s'"),
    (f'{METRIC}\nwhere = "rte > 5"', 2, "there is no 'rte'; did you mean rate?"),
    (f'{METRIC}\nformula = "y = min(1, x /"', 2, "formula: 'min(1, x /' is no"),
    (f'{METRIC}\nformula = "x"', 2, "a formula has a name"),
    (
        f'{METRIC}\nformula = "y = rte"',
        0,
        "`formula` y: 'rte' cannot be computed: there is no 'rte'; did you mean rate?",
    ),
    (f"{METRIC}\nformula = \"y = '3 s'\"", 0, "`formula` y is measured in s, the axis in Mbit/s"),
    ('metric = "goodputt"', 1, "there is no metric 'goodputt'; did you mean"),
    ('metric = "sojourn,goodputt"', 1, "there is no metric 'goodputt'; did you mean"),
    ('metric = "p95(goodput)"', 1, "figures show means"),
    ('metric = "damage"', 1, 'say role = "attack"'),
    (
        'metric = "goodputt"\nof = "flows"',
        1,
        "there is no column 'goodputt' of numbers; did you mean goodput",
    ),
    (f'{METRIC}\nof = "flow"', 2, "there is no table of values 'flow'; did you mean 'flows'"),
    (f'{METRIC}\nof = "path_series"', 2, "values of paths are metrics: `metric` path_goodput, `by` path"),
    (f'{METRIC}\nagainst = "period"', 2, "there is no swept parameter 'period'"),
    (f'{METRIC}\nby = "period"', 2, "there is no swept parameter 'period'"),
    (f'{METRIC}\nkind = "pie"', 2, "there is no kind of figure 'pie'"),
    (f'{METRIC}\nkind = "map"', 0, "a map is of two parameters: name them with `against` and `by`"),
    (f'{METRIC}\nlog = "z"', 2, "axes that can be logarithmic are x and y"),
    ('series = "cwmd"', 1, "there is no figure 'cwmd'; did you mean 'cwnd'"),
    ('series = "queue,path_goodput"', 1, 'path_goodput is of flows over Multipath TCP (transport = "mptcp")'),
    ('series = "cwnd"\nby = "rate"', 2, "this is of figures of sweeps"),
]
ALONE = SWEPT.replace('role = "attack"\n', "")


@pytest.mark.parametrize(("figure", "line", "message"), WRONG)
def test_what_is_wrong_with_a_figure_has_a_place_and_a_reason(tmp_path, monkeypatch, figure, line, message):
    monkeypatch.chdir(tmp_path)
    head = f"{ALONE}\n[[figure]]\n"
    with pytest.raises(ScenarioError) as caught:
        figure_checks.check_file(tailrace.Scenario(f"{head}{figure}\n"))
    (found,) = caught.value.diagnostics
    assert message in found["label"]
    assert found["line"] == head.count("\n") + line


def test_every_command_says_all_of_it_before_the_first_run(tmp_path):
    wrong = '[[figure]]\nseries = "cwmd"\n[[figure]]\nmetric = "goodputt"\nwhere = "rate=3 Mbit/s"\n'
    (tmp_path / "small.toml").write_text(f"{SWEPT}\n{wrong}")
    said = set()
    for command in ("check", "run", "compare", "sweep"):
        target = [] if command == "check" else ["-o", "there"]
        done = command_line(command, "small.toml", *target, cwd=tmp_path)
        assert done.returncode == 2
        said.add(done.stderr)
    assert not (tmp_path / "there").exists()
    (text,) = said
    lines = len(SWEPT.splitlines()) + 1
    assert [f"small.toml:{lines + line}:" in text for line in (2, 4, 5)] == [True] * 3
    assert "did you mean '2 Mbit/s'" in text


@pytest.mark.parametrize("figure", ['by = "rate"', 'series = "cwnd"\nmetric = "goodput"'])
def test_a_figure_has_a_series_or_a_metric(figure):
    with pytest.raises(ScenarioError, match="either a `series`"):
        tailrace.Scenario(f"{SWEPT}\n[[figure]]\n{figure}\n")


def test_what_options_vary_is_known_where_they_are_given(tmp_path):
    (tmp_path / "a.toml").write_text(
        f'{SMALL}\n[[figure]]\nmetric = "goodput"\nagainst = "bottleneck.delay"\n'
    )
    # No sweep is declared: what one will vary is not known.
    assert command_line("check", "a.toml", cwd=tmp_path).returncode == 0
    vary = ["--set-each", "link.bottleneck.delay=1ms,2ms"]
    assert command_line("sweep", "a.toml", *vary, "--dry-run", cwd=tmp_path).returncode == 0
    other = ["--set-each", "link.bottleneck.rate=1mbit,2mbit"]
    done = command_line("sweep", "a.toml", *other, "--dry-run", cwd=tmp_path)
    assert done.returncode == 2
    assert "there is no swept parameter 'bottleneck.delay'" in done.stderr


def test_series_need_to_be_recorded_unless_they_are_left_out_for_once():
    figure = '\n[[figure]]\nseries = "goodput"\n'
    silent = SMALL.replace('interval = "100 ms"', 'interval = "off"') + figure
    with pytest.raises(ScenarioError, match="goodput is drawn from time series: set \\[record\\] interval"):
        figure_checks.check_file(tailrace.Scenario(silent))
    figure_checks.check_file(tailrace.Scenario(SMALL + figure, overrides={"record.interval": "off"}))


def test_figures_of_multipath_need_it_in_one_of_the_variants():
    multipath = f'{SMALL}\n[sweep]\n"flow.tcp.transport" = [{{ kind = "tcp" }}, {{ kind = "mptcp" }}]\n'
    figure_checks.check_file(tailrace.Scenario(f'{multipath}[[figure]]\nseries = "path_goodput"\n'))


def test_figures_in_code_are_called_as_they_are_there():
    built = Scenario.from_toml(SWEPT)
    built.figures = [Figure(metric="goodput"), Figure(metric="goodputt")]
    with pytest.raises(ScenarioError, match=r"--> figures\[1\].metric"):
        figure_checks.check_file(built.check())

"""`[[figure]]`: the figures that a scenario names."""

import pytest

import tailrace
from conftest import SMALL, command_line
from tailrace.build import Figure, Scenario
from tailrace.study import identity

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


def test_they_are_objects_in_code():
    text = SWEPT + FIGURES
    built = Scenario.from_toml(text)
    assert built.figures[1] == Figure(metric="sojourn", kind="bars", where="rate > '500 kbit/s'")
    assert tailrace.Scenario.of(built).outline["figures"] == tailrace.Scenario(text).outline["figures"]


@pytest.mark.parametrize(
    ("command", "figure", "message"),
    [
        (
            "sweep",
            'metric = "goodput"\nwhere = "speed=3"',
            "[[figure]] 1 of FILE: there is no swept parameter 'speed'",
        ),
        (
            "sweep",
            'metric = "goodput"\nformula = "y = min(1, x /"',
            "[[figure]] 1 of FILE: formula: 'min(1, x /' is no",
        ),
        ("sweep", 'metric = "goodputt"', "no metric 'goodputt'; did you mean"),
        (
            "sweep",
            'metric = "goodput"\nagainst = "period"',
            "[[figure]] 1 of FILE: there is no swept parameter",
        ),
        ("sweep", 'metric = "goodput"\nby = "period"', "there is no swept parameter 'period'"),
        (
            "sweep",
            'metric = "goodput"\nkind = "pie"',
            "[[figure]] 1 of FILE: there is no kind of figure 'pie'",
        ),
        ("sweep", 'metric = "goodput"\nformula = "x"', "a formula has a name"),
        ("run", 'series = "cwmd"', "[[figure]] 1 of FILE: there is no figure 'cwmd'; did you mean 'cwnd'"),
        ("run", 'series = "cwnd"\nby = "rate"', "`by` is of figures of sweeps"),
        ("run", 'by = "rate"', "either a `series`"),
        ("run", 'series = "cwnd"\nmetric = "goodput"', "either a `series`"),
    ],
)
def test_what_cannot_be_is_said_before_the_first_run(tmp_path, command, figure, message):
    file = tmp_path / "small.toml"
    file.write_text(f"{SWEPT}\n[[figure]]\n{figure}\n")
    done = command_line(command, file, "-o", "there", cwd=tmp_path)
    assert done.returncode == 2
    assert message.replace("FILE", str(file)) in done.stderr
    assert not (tmp_path / "there").exists()

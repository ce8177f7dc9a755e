"""Distributions of sizes in files: read beside the scenario, carried with it."""

import pickle

import pytest

import tailrace
from conftest import SMALL
from tailrace.errors import ScenarioError

APP = 'app = { kind = "bulk" }'
CDF = "# bytes, share\n2000 1 0.5\n2000 1 1\n"


@pytest.fixture
def sized(tmp_path):
    """A scenario in a folder with the distribution of its transfers."""
    (tmp_path / "sizes").mkdir()
    (tmp_path / "sizes" / "web.cdf").write_text(CDF)
    app = 'app = { kind = "arrivals", size = "cdf(sizes/web.cdf)", gap = "50 ms" }'
    file = tmp_path / "sized.toml"
    assert APP in SMALL
    file.write_text(SMALL.replace(APP, app))
    return file


def test_sizes_are_found_beside_the_scenario_and_go_with_it(sized, monkeypatch, tmp_path):
    monkeypatch.chdir("/")
    scenario = tailrace.Scenario.of(sized)
    packed = pickle.dumps(scenario)
    (tmp_path / "sizes" / "web.cdf").unlink()
    for back in (pickle.loads(packed), tailrace.Scenario.of(scenario.to_toml())):
        assert back.to_toml() == scenario.to_toml()
    with pytest.raises(ScenarioError, match=r"there is no file .*web.cdf; paths begin where the scenario"):
        tailrace.Scenario.of(sized)


def test_files_of_sizes_are_an_axis_and_what_is_in_them_counts(sized, tmp_path):
    (tmp_path / "large.cdf").write_text("9000 100\n")
    axis = {"flow.tcp.app.size": ["cdf(large.cdf)", "cdf(sizes/web.cdf)"]}

    def sizes():
        sweep = tailrace.sweep(sized, axis, runs=1, output=tmp_path / "out")
        return set(sweep["connections"]["size_bytes"].drop_nans())

    assert sizes() == {9000, 2000}
    # Runs are known by what the file said, not by its name.
    (tmp_path / "large.cdf").write_text("7000 100\n")
    assert sizes() == {7000, 2000}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", 'line 1 of "sizes/web.cdf": it has no lines with a size and a share'),
        (b"5 0.5\n3 1\n", 'line 2 of "sizes/web.cdf": a size of 3 B comes after 5 B; sort the lines'),
        (b"5 0.5\n9 0.9\n", "line 2 .*shares end at 1, or at 100"),
        (b"\xff\xfe", "it is not UTF-8 text"),
    ],
)
def test_what_is_no_distribution_is_said_with_its_line(sized, tmp_path, text, message):
    (tmp_path / "sizes" / "web.cdf").write_bytes(text)
    with pytest.raises(ScenarioError, match=message):
        tailrace.Scenario.of(sized)

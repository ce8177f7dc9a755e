"""Scenarios of a sweep's cells are read once, as far as there is room to keep them."""

import pytest

import tailrace
from conftest import SMALL
from tailrace.study import scenario_cache

QUEUES = {"link.bottleneck.queue": ["droptail", "red", "codel"]}


@pytest.fixture
def read(monkeypatch):
    """The labels of cells whose scenario was read, in order."""
    labels, real = [], tailrace.Scenario.variant

    def noted(self, label, overrides):
        labels.append(label)
        return real(self, label, overrides)

    monkeypatch.setattr(tailrace.Scenario, "variant", noted)
    return labels


def swept(place):
    return tailrace.sweep(SMALL, QUEUES, runs=2, jobs=1, output=place).runs.drop("wall_s")


def test_scenarios_of_cells_are_read_once_where_there_is_room_for_them(tmp_path, read, monkeypatch):
    kept = swept(tmp_path / "kept")
    assert sorted(read) == ["codel", "droptail", "red"]
    read.clear()
    monkeypatch.setattr(scenario_cache, "ROOM_BYTES", tailrace.Scenario(SMALL).size)
    # One fits; the others are read again for each run.
    assert swept(tmp_path / "read").equals(kept)
    assert sorted(read) == [*["codel"] * 3, "droptail", *["red"] * 3]


def test_a_scenario_counts_with_its_network_and_the_files_that_it_names(tmp_path):
    small = tailrace.Scenario(SMALL)
    large = tailrace.Scenario(SMALL.replace("count = 3", "count = 3000"))
    assert large.size > 100 * small.size
    # What runs record is not kept with it.
    assert tailrace.Scenario(SMALL, overrides={"record.interval": "1 ms"}).size == small.size
    (tmp_path / "s.toml").write_text(SMALL.replace('rate = "2 Mbit/s"', 'rate = "trace(down.trace)"'))
    (tmp_path / "down.trace").write_text("".join(f"{n}\n" for n in range(1000)))
    traced = tailrace.Scenario.of(tmp_path / "s.toml")
    assert traced.size >= small.size + (tmp_path / "down.trace").stat().st_size
    assert 1000 * small.size < scenario_cache.ROOM_BYTES

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


def test_scenario_cache_saves_reads_up_to_its_capacity(tmp_path, read, monkeypatch):
    kept = swept(tmp_path / "kept")
    assert sorted(read) == ["codel", "droptail", "red"]
    read.clear()
    monkeypatch.setattr(scenario_cache, "CAPACITY_BYTES", tailrace.Scenario(SMALL).size)
    # One scenario fits; the others are read again for each run.
    assert swept(tmp_path / "read").equals(kept)
    assert sorted(read) == [*["codel"] * 3, "droptail", *["red"] * 3]


def test_scenario_size_includes_its_network_and_trace_files(tmp_path):
    small = tailrace.Scenario(SMALL)
    large = tailrace.Scenario(SMALL.replace("count = 3", "count = 3000"))
    assert large.size > 100 * small.size
    # Recording options do not change the size.
    assert tailrace.Scenario(SMALL, overrides={"record.interval": "1 ms"}).size == small.size
    (tmp_path / "s.toml").write_text(SMALL.replace('rate = "2 Mbit/s"', 'rate = "trace(down.trace)"'))
    (tmp_path / "down.trace").write_text("".join(f"{n}\n" for n in range(1000)))
    traced = tailrace.Scenario.of(tmp_path / "s.toml")
    assert traced.size >= small.size + (tmp_path / "down.trace").stat().st_size
    assert 1000 * small.size < scenario_cache.CAPACITY_BYTES

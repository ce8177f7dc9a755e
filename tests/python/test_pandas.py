"""Tables as pandas frames: the extra is named where it is missing, and values and names stay where it is there."""

from importlib.util import find_spec

import pytest

import tailrace
from tailrace.data import pandas_frames

SMALL = """name = "small"
duration = "3 s"
host = [{ name = "a" }, { name = "b" }]
link = [{ name = "wire", between = ["a", "b"], rate = "1 Mbit/s", delay = "1 ms" }]
flow = [{ name = "f", from = "a", to = "b", transport = "tcp", app = { kind = "transfer", size = "10 kB" } }]
"""
RATES = {"link.wire.rate": ["1 Mbit/s", "2 Mbit/s"]}
needs_pandas = pytest.mark.skipif(
    not (find_spec("pandas") and find_spec("pyarrow")), reason="pandas is not installed: tailrace[pandas]"
)


@pytest.fixture(scope="module")
def sweep():
    return tailrace.sweep(SMALL, RATES, runs=2)


@pytest.mark.parametrize("there", [(), ("pyarrow",), ("pandas",)])
def test_what_is_missing_is_named_with_the_extra_that_brings_it(monkeypatch, sweep, there):
    monkeypatch.setattr(pandas_frames, "find_spec", lambda name: name in there or None)
    missing = " and ".join(name for name in ("pandas", "pyarrow") if name not in there)
    with pytest.raises(tailrace.UsageError) as told:
        sweep.to_pandas("flows")
    assert str(told.value).startswith(f"to_pandas() needs {missing}, not installed here")
    assert "pip install 'tailrace[pandas]'" in str(told.value)
    with pytest.raises(tailrace.UsageError, match=r"tailrace\[pandas\]"):
        tailrace.run(SMALL).to_pandas("flows")


@needs_pandas
@pytest.mark.filterwarnings("default")
def test_names_and_values_are_those_of_the_table(sweep):
    frame = sweep.to_pandas("flows")
    assert list(frame.columns) == sweep.flows.columns
    assert frame["goodput_bps"].tolist() == sweep.flows["goodput_bps"].to_list()
    result = tailrace.run(SMALL, runs=2)
    assert result.to_pandas("connections")["run"].tolist() == [1, 2]
    assert result.to_pandas("events").empty


def test_connections_of_a_sweep_are_those_of_its_cells(sweep):
    rows = sweep.connections
    assert rows["wire.rate"].to_list() == [1e6, 1e6, 2e6, 2e6]
    assert rows["run"].to_list() == [1, 2, 1, 2]
    one = tailrace.run(SMALL, runs=2, set={"link.wire.rate": "2 Mbit/s"})
    both = [name for name in one.connections.columns if name in rows.columns]
    assert len(both) > 10
    assert rows.filter(rows["wire.rate"] == 2e6).select(both).equals(one.connections.select(both))


def test_a_table_that_there_is_not_is_refused(sweep):
    with pytest.raises(tailrace.UsageError, match="flows"):
        sweep.to_pandas("flow")

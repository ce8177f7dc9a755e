"""Results, comparisons and sweeps as mappings: what they hold by name; as text; copied and pickled."""

import copy
import pickle

import pytest

import tailrace
from conftest import SMALL

QUEUES = {"link.bottleneck.queue": ["droptail", "codel"]}


@pytest.fixture(scope="module", params=["result", "comparison", "sweep"])
def found(request, small, small_codel, tmp_path_factory):
    if request.param == "result":
        return small
    if request.param == "comparison":
        return tailrace.compare({"droptail": small, "codel": small_codel})
    return tailrace.sweep(SMALL, QUEUES, runs=1, output=tmp_path_factory.mktemp("maps") / "s")


def test_each_is_a_mapping_by_name(found):
    names = list(found)
    assert names
    assert len(found) == len(names) == len(set(names))
    assert list(found.keys()) == names
    assert dict(found).keys() == set(names)
    assert names[0] in found
    assert "nothing" not in found
    assert found.get("nothing") is None
    assert bool(found)
    # Two of the same are two: frames have no equality that could be meant.
    assert found == found  # noqa: PLR0124 - what is tested
    assert {found: 1}[found] == 1


def test_what_is_not_there_is_answered_with_what_is(found):
    with pytest.raises(KeyError, match="there are ") as error:
        found["nothing"]
    assert next(iter(found)) in str(error.value)


def test_each_prints_as_a_table(found):
    assert "goodput" in str(found)
    assert "<table>" in found._repr_html_()
    assert type(found).__name__ in repr(found)


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_each_can_be_copied_and_pickled(found, copied):
    other = copied(found)
    assert type(other) is type(found)
    assert list(other) == list(found)
    assert str(other) == str(found)


def test_tables_of_a_result_are_those_that_were_recorded(small, tmp_path):
    loaded = tailrace.Result.load(small.save(tmp_path / "r"))
    for result in (small, loaded):
        assert {"flows", "queues", "events", "flow_series"} <= set(result)
        assert result["flows"].equals(result.flows)
    quiet = tailrace.run(SMALL, runs=1, set={"record.events": False})
    assert quiet.events.is_empty()
    assert "events" not in quiet
    with pytest.raises(KeyError):
        quiet["events"]


def test_captures_are_pickled(tmp_path):
    result = tailrace.run(SMALL + '\n[[capture]]\nat = "bottleneck"\n', runs=1)
    assert result.captures
    again = pickle.loads(pickle.dumps(result))
    assert again.captures == result.captures
    assert sorted(p.name for p in again.save(tmp_path / "r").rglob("*.pcapng")) == ["bottleneck.pcapng"]

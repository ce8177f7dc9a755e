"""Variants: lists on the command line, sweeps in files, labels."""

import pytest

import tailrace
from conftest import KOCHHER, SMALL
from tailrace.study import variants
from tailrace.text import value_labels


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("a,b", ["a", "b"]),
        ("red limit 50, codel", ["red limit 50", "codel"]),
        ("{ kind = 'red', ecn = true },sfq", ["{ kind = 'red', ecn = true }", "sfq"]),
        ("uniform(1 ms, 2 ms),3 ms", ["uniform(1 ms, 2 ms)", "3 ms"]),
        ("'a,b',[1,2]", ["'a,b'", "[1,2]"]),
    ],
)
def test_lists_split_at_commas_outside_brackets_and_quotes(text, parts):
    assert value_labels.split_list(text) == parts


def test_two_axes_span_a_grid_whose_last_axis_is_fastest():
    cells = variants.of_options(["link.b.queue=red,codel", "link.b.rate=1mbit,2mbit"])
    assert [cell.label for cell in cells] == [
        "red rate=1mbit",
        "red rate=2mbit",
        "codel rate=1mbit",
        "codel rate=2mbit",
    ]
    assert cells[1].overrides == {"link.b.queue": "red", "link.b.rate": "2mbit"}


def test_axes_whose_last_words_are_alike_are_called_by_more():
    cells = variants.of_options(["host.a.kernel=none,6.1", "host.b.kernel=none,6.1", "link.l.rate=1mbit"])
    assert [cell.label for cell in cells][:2] == ["a.kernel=none b.kernel=none", "a.kernel=none b.kernel=6.1"]
    cells = variants.of_options(["link.a.queue=red,codel", "link.b.queue=red,codel", "seed=1,2"])
    assert cells[2].label == "a.queue=red b.queue=codel seed=1"
    cells = variants.of_options(["link.b.rate=1mbit,2mbit", "flow.cbr.app.rate=1mbit,2mbit"])
    assert cells[0].label == "b.rate=1mbit cbr.rate=1mbit"
    assert value_labels.endings(["queue", "link.b.queue"]) == {"queue": "queue", "link.b.queue": "b.queue"}


def test_an_axis_with_one_value_is_set_but_not_in_the_label():
    cells = variants.of_options(["link.b.queue=red,codel", "runs=2"])
    assert [cell.label for cell in cells] == ["red", "codel"]
    assert all(cell.overrides["runs"] == "2" for cell in cells)


def test_queues_of_one_kind_are_told_apart_by_what_differs():
    cells = variants.of_options(
        ["link.b.queue={ kind = 'red', ecn = true, min = 9 },{ kind = 'red', ecn = true, min = 8 },codel"]
    )
    assert [cell.label for cell in cells] == ["red min=9", "red min=8", "codel"]
    lines = variants.of_options(["link.b.queue=red limit 50,red limit 100,codel limit 5"])
    assert [cell.label for cell in lines] == ["red limit 50", "red limit 100", "codel"]


def test_a_kind_by_its_name_alone_is_told_from_its_tables():
    queues = "fq_codel,{ kind = 'fq_codel', flow_by = 'dst' },{ kind = 'fred', many_flows = true },fred"
    cells = variants.of_options([f"link.b.queue={queues}"])
    assert [cell.label for cell in cells] == [
        "fq_codel",
        "fq_codel flow_by=dst",
        "fred many_flows=true",
        "fred",
    ]


def test_equal_labels_are_numbered():
    cells = variants.of_options(["link.b.queue={ kind = 'red' },{ kind = 'red', ecn = true },red"])
    assert len({cell.label for cell in cells}) == 3


@pytest.mark.parametrize("option", ["nothing", "=a,b", "path=", "path=a,,b"])
def test_a_malformed_option_is_a_usage_error(option):
    with pytest.raises(tailrace.UsageError, match="--set-each"):
        variants.of_options([option])


def test_a_file_without_sweep_has_no_variants():
    assert variants.of_scenario(tailrace.Scenario(SMALL)) == []


def test_the_sweep_of_a_file_gives_runnable_variants_in_its_order():
    scenario = tailrace.Scenario.of(KOCHHER)
    cells = variants.of_scenario(scenario)
    assert [cell.label for cell in cells] == ["droptail", "red", "sfq", "blue", "rem", "codel"]
    resolved = {cell.label: scenario.replaced(cell.overrides).to_toml() for cell in cells}
    assert len(set(resolved.values())) == len(resolved)


def test_an_empty_value_has_a_name():
    cells = variants.of_options(["flow.mp.gateways=\"\",'gw[1]'"])
    assert [cell.label for cell in cells] == ["empty", "gw[1]"]

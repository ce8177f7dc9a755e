"""QUIC stacks as transports: results name them, and files that ask for too much are refused with place and remedy."""

from __future__ import annotations

from typing import Any

import pytest

import tailrace
from tailrace import api
from tailrace.errors import ScenarioError
from tailrace.scenario.scenario import Scenario

HEAD = """
name = "quic"
duration = "5 s"
[record]
interval = "100 ms"
[[host]]
name = "a"
[[host]]
name = "b"
[[link]]
name = "l"
between = ["a", "b"]
rate = "10 Mbit/s"
delay = "10 ms"
queue = { kind = "droptail", limit = "50 packets" }
"""


def flow(transport: str, app: str = '"bulk"', name: str = "data") -> str:
    return f'[[flow]]\nname = "{name}"\nfrom = "a"\nto = "b"\ntransport = {transport}\napp = {app}\n'


@pytest.fixture(scope="module")
def result() -> tailrace.Result:
    both = flow('{ kind = "quic", stack = "noq" }') + flow('"tcp"', name="tcp")
    return tailrace.run(HEAD + both, runs=1)


def test_results_name_the_stack_and_its_version(result: tailrace.Result) -> None:
    rows = {row["group"]: row for row in result.flows.iter_rows(named=True)}
    assert (rows["data"]["transport"], rows["data"]["cc"]) == ("quic", "cubic")
    assert rows["data"]["stack"].startswith("noq-proto ")
    assert rows["tcp"]["stack"] == ""
    assert result.manifest["quic_stacks"] == [rows["data"]["stack"]]


def test_figures_that_a_stack_does_not_tell_are_null(result: tailrace.Result) -> None:
    group = result.summary["runs"][0]["groups"]["data"]
    assert group["timeouts"] is None
    assert group["whole_run"]["wrong_bytes"] == 0
    series = result.flow_series
    quic, tcp = (series.filter(series["group"] == name) for name in ("data", "tcp"))
    assert quic["in_flight_bytes"].null_count() == quic.height
    assert quic["cwnd_bytes"].drop_nulls().max() > 10_000
    assert tcp["in_flight_bytes"].null_count() < tcp.height


def test_runs_repeat() -> None:
    text = HEAD + flow('{ kind = "quic", stack = "quinn" }', '{ kind = "transfer", size = "1 MB" }')
    prints = {tailrace.run(text, runs=1).manifest["fingerprint"] for _ in range(2)}
    assert len(prints) == 1


REFUSED: dict[str, tuple[str, list[str]]] = {
    "an unknown stack": ('{ kind = "quic", stack = "quiche" }', ["stack", "noq", "quinn"]),
    "a control that cannot be seeded": ('{ kind = "quic", cc = "bbr" }', ["seeded", 'cc_from = "simulator"']),
    "a key of a stack's control": (
        '{ kind = "quic", cc = { kind = "cubic", beta = 0.5 } }',
        ["has no key `beta`", 'cc_from = "simulator"'],
    ),
    "a control without its delays": (
        '{ kind = "quic", cc = "ledbat", cc_from = "simulator" }',
        ["one-way delays", "another control"],
    ),
    "a control whose pacing is not asked": (
        '{ kind = "quic", stack = "quinn", cc = "bbr", cc_from = "simulator" }',
        ["pacing rate", "another control or stack"],
    ),
    "a key of TCP": ('{ kind = "quic", delayed_ack = 1 }', ["delayed_ack"]),
    "a threshold below the RFC's": ('{ kind = "quic", packet_threshold = 1 }', ["packet_threshold", "3"]),
    "several paths": ('{ kind = "mpquic", stack = "quinn" }', ["mpquic", "quic"]),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_file_is_refused_with_place_and_remedy(case: str) -> None:
    transport, words = REFUSED[case]
    with pytest.raises(ScenarioError) as caught:
        Scenario.of(HEAD + flow(transport))
    said = str(caught.value)
    assert "transport = " in said
    assert [word for word in words if word not in said] == [], said


def test_applications_of_datagrams_are_refused() -> None:
    with pytest.raises(ScenarioError) as caught:
        Scenario.of(HEAD + flow('"quic"', '{ kind = "cbr", rate = "1 Mbit/s", size = "1000 B" }'))
    assert "needs UDP" in str(caught.value)


def test_a_kernel_has_no_quic() -> None:
    text = HEAD.replace('name = "b"\n', 'name = "b"\nkernel = "6.12"\n') + flow('"quic"')
    with pytest.raises(ScenarioError) as caught:
        Scenario.of(text)
    assert "kernels have no QUIC" in str(caught.value)


def test_options_are_listed_and_have_classes() -> None:
    options: list[dict[str, Any]] = api.catalog()["quic"][0]["params"]
    names = {option["name"] for option in options}
    assert {"stack", "initial_window", "packet_threshold", "max_idle_timeout"} <= names
    assert all(option["doc"] for option in options)

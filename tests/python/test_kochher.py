"""The paper's scenario, shortened: what must hold whatever the paper left open."""

import pytest

import tailrace
from conftest import KOCHHER
from tailrace.study import variants


@pytest.fixture(scope="module")
def comparison():
    scenario = tailrace.Scenario.of(KOCHHER, set={"duration": "30 s", "runs": 2})
    cells = {cell.label: scenario.replaced(cell.overrides) for cell in variants.of_scenario(scenario)}
    return tailrace.run_variants(cells, title="kochher")


def bottleneck(result):
    return result.aggregate["queues"]["r1->r2"]


def test_every_discipline_keeps_the_bottleneck_busy_and_drops(comparison):
    for label, result in comparison.results.items():
        assert bottleneck(result)["utilization"]["mean"] > 0.9, label
        drops = bottleneck(result)["dropped_packets"]
        assert drops["overlimit"]["mean"] + drops["aqm"]["mean"] > 0, label


def test_no_queue_holds_more_than_its_buffer(comparison):
    for label, result in comparison.results.items():
        assert bottleneck(result)["backlog_packets"]["max"]["mean"] <= 50, label


def test_windows_stay_within_the_papers_bound(comparison):
    for result in comparison.results.values():
        # In flight, not cwnd: ns-2's cwnd_ itself may exceed window_. RFC 3042 allows two segments beyond the
        # window; in fast recovery each duplicate ACK lets one more go, beside half a window (RFC 5681 §3.2).
        assert result.flow_series["in_flight_bytes"].max() <= (25 + 2) * 1.5 * 1460


def test_codel_has_the_shortest_queue_and_droptail_a_long_one(comparison):
    queue = {
        label: bottleneck(result)["sojourn_s"]["mean"]["mean"] for label, result in comparison.results.items()
    }
    assert min(queue, key=queue.get) == "codel"
    # With the paper's parameters REM's price has hardly risen after 30 s; then it, too, is a tail drop.
    assert all(queue["droptail"] > queue[other] for other in ("red", "sfq", "codel"))


def test_cbr_offers_what_the_file_says(comparison):
    for label, result in comparison.results.items():
        # 0.448 Mbit/s in packets of 8000 bits are 56 packets a second; each flow starts within the first second.
        sent = result.aggregate["groups"]["udp"]["sent_packets"]["mean"]
        assert 2 * 56 * 29 * 0.99 < sent < 2 * 56 * 30 * 1.01, label

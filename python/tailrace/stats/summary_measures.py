"""Columns of summaries: heading, place in the aggregate, unit; and the queue under study."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tailrace.text.interval_text import mean_or_bound
from tailrace.text.near_misses import known


@dataclass(frozen=True)
class Measure:
    """A column: its heading, where its leaf is, and what to multiply SI units by.

    One that is `rare` is shown only where some row has more than nothing there; where `beside` is there, too, that
    row does not count. What is less than `least`, in the unit of the column, is said to be less.
    """

    heading: str
    path: tuple[str, ...]
    scale: float = 1.0
    rare: bool = False
    beside: tuple[str, ...] = ()
    least: float = 0.0

    def leaf(self, row: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """The `{mean, ci95, n}` of a row; a delay is the one in the direction of the data."""
        return leaf(row, (along_data(row, self.path[0]), *self.path[1:]))

    def of(self, row: Mapping[str, Any]) -> str:
        """Text of the column for a row."""
        return mean_or_bound(self.leaf(row), self.scale, self.least)


# Distributions of the delay of data from the client, which opens connections, and from the server.
FORWARD_DELAY, REVERSE_DELAY = "one_way_delay_s", "reverse_one_way_delay_s"
_OPPOSITE = {FORWARD_DELAY: REVERSE_DELAY, REVERSE_DELAY: FORWARD_DELAY}
# Leaf that flows have whose transport measures round trips.
_CONNECTED = ("connections", "opened")
GROUP_MEASURES = (
    Measure("goodput Mbit/s", ("goodput_bps", "sum"), 1e-6),
    Measure("throughput Mbit/s", ("throughput_bps", "sum"), 1e-6),
    Measure("loss %", ("loss_ratio",), 100),
    Measure("delay ms", ("one_way_delay_s", "mean"), 1e3),
    Measure("delay back ms", ("reverse_one_way_delay_s", "mean"), 1e3, rare=True),
    Measure("Jain", ("jain",)),
    Measure("completed", ("completed",), rare=True),
    Measure("completion ms", ("completion_s", "mean"), 1e3, rare=True),
    Measure("p95 ms", ("completion_s", "p95"), 1e3, rare=True),
    Measure("round trip ms", ("rtt_s", "mean"), 1e3, rare=True, beside=_CONNECTED),
    Measure("p99 ms", ("rtt_s", "p99"), 1e3, rare=True, beside=_CONNECTED),
)
PATH_MEASURES = (
    Measure("goodput Mbit/s", ("goodput_bps",), 1e-6),
    Measure("loss %", ("loss_ratio",), 100),
    Measure("delay ms", ("one_way_delay_s", "mean"), 1e3),
    Measure("p99 ms", ("one_way_delay_s", "p99"), 1e3),
    Measure("packets sent", ("sent_packets",)),
    Measure("lost", ("lost_packets",)),
)
HOST_MEASURES = (
    Measure("packets sent outside of flows", ("sent_packets",)),
    Measure("of these lost", ("lost_packets",)),
    Measure("marked", ("marked_packets",)),
    Measure("received in all", ("received_packets",)),
    Measure("MB received", ("received_bytes",), 1e-6),
)
QUEUE_MEASURES = (
    # Less than any queue holds or delays: at 100 Gbit/s a packet of 1500 B takes 0.12 us.
    Measure("queue packets", ("backlog_packets", "mean"), least=1e-3),
    Measure("sojourn ms", ("sojourn_s", "mean"), 1e3, least=1e-4),
    Measure("use %", ("utilization",), 100),
    Measure("ACKs filtered", ("ack_filtered_packets",), rare=True),
    Measure("detected after ms", ("flagged", "detection_s"), 1e3, rare=True),
    Measure("flagged rightly", ("flagged", "true_positive"), rare=True),
    Measure("wrongly", ("flagged", "false_positive"), rare=True),
)


def along_data(group: Mapping[str, Any], key: str) -> str:
    """The key of a delay as seen from the end that sends: where servers alone do (downloads), the opposite.

    Where both ends send, the client's data counts as forward.
    """
    if key not in _OPPOSITE or _mean(group, FORWARD_DELAY) is not None or _mean(group, REVERSE_DELAY) is None:
        return key
    return _OPPOSITE[key]


def _mean(group: Mapping[str, Any], key: str) -> float | None:
    found = leaf(group, (key, "mean"))
    return found["mean"] if found else None


def leaf(tree: Mapping[str, Any], path: Sequence[str]) -> Mapping[str, Any] | None:
    """The `{mean, ci95, n}` at a path of an aggregate, if it is there."""
    found: Any = tree
    for key in path:
        found = found.get(key) if isinstance(found, Mapping) else None
    return found if isinstance(found, Mapping) and "mean" in found and "ci95" in found else None


def studied_queue(aggregates: Sequence[Mapping[str, Any]], wanted: str | None = None) -> str | None:
    """The one queue that is shown of all results: the wanted one, or the busiest.

    Of the queues that most results have it is the one that drops most in all of them together, and of those that drop
    equally the most used.
    """
    queues: list[Mapping[str, Any]] = [aggregate.get("queues") or {} for aggregate in aggregates]
    names = list(dict.fromkeys(name for found in queues for name in found))
    if wanted is not None:
        return known(wanted, names, "queue")

    def weight(name: str) -> tuple[int, float, float]:
        having = [found[name] for found in queues if name in found]
        drops = [queue.get("dropped_packets") or {} for queue in having]
        dropped = sum((leaf(by, (reason,)) or {"mean": 0.0})["mean"] for by in drops for reason in by)
        used = sum((leaf(queue, ("utilization",)) or {"mean": 0.0})["mean"] for queue in having)
        return len(having), dropped, used

    return max(names, key=weight) if names else None

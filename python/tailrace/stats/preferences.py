"""Preferences: which way a metric is better, and the word for a difference."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tailrace.stats import reach

if TYPE_CHECKING:
    from tailrace.stats.metrics import Metric
    from tailrace.stats.statistics import Interval

# Word for a difference whose 95 % interval holds 0.
NOT_SHOWN = "not shown"
BETTER, WORSE, HIGHER, LOWER = "better", "worse", "higher", "lower"

# Beginnings of short names and figures of which less is better.
_BURDENS = (
    "backlog",
    "bins.goodput_cv",
    "bins.loss_max",
    "completion",
    "damage",
    "delay",
    "detection",
    "dropped",
    "duration",
    "failed_programs",
    "false_positives",
    "flagged.detection",
    "flagged.false_positive",
    "goodput_cv",
    "longest_silence",
    "loss",
    "one_way_delay",
    "page_load",
    "pages.load",
    "potency",
    "reach_",
    "rehabilitation",
    "reordered",
    "retransmi",
    "reverse_one_way_delay",
    "rtt",
    "running_programs",
    "silen",
    "slowdown",
    "sojourn",
    "stall",
    "startup",
    "switches",
    "timeouts",
    "video.stall",
    "video.startup",
    "video.switches",
)
# Beginnings of those of which more is better.
_GOODS = (
    "completed",
    "completion_goodput",
    "flow_goodput",
    "goodput",
    "jain",
    "mos",
    "pages",
    "path_goodput",
    "path_throughput",
    "r_factor",
    "throughput",
    "true_positives",
    "utilization",
    "video.rate",
    "video_rate",
    "voice.mos",
    "voice.r_factor",
)
# Shortest time in a queue or backlog: neither an empty queue nor a full one is wanted of it.
_NEUTRAL = ("sojourn_min", "backlog_min", "completion_s.count")


def direction(metric: Metric, attackers: frozenset[str] | set[str] = frozenset()) -> int:
    """Sign of the better values: 1 where more is better, -1 where less is, 0 where nobody can say.

    >>> from tailrace.stats.metrics import SHORT
    >>> [direction(SHORT[name]) for name in ("mos", "delay_p99", "completion_goodput", "marked")]
    [1, -1, 1, 0]
    """
    name = metric.name.removeprefix("path_")
    if metric.owner in attackers or name.startswith(_NEUTRAL) or metric.over == "cv":
        return 0
    lengths = [
        (max((len(word) for word in words if name.startswith(word)), default=0), sign)
        for words, sign in ((_BURDENS, -1), (_GOODS, 1))
    ]
    longest, sign = max(lengths)
    if reach.target(metric.figure) is not None:
        return -1
    return sign if longest else 0


def word(metric: Metric, change: Interval | None, attackers: frozenset[str] | set[str] = frozenset()) -> str:
    """Word for a difference: `better`, `worse`, `not shown`, or `higher` and `lower`; empty for a single run."""
    if change is None or change.ci95 is None:
        return ""
    if abs(change.mean) <= change.ci95:
        return NOT_SHOWN
    rises = change.mean > 0
    sign = direction(metric, attackers)
    if not sign:
        return HIGHER if rises else LOWER
    return BETTER if rises == (sign > 0) else WORSE

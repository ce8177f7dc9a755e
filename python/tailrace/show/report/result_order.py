"""Order of a result's findings: the metrics that were asked for first, then what its question is about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from tailrace.show.report import contrasts
from tailrace.show.report.statements import Statement, brief, quantity
from tailrace.stats import asked_metrics, bootstrap

if TYPE_CHECKING:
    from tailrace.stats.measured import Measured
    from tailrace.stats.metrics import Metric

# Headings of findings that answer a topic, the most telling first.
_OF_TOPICS: Mapping[str, tuple[str, ...]] = {
    "call": ("Calls", "Delay", "Loss"),
    "video": ("Video",),
    "recovery": ("Fault", "Windows", "Paths"),
    "completion": ("Completion", "Pages"),
    "delay": ("Round trips", "Delay", "Queue"),
    "fairness": ("Fairness", "Goodput"),
    "loss": ("Loss",),
    "use": ("Queue",),
    "attack": ("Attack", "Goodput", "Flags", "Fairness", "Loss"),
    "rate": ("Goodput",),
}


def of(found: Sequence[Statement], question: str) -> list[Statement]:
    """Findings with those of the question's topics in front; doubts stay behind, in their order."""
    wanted = [heading for topic in asked_metrics.topics(question) for heading in _OF_TOPICS[topic.name]]
    ranks = {heading: rank for rank, heading in reversed(list(enumerate(wanted)))}

    def rank(one: Statement) -> int:
        return len(wanted) + 1 if one.caution else ranks.get(one.about, len(wanted))

    return sorted(found, key=rank)


def asked(measured: Measured, columns: Sequence[str]) -> list[Statement]:
    """A finding for each metric that was asked for."""
    return [_value(measured, metric) for metric in measured.metrics(columns)] if columns else []


def _value(measured: Measured, metric: Metric) -> Statement:
    runs = next(iter(measured.values(metric).values()), {})
    value = bootstrap.estimate(list(runs.values()), metric.over, metric.bounds) if runs else None
    text = quantity(brief(value.as_dict()), metric.unit) if value else "No run has a value"
    return Statement(contrasts.named(metric), f"{text}.")

"""Findings of one result, in words: shares of flows, state of the queue, flagged flows, doubts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from tailrace.show import summary_tables
from tailrace.show.report import phases
from tailrace.show.report import resolved_scenario as scenarios
from tailrace.show.report.statements import Statement, brief, counted, listed, quantity, said, value
from tailrace.stats import completion_notes, steady_state, summary_measures
from tailrace.text import interval_text

if TYPE_CHECKING:
    from tailrace.data.result import Result

_MBIT, _MS, _PERCENT = 1e-6, 1e3, 100.0
# Groups with statements at most, the largest first.
_MOST_GROUPS = 6
# A queue that is shorter than this on average is none to speak of.
_SHORT_PACKETS = 0.05


def of(result: Result) -> list[Statement]:
    """The answer first, what makes it doubtful last."""
    aggregate = result.aggregate
    return [
        *_shares(aggregate),
        *_completions(aggregate),
        *_pages(aggregate),
        *_calls(aggregate),
        *_video(aggregate),
        *_round_trips(aggregate),
        *_queue(aggregate),
        *_delays(aggregate),
        *_flags(aggregate, _warmup(result)),
        *_windows(aggregate),
        *phases.of(result),
        *_paths(aggregate),
        *_losses(aggregate),
        *doubts(result),
    ]


def doubts(result: Result, label: str = "") -> list[Statement]:
    """Doubts: runs that did not end, series that still moved, and limits of a single run."""
    of_label = f"{label}: " if label else ""
    found = [
        Statement("Not in order", f"{of_label}{note}.", True)
        for note in completion_notes.notes(result.aggregate)
    ]
    try:
        notes = steady_state.notes(result)
    except (KeyError, ValueError):  # the file of the scenario is spoilt
        notes = []
    found += [Statement("Not settled", f"{of_label}{note}.", True) for note in notes]
    if result.manifest.get("status", "complete") != "complete":
        asked, status = result.manifest.get("runs_asked"), result.manifest["status"]
        found.append(
            Statement(
                "Incomplete", f"{of_label}the runs were {status}: {result.n} of {asked} are here.", True
            )
        )
    return found


def _warmup(result: Result) -> str:
    """Warm-up in the scenario; empty without one."""
    said_of = scenarios.of(result.scenario_toml)
    return str(said_of["warmup"]) if scenarios.seconds(said_of, "warmup") else ""


def one_run() -> Statement:
    """Where nothing can be said of chance."""
    return Statement(
        "One run",
        "With a single run there are no intervals: what is chance and what is not cannot be told. "
        "--runs 5 gives an interval to every number.",
        True,
    )


# -- who gets what ---------------------------------------------------------------------------------------------


def _groups(aggregate: Mapping[str, Any]) -> Mapping[str, Mapping[str, Any]]:
    found: Mapping[str, Mapping[str, Any]] = aggregate.get("groups") or {}
    return found


def _shares(aggregate: Mapping[str, Any]) -> Iterator[Statement]:
    groups = _groups(aggregate)
    rates = {name: value(group, "goodput_bps", "sum") or 0.0 for name, group in groups.items()}
    total = sum(rates.values())
    if not groups:
        return
    ranked = sorted(groups, key=lambda name: -rates[name])
    if len(groups) == 1:
        yield Statement("Goodput", f"{_share(ranked[0], groups[ranked[0]], None)}.")
    else:
        parts = [
            _share(name, groups[name], rates[name] / total if total else None)
            for name in ranked[:_MOST_GROUPS]
        ]
        more = len(ranked) - len(parts)
        rest = f"; {counted(more, 'smaller group')} the rest" if more else ""
        parts[0] += " of all that reached applications" if total else ""
        yield Statement("Goodput", f"{'; '.join(parts)}{rest}.")
    several = [
        name for name in ranked[:_MOST_GROUPS] if (value(groups[name], "flows") or 0) > 1 and rates[name] > 0
    ]
    if several:
        text = "; ".join(_spread(name, groups[name]) for name in several)
        yield Statement("Fairness", f"{text[:1].upper()}{text[1:]}.")


def _share(name: str, group: Mapping[str, Any], share: float | None) -> str:
    flows = value(group, "flows") or 0
    role = ", an attack" if group.get("role") == "attack" else ""
    got = said(group, ("goodput_bps", "sum"), "Mbit/s", _MBIT)
    part = "" if share is None else f", {_PERCENT * share:.3g} %"
    verb = "get" if flows != 1 else "gets"
    together = " together" if flows > 1 else ""
    return f"{name} ({counted(flows, 'flow')}{role}) {verb} {got}{together}{part}"


def _spread(name: str, group: Mapping[str, Any]) -> str:
    least, most = (
        brief(_alone(summary_measures.leaf(group, ("goodput_bps", end))), _MBIT) for end in ("min", "max")
    )
    jain = brief(summary_measures.leaf(group, ("jain",)))
    index = f", Jain's index {jain}" if jain != interval_text.NO_VALUE else ""
    return f"single flows of {name} get {least} to {most} Mbit/s{index}"


def _alone(entry: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    """Without its interval, where two numbers stand in a row."""
    return None if entry is None else {"mean": entry["mean"], "ci95": None}


def _completions(aggregate: Mapping[str, Any]) -> Iterator[Statement]:
    for name, group in list(_groups(aggregate).items())[:_MOST_GROUPS]:
        if not value(group, "completion_s", "mean"):
            continue
        mean = said(group, ("completion_s", "mean"), "ms", _MS)
        late = said(group, ("completion_s", "p95"), "ms", _MS)
        yield Statement(
            "Completion",
            f"What {name} completes takes {mean} on average, 95 of 100 no more than {late}.",
        )


def _normal(aggregate: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    """Groups that are no attack."""
    return [(name, group) for name, group in _groups(aggregate).items() if group.get("role") != "attack"]


def _pages(aggregate: Mapping[str, Any]) -> Iterator[Statement]:
    for name, group in _normal(aggregate)[:_MOST_GROUPS]:
        pages = group.get("pages") or {}
        if value(pages, "load_s", "mean"):
            mean = said(pages, ("load_s", "mean"), "ms", _MS)
            late = said(pages, ("load_s", "p95"), "ms", _MS)
            yield Statement("Pages", f"A page of {name} loads in {mean} on average, 95 of 100 within {late}.")


def _calls(aggregate: Mapping[str, Any]) -> Iterator[Statement]:
    """Scores of voice (ITU-T G.107)."""
    parts = [
        f"{name} {brief(summary_measures.leaf(group, ('voice', 'mos', 'mean')))}"
        for name, group in _normal(aggregate)
        if value(group, "voice", "mos", "mean") is not None
    ]
    if parts:
        yield Statement("Calls", f"Mean opinion score of voice, 4.4 at best: {'; '.join(parts)}.")


def _video(aggregate: Mapping[str, Any]) -> Iterator[Statement]:
    for name, group in _normal(aggregate)[:_MOST_GROUPS]:
        if value(group, "video", "rate_bps", "mean") is None:
            continue
        rate = said(group, ("video", "rate_bps", "mean"), "Mbit/s", _MBIT)
        stalls = brief(summary_measures.leaf(group, ("video", "stalls", "mean")))
        yield Statement("Video", f"{name} plays {rate} on average, with {stalls} stalls a player.")


def _round_trips(aggregate: Mapping[str, Any]) -> Iterator[Statement]:
    """Round trips of pings: connections measure theirs for themselves."""
    parts = [
        f"{name} {said(group, ('rtt_s', 'mean'), 'ms', _MS)} on average, "
        f"99 of 100 no more than {said(group, ('rtt_s', 'p99'), 'ms', _MS)}"
        for name, group in _normal(aggregate)
        if value(group, "rtt_s", "mean") is not None and value(group, "connections", "opened") is None
    ]
    if parts:
        yield Statement("Round trips", f"{'; '.join(parts[:_MOST_GROUPS])}.")


# -- queues ----------------------------------------------------------------------------------------------------


def _queue(aggregate: Mapping[str, Any]) -> Iterator[Statement]:
    queues: Mapping[str, Mapping[str, Any]] = aggregate.get("queues") or {}
    name = summary_measures.studied_queue([aggregate])
    if name is None:
        return
    queue = queues[name]
    limit = f", at most {queue['limit']}" if queue.get("limit") else ""
    where = f"At {name} ({summary_tables.queue_kind(queue)}{limit})"
    backlog = value(queue, "backlog_packets", "mean")
    used = said(queue, ("utilization",), "%", _PERCENT)
    if backlog is None or backlog < _SHORT_PACKETS:
        text = f"{where} hardly anything waited; the link was used to {used}."
    else:
        late = said(queue, ("sojourn_s", "p99"), "ms", _MS)
        text = (
            f"{where} {said(queue, ('backlog_packets', 'mean'), 'packets')} waited on average, each for "
            f"{said(queue, ('sojourn_s', 'mean'), 'ms', _MS)}, and 99 of 100 for no more than {late}; "
            f"the link was used to {used}."
        )
    yield Statement("Queue", f"{text} {_dropped(queue)}")


_REASONS = {
    "overlimit": "at the limit",
    "aqm": "by the discipline",
    "link_loss": "on the wire",
    "link_down": "link down",
    "policed": "by the policer",
}


def _dropped(queue: Mapping[str, Any]) -> str:
    drops: Mapping[str, Any] = queue.get("dropped_packets") or {}
    parts = [
        f"{brief(summary_measures.leaf(drops, (reason,)))} {_REASONS.get(reason, reason.replace('_', ' '))}"
        for reason in drops
        if value(drops, reason)
    ]
    marked = said(queue, ("marked_packets",), "packets") if value(queue, "marked_packets") else ""
    dropped = f"Packets dropped: {listed(parts)}" if parts else "No packet was dropped"
    filtered = said(queue, ("ack_filtered_packets",), "ACKs") if value(queue, "ack_filtered_packets") else ""
    more = [
        *([f"{marked} were marked"] if marked else []),
        *([f"{filtered} were filtered, since later ones say the same"] if filtered else []),
    ]
    return "; ".join([dropped, *more]) + "."


def _delays(aggregate: Mapping[str, Any]) -> Iterator[Statement]:
    normal = [
        (name, group, key)
        for name, group in _groups(aggregate).items()
        for key in [summary_measures.along_data(group, summary_measures.FORWARD_DELAY)]
        if group.get("role") != "attack" and value(group, key, "mean") is not None
    ]
    parts = [
        f"{name} {said(group, (key, 'mean'), 'ms', _MS)} on average, "
        f"99 of 100 packets no more than {said(group, (key, 'p99'), 'ms', _MS)}"
        for name, group, key in normal[:_MOST_GROUPS]
    ]
    if parts:
        yield Statement("Delay", f"One way, end to end: {'; '.join(parts)}.")


def _paths(aggregate: Mapping[str, Any]) -> Iterator[Statement]:
    """Statements about what flows over Multipath TCP got by each path."""
    paths: Mapping[str, Mapping[str, Any]] = aggregate.get("paths") or {}
    if len(paths) > 1:
        parts = [f"{said(path, ('goodput_bps',), 'Mbit/s', _MBIT)} by {name}" for name, path in paths.items()]
        yield Statement("Paths", f"Goodput: {listed(parts)}.")


def _losses(aggregate: Mapping[str, Any]) -> Iterator[Statement]:
    groups = list(_groups(aggregate).items())[:_MOST_GROUPS]
    parts = [
        f"{name} {said(group, ('loss_ratio',), '%', _PERCENT)} of its packets{_timeouts(group)}"
        for name, group in groups
        if value(group, "loss_ratio")
    ]
    if parts:
        yield Statement("Loss", f"Lost: {'; '.join(parts)}.")


def _timeouts(group: Mapping[str, Any]) -> str:
    if not value(group, "timeouts"):
        return ""
    return f", with {quantity(brief(summary_measures.leaf(group, ('timeouts',))), 'retransmission timeouts')}"


# -- attacks ---------------------------------------------------------------------------------------------------


def _flags(aggregate: Mapping[str, Any], warmup: str) -> Iterator[Statement]:
    """Statements about disciplines that classify; others report no flags."""
    queues: Mapping[str, Mapping[str, Any]] = aggregate.get("queues") or {}
    for name, queue in queues.items():
        flagged = queue.get("flagged")
        if not isinstance(flagged, Mapping) or "groups" not in flagged:
            continue
        hits, misses, wrong, right = (
            value(flagged, key) or 0.0
            for key in ("true_positive", "false_negative", "false_positive", "true_negative")
        )
        after = value(flagged, "detection_s")
        if hits + wrong == 0 and (after is None and name != summary_measures.studied_queue([aggregate])):
            continue
        attackers = f"{hits:.4g} of {counted(hits + misses, 'attack flow')} and " if hits + misses else ""
        soon = (
            f" The first flag of an attack flow came {_after(flagged)} its start on average." if after else ""
        )
        yield Statement(
            "Flags",
            f"{summary_tables.queue_kind(queue)} at {name} flagged {attackers}{wrong:.4g} of "
            f"{counted(wrong + right, 'normal flow')}{_since(warmup)}.{soon}",
        )


def _after(flagged: Mapping[str, Any]) -> str:
    return f"{said(flagged, ('detection_s',), 'ms', _MS)} after"


def _since(warmup: str) -> str:
    """Time from which flags are counted: a flow that was cleared before is not among them."""
    return f", after the warm-up of {warmup}" if warmup else ""


def _windows(aggregate: Mapping[str, Any]) -> Iterator[Statement]:
    windows: Mapping[str, Mapping[str, Any]] = aggregate.get("windows") or {}
    for name, group in list(_groups(aggregate).items())[:_MOST_GROUPS]:
        if group.get("role") == "attack":
            continue
        parts = [
            f"{said(window['groups'][name], ('goodput_bps', 'sum'), 'Mbit/s', _MBIT)} in {label}"
            for label, window in windows.items()
            if name in (window.get("groups") or {})
        ]
        if parts:
            yield Statement("Windows", f"Goodput of {name}: {listed(parts, 8)}.")

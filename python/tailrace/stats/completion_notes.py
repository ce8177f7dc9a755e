"""Notes about failures of transfers, connections and voice, wrong bytes, and silent flows: one line for a group."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# Reasons of silence, as a sentence about several flows; the words are those of the column `activity`.
SILENCE = {
    "link_down": "a link of every path that they use is down",
    "no_route": "no route leads to the other host",
    "no_subflow": "a connection of Multipath TCP without a subflow",
    "broken": "the connection broke, and no other is opened",
    "handshake": "nobody answers the handshake",
    "retransmitting": "no acknowledgment since a retransmission timeout",
    "peer_window": "the receive window of the other end is closed",
    "lost": "their datagrams were lost",
    "closing": "all data has arrived, and the application waits in vain for the end of the connection",
    "foreign_stack": "the stack of their host does not say why",
    "unexplained": "no reason is known, which is an error of Tailrace: please report it",
}


def notes(aggregate: Mapping[str, Any]) -> list[str]:
    """A line for each flow group that has any, summed over the runs, warm-up included.

    >>> count = lambda n: {"mean": n, "ci95": None, "n": 2}
    >>> transfers = {"asked": count(6), "started": count(1), "completed": count(1), "not_begun": count(5)}
    >>> notes({"groups": {"mp": {"transfers": transfers, "connections": {"broken": {"timed_out": count(0.5)}}}}})
    ['mp: 2 of 12 transfers completed, 10 not begun, connections broken: 1 timed out']
    >>> notes({"groups": {"tcp": {"whole_run": {"wrong_bytes": count(1.5)}}}})
    ['tcp: 3 bytes were delivered that are not those that were written']
    >>> reasons = {"link_down": count(1), "lost": count(0)}
    >>> silent = {"flows": count(1), "never": count(0), "since_s": count(3.25), "reasons": reasons}
    >>> notes({"groups": {"f": {"flows": count(4), "silent": silent}}})
    ['f: 2 of 8 flows silent at the end (since 3.25 s): a link of every path that they use is down']
    >>> notes({"groups": {"call": {"voice": {"late_packets": count(200), "heard_packets": count(600)}}}})
    ["call: 25 % of the packets that arrived came too late for the listener's playout buffer"]
    """
    lines = []
    for name, group in (aggregate.get("groups") or {}).items():
        parts = [
            *_transfers(group.get("transfers") or {}),
            *_connections(group.get("connections") or {}),
            *_content(group.get("whole_run") or {}),
            *_silence(group),
            *_voice(group.get("voice") or {}),
        ]
        if parts:
            lines.append(f"{name}: {', '.join(parts)}")
    return lines


def _transfers(transfers: Mapping[str, Any]) -> list[str]:
    asked, started = _total(transfers, "asked"), _total(transfers, "started")
    completed, failed = _total(transfers, "completed"), _total(transfers, "failed")
    # Where no number was asked for, one is under way at any time.
    of = asked or (started if failed else 0)
    if completed >= of:
        return []
    rest = {"failed": failed, "under way at the end": _total(transfers, "under_way")}
    rest["not begun"] = _total(transfers, "not_begun")
    counted = [f"{count} {what}" for what, count in rest.items() if count]
    return [f"{completed} of {of} transfers completed", *counted]


def _connections(connections: Mapping[str, Any]) -> list[str]:
    broken: Mapping[str, Any] = connections.get("broken") or {}
    causes = {cause.replace("_", " "): _total(broken, cause) for cause in broken}
    counted = [f"{count} {cause}" for cause, count in causes.items() if count]
    return [f"connections broken: {', '.join(counted)}"] if counted else []


def _content(counters: Mapping[str, Any]) -> list[str]:
    wrong = _total(counters, "wrong_bytes")
    return [f"{wrong} bytes were delivered that are not those that were written"] if wrong else []


def _silence(group: Mapping[str, Any]) -> list[str]:
    """What fell silent: `silent` of the group, as docs/reference/results.md has it."""
    silent: Mapping[str, Any] = group.get("silent") or {}
    count = _total(silent, "flows")
    if not count:
        return []
    never, of = _total(silent, "never"), _total(group, "flows")
    since = (silent.get("since_s") or {}).get("mean")
    if never == count:
        when = " (nothing was ever delivered)"
    elif since is None:  # a sweep has no such mean over its cells
        when = ""
    else:
        when = f" (since {since:.3g} s" + (f", {never} from the start)" if never else ")")
    reasons = {reason: _total(silent.get("reasons") or {}, reason) for reason in SILENCE}
    told = [(SILENCE[reason], number) for reason, number in reasons.items() if number]
    why = told[0][0] if len(told) == 1 else ", ".join(f"{number}: {reason}" for reason, number in told)
    return [f"{count} of {of} flows silent at the end{when}: {why}"]


def _voice(voice: Mapping[str, Any]) -> list[str]:
    late, heard = _total(voice, "late_packets"), _total(voice, "heard_packets")
    # Loss of this size rules the score (ITU-T G.107), while the network delivers.
    if late * 10 <= late + heard:
        return []
    share = 100 * late / (late + heard)
    return [f"{share:.0f} % of the packets that arrived came too late for the listener's playout buffer"]


def _total(tree: Mapping[str, Any], key: str) -> int:
    """The sum over the runs of a count."""
    entry = tree.get(key)
    return round(entry["mean"] * entry["n"]) if isinstance(entry, Mapping) and entry.get("mean") else 0

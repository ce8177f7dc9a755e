"""Metrics that answer: those that were asked for by name, or those that the words of a question mean.

A question names topics (delay, completion, fairness, ...) and often groups of flows. What follows "while", "beside",
"against" and the like is the load under which it is asked.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tailrace.errors import UsageError
from tailrace.stats import host_programs

if TYPE_CHECKING:
    from tailrace.stats.measured import Measured
    from tailrace.stats.metrics import Known, Metric


@dataclass(frozen=True)
class Topic:
    """A subject of questions: words that mean it, and metrics by short name, the most telling first."""

    name: str
    words: re.Pattern[str]
    metrics: tuple[str, ...]


def _words(text: str) -> re.Pattern[str]:
    """Beginnings of words."""
    return re.compile(rf"\b(?:{text})", re.IGNORECASE)


# In the order in which they rank where a question has several.
TOPICS = (
    Topic(
        "call", _words(r"calls?\b|voice|voip|telephon|listener"), ("mos", "delay_p99", "delay_p95", "loss")
    ),
    Topic(
        "video",
        _words(r"video|play(?:s|back)|rebuffer|stall"),
        ("stalls", "stalled", "video_rate", "startup"),
    ),
    Topic(
        "recovery",
        _words(
            r"recover|(?:path|link|interface)s? (?:that )?(?:fail|break|go(?:es)? down)|fail(?:s|ed|ure|over)"
            r"|outage|handover|take(?:s)? over|come(?:s)? back|stands? still|restor|returns?\b|leaves its"
        ),
        ("reach_80_of_before", "silence", "goodput"),
    ),
    Topic(
        "completion",
        _words(
            r"complet|finish|transfers?\b[^?]*\btake|take[^?]*\bcomplete|short (?:tcp )?(?:flow|transfer)"
            r"|web\b|pages?\b|soonest|sooner|answers at once|load time"
        ),
        ("completion", "completion_p95", "completion_p99", "page_load", "page_load_p95", "completed"),
    ),
    Topic(
        "delay",
        _words(
            r"delay|latency|latencies|lag\b|wait|pings?\b|round[- ]trips?|rtts?\b|bufferbloat|respon[sd]|jitter"
        ),
        ("rtt", "rtt_p99", "delay_p99", "delay", "sojourn", "sojourn_p99"),
    ),
    Topic(
        "fairness",
        _words(r"fair|(?<!that )shares?\b|unequal|who wins|at the expense|take from"),
        ("jain", "flow_goodput"),
    ),
    Topic(
        "loss", _words(r"los(?:s|e|ing)\b[^?]*\bpackets?|packet loss|drop(?:s|ped)\b|loss rate"), ("loss",)
    ),
    Topic(
        "use",
        _words(r"utili[sz]|uses? of (?:a|the) link|fills?\b (?:a|the)|idle"),
        ("utilization", "goodput"),
    ),
    Topic(
        "attack",
        _words(r"attack|flood|l?ddos|dos\b|shrew|puls|starv|protect|surviv|defend|punish"),
        ("damage", "goodput", "flow_goodput", "jain", "loss"),
    ),
    Topic(
        "rate",
        _words(
            r"goodput|throughput|bandwidth|speed|fast|how much|gets?\b|keeps?\b|cost|hurt|carr(?:y|ies)|add up"
            r"|uses? (?:all|both|several)"
        ),
        ("goodput",),
    ),
)
# Properties of a path that a question mentions in passing: "flows with short and long round trips".
_ATTRIBUTE = re.compile(r"\b(?:with|of) (?:an? )?[^,?]{0,30}\b(?:round[- ]trips?|rtts?|delay)\b(?! of)", re.I)
# Words after which a question tells the load, not the subject.
_LOAD = re.compile(
    r"\b(?:while|beside|besides|behind|against|under|when|despite|next to|together with)\b", re.I
)
# Applications by the words that questions have for their flows.
_KINDS = {
    "voip": _words(r"calls?\b|voice|voip|telephon"),
    "ping": _words(r"pings?\b|round[- ]trips? |responsive|response"),
    "web": _words(r"web|pages?\b"),
    "video": _words(r"video"),
    "bulk": _words(r"downloads?|uploads?|bulk|backup"),
}
_WORD = re.compile(r"[a-z]+", re.IGNORECASE)
# Letters that make a name's part a word, and that two words have in common.
_SHORTEST, _COMMON = 3, 4
# Scores and delays beside the usual metrics where nobody asks.
_SCORES = ("mos", "stalls", "page_load", "delay_p99")
# Metrics of a question at most.
MOST = 8


def topics(question: str) -> list[Topic]:
    """Topics of a question: those of its subject first, then those of the load, each as they rank."""
    subject, load = (_ATTRIBUTE.sub("", part) for part in parts(question))
    first = [topic for topic in TOPICS if topic.words.search(subject)]
    return first or [topic for topic in TOPICS if topic.words.search(load)]


def parts(question: str) -> tuple[str, str]:
    """Subject of a question, and under which load it is asked.

    >>> parts("How long does a ping take while downloads fill the link?")
    ('How long does a ping take ', 'while downloads fill the link?')
    """
    found = _LOAD.search(question)
    # A question may begin with its load: "While ..., what happens to ...?"
    place = found.start() if found and found.start() > 0 else len(question)
    return question[:place], question[place:]


def is_mentioned(name: str, question: str) -> bool:
    """Whether a name, or a part of it that is a word, occurs in a question.

    >>> [is_mentioned(name, "Does cake protect a video call?") for name in ("call_up", "cake", "codel")]
    [True, True, False]
    """
    if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", question, re.IGNORECASE):
        return True
    asked = [word.lower() for word in _WORD.findall(question)]
    own = [word.lower() for word in _WORD.findall(name) if len(word) >= _SHORTEST]
    return any(_alike(word, other) for word in own for other in asked)


def _alike(word: str, other: str) -> bool:
    """Equal words, or one the beginning of the other: `call` and `calls`."""
    if word == other:
        return True
    short, long = sorted((word, other), key=len)
    return len(short) >= _COMMON and long.startswith(short)


def of(
    measured: Measured, columns: Sequence[str] = (), question: str = "", before: Sequence[str] = ()
) -> list[Metric]:
    """Metrics by name; else those of an earlier command that are there, or of the question, and then the usual ones.

    Scores and delays are among the usual ones.
    """
    if columns:
        return measured.metrics(columns)
    names = still_there(measured, before)
    asked = measured.metrics(names) if names else _of_question(measured, question)
    return list(dict.fromkeys([*asked, *_usual(measured)]))


def still_there(measured: Measured, names: Sequence[str]) -> list[str]:
    """Names of metrics that are known here."""
    found: list[str] = []
    for name in map(str.strip, names):
        with suppress(UsageError):
            found += [name] if name and measured.metrics([name]) else []
    return found


def _of_question(measured: Measured, question: str) -> list[Metric]:
    """Metrics of the topics of a question, of the groups that it is about."""
    if not question:
        return []
    known = measured.known
    groups = subjects(measured, question)
    found: list[Metric] = []
    for topic in topics(question):
        for name in topic.metrics if len(groups) < 2 or topic.name != "fairness" else topic.metrics[::-1]:  # noqa: PLR2004
            own = [metric for metric in _there(measured, name) if _is_of(metric, groups, known)]
            found += sorted(
                own, key=lambda metric: groups.index(metric.owner) if metric.owner in groups else 0
            )
        if topic.name == "recovery":
            found += [m for m in _in_windows(measured, "goodput") if _is_of(m, groups, known)]
    queue = busiest(measured)
    kept = [
        metric for metric in dict.fromkeys(found) if metric.of != "queue" or metric.owner in {None, queue}
    ]
    return [metric for metric in kept if _is_something(measured, metric)][:MOST]


def subjects(measured: Measured, question: str) -> list[str]:
    """Groups that a question is about: those that its subject names, else all that are no attack and no named load."""
    known = measured.known
    normal = [name for name in known.owners["group"] if name not in known.attackers]
    subject, load = parts(question)
    kinds = _kinds(measured.scenario)
    named = [name for name in normal if _is_about(name, kinds.get(name, ""), subject)]
    others = [name for name in normal if not _is_about(name, kinds.get(name, ""), load)]
    return sorted(named, key=lambda name: _position(name, subject)) or others or normal


def _position(name: str, text: str) -> int:
    """Place in a text at which a name is mentioned; its end where that is by other words."""
    own = _WORD.findall(name)
    found = (
        re.search(rf"\b{re.escape(word)}", text, re.IGNORECASE) for word in own if len(word) >= _SHORTEST
    )
    return min((place.start() for place in found if place), default=len(text))


def _is_about(name: str, kind: str, text: str) -> bool:
    words = _KINDS.get(kind)
    return is_mentioned(name, text) or bool(words and words.search(text))


def _kinds(scenario: str) -> dict[str, str]:
    """Kind of the application of each group."""
    try:
        flows = tomllib.loads(scenario).get("flow") or []
    except tomllib.TOMLDecodeError:
        return {}
    found = {}
    for flow in flows:
        app = flow.get("app")
        found[str(flow.get("name", ""))] = str(app.get("kind", "") if isinstance(app, dict) else app)
    return found


def _is_of(metric: Metric, groups: Sequence[str], known: Known) -> bool:
    owner = metric.owner or (known.owners["group"][0] if metric.of == "group" else None)
    return metric.of != "group" or owner in groups


def _there(measured: Measured, name: str) -> list[Metric]:
    """Metrics of a short name that some cell has a value of; times to recover need windows and series."""
    known = measured.known
    if name.startswith("reach_"):
        return _recoveries(measured, name)
    found = known.valued(name)
    if name in {"rtt", "rtt_p99"}:
        # Connections measure round trips, too; where pings do they were sent for it.
        pings = [metric for metric in found if known.is_ping(metric)]
        return pings or found
    return found


def _recoveries(measured: Measured, name: str) -> list[Metric]:
    """Times to reach a share of the rate before, within each window."""
    known = measured.known
    if measured.series is None or measured.series() is None:
        return []
    every = [metric for window in known.windows for metric in known.recoveries(name, window)]
    return [metric for metric in every if any(measured.values(metric).values())]


def _in_windows(measured: Measured, name: str) -> list[Metric]:
    """A metric in each window."""
    known = measured.known
    return [replace(metric, window=window) for window in known.windows for metric in known.valued(name)]


def busiest(measured: Measured) -> str | None:
    """The queue whose link is used most in all cells together."""
    utilizations = [m for m in measured.metrics() if m.name == "utilization"]

    def use(metric: Metric) -> float:
        return sum(sum(runs.values()) / len(runs) for runs in measured.values(metric).values() if runs)

    return max(utilizations, key=use).owner if utilizations else None


def _usual(measured: Measured) -> list[Metric]:
    """Usual metrics of groups that are no attack and of the busiest queue, with scores and delays before queues."""
    known = measured.known
    queue = busiest(measured)
    attackers = known.attackers if len(known.attackers) < len(known.owners["group"]) else set()
    kept = [
        metric
        for metric in measured.metrics()
        if not (metric.of == "group" and metric.owner in attackers)
        and not (metric.of == "queue" and metric.owner not in {None, queue})
        and _is_news(measured, metric)
    ]
    scores = [
        metric for name in _SCORES for metric in known.valued(name) if known.is_normal(metric, attackers)
    ]
    of_queues = [metric for metric in kept if metric.of == "queue"]
    others = [metric for metric in kept if metric.of != "queue"]
    return [*others, *scores, *of_queues]


def _is_something(measured: Measured, metric: Metric) -> bool:
    """Whether some run has another value than 0."""
    return any(value for runs in measured.values(metric).values() for value in runs.values())


def _is_news(measured: Measured, metric: Metric) -> bool:
    """Tests for counts of programs that differ: mostly as many run everywhere, and none fails."""
    if metric.of != host_programs.ALL:
        return True
    return len({value for runs in measured.values(metric).values() for value in runs.values()}) > 1

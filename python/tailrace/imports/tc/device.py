"""A device's disciplines, from the root to the leaf that holds the traffic, as keys of a link."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tailrace.errors import ScenarioError
from tailrace.imports.draft import ScenarioDraft, Value, taken
from tailrace.imports.tc import netem as netem_words
from tailrace.imports.tc.statements import Statement
from tailrace.scenario.scenario import Scenario
from tailrace.text import interface_names, tc_units

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tailrace.imports.input_file import InputFile

# Queues of Linux that are another thing here, or nothing: what comes nearest, and why.
_NEAREST: dict[str, tuple[str, str]] = {
    "pfifo_fast": (
        "pfifo limit 1000",
        "three bands by priority; traffic without DSCP is in one, a FIFO of txqueuelen",
    ),
    "fq": (
        "pfifo limit 10000",
        "fq paces flows of this machine, which TCP does here by itself; its limit is kept",
    ),
    "noqueue": ("pfifo limit 1000", "noqueue holds nothing; the link needs a queue"),
    "mq": ("pfifo limit 1000", "mq has only leaves, of which none is given"),
}
_CLASSFUL = {"htb", "hfsc", "prio", "mq", "mqprio", "cbq", "drr", "qfq"}
_NO_QUEUE = {"ingress", "clsact"}
# Burst that tc shows for a class of htb without the word `burst`.
_HTB_BURST = 1600


@dataclass
class Device:
    """A device and its statements."""

    name: str
    statements: list[Statement] = field(default_factory=list)

    @property
    def root(self) -> Statement | None:
        """Discipline at the top."""
        return next(
            (
                s
                for s in self.statements
                if s.object == "qdisc" and s.parent in {"root", ""} and s.kind not in _NO_QUEUE
            ),
            None,
        )

    def below(self, handle: str) -> list[Statement]:
        """Disciplines in a class or discipline."""
        return [s for s in self.statements if s.object == "qdisc" and s.parent and _same(s.parent, handle)]

    def classes(self, handle: str) -> list[Statement]:
        """Classes of a discipline."""
        major = handle.partition(":")[0]
        return [s for s in self.statements if s.object == "class" and s.handle.partition(":")[0] == major]


@dataclass
class LinkKeys:
    """Keys of a link that a device's disciplines say."""

    keys: dict[str, Value] = field(default_factory=dict)
    shaped_bps: float | None = None
    """Rate of a shaper in the queue."""
    netem: netem_words.Netem | None = None
    netem_line: Statement | None = None


def link_keys(file: InputFile, device: Device, draft: ScenarioDraft) -> LinkKeys:
    """What a device's disciplines say of its link."""
    found = LinkKeys()
    if device.root:
        _walk(file, device, device.root, draft, found)
    for statement in device.statements:
        if statement.object == "filter" and not statement.polices_arrivals:
            what = "police" if statement.kind == "police" else "filter"
            draft.omit(statement.line, f"{what}: packets are not sorted or dropped by it here")
    return found


def arriving_keys(file: InputFile, device: Device, draft: ScenarioDraft) -> LinkKeys:
    """Keys of the direction in which packets arrive at a device: those of its policer."""
    found = LinkKeys()
    policers = [each for each in device.statements if each.polices_arrivals]
    for other in policers[1:]:
        draft.omit(other.line, "a second policer: all that arrives meets the first one here")
    for statement in policers[:1]:
        words = statement.words[statement.words.index("police") :]
        end = next(
            (n for n, word in enumerate(words) if word in {"flowid", "classid", "action", "mtu_from"}),
            len(words),
        )
        text = " ".join(words[:end])
        if why := problem(text):
            file.fail(f"police: {why}", statement.line)
        found.shaped_bps = tc_units.rate(statement.value("rate"))
        found.keys["queue"] = taken(text, statement.line)
    return found


def _walk(file: InputFile, device: Device, at: Statement, draft: ScenarioDraft, found: LinkKeys) -> None:
    """Follows the disciplines from one of them down."""
    inner = device.below(at.handle) if at.handle else []
    if at.kind == "netem":
        found.netem, found.netem_line = netem_words.read(file, at), at
        found.keys |= netem_words.keys(found.netem, at, draft)
        if inner:
            _walk(file, device, inner[0], draft, found)
        else:
            found.keys["queue"] = taken(
                f"pfifo limit {found.netem.limit}", at.line, f"netem's limit, {found.netem.limit} packets"
            )
    elif at.kind in {"htb", "hfsc"}:
        _shaping_class(file, device, at, draft, found)
    elif at.kind == "tbf":
        _token_bucket(file, device, at, draft, found)
    elif at.kind in _CLASSFUL and inner:
        for other in inner[1:]:
            if other.text != inner[0].text:
                draft.omit(other.line, f"{at.kind} has several leaves: the link has the first one")
        _walk(file, device, inner[0], draft, found)
    else:
        if at.kind == "cake":
            found.shaped_bps = tc_units.rate(at.value("bandwidth"))
        found.keys["queue"] = taken(queue_text(file, at, draft), at.line)


def queue_text(file: InputFile, at: Statement, draft: ScenarioDraft) -> str:
    """The line of a discipline, which the engine has read; of one that is something else here what comes nearest."""
    if at.kind in _NEAREST:
        text, why = _NEAREST[at.kind]
        if at.kind == "fq" and (limit := tc_units.count(at.value("limit"))):
            text = f"pfifo limit {limit}"
        if at.kind == "fq" or problem(at.text):
            draft.omit(at.line, f"{at.kind}: {why}")
            return text
    words = [word for word in at.words if word not in {"nat", "nonat"}]
    if "nat" in at.words:
        draft.omit(at.line, "nat: nothing is translated here, hosts keep their addresses")
    text = " ".join([at.kind, *words])
    if why := problem(text):
        file.fail(f"{at.kind}: {why}", at.line)
    return text


def problem(queue: str) -> str:
    """What the engine has against a queue's line; empty if it takes it."""
    try:
        Scenario.of(
            {
                "name": "line",
                "duration": "1 s",
                "host": [{"name": "a"}, {"name": "b"}],
                "link": [{"between": ["a", "b"], "rate": "10 Mbit/s", "delay": "1 ms", "queue": queue}],
                "flow": [{"name": "f", "from": "a", "to": "b", "transport": "tcp", "app": "bulk"}],
            }
        )
    except ScenarioError as error:
        if not error.diagnostics:
            return str(error)
        first = error.diagnostics[0]
        return str(first.get("label") or first["message"])
    return ""


def _token_bucket(
    file: InputFile, device: Device, at: Statement, draft: ScenarioDraft, found: LinkKeys
) -> None:
    """TBF, with the discipline inside it if there is one."""
    if why := problem(at.text):
        file.fail(f"tbf: {why}", at.line)
    found.shaped_bps = tc_units.rate(at.value("rate"))
    inner = device.below(at.handle) if at.handle else []
    if not inner:
        found.keys["queue"] = taken(at.text, at.line)
        return
    burst = tc_units.size(at.value("burst", "buffer", "maxburst").partition("/")[0]) or _HTB_BURST
    rate = found.shaped_bps or 0.0
    _walk(file, device, inner[0], draft, found)
    leaf = str(found.keys["queue"].value)
    found.keys["queue"] = taken(_bucket(rate, burst, at, leaf), at.line, f"{at.text}; in it {leaf}")
    found.shaped_bps = rate


def _bucket(rate: float, burst: float, at: Statement, queue: str) -> dict[str, object]:
    """A token bucket: a class of htb by that name, others as tbf."""
    return {
        "kind": "htb" if at.kind == "htb" else "tbf",
        "rate": tc_units.rate_text(rate),
        "burst": f"{round(burst)} B",
        "overhead": f"{interface_names.counted_header(at.dev)} B",
        "queue": queue,
    }


def _shaping_class(
    file: InputFile, device: Device, at: Statement, draft: ScenarioDraft, found: LinkKeys
) -> None:
    """The class that packets come to by default, as a token bucket with the leaf's queue in it."""
    classes = device.classes(at.handle) if at.handle else []
    parents = {each.parent for each in classes}
    leaves = [each for each in classes if each.handle not in parents]
    if not leaves:
        draft.omit(at.line, f"{at.kind} without a class shapes nothing")
        return
    chosen = _default_class(at, leaves)
    for other in leaves:
        if other is not chosen:
            draft.omit(
                other.line,
                f"class {other.handle}: all traffic is in class {chosen.handle} here, as no filter sorts it",
            )
    rate, burst = _class_rate(file, chosen)
    for above in _ancestors(chosen, classes):
        rate = min(rate, _class_rate(file, above)[0])
    inner = device.below(chosen.handle)
    leaf = "pfifo limit 1000"
    if inner:
        # The leaf may be netem, with a delay besides its limit.
        _walk(file, device, inner[0], draft, found)
        leaf = str(found.keys["queue"].value)
    words = f"{chosen.text}; in it {leaf if inner else 'a FIFO of txqueuelen'}"
    found.keys["queue"] = taken(_bucket(rate, burst, at, leaf), chosen.line, words)
    found.shaped_bps = rate


def _default_class(at: Statement, leaves: list[Statement]) -> Statement:
    """The class that `default` names, a number in base 16; the first one without it."""
    minor = at.value("default").lower().removeprefix("0x").lstrip("0")
    same = [each for each in leaves if each.handle.partition(":")[2].lower().lstrip("0") == minor]
    return same[0] if minor and same else leaves[0]


def _ancestors(chosen: Statement, classes: list[Statement]) -> Iterator[Statement]:
    """Classes above one, each of which bounds what it can borrow."""
    by_handle = {each.handle: each for each in classes}
    seen = {chosen.handle}
    at = by_handle.get(chosen.parent)
    while at is not None and at.handle not in seen:
        yield at
        seen.add(at.handle)
        at = by_handle.get(at.parent)


def _class_rate(file: InputFile, chosen: Statement) -> tuple[float, float]:
    """Rate that a class can reach, and its burst: `ceil`, or the upper limit of hfsc, before the rate it is sure of."""
    words = chosen.words
    if chosen.kind == "hfsc":
        after = [words[words.index(key) + 1 :] for key in ("ul", "ls", "sc", "rt") if key in words]
        rates = [
            tc_units.rate(each[each.index(mark) + 1])
            for each in after
            for mark in ("m2", "rate")
            if mark in each[:-1]
        ]
        rate = next((each for each in rates if each), None)
    else:
        rate = tc_units.rate(chosen.value("ceil")) or tc_units.rate(chosen.value("rate"))
    if not rate:
        file.fail(f"class {chosen.handle} has no rate, as in `rate 10mbit`", chosen.line)
    burst = tc_units.size(chosen.value("burst", "buffer", "maxburst").partition("/")[0]) or _HTB_BURST
    return rate, burst


def _same(parent: str, handle: str) -> bool:
    """Whether a parent is a class, or in a discipline: `1:1` and `1:` are in `1:`, `:1` is in `0:` of mq."""
    if ":" not in parent or ":" not in handle:
        return False
    major, _, minor = parent.partition(":")
    own_major, _, own_minor = handle.partition(":")
    return (major or "0") == (own_major or "0") and (own_minor in {"", "0"} or minor == own_minor)


def devices(statements: list[Statement]) -> Iterator[Device]:
    """The devices of a text, each with its statements, in the order of their first ones."""
    found: dict[str, Device] = {}
    owners = {
        each.handle.partition(":")[0]: each.dev for each in statements if each.object == "qdisc" and each.dev
    }
    for statement in statements:
        # `tc class show dev eth0` prints classes without their device.
        major = (statement.handle or statement.parent).partition(":")[0]
        dev = statement.dev or (owners.get(major, "") if statement.object == "class" else "")
        found.setdefault(dev, Device(dev)).statements.append(statement)
    yield from found.values()

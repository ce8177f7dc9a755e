"""Queue disciplines of one's own: classes of Python that scenarios name like those of the engine.

A class has parameters, which scenarios set and sweeps vary, and hooks, which the engine calls. Times are whole
nanoseconds, sizes bytes and rates bits a second, as the engine has them, so nothing is lost on the way; random numbers
come from the run. docs/own-algorithms.md shows how.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from tailrace import _native
from tailrace.errors import UsageError

if TYPE_CHECKING:
    from tailrace._native import Backlog, Cx, Link, Packet, Rng, Verdict

Default: TypeAlias = bool | int | float | str


@dataclass(frozen=True)
class Parameter:
    """A parameter of a class: in scenarios a key with a default, in instances an attribute."""

    kind: str
    default: Default
    doc: str
    ends: tuple[str, str] | None = None
    words: Mapping[str, str] | None = None


def parameter(
    kind: str,
    default: Default,
    doc: str,
    *,
    least: str | float | None = None,
    most: str | float | None = None,
    words: Mapping[str, str] | None = None,
) -> Any:  # noqa: ANN401 - a type checker is to see what instances have
    """A parameter: `target = tailrace.parameter("duration", "5 ms", "Delay that is acceptable.")`.

    Instances have a `duration` in nanoseconds, a `rate` in bits a second, `bytes` and a `count` as whole numbers,
    a `number` and a `probability` as floats, a `flag` as True or False, a `choice` (of `words`, each with its
    meaning) and a `limit` as text. Scenarios write them as those of any discipline (`target = "5 ms"`); what lies
    beyond `least` and `most` is refused.
    """
    if (least is None) != (most is None):
        raise UsageError("a parameter has both `least` and `most`, or neither")
    ends = None if least is None else (str(least), str(most))
    return Parameter(kind, default, doc, ends, words)


class Algorithm:
    """What disciplines have in common: a name, parameters, an instance for each link direction of each run."""

    # What scenarios call it.
    name: ClassVar[str] = ""
    # Names of what `state` gives: columns of the queue's time series.
    states: ClassVar[Sequence[str]] = ()

    _sort: ClassVar[str] = ""
    _hooks: ClassVar[tuple[str, ...]] = ()

    def start(self, link: Link) -> None:
        """Begins: the parameters are set. In place of `__init__`."""

    def state(self) -> Sequence[float]:
        """The numbers that `states` names, whenever the time series takes a sample."""
        return ()

    def poll_timeout(self) -> int | None:
        """When `handle_timeout` is to be called, nanoseconds; None for never. Asked after every hook."""
        return None


class Aqm(Algorithm):
    """A law: it is told of sizes and times, and says what is to happen to a packet.

    The queue is one FIFO, which has a `limit` and marks instead of dropping with `ecn`; both are parameters.
    """

    _sort = "law"
    _hooks = (
        "on_enqueue",
        "on_dequeue",
        "on_signalled",
        "on_overlimit",
        "on_idle",
        "handle_timeout",
        "poll_timeout",
        "link_changed",
    )

    limit: str = parameter("limit", "1000 packets", "Most that may wait.")
    ecn: bool = parameter("flag", False, "Mark ECN-capable packets instead of dropping them.")

    def on_enqueue(self, size: int, backlog: Backlog, now: int, rng: Rng) -> Verdict:  # noqa: ARG002 - to override
        """A packet of `size` bytes arrives; `backlog` is what waits before it."""
        return _native.Verdict.PASS

    def on_dequeue(
        self,
        size: int,  # noqa: ARG002 - to override
        sojourn: int,  # noqa: ARG002
        backlog: Backlog,  # noqa: ARG002
        now: int,  # noqa: ARG002
        rng: Rng,  # noqa: ARG002
    ) -> Verdict:
        """A packet that waited for `sojourn` is about to leave; `backlog` is what waits behind it."""
        return _native.Verdict.PASS

    def on_signalled(self, marked: bool, now: int) -> None:
        """What became of the packet for which the law just returned `Verdict.SIGNAL`: marked, or dropped.

        After a drop on departure the next packet comes to `on_dequeue` at the same time.
        """

    def on_overlimit(self, now: int) -> None:
        """The limit made the queue drop a packet."""

    def on_idle(self, now: int) -> None:
        """The queue is empty and the link free."""

    def handle_timeout(self, backlog: Backlog, now: int) -> None:
        """The time asked for has come."""

    def link_changed(self, link: Link, now: int) -> None:
        """The link is another from now on: a fault changed it."""


class QueueDiscipline(Algorithm):
    """A whole queue: it is handed packets, and hands them out in an order of its own.

    Each packet that `enqueue` was given leaves once: `dequeue` returns it, or it is dropped with `cx.drop(packet)`. Who
    marks a packet (`cx.mark`) does so while it waits.
    """

    _sort = "queue"
    _hooks = ("enqueue", "dequeue", "handle_timeout", "poll_timeout", "link_changed")

    def enqueue(self, packet: Packet, cx: Cx) -> None:
        """Takes a packet, or drops it or others."""
        raise NotImplementedError(f"{type(self).__name__} has no enqueue")

    def dequeue(self, cx: Cx) -> Packet | None:
        """The next packet to send; None where none waits, or none is to go before `poll_timeout`."""
        raise NotImplementedError(f"{type(self).__name__} has no dequeue")

    def handle_timeout(self, cx: Cx) -> None:
        """The time asked for has come."""

    def link_changed(self, link: Link, cx: Cx) -> None:
        """The link is another from now on: a fault changed it."""


# One for each class: tables of parameters live as long as the process.
_outsiders: weakref.WeakKeyDictionary[type[Algorithm], _native.Outsider] = weakref.WeakKeyDictionary()


def outsiders(classes: Iterable[type[Algorithm]]) -> list[_native.Outsider]:
    """The classes as the engine takes them."""
    return [_outsider(each) for each in classes]


def _outsider(each: type[Algorithm]) -> _native.Outsider:
    known = _outsiders.get(each)
    if known is None:
        known = _outsiders[each] = _declared(checked(each))
    return known


def checked(each: object) -> type[Algorithm]:
    """The class, where it is one that scenarios can name."""
    if not (isinstance(each, type) and issubclass(each, Algorithm) and each._sort):
        raise UsageError(f"{each!r} is no class derived from tailrace.Aqm or tailrace.QueueDiscipline")
    if not isinstance(each.name, str) or not each.name:
        raise UsageError(f'{each.__name__} has no name for scenarios: give it one, as in name = "my_queue"')
    return each


def _declared(each: type[Algorithm]) -> _native.Outsider:
    own = [hook for hook in each._hooks if _differs(each, hook)]
    rows = [
        (name, p.kind, p.default, p.doc, p.ends, list((p.words or {}).items()))
        for name, p in parameters(each).items()
    ]

    def make(values: dict[str, object], setting: Any) -> Algorithm:  # noqa: ANN401 - of the engine
        made = each.__new__(each)
        vars(made).update(values)
        made.start(setting)
        return made

    try:
        return _native.Outsider(each._sort, (each.name, each.__name__), rows, list(each.states), own, make)
    except ValueError as error:
        raise UsageError(str(error)) from None


def parameters(each: type[Algorithm]) -> dict[str, Parameter]:
    """Its parameters by name: its own last."""
    found: dict[str, Parameter] = {}
    for base in reversed(each.__mro__):
        found |= {name: value for name, value in vars(base).items() if isinstance(value, Parameter)}
    return {name: value for name, value in found.items() if isinstance(getattr(each, name), Parameter)}


def _differs(each: type[Algorithm], hook: str) -> bool:
    """Whether a class has a hook that does something."""
    for base in each.__mro__:
        if hook in vars(base):
            return base.__module__ != __name__
    return False

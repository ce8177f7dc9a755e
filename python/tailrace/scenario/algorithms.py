"""Queue disciplines and congestion controls of one's own: classes of Python that scenarios name like any other.

A class has parameters, which scenarios set and sweeps vary, and hooks, which the engine calls. Times are whole
nanoseconds, sizes bytes and rates bits a second, as the engine has them, so nothing is lost on the way; random numbers
come from the run. docs/guides/own-algorithms.md shows how.
"""

from __future__ import annotations

import inspect
import weakref
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from tailrace import _native
from tailrace.errors import UsageError

if TYPE_CHECKING:
    from tailrace._native import Ack, Backlog, Congestion, Cx, Delivery, Link, Packet, Rng, Setup, Verdict

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
    """Base of algorithms: a name, parameters, an instance for each queue or connection of each run."""

    # Name in scenarios.
    name: ClassVar[str] = ""
    # Names of what `state` gives: columns of the queue's time series.
    states: ClassVar[Sequence[str]] = ()

    _sort: ClassVar[str] = ""
    _hooks: ClassVar[tuple[str, ...]] = ()
    # Hooks of which one at least is needed for an effect, and what a class without them does.
    _decides: ClassVar[tuple[str, ...]] = ()
    _without: ClassVar[str] = ""

    @classmethod
    def overrides(cls, hook: str) -> bool:
        """Whether the class has a hook of its own or of a base that is not Tailrace's."""
        owner = next((base for base in cls.__mro__ if hook in vars(base)), None)
        return owner is not None and owner.__module__ != __name__


class Discipline(Algorithm):
    """Base of laws and whole queues."""

    def start(self, link: Link) -> None:
        """Begins: the parameters are set. In place of `__init__`."""

    def state(self) -> Sequence[float]:
        """The numbers that `states` names, whenever the time series takes a sample."""
        return ()

    def poll_timeout(self) -> int | None:
        """When `handle_timeout` is to be called, nanoseconds; None for never. Asked after every hook."""
        return None


class Aqm(Discipline):
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
    _decides = ("on_enqueue", "on_dequeue")
    _without = "it passes every packet"

    limit: str = parameter("limit", "1000 packets", "The most that may wait in the queue.")
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
        """Called after `Verdict.SIGNAL`: whether the packet was marked, or dropped.

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


class QueueDiscipline(Discipline):
    """A whole queue: it is handed packets, and hands them out in an order of its own.

    Each packet that `enqueue` was given leaves once: `dequeue` returns it, or it is dropped with `cx.drop(packet)`. Who
    marks a packet (`cx.mark`) does so while it waits.
    """

    _sort = "queue"
    _hooks = ("enqueue", "dequeue", "handle_timeout", "poll_timeout", "link_changed")
    _decides = ("enqueue", "dequeue")
    _without = "the first packet ends a run"

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


class CongestionControl(Algorithm):
    """The window of one connection, as attributes that the engine reads after every hook.

    `cwnd` is the window in bytes, a whole number or a float; `ssthresh` the slow-start threshold, or None;
    `pacing_rate` bits a second, or None not to pace; `holds_back` whether the control keeps the flight down, so that
    delivery rates say nothing of the path. The engine finds losses and keeps the timers.
    """

    _sort = "control"
    _hooks = ("on_ack", "on_undo", "on_flight_after_timeout")
    _decides = ("on_ack", "on_congestion", "on_delivery")
    _without = "its window does not grow, and the first congestion ends a run"

    # Services of the engine: "deliveries" (`on_delivery`), "rates" in these, "pacing", "ecn".
    needs: ClassVar[Sequence[str]] = ()
    # Whether an ACK of some of what was lost ends fast recovery without SACK, as in plain Reno.
    leaves_recovery_on_partial_ack: ClassVar[bool] = False

    setup: Setup
    cwnd: float
    ssthresh: int | None = None
    pacing_rate: int | None = None
    holds_back: bool = False

    def start(self, setup: Setup) -> None:
        """Begins, and again when the handshake has settled the segment size. In place of `__init__`."""
        self.setup = setup
        self.cwnd = setup.initial_window
        self.ssthresh = setup.initial_ssthresh

    def on_ack(self, ack: Ack) -> None:
        """New data was acknowledged outside fast recovery."""

    def on_congestion(self, event: Congestion) -> None:
        """Congestion was signalled; at most once a window of data."""
        raise NotImplementedError(f"{type(self).__name__} has no on_congestion")

    def on_delivery(self, delivery: Delivery) -> None:
        """An ACK was dealt with; with `needs = ["deliveries"]` only."""
        raise NotImplementedError(f"{type(self).__name__} asks for deliveries, but has no on_delivery")

    def on_undo(self) -> None:
        """The last reduction for a loss or a timeout was needless."""

    def on_flight_after_timeout(self, window: int) -> None:
        """After a timeout, what was sent just before is on its way still: that and a segment more is `window`."""

    def on_idle(self, idle: int, rto: int, floor: int, decay: bool) -> None:
        """Nothing was sent for `idle`: the window falls to `floor`, or with `decay` by half each `rto`."""
        floor_or_less = min(float(floor), self.cwnd)
        if not decay:
            self.cwnd = floor_or_less
            return
        if self.ssthresh is not None:
            self.ssthresh = max(self.ssthresh, int(self.cwnd * 0.75))
        while rto > 0 and idle >= rto and self.cwnd > floor_or_less:
            self.cwnd = max(self.cwnd / 2, floor_or_less)
            idle -= rto

    def on_recovered(self, cap: int) -> None:
        """Fast recovery without SACK ended; a window larger than `cap` would send a burst."""
        self.cwnd = max(min(self.cwnd, cap), self.setup.mss)

    def penalise(self, ends_slow_start: bool) -> None:  # noqa: ARG002 - the engine's
        """The window is halved for the sake of a Multipath TCP connection that waits for this subflow."""
        self.on_recovered(int(self.cwnd) // 2)


# Compiled forms by class: tables of parameters live as long as the process.
_outsiders: weakref.WeakKeyDictionary[type[Algorithm], _native.Plugin] = weakref.WeakKeyDictionary()


def outsiders(classes: Iterable[type[Algorithm]]) -> list[_native.Plugin]:
    """The classes as the engine takes them."""
    return [_outsider(each) for each in classes]


def _outsider(each: type[Algorithm]) -> _native.Plugin:
    known = _outsiders.get(each)
    if known is None:
        known = _outsiders[each] = _declared(checked(each))
    return known


def checked(each: object) -> type[Algorithm]:
    """The class, where it is one that scenarios can name."""
    if not (isinstance(each, type) and issubclass(each, Algorithm) and each._sort):
        raise UsageError(
            f"{each!r} is no class derived from tailrace.Aqm, tailrace.QueueDiscipline or tailrace.CongestionControl"
        )
    if not isinstance(each.name, str) or not each.name:
        raise UsageError(f'{each.__name__} has no name for scenarios: give it one, as in name = "my_queue"')
    return each


def _declared(each: type[Algorithm]) -> _native.Plugin:
    own = [hook for hook in each._hooks if each.overrides(hook)]
    rows = [
        (name, p.kind, p.default, p.doc, p.ends, list((p.words or {}).items()))
        for name, p in parameters(each).items()
    ]

    def make(values: dict[str, object], setting: Any) -> Algorithm:  # noqa: ANN401 - of the engine
        made: Any = each.__new__(each)
        vars(made).update(values)
        made.start(setting)
        return made  # type: ignore[no-any-return]

    try:
        names = (each.name, each.__name__, _sentence(each))
        return _native.Plugin(each._sort, names, rows, list(each.states), own, make)
    except ValueError as error:
        raise UsageError(str(error)) from None


def _sentence(each: type[Algorithm]) -> str:
    """The first paragraph of what a class says of itself, on one line."""
    paragraph, _, _ = inspect.cleandoc(each.__doc__ or "").partition("\n\n")
    return " ".join(paragraph.split())


def parameters(each: type[Algorithm]) -> dict[str, Parameter]:
    """Its parameters by name: its own last."""
    found: dict[str, Parameter] = {}
    for base in reversed(each.__mro__):
        found |= {name: value for name, value in vars(base).items() if isinstance(value, Parameter)}
    return {name: value for name, value in found.items() if isinstance(getattr(each, name), Parameter)}

"""Something that happens to links: a class for each kind. Written by `make classes`, from the schema."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from tailrace.objects import Table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tailrace.build import types


@dataclass(eq=False, repr=False, slots=True)
class Down(Table):
    """What waits, is being sent or is on the wire is lost; routes are computed anew at once, and again
    when it ends, or `route_delay` later.

    Args:
        at: When it starts.
        name: What paths call it, such as `fault.NAME.at`; unique among faults. Default: none.
        until: When it ends. Default: the end.
        link: The links concerned, by their names or ends. Default: none; then `host` or `router`.
        host: The hosts whose links are concerned. Default: none; then `link` or `router`.
        router: The routers whose links are concerned. Default: none; then `link` or `host`.
        interface: Which links of `host`, in the order of the file, from 1. Default: all.
        direction: Which direction: of `link`, "forward" from its first end or "reverse"; of `host` or
            `router`, "up" from it or "down" to it. Default: both.
        every: It starts at one link after the other, so much time apart. Default: all at once.
        count: At so many of them only, the first ones. Default: all.
        back_every: When it has started at the last one, it ends at one after the other, so much time
            apart, in the same order. Default: all at `until`.
        overlap: Whether it may overlap with others of its kind, none within the other. Default: false.
        route_delay: When it ends, the link carries packets at once and hosts see their interfaces, but
            only so much later does a route lead over it again: a host's route by its interface, or
            those of routers. Source: own choice. 0 s to 87600 h (no run lasts longer). Default: 0 s.
    """

    _kind: ClassVar[str] = "down"

    at: types.Duration
    _: KW_ONLY
    name: types.Name | None = None
    until: types.Duration | None = None
    link: types.Selector | list[types.Selector] | tuple[types.Selector, ...] | None = None
    host: types.Selector | list[types.Selector] | tuple[types.Selector, ...] | None = None
    router: types.Selector | list[types.Selector] | tuple[types.Selector, ...] | None = None
    interface: int | str | list[int | str] | tuple[int | str, ...] | None = None
    direction: Literal["both", "forward", "reverse", "up", "down"] | None = None
    every: types.Duration | None = None
    count: int | None = None
    back_every: types.Duration | None = None
    overlap: bool | None = None
    route_delay: types.Duration | None = None


@dataclass(eq=False, repr=False, slots=True)
class Blackhole(Table):
    """What waits, is being sent or is on the wire is lost, but routing does not notice.

    Args:
        at: When it starts.
        name: What paths call it, such as `fault.NAME.at`; unique among faults. Default: none.
        until: When it ends. Default: the end.
        link: The links concerned, by their names or ends. Default: none; then `host` or `router`.
        host: The hosts whose links are concerned. Default: none; then `link` or `router`.
        router: The routers whose links are concerned. Default: none; then `link` or `host`.
        interface: Which links of `host`, in the order of the file, from 1. Default: all.
        direction: Which direction: of `link`, "forward" from its first end or "reverse"; of `host` or
            `router`, "up" from it or "down" to it. Default: both.
        every: It starts at one link after the other, so much time apart. Default: all at once.
        count: At so many of them only, the first ones. Default: all.
        back_every: When it has started at the last one, it ends at one after the other, so much time
            apart, in the same order. Default: all at `until`.
        overlap: Whether it may overlap with others of its kind, none within the other. Default: false.
    """

    _kind: ClassVar[str] = "blackhole"

    at: types.Duration
    _: KW_ONLY
    name: types.Name | None = None
    until: types.Duration | None = None
    link: types.Selector | list[types.Selector] | tuple[types.Selector, ...] | None = None
    host: types.Selector | list[types.Selector] | tuple[types.Selector, ...] | None = None
    router: types.Selector | list[types.Selector] | tuple[types.Selector, ...] | None = None
    interface: int | str | list[int | str] | tuple[int | str, ...] | None = None
    direction: Literal["both", "forward", "reverse", "up", "down"] | None = None
    every: types.Duration | None = None
    count: int | None = None
    back_every: types.Duration | None = None
    overlap: bool | None = None


@dataclass(eq=False, repr=False, slots=True)
class Flap(Table):
    """The link is down, then up, in turn, beginning with down; each link by itself, with the draws of its
    run. What is lost when it goes down is as of `down` or `blackhole`.

    Args:
        at: When it starts.
        down: How long it is down each time.
        up: How long it is up in between.
        name: What paths call it, such as `fault.NAME.at`; unique among faults. Default: none.
        until: When it ends. Default: the end.
        link: The links concerned, by their names or ends. Default: none; then `host` or `router`.
        host: The hosts whose links are concerned. Default: none; then `link` or `router`.
        router: The routers whose links are concerned. Default: none; then `link` or `host`.
        interface: Which links of `host`, in the order of the file, from 1. Default: all.
        direction: Which direction: of `link`, "forward" from its first end or "reverse"; of `host` or
            `router`, "up" from it or "down" to it. Default: both.
        every: It starts at one link after the other, so much time apart. Default: all at once.
        count: At so many of them only, the first ones. Default: all.
        back_every: When it has started at the last one, it ends at one after the other, so much time
            apart, in the same order. Default: all at `until`.
        overlap: Whether it may overlap with others of its kind, none within the other. Default: false.
        seen: Whether hosts and routes notice, as of `down`; else it is a `blackhole` each time. Source:
            own choice. Default: true.
    """

    _kind: ClassVar[str] = "flap"

    at: types.Duration
    down: types.Distribution
    up: types.Distribution
    _: KW_ONLY
    name: types.Name | None = None
    until: types.Duration | None = None
    link: types.Selector | list[types.Selector] | tuple[types.Selector, ...] | None = None
    host: types.Selector | list[types.Selector] | tuple[types.Selector, ...] | None = None
    router: types.Selector | list[types.Selector] | tuple[types.Selector, ...] | None = None
    interface: int | str | list[int | str] | tuple[int | str, ...] | None = None
    direction: Literal["both", "forward", "reverse", "up", "down"] | None = None
    every: types.Duration | None = None
    count: int | None = None
    back_every: types.Duration | None = None
    overlap: bool | None = None
    seen: bool | None = None


@dataclass(eq=False, repr=False, slots=True)
class Restart(Table):
    """As `down`, and the queue disciplines of the file begin anew, with nothing left of what they have
    observed. Of all links of a router: `router` in place of `link`.

    Args:
        at: When it starts.
        name: What paths call it, such as `fault.NAME.at`; unique among faults. Default: none.
        until: When it ends. Default: the end.
        link: The links concerned, by their names or ends. Default: none; then `host` or `router`.
        host: The hosts whose links are concerned. Default: none; then `link` or `router`.
        router: The routers whose links are concerned. Default: none; then `link` or `host`.
        interface: Which links of `host`, in the order of the file, from 1. Default: all.
        direction: Which direction: of `link`, "forward" from its first end or "reverse"; of `host` or
            `router`, "up" from it or "down" to it. Default: both.
        every: It starts at one link after the other, so much time apart. Default: all at once.
        count: At so many of them only, the first ones. Default: all.
        back_every: When it has started at the last one, it ends at one after the other, so much time
            apart, in the same order. Default: all at `until`.
        overlap: Whether it may overlap with others of its kind, none within the other. Default: false.
    """

    _kind: ClassVar[str] = "restart"

    at: types.Duration
    _: KW_ONLY
    name: types.Name | None = None
    until: types.Duration | None = None
    link: types.Selector | list[types.Selector] | tuple[types.Selector, ...] | None = None
    host: types.Selector | list[types.Selector] | tuple[types.Selector, ...] | None = None
    router: types.Selector | list[types.Selector] | tuple[types.Selector, ...] | None = None
    interface: int | str | list[int | str] | tuple[int | str, ...] | None = None
    direction: Literal["both", "forward", "reverse", "up", "down"] | None = None
    every: types.Duration | None = None
    count: int | None = None
    back_every: types.Duration | None = None
    overlap: bool | None = None


@dataclass(eq=False, repr=False, slots=True)
class Rate(Table):
    """The rate is `value`; a packet in transmission finishes at the old one. Queue disciplines hear of it.

    Args:
        at: When it starts.
        value: The rate while it lasts. 1 bit/s to 10000 Gbit/s (a packet would take no time).
        name: What paths call it, such as `fault.NAME.at`; unique among faults. Default: none.
        until: When it ends. Default: the end.
        link: The links concerned, by their names or ends. Default: none; then `host` or `router`.
        host: The hosts whose links are concerned. Default: none; then `link` or `router`.
        router: The routers whose links are concerned. Default: none; then `link` or `host`.
        interface: Which links of `host`, in the order of the file, from 1. Default: all.
        direction: Which direction: of `link`, "forward" from its first end or "reverse"; of `host` or
            `router`, "up" from it or "down" to it. Default: both.
        every: It starts at one link after the other, so much time apart. Default: all at once.
        count: At so many of them only, the first ones. Default: all.
        back_every: When it has started at the last one, it ends at one after the other, so much time
            apart, in the same order. Default: all at `until`.
        overlap: Whether it may overlap with others of its kind, none within the other. Default: false.
    """

    _kind: ClassVar[str] = "rate"

    at: types.Duration
    value: types.Rate
    _: KW_ONLY
    name: types.Name | None = None
    until: types.Duration | None = None
    link: types.Selector | list[types.Selector] | tuple[types.Selector, ...] | None = None
    host: types.Selector | list[types.Selector] | tuple[types.Selector, ...] | None = None
    router: types.Selector | list[types.Selector] | tuple[types.Selector, ...] | None = None
    interface: int | str | list[int | str] | tuple[int | str, ...] | None = None
    direction: Literal["both", "forward", "reverse", "up", "down"] | None = None
    every: types.Duration | None = None
    count: int | None = None
    back_every: types.Duration | None = None
    overlap: bool | None = None


@dataclass(eq=False, repr=False, slots=True)
class RandomRate(Table):
    """The rate is drawn anew again and again, for each link by itself and in each run from its own seed;
    else as `rate`.

    Args:
        at: When it starts.
        value: What it is drawn from: `uniform(A, B)`, `log_uniform(A, B)`, or `markov(P, A, B, C)`, a
            chain that with probability P goes to the rate before or after.
        hold: How long it is so each time.
        name: What paths call it, such as `fault.NAME.at`; unique among faults. Default: none.
        until: When it ends. Default: the end.
        link: The links concerned, by their names or ends. Default: none; then `host` or `router`.
        host: The hosts whose links are concerned. Default: none; then `link` or `router`.
        router: The routers whose links are concerned. Default: none; then `link` or `host`.
        interface: Which links of `host`, in the order of the file, from 1. Default: all.
        direction: Which direction: of `link`, "forward" from its first end or "reverse"; of `host` or
            `router`, "up" from it or "down" to it. Default: both.
        every: It starts at one link after the other, so much time apart. Default: all at once.
        count: At so many of them only, the first ones. Default: all.
        back_every: When it has started at the last one, it ends at one after the other, so much time
            apart, in the same order. Default: all at `until`.
        overlap: Whether it may overlap with others of its kind, none within the other. Default: false.
    """

    _kind: ClassVar[str] = "random_rate"

    at: types.Duration
    value: str
    hold: types.Distribution
    _: KW_ONLY
    name: types.Name | None = None
    until: types.Duration | None = None
    link: types.Selector | list[types.Selector] | tuple[types.Selector, ...] | None = None
    host: types.Selector | list[types.Selector] | tuple[types.Selector, ...] | None = None
    router: types.Selector | list[types.Selector] | tuple[types.Selector, ...] | None = None
    interface: int | str | list[int | str] | tuple[int | str, ...] | None = None
    direction: Literal["both", "forward", "reverse", "up", "down"] | None = None
    every: types.Duration | None = None
    count: int | None = None
    back_every: types.Duration | None = None
    overlap: bool | None = None


@dataclass(eq=False, repr=False, slots=True)
class Delay(Table):
    """The delay is `value`, for packets whose transmission starts then; packets do not overtake each
    other. Queue disciplines hear of it.

    Args:
        at: When it starts.
        value: The delay while it lasts. 0 s to 87600 h (no run lasts longer).
        name: What paths call it, such as `fault.NAME.at`; unique among faults. Default: none.
        until: When it ends. Default: the end.
        link: The links concerned, by their names or ends. Default: none; then `host` or `router`.
        host: The hosts whose links are concerned. Default: none; then `link` or `router`.
        router: The routers whose links are concerned. Default: none; then `link` or `host`.
        interface: Which links of `host`, in the order of the file, from 1. Default: all.
        direction: Which direction: of `link`, "forward" from its first end or "reverse"; of `host` or
            `router`, "up" from it or "down" to it. Default: both.
        every: It starts at one link after the other, so much time apart. Default: all at once.
        count: At so many of them only, the first ones. Default: all.
        back_every: When it has started at the last one, it ends at one after the other, so much time
            apart, in the same order. Default: all at `until`.
        overlap: Whether it may overlap with others of its kind, none within the other. Default: false.
    """

    _kind: ClassVar[str] = "delay"

    at: types.Duration
    value: types.Duration
    _: KW_ONLY
    name: types.Name | None = None
    until: types.Duration | None = None
    link: types.Selector | list[types.Selector] | tuple[types.Selector, ...] | None = None
    host: types.Selector | list[types.Selector] | tuple[types.Selector, ...] | None = None
    router: types.Selector | list[types.Selector] | tuple[types.Selector, ...] | None = None
    interface: int | str | list[int | str] | tuple[int | str, ...] | None = None
    direction: Literal["both", "forward", "reverse", "up", "down"] | None = None
    every: types.Duration | None = None
    count: int | None = None
    back_every: types.Duration | None = None
    overlap: bool | None = None


@dataclass(eq=False, repr=False, slots=True)
class RandomDelay(Table):
    """The delay is drawn anew again and again, for each link by itself and in each run from its own seed;
    else as `delay`. Unlike `jitter` it is the same for all packets of a while.

    Args:
        at: When it starts.
        value: What it is drawn from.
        hold: How long it is so each time.
        name: What paths call it, such as `fault.NAME.at`; unique among faults. Default: none.
        until: When it ends. Default: the end.
        link: The links concerned, by their names or ends. Default: none; then `host` or `router`.
        host: The hosts whose links are concerned. Default: none; then `link` or `router`.
        router: The routers whose links are concerned. Default: none; then `link` or `host`.
        interface: Which links of `host`, in the order of the file, from 1. Default: all.
        direction: Which direction: of `link`, "forward" from its first end or "reverse"; of `host` or
            `router`, "up" from it or "down" to it. Default: both.
        every: It starts at one link after the other, so much time apart. Default: all at once.
        count: At so many of them only, the first ones. Default: all.
        back_every: When it has started at the last one, it ends at one after the other, so much time
            apart, in the same order. Default: all at `until`.
        overlap: Whether it may overlap with others of its kind, none within the other. Default: false.
    """

    _kind: ClassVar[str] = "random_delay"

    at: types.Duration
    value: types.Distribution
    hold: types.Distribution
    _: KW_ONLY
    name: types.Name | None = None
    until: types.Duration | None = None
    link: types.Selector | list[types.Selector] | tuple[types.Selector, ...] | None = None
    host: types.Selector | list[types.Selector] | tuple[types.Selector, ...] | None = None
    router: types.Selector | list[types.Selector] | tuple[types.Selector, ...] | None = None
    interface: int | str | list[int | str] | tuple[int | str, ...] | None = None
    direction: Literal["both", "forward", "reverse", "up", "down"] | None = None
    every: types.Duration | None = None
    count: int | None = None
    back_every: types.Duration | None = None
    overlap: bool | None = None


@dataclass(eq=False, repr=False, slots=True)
class Loss(Table):
    """Random loss is `value`.

    Args:
        at: When it starts.
        value: The loss while it lasts.
        name: What paths call it, such as `fault.NAME.at`; unique among faults. Default: none.
        until: When it ends. Default: the end.
        link: The links concerned, by their names or ends. Default: none; then `host` or `router`.
        host: The hosts whose links are concerned. Default: none; then `link` or `router`.
        router: The routers whose links are concerned. Default: none; then `link` or `host`.
        interface: Which links of `host`, in the order of the file, from 1. Default: all.
        direction: Which direction: of `link`, "forward" from its first end or "reverse"; of `host` or
            `router`, "up" from it or "down" to it. Default: both.
        every: It starts at one link after the other, so much time apart. Default: all at once.
        count: At so many of them only, the first ones. Default: all.
        back_every: When it has started at the last one, it ends at one after the other, so much time
            apart, in the same order. Default: all at `until`.
        overlap: Whether it may overlap with others of its kind, none within the other. Default: false.
    """

    _kind: ClassVar[str] = "loss"
    _forms: ClassVar[Mapping[str, str]] = {"value": "loss"}

    at: types.Duration
    value: types.Loss
    _: KW_ONLY
    name: types.Name | None = None
    until: types.Duration | None = None
    link: types.Selector | list[types.Selector] | tuple[types.Selector, ...] | None = None
    host: types.Selector | list[types.Selector] | tuple[types.Selector, ...] | None = None
    router: types.Selector | list[types.Selector] | tuple[types.Selector, ...] | None = None
    interface: int | str | list[int | str] | tuple[int | str, ...] | None = None
    direction: Literal["both", "forward", "reverse", "up", "down"] | None = None
    every: types.Duration | None = None
    count: int | None = None
    back_every: types.Duration | None = None
    overlap: bool | None = None


@dataclass(eq=False, repr=False, slots=True)
class Duplication(Table):
    """A packet arrives twice, with this probability, the copy right behind it: tc-netem(8)'s `duplicate`.
    The link makes the copy at its far end, so it takes nothing of the link's rate and none of its
    queue.

    Args:
        at: When it starts.
        probability: Probability that a packet that is not lost arrives twice.
        name: What paths call it, such as `fault.NAME.at`; unique among faults. Default: none.
        until: When it ends. Default: the end.
        link: The links concerned, by their names or ends. Default: none; then `host` or `router`.
        host: The hosts whose links are concerned. Default: none; then `link` or `router`.
        router: The routers whose links are concerned. Default: none; then `link` or `host`.
        interface: Which links of `host`, in the order of the file, from 1. Default: all.
        direction: Which direction: of `link`, "forward" from its first end or "reverse"; of `host` or
            `router`, "up" from it or "down" to it. Default: both.
        every: It starts at one link after the other, so much time apart. Default: all at once.
        count: At so many of them only, the first ones. Default: all.
        back_every: When it has started at the last one, it ends at one after the other, so much time
            apart, in the same order. Default: all at `until`.
        overlap: Whether it may overlap with others of its kind, none within the other. Default: false.
    """

    _kind: ClassVar[str] = "duplication"

    at: types.Duration
    probability: types.Probability
    _: KW_ONLY
    name: types.Name | None = None
    until: types.Duration | None = None
    link: types.Selector | list[types.Selector] | tuple[types.Selector, ...] | None = None
    host: types.Selector | list[types.Selector] | tuple[types.Selector, ...] | None = None
    router: types.Selector | list[types.Selector] | tuple[types.Selector, ...] | None = None
    interface: int | str | list[int | str] | tuple[int | str, ...] | None = None
    direction: Literal["both", "forward", "reverse", "up", "down"] | None = None
    every: types.Duration | None = None
    count: int | None = None
    back_every: types.Duration | None = None
    overlap: bool | None = None


@dataclass(eq=False, repr=False, slots=True)
class Corruption(Table):
    """Bits of a packet are damaged, with this probability: tc-netem(8)'s `corrupt`. Routers and queues
    carry it on; the host that it reaches finds its checksum wrong and drops it (`corrupted` in the
    events).

    Args:
        at: When it starts.
        probability: Probability that bits of a packet are damaged.
        name: What paths call it, such as `fault.NAME.at`; unique among faults. Default: none.
        until: When it ends. Default: the end.
        link: The links concerned, by their names or ends. Default: none; then `host` or `router`.
        host: The hosts whose links are concerned. Default: none; then `link` or `router`.
        router: The routers whose links are concerned. Default: none; then `link` or `host`.
        interface: Which links of `host`, in the order of the file, from 1. Default: all.
        direction: Which direction: of `link`, "forward" from its first end or "reverse"; of `host` or
            `router`, "up" from it or "down" to it. Default: both.
        every: It starts at one link after the other, so much time apart. Default: all at once.
        count: At so many of them only, the first ones. Default: all.
        back_every: When it has started at the last one, it ends at one after the other, so much time
            apart, in the same order. Default: all at `until`.
        overlap: Whether it may overlap with others of its kind, none within the other. Default: false.
    """

    _kind: ClassVar[str] = "corruption"

    at: types.Duration
    probability: types.Probability
    _: KW_ONLY
    name: types.Name | None = None
    until: types.Duration | None = None
    link: types.Selector | list[types.Selector] | tuple[types.Selector, ...] | None = None
    host: types.Selector | list[types.Selector] | tuple[types.Selector, ...] | None = None
    router: types.Selector | list[types.Selector] | tuple[types.Selector, ...] | None = None
    interface: int | str | list[int | str] | tuple[int | str, ...] | None = None
    direction: Literal["both", "forward", "reverse", "up", "down"] | None = None
    every: types.Duration | None = None
    count: int | None = None
    back_every: types.Duration | None = None
    overlap: bool | None = None


@dataclass(eq=False, repr=False, slots=True)
class Reordering(Table):
    """A packet is held back by `hold` on its way, with this probability, and those behind it go past; all
    others keep their order. In tc-netem(8)'s words: the link's delay and `hold` are its `delay`, and
    those that are not held back are its `reorder`, which go at once.

    Args:
        at: When it starts.
        probability: Probability that a packet is held back.
        hold: For how long. One that is held back for less than the next packet takes to follow changes
            nothing. 1 ns to 87600 h (no run lasts longer).
        name: What paths call it, such as `fault.NAME.at`; unique among faults. Default: none.
        until: When it ends. Default: the end.
        link: The links concerned, by their names or ends. Default: none; then `host` or `router`.
        host: The hosts whose links are concerned. Default: none; then `link` or `router`.
        router: The routers whose links are concerned. Default: none; then `link` or `host`.
        interface: Which links of `host`, in the order of the file, from 1. Default: all.
        direction: Which direction: of `link`, "forward" from its first end or "reverse"; of `host` or
            `router`, "up" from it or "down" to it. Default: both.
        every: It starts at one link after the other, so much time apart. Default: all at once.
        count: At so many of them only, the first ones. Default: all.
        back_every: When it has started at the last one, it ends at one after the other, so much time
            apart, in the same order. Default: all at `until`.
        overlap: Whether it may overlap with others of its kind, none within the other. Default: false.
        gap: Only each so many-th packet since the last that was held back can be: 5 lets the first four
            go. Source: own choice. 1 to 1000000 (with 0 there would be none). Default: 1.
    """

    _kind: ClassVar[str] = "reordering"

    at: types.Duration
    probability: types.Probability
    hold: types.Duration
    _: KW_ONLY
    name: types.Name | None = None
    until: types.Duration | None = None
    link: types.Selector | list[types.Selector] | tuple[types.Selector, ...] | None = None
    host: types.Selector | list[types.Selector] | tuple[types.Selector, ...] | None = None
    router: types.Selector | list[types.Selector] | tuple[types.Selector, ...] | None = None
    interface: int | str | list[int | str] | tuple[int | str, ...] | None = None
    direction: Literal["both", "forward", "reverse", "up", "down"] | None = None
    every: types.Duration | None = None
    count: int | None = None
    back_every: types.Duration | None = None
    overlap: bool | None = None
    gap: int | None = None


@dataclass(eq=False, repr=False, slots=True)
class Queue(Table):
    """The queue discipline is `value`, written as for a link, new and empty but for what waits: that moves
    over, as if it came now.

    Args:
        at: When it starts.
        value: The queue discipline while it lasts.
        name: What paths call it, such as `fault.NAME.at`; unique among faults. Default: none.
        until: When it ends. Default: the end.
        link: The links concerned, by their names or ends. Default: none; then `host` or `router`.
        host: The hosts whose links are concerned. Default: none; then `link` or `router`.
        router: The routers whose links are concerned. Default: none; then `link` or `host`.
        interface: Which links of `host`, in the order of the file, from 1. Default: all.
        direction: Which direction: of `link`, "forward" from its first end or "reverse"; of `host` or
            `router`, "up" from it or "down" to it. Default: both.
        every: It starts at one link after the other, so much time apart. Default: all at once.
        count: At so many of them only, the first ones. Default: all.
        back_every: When it has started at the last one, it ends at one after the other, so much time
            apart, in the same order. Default: all at `until`.
        overlap: Whether it may overlap with others of its kind, none within the other. Default: false.
    """

    _kind: ClassVar[str] = "queue"
    _forms: ClassVar[Mapping[str, str]] = {"value": "queue"}

    at: types.Duration
    value: types.Queue
    _: KW_ONLY
    name: types.Name | None = None
    until: types.Duration | None = None
    link: types.Selector | list[types.Selector] | tuple[types.Selector, ...] | None = None
    host: types.Selector | list[types.Selector] | tuple[types.Selector, ...] | None = None
    router: types.Selector | list[types.Selector] | tuple[types.Selector, ...] | None = None
    interface: int | str | list[int | str] | tuple[int | str, ...] | None = None
    direction: Literal["both", "forward", "reverse", "up", "down"] | None = None
    every: types.Duration | None = None
    count: int | None = None
    back_every: types.Duration | None = None
    overlap: bool | None = None


@dataclass(eq=False, repr=False, slots=True)
class Trace(Table):
    """Rate, delay, loss and queue are as the table has them from each of its times on; else as `rate`,
    `delay`, `loss` and `queue`. A queue that is the same in the next row goes on with what it has
    observed.

    Args:
        at: When it starts.
        rows: A file with columns `time` and any of `rate`, `delay`, `loss` and `queue`, found beside
            the scenario; or its rows with `;` between: "time, rate; 0 s, 1 Mbit/s; 5 s, 3 Mbit/s".
            Times count from the fault's start. A column says its unit, as in `rate [Mbit/s]`, or each
            value does. A queue is the name of a registered discipline, with its defaults, or a tc line.
        name: What paths call it, such as `fault.NAME.at`; unique among faults. Default: none.
        until: When it ends. Default: the end.
        link: The links concerned, by their names or ends. Default: none; then `host` or `router`.
        host: The hosts whose links are concerned. Default: none; then `link` or `router`.
        router: The routers whose links are concerned. Default: none; then `link` or `host`.
        interface: Which links of `host`, in the order of the file, from 1. Default: all.
        direction: Which direction: of `link`, "forward" from its first end or "reverse"; of `host` or
            `router`, "up" from it or "down" to it. Default: both.
        every: It starts at one link after the other, so much time apart. Default: all at once.
        count: At so many of them only, the first ones. Default: all.
        back_every: When it has started at the last one, it ends at one after the other, so much time
            apart, in the same order. Default: all at `until`.
        overlap: Whether it may overlap with others of its kind, none within the other. Default: false.
        period: After so much time it begins again, which the last row's time is before; with 0 s never:
            the last row then holds. Source: own choice. Default: 0 s.
    """

    _kind: ClassVar[str] = "trace"

    at: types.Duration
    rows: str
    _: KW_ONLY
    name: types.Name | None = None
    until: types.Duration | None = None
    link: types.Selector | list[types.Selector] | tuple[types.Selector, ...] | None = None
    host: types.Selector | list[types.Selector] | tuple[types.Selector, ...] | None = None
    router: types.Selector | list[types.Selector] | tuple[types.Selector, ...] | None = None
    interface: int | str | list[int | str] | tuple[int | str, ...] | None = None
    direction: Literal["both", "forward", "reverse", "up", "down"] | None = None
    every: types.Duration | None = None
    count: int | None = None
    back_every: types.Duration | None = None
    overlap: bool | None = None
    period: types.Duration | None = None


@dataclass(eq=False, repr=False, slots=True)
class Address(Table):
    """One interface of `host` has the address `value`. Links and routes stay: what is on its way to the
    old address comes to the host, which drops it, and what the host still sends from there does not
    leave it. Connections of Multipath TCP hear that the old address is gone and the new one there; new
    connections use it.

    Args:
        at: When it starts.
        value: The address while it lasts, which no other interface has at any time of the run.
        name: What paths call it, such as `fault.NAME.at`; unique among faults. Default: none.
        until: When it ends. Default: the end.
        link: The links concerned, by their names or ends. Default: none; then `host` or `router`.
        host: The hosts whose links are concerned. Default: none; then `link` or `router`.
        router: The routers whose links are concerned. Default: none; then `link` or `host`.
        interface: Which links of `host`, in the order of the file, from 1. Default: all.
        direction: Which direction: of `link`, "forward" from its first end or "reverse"; of `host` or
            `router`, "up" from it or "down" to it. Default: both.
        every: It starts at one link after the other, so much time apart. Default: all at once.
        count: At so many of them only, the first ones. Default: all.
        back_every: When it has started at the last one, it ends at one after the other, so much time
            apart, in the same order. Default: all at `until`.
        overlap: Whether it may overlap with others of its kind, none within the other. Default: false.
    """

    _kind: ClassVar[str] = "address"

    at: types.Duration
    value: str
    _: KW_ONLY
    name: types.Name | None = None
    until: types.Duration | None = None
    link: types.Selector | list[types.Selector] | tuple[types.Selector, ...] | None = None
    host: types.Selector | list[types.Selector] | tuple[types.Selector, ...] | None = None
    router: types.Selector | list[types.Selector] | tuple[types.Selector, ...] | None = None
    interface: int | str | list[int | str] | tuple[int | str, ...] | None = None
    direction: Literal["both", "forward", "reverse", "up", "down"] | None = None
    every: types.Duration | None = None
    count: int | None = None
    back_every: types.Duration | None = None
    overlap: bool | None = None

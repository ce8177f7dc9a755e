"""Something that happens to links during the run: a class for each kind. Written by `make classes`,
from the schema."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from tailrace.scenario.objects import Table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tailrace.build import types


@dataclass(eq=False, repr=False, slots=True)
class Down(Table):
    """The link goes down, and its ends notice. Packets that wait, are being sent or are on the way are
    lost. Routes change at once; when the fault ends they change back, `route_delay` later.

    Args:
        at: When it starts.
        name: A name, so that paths such as `fault.NAME.at` can refer to it; no other fault may have it.
            Default: none.
        until: When it ends. Default: the end.
        link: The links that it happens to, by their names or ends. Default: none; then `host` or
            `router`.
        host: The hosts to whose links it happens. Default: none; then `link` or `router`.
        router: The routers to whose links it happens. Default: none; then `link` or `host`.
        interface: Links of `host` by their numbers, from 1 on, in the order of the file. Default: all.
        direction: In which direction it happens. For `link`: "forward", from its first end to the
            second, or "reverse". For `host` or `router`: "up", away from it, or "down", towards it.
            Default: both.
        every: With several links: it starts at one link after the other, so much time apart. Default:
            all at once.
        count: With several links: at how many of them it happens, the first ones. Default: all.
        back_every: With several links, instead of `until`: after it has started at the last link, it
            ends at one link after the other, so much time apart, in the same order. Default: all at
            `until`.
        overlap: Whether it may partly overlap in time with other faults of its kind at the same link.
            Otherwise one must lie within the other. Default: false.
        route_delay: How much later than the link itself routes use it again when the fault ends. The
            link carries packets at once, and hosts see that their interface is up, but only after this
            time does a route lead over it: the host's own, or those of routers. Source: own choice.
            Allowed: 0 s to 87600 h (no run lasts longer). Default: 0 s.
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
    """The link loses everything that waits, is being sent or is on the way, but nobody notices, so routes
    still lead over it.

    Args:
        at: When it starts.
        name: A name, so that paths such as `fault.NAME.at` can refer to it; no other fault may have it.
            Default: none.
        until: When it ends. Default: the end.
        link: The links that it happens to, by their names or ends. Default: none; then `host` or
            `router`.
        host: The hosts to whose links it happens. Default: none; then `link` or `router`.
        router: The routers to whose links it happens. Default: none; then `link` or `host`.
        interface: Links of `host` by their numbers, from 1 on, in the order of the file. Default: all.
        direction: In which direction it happens. For `link`: "forward", from its first end to the
            second, or "reverse". For `host` or `router`: "up", away from it, or "down", towards it.
            Default: both.
        every: With several links: it starts at one link after the other, so much time apart. Default:
            all at once.
        count: With several links: at how many of them it happens, the first ones. Default: all.
        back_every: With several links, instead of `until`: after it has started at the last link, it
            ends at one link after the other, so much time apart, in the same order. Default: all at
            `until`.
        overlap: Whether it may partly overlap in time with other faults of its kind at the same link.
            Otherwise one must lie within the other. Default: false.
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
    """The link is down and up in turn, beginning with down. Times are drawn for each link and run. What is
    lost is as with `down` or `blackhole`.

    Args:
        at: When it starts.
        down: For how long the link is down each time; a duration or a distribution.
        up: For how long the link is up in between; a duration or a distribution.
        name: A name, so that paths such as `fault.NAME.at` can refer to it; no other fault may have it.
            Default: none.
        until: When it ends. Default: the end.
        link: The links that it happens to, by their names or ends. Default: none; then `host` or
            `router`.
        host: The hosts to whose links it happens. Default: none; then `link` or `router`.
        router: The routers to whose links it happens. Default: none; then `link` or `host`.
        interface: Links of `host` by their numbers, from 1 on, in the order of the file. Default: all.
        direction: In which direction it happens. For `link`: "forward", from its first end to the
            second, or "reverse". For `host` or `router`: "up", away from it, or "down", towards it.
            Default: both.
        every: With several links: it starts at one link after the other, so much time apart. Default:
            all at once.
        count: With several links: at how many of them it happens, the first ones. Default: all.
        back_every: With several links, instead of `until`: after it has started at the last link, it
            ends at one link after the other, so much time apart, in the same order. Default: all at
            `until`.
        overlap: Whether it may partly overlap in time with other faults of its kind at the same link.
            Otherwise one must lie within the other. Default: false.
        seen: Whether hosts and routes notice that the link is down, as with the fault `down`. If false,
            packets vanish unnoticed, as with the fault `blackhole`. Source: own choice. Default: true.
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
    """As `down`; in addition, queue disciplines start anew and have forgotten what they had observed. For
    all links of a router, write `router` instead of `link`.

    Args:
        at: When it starts.
        name: A name, so that paths such as `fault.NAME.at` can refer to it; no other fault may have it.
            Default: none.
        until: When it ends. Default: the end.
        link: The links that it happens to, by their names or ends. Default: none; then `host` or
            `router`.
        host: The hosts to whose links it happens. Default: none; then `link` or `router`.
        router: The routers to whose links it happens. Default: none; then `link` or `host`.
        interface: Links of `host` by their numbers, from 1 on, in the order of the file. Default: all.
        direction: In which direction it happens. For `link`: "forward", from its first end to the
            second, or "reverse". For `host` or `router`: "up", away from it, or "down", towards it.
            Default: both.
        every: With several links: it starts at one link after the other, so much time apart. Default:
            all at once.
        count: With several links: at how many of them it happens, the first ones. Default: all.
        back_every: With several links, instead of `until`: after it has started at the last link, it
            ends at one link after the other, so much time apart, in the same order. Default: all at
            `until`.
        overlap: Whether it may partly overlap in time with other faults of its kind at the same link.
            Otherwise one must lie within the other. Default: false.
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
    """The link's rate is `value`. A packet that is being sent finishes at the old rate. Queue disciplines
    are told.

    Args:
        at: When it starts.
        value: The rate of the link while the fault lasts. Allowed: 1 bit/s to 10000 Gbit/s (a packet
            would take no time).
        name: A name, so that paths such as `fault.NAME.at` can refer to it; no other fault may have it.
            Default: none.
        until: When it ends. Default: the end.
        link: The links that it happens to, by their names or ends. Default: none; then `host` or
            `router`.
        host: The hosts to whose links it happens. Default: none; then `link` or `router`.
        router: The routers to whose links it happens. Default: none; then `link` or `host`.
        interface: Links of `host` by their numbers, from 1 on, in the order of the file. Default: all.
        direction: In which direction it happens. For `link`: "forward", from its first end to the
            second, or "reverse". For `host` or `router`: "up", away from it, or "down", towards it.
            Default: both.
        every: With several links: it starts at one link after the other, so much time apart. Default:
            all at once.
        count: With several links: at how many of them it happens, the first ones. Default: all.
        back_every: With several links, instead of `until`: after it has started at the last link, it
            ends at one link after the other, so much time apart, in the same order. Default: all at
            `until`.
        overlap: Whether it may partly overlap in time with other faults of its kind at the same link.
            Otherwise one must lie within the other. Default: false.
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
    """The link's rate is drawn again and again, for each link and run by itself; otherwise as `rate`.

    Args:
        at: When it starts.
        value: The distribution from which each new rate of the link is drawn: `uniform(A, B)`,
            `log_uniform(A, B)`, or `markov(P, A, B, C)`. The last is a chain over a list of rates,
            which with probability P moves to the rate before or after.
        hold: How long each value holds before the next one is drawn; a duration or a distribution.
        name: A name, so that paths such as `fault.NAME.at` can refer to it; no other fault may have it.
            Default: none.
        until: When it ends. Default: the end.
        link: The links that it happens to, by their names or ends. Default: none; then `host` or
            `router`.
        host: The hosts to whose links it happens. Default: none; then `link` or `router`.
        router: The routers to whose links it happens. Default: none; then `link` or `host`.
        interface: Links of `host` by their numbers, from 1 on, in the order of the file. Default: all.
        direction: In which direction it happens. For `link`: "forward", from its first end to the
            second, or "reverse". For `host` or `router`: "up", away from it, or "down", towards it.
            Default: both.
        every: With several links: it starts at one link after the other, so much time apart. Default:
            all at once.
        count: With several links: at how many of them it happens, the first ones. Default: all.
        back_every: With several links, instead of `until`: after it has started at the last link, it
            ends at one link after the other, so much time apart, in the same order. Default: all at
            `until`.
        overlap: Whether it may partly overlap in time with other faults of its kind at the same link.
            Otherwise one must lie within the other. Default: false.
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
    """The link's delay is `value`, for packets that are sent from then on; packets do not overtake each
    other. Queue disciplines are told.

    Args:
        at: When it starts.
        value: The delay of the link, one way, while the fault lasts. Allowed: 0 s to 87600 h (no run
            lasts longer).
        name: A name, so that paths such as `fault.NAME.at` can refer to it; no other fault may have it.
            Default: none.
        until: When it ends. Default: the end.
        link: The links that it happens to, by their names or ends. Default: none; then `host` or
            `router`.
        host: The hosts to whose links it happens. Default: none; then `link` or `router`.
        router: The routers to whose links it happens. Default: none; then `link` or `host`.
        interface: Links of `host` by their numbers, from 1 on, in the order of the file. Default: all.
        direction: In which direction it happens. For `link`: "forward", from its first end to the
            second, or "reverse". For `host` or `router`: "up", away from it, or "down", towards it.
            Default: both.
        every: With several links: it starts at one link after the other, so much time apart. Default:
            all at once.
        count: With several links: at how many of them it happens, the first ones. Default: all.
        back_every: With several links, instead of `until`: after it has started at the last link, it
            ends at one link after the other, so much time apart, in the same order. Default: all at
            `until`.
        overlap: Whether it may partly overlap in time with other faults of its kind at the same link.
            Otherwise one must lie within the other. Default: false.
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
    """The link's delay is drawn again and again, for each link and run by itself; otherwise as `delay`.
    Unlike `jitter`, it is the same for all packets until the next draw.

    Args:
        at: When it starts.
        value: The distribution from which each new delay of the link is drawn.
        hold: How long each value holds before the next one is drawn; a duration or a distribution.
        name: A name, so that paths such as `fault.NAME.at` can refer to it; no other fault may have it.
            Default: none.
        until: When it ends. Default: the end.
        link: The links that it happens to, by their names or ends. Default: none; then `host` or
            `router`.
        host: The hosts to whose links it happens. Default: none; then `link` or `router`.
        router: The routers to whose links it happens. Default: none; then `link` or `host`.
        interface: Links of `host` by their numbers, from 1 on, in the order of the file. Default: all.
        direction: In which direction it happens. For `link`: "forward", from its first end to the
            second, or "reverse". For `host` or `router`: "up", away from it, or "down", towards it.
            Default: both.
        every: With several links: it starts at one link after the other, so much time apart. Default:
            all at once.
        count: With several links: at how many of them it happens, the first ones. Default: all.
        back_every: With several links, instead of `until`: after it has started at the last link, it
            ends at one link after the other, so much time apart, in the same order. Default: all at
            `until`.
        overlap: Whether it may partly overlap in time with other faults of its kind at the same link.
            Otherwise one must lie within the other. Default: false.
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
    """The link loses packets at random, as `value` says.

    Args:
        at: When it starts.
        value: The random loss of the link while the fault lasts.
        name: A name, so that paths such as `fault.NAME.at` can refer to it; no other fault may have it.
            Default: none.
        until: When it ends. Default: the end.
        link: The links that it happens to, by their names or ends. Default: none; then `host` or
            `router`.
        host: The hosts to whose links it happens. Default: none; then `link` or `router`.
        router: The routers to whose links it happens. Default: none; then `link` or `host`.
        interface: Links of `host` by their numbers, from 1 on, in the order of the file. Default: all.
        direction: In which direction it happens. For `link`: "forward", from its first end to the
            second, or "reverse". For `host` or `router`: "up", away from it, or "down", towards it.
            Default: both.
        every: With several links: it starts at one link after the other, so much time apart. Default:
            all at once.
        count: With several links: at how many of them it happens, the first ones. Default: all.
        back_every: With several links, instead of `until`: after it has started at the last link, it
            ends at one link after the other, so much time apart, in the same order. Default: all at
            `until`.
        overlap: Whether it may partly overlap in time with other faults of its kind at the same link.
            Otherwise one must lie within the other. Default: false.
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
    """Packets arrive twice at random, the copy directly after the packet: tc-netem(8)'s `duplicate`. The
    copy is made at the far end, so it takes nothing of the link's rate and no room in its queue.

    Args:
        at: When it starts.
        probability: The probability that a packet arrives twice; packets that are lost do not count.
        name: A name, so that paths such as `fault.NAME.at` can refer to it; no other fault may have it.
            Default: none.
        until: When it ends. Default: the end.
        link: The links that it happens to, by their names or ends. Default: none; then `host` or
            `router`.
        host: The hosts to whose links it happens. Default: none; then `link` or `router`.
        router: The routers to whose links it happens. Default: none; then `link` or `host`.
        interface: Links of `host` by their numbers, from 1 on, in the order of the file. Default: all.
        direction: In which direction it happens. For `link`: "forward", from its first end to the
            second, or "reverse". For `host` or `router`: "up", away from it, or "down", towards it.
            Default: both.
        every: With several links: it starts at one link after the other, so much time apart. Default:
            all at once.
        count: With several links: at how many of them it happens, the first ones. Default: all.
        back_every: With several links, instead of `until`: after it has started at the last link, it
            ends at one link after the other, so much time apart, in the same order. Default: all at
            `until`.
        overlap: Whether it may partly overlap in time with other faults of its kind at the same link.
            Otherwise one must lie within the other. Default: false.
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
    """Bits of packets are damaged at random: tc-netem(8)'s `corrupt`. Routers and queues forward such a
    packet; the host that it reaches notices the wrong checksum and drops it (`corrupted` in the
    events).

    Args:
        at: When it starts.
        probability: The probability that bits of a packet are damaged. The receiver notices and
            discards such a packet.
        name: A name, so that paths such as `fault.NAME.at` can refer to it; no other fault may have it.
            Default: none.
        until: When it ends. Default: the end.
        link: The links that it happens to, by their names or ends. Default: none; then `host` or
            `router`.
        host: The hosts to whose links it happens. Default: none; then `link` or `router`.
        router: The routers to whose links it happens. Default: none; then `link` or `host`.
        interface: Links of `host` by their numbers, from 1 on, in the order of the file. Default: all.
        direction: In which direction it happens. For `link`: "forward", from its first end to the
            second, or "reverse". For `host` or `router`: "up", away from it, or "down", towards it.
            Default: both.
        every: With several links: it starts at one link after the other, so much time apart. Default:
            all at once.
        count: With several links: at how many of them it happens, the first ones. Default: all.
        back_every: With several links, instead of `until`: after it has started at the last link, it
            ends at one link after the other, so much time apart, in the same order. Default: all at
            `until`.
        overlap: Whether it may partly overlap in time with other faults of its kind at the same link.
            Otherwise one must lie within the other. Default: false.
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
    """Packets are held back at random for the time `hold`, and later ones overtake them; all others keep
    their order. In tc-netem(8)'s words: the link's delay plus `hold` is its `delay`, and packets that
    are not held back are its `reorder`.

    Args:
        at: When it starts.
        probability: The probability that a packet is held back, so that later ones overtake it.
        hold: For how long a packet is held back. If the next packet arrives only after this time, the
            order does not change. Allowed: 1 ns to 87600 h (no run lasts longer).
        name: A name, so that paths such as `fault.NAME.at` can refer to it; no other fault may have it.
            Default: none.
        until: When it ends. Default: the end.
        link: The links that it happens to, by their names or ends. Default: none; then `host` or
            `router`.
        host: The hosts to whose links it happens. Default: none; then `link` or `router`.
        router: The routers to whose links it happens. Default: none; then `link` or `host`.
        interface: Links of `host` by their numbers, from 1 on, in the order of the file. Default: all.
        direction: In which direction it happens. For `link`: "forward", from its first end to the
            second, or "reverse". For `host` or `router`: "up", away from it, or "down", towards it.
            Default: both.
        every: With several links: it starts at one link after the other, so much time apart. Default:
            all at once.
        count: With several links: at how many of them it happens, the first ones. Default: all.
        back_every: With several links, instead of `until`: after it has started at the last link, it
            ends at one link after the other, so much time apart, in the same order. Default: all at
            `until`.
        overlap: Whether it may partly overlap in time with other faults of its kind at the same link.
            Otherwise one must lie within the other. Default: false.
        gap: How many packets there are at least from one that is held back to the next: with 5 at least
            four pass in between. Source: own choice. Allowed: 1 to 1000000 (with 0 no packet could be
            held back). Default: 1.
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
    """The link's queue discipline is `value`, written as for a link. It starts anew; packets that wait
    move into it, as if they arrived now.

    Args:
        at: When it starts.
        value: The queue discipline of the link while the fault lasts.
        name: A name, so that paths such as `fault.NAME.at` can refer to it; no other fault may have it.
            Default: none.
        until: When it ends. Default: the end.
        link: The links that it happens to, by their names or ends. Default: none; then `host` or
            `router`.
        host: The hosts to whose links it happens. Default: none; then `link` or `router`.
        router: The routers to whose links it happens. Default: none; then `link` or `host`.
        interface: Links of `host` by their numbers, from 1 on, in the order of the file. Default: all.
        direction: In which direction it happens. For `link`: "forward", from its first end to the
            second, or "reverse". For `host` or `router`: "up", away from it, or "down", towards it.
            Default: both.
        every: With several links: it starts at one link after the other, so much time apart. Default:
            all at once.
        count: With several links: at how many of them it happens, the first ones. Default: all.
        back_every: With several links, instead of `until`: after it has started at the last link, it
            ends at one link after the other, so much time apart, in the same order. Default: all at
            `until`.
        overlap: Whether it may partly overlap in time with other faults of its kind at the same link.
            Otherwise one must lie within the other. Default: false.
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
    """Rate, delay, loss and queue of the link follow a table with times; otherwise as `rate`, `delay`,
    `loss` and `queue`. A queue that is the same in the next row keeps what it has observed.

    Args:
        at: When it starts.
        rows: A file with a column `time` and any of the columns `rate`, `delay`, `loss` and `queue`,
            which lies beside the scenario. Or its rows themselves, separated by semicolons: "time,
            rate; 0 s, 1 Mbit/s; 5 s, 3 Mbit/s". Times count from the start of the fault. Units stand
            either in the name of a column, as in `rate [Mbit/s]`, or with each value. A queue is the
            name of a discipline, with its defaults, or a tc line.
        name: A name, so that paths such as `fault.NAME.at` can refer to it; no other fault may have it.
            Default: none.
        until: When it ends. Default: the end.
        link: The links that it happens to, by their names or ends. Default: none; then `host` or
            `router`.
        host: The hosts to whose links it happens. Default: none; then `link` or `router`.
        router: The routers to whose links it happens. Default: none; then `link` or `host`.
        interface: Links of `host` by their numbers, from 1 on, in the order of the file. Default: all.
        direction: In which direction it happens. For `link`: "forward", from its first end to the
            second, or "reverse". For `host` or `router`: "up", away from it, or "down", towards it.
            Default: both.
        every: With several links: it starts at one link after the other, so much time apart. Default:
            all at once.
        count: With several links: at how many of them it happens, the first ones. Default: all.
        back_every: With several links, instead of `until`: after it has started at the last link, it
            ends at one link after the other, so much time apart, in the same order. Default: all at
            `until`.
        overlap: Whether it may partly overlap in time with other faults of its kind at the same link.
            Otherwise one must lie within the other. Default: false.
        period: After this time the rows start again from the first; the last row must be earlier. With
            0 s they are used once, and the last row holds until the end of the fault. Source: own
            choice. Default: 0 s.
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
    """One interface of `host` has the address `value`. Links and routes stay. Packets on their way to the
    old address reach the host, which drops them, and packets that the host still sends from it do not
    leave. Connections of Multipath TCP learn that the old address is gone and the new one is there; new
    connections use the new one.

    Args:
        at: When it starts.
        value: The IPv4 address that the interface has while the fault lasts. No other interface may
            have it at any time of the run.
        name: A name, so that paths such as `fault.NAME.at` can refer to it; no other fault may have it.
            Default: none.
        until: When it ends. Default: the end.
        link: The links that it happens to, by their names or ends. Default: none; then `host` or
            `router`.
        host: The hosts to whose links it happens. Default: none; then `link` or `router`.
        router: The routers to whose links it happens. Default: none; then `link` or `host`.
        interface: Links of `host` by their numbers, from 1 on, in the order of the file. Default: all.
        direction: In which direction it happens. For `link`: "forward", from its first end to the
            second, or "reverse". For `host` or `router`: "up", away from it, or "down", towards it.
            Default: both.
        every: With several links: it starts at one link after the other, so much time apart. Default:
            all at once.
        count: With several links: at how many of them it happens, the first ones. Default: all.
        back_every: With several links, instead of `until`: after it has started at the last link, it
            ends at one link after the other, so much time apart, in the same order. Default: all at
            `until`.
        overlap: Whether it may partly overlap in time with other faults of its kind at the same link.
            Otherwise one must lie within the other. Default: false.
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

"""What drives a flow: a class for each kind. Written by `make classes`, from the schema."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from tailrace.objects import Table

if TYPE_CHECKING:
    from tailrace.build import types


@dataclass(eq=False, repr=False, slots=True)
class Bulk(Table):
    """As much as goes, until `stop`.

    Args:
        direction: Which way data goes: `up` from the client, which opens connections (`from`), or
            `down` to it. Source: own choice. Default: up.
    """

    _kind: ClassVar[str] = "bulk"

    _: KW_ONLY
    direction: Literal["up", "down"] | None = None


@dataclass(eq=False, repr=False, slots=True)
class Transfer(Table):
    """A transfer of a given size; then the connection closes.

    Args:
        size: Size of the transfer. 1 B to 1000000 GB (less is nothing to send, more overflows).
        direction: Which way data goes: `up` from the client, which opens connections (`from`), or
            `down` to it. Source: own choice. Default: up.
    """

    _kind: ClassVar[str] = "transfer"

    size: types.Sizes
    _: KW_ONLY
    direction: Literal["up", "down"] | None = None


@dataclass(eq=False, repr=False, slots=True)
class RequestResponse(Table):
    """The client asks, the server answers, the client thinks; on one connection.

    Args:
        request: Size of a request. 1 B to 1000000 GB (less is nothing to send, more overflows).
        response: Size of a response. 1 B to 1000000 GB (less is nothing to send, more overflows).
        think: Pause between a response and the next request. Source: own choice. Default: 0 s.
        count: Number of exchanges; `"auto"` goes on until `stop`. Source: own choice. 1 to 4294967295
            (it would not be done at all). Default: auto.
    """

    _kind: ClassVar[str] = "request_response"

    request: types.Sizes
    response: types.Sizes
    _: KW_ONLY
    think: types.Distribution | None = None
    count: int | Literal["auto"] | None = None


@dataclass(eq=False, repr=False, slots=True)
class Sequence(Table):
    """Transfers one after another, each on a new connection.

    Args:
        size: Size of each transfer. 1 B to 1000000 GB (less is nothing to send, more overflows).
        gap: Pause between two transfers. Source: own choice. Default: 0 s.
        count: Number of connections; `"auto"` goes on until `stop`. Source: own choice. 1 to 4294967295
            (it would not be done at all). Default: auto.
        direction: Which way data goes: `up` from the client, which opens connections (`from`), or
            `down` to it. Source: own choice. Default: up.
    """

    _kind: ClassVar[str] = "sequence"

    size: types.Sizes
    _: KW_ONLY
    gap: types.Distribution | None = None
    count: int | Literal["auto"] | None = None
    direction: Literal["up", "down"] | None = None


@dataclass(eq=False, repr=False, slots=True)
class Arrivals(Table):
    """Transfers that start at their own times, however many are under way, each on a new connection.

    Args:
        size: Size of each transfer. 1 B to 1000000 GB (less is nothing to send, more overflows).
        gap: From the start of one to the start of the next; exponential(10 ms) makes Poisson arrivals.
            `"auto"` is what `load` comes to. Source: `load`. 100 us to 87600 h (each arrival opens a
            connection). Default: auto.
        load: Instead of `gap`: Poisson arrivals at a rate at which the payload of all flows of the
            group together is this share of what the link `of` can carry. Headers and what is sent again
            come on top. Source: `gap`. 0.0001 to 1 (more than a link carries never ends; state a
            `gap`). Default: auto.
        of: The link of which `load` is a share; `"auto"` is the slowest on the path of each flow.
            Source: own choice. Default: auto.
        count: Number of connections; `"auto"` goes on until `stop`. Source: own choice. 1 to 4294967295
            (it would not be done at all). Default: auto.
        direction: Which way data goes: `up` from the client, which opens connections (`from`), or
            `down` to it. Source: own choice. Default: up.
    """

    _kind: ClassVar[str] = "arrivals"

    size: types.Sizes
    _: KW_ONLY
    gap: types.Distribution | Literal["auto"] | None = None
    load: types.Probability | Literal["auto"] | None = None
    of: str | None = None
    count: int | Literal["auto"] | None = None
    direction: Literal["up", "down"] | None = None


@dataclass(eq=False, repr=False, slots=True)
class FlashCrowd(Table):
    """Transfers that arrive ever more often, stay so, and become rare again: legitimate, but like an
    attack.

    Args:
        size: Size of each transfer. 1 B to 1000000 GB (less is nothing to send, more overflows).
        gap: Mean time between arrivals before the crowd and after it; they are Poisson, each on a
            connection of its own. 100 us to 87600 h (each arrival opens a connection).
        sustained: How long they stay so frequent. 0 s to 87600 h (nobody waits longer).
        shock: How many times as frequent arrivals are while the crowd is there. Source: own choice. 1
            to 1000000 (a crowd is more than there was). Default: 10.0.
        after: When it begins to come, since the flow's start. Source: own choice. 0 s to 87600 h
            (nobody waits longer). Default: 0 s.
        ramp_up: How long arrivals take to become so frequent, in a straight line. Flash crowds come
            fast, but not at once. Source: own choice. 0 s to 87600 h (nobody waits longer). Default: 0
            s.
        ramp_down: How long they take to become as rare as they were. Source: own choice. 0 s to 87600 h
            (nobody waits longer). Default: 0 s.
        direction: Which way data goes: `up` from the client, which opens connections (`from`), or
            `down` to it. Source: own choice. Default: up.
    """

    _kind: ClassVar[str] = "flash_crowd"

    size: types.Sizes
    gap: types.Duration
    sustained: types.Duration
    _: KW_ONLY
    shock: float | None = None
    after: types.Duration | None = None
    ramp_up: types.Duration | None = None
    ramp_down: types.Duration | None = None
    direction: Literal["up", "down"] | None = None


@dataclass(eq=False, repr=False, slots=True)
class SlowReader(Table):
    """A transfer whose receiver takes data out of its socket at a rate, so that the window closes.

    Args:
        rate: Rate at which the receiver takes what has come. 1 bit/s to 10000 Gbit/s (a packet would
            take no time).
        chunk: What it takes at a time. The larger, the longer the window stays closed in between.
            Source: own choice: a page. 1 B to 1000000 GB (less is nothing to send, more overflows).
            Default: 4096 B.
        size: Size of the transfer; `"auto"` is as much as goes, until `stop`. Source: own choice. 1 B
            to 1000000 GB (less is nothing to send, more overflows). Default: auto.
        direction: Which way data goes: `up` from the client, which opens connections (`from`), or
            `down` to it. Source: own choice. Default: down.
    """

    _kind: ClassVar[str] = "slow_reader"

    rate: types.Rate
    _: KW_ONLY
    chunk: types.Size | None = None
    size: types.Sizes | Literal["auto"] | None = None
    direction: Literal["up", "down"] | None = None


@dataclass(eq=False, repr=False, slots=True)
class Web(Table):
    """Web pages: an object, then others over several connections at a time, then a pause; the server
    sends.

    Args:
        main: Size of a page's main object. Source: NGMN 2008, HTTP model. 1 B to 1000000 GB (less is
            nothing to send, more overflows). Default: lognormal(10710 B, 1.37).
        object: Size of each of the others. Source: NGMN 2008, HTTP model. 1 B to 1000000 GB (less is
            nothing to send, more overflows). Default: lognormal(7758 B, 2.36).
        objects: How many others a page has. Source: NGMN 2008, HTTP model. 0 to 100000 (a page would
            never be complete). Default: bounded_pareto(2, 55, 1.1).
        request: Size of a request. Source: ns-3 3.43, ThreeGppHttpVariables. 1 B to 1000000 GB (less is
            nothing to send, more overflows). Default: 328 B.
        connections: Most connections at a time. Source: browsers, HTTP/1.1. 1 to 256 (each has its own
            window to begin with). Default: 6.
        think: Pause between the end of a page and the next one. Source: NGMN 2008, HTTP model. Default:
            exponential(30 s).
        count: Number of pages; `"auto"` goes on until `stop`. Source: own choice. 1 to 4294967295 (it
            would not be done at all). Default: auto.
    """

    _kind: ClassVar[str] = "web"

    _: KW_ONLY
    main: types.Sizes | None = None
    object: types.Sizes | None = None
    objects: types.Counts | None = None
    request: types.Sizes | None = None
    connections: int | None = None
    think: types.Distribution | None = None
    count: int | Literal["auto"] | None = None


@dataclass(eq=False, repr=False, slots=True)
class Video(Table):
    """Video in segments at rates that the player chooses, as long as its buffer has room; the server
    sends.

    Args:
        ladder: The rates to choose from, ascending, with commas between them. Source: Netflix 2015, as
            recalled. Default: 235 kbit/s, 375 kbit/s, 560 kbit/s, 750 kbit/s, 1050 kbit/s, 1750 kbit/s,
            2350 kbit/s, 3 Mbit/s, 4300 kbit/s, 5800 kbit/s.
        segment: What a segment plays. The shorter, the more round trips are spent on asking. Source:
            Huang et al. 2014. 100 ms to 60 s (each is asked for by itself). Default: 4 s.
        buffer: What the player's buffer holds. The less, the shorter are outages that it bridges.
            Source: Huang et al. 2014. 1 s to 1 h (nobody holds more). Default: 240 s.
        rule: How the rate of the next segment is chosen. Source: Huang et al. 2014, BBA-0. Default:
            buffer.
        startup: What must be in the buffer before playing begins, and begins again after a stall.
            Source: own choice: a segment. 0 s to 1 h (nobody waits longer). Default: 4 s.
        request: Size of a request. Source: as of `web`. 1 B to 1000000 GB (less is nothing to send,
            more overflows). Default: 328 B.
        count: Number of segments; `"auto"` goes on until `stop`. Source: own choice. 1 to 4294967295
            (it would not be done at all). Default: auto.
    """

    _kind: ClassVar[str] = "video"

    _: KW_ONLY
    ladder: str | None = None
    segment: types.Duration | None = None
    buffer: types.Duration | None = None
    rule: Literal["buffer", "throughput", "highest"] | None = None
    startup: types.Duration | None = None
    request: types.Sizes | None = None
    count: int | Literal["auto"] | None = None


@dataclass(eq=False, repr=False, slots=True)
class Cbr(Table):
    """Constant bit rate.

    Args:
        rate: Rate of payload. 1 bit/s to 10000 Gbit/s (a packet would take no time).
        size: Payload of each packet. 1 B to 65535 B (no IP packet has more).
        jitter: Each gap is stretched by a uniform factor within 1 ± this. Without it packets are
            strictly periodic, and phase effects may lock other flows out. Source: ns-2, random_.
            Default: 0.0.
        random_phase: Whether the first packet leaves within the first gap at random. Source: own
            choice. Default: false.
    """

    _kind: ClassVar[str] = "cbr"

    rate: types.Rate
    size: types.Size
    _: KW_ONLY
    jitter: types.Probability | None = None
    random_phase: bool | None = None


@dataclass(eq=False, repr=False, slots=True)
class Poisson(Table):
    """Poisson arrivals.

    Args:
        rate: Mean rate of payload. 1 bit/s to 10000 Gbit/s (a packet would take no time).
        size: Payload of each packet. 1 B to 65535 B (no IP packet has more).
    """

    _kind: ClassVar[str] = "poisson"

    rate: types.Rate
    size: types.Size


@dataclass(eq=False, repr=False, slots=True)
class OnOff(Table):
    """Constant bit rate during on-times.

    Args:
        rate: Rate of payload while on. 1 bit/s to 10000 Gbit/s (a packet would take no time).
        size: Payload of each packet. 1 B to 65535 B (no IP packet has more).
        on: Length of an on-time. 1 us to 87600 h (each on-time is drawn by itself).
        off: Length of an off-time.
    """

    _kind: ClassVar[str] = "on_off"

    rate: types.Rate
    size: types.Size
    on: types.Distribution
    off: types.Distribution


@dataclass(eq=False, repr=False, slots=True)
class Schedule(Table):
    """Constant bit rates that change at given times since the flow's start.

    Args:
        steps: A list of [time, rate], ascending: [["0 s", "1 Mbit/s"], ["5 s", "0 bit/s"]]. A rate of
            zero is silence.
        size: Payload of each packet. 1 B to 65535 B (no IP packet has more).
    """

    _kind: ClassVar[str] = "schedule"

    steps: list[tuple[types.Duration, types.Rate]] | tuple[tuple[types.Duration, types.Rate], ...]
    size: types.Size


@dataclass(eq=False, repr=False, slots=True)
class Pulse(Table):
    """Bursts at a fixed period (Kuzmanovic & Knightly 2003).

    Args:
        period: From the start of one burst to the start of the next. 1 us to 87600 h (each burst has a
            packet).
        burst: Length of a burst, at most `period`. 1 ns to 87600 h (each burst has a packet).
        rate: Rate of payload within a burst. 1 bit/s to 10000 Gbit/s (a packet would take no time).
        size: Payload of each packet. 1 B to 65535 B (no IP packet has more).
        restart: Whether the spacing of packets begins anew with each burst. Else it runs on where a
            burst follows on the one before, or a packet takes longer than the pause. Source: own
            choice. Default: false.
        jitter: Each gap between packets of a burst is stretched by a uniform factor within 1 ± this.
            Source: as `cbr`. Default: 0.0.
        start_jitter: Each burst starts up to so much before or after its time, uniformly; the next
            one's time stays. The first starts at its time or after. The spacing of packets begins anew
            with each. Source: own choice. 0 s to 87600 h (no run lasts longer). Default: 0 s.
        phase: How the periods of the group's flows lie to one another. Source: own choice. Default:
            together.
        rise: Share of the burst over which the rate rises from nothing; a ramp begins its spacing anew.
            Source: Kuzmanovic & Knightly 2003, square waves. Default: 0.0.
        fall: Share of the burst over which the rate falls to nothing. Source: Kuzmanovic & Knightly
            2003, square waves. Default: 0.0.
    """

    _kind: ClassVar[str] = "pulse"

    period: types.Duration
    burst: types.Duration
    rate: types.Rate
    size: types.Size
    _: KW_ONLY
    restart: bool | None = None
    jitter: types.Probability | None = None
    start_jitter: types.Duration | None = None
    phase: Literal["together", "spread", "random"] | None = None
    rise: types.Probability | None = None
    fall: types.Probability | None = None


@dataclass(eq=False, repr=False, slots=True)
class Voip(Table):
    """Voice: a packet each 20 ms, and how good a conversation that makes.

    Args:
        codec: What turns voice into packets. Each has 12 B of RTP beside the voice. Source: ITU-T
            G.711, RFC 3551 §4.5.14. Default: g711.
        buffer: How much longer than the fastest packet one may take to be heard. Too short: packets
            that came are lost to the listener. Too long: the delay itself makes talking hard. Source:
            own choice. 0 s to 10 s (nobody talks over more). Default: 60 ms.
    """

    _kind: ClassVar[str] = "voip"

    _: KW_ONLY
    codec: Literal["g711", "g729"] | None = None
    buffer: types.Duration | None = None


@dataclass(eq=False, repr=False, slots=True)
class Ping(Table):
    """Datagrams that the far end sends back: round trips come out in `rtt_s`.

    Args:
        interval: From one datagram to the next. Too short: pings load the path that they measure.
            Source: iputils ping. 1 us to 87600 h (each datagram is an event). Default: 1 s.
        size: Payload of each datagram, there and back. Source: iputils ping. 8 B to 65535 B (it carries
            the time at which it left). Default: 56 B.
        count: Number of datagrams; `"auto"` goes on until `stop`. Source: iputils ping. 1 to 4294967295
            (it would not be done at all). Default: auto.
    """

    _kind: ClassVar[str] = "ping"

    _: KW_ONLY
    interval: types.Distribution | None = None
    size: types.Size | None = None
    count: int | Literal["auto"] | None = None

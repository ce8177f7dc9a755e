"""Application: a class for each kind. Written by `make classes`, from the schema."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from tailrace.scenario.objects import Table

if TYPE_CHECKING:
    from tailrace.build import types


@dataclass(eq=False, repr=False, slots=True)
class Bulk(Table):
    """Sends as much as it can, until `stop`.

    Args:
        direction: In which direction data flows: `up` from the client to the server, or `down` from the
            server to the client. The client (`from`) opens the connections. Source: own choice.
            Default: up.
    """

    _kind: ClassVar[str] = "bulk"

    _: KW_ONLY
    direction: Literal["up", "down"] | None = None


@dataclass(eq=False, repr=False, slots=True)
class Transfer(Table):
    """A transfer of a given size; then the connection closes.

    Args:
        size: How many bytes are transferred; a size or a distribution. Allowed: 1 B to 1000000 GB (with
            less there is nothing to send, and more cannot be counted).
        direction: In which direction data flows: `up` from the client to the server, or `down` from the
            server to the client. The client (`from`) opens the connections. Source: own choice.
            Default: up.
    """

    _kind: ClassVar[str] = "transfer"

    size: types.Sizes
    _: KW_ONLY
    direction: Literal["up", "down"] | None = None


@dataclass(eq=False, repr=False, slots=True)
class RequestResponse(Table):
    """The client asks, the server answers, the client pauses; all on one connection.

    Args:
        request: How many bytes a request has; a size or a distribution. Allowed: 1 B to 1000000 GB
            (with less there is nothing to send, and more cannot be counted).
        response: How many bytes a response has; a size or a distribution. Allowed: 1 B to 1000000 GB
            (with less there is nothing to send, and more cannot be counted).
        think: The pause between a response and the next request; a duration or a distribution. Source:
            own choice. Default: 0 s.
        count: After how many exchanges of a request and a response the flow ends. `"auto"`: it goes on
            until `stop`. Source: own choice. Allowed: 1 to 4294967295 (with 0 nothing would happen).
            Default: auto.
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
        size: How many bytes each transfer has; a size or a distribution. Allowed: 1 B to 1000000 GB
            (with less there is nothing to send, and more cannot be counted).
        gap: The pause between the end of a transfer and the start of the next; a duration or a
            distribution. Source: own choice. Default: 0 s.
        count: After how many connections the flow ends. `"auto"`: it goes on until `stop`. Source: own
            choice. Allowed: 1 to 4294967295 (with 0 nothing would happen). Default: auto.
        direction: In which direction data flows: `up` from the client to the server, or `down` from the
            server to the client. The client (`from`) opens the connections. Source: own choice.
            Default: up.
    """

    _kind: ClassVar[str] = "sequence"

    size: types.Sizes
    _: KW_ONLY
    gap: types.Distribution | None = None
    count: int | Literal["auto"] | None = None
    direction: Literal["up", "down"] | None = None


@dataclass(eq=False, repr=False, slots=True)
class Arrivals(Table):
    """Transfers that start at given or random times, however many are under way, each on a new connection.

    Args:
        size: How many bytes each transfer has; a size or a distribution. Allowed: 1 B to 1000000 GB
            (with less there is nothing to send, and more cannot be counted).
        gap: The time from the start of one connection to the start of the next; a duration or a
            distribution. `exponential(10 ms)` makes Poisson arrivals with 100 a second on average.
            `"auto"` follows from `load`. Source: `load`. Allowed: 100 us to 87600 h (each arrival opens
            a connection, which takes computing time). Default: auto.
        load: State this instead of `gap` for Poisson arrivals. It is the payload of all flows of the
            group together, as a share of what the link `of` can carry. Headers and retransmissions come
            on top of it. Source: `gap`. Allowed: 0.0001 to 1 (more than a link carries never ends;
            state a `gap`). Default: auto.
        of: The name of the link that `load` is a share of. `"auto"` is the slowest link on the path of
            each flow. Source: own choice. Default: auto.
        count: After how many connections the flow ends. `"auto"`: it goes on until `stop`. Source: own
            choice. Allowed: 1 to 4294967295 (with 0 nothing would happen). Default: auto.
        direction: In which direction data flows: `up` from the client to the server, or `down` from the
            server to the client. The client (`from`) opens the connections. Source: own choice.
            Default: up.
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
    """Transfers that become more and more frequent, stay so for a while, and become rare again:
    legitimate, but like an attack.

    Args:
        size: How many bytes each transfer has; a size or a distribution. Allowed: 1 B to 1000000 GB
            (with less there is nothing to send, and more cannot be counted).
        gap: The mean time between arrivals before and after the crowd. They are Poisson arrivals, each
            on a connection of its own. Allowed: 100 us to 87600 h (each arrival opens a connection,
            which takes computing time).
        sustained: For how long arrivals stay at their peak. Allowed: 0 s to 87600 h (nobody waits
            longer).
        shock: By what factor arrivals are more frequent while the crowd is there. Source: own choice.
            Allowed: 1 to 1000000 (in a crowd there are more arrivals than before). Default: 10.0.
        after: How long after the flow's start the crowd begins to come. Source: own choice. Allowed: 0
            s to 87600 h (nobody waits longer). Default: 0 s.
        ramp_up: How long the number of arrivals per second takes to rise to its peak, in a straight
            line. Real crowds come fast, but not at once. Source: own choice. Allowed: 0 s to 87600 h
            (nobody waits longer). Default: 0 s.
        ramp_down: How long arrivals take to become as rare again as they were before. Source: own
            choice. Allowed: 0 s to 87600 h (nobody waits longer). Default: 0 s.
        direction: In which direction data flows: `up` from the client to the server, or `down` from the
            server to the client. The client (`from`) opens the connections. Source: own choice.
            Default: up.
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
    """A transfer whose receiving application reads slowly, so that the receive window closes.

    Args:
        rate: How fast the receiving application reads what has arrived. Allowed: 1 bit/s to 10000
            Gbit/s (a packet would take no time).
        chunk: How many bytes the application reads at a time. A larger chunk keeps the receive window
            closed for longer in between. Source: own choice: a page. Allowed: 1 B to 1000000 GB (with
            less there is nothing to send, and more cannot be counted). Default: 4096 B.
        size: How many bytes are transferred; a size or a distribution. `"auto"`: as many as get through
            until `stop`. Source: own choice. Allowed: 1 B to 1000000 GB (with less there is nothing to
            send, and more cannot be counted). Default: auto.
        direction: In which direction data flows: `up` from the client to the server, or `down` from the
            server to the client. The client (`from`) opens the connections. Source: own choice.
            Default: down.
    """

    _kind: ClassVar[str] = "slow_reader"

    rate: types.Rate
    _: KW_ONLY
    chunk: types.Size | None = None
    size: types.Sizes | Literal["auto"] | None = None
    direction: Literal["up", "down"] | None = None


@dataclass(eq=False, repr=False, slots=True)
class Web(Table):
    """Web pages: a main object, then others over several connections at a time, then a pause; the server
    sends.

    Args:
        main: How many bytes the main object of a page has; a size or a distribution. Source: NGMN 2008,
            HTTP model. Allowed: 1 B to 1000000 GB (with less there is nothing to send, and more cannot
            be counted). Default: lognormal(10710 B, 1.37).
        object: How many bytes each further object of a page has; a size or a distribution. Source: NGMN
            2008, HTTP model. Allowed: 1 B to 1000000 GB (with less there is nothing to send, and more
            cannot be counted). Default: lognormal(7758 B, 2.36).
        objects: How many further objects a page has; a number or a distribution. Source: NGMN 2008,
            HTTP model. Allowed: 0 to 100000 (a page with more would not be complete in any run).
            Default: bounded_pareto(2, 55, 1.1).
        request: How many bytes a request has; a size or a distribution. Source: ns-3 3.43,
            ThreeGppHttpVariables. Allowed: 1 B to 1000000 GB (with less there is nothing to send, and
            more cannot be counted). Default: 328 B.
        connections: How many connections the client has open at most at a time. Source: browsers,
            HTTP/1.1. Allowed: 1 to 256 (each connection begins with a window of its own, so more of
            them flood the path). Default: 6.
        think: The pause from the end of a page to the request of the next one; a duration or a
            distribution. Source: NGMN 2008, HTTP model. Default: exponential(30 s).
        count: After how many pages the flow ends. `"auto"`: it goes on until `stop`. Source: own
            choice. Allowed: 1 to 4294967295 (with 0 nothing would happen). Default: auto.
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
    """Video in segments, at rates that the player chooses, while its buffer has room; the server sends.

    Args:
        ladder: The rates of the video to choose from, rising, with commas between them. Source: Netflix
            2015, as recalled. Default: 235 kbit/s, 375 kbit/s, 560 kbit/s, 750 kbit/s, 1050 kbit/s,
            1750 kbit/s, 2350 kbit/s, 3 Mbit/s, 4300 kbit/s, 5800 kbit/s.
        segment: How much playing time a segment has. Shorter segments spend more round trips on
            requests. Source: Huang et al. 2014. Allowed: 100 ms to 60 s (each segment is requested by
            itself). Default: 4 s.
        buffer: How much playing time the player's buffer holds. A smaller buffer bridges only shorter
            interruptions. Source: Huang et al. 2014. Allowed: 1 s to 1 h (nobody holds more). Default:
            240 s.
        rule: How the player chooses the rate of the next segment. Source: Huang et al. 2014, BBA-0.
            Default: buffer.
        startup: How much playing time must be in the buffer before the player starts. The same holds
            after it had to stop because the buffer was empty. Source: own choice: a segment. Allowed: 0
            s to 1 h (nobody waits longer). Default: 4 s.
        request: How many bytes a request has; a size or a distribution. Source: as of `web`. Allowed: 1
            B to 1000000 GB (with less there is nothing to send, and more cannot be counted). Default:
            328 B.
        count: After how many segments the flow ends. `"auto"`: it goes on until `stop`. Source: own
            choice. Allowed: 1 to 4294967295 (with 0 nothing would happen). Default: auto.
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
    """Sends packets at a constant rate.

    Args:
        rate: How much payload the flow sends per second. Allowed: 1 bit/s to 10000 Gbit/s (a packet
            would take no time).
        size: How many bytes of payload each packet carries, without headers. Allowed: 1 B to 65535 B
            (no IP packet has more).
        jitter: How irregular the gaps are: each is multiplied by a random factor between 1 minus this
            and 1 plus this. With 0 packets are strictly periodic, and their timing may keep other flows
            out of a queue again and again. Source: ns-2, random_. Default: 0.0.
        random_phase: Whether the first packet is sent at a random time within the first gap, instead of
            at the start. Source: own choice. Default: false.
    """

    _kind: ClassVar[str] = "cbr"

    rate: types.Rate
    size: types.Size
    _: KW_ONLY
    jitter: types.Probability | None = None
    random_phase: bool | None = None


@dataclass(eq=False, repr=False, slots=True)
class Poisson(Table):
    """Sends packets at random times (a Poisson process).

    Args:
        rate: How much payload the flow sends per second on average. Allowed: 1 bit/s to 10000 Gbit/s (a
            packet would take no time).
        size: How many bytes of payload each packet carries, without headers. Allowed: 1 B to 65535 B
            (no IP packet has more).
    """

    _kind: ClassVar[str] = "poisson"

    rate: types.Rate
    size: types.Size


@dataclass(eq=False, repr=False, slots=True)
class OnOff(Table):
    """Sends at a constant rate while it is on, and nothing while it is off.

    Args:
        rate: How much payload the flow sends per second while it is on. Allowed: 1 bit/s to 10000
            Gbit/s (a packet would take no time).
        size: How many bytes of payload each packet carries, without headers. Allowed: 1 B to 65535 B
            (no IP packet has more).
        on: For how long the flow sends each time; a duration or a distribution. Allowed: 1 us to 87600
            h (each on-time is drawn by itself).
        off: For how long the flow is silent each time; a duration or a distribution.
    """

    _kind: ClassVar[str] = "on_off"

    rate: types.Rate
    size: types.Size
    on: types.Distribution
    off: types.Distribution


@dataclass(eq=False, repr=False, slots=True)
class Schedule(Table):
    """Sends at constant rates that change at given times after the flow's start.

    Args:
        steps: When the rate of payload changes and to what: a list of [time, rate] with rising times,
            such as [["0 s", "1 Mbit/s"], ["5 s", "0 bit/s"]]. A rate of zero means silence.
        size: How many bytes of payload each packet carries, without headers. Allowed: 1 B to 65535 B
            (no IP packet has more).
    """

    _kind: ClassVar[str] = "schedule"

    steps: list[tuple[types.Duration, types.Rate]] | tuple[tuple[types.Duration, types.Rate], ...]
    size: types.Size


@dataclass(eq=False, repr=False, slots=True)
class Pulse(Table):
    """Sends bursts at regular times (Kuzmanovic & Knightly 2003).

    Args:
        period: The time from the start of one burst to the start of the next. Allowed: 1 us to 87600 h
            (each burst sends a packet, which takes computing time).
        burst: The length of a burst; at most `period`. Allowed: 1 ns to 87600 h (each burst sends a
            packet, which takes computing time).
        rate: How much payload the flow sends per second within a burst; with ramps, the highest rate.
            Allowed: 1 bit/s to 10000 Gbit/s (a packet would take no time).
        size: How many bytes of payload each packet carries, without headers. Allowed: 1 B to 65535 B
            (no IP packet has more).
        restart: Whether the spacing of packets starts anew with each burst. If false, it goes on where
            a burst follows directly on the one before, or where the gap between packets is longer than
            the pause. Source: own choice. Default: false.
        jitter: How irregular the gaps between the packets of a burst are: each gap is multiplied by a
            random factor between 1 minus this and 1 plus this. Source: as `cbr`. Default: 0.0.
        start_jitter: How irregular the starts of bursts are: each burst starts up to this much before
            or after its time, at random (uniformly). This does not move the bursts after it. The first
            one never starts early. The spacing of packets starts anew with each burst. Source: own
            choice. Allowed: 0 s to 87600 h (no run lasts longer). Default: 0 s.
        phase: How the bursts of the different flows of the group lie in time to one another. Source:
            own choice. Default: together.
        rise: Over which share of a burst, at its start, the rate rises from zero in a straight line.
            With a ramp, the spacing of packets starts anew. Source: Kuzmanovic & Knightly 2003, square
            waves. Default: 0.0.
        fall: Over which share of a burst, at its end, the rate falls to zero in a straight line.
            Source: Kuzmanovic & Knightly 2003, square waves. Default: 0.0.
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
    """A voice call: a packet every 20 ms; results say how good the conversation is.

    Args:
        codec: The codec, which turns voice into packets. Each packet has 12 bytes of RTP header beside
            the voice. Source: ITU-T G.711, RFC 3551 §4.5.14. Default: g711.
        buffer: The size of the listener's playout buffer, as time: how much later than the fastest
            packet a packet may arrive and still be heard. If it is too short, packets that arrive are
            not heard; if it is too long, the delay itself makes talking hard. Source: own choice.
            Allowed: 0 s to 10 s (nobody talks over more). Default: 60 ms.
    """

    _kind: ClassVar[str] = "voip"

    _: KW_ONLY
    codec: Literal["g711", "g729"] | None = None
    buffer: types.Duration | None = None


@dataclass(eq=False, repr=False, slots=True)
class Ping(Table):
    """Datagrams that the other end sends back; results have the round-trip times in `rtt_s`.

    Args:
        interval: The time from one datagram to the next; a duration or a distribution. If it is too
            short, pings load the path that they measure. Source: iputils ping. Allowed: 1 us to 87600 h
            (each datagram takes computing time). Default: 1 s.
        size: How many bytes of payload each datagram carries, on the way there and back. Source:
            iputils ping. Allowed: 8 B to 65535 B (it carries the time at which it left). Default: 56 B.
        count: After how many datagrams the flow ends. `"auto"`: it goes on until `stop`. Source:
            iputils ping. Allowed: 1 to 4294967295 (with 0 nothing would happen). Default: auto.
    """

    _kind: ClassVar[str] = "ping"

    _: KW_ONLY
    interval: types.Distribution | None = None
    size: types.Size | None = None
    count: int | Literal["auto"] | None = None

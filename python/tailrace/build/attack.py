"""An attack: a class for each kind. Written by `make classes`, from the schema."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from tailrace.objects import Table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tailrace.build import types


@dataclass(eq=False, repr=False, slots=True)
class Pulse(Table):
    """Pulses of a length L at a rate R, once each time T.

    Args:
        name: Name of the group, unique among flows and attacks.
        from_: Sending hosts.
        to: Receiving hosts: as many as `from`, or one on either side; with another `pattern` as that
            has them.
        period: The time T between pulses, as `t` reckons it. 1 us to 87600 h (each pulse has a packet).
        size: Payload of each packet. 1 B to 65535 B (no IP packet has more).
        t: What `period` is: `"period"` counts from the start of one pulse to the start of the next,
            `"gap"` from its end. Papers leave it open, and it makes all the difference: of T = L the
            one is a flood, the other half of one. Source: Kuzmanovic & Knightly 2003. Default: period.
        burst: Length L of a pulse; or `duty` says it. Source: `duty`. 1 ns to 87600 h (each pulse has a
            packet). Default: auto.
        duty: Length of a pulse as a share of the time from start to start: in a sweep of `period` the
            mean rate stays. Source: `burst`. 0.000001 to 1 (each pulse has a packet). Default: auto.
        rate: Rate R of each flow's payload within a pulse, the highest one where there are ramps; or
            `mean` says it. A pulse has a whole number of packets, R L rounded up. Source: `mean`. 1
            bit/s to 10000 Gbit/s (a packet would take no time). Default: auto.
        mean: Mean rate of each flow's payload, pauses included. Source: `rate`. 1 bit/s to 10000 Gbit/s
            (a packet would take no time). Default: auto.
        phase: How the pulses of the group's flows lie to one another. Source: Kuzmanovic & Knightly
            2003. Default: together.
        jitter: Each gap between packets of a pulse is stretched by a uniform factor within 1 ± this.
            Source: own choice. Default: 0.0.
        start_jitter: Each pulse starts up to so much before or after its time, uniformly; the next
            one's time stays. At most half of the pause between pulses. Source: own choice. 0 s to 87600
            h (no run lasts longer). Default: 0 s.
        rise: Share of a pulse over which the rate rises from nothing. Source: Kuzmanovic & Knightly
            2003, square waves. Default: 0.0.
        fall: Share of a pulse over which the rate falls to nothing. Source: Kuzmanovic & Knightly 2003,
            square waves. Default: 0.0.
        restart: Whether each pulse begins with a packet at its very start. Else packets are spaced on
            where a pulse follows on the one before, as one flood. Source: ns-2 scripts, which start a
            source anew for each pulse. Default: true.
        client_port: Port of `from` in the first connection; later ones count up. Default: 49152. 1 to
            65534 (ports have 16 bits).
        dscp: DiffServ codepoint of its packets, both ways: 0 to 63, or a name such as "EF". Default:
            CS0.
        enabled: Whether there is an attack: `false` is the same run without it, in which all other
            flows draw what they draw with it. Default: true.
        feedback: What receivers do with routers' feedback (netfence): "withhold" leaves the senders
            with requests. Default: return.
        pattern: Who of them sends to whom: in order, each to each, all to one at the same time, or each
            to one that is drawn. Default: pairs.
        server_port: Port of `to`; further flows between the same two addresses have the next ones.
            Default: 5001. 1 to 65535 (ports have 16 bits).
        spoof: Source addresses that are not the senders', over UDP. Default: none.
        start: Start; a distribution is drawn once a flow and run, a list has one for each flow.
            Default: 0 s.
        stop: When the application stops offering data. Default: the end.
        transport: Transport protocol. Default: udp or tcp, as the kind needs.
    """

    _kind: ClassVar[str] = "pulse"
    _keys: ClassVar[Mapping[str, str]] = {"from_": "from"}
    _forms: ClassVar[Mapping[str, str]] = {"spoof": "tables.Spoof", "transport": "transport"}

    name: types.Name
    from_: types.Selector
    to: types.Selector
    period: types.Duration
    size: types.Size
    _: KW_ONLY
    t: Literal["period", "gap"] | None = None
    burst: types.Duration | Literal["auto"] | None = None
    duty: types.Probability | Literal["auto"] | None = None
    rate: types.Rate | Literal["auto"] | None = None
    mean: types.Rate | Literal["auto"] | None = None
    phase: Literal["together", "spread", "random"] | None = None
    jitter: types.Probability | None = None
    start_jitter: types.Duration | None = None
    rise: types.Probability | None = None
    fall: types.Probability | None = None
    restart: bool | None = None
    client_port: int | None = None
    dscp: types.Dscp | None = None
    enabled: bool | None = None
    feedback: Literal["return", "withhold"] | None = None
    pattern: Literal["pairs", "all_pairs", "incast", "permutation"] | None = None
    server_port: int | None = None
    spoof: types.Spoof | None = None
    start: types.Distribution | list[types.Duration] | tuple[types.Duration, ...] | None = None
    stop: types.Duration | None = None
    transport: types.Transport | None = None


@dataclass(eq=False, repr=False, slots=True)
class Flood(Table):
    """Packets at a steady rate, at equal gaps or by chance.

    Args:
        name: Name of the group, unique among flows and attacks.
        from_: Sending hosts.
        to: Receiving hosts: as many as `from`, or one on either side; with another `pattern` as that
            has them.
        rate: Rate of each flow's payload. 1 bit/s to 10000 Gbit/s (a packet would take no time).
        size: Payload of each packet. 1 B to 65535 B (no IP packet has more).
        arrivals: How packets are spaced. Source: ns-2's CBR. Default: periodic.
        jitter: Each gap is stretched by a uniform factor within 1 ± this. Without it packets are
            strictly periodic, and where floods and a link have equal rates the result hangs on their
            phases. Source: ns-2, random_. Default: 0.0.
        random_phase: Whether the first packet leaves within the first gap at random. Source: own
            choice. Default: false.
        client_port: Port of `from` in the first connection; later ones count up. Default: 49152. 1 to
            65534 (ports have 16 bits).
        dscp: DiffServ codepoint of its packets, both ways: 0 to 63, or a name such as "EF". Default:
            CS0.
        enabled: Whether there is an attack: `false` is the same run without it, in which all other
            flows draw what they draw with it. Default: true.
        feedback: What receivers do with routers' feedback (netfence): "withhold" leaves the senders
            with requests. Default: return.
        pattern: Who of them sends to whom: in order, each to each, all to one at the same time, or each
            to one that is drawn. Default: pairs.
        server_port: Port of `to`; further flows between the same two addresses have the next ones.
            Default: 5001. 1 to 65535 (ports have 16 bits).
        spoof: Source addresses that are not the senders', over UDP. Default: none.
        start: Start; a distribution is drawn once a flow and run, a list has one for each flow.
            Default: 0 s.
        stop: When the application stops offering data. Default: the end.
        transport: Transport protocol. Default: udp or tcp, as the kind needs.
    """

    _kind: ClassVar[str] = "flood"
    _keys: ClassVar[Mapping[str, str]] = {"from_": "from"}
    _forms: ClassVar[Mapping[str, str]] = {"spoof": "tables.Spoof", "transport": "transport"}

    name: types.Name
    from_: types.Selector
    to: types.Selector
    rate: types.Rate
    size: types.Size
    _: KW_ONLY
    arrivals: Literal["periodic", "poisson"] | None = None
    jitter: types.Probability | None = None
    random_phase: bool | None = None
    client_port: int | None = None
    dscp: types.Dscp | None = None
    enabled: bool | None = None
    feedback: Literal["return", "withhold"] | None = None
    pattern: Literal["pairs", "all_pairs", "incast", "permutation"] | None = None
    server_port: int | None = None
    spoof: types.Spoof | None = None
    start: types.Distribution | list[types.Duration] | tuple[types.Duration, ...] | None = None
    stop: types.Duration | None = None
    transport: types.Transport | None = None


@dataclass(eq=False, repr=False, slots=True)
class OnOff(Table):
    """A flood during on-times, with pauses between.

    Args:
        name: Name of the group, unique among flows and attacks.
        from_: Sending hosts.
        to: Receiving hosts: as many as `from`, or one on either side; with another `pattern` as that
            has them.
        rate: Rate of payload while on. 1 bit/s to 10000 Gbit/s (a packet would take no time).
        size: Payload of each packet. 1 B to 65535 B (no IP packet has more).
        on: Length of an on-time. 1 us to 87600 h (each on-time is drawn by itself).
        off: Length of an off-time.
        client_port: Port of `from` in the first connection; later ones count up. Default: 49152. 1 to
            65534 (ports have 16 bits).
        dscp: DiffServ codepoint of its packets, both ways: 0 to 63, or a name such as "EF". Default:
            CS0.
        enabled: Whether there is an attack: `false` is the same run without it, in which all other
            flows draw what they draw with it. Default: true.
        feedback: What receivers do with routers' feedback (netfence): "withhold" leaves the senders
            with requests. Default: return.
        pattern: Who of them sends to whom: in order, each to each, all to one at the same time, or each
            to one that is drawn. Default: pairs.
        server_port: Port of `to`; further flows between the same two addresses have the next ones.
            Default: 5001. 1 to 65535 (ports have 16 bits).
        spoof: Source addresses that are not the senders', over UDP. Default: none.
        start: Start; a distribution is drawn once a flow and run, a list has one for each flow.
            Default: 0 s.
        stop: When the application stops offering data. Default: the end.
        transport: Transport protocol. Default: udp or tcp, as the kind needs.
    """

    _kind: ClassVar[str] = "on_off"
    _keys: ClassVar[Mapping[str, str]] = {"from_": "from"}
    _forms: ClassVar[Mapping[str, str]] = {"spoof": "tables.Spoof", "transport": "transport"}

    name: types.Name
    from_: types.Selector
    to: types.Selector
    rate: types.Rate
    size: types.Size
    on: types.Distribution
    off: types.Distribution
    _: KW_ONLY
    client_port: int | None = None
    dscp: types.Dscp | None = None
    enabled: bool | None = None
    feedback: Literal["return", "withhold"] | None = None
    pattern: Literal["pairs", "all_pairs", "incast", "permutation"] | None = None
    server_port: int | None = None
    spoof: types.Spoof | None = None
    start: types.Distribution | list[types.Duration] | tuple[types.Duration, ...] | None = None
    stop: types.Duration | None = None
    transport: types.Transport | None = None


@dataclass(eq=False, repr=False, slots=True)
class Schedule(Table):
    """A flood whose rate changes at given times since the attack's start.

    Args:
        name: Name of the group, unique among flows and attacks.
        from_: Sending hosts.
        to: Receiving hosts: as many as `from`, or one on either side; with another `pattern` as that
            has them.
        steps: A list of [time, rate], ascending: [["0 s", "1 Mbit/s"], ["5 s", "0 bit/s"]]. A rate of
            zero is silence.
        size: Payload of each packet. 1 B to 65535 B (no IP packet has more).
        client_port: Port of `from` in the first connection; later ones count up. Default: 49152. 1 to
            65534 (ports have 16 bits).
        dscp: DiffServ codepoint of its packets, both ways: 0 to 63, or a name such as "EF". Default:
            CS0.
        enabled: Whether there is an attack: `false` is the same run without it, in which all other
            flows draw what they draw with it. Default: true.
        feedback: What receivers do with routers' feedback (netfence): "withhold" leaves the senders
            with requests. Default: return.
        pattern: Who of them sends to whom: in order, each to each, all to one at the same time, or each
            to one that is drawn. Default: pairs.
        server_port: Port of `to`; further flows between the same two addresses have the next ones.
            Default: 5001. 1 to 65535 (ports have 16 bits).
        spoof: Source addresses that are not the senders', over UDP. Default: none.
        start: Start; a distribution is drawn once a flow and run, a list has one for each flow.
            Default: 0 s.
        stop: When the application stops offering data. Default: the end.
        transport: Transport protocol. Default: udp or tcp, as the kind needs.
    """

    _kind: ClassVar[str] = "schedule"
    _keys: ClassVar[Mapping[str, str]] = {"from_": "from"}
    _forms: ClassVar[Mapping[str, str]] = {"spoof": "tables.Spoof", "transport": "transport"}

    name: types.Name
    from_: types.Selector
    to: types.Selector
    steps: list[tuple[types.Duration, types.Rate]] | tuple[tuple[types.Duration, types.Rate], ...]
    size: types.Size
    _: KW_ONLY
    client_port: int | None = None
    dscp: types.Dscp | None = None
    enabled: bool | None = None
    feedback: Literal["return", "withhold"] | None = None
    pattern: Literal["pairs", "all_pairs", "incast", "permutation"] | None = None
    server_port: int | None = None
    spoof: types.Spoof | None = None
    start: types.Distribution | list[types.Duration] | tuple[types.Duration, ...] | None = None
    stop: types.Duration | None = None
    transport: types.Transport | None = None


@dataclass(eq=False, repr=False, slots=True)
class Shrew(Table):
    """Pulses as far apart as retransmissions, which find the next one.

    Args:
        name: Name of the group, unique among flows and attacks.
        from_: Sending hosts.
        to: Receiving hosts: as many as `from`, or one on either side; with another `pattern` as that
            has them.
        burst: Length of a pulse. At least the round trip of the flows that it aims at, or a window
            survives. 1 ns to 87600 h (each pulse has a packet).
        rate: Rate of each flow's payload within a pulse. All flows of the attack together have to fill
            the bottleneck's buffer within a part of the pulse. 1 bit/s to 10000 Gbit/s (a packet would
            take no time).
        size: Payload of each packet. Many small ones leave no place in a buffer that counts packets. 1
            B to 65535 B (no IP packet has more).
        min_rto: The least retransmission timeout of the flows that it aims at: pulses are this far
            apart, from start to start. Source: RFC 6298; Linux has 200 ms. 1 us to 87600 h (each pulse
            has a packet). Default: 1 s.
        n: Pulses for each `min_rto`: those beyond the first cost more and hit flows whose timers are
            not all alike. Source: Kuzmanovic & Knightly 2003. 1 to 4294967295 (it would not be done at
            all). Default: 1.
        jitter: Each gap between packets of a pulse is stretched by a uniform factor within 1 ± this.
            Source: own choice. Default: 0.0.
        client_port: Port of `from` in the first connection; later ones count up. Default: 49152. 1 to
            65534 (ports have 16 bits).
        dscp: DiffServ codepoint of its packets, both ways: 0 to 63, or a name such as "EF". Default:
            CS0.
        enabled: Whether there is an attack: `false` is the same run without it, in which all other
            flows draw what they draw with it. Default: true.
        feedback: What receivers do with routers' feedback (netfence): "withhold" leaves the senders
            with requests. Default: return.
        pattern: Who of them sends to whom: in order, each to each, all to one at the same time, or each
            to one that is drawn. Default: pairs.
        server_port: Port of `to`; further flows between the same two addresses have the next ones.
            Default: 5001. 1 to 65535 (ports have 16 bits).
        spoof: Source addresses that are not the senders', over UDP. Default: none.
        start: Start; a distribution is drawn once a flow and run, a list has one for each flow.
            Default: 0 s.
        stop: When the application stops offering data. Default: the end.
        transport: Transport protocol. Default: udp or tcp, as the kind needs.
    """

    _kind: ClassVar[str] = "shrew"
    _keys: ClassVar[Mapping[str, str]] = {"from_": "from"}
    _forms: ClassVar[Mapping[str, str]] = {"spoof": "tables.Spoof", "transport": "transport"}

    name: types.Name
    from_: types.Selector
    to: types.Selector
    burst: types.Duration
    rate: types.Rate
    size: types.Size
    _: KW_ONLY
    min_rto: types.Duration | None = None
    n: int | None = None
    jitter: types.Probability | None = None
    client_port: int | None = None
    dscp: types.Dscp | None = None
    enabled: bool | None = None
    feedback: Literal["return", "withhold"] | None = None
    pattern: Literal["pairs", "all_pairs", "incast", "permutation"] | None = None
    server_port: int | None = None
    spoof: types.Spoof | None = None
    start: types.Distribution | list[types.Duration] | tuple[types.Duration, ...] | None = None
    stop: types.Duration | None = None
    transport: types.Transport | None = None


@dataclass(eq=False, repr=False, slots=True)
class Roq(Table):
    """Bursts that keep queue management and windows from settling (reduction of quality).

    Args:
        name: Name of the group, unique among flows and attacks.
        from_: Sending hosts.
        to: Receiving hosts: as many as `from`, or one on either side; with another `pattern` as that
            has them.
        period: T, from the start of one burst to the start of the next: about the time that queue
            management and windows take to settle, many round trips. 1 us to 87600 h (each burst has a
            packet).
        rate: δ, the rate of each flow's payload within a burst. 1 bit/s to 10000 Gbit/s (a packet would
            take no time).
        size: Payload of each packet. 1 B to 65535 B (no IP packet has more).
        magnitude: M, the packets of a burst; or `duration` says it. Source: `duration`. 1 to 4294967295
            (it would not be done at all). Default: auto.
        duration: τ, the length of a burst. Source: `magnitude`. 1 ns to 87600 h (each burst has a
            packet). Default: auto.
        jitter: Each gap between packets of a burst is stretched by a uniform factor within 1 ± this.
            Source: own choice. Default: 0.0.
        client_port: Port of `from` in the first connection; later ones count up. Default: 49152. 1 to
            65534 (ports have 16 bits).
        dscp: DiffServ codepoint of its packets, both ways: 0 to 63, or a name such as "EF". Default:
            CS0.
        enabled: Whether there is an attack: `false` is the same run without it, in which all other
            flows draw what they draw with it. Default: true.
        feedback: What receivers do with routers' feedback (netfence): "withhold" leaves the senders
            with requests. Default: return.
        pattern: Who of them sends to whom: in order, each to each, all to one at the same time, or each
            to one that is drawn. Default: pairs.
        server_port: Port of `to`; further flows between the same two addresses have the next ones.
            Default: 5001. 1 to 65535 (ports have 16 bits).
        spoof: Source addresses that are not the senders', over UDP. Default: none.
        start: Start; a distribution is drawn once a flow and run, a list has one for each flow.
            Default: 0 s.
        stop: When the application stops offering data. Default: the end.
        transport: Transport protocol. Default: udp or tcp, as the kind needs.
    """

    _kind: ClassVar[str] = "roq"
    _keys: ClassVar[Mapping[str, str]] = {"from_": "from"}
    _forms: ClassVar[Mapping[str, str]] = {"spoof": "tables.Spoof", "transport": "transport"}

    name: types.Name
    from_: types.Selector
    to: types.Selector
    period: types.Duration
    rate: types.Rate
    size: types.Size
    _: KW_ONLY
    magnitude: int | Literal["auto"] | None = None
    duration: types.Duration | Literal["auto"] | None = None
    jitter: types.Probability | None = None
    client_port: int | None = None
    dscp: types.Dscp | None = None
    enabled: bool | None = None
    feedback: Literal["return", "withhold"] | None = None
    pattern: Literal["pairs", "all_pairs", "incast", "permutation"] | None = None
    server_port: int | None = None
    spoof: types.Spoof | None = None
    start: types.Distribution | list[types.Duration] | tuple[types.Duration, ...] | None = None
    stop: types.Duration | None = None
    transport: types.Transport | None = None


@dataclass(eq=False, repr=False, slots=True)
class AckDivision(Table):
    """A receiver acknowledges each segment in pieces, so that a sender that counts ACKs grows faster.

    Args:
        name: Name of the group, unique among flows and attacks.
        from_: Sending hosts.
        to: Receiving hosts: as many as `from`, or one on either side; with another `pattern` as that
            has them.
        pieces: Pieces that a segment is acknowledged in. Source: Savage et al. 1999. 1 to 1000 (each
            segment makes so many ACKs). Default: 10.
        direction: Which way data goes: `down` to the client, which opens connections (`from`), or `up`
            from it; who receives misbehaves. Source: Savage et al. 1999: a client that downloads.
            Default: down.
        client_port: Port of `from` in the first connection; later ones count up. Default: 49152. 1 to
            65534 (ports have 16 bits).
        dscp: DiffServ codepoint of its packets, both ways: 0 to 63, or a name such as "EF". Default:
            CS0.
        enabled: Whether there is an attack: `false` is the same run without it, in which all other
            flows draw what they draw with it. Default: true.
        feedback: What receivers do with routers' feedback (netfence): "withhold" leaves the senders
            with requests. Default: return.
        pattern: Who of them sends to whom: in order, each to each, all to one at the same time, or each
            to one that is drawn. Default: pairs.
        server_port: Port of `to`; further flows between the same two addresses have the next ones.
            Default: 5001. 1 to 65535 (ports have 16 bits).
        spoof: Source addresses that are not the senders', over UDP. Default: none.
        start: Start; a distribution is drawn once a flow and run, a list has one for each flow.
            Default: 0 s.
        stop: When the application stops offering data. Default: the end.
        transport: Transport protocol. Default: udp or tcp, as the kind needs.
    """

    _kind: ClassVar[str] = "ack_division"
    _keys: ClassVar[Mapping[str, str]] = {"from_": "from"}
    _forms: ClassVar[Mapping[str, str]] = {"spoof": "tables.Spoof", "transport": "transport"}

    name: types.Name
    from_: types.Selector
    to: types.Selector
    _: KW_ONLY
    pieces: int | None = None
    direction: Literal["up", "down"] | None = None
    client_port: int | None = None
    dscp: types.Dscp | None = None
    enabled: bool | None = None
    feedback: Literal["return", "withhold"] | None = None
    pattern: Literal["pairs", "all_pairs", "incast", "permutation"] | None = None
    server_port: int | None = None
    spoof: types.Spoof | None = None
    start: types.Distribution | list[types.Duration] | tuple[types.Duration, ...] | None = None
    stop: types.Duration | None = None
    transport: types.Transport | None = None


@dataclass(eq=False, repr=False, slots=True)
class OptimisticAcks(Table):
    """A receiver acknowledges what has not come yet, and what was lost: round trips look shorter, and no
    loss shows.

    Args:
        name: Name of the group, unique among flows and attacks.
        from_: Sending hosts.
        to: Receiving hosts: as many as `from`, or one on either side; with another `pattern` as that
            has them.
        ahead: Segments that each ACK runs ahead of what came. Source: own choice. 1 to 1000 (each
            segment makes so many ACKs). Default: 10.
        direction: Which way data goes: `down` to the client, which opens connections (`from`), or `up`
            from it; who receives misbehaves. Source: Savage et al. 1999: a client that downloads.
            Default: down.
        client_port: Port of `from` in the first connection; later ones count up. Default: 49152. 1 to
            65534 (ports have 16 bits).
        dscp: DiffServ codepoint of its packets, both ways: 0 to 63, or a name such as "EF". Default:
            CS0.
        enabled: Whether there is an attack: `false` is the same run without it, in which all other
            flows draw what they draw with it. Default: true.
        feedback: What receivers do with routers' feedback (netfence): "withhold" leaves the senders
            with requests. Default: return.
        pattern: Who of them sends to whom: in order, each to each, all to one at the same time, or each
            to one that is drawn. Default: pairs.
        server_port: Port of `to`; further flows between the same two addresses have the next ones.
            Default: 5001. 1 to 65535 (ports have 16 bits).
        spoof: Source addresses that are not the senders', over UDP. Default: none.
        start: Start; a distribution is drawn once a flow and run, a list has one for each flow.
            Default: 0 s.
        stop: When the application stops offering data. Default: the end.
        transport: Transport protocol. Default: udp or tcp, as the kind needs.
    """

    _kind: ClassVar[str] = "optimistic_acks"
    _keys: ClassVar[Mapping[str, str]] = {"from_": "from"}
    _forms: ClassVar[Mapping[str, str]] = {"spoof": "tables.Spoof", "transport": "transport"}

    name: types.Name
    from_: types.Selector
    to: types.Selector
    _: KW_ONLY
    ahead: int | None = None
    direction: Literal["up", "down"] | None = None
    client_port: int | None = None
    dscp: types.Dscp | None = None
    enabled: bool | None = None
    feedback: Literal["return", "withhold"] | None = None
    pattern: Literal["pairs", "all_pairs", "incast", "permutation"] | None = None
    server_port: int | None = None
    spoof: types.Spoof | None = None
    start: types.Distribution | list[types.Duration] | tuple[types.Duration, ...] | None = None
    stop: types.Duration | None = None
    transport: types.Transport | None = None


@dataclass(eq=False, repr=False, slots=True)
class RepeatedAcks(Table):
    """A receiver without SACK repeats ACKs, so that fast recovery lets out as much as it wants, and never
    ends for long.

    Args:
        name: Name of the group, unique among flows and attacks.
        from_: Sending hosts.
        to: Receiving hosts: as many as `from`, or one on either side; with another `pattern` as that
            has them.
        times: Repetitions of an ACK at once, and about so many segments in flight: more than the path
            and its queue hold are lost. Source: own choice. 1 to 1000 (each makes an ACK). Default: 60.
        direction: Which way data goes: `down` to the client, which opens connections (`from`), or `up`
            from it; who receives misbehaves. Source: Savage et al. 1999: a client that downloads.
            Default: down.
        client_port: Port of `from` in the first connection; later ones count up. Default: 49152. 1 to
            65534 (ports have 16 bits).
        dscp: DiffServ codepoint of its packets, both ways: 0 to 63, or a name such as "EF". Default:
            CS0.
        enabled: Whether there is an attack: `false` is the same run without it, in which all other
            flows draw what they draw with it. Default: true.
        feedback: What receivers do with routers' feedback (netfence): "withhold" leaves the senders
            with requests. Default: return.
        pattern: Who of them sends to whom: in order, each to each, all to one at the same time, or each
            to one that is drawn. Default: pairs.
        server_port: Port of `to`; further flows between the same two addresses have the next ones.
            Default: 5001. 1 to 65535 (ports have 16 bits).
        spoof: Source addresses that are not the senders', over UDP. Default: none.
        start: Start; a distribution is drawn once a flow and run, a list has one for each flow.
            Default: 0 s.
        stop: When the application stops offering data. Default: the end.
        transport: Transport protocol. Default: udp or tcp, as the kind needs.
    """

    _kind: ClassVar[str] = "repeated_acks"
    _keys: ClassVar[Mapping[str, str]] = {"from_": "from"}
    _forms: ClassVar[Mapping[str, str]] = {"spoof": "tables.Spoof", "transport": "transport"}

    name: types.Name
    from_: types.Selector
    to: types.Selector
    _: KW_ONLY
    times: int | None = None
    direction: Literal["up", "down"] | None = None
    client_port: int | None = None
    dscp: types.Dscp | None = None
    enabled: bool | None = None
    feedback: Literal["return", "withhold"] | None = None
    pattern: Literal["pairs", "all_pairs", "incast", "permutation"] | None = None
    server_port: int | None = None
    spoof: types.Spoof | None = None
    start: types.Distribution | list[types.Duration] | tuple[types.Duration, ...] | None = None
    stop: types.Duration | None = None
    transport: types.Transport | None = None


@dataclass(eq=False, repr=False, slots=True)
class NoBackoff(Table):
    """A TCP sender with a window of one size, which losses, marks and timeouts do not lower.

    Args:
        name: Name of the group, unique among flows and attacks.
        from_: Sending hosts.
        to: Receiving hosts: as many as `from`, or one on either side; with another `pattern` as that
            has them.
        window: The window, in packets, from the beginning on. More than the bottleneck carries in a
            round trip fills its queue for good. 1 to 1000000 (so many packets leave at once).
        direction: Which way data goes: `up` from the client, which opens connections (`from`), or
            `down` to it; who sends misbehaves. Source: own choice. Default: up.
        client_port: Port of `from` in the first connection; later ones count up. Default: 49152. 1 to
            65534 (ports have 16 bits).
        dscp: DiffServ codepoint of its packets, both ways: 0 to 63, or a name such as "EF". Default:
            CS0.
        enabled: Whether there is an attack: `false` is the same run without it, in which all other
            flows draw what they draw with it. Default: true.
        feedback: What receivers do with routers' feedback (netfence): "withhold" leaves the senders
            with requests. Default: return.
        pattern: Who of them sends to whom: in order, each to each, all to one at the same time, or each
            to one that is drawn. Default: pairs.
        server_port: Port of `to`; further flows between the same two addresses have the next ones.
            Default: 5001. 1 to 65535 (ports have 16 bits).
        spoof: Source addresses that are not the senders', over UDP. Default: none.
        start: Start; a distribution is drawn once a flow and run, a list has one for each flow.
            Default: 0 s.
        stop: When the application stops offering data. Default: the end.
        transport: Transport protocol. Default: udp or tcp, as the kind needs.
    """

    _kind: ClassVar[str] = "no_backoff"
    _keys: ClassVar[Mapping[str, str]] = {"from_": "from"}
    _forms: ClassVar[Mapping[str, str]] = {"spoof": "tables.Spoof", "transport": "transport"}

    name: types.Name
    from_: types.Selector
    to: types.Selector
    window: int
    _: KW_ONLY
    direction: Literal["up", "down"] | None = None
    client_port: int | None = None
    dscp: types.Dscp | None = None
    enabled: bool | None = None
    feedback: Literal["return", "withhold"] | None = None
    pattern: Literal["pairs", "all_pairs", "incast", "permutation"] | None = None
    server_port: int | None = None
    spoof: types.Spoof | None = None
    start: types.Distribution | list[types.Duration] | tuple[types.Duration, ...] | None = None
    stop: types.Duration | None = None
    transport: types.Transport | None = None


@dataclass(eq=False, repr=False, slots=True)
class Parallel(Table):
    """Many TCP connections between two hosts, each of which sends as much as goes.

    Args:
        name: Name of the group, unique among flows and attacks.
        from_: Sending hosts.
        to: Receiving hosts: as many as `from`, or one on either side; with another `pattern` as that
            has them.
        connections: Connections between each two hosts, each a flow. 1 to 4294967295 (it would not be
            done at all).
        direction: Which way data goes: `up` from the client, which opens connections (`from`), or
            `down` to it. Source: own choice. Default: up.
        client_port: Port of `from` in the first connection; later ones count up. Default: 49152. 1 to
            65534 (ports have 16 bits).
        dscp: DiffServ codepoint of its packets, both ways: 0 to 63, or a name such as "EF". Default:
            CS0.
        enabled: Whether there is an attack: `false` is the same run without it, in which all other
            flows draw what they draw with it. Default: true.
        feedback: What receivers do with routers' feedback (netfence): "withhold" leaves the senders
            with requests. Default: return.
        pattern: Who of them sends to whom: in order, each to each, all to one at the same time, or each
            to one that is drawn. Default: pairs.
        server_port: Port of `to`; further flows between the same two addresses have the next ones.
            Default: 5001. 1 to 65535 (ports have 16 bits).
        spoof: Source addresses that are not the senders', over UDP. Default: none.
        start: Start; a distribution is drawn once a flow and run, a list has one for each flow.
            Default: 0 s.
        stop: When the application stops offering data. Default: the end.
        transport: Transport protocol. Default: udp or tcp, as the kind needs.
    """

    _kind: ClassVar[str] = "parallel"
    _keys: ClassVar[Mapping[str, str]] = {"from_": "from"}
    _forms: ClassVar[Mapping[str, str]] = {"spoof": "tables.Spoof", "transport": "transport"}

    name: types.Name
    from_: types.Selector
    to: types.Selector
    connections: int
    _: KW_ONLY
    direction: Literal["up", "down"] | None = None
    client_port: int | None = None
    dscp: types.Dscp | None = None
    enabled: bool | None = None
    feedback: Literal["return", "withhold"] | None = None
    pattern: Literal["pairs", "all_pairs", "incast", "permutation"] | None = None
    server_port: int | None = None
    spoof: types.Spoof | None = None
    start: types.Distribution | list[types.Duration] | tuple[types.Duration, ...] | None = None
    stop: types.Duration | None = None
    transport: types.Transport | None = None

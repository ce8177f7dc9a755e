"""An attack: a class for each kind. Written by `make classes`, from the schema."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from tailrace.scenario.objects import Table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tailrace.build import types


@dataclass(eq=False, repr=False, slots=True)
class Pulse(Table):
    """Pulses of length L at rate R, repeated after time T.

    Args:
        name: The name of the group, by which results call it; no other flow or attack may have it.
        from_: The hosts that open the flows: a name, or several as in "src[*]".
        to: The hosts at the other end: as many as in `from`, or one on either side. Other values of
            `pattern` pair hosts in other ways.
        period: T, the time between pulses; what it is measured from is said by `t`. Allowed: 1 us to
            87600 h (each pulse sends a packet, which takes computing time).
        size: How many bytes of payload each packet carries, without headers. Allowed: 1 B to 65535 B
            (no IP packet has more).
        t: What `period` means: `"period"` is from the start of one pulse to the start of the next,
            `"gap"` from its end to the start of the next. Papers often leave this open, but it matters:
            with T equal to the length of a pulse, the first is a constant flood, the second a flood for
            half of the time. Source: Kuzmanovic & Knightly 2003. Default: period.
        burst: L, the length of a pulse. State either this or `duty`. Source: `duty`. Allowed: 1 ns to
            87600 h (each pulse sends a packet, which takes computing time). Default: auto.
        duty: The length of a pulse as a share of the time from one start to the next. State either this
            or `burst`. When a sweep varies `period`, the mean rate then stays the same. Source:
            `burst`. Allowed: 0.000001 to 1 (each pulse sends a packet, which takes computing time).
            Default: auto.
        rate: R, how much payload each flow sends per second within a pulse; with ramps, the highest
            rate. State either this or `mean`. A pulse has a whole number of packets: R times L, rounded
            up. Source: `mean`. Allowed: 1 bit/s to 10000 Gbit/s (a packet would take no time). Default:
            auto.
        mean: How much payload each flow sends per second on average, pauses included. State either this
            or `rate`. Source: `rate`. Allowed: 1 bit/s to 10000 Gbit/s (a packet would take no time).
            Default: auto.
        phase: How the pulses of the different flows of the group lie in time to one another. Source:
            Kuzmanovic & Knightly 2003. Default: together.
        jitter: How irregular the gaps between the packets of a pulse are: each gap is multiplied by a
            random factor between 1 minus this and 1 plus this. Source: own choice. Default: 0.0.
        start_jitter: How irregular the starts of pulses are: each pulse starts up to this much before
            or after its time, at random (uniformly). This does not move the pulses after it. It may be
            at most half of the pause between pulses. Source: own choice. Allowed: 0 s to 87600 h (no
            run lasts longer). Default: 0 s.
        rise: Over which share of a pulse, at its start, the rate rises from zero in a straight line. 0:
            it begins at the full rate. Source: Kuzmanovic & Knightly 2003, square waves. Default: 0.0.
        fall: Over which share of a pulse, at its end, the rate falls to zero in a straight line. 0: it
            ends at the full rate. Source: Kuzmanovic & Knightly 2003, square waves. Default: 0.0.
        restart: Whether each pulse begins with a packet exactly at its start. If false, and a pulse
            follows directly on the one before, packets go on at their spacing, as in a single flood.
            Source: ns-2 scripts, which start a source anew for each pulse. Default: true.
        client_port: The port of `from` in the first connection; each later connection takes the next
            one. Default: 49152. Allowed: 1 to 65534 (ports have 16 bits).
        dscp: The DiffServ codepoint of its packets, in both directions: 0 to 63, or a name such as
            "EF". Some disciplines sort packets by it. Default: CS0.
        enabled: Whether the attack takes place. With `false` the run is the same without it: all other
            flows keep their random numbers. Default: true.
        feedback: Whether receivers send the feedback of routers back to senders (`netfence` only). With
            "withhold" senders get none and can only send requests. Default: return.
        pattern: Which of the hosts in `from` sends to which in `to`: in order ("pairs"), each to each
            ("all_pairs"), all to one at the same time ("incast"), or each to one that is drawn
            ("permutation"). Default: pairs.
        server_port: The port of `to`; further flows between the same two addresses take the next ones.
            Default: 5001. Allowed: 1 to 65535 (ports have 16 bits).
        spoof: Forged source addresses, over UDP only. Default: none.
        start: When the flow starts. From a distribution one time is drawn for each flow and run; a list
            has a time for each flow. Default: 0 s.
        stop: When the application stops sending new data. Default: the end.
        transport: The transport protocol: "udp", "tcp" or "mptcp", or a table with its kind and
            parameters. Default: udp or tcp, as the kind needs.
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
    """Packets at a constant rate, with equal or random gaps.

    Args:
        name: The name of the group, by which results call it; no other flow or attack may have it.
        from_: The hosts that open the flows: a name, or several as in "src[*]".
        to: The hosts at the other end: as many as in `from`, or one on either side. Other values of
            `pattern` pair hosts in other ways.
        rate: How much payload each flow of the attack sends per second. Allowed: 1 bit/s to 10000
            Gbit/s (a packet would take no time).
        size: How many bytes of payload each packet carries, without headers. Allowed: 1 B to 65535 B
            (no IP packet has more).
        arrivals: How the packets are spaced in time. Source: ns-2's CBR. Default: periodic.
        jitter: How irregular the gaps are: each is multiplied by a random factor between 1 minus this
            and 1 plus this. With 0 packets are strictly periodic. If the floods and a link then have
            equal rates, the result depends on the order in which they happen to send. Source: ns-2,
            random_. Default: 0.0.
        random_phase: Whether the first packet is sent at a random time within the first gap, instead of
            at the start. Source: own choice. Default: false.
        client_port: The port of `from` in the first connection; each later connection takes the next
            one. Default: 49152. Allowed: 1 to 65534 (ports have 16 bits).
        dscp: The DiffServ codepoint of its packets, in both directions: 0 to 63, or a name such as
            "EF". Some disciplines sort packets by it. Default: CS0.
        enabled: Whether the attack takes place. With `false` the run is the same without it: all other
            flows keep their random numbers. Default: true.
        feedback: Whether receivers send the feedback of routers back to senders (`netfence` only). With
            "withhold" senders get none and can only send requests. Default: return.
        pattern: Which of the hosts in `from` sends to which in `to`: in order ("pairs"), each to each
            ("all_pairs"), all to one at the same time ("incast"), or each to one that is drawn
            ("permutation"). Default: pairs.
        server_port: The port of `to`; further flows between the same two addresses take the next ones.
            Default: 5001. Allowed: 1 to 65535 (ports have 16 bits).
        spoof: Forged source addresses, over UDP only. Default: none.
        start: When the flow starts. From a distribution one time is drawn for each flow and run; a list
            has a time for each flow. Default: 0 s.
        stop: When the application stops sending new data. Default: the end.
        transport: The transport protocol: "udp", "tcp" or "mptcp", or a table with its kind and
            parameters. Default: udp or tcp, as the kind needs.
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
    """A flood with pauses.

    Args:
        name: The name of the group, by which results call it; no other flow or attack may have it.
        from_: The hosts that open the flows: a name, or several as in "src[*]".
        to: The hosts at the other end: as many as in `from`, or one on either side. Other values of
            `pattern` pair hosts in other ways.
        rate: How much payload the flow sends per second while it is on. Allowed: 1 bit/s to 10000
            Gbit/s (a packet would take no time).
        size: How many bytes of payload each packet carries, without headers. Allowed: 1 B to 65535 B
            (no IP packet has more).
        on: For how long the flow sends each time; a duration or a distribution. Allowed: 1 us to 87600
            h (each on-time is drawn by itself).
        off: For how long the flow is silent each time; a duration or a distribution.
        client_port: The port of `from` in the first connection; each later connection takes the next
            one. Default: 49152. Allowed: 1 to 65534 (ports have 16 bits).
        dscp: The DiffServ codepoint of its packets, in both directions: 0 to 63, or a name such as
            "EF". Some disciplines sort packets by it. Default: CS0.
        enabled: Whether the attack takes place. With `false` the run is the same without it: all other
            flows keep their random numbers. Default: true.
        feedback: Whether receivers send the feedback of routers back to senders (`netfence` only). With
            "withhold" senders get none and can only send requests. Default: return.
        pattern: Which of the hosts in `from` sends to which in `to`: in order ("pairs"), each to each
            ("all_pairs"), all to one at the same time ("incast"), or each to one that is drawn
            ("permutation"). Default: pairs.
        server_port: The port of `to`; further flows between the same two addresses take the next ones.
            Default: 5001. Allowed: 1 to 65535 (ports have 16 bits).
        spoof: Forged source addresses, over UDP only. Default: none.
        start: When the flow starts. From a distribution one time is drawn for each flow and run; a list
            has a time for each flow. Default: 0 s.
        stop: When the application stops sending new data. Default: the end.
        transport: The transport protocol: "udp", "tcp" or "mptcp", or a table with its kind and
            parameters. Default: udp or tcp, as the kind needs.
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
    """A flood whose rate changes at given times after the attack's start.

    Args:
        name: The name of the group, by which results call it; no other flow or attack may have it.
        from_: The hosts that open the flows: a name, or several as in "src[*]".
        to: The hosts at the other end: as many as in `from`, or one on either side. Other values of
            `pattern` pair hosts in other ways.
        steps: When the rate of payload changes and to what: a list of [time, rate] with rising times,
            such as [["0 s", "1 Mbit/s"], ["5 s", "0 bit/s"]]. A rate of zero means silence.
        size: How many bytes of payload each packet carries, without headers. Allowed: 1 B to 65535 B
            (no IP packet has more).
        client_port: The port of `from` in the first connection; each later connection takes the next
            one. Default: 49152. Allowed: 1 to 65534 (ports have 16 bits).
        dscp: The DiffServ codepoint of its packets, in both directions: 0 to 63, or a name such as
            "EF". Some disciplines sort packets by it. Default: CS0.
        enabled: Whether the attack takes place. With `false` the run is the same without it: all other
            flows keep their random numbers. Default: true.
        feedback: Whether receivers send the feedback of routers back to senders (`netfence` only). With
            "withhold" senders get none and can only send requests. Default: return.
        pattern: Which of the hosts in `from` sends to which in `to`: in order ("pairs"), each to each
            ("all_pairs"), all to one at the same time ("incast"), or each to one that is drawn
            ("permutation"). Default: pairs.
        server_port: The port of `to`; further flows between the same two addresses take the next ones.
            Default: 5001. Allowed: 1 to 65535 (ports have 16 bits).
        spoof: Forged source addresses, over UDP only. Default: none.
        start: When the flow starts. From a distribution one time is drawn for each flow and run; a list
            has a time for each flow. Default: 0 s.
        stop: When the application stops sending new data. Default: the end.
        transport: The transport protocol: "udp", "tcp" or "mptcp", or a table with its kind and
            parameters. Default: udp or tcp, as the kind needs.
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
    """Pulses as far apart as TCP's retransmission timeout, so that retransmissions meet the next pulse.

    Args:
        name: The name of the group, by which results call it; no other flow or attack may have it.
        from_: The hosts that open the flows: a name, or several as in "src[*]".
        to: The hosts at the other end: as many as in `from`, or one on either side. Other values of
            `pattern` pair hosts in other ways.
        burst: The length of a pulse. It should be at least the round-trip time of the flows under
            attack; with a shorter one, part of their windows gets through. Allowed: 1 ns to 87600 h
            (each pulse sends a packet, which takes computing time).
        rate: How much payload each flow of the attack sends per second within a pulse. All its flows
            together must fill the bottleneck's buffer within a part of the pulse. Allowed: 1 bit/s to
            10000 Gbit/s (a packet would take no time).
        size: How many bytes of payload each packet carries. Many small packets fill a buffer that
            counts packets. Allowed: 1 B to 65535 B (no IP packet has more).
        min_rto: The smallest retransmission timeout of the flows under attack: pulses are this far
            apart, from start to start, so that each retransmission meets the next pulse. Source: RFC
            6298; Linux has 200 ms. Allowed: 1 us to 87600 h (each pulse sends a packet, which takes
            computing time). Default: 1 s.
        n: How many pulses there are in each `min_rto`. With more than one, flows whose timers differ
            are hit, too, but the attack sends more. Source: Kuzmanovic & Knightly 2003. Allowed: 1 to
            4294967295 (with 0 nothing would happen). Default: 1.
        jitter: How irregular the gaps between the packets of a pulse are: each gap is multiplied by a
            random factor between 1 minus this and 1 plus this. Source: own choice. Default: 0.0.
        client_port: The port of `from` in the first connection; each later connection takes the next
            one. Default: 49152. Allowed: 1 to 65534 (ports have 16 bits).
        dscp: The DiffServ codepoint of its packets, in both directions: 0 to 63, or a name such as
            "EF". Some disciplines sort packets by it. Default: CS0.
        enabled: Whether the attack takes place. With `false` the run is the same without it: all other
            flows keep their random numbers. Default: true.
        feedback: Whether receivers send the feedback of routers back to senders (`netfence` only). With
            "withhold" senders get none and can only send requests. Default: return.
        pattern: Which of the hosts in `from` sends to which in `to`: in order ("pairs"), each to each
            ("all_pairs"), all to one at the same time ("incast"), or each to one that is drawn
            ("permutation"). Default: pairs.
        server_port: The port of `to`; further flows between the same two addresses take the next ones.
            Default: 5001. Allowed: 1 to 65535 (ports have 16 bits).
        spoof: Forged source addresses, over UDP only. Default: none.
        start: When the flow starts. From a distribution one time is drawn for each flow and run; a list
            has a time for each flow. Default: 0 s.
        stop: When the application stops sending new data. Default: the end.
        transport: The transport protocol: "udp", "tcp" or "mptcp", or a table with its kind and
            parameters. Default: udp or tcp, as the kind needs.
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
    """Bursts so far apart that queues and windows never settle (reduction of quality).

    Args:
        name: The name of the group, by which results call it; no other flow or attack may have it.
        from_: The hosts that open the flows: a name, or several as in "src[*]".
        to: The hosts at the other end: as many as in `from`, or one on either side. Other values of
            `pattern` pair hosts in other ways.
        period: T, the time from the start of one burst to the start of the next. It should be about as
            long as queues and windows take to settle after a burst, many round trips. Allowed: 1 us to
            87600 h (each burst sends a packet, which takes computing time).
        rate: δ (delta), how much payload each flow sends per second within a burst. Allowed: 1 bit/s to
            10000 Gbit/s (a packet would take no time).
        size: How many bytes of payload each packet carries, without headers. Allowed: 1 B to 65535 B
            (no IP packet has more).
        magnitude: M, how many packets a burst has. State either this or `duration`. Source: `duration`.
            Allowed: 1 to 4294967295 (with 0 nothing would happen). Default: auto.
        duration: τ (tau), the length of a burst. State either this or `magnitude`. Source: `magnitude`.
            Allowed: 1 ns to 87600 h (each burst sends a packet, which takes computing time). Default:
            auto.
        jitter: How irregular the gaps between the packets of a burst are: each gap is multiplied by a
            random factor between 1 minus this and 1 plus this. Source: own choice. Default: 0.0.
        client_port: The port of `from` in the first connection; each later connection takes the next
            one. Default: 49152. Allowed: 1 to 65534 (ports have 16 bits).
        dscp: The DiffServ codepoint of its packets, in both directions: 0 to 63, or a name such as
            "EF". Some disciplines sort packets by it. Default: CS0.
        enabled: Whether the attack takes place. With `false` the run is the same without it: all other
            flows keep their random numbers. Default: true.
        feedback: Whether receivers send the feedback of routers back to senders (`netfence` only). With
            "withhold" senders get none and can only send requests. Default: return.
        pattern: Which of the hosts in `from` sends to which in `to`: in order ("pairs"), each to each
            ("all_pairs"), all to one at the same time ("incast"), or each to one that is drawn
            ("permutation"). Default: pairs.
        server_port: The port of `to`; further flows between the same two addresses take the next ones.
            Default: 5001. Allowed: 1 to 65535 (ports have 16 bits).
        spoof: Forged source addresses, over UDP only. Default: none.
        start: When the flow starts. From a distribution one time is drawn for each flow and run; a list
            has a time for each flow. Default: 0 s.
        stop: When the application stops sending new data. Default: the end.
        transport: The transport protocol: "udp", "tcp" or "mptcp", or a table with its kind and
            parameters. Default: udp or tcp, as the kind needs.
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
        name: The name of the group, by which results call it; no other flow or attack may have it.
        from_: The hosts that open the flows: a name, or several as in "src[*]".
        to: The hosts at the other end: as many as in `from`, or one on either side. Other values of
            `pattern` pair hosts in other ways.
        pieces: Into how many pieces the acknowledgment of a segment is divided. With more, a sender
            that counts ACKs grows its window faster. Source: Savage et al. 1999. Allowed: 1 to 1000
            (each segment causes so many ACKs, which takes computing time). Default: 10.
        direction: In which direction data flows: `down` from the server to the client, or `up` from the
            client to the server. The client (`from`) opens the connections. The end that receives the
            data is the one that misbehaves. Source: Savage et al. 1999: a client that downloads.
            Default: down.
        client_port: The port of `from` in the first connection; each later connection takes the next
            one. Default: 49152. Allowed: 1 to 65534 (ports have 16 bits).
        dscp: The DiffServ codepoint of its packets, in both directions: 0 to 63, or a name such as
            "EF". Some disciplines sort packets by it. Default: CS0.
        enabled: Whether the attack takes place. With `false` the run is the same without it: all other
            flows keep their random numbers. Default: true.
        feedback: Whether receivers send the feedback of routers back to senders (`netfence` only). With
            "withhold" senders get none and can only send requests. Default: return.
        pattern: Which of the hosts in `from` sends to which in `to`: in order ("pairs"), each to each
            ("all_pairs"), all to one at the same time ("incast"), or each to one that is drawn
            ("permutation"). Default: pairs.
        server_port: The port of `to`; further flows between the same two addresses take the next ones.
            Default: 5001. Allowed: 1 to 65535 (ports have 16 bits).
        spoof: Forged source addresses, over UDP only. Default: none.
        start: When the flow starts. From a distribution one time is drawn for each flow and run; a list
            has a time for each flow. Default: 0 s.
        stop: When the application stops sending new data. Default: the end.
        transport: The transport protocol: "udp", "tcp" or "mptcp", or a table with its kind and
            parameters. Default: udp or tcp, as the kind needs.
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
    """A receiver acknowledges what has not arrived yet, and what was lost: round trips look shorter, and
    no loss is seen.

    Args:
        name: The name of the group, by which results call it; no other flow or attack may have it.
        from_: The hosts that open the flows: a name, or several as in "src[*]".
        to: The hosts at the other end: as many as in `from`, or one on either side. Other values of
            `pattern` pair hosts in other ways.
        ahead: How many segments each ACK claims beyond what has arrived. A larger number makes the
            sender believe in shorter round trips. Source: own choice. Allowed: 1 to 1000 (each segment
            causes so many ACKs, which takes computing time). Default: 10.
        direction: In which direction data flows: `down` from the server to the client, or `up` from the
            client to the server. The client (`from`) opens the connections. The end that receives the
            data is the one that misbehaves. Source: Savage et al. 1999: a client that downloads.
            Default: down.
        client_port: The port of `from` in the first connection; each later connection takes the next
            one. Default: 49152. Allowed: 1 to 65534 (ports have 16 bits).
        dscp: The DiffServ codepoint of its packets, in both directions: 0 to 63, or a name such as
            "EF". Some disciplines sort packets by it. Default: CS0.
        enabled: Whether the attack takes place. With `false` the run is the same without it: all other
            flows keep their random numbers. Default: true.
        feedback: Whether receivers send the feedback of routers back to senders (`netfence` only). With
            "withhold" senders get none and can only send requests. Default: return.
        pattern: Which of the hosts in `from` sends to which in `to`: in order ("pairs"), each to each
            ("all_pairs"), all to one at the same time ("incast"), or each to one that is drawn
            ("permutation"). Default: pairs.
        server_port: The port of `to`; further flows between the same two addresses take the next ones.
            Default: 5001. Allowed: 1 to 65535 (ports have 16 bits).
        spoof: Forged source addresses, over UDP only. Default: none.
        start: When the flow starts. From a distribution one time is drawn for each flow and run; a list
            has a time for each flow. Default: 0 s.
        stop: When the application stops sending new data. Default: the end.
        transport: The transport protocol: "udp", "tcp" or "mptcp", or a table with its kind and
            parameters. Default: udp or tcp, as the kind needs.
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
    """A receiver without SACK repeats ACKs, so that the sender stays in fast recovery and sends as much as
    the receiver wants.

    Args:
        name: The name of the group, by which results call it; no other flow or attack may have it.
        from_: The hosts that open the flows: a name, or several as in "src[*]".
        to: The hosts at the other end: as many as in `from`, or one on either side. Other values of
            `pattern` pair hosts in other ways.
        times: How often an ACK is repeated at once. The sender then has about so many segments in
            flight; what the path and its queue cannot hold is lost. Source: own choice. Allowed: 1 to
            1000 (each repetition is an ACK, which takes computing time). Default: 60.
        direction: In which direction data flows: `down` from the server to the client, or `up` from the
            client to the server. The client (`from`) opens the connections. The end that receives the
            data is the one that misbehaves. Source: Savage et al. 1999: a client that downloads.
            Default: down.
        client_port: The port of `from` in the first connection; each later connection takes the next
            one. Default: 49152. Allowed: 1 to 65534 (ports have 16 bits).
        dscp: The DiffServ codepoint of its packets, in both directions: 0 to 63, or a name such as
            "EF". Some disciplines sort packets by it. Default: CS0.
        enabled: Whether the attack takes place. With `false` the run is the same without it: all other
            flows keep their random numbers. Default: true.
        feedback: Whether receivers send the feedback of routers back to senders (`netfence` only). With
            "withhold" senders get none and can only send requests. Default: return.
        pattern: Which of the hosts in `from` sends to which in `to`: in order ("pairs"), each to each
            ("all_pairs"), all to one at the same time ("incast"), or each to one that is drawn
            ("permutation"). Default: pairs.
        server_port: The port of `to`; further flows between the same two addresses take the next ones.
            Default: 5001. Allowed: 1 to 65535 (ports have 16 bits).
        spoof: Forged source addresses, over UDP only. Default: none.
        start: When the flow starts. From a distribution one time is drawn for each flow and run; a list
            has a time for each flow. Default: 0 s.
        stop: When the application stops sending new data. Default: the end.
        transport: The transport protocol: "udp", "tcp" or "mptcp", or a table with its kind and
            parameters. Default: udp or tcp, as the kind needs.
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
    """A TCP sender whose window never shrinks, neither for losses nor for marks nor for timeouts.

    Args:
        name: The name of the group, by which results call it; no other flow or attack may have it.
        from_: The hosts that open the flows: a name, or several as in "src[*]".
        to: The hosts at the other end: as many as in `from`, or one on either side. Other values of
            `pattern` pair hosts in other ways.
        window: The window, in packets, from the beginning to the end; it never shrinks. If it is more
            than the bottleneck carries in a round trip, the bottleneck's queue stays full. Allowed: 1
            to 1000000 (so many packets are sent at once).
        direction: In which direction data flows: `up` from the client to the server, or `down` from the
            server to the client. The client (`from`) opens the connections. The end that sends the data
            is the one that misbehaves. Source: own choice. Default: up.
        client_port: The port of `from` in the first connection; each later connection takes the next
            one. Default: 49152. Allowed: 1 to 65534 (ports have 16 bits).
        dscp: The DiffServ codepoint of its packets, in both directions: 0 to 63, or a name such as
            "EF". Some disciplines sort packets by it. Default: CS0.
        enabled: Whether the attack takes place. With `false` the run is the same without it: all other
            flows keep their random numbers. Default: true.
        feedback: Whether receivers send the feedback of routers back to senders (`netfence` only). With
            "withhold" senders get none and can only send requests. Default: return.
        pattern: Which of the hosts in `from` sends to which in `to`: in order ("pairs"), each to each
            ("all_pairs"), all to one at the same time ("incast"), or each to one that is drawn
            ("permutation"). Default: pairs.
        server_port: The port of `to`; further flows between the same two addresses take the next ones.
            Default: 5001. Allowed: 1 to 65535 (ports have 16 bits).
        spoof: Forged source addresses, over UDP only. Default: none.
        start: When the flow starts. From a distribution one time is drawn for each flow and run; a list
            has a time for each flow. Default: 0 s.
        stop: When the application stops sending new data. Default: the end.
        transport: The transport protocol: "udp", "tcp" or "mptcp", or a table with its kind and
            parameters. Default: udp or tcp, as the kind needs.
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
    """Many TCP connections between two hosts, each of which sends as much as it can.

    Args:
        name: The name of the group, by which results call it; no other flow or attack may have it.
        from_: The hosts that open the flows: a name, or several as in "src[*]".
        to: The hosts at the other end: as many as in `from`, or one on either side. Other values of
            `pattern` pair hosts in other ways.
        connections: How many connections there are between each two hosts. Each is a flow, so where
            flows share a link equally, more of them get a larger share. Allowed: 1 to 4294967295 (with
            0 nothing would happen).
        direction: In which direction data flows: `up` from the client to the server, or `down` from the
            server to the client. The client (`from`) opens the connections. Source: own choice.
            Default: up.
        client_port: The port of `from` in the first connection; each later connection takes the next
            one. Default: 49152. Allowed: 1 to 65534 (ports have 16 bits).
        dscp: The DiffServ codepoint of its packets, in both directions: 0 to 63, or a name such as
            "EF". Some disciplines sort packets by it. Default: CS0.
        enabled: Whether the attack takes place. With `false` the run is the same without it: all other
            flows keep their random numbers. Default: true.
        feedback: Whether receivers send the feedback of routers back to senders (`netfence` only). With
            "withhold" senders get none and can only send requests. Default: return.
        pattern: Which of the hosts in `from` sends to which in `to`: in order ("pairs"), each to each
            ("all_pairs"), all to one at the same time ("incast"), or each to one that is drawn
            ("permutation"). Default: pairs.
        server_port: The port of `to`; further flows between the same two addresses take the next ones.
            Default: 5001. Allowed: 1 to 65535 (ports have 16 bits).
        spoof: Forged source addresses, over UDP only. Default: none.
        start: When the flow starts. From a distribution one time is drawn for each flow and run; a list
            has a time for each flow. Default: 0 s.
        stop: When the application stops sending new data. Default: the end.
        transport: The transport protocol: "udp", "tcp" or "mptcp", or a table with its kind and
            parameters. Default: udp or tcp, as the kind needs.
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

"""Tables of a scenario. Written by `make classes`, from the schema."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING, ClassVar, Literal

from tailrace.scenario.checked_root import Root
from tailrace.scenario.objects import Table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tailrace.build import types


@dataclass(eq=False, repr=False, slots=True)
class Record(Table):
    """Series and tables that are recorded in addition to the totals.

    Args:
        events: Whether single drops, marks, timeouts, flags and faults are kept as rows of the table
            `events`. Default: false.
        interval: How often flows and queues are sampled for series over time; "off" records none.
            Default: a 500th of the duration, at least 1 ms. Allowed: 1 us to 87600 h (each sample is a
            row in the results).
        max_connections: Number of connections that get a row in the table `connections`; further ones
            have none. Default: 10000.
        max_events: Number of events that are kept; further ones are only counted. Default: 1000000.
        max_series_flows: For how many flows of each group series over time are kept: the first so many.
            Default: 64.
    """

    _: KW_ONLY
    events: bool | None = None
    interval: types.Duration | Literal["off"] | None = None
    max_connections: int | None = None
    max_events: int | None = None
    max_series_flows: int | None = None


@dataclass(eq=False, repr=False, slots=True)
class Host(Table):
    """A host, which sends and receives, or several alike.

    Args:
        name: The name; no other host or router may have it.
        address: The IPv4 address; or a list with one for each of its links, in the order of the file.
            With `count`, each host takes the next address. Default: counted from 10.0.0.1.
        backpressure: Whether packets that wait at the host's interfaces still count as its kernel's, as
            with a real network card. Its sockets then hold back further packets. Default: false.
        count: Makes so many of them, called name[0], name[1] and so on.
        endpoints: The endpoints of the path manager in the host's kernel, by the numbers of the host's
            links: "2 subflow, 3 subflow backup, 4 signal". Default: none.
        kernel: The Linux kernel that this host runs: a name from `tailrace kernel list`, a path, or
            `none`. Default: none, it is simulated.
        limits: Limits of the path manager for Multipath TCP in the host's kernel. Default: its
            kernel's.
        memory: Memory of the kernel. Default: 128 MiB.
        namespace: Hosts with the same word here share one kernel; each is a network namespace of it.
            This saves memory and time. Default: none, the kernel is its own.
        run: Programs that run on this host.
        sysctl: Settings of the kernel, by their names in sysctl(8), such as
            "net.ipv4.tcp_congestion_control".
    """

    name: types.Name
    _: KW_ONLY
    address: str | list[str] | tuple[str, ...] | None = None
    backpressure: bool | None = None
    count: int | None = None
    endpoints: str | None = None
    kernel: str | None = None
    limits: Mapping[str, object] | None = None
    memory: types.Size | None = None
    namespace: str | None = None
    run: list[Mapping[str, object]] | tuple[Mapping[str, object], ...] | None = None
    sysctl: Mapping[str, object] | None = None


@dataclass(eq=False, repr=False, slots=True)
class Router(Table):
    """A router, which forwards packets, or several alike.

    Args:
        name: The name; no other host or router may have it.
        count: Makes so many of them, called name[0], name[1] and so on.
        role: The `role` of queues on links that leave this router, such as "edge". It holds for
            disciplines that know this role, unless the queue states one itself.
    """

    name: types.Name
    _: KW_ONLY
    count: int | None = None
    role: Literal["edge", "core", "both", "access", "bottleneck"] | None = None


@dataclass(eq=False, repr=False, slots=True)
class Link(Table):
    """A link that carries packets in both directions at once. If `between` names several hosts, one link
    is made for each.

    Args:
        between: The two ends: names of hosts or routers. ["src[*]", "g1"] makes one link to g1 for each
            host called src.
        rate: How much the link carries per second in each direction. Instead of a rate, also a file
            with the times at which it can deliver ("trace(FILE)"), or a model of an access network: {
            kind = "lte", ... }. Allowed: 1 bit/s to 10000 Gbit/s (a packet would take no time).
        delay: Propagation delay, one way. A distribution gives one value for each link and run.
        jitter: Extra delay on the way, drawn for each packet by itself. Default: none.
        loss: Random loss of packets after they were sent: a probability, or a loss model with its keys.
            Default: 0.
        medium: The name of the [[medium]] (such as a Wi-Fi channel) that both directions share with
            other links. `rate` is then the rate at which frames are sent on it. Default: none.
        mtu: The size of the largest IP packet that the link carries. Larger ones are dropped and
            counted. Default: 1500 B. Allowed: 68 B to 65536 B (every link carries 68 bytes, and no IP
            packet has more than 65535).
        name: The name of the link; no other link may have it. Default: its ends, joined by -.
        overhead: Bytes that each packet takes on the link in addition to its IP size, such as an
            Ethernet header. Default: 0 B; with a trace 4 B.
        queue: The queue discipline in front of the link, for each direction: which packets wait, in
            which order they are sent, and which are dropped or marked. Default: droptail of 1000
            packets.
        queue_limit: The most that may wait in the queue of each direction, whatever its discipline. If
            the queue states a `limit` of its own, that one holds. Default: each discipline's own.
        reorder: Whether packets may overtake each other because of `jitter`. If false, they stay in
            order. Default: false.
        reverse: Differences of the direction from the second end to the first, such as a slower rate.
        rewrite: Share of the packets with payload whose payload a middlebox at the far end changes. It
            corrects TCP's checksum, so that only Multipath TCP's own checksum can notice. Default: 0.
        strip: TCP options that a middlebox at the far end removes from packets: those of Multipath TCP
            from every segment ("mptcp"), from SYNs only ("mptcp_syn"), or from all others
            ("mptcp_data"). Default: none.
    """

    _forms: ClassVar[Mapping[str, str]] = {
        "rate": "rate",
        "loss": "loss",
        "queue": "queue",
        "reverse": "tables.Reverse",
    }

    between: list[types.Selector] | tuple[types.Selector, ...]
    rate: types.LinkRate
    delay: types.Distribution
    _: KW_ONLY
    jitter: types.Distribution | None = None
    loss: types.Loss | None = None
    medium: types.Name | None = None
    mtu: types.Size | None = None
    name: types.Name | None = None
    overhead: types.Size | None = None
    queue: types.Queue | None = None
    queue_limit: types.Limit | None = None
    reorder: bool | None = None
    reverse: types.Reverse | None = None
    rewrite: types.Probability | None = None
    strip: Literal["none", "mptcp", "mptcp_syn", "mptcp_data"] | None = None


@dataclass(eq=False, repr=False, slots=True)
class Flow(Table):
    """A group of flows. A flow is traffic of an application from one host to another; if `from` and `to`
    name several hosts, there is a flow for each pair.

    Args:
        name: The name of the group, by which results call it; no other flow or attack may have it.
        from_: The hosts that open the flows: a name, or several as in "src[*]".
        to: The hosts at the other end: as many as in `from`, or one on either side. Other values of
            `pattern` pair hosts in other ways.
        transport: The transport protocol: "udp", "tcp" or "mptcp", or a table with its kind and
            parameters.
        app: The application that drives the flow: what is sent and when, such as "bulk", "web" or
            "cbr"; or a table with its kind and keys.
        client_port: The port of `from` in the first connection; each later connection takes the next
            one. Default: 49152. Allowed: 1 to 65534 (ports have 16 bits).
        dscp: The DiffServ codepoint of its packets, in both directions: 0 to 63, or a name such as
            "EF". Some disciplines sort packets by it. Default: CS0.
        enabled: Whether these flows exist. With `false` the run is the same without them: all others
            keep their random numbers. Default: true.
        feedback: Whether receivers send the feedback of routers back to senders (`netfence` only). With
            "withhold" senders get none and can only send requests. Default: return.
        pattern: Which of the hosts in `from` sends to which in `to`: in order ("pairs"), each to each
            ("all_pairs"), all to one at the same time ("incast"), or each to one that is drawn
            ("permutation"). Default: pairs.
        role: Whether the flow is legitimate ("normal") or an attack. Results use this to say how well a
            queue discipline recognises attacks; it changes nothing in the run. Default: normal.
        server_port: The port of `to`; further flows between the same two addresses take the next ones.
            Default: 5001. Allowed: 1 to 65535 (ports have 16 bits).
        start: When the flow starts. From a distribution one time is drawn for each flow and run; a list
            has a time for each flow. Default: 0 s.
        stop: When the application stops sending new data. Default: the end.
    """

    _keys: ClassVar[Mapping[str, str]] = {"from_": "from"}
    _forms: ClassVar[Mapping[str, str]] = {"transport": "transport", "app": "app"}

    name: types.Name
    from_: types.Selector
    to: types.Selector
    transport: types.Transport
    app: types.App
    _: KW_ONLY
    client_port: int | None = None
    dscp: types.Dscp | None = None
    enabled: bool | None = None
    feedback: Literal["return", "withhold"] | None = None
    pattern: Literal["pairs", "all_pairs", "incast", "permutation"] | None = None
    role: Literal["normal", "attack"] | None = None
    server_port: int | None = None
    start: types.Distribution | list[types.Duration] | tuple[types.Duration, ...] | None = None
    stop: types.Duration | None = None


@dataclass(eq=False, repr=False, slots=True)
class Window(Table):
    """A part of the run with statistics of its own, in addition to those of the whole run.

    Args:
        name: The name of the window in the results.
        end: When it ends. Default: the start of the next window, or the end of the run.
        start: When it begins. Default: the end of the window before, or of the warm-up.
    """

    name: types.Name
    _: KW_ONLY
    end: types.Duration | None = None
    start: types.Duration | None = None


@dataclass(eq=False, repr=False, slots=True)
class Capture(Table):
    """A packet capture: a pcapng file with the packets at one place, for Wireshark.

    Args:
        at: Where packets are captured: the name of a link or of a host.
        name: A name, so that paths such as `capture.NAME.snaplen` can refer to it; no other capture may
            have it. Default: none.
        snaplen: Bytes of each packet that are kept, from its start. Default: 128 B.
    """

    at: types.Selector
    _: KW_ONLY
    name: types.Name | None = None
    snaplen: types.Size | None = None


@dataclass(eq=False, repr=False, slots=True)
class Figure(Table):
    """A figure that is drawn with the results.

    Args:
        against: The varied parameter along the horizontal axis. Default: chosen.
        by: The varied parameter that has a line for each of its values. Default: chosen.
        formula: A dashed line to compare with, such as "model = min(1, x / 2)". Default: none.
        kind: What is drawn: "line", "bars", "box", "cdf" or "map". Default: by the values.
        log: Which axes are logarithmic: "x", "y", "x,y" or "none". Default: by the values.
        metric: For `sweep`: the metric to draw, such as "tcp.goodput". Names are those of
            `tailrace plot --metric`. Default: none.
        of: What each value is of: "runs", or single "flows" or "connections". Default: runs.
        series: For `run` and `compare`: a figure over time, such as "cwnd". Names are those of
            `tailrace plot --figures`. Default: none.
        where: Only these combinations of values are drawn: `parameter=value`, or a formula. Default:
            all cells.
    """

    _: KW_ONLY
    against: str | None = None
    by: str | None = None
    formula: str | None = None
    kind: str | None = None
    log: str | None = None
    metric: str | None = None
    of: str | None = None
    series: str | None = None
    where: str | None = None


@dataclass(eq=False, repr=False, slots=True)
class Reverse(Table):
    """Differences of the direction from a link's second end to its first.

    Args:
        delay: Propagation delay, one way. Default: as forward.
        jitter: Extra delay on the way, drawn for each packet by itself. Default: as forward.
        loss: Random loss of packets after they were sent: a probability, or a loss model with its keys.
            Default: as forward.
        queue: Queue discipline. Default: as forward.
        rate: Rate of this direction: a plain one, a trace, or a model of an access network. Default: as
            forward. Allowed: 1 bit/s to 10000 Gbit/s (a packet would take no time).
        rewrite: The share of packets whose payload a middlebox changes. Default: as forward.
        strip: TCP options that a middlebox removes. Default: as forward.
    """

    _forms: ClassVar[Mapping[str, str]] = {"loss": "loss", "queue": "queue", "rate": "rate"}

    _: KW_ONLY
    delay: types.Distribution | None = None
    jitter: types.Distribution | None = None
    loss: types.Loss | None = None
    queue: types.Queue | None = None
    rate: types.LinkRate | None = None
    rewrite: types.Probability | None = None
    strip: Literal["none", "mptcp", "mptcp_syn", "mptcp_data"] | None = None


@dataclass(eq=False, repr=False, slots=True)
class Routing(Table):
    """Forwarding of packets by routers. They know the shortest paths, those with the fewest links.

    Args:
        convergence: Time that routers take to change their routes after a link has gone down or come
            up. Until then they send packets into links that are down. Hosts notice their own links at
            once. Default: 0 s.
        equal_paths: If several paths are equally short, which one packets take: always the first in the
            order of the file, or one chosen by a hash of the packet's flow, so that flows spread over
            all of them (ECMP). Default: "first".
    """

    _: KW_ONLY
    convergence: types.Duration | None = None
    equal_paths: Literal["first", "five_tuple", "src_dst"] | None = None


@dataclass(eq=False, repr=False, slots=True)
class Spoof(Table):
    """Forged source addresses. Queues and captures see them, and no answer reaches anybody.

    Args:
        per: When a new address is drawn: with each packet, or with each pulse. Default: packet.
        pool: From how many addresses each flow draws. They start at 240.0.0.0, where there are no
            hosts. Default: 65536. Allowed: 1 to 65536 (with more, it takes too long to find out which
            flows a queue has flagged).
    """

    _: KW_ONLY
    per: Literal["packet", "pulse"] | None = None
    pool: int | None = None


@dataclass(eq=False, repr=False, slots=True)
class TcpBehaviour(Table):
    """Behaviour in which implementations of TCP differ. A profile sets all of it.

    Args:
        abc_limit: L: by how many MSS slow start grows at most for each ACK; after a timeout it is 1.
            Source: RFC 5681 §3.1.
        ack_compression: For how long ACKs are put together while a segment is missing, from the fourth
            on, but for a twentieth of the round-trip time at most. The sender then learns of several
            SACKed segments at a time. With zero, each is acknowledged at once. Needs SACK. Source: RFC
            5681 §4.2: at once; Linux tcp_comp_sack_delay_ns is 1 ms. Allowed: 0 s to 1 h (senders wait
            for it).
        ack_delay: Whether the delay of ACKs adapts to the time between segments. Source: RFC 1122
            §4.2.3.2.
        clock_granularity: G, the granularity of the clock: at least so much is added to the smoothed
            round-trip time to give the timeout. Source: RFC 6298 §2. Allowed: 0 s to 1 h (timeouts add
            it).
        cwnd_validation: Whether cwnd grows only while it is what limits the sender. Source: RFC 2861,
            RFC 9002 §7.8.
        delayed_ack_timeout: Longest delay of an ACK. If it is longer than the sender's RTO, it causes
            timeouts without a loss. Source: RFC 1122 §4.2.3.2: at most 500 ms. Allowed: 0 s to 1 h
            (senders wait for it).
        door: Whether packets out of order suspend congestion control and undo what it did just before
            (TCP-DOOR). This is for mobile ad-hoc networks, where reordering means a changed route. It
            is noticed from ACKs that fall back and from SACK, without options of its own. Source: Wang
            and Zhang 2002, TCP-DOOR.
        door_disable: T1, for how many smoothed round-trip times `door` suspends congestion control.
            Source: a reading: Wang and Zhang 2002 give the order of a round trip. Allowed: 0.0 to
            1000000.0 (it is a number of round trips, not negative).
        door_revert: T2, how many smoothed round-trip times old a reduction may be for `door` to undo
            it. Source: a reading: Wang and Zhang 2002 give the order of a round trip. Allowed: 0.0 to
            1000000.0 (it is a number of round trips, not negative).
        dsack_undo: Whether a recovery is undone once D-SACK has reported each of its retransmissions as
            a duplicate. Source: RFC 3708 §3.
        dup_limit: Largest number of segments that duplicate ACKs let out in a fast recovery without
            SACK. `"flight"` denies receivers that repeat ACKs (`misbehaviour`) their gain, but also
            takes part of the window from honest ones if a recovery takes several round trips. Source:
            RFC 5681 §3.2: may be limited; Linux and ns-3 count so.
        ecn_echo: Signal by which a receiver tells the sender of ECN marks. A sender that expects
            another signal misjudges the number of marks. Source: as the congestion control asks.
        ecn_fallback: Whether a SYN that is sent again no longer asks for ECN, so that a network that
            drops SYNs with ECN does not block connections. Source: RFC 3168 §6.1.1.1: a host may; Linux
            tcp_ecn_fallback.
        ecn_least: The smallest window to which ECN marks can reduce a sender. With two segments, marks
            cannot slow down many flows with small windows. Source: RFC 3168 §6.1.2; ns-2 TcpAgent::ecn.
        eifel: Whether a recovery is undone if its first ACK carries a timestamp from before the
            retransmission. Needs timestamps. Source: RFC 3522.
        fills_short_packets: With `tso`: whether a packet that ends early, as it ends what was written
            into it, takes what it lacks from the next one. If not, a packet may have fewer segments
            than the window has room for. Source: Linux 6.12 tcp_grow_skb; 6.1: off.
        frto: Whether a timeout is first tested: new data is sent before anything is repaired, and if
            data that was not sent again is then acknowledged, nothing was lost and the timeout is
            undone. Source: RFC 5682.
        halve_base: Quantity that is halved when a loss is found. Source: RFC 5681 equation 4.
        handshake: Handshake that opens a connection. Source: RFC 9293 §3.5.
        handshake_ack: Whether the ACK that ends the handshake is sent by itself even if data is
            waiting. Source: RFC 9293 §3.5: it may carry data; Linux tcp_rcv_synsent_state_process.
        heeds_local_drops: Whether packets that this host's own interface drops because it is down count
            as congestion. The window is then lowered as for a mark, and no timeout is undone in a way
            that restores it. Source: Linux: a packet that a queue drops, tcp_enter_cwr.
        idle_restart: Change of cwnd after an idle period longer than the RTO. Source: RFC 5681 §4.1.
        impatient: Whether the retransmission timer is restarted only at the first partial ACK
            (impatient), or, if false, at each. Source: RFC 6582 §4.
        increase: Unit in which the growth of the window is counted. Source: RFC 3465.
        jiffy: The tick of the clock that timers use. They expire with a tick, up to an eighth of the
            wait late; those for loss probes and reordering two ticks later. Zero is exact. Source:
            exact; Linux kernel/time/timer.c, with CONFIG_HZ=1000. Allowed: 0 s to 100 ms (timers would
            be seconds late).
        lasting_limit: Whether a window that was full at some time in a round trip counts as full for
            all of it, and slow start may go on to twice what was in flight. If false, a sender with
            little data hardly grows. Works only with one of `rack`, `tlp`, `prr`. Source: RFC 2861
            §3.1: when full; Linux tcp_cwnd_validate, tcp_is_cwnd_limited.
        limited_after_rto: Whether duplicate ACKs also let out segments while a timeout is repaired
            without SACK: the next segment, even if it was sent before. Many of these are needless.
            Source: RFC 3042: new data only; ns-2 NewRenoTcpAgent::recv, send_one.
        max_burst: Largest number of new segments that one ACK lets out; 0 is no limit. Source: off.
        max_dup_thresh: Up to how many segments observed reordering may raise `dup_thresh`; 0 leaves it
            as it is. If it is large, losses in small windows must wait for the timeout. Source: off;
            Linux tcp_max_reordering is 300.
        packet_overhead: Memory of a packet in a receive buffer that grows, beyond the payload of a full
            packet; a short one takes as much. If it is large, windows are smaller while packets wait.
            Source: Linux with wireless: tcp_stream_alloc_skb with MAX_TCP_HEADER, on 64 bits; linux:
            728 B, as it was measured.
        paws: Segments that are refused because their timestamp is older than one that has arrived. If
            ACKs are reordered, the overtaken ones are refused, and the news in them is lost. Source:
            RFC 7323 §5.3.
        persist_timeout: The time to the first probe of a closed receive window. `"auto"` is the RTO.
            Source: RFC 9293 §3.8.6.1. Allowed: 1 ms to 1000 h (each probe takes computing time).
        pipe: Estimate of the data in the network by a sender with SACK. ns-2's sends less if several
            segments of a small window are lost at once. With `rack` it is always RFC 6675's. Source:
            RFC 6675 §4; ns-2 Sack1TcpAgent::recv.
        prr: Amount that each ACK of a fast recovery lets out (proportional rate reduction), and its
            bound once less than ssthresh is in flight (RFC 6937 §3). Source: RFC 6937.
        push_acks: Whether segments with PSH, and those below full size, are acknowledged at once if the
            application has read everything, since the sender may have no more to send. If false, a
            single segment waits for `delayed_ack_timeout` or for another segment. Source: RFC 5681
            §4.2; Linux tcp_measure_rcv_mss, tcp_cleanup_rbuf.
        quick_acks: Number of segments at the start, and again after a duplicate, that are acknowledged
            at once, whatever `delayed_ack` says. Source: RFC 5681.
        quick_ecn: Whether further segments are acknowledged at once, because the sender's window may be
            very small: the first mark after a CWR, a CWR itself, and packets that cannot be marked
            though others can. Source: RFC 3168; Linux tcp_ecn_check_ce, tcp_ecn_accept_cwr.
        recovery_exit: The window at the end of a recovery without SACK. Source: RFC 6582 §3.2.
        repair_holes: Whether fast recovery repairs every hole below the highest SACK before new data is
            sent, even if too little above it was SACKed to call it lost. Reordered packets then cause
            needless retransmissions. Source: RFC 6675 §4: IsLost first; ns-2 tcp-sack1.cc repairs all.
        repeated_rto_ssthresh: Whether a second timeout of the same segment lowers ssthresh again.
            Source: RFC 5681 §3.1.
        rto_after_mark: Whether a timeout lowers ssthresh if the last reduction was for an ECN mark.
            Source: RFC 5681 §3.1; ns-2 TcpAgent::timeout.
        rto_floor: Quantity that `min_rto` limits. Source: RFC 6298 §2.4.
        rto_restart: Whether the retransmission timer also restarts when the oldest segment is sent
            again, and at a SACK of data that was sent before that. If false, it may expire while a lost
            retransmission is being repaired. Source: RFC 6298 §5.3: at ACKs of new data; Linux
            tcp_xmit_retransmit_queue, tcp_clean_rtx_queue.
        rto_window: The window at the beginning of the repair after a timeout. Source: RFC 5681 §3.1.
        rtt_sampling: Segments that give samples of the round-trip time. Source: RFC 6298 §3.
        rtt_tick: Round-trip times and timeouts are counted in ticks of this length. Zero means exact
            nanoseconds. Source: exact. Allowed: 0 s to 1 h (timeouts are multiples of it).
        rtt_variance: Estimate of the variance of round-trip times in the timeout. With `peak`, queues
            that build up cause fewer timeouts. Source: RFC 6298 §2.
        sack_after_rto: Whether a timeout keeps what was SACKed, and SACKs count while it is repaired.
            If false, everything from the oldest segment on is sent again. Source: RFC 6675 §5.1; ns-2
            clears its scoreboard.
        sack_reports: Choice of the ranges that a receiver reports by SACK if there are many. Source:
            RFC 2018 §4.
        sack_rescue: Whether in fast recovery, with nothing new to send, data is sent again that may be
            lost: rules 3 and 4 of NextSeg. Source: RFC 6675 §4.
        segment_memory: The memory for each segment of the congestion window, of which a tuned send
            buffer has twice as much. Source: Linux tcp_sndbuf_expand: 1460 B and 640 B for headers and
            bookkeeping, rounded up to 4096, and 256; in kernels without wireless, as in User-Mode
            Linux, 2304 B. Allowed: 1 B to 1 MB (buffers are multiples of it).
        send_overhead: Memory of a packet in a send buffer that grows, beyond its payload. If it is
            large, less data waits there. Source: Linux with wireless: tcp_stream_alloc_skb with
            MAX_TCP_HEADER, on 64 bits; without, as traces say: 6.12 832 B, 6.1 768 B.
        spared_syns: Number of retransmissions of a SYN or SYN-ACK that leave the initial window as it
            is. After more, it is one packet. Source: RFC 5681 §3.1; Linux tcp_init_transfer: once.
        tcp_window_share: The share of such a receive buffer that is advertised, once a full segment has
            arrived: its payload over the memory that it takes. `"auto"` is half, whatever arrives.
            Source: Linux 6.1 tcp_adv_win_scale; 6.12: 170/256, scaling_ratio as it was measured.
            Allowed: 0.01 to 1.0 (it is a share of a whole).
        time_wait: For how long a closed connection stays in the state TIME-WAIT. Source: Linux
            TCP_TIMEWAIT_LEN. Allowed: 0 s to 1000 h (closed sockets are kept for so long).
        tso: Whether data is sent in packets of several segments (as many as take a millisecond, at
            least two), which are divided below TCP. If the window has room for fewer, they wait for the
            next ACK if that is expected soon. Such bursts make queues longer. Paced data is sent
            segment by segment, and so is that of Multipath TCP unless its scheduler fills queues.
            Source: off: each segment by itself; Linux tcp_tso_autosize, tcp_tso_should_defer.
        undo_response: Effect of undoing a reduction. Source: Linux; RFC 4015 for eifel.
        window_unit: The unit in which windows are counted. Source: RFC 5681.
    """

    _: KW_ONLY
    abc_limit: int | None = None
    ack_compression: types.Duration | None = None
    ack_delay: Literal["fixed", "adaptive"] | None = None
    clock_granularity: types.Duration | None = None
    cwnd_validation: bool | None = None
    delayed_ack_timeout: types.Duration | None = None
    door: bool | None = None
    door_disable: float | None = None
    door_revert: float | None = None
    dsack_undo: bool | None = None
    dup_limit: Literal["outstanding", "flight"] | None = None
    ecn_echo: Literal["auto", "classic", "dctcp", "accurate"] | None = None
    ecn_fallback: bool | None = None
    ecn_least: Literal["two", "one_then_wait"] | None = None
    eifel: bool | None = None
    fills_short_packets: bool | None = None
    frto: bool | None = None
    halve_base: Literal["window", "flight"] | None = None
    handshake: Literal["three_way", "ns2_syn"] | None = None
    handshake_ack: bool | None = None
    heeds_local_drops: bool | None = None
    idle_restart: Literal["off", "restart", "decay"] | None = None
    impatient: bool | None = None
    increase: Literal["bytes", "acks", "delivered"] | None = None
    jiffy: types.Duration | None = None
    lasting_limit: bool | None = None
    limited_after_rto: bool | None = None
    max_burst: int | None = None
    max_dup_thresh: int | None = None
    packet_overhead: types.Size | None = None
    paws: Literal["all", "lets_acks_pass"] | None = None
    persist_timeout: types.Duration | Literal["auto"] | None = None
    pipe: Literal["rfc6675", "ns2"] | None = None
    prr: Literal["off", "crb", "ssrb", "linux"] | None = None
    push_acks: bool | None = None
    quick_acks: int | None = None
    quick_ecn: bool | None = None
    recovery_exit: Literal["flight", "ssthresh"] | None = None
    repair_holes: bool | None = None
    repeated_rto_ssthresh: Literal["again", "once", "window"] | None = None
    rto_after_mark: Literal["lower", "keep"] | None = None
    rto_floor: Literal["rto", "variance"] | None = None
    rto_restart: bool | None = None
    rto_window: Literal["one", "flight_and_one"] | None = None
    rtt_sampling: Literal["every_ack", "ack_or_sack", "one_per_rtt"] | None = None
    rtt_tick: types.Duration | None = None
    rtt_variance: Literal["mean", "peak"] | None = None
    sack_after_rto: bool | None = None
    sack_reports: Literal["ranges", "remembered"] | None = None
    sack_rescue: bool | None = None
    segment_memory: types.Size | None = None
    send_overhead: types.Size | None = None
    spared_syns: int | None = None
    tcp_window_share: float | Literal["auto"] | None = None
    time_wait: types.Duration | None = None
    tso: bool | None = None
    undo_response: Literal["restore", "eifel"] | None = None
    window_unit: Literal["bytes", "packets", "ns2"] | None = None


@dataclass(eq=False, repr=False, slots=True)
class MptcpBehaviour(TcpBehaviour):
    """Behaviour in which implementations of Multipath TCP differ, and of the TCP of their subflows. A
    profile sets all of it.

    Args:
        acks_after_reading: With `counts_memory`: whether an ACK of data that the application can read
            leaves only once it has, if nothing hurries that ACK and the window before reading is
            smaller than the last one. Source: Linux 6.1: sk_rcvlowat of a subflow is 1; linux_6_12: 0,
            mptcp_sockopt_sync_locked, __tcp_ack_snd_check.
        add_addr_echo: Whether a received ADD_ADDR is echoed. Source: RFC 8684 §3.4.1; not in RFC 6824,
            which mptcp_0_94 speaks.
        add_addr_retries: Number of repetitions of an ADD_ADDR that is not echoed. `"auto"` repeats it
            until it is echoed. Source: RFC 8684 §3.4.1; Linux ADD_ADDR_RETRANS_MAX: 3; mptcp_0_94: 0.
        add_addr_timeout: The longest wait. Source: Linux add_addr_timeout. Allowed: 1 ms to 1000 h
            (each repetition takes computing time).
        add_addr_wait: Time for which that echo is waited for. A short wait repeats an ADD_ADDR that is
            only delayed in a queue. Source: RFC 8684 §3.4.1 leaves it open; Linux 6.1 and 6.12:
            timeout, mptcp_pm_add_timer.
        answer_wide_dsn: Whether data-level acknowledgments take 8 bytes once the other end's data
            sequence numbers do. Source: RFC 8684 §3.3.1; Linux use_64bit_ack.
        avoid_failed: Whether a subflow whose timer has expired gets no new data until something arrives
            on it. Source: multipath-tcp/mptcp (pf).
        capable_syns: Number of SYNs that ask for Multipath TCP (MP_CAPABLE) before the connection falls
            back to plain TCP. Source: Linux syn_retrans_before_tcp_fallback: 2 retransmissions;
            mptcp_0_94: mptcp_syn_retries 3. Allowed: 1 to 1000 (at least one SYN asks for Multipath
            TCP; with none, use transport kind = "tcp").
        close_timeout: For how long a connection that has lost all its subflows waits for a new one.
            Source: Linux close_timeout. Allowed: 0 s to 1000 h (closed sockets are kept for so long).
        closes_in_order: Whether the subflows of an address that is gone are closed in order, and those
            on which the other end sends a FIN: each still sends what it holds, then its own FIN, and
            takes up capacity with that if the address returns, though others have sent the same data by
            then. If false, they are reset. Source: RFC 8684 §3.4.2 leaves it open; Linux
            __mptcp_close_ssk.
        counts_memory: Whether buffers are counted as memory, as in a kernel, instead of bytes of data.
            What waits at the receiver then reduces the window by the memory of its packets. A buffer
            that you set is doubled and half of it advertised; one that you do not set grows with what
            goes through it. The send buffer counts memory only if the scheduler fills queues. Source:
            bytes; Linux __mptcp_space, mptcp_rcv_space_adjust, mptcp_propagate_sndbuf.
        data_rtx_bytes: With `data_timer = "subflows"`: how long the fragments are in which the send
            queue keeps the stream. When the timer expires, the rest of the oldest fragment is sent
            again, in whole segments. Where queues are filled and count as memory, fragments are as the
            application has written them instead. Source: one segment; linux: a page fragment of 32 KiB
            without its head, 32728 B. Allowed: 1 B to 1 GB (so much is sent at once).
        data_timer: When data is sent again because nothing was acknowledged at the data level for too
            long, and on which subflow. Source: multipath-tcp/mptcp, mptcp_set_rto; linux:
            mptcp_set_timeout, __mptcp_retrans.
        first_window: With `counts_memory`: the largest first window that a receiver advertises; it
            grows with the segments that arrive. `"auto"` is the window of the whole buffer; if that is
            large, all waiting data goes to the first subflow. Source: Linux 6.1
            tcp_select_initial_window; linux_6_12: auto.
        hands_out: With a scheduler that fills queues: how much one of its choices is good for. Source:
            Linux 6.12 __subflow_push_pending; linux_6_1: packets, mptcp_subflow_get_send.
        join_syn_retries: Number of retransmissions of the SYN of a further subflow (MP_JOIN) before
            that subflow is given up. Source: multipath-tcp/mptcp, mptcp_syn_retries; linux:
            tcp_syn_retries 6. Allowed: 0 to 1000 (each one takes computing time).
        keeps_larger_window: Whether the window of a subflow stays as it was if an ACK that is no news
            to that subflow shows a smaller one. With the data that the same ACK acknowledges, the
            sender then goes beyond the window that its peer advertised, and the peer may discard what
            arrives there. Source: not in RFC 8684; Linux tcp_may_update_window, ack_update_msk.
        min_data_rto: The shortest timeout of the data level. Source: Linux TCP_RTO_MIN. Allowed: 100 us
            to 1000 h (each timeout takes computing time).
        new_address_ids: Whether an address that comes back after it was withdrawn gets a new id.
            Source: off; multipath-tcp/mptcp, mptcp_fullmesh.c: the next free slot.
        reinject_all: Whether all data that is not acknowledged at the data level is sent again because
            a subflow is stale or lost. If false, only the data that this subflow held. Source: Linux,
            __mptcp_retransmit_pending_data.
        reinject_on_timeout: Whether data that a subflow holds when its timer expires is also given to
            other subflows. Source: multipath-tcp/mptcp; RFC 8684 §3.3.6.
        send_buffer_of: With `counts_memory`: how large the send buffer of the connection is. Bytes
            beyond the windows of the subflows wait in the subflows' queues, and arrive out of order if
            one of them falls silent. Source: Linux 6.1 mptcp_propagate_sndbuf; linux_6_12: sum,
            __mptcp_sync_sndbuf.
        sizes_from_first_read: With `counts_memory`: whether the end that a connection comes to counts
            the round trips by which its receive buffer grows from the application's first read on,
            instead of from the connection's beginning. Source: Linux 6.12 mptcp_stamp; linux_6_1: on,
            mptcp_rcv_space_init with a tcp_mstamp of zero.
        speaker: On which usable subflow an ACK with news of addresses is sent, if no other packet can
            carry it. If several paths fail at once, REMOVE_ADDR may be lost on one of them. Source: not
            in RFC 8684; linux: first, mptcp_pm_nl_addr_send_ack.
        stale_loss_cnt: After more timeouts of the data level than this without a sign of life, a
            subflow counts as stale if another one is better off: it is not used until something arrives
            on it. 0 is never. Source: off; Linux stale_loss_cnt: 4.
        takes_after_close: With `closes_in_order`: whether data is still taken that comes on the
            connection's first subflow after its address is gone. If false, it is acknowledged there and
            thrown away; what no other subflow brings is missing until the other end has found that out.
            Source: linux_6_12: false, mptcp_data_ready.
        wide_data_ack: Whether data-level acknowledgments take 8 bytes on the wire instead of 4. Source:
            RFC 8684 §3.3.1.
        wide_dsn: Whether data sequence numbers take 8 bytes on the wire instead of 4. Source: RFC 8684
            §3.3.1.
        window_share: With `counts_memory`: which share of a receiver's memory is advertised as window.
            If it is too large, waiting packets overflow the memory. `"auto"` is half of it, and a
            buffer that grows has whole segments. Source: Linux 6.1 tcp_adv_win_scale; linux_6_12:
            167/256, scaling_ratio as it was measured. Allowed: 0.01 to 1.0 (it is a share of a whole).
    """

    _: KW_ONLY
    acks_after_reading: bool | None = None
    add_addr_echo: bool | None = None
    add_addr_retries: int | Literal["auto"] | None = None
    add_addr_timeout: types.Duration | None = None
    add_addr_wait: Literal["rto", "timeout"] | None = None
    answer_wide_dsn: bool | None = None
    avoid_failed: bool | None = None
    capable_syns: int | None = None
    close_timeout: types.Duration | None = None
    closes_in_order: bool | None = None
    counts_memory: bool | None = None
    data_rtx_bytes: types.Size | None = None
    data_timer: Literal["doubled", "subflows"] | None = None
    first_window: types.Size | Literal["auto"] | None = None
    hands_out: Literal["packets", "fragments"] | None = None
    join_syn_retries: int | None = None
    keeps_larger_window: bool | None = None
    min_data_rto: types.Duration | None = None
    new_address_ids: bool | None = None
    reinject_all: bool | None = None
    reinject_on_timeout: bool | None = None
    send_buffer_of: Literal["largest", "sum"] | None = None
    sizes_from_first_read: bool | None = None
    speaker: Literal["fastest", "first"] | None = None
    stale_loss_cnt: int | None = None
    takes_after_close: bool | None = None
    wide_data_ack: bool | None = None
    wide_dsn: bool | None = None
    window_share: float | Literal["auto"] | None = None


@dataclass(eq=False, repr=False, slots=True)
class Scenario(Root):
    """A scenario, which `tailrace.run`, `sweep` and `search` take.

    Args:
        name: A short name; the folder of results is called after it unless you choose another.
        duration: Simulated time.
        question: The question that the experiment answers, in one sentence. Default: "".
        warmup: The time at which statistics start; what happens before is not counted. Default: 0 s.
        runs: Number of repetitions, each with other random numbers, which follow from `seed`. Default:
            1. Allowed: 1 to 1000000 (each run is a simulation of its own).
        seed: The number from which all random numbers follow. The same seed gives the same results.
            Default: 1.
        sweep: Values to be varied by `tailrace sweep`: each key is the path of a value, each value a
            list. Every combination is run.
        record: Series and tables that are recorded in addition to the totals.
        hosts: A host, which sends and receives, or several alike.
        routers: A router, which forwards packets, or several alike.
        mediums: A channel that several links share, such as a Wi-Fi channel: only one of them sends at
            a time, in either direction.
        links: A link that carries packets in both directions at once. If `between` names several hosts,
            one link is made for each.
        flows: A group of flows. A flow is traffic of an application from one host to another; if `from`
            and `to` name several hosts, there is a flow for each pair.
        attacks: An attack: a group of flows with the role "attack", described by the keys of its kind.
        faults: Something that happens to links during the run: one goes down, becomes slower, or loses
            packets.
        windows: A part of the run with statistics of its own, in addition to those of the whole run.
        captures: A packet capture: a pcapng file with the packets at one place, for Wireshark.
        figures: A figure that is drawn with the results.
        allow: Codes of warnings that are not to be shown, such as "queue-stays-empty".
        queue_form: The `form` of all queues that do not state one themselves, such as "linux".
            Disciplines without forms are not affected. Default: each discipline's own.
        routing: Forwarding of packets by routers. They know the shortest paths, those with the fewest
            links.
    """

    _keys: ClassVar[Mapping[str, str]] = {
        "hosts": "host",
        "routers": "router",
        "mediums": "medium",
        "links": "link",
        "flows": "flow",
        "attacks": "attack",
        "faults": "fault",
        "windows": "window",
        "captures": "capture",
        "figures": "figure",
    }
    _forms: ClassVar[Mapping[str, str]] = {
        "record": "tables.Record",
        "hosts": "tables.Host",
        "routers": "tables.Router",
        "mediums": "medium",
        "links": "tables.Link",
        "flows": "tables.Flow",
        "attacks": "attack",
        "faults": "fault",
        "windows": "tables.Window",
        "captures": "tables.Capture",
        "figures": "tables.Figure",
        "routing": "tables.Routing",
    }

    name: str
    duration: types.Duration
    _: KW_ONLY
    question: str | None = None
    warmup: types.Duration | None = None
    runs: int | None = None
    seed: int | None = None
    sweep: Mapping[str, object] | None = None
    record: Record | None = None
    hosts: list[Host] = field(default_factory=list)
    routers: list[Router] = field(default_factory=list)
    mediums: list[types.Medium] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    flows: list[Flow] = field(default_factory=list)
    attacks: list[types.Attack] = field(default_factory=list)
    faults: list[types.Fault] = field(default_factory=list)
    windows: list[Window] = field(default_factory=list)
    captures: list[Capture] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)
    allow: (
        Sequence[
            Literal[
                "unused-role",
                "unused-limit",
                "unused-medium",
                "uncoupled-kernel",
                "ignored-key",
                "one-sided-key",
                "unusual-rate",
                "unusual-delay",
                "tiny-limit",
                "huge-limit",
                "other-form",
                "after-the-end",
                "equal-runs",
                "unused-queue",
                "queue-stays-empty",
                "small-windows",
                "few-round-trips",
                "above-mtu",
                "single-subflow",
                "phase-effect",
                "rate-tie",
                "missing-counterpart",
                "only-link-down",
            ]
        ]
        | None
    ) = None
    queue_form: str | None = None
    routing: Routing | None = None

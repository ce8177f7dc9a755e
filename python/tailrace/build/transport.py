"""A transport: a class for each kind. Written by `make classes`, from the schema."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from tailrace.objects import Table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tailrace.build import types


@dataclass(eq=False, repr=False, slots=True)
class Tcp(Table):
    """TCP. Beside these keys, any parameter of the endpoint.

    Args:
        mss: Payload bytes of a full segment; TCP options come on top. The smaller of both ends' values
            is used. Source: Ethernet MTU less 40 bytes of headers. 1 B to 65475 B (a packet of at most
            65535 B leaves 65475 B beside the headers).
        iw: Initial window in packets; `"auto"` is min(10 MSS, max(2 MSS, 14600 B)). Large ones lose
            packets at shallow queues. Source: RFC 6928 §2. 1 to 1000000 (so many packets leave at
            once).
        initial_ssthresh: Initial slow-start threshold in packets; `"auto"` is unlimited. Source: RFC
            5681 §3.1. 1 to 1000000000 (windows have such sizes).
        window: Largest window the sender uses, in packets (ns-2's `window_`), beside cwnd and the
            peer's; `"auto"` is none. Source: RFC 9293. 1 to 1000000000 (windows have such sizes).
        sack: Selective acknowledgments, used where both ends have them on. Source: RFC 2018.
        timestamps: Timestamps, used where both ends have them on: 12 bytes a segment, PAWS, samples
            from retransmissions. Source: RFC 7323.
        paws: What with an older timestamp than has come is refused. With reordering on the way back,
            ACKs that others overtake are lost with what they say. Source: RFC 7323 §5.3.
        window_scale: Window scaling; without it a receive window ends at 65535 bytes. Source: RFC 7323
            §2.
        ecn: Explicit congestion notification, used where both ends have it on. Source: RFC 3168.
        ecn_echo: How a receiver tells of congestion marks. A sender of the other kind misreads how many
            there were. Source: as the congestion control asks.
        send_buffer: How much may be unacknowledged, as what is beyond waits in the application;
            `"auto"` is unlimited. Source: unlimited, so that the network is what limits.
        receive_buffer: Receive buffer, which bounds the advertised window. Below the bandwidth-delay
            product it limits throughput. Set by itself, it is of that size, and `tcp_rmem` does
            nothing. Source: Linux tcp_rmem maximum.
        tcp_rmem: Least, initial and largest memory of a receive buffer that grows with what the
            application takes in a round trip, instead of `receive_buffer`; half of it at most is
            advertised. `"auto"` is none. Source: off; Linux tcp_rmem, tcp_rcv_space_adjust.
        tcp_window_share: Share of such a receive buffer that is advertised, from the first full segment
            on: its payload over the memory that it takes. `"auto"` is half, whatever comes. Source:
            Linux 6.1 tcp_adv_win_scale; 6.12: 170/256, scaling_ratio as it was measured. 0.01 to 1.0
            (it is a share).
        tcp_wmem: Least, initial and largest memory of a send buffer that grows with the window, unless
            `send_buffer` is set. `"auto"` is none. Source: off; Linux tcp_wmem, tcp_sndbuf_expand.
        packet_overhead: Memory that a packet takes in such a buffer beyond its payload. Large, it makes
            windows smaller while packets wait for others. Source: Linux 6.1: tcp_stream_alloc_skb with
            MAX_TCP_HEADER, on 64 bits; 6.12: 728 B, as it was measured.
        min_rto: Smallest retransmission timeout. Small ones cause spurious timeouts, large ones long
            stalls. Source: RFC 6298 §2.4. 10 us to 1000 h (each timeout is an event).
        rto_floor: What `min_rto` bounds. Source: RFC 6298 §2.4.
        initial_rto: Timeout before the first sample. Source: RFC 6298 §2.1. 10 us to 1000 h (each
            timeout is an event).
        max_rto: Largest timeout, backoff included. Source: RFC 6298 §2.5. 10 us to 1000 h (each timeout
            is an event).
        clock_granularity: Clock granularity G: the least that the variance term adds. Source: RFC 6298
            §2. 0 s to 1 h (timeouts add it).
        rtt_tick: Ticks in which round trips and timeouts are counted; zero means exact nanoseconds.
            Source: exact. 0 s to 1 h (timeouts are multiples of it).
        rtt_sampling: Which segments give round-trip samples. Source: RFC 6298 §3.
        rtt_variance: How the variance of round trips becomes the timeout's. By peaks, queues that build
            up cause fewer timeouts. Source: RFC 6298 §2.
        rto_restart: The retransmission timer restarts, too, when the oldest segment is sent again, and
            at a SACK of what was sent before that. Otherwise it may expire while a lost retransmission
            is being repaired. Source: RFC 6298 §5.3: at ACKs of new data; Linux
            tcp_xmit_retransmit_queue, tcp_clean_rtx_queue.
        delayed_ack: An ACK is sent at the latest for every so many segments; 0 or 1 acknowledges each.
            Source: RFC 5681 §4.2.
        delayed_ack_timeout: Longest delay of an ACK. Above the sender's RTO it causes spurious
            timeouts. Source: RFC 1122 §4.2.3.2: at most 500 ms. 0 s to 1 h (senders wait for it).
        ack_delay: Whether the delay follows the distance of segments. Source: RFC 1122 §4.2.3.2.
        jiffy: Tick of the clock that timers go by: they expire with one, up to an eighth of the wait
            late, and those for loss probes and reordering two ticks later. Zero is exact. Source:
            exact; Linux kernel/time/timer.c, with CONFIG_HZ=1000. 0 s to 100 ms (timers would be
            seconds late).
        handshake_ack: The ACK that ends the handshake leaves by itself, though data waits to be sent.
            Source: RFC 9293 §3.5: it may carry data; Linux tcp_rcv_synsent_state_process.
        push_acks: Acknowledges at once, too, what the peer has pushed (PSH) or what is less than a full
            segment, where the application has read everything: the peer may have no more to send. A
            lone segment that is not acknowledged waits for the delay, or for another. Source: RFC 5681
            §4.2; Linux tcp_measure_rcv_mss, tcp_cleanup_rbuf.
        ack_compression: While segments wait for one that is missing, ACKs after the third are put
            together for so long, or a twentieth of the round trip. The sender hears of several SACKed
            segments at a time then; zero tells each at once. Needs SACK. Source: RFC 5681 §4.2: at
            once; Linux tcp_comp_sack_delay_ns is 1 ms. 0 s to 1 h (senders wait for it).
        quick_acks: So many first segments, and as many after a duplicate, are acknowledged at once,
            delayed ACKs or not. Source: RFC 5681.
        quick_ecn: Acknowledges at once, too, what follows the first mark after a CWR, a CWR, and what
            cannot be marked though others can: the sender's window may be very small. Source: RFC 3168;
            Linux tcp_ecn_check_ce, tcp_ecn_accept_cwr.
        limited_transmit: New data on the first two duplicate ACKs. Source: RFC 3042.
        limited_after_rto: So, too, while a timeout is repaired without SACK: the next segment, be it
            one sent before. Many of these are needless. Source: RFC 3042: new data only; ns-2
            NewRenoTcpAgent::recv, send_one.
        sack_rescue: In fast recovery with nothing new to send, send again what may be lost: NextSeg's
            rules 3 and 4. Source: RFC 6675 §4.
        repair_holes: In fast recovery every hole below the highest SACK is repaired before new data is
            sent, whether enough is SACKed above it or not. Reordering costs retransmissions then.
            Source: RFC 6675 §4: IsLost first; ns-2 tcp-sack1.cc repairs all.
        pipe: What a sender with SACK takes to be in the network. ns-2's counting sends less where
            several segments of a small window are lost at once. With `rack` it is RFC 6675's. Source:
            RFC 6675 §4; ns-2 Sack1TcpAgent::recv.
        sack_after_rto: A timeout keeps what was SACKed, and SACKs count while it is repaired. Otherwise
            everything from the oldest segment on is sent again. Source: RFC 6675 §5.1; ns-2 clears its
            scoreboard.
        ecn_fallback: A SYN that is sent again no longer asks for ECN, so that a drop of ECN set-ups
            does not block a connection. Source: RFC 3168 §6.1.1.1: a host may; Linux tcp_ecn_fallback.
        dup_thresh: Duplicate ACKs that mean a loss. Source: RFC 5681 §3.2. 1 to 255 (a loss needs a
            sign).
        halve_base: What is halved when a loss is found. Source: RFC 5681 equation 4.
        repeated_rto_ssthresh: Whether a second timeout of the same segment lowers ssthresh again.
            Source: RFC 5681 §3.1.
        rto_window: The window with which the repair of a timeout begins. Source: RFC 5681 §3.1.
        rto_after_mark: What a timeout makes of ssthresh where the last reduction was for a congestion
            mark. Source: RFC 5681 §3.1; ns-2 TcpAgent::timeout.
        ecn_least: The least window that congestion marks leave. With two, many flows of small windows
            cannot be slowed by marks. Source: RFC 3168 §6.1.2; ns-2 TcpAgent::ecn.
        window_unit: The unit in which windows are counted. Source: RFC 5681.
        increase: What the window grows by. Source: RFC 3465.
        abc_limit: Slow start grows by at most so many MSS an ACK (L); 1 after a timeout. Source: RFC
            5681 §3.1.
        cwnd_validation: cwnd grows only while it is what limits the sender. Source: RFC 2861, RFC 9002
            §7.8.
        lasting_limit: A window that was full at some time in a round trip counts as full for all of it,
            and slow start goes on up to twice the largest flight. Otherwise a sender short of data
            hardly grows. Only with one of `rack`, `tlp`, `prr`. Source: RFC 2861 §3.1: when full; Linux
            tcp_cwnd_validate, tcp_is_cwnd_limited.
        recovery_exit: The window with which a recovery without SACK ends. Source: RFC 6582 §3.2.
        impatient: Rearm the timer on the first partial ACK only (impatient) or on each. Source: RFC
            6582 §4.
        idle_restart: What becomes of cwnd after an idle period. Source: RFC 5681 §4.1.
        data_retries: Timeouts in a row without an ACK of new data before giving up; `"auto"` is never.
            Source: RFC 1122 §4.2.3.5: R2 at least 100 s.
        syn_retries: Retransmissions of a SYN before giving up; `"auto"` is never. Source: RFC 1122
            §4.2.3.5: R2 for SYN at least 3 minutes.
        max_burst: Most new segments sent in answer to one ACK; 0 is no limit. Source: off.
        pacing: Whether data leaves evenly spaced, by a timer of the endpoint, rather than in bursts
            after each ACK. Source: Linux: with fq, or where the algorithm asks; tcp_pacing_ss_ratio,
            tcp_pacing_ca_ratio.
        tso: Data leaves in packets of several segments, which are cut up below TCP: a millisecond's
            worth, at least two. Where the window has room for fewer they wait for the next ACK, if that
            is about to come. Bursts make queues longer. Data that is paced, and that of Multipath TCP,
            leaves segment by segment. Source: off: each segment by itself; Linux tcp_tso_autosize,
            tcp_tso_should_defer.
        nagle: Whether a small segment waits for acknowledgments. Held back, the end of each message
            costs a round trip. Source: off, as simulated applications write in bulk.
        rack: A segment is lost once one sent sufficiently later was delivered, rather than by counting
            what was SACKed above it: repairs lost retransmissions, bears reordering. Needs SACK.
            Source: RFC 8985 §6; off: RFC 6675.
        tlp: After two round trips without an ACK one segment is sent to provoke one, so that losses at
            the end of a flight need no timeout. Needs SACK; what the answer shows to be lost is found
            by `rack`. Source: RFC 8985 §7.
        prr: Fast recovery sends in proportion to what is delivered. Source: RFC 6937.
        frto: After a timeout new data is sent before anything else is repaired: if data never sent
            again is acknowledged then, the timeout was spurious and is undone. Source: RFC 5682.
        eifel: A recovery is undone if its first ACK echoes a timestamp from before the retransmission.
            Needs timestamps. Source: RFC 3522.
        dsack_undo: A recovery is undone once D-SACK has reported each of its retransmissions as a
            duplicate. Source: RFC 3708 §3.
        undo_response: What undoing does. Source: Linux; RFC 4015 for eifel.
        max_dup_thresh: Reordering that was seen raises `dup_thresh` up to so many segments; 0 leaves
            it. Large values make losses in small windows wait for the timeout. Source: off; Linux
            tcp_max_reordering is 300.
        door: Arrivals out of order hold congestion control off and undo what it did just before: for
            mobile ad-hoc networks where reordering means a changed route. Found by ACKs that fall back
            and by SACK, without options of its own. Source: Wang and Zhang 2002, TCP-DOOR.
        door_disable: For how many smoothed round trips congestion control is held off (T1). Source: a
            reading: Wang and Zhang 2002 give the order of a round trip. 0.0 to 1000000.0 (it is a
            number of round trips).
        door_revert: How many smoothed round trips old a reduction may be to be undone (T2). Source: a
            reading: Wang and Zhang 2002 give the order of a round trip. 0.0 to 1000000.0 (it is a
            number of round trips).
        dup_limit: How many segments duplicate ACKs may let out in a fast recovery without SACK.
            `"flight"` takes from receivers that repeat ACKs (`misbehaviour`) what they gain, and from
            honest ones part of the window in a recovery that takes several round trips. Source: RFC
            5681 §3.2: may be limited; Linux and ns-3 count so.
        misbehaviour: What the endpoint does that it must not. Source: RFC 5681 §5.
        misbehaviour_degree: Into how many pieces ACKs are divided, how many segments ahead they run, or
            how often they are repeated. Source: Savage et al. 1999. 1 to 1000 (each segment makes so
            many ACKs).
        handshake: How a connection is opened. Source: RFC 9293 §3.5.
        persist_timeout: First interval of window probes; `"auto"` is the RTO. Source: RFC 9293
            §3.8.6.1. 1 ms to 1000 h (each probe is an event).
        time_wait: How long a closed connection lingers in TIME-WAIT. Source: Linux TCP_TIMEWAIT_LEN. 0
            s to 1000 h (sockets are kept so long).
        cc: Congestion control. Default: cubic.
        header: Bytes of headers that each packet counts beside its payload; "auto" is the real size.
            Default: the real headers (ns2: 40 B).
        profile: Whose defaults the endpoint's parameters have. Default: rfc.
    """

    _kind: ClassVar[str] = "tcp"
    _forms: ClassVar[Mapping[str, str]] = {"cc": "cc"}

    _: KW_ONLY
    mss: types.Size | None = None
    iw: int | Literal["auto"] | None = None
    initial_ssthresh: int | Literal["auto"] | None = None
    window: int | Literal["auto"] | None = None
    sack: bool | None = None
    timestamps: bool | None = None
    paws: Literal["all", "lets_acks_pass"] | None = None
    window_scale: bool | None = None
    ecn: bool | None = None
    ecn_echo: Literal["auto", "classic", "dctcp", "accurate"] | None = None
    send_buffer: types.Size | Literal["auto"] | None = None
    receive_buffer: types.Size | None = None
    tcp_rmem: str | None = None
    tcp_window_share: float | Literal["auto"] | None = None
    tcp_wmem: str | None = None
    packet_overhead: types.Size | None = None
    min_rto: types.Duration | None = None
    rto_floor: Literal["rto", "variance"] | None = None
    initial_rto: types.Duration | None = None
    max_rto: types.Duration | None = None
    clock_granularity: types.Duration | None = None
    rtt_tick: types.Duration | None = None
    rtt_sampling: Literal["every_ack", "ack_or_sack", "one_per_rtt"] | None = None
    rtt_variance: Literal["mean", "peak"] | None = None
    rto_restart: bool | None = None
    delayed_ack: int | None = None
    delayed_ack_timeout: types.Duration | None = None
    ack_delay: Literal["fixed", "adaptive"] | None = None
    jiffy: types.Duration | None = None
    handshake_ack: bool | None = None
    push_acks: bool | None = None
    ack_compression: types.Duration | None = None
    quick_acks: int | None = None
    quick_ecn: bool | None = None
    limited_transmit: bool | None = None
    limited_after_rto: bool | None = None
    sack_rescue: bool | None = None
    repair_holes: bool | None = None
    pipe: Literal["rfc6675", "ns2"] | None = None
    sack_after_rto: bool | None = None
    ecn_fallback: bool | None = None
    dup_thresh: int | None = None
    halve_base: Literal["window", "flight"] | None = None
    repeated_rto_ssthresh: Literal["again", "once", "window"] | None = None
    rto_window: Literal["one", "flight_and_one"] | None = None
    rto_after_mark: Literal["lower", "keep"] | None = None
    ecn_least: Literal["two", "one_then_wait"] | None = None
    window_unit: Literal["bytes", "packets", "ns2"] | None = None
    increase: Literal["bytes", "acks", "delivered"] | None = None
    abc_limit: int | None = None
    cwnd_validation: bool | None = None
    lasting_limit: bool | None = None
    recovery_exit: Literal["flight", "ssthresh"] | None = None
    impatient: bool | None = None
    idle_restart: Literal["off", "restart", "decay"] | None = None
    data_retries: int | Literal["auto"] | None = None
    syn_retries: int | Literal["auto"] | None = None
    max_burst: int | None = None
    pacing: Literal["auto", "on", "off"] | None = None
    tso: bool | None = None
    nagle: Literal["off", "rfc896", "minshall"] | None = None
    rack: bool | None = None
    tlp: bool | None = None
    prr: Literal["off", "crb", "ssrb", "linux"] | None = None
    frto: bool | None = None
    eifel: bool | None = None
    dsack_undo: bool | None = None
    undo_response: Literal["restore", "eifel"] | None = None
    max_dup_thresh: int | None = None
    door: bool | None = None
    door_disable: float | None = None
    door_revert: float | None = None
    dup_limit: Literal["outstanding", "flight"] | None = None
    misbehaviour: (
        Literal["none", "ack_division", "optimistic_acks", "repeated_acks", "ignores_congestion"] | None
    ) = None
    misbehaviour_degree: int | None = None
    handshake: Literal["three_way", "ns2_syn"] | None = None
    persist_timeout: types.Duration | Literal["auto"] | None = None
    time_wait: types.Duration | None = None
    cc: types.CongestionControl | None = None
    header: types.Size | Literal["auto"] | None = None
    profile: Literal["rfc", "ns2", "ns3", "linux"] | None = None


@dataclass(eq=False, repr=False, slots=True)
class Mptcp(Table):
    """Multipath TCP. Beside these keys, any parameter of the connection and of TCP, which each subflow
    uses.

    Args:
        checksum: Checksums over data and mappings; either end may ask for them. Source: RFC 8684 §3.3;
            Linux checksum_enabled.
        wide_data_ack: Data-level acknowledgments take 8 bytes on the wire, not 4. Source: RFC 8684
            §3.3.1.
        answer_wide_dsn: Data-level acknowledgments take 8 bytes once the peer's data sequence numbers
            do. Source: RFC 8684 §3.3.1; Linux use_64bit_ack.
        wide_dsn: Data sequence numbers take 8 bytes on the wire, not 4. Source: RFC 8684 §3.3.1.
        counts_memory: Buffers hold memory, not bytes: what waits at the receiver takes window by what
            its packets occupy, a buffer that is set is doubled and half of it shown, and one left alone
            grows with what goes through. The send buffer is one of memory where the scheduler fills
            queues. Source: bytes; Linux __mptcp_space, mptcp_rcv_space_adjust, mptcp_propagate_sndbuf.
        send_buffer_of: The send buffer of the connection where `counts_memory`: beyond the windows of
            its subflows, bytes wait in the queues of subflows, and are out of order for as long when
            one falls silent. Source: Linux 6.1 mptcp_propagate_sndbuf; linux_6_12: sum,
            __mptcp_sync_sndbuf.
        first_window: The most that a receiver's first window tells where `counts_memory`; it grows with
            the segments that come. `"auto"` is the window of the buffer as it is: with a large one all
            that waits goes to the first subflow. Source: Linux 6.1 tcp_select_initial_window;
            linux_6_12: auto.
        window_share: The share of a receiver's memory that is window where `counts_memory`. Too large:
            packets that wait overflow it. `"auto"` is half of it, and a buffer that grows is of whole
            segments. Source: Linux 6.1 tcp_adv_win_scale; linux_6_12: 144/256, scaling_ratio as it was
            measured. 0.01 to 1.0 (it is a share).
        capable_syns: SYNs with MP_CAPABLE before the connection falls back to plain TCP. Source: Linux
            syn_retrans_before_tcp_fallback: 2 retransmissions; mptcp_0_94: mptcp_syn_retries 3. 1 to
            1000 (at least one SYN asks for Multipath TCP; with none, use transport kind = "tcp").
        join_syn_retries: Retransmissions of a join's SYN before that subflow is given up. Source:
            multipath-tcp/mptcp, mptcp_syn_retries; linux: tcp_syn_retries 6. 0 to 1000 (each is an
            event).
        max_subflows: Most subflows at a time, at most 32. Source: multipath-tcp/mptcp has 31. 1 to 32
            (a connection has room for 32, its own among them).
        reinject_on_timeout: What a subflow holds at a timeout of its own goes to others, too. Source:
            multipath-tcp/mptcp; RFC 8684 §3.3.6.
        avoid_failed: A subflow with a timeout gets no new data until something arrives on it. Source:
            multipath-tcp/mptcp (pf).
        opportunistic_retransmission: Send what blocks the receive window once more, on a subflow that
            has room. Source: Raiciu et al., NSDI 2012 §4.2.
        penalisation: What is done about the subflow that blocks the receive window. Source: Raiciu et
            al., NSDI 2012 §4.2.
        data_timer: When data-level retransmission sets in, and where it goes. Source: multipath-
            tcp/mptcp, mptcp_set_rto; linux: mptcp_set_timeout, __mptcp_retrans.
        data_rtx_bytes: How much goes out again at once when `data_timer = "subflows"` expires, whole
            segments. Source: one segment; linux: a fragment of the send queue, at most 32 KiB. 1 B to 1
            GB (so much is sent at once).
        min_data_rto: Shortest data-level retransmission timeout. Source: Linux TCP_RTO_MIN. 100 us to
            1000 h (each timeout is an event).
        stale_loss_cnt: More data-level timeouts than this without a sign of life make a subflow stale,
            where another is better off: it is passed over until it is heard from; 0 is never. Source:
            off; Linux stale_loss_cnt: 4.
        reinject_all: What is sent again on account of a stale or lost subflow is everything not
            acknowledged at the data level, whoever carries it, rather than what that subflow held.
            Source: Linux, __mptcp_retransmit_pending_data.
        speaker: On which of the usable subflows an ACK goes out for what has to be said of addresses,
            if no other goes before. Where several paths fail at once REMOVE_ADDR may be lost with one
            of them. Source: not in RFC 8684; linux: first, mptcp_pm_nl_addr_send_ack.
        add_addr_retries: How often ADD_ADDR is repeated for want of an echo; `"auto"` is until there is
            one. Source: RFC 8684 §3.4.1; Linux ADD_ADDR_RETRANS_MAX: 3; mptcp_0_94: 0.
        add_addr_timeout: Longest wait for that echo. It begins with the largest timeout of a subflow
            and doubles. Source: Linux add_addr_timeout. 1 ms to 1000 h (each repetition is an event).
        add_addr_echo: ADD_ADDR is echoed. Source: RFC 8684 §3.4.1; not in RFC 6824, which mptcp_0_94
            speaks.
        new_address_ids: An address that comes back after it was withdrawn gets an id of its own.
            Source: off; multipath-tcp/mptcp, mptcp_fullmesh.c: the next free slot.
        close_timeout: How long a connection without subflows waits for one. Source: Linux
            close_timeout. 0 s to 1000 h (sockets are kept so long).
        mss: Payload bytes of a full segment; TCP options come on top. The smaller of both ends' values
            is used. Source: Ethernet MTU less 40 bytes of headers. 1 B to 65475 B (a packet of at most
            65535 B leaves 65475 B beside the headers).
        iw: Initial window in packets; `"auto"` is min(10 MSS, max(2 MSS, 14600 B)). Large ones lose
            packets at shallow queues. Source: RFC 6928 §2. 1 to 1000000 (so many packets leave at
            once).
        initial_ssthresh: Initial slow-start threshold in packets; `"auto"` is unlimited. Source: RFC
            5681 §3.1. 1 to 1000000000 (windows have such sizes).
        window: Largest window the sender uses, in packets (ns-2's `window_`), beside cwnd and the
            peer's; `"auto"` is none. Source: RFC 9293. 1 to 1000000000 (windows have such sizes).
        sack: Selective acknowledgments, used where both ends have them on. Source: RFC 2018.
        timestamps: Timestamps, used where both ends have them on: 12 bytes a segment, PAWS, samples
            from retransmissions. Source: RFC 7323.
        paws: What with an older timestamp than has come is refused. With reordering on the way back,
            ACKs that others overtake are lost with what they say. Source: RFC 7323 §5.3.
        window_scale: Window scaling; without it a receive window ends at 65535 bytes. Source: RFC 7323
            §2.
        ecn: Explicit congestion notification, used where both ends have it on. Source: RFC 3168.
        ecn_echo: How a receiver tells of congestion marks. A sender of the other kind misreads how many
            there were. Source: as the congestion control asks.
        send_buffer: How much may be unacknowledged, as what is beyond waits in the application;
            `"auto"` is unlimited. Source: unlimited, so that the network is what limits.
        receive_buffer: Receive buffer, which bounds the advertised window. Below the bandwidth-delay
            product it limits throughput. Set by itself, it is of that size, and `tcp_rmem` does
            nothing. Source: Linux tcp_rmem maximum.
        tcp_rmem: Least, initial and largest memory of a receive buffer that grows with what the
            application takes in a round trip, instead of `receive_buffer`; half of it at most is
            advertised. `"auto"` is none. Source: off; Linux tcp_rmem, tcp_rcv_space_adjust.
        tcp_window_share: Share of such a receive buffer that is advertised, from the first full segment
            on: its payload over the memory that it takes. `"auto"` is half, whatever comes. Source:
            Linux 6.1 tcp_adv_win_scale; 6.12: 170/256, scaling_ratio as it was measured. 0.01 to 1.0
            (it is a share).
        tcp_wmem: Least, initial and largest memory of a send buffer that grows with the window, unless
            `send_buffer` is set. `"auto"` is none. Source: off; Linux tcp_wmem, tcp_sndbuf_expand.
        packet_overhead: Memory that a packet takes in such a buffer beyond its payload. Large, it makes
            windows smaller while packets wait for others. Source: Linux 6.1: tcp_stream_alloc_skb with
            MAX_TCP_HEADER, on 64 bits; 6.12: 728 B, as it was measured.
        min_rto: Smallest retransmission timeout. Small ones cause spurious timeouts, large ones long
            stalls. Source: RFC 6298 §2.4. 10 us to 1000 h (each timeout is an event).
        rto_floor: What `min_rto` bounds. Source: RFC 6298 §2.4.
        initial_rto: Timeout before the first sample. Source: RFC 6298 §2.1. 10 us to 1000 h (each
            timeout is an event).
        max_rto: Largest timeout, backoff included. Source: RFC 6298 §2.5. 10 us to 1000 h (each timeout
            is an event).
        clock_granularity: Clock granularity G: the least that the variance term adds. Source: RFC 6298
            §2. 0 s to 1 h (timeouts add it).
        rtt_tick: Ticks in which round trips and timeouts are counted; zero means exact nanoseconds.
            Source: exact. 0 s to 1 h (timeouts are multiples of it).
        rtt_sampling: Which segments give round-trip samples. Source: RFC 6298 §3.
        rtt_variance: How the variance of round trips becomes the timeout's. By peaks, queues that build
            up cause fewer timeouts. Source: RFC 6298 §2.
        rto_restart: The retransmission timer restarts, too, when the oldest segment is sent again, and
            at a SACK of what was sent before that. Otherwise it may expire while a lost retransmission
            is being repaired. Source: RFC 6298 §5.3: at ACKs of new data; Linux
            tcp_xmit_retransmit_queue, tcp_clean_rtx_queue.
        delayed_ack: An ACK is sent at the latest for every so many segments; 0 or 1 acknowledges each.
            Source: RFC 5681 §4.2.
        delayed_ack_timeout: Longest delay of an ACK. Above the sender's RTO it causes spurious
            timeouts. Source: RFC 1122 §4.2.3.2: at most 500 ms. 0 s to 1 h (senders wait for it).
        ack_delay: Whether the delay follows the distance of segments. Source: RFC 1122 §4.2.3.2.
        jiffy: Tick of the clock that timers go by: they expire with one, up to an eighth of the wait
            late, and those for loss probes and reordering two ticks later. Zero is exact. Source:
            exact; Linux kernel/time/timer.c, with CONFIG_HZ=1000. 0 s to 100 ms (timers would be
            seconds late).
        handshake_ack: The ACK that ends the handshake leaves by itself, though data waits to be sent.
            Source: RFC 9293 §3.5: it may carry data; Linux tcp_rcv_synsent_state_process.
        push_acks: Acknowledges at once, too, what the peer has pushed (PSH) or what is less than a full
            segment, where the application has read everything: the peer may have no more to send. A
            lone segment that is not acknowledged waits for the delay, or for another. Source: RFC 5681
            §4.2; Linux tcp_measure_rcv_mss, tcp_cleanup_rbuf.
        ack_compression: While segments wait for one that is missing, ACKs after the third are put
            together for so long, or a twentieth of the round trip. The sender hears of several SACKed
            segments at a time then; zero tells each at once. Needs SACK. Source: RFC 5681 §4.2: at
            once; Linux tcp_comp_sack_delay_ns is 1 ms. 0 s to 1 h (senders wait for it).
        quick_acks: So many first segments, and as many after a duplicate, are acknowledged at once,
            delayed ACKs or not. Source: RFC 5681.
        quick_ecn: Acknowledges at once, too, what follows the first mark after a CWR, a CWR, and what
            cannot be marked though others can: the sender's window may be very small. Source: RFC 3168;
            Linux tcp_ecn_check_ce, tcp_ecn_accept_cwr.
        limited_transmit: New data on the first two duplicate ACKs. Source: RFC 3042.
        limited_after_rto: So, too, while a timeout is repaired without SACK: the next segment, be it
            one sent before. Many of these are needless. Source: RFC 3042: new data only; ns-2
            NewRenoTcpAgent::recv, send_one.
        sack_rescue: In fast recovery with nothing new to send, send again what may be lost: NextSeg's
            rules 3 and 4. Source: RFC 6675 §4.
        repair_holes: In fast recovery every hole below the highest SACK is repaired before new data is
            sent, whether enough is SACKed above it or not. Reordering costs retransmissions then.
            Source: RFC 6675 §4: IsLost first; ns-2 tcp-sack1.cc repairs all.
        pipe: What a sender with SACK takes to be in the network. ns-2's counting sends less where
            several segments of a small window are lost at once. With `rack` it is RFC 6675's. Source:
            RFC 6675 §4; ns-2 Sack1TcpAgent::recv.
        sack_after_rto: A timeout keeps what was SACKed, and SACKs count while it is repaired. Otherwise
            everything from the oldest segment on is sent again. Source: RFC 6675 §5.1; ns-2 clears its
            scoreboard.
        ecn_fallback: A SYN that is sent again no longer asks for ECN, so that a drop of ECN set-ups
            does not block a connection. Source: RFC 3168 §6.1.1.1: a host may; Linux tcp_ecn_fallback.
        dup_thresh: Duplicate ACKs that mean a loss. Source: RFC 5681 §3.2. 1 to 255 (a loss needs a
            sign).
        halve_base: What is halved when a loss is found. Source: RFC 5681 equation 4.
        repeated_rto_ssthresh: Whether a second timeout of the same segment lowers ssthresh again.
            Source: RFC 5681 §3.1.
        rto_window: The window with which the repair of a timeout begins. Source: RFC 5681 §3.1.
        rto_after_mark: What a timeout makes of ssthresh where the last reduction was for a congestion
            mark. Source: RFC 5681 §3.1; ns-2 TcpAgent::timeout.
        ecn_least: The least window that congestion marks leave. With two, many flows of small windows
            cannot be slowed by marks. Source: RFC 3168 §6.1.2; ns-2 TcpAgent::ecn.
        window_unit: The unit in which windows are counted. Source: RFC 5681.
        increase: What the window grows by. Source: RFC 3465.
        abc_limit: Slow start grows by at most so many MSS an ACK (L); 1 after a timeout. Source: RFC
            5681 §3.1.
        cwnd_validation: cwnd grows only while it is what limits the sender. Source: RFC 2861, RFC 9002
            §7.8.
        lasting_limit: A window that was full at some time in a round trip counts as full for all of it,
            and slow start goes on up to twice the largest flight. Otherwise a sender short of data
            hardly grows. Only with one of `rack`, `tlp`, `prr`. Source: RFC 2861 §3.1: when full; Linux
            tcp_cwnd_validate, tcp_is_cwnd_limited.
        recovery_exit: The window with which a recovery without SACK ends. Source: RFC 6582 §3.2.
        impatient: Rearm the timer on the first partial ACK only (impatient) or on each. Source: RFC
            6582 §4.
        idle_restart: What becomes of cwnd after an idle period. Source: RFC 5681 §4.1.
        data_retries: Timeouts in a row without an ACK of new data before giving up; `"auto"` is never.
            Source: RFC 1122 §4.2.3.5: R2 at least 100 s.
        syn_retries: Retransmissions of a SYN before giving up; `"auto"` is never. Source: RFC 1122
            §4.2.3.5: R2 for SYN at least 3 minutes.
        max_burst: Most new segments sent in answer to one ACK; 0 is no limit. Source: off.
        pacing: Whether data leaves evenly spaced, by a timer of the endpoint, rather than in bursts
            after each ACK. Source: Linux: with fq, or where the algorithm asks; tcp_pacing_ss_ratio,
            tcp_pacing_ca_ratio.
        tso: Data leaves in packets of several segments, which are cut up below TCP: a millisecond's
            worth, at least two. Where the window has room for fewer they wait for the next ACK, if that
            is about to come. Bursts make queues longer. Data that is paced, and that of Multipath TCP,
            leaves segment by segment. Source: off: each segment by itself; Linux tcp_tso_autosize,
            tcp_tso_should_defer.
        nagle: Whether a small segment waits for acknowledgments. Held back, the end of each message
            costs a round trip. Source: off, as simulated applications write in bulk.
        rack: A segment is lost once one sent sufficiently later was delivered, rather than by counting
            what was SACKed above it: repairs lost retransmissions, bears reordering. Needs SACK.
            Source: RFC 8985 §6; off: RFC 6675.
        tlp: After two round trips without an ACK one segment is sent to provoke one, so that losses at
            the end of a flight need no timeout. Needs SACK; what the answer shows to be lost is found
            by `rack`. Source: RFC 8985 §7.
        prr: Fast recovery sends in proportion to what is delivered. Source: RFC 6937.
        frto: After a timeout new data is sent before anything else is repaired: if data never sent
            again is acknowledged then, the timeout was spurious and is undone. Source: RFC 5682.
        eifel: A recovery is undone if its first ACK echoes a timestamp from before the retransmission.
            Needs timestamps. Source: RFC 3522.
        dsack_undo: A recovery is undone once D-SACK has reported each of its retransmissions as a
            duplicate. Source: RFC 3708 §3.
        undo_response: What undoing does. Source: Linux; RFC 4015 for eifel.
        max_dup_thresh: Reordering that was seen raises `dup_thresh` up to so many segments; 0 leaves
            it. Large values make losses in small windows wait for the timeout. Source: off; Linux
            tcp_max_reordering is 300.
        door: Arrivals out of order hold congestion control off and undo what it did just before: for
            mobile ad-hoc networks where reordering means a changed route. Found by ACKs that fall back
            and by SACK, without options of its own. Source: Wang and Zhang 2002, TCP-DOOR.
        door_disable: For how many smoothed round trips congestion control is held off (T1). Source: a
            reading: Wang and Zhang 2002 give the order of a round trip. 0.0 to 1000000.0 (it is a
            number of round trips).
        door_revert: How many smoothed round trips old a reduction may be to be undone (T2). Source: a
            reading: Wang and Zhang 2002 give the order of a round trip. 0.0 to 1000000.0 (it is a
            number of round trips).
        dup_limit: How many segments duplicate ACKs may let out in a fast recovery without SACK.
            `"flight"` takes from receivers that repeat ACKs (`misbehaviour`) what they gain, and from
            honest ones part of the window in a recovery that takes several round trips. Source: RFC
            5681 §3.2: may be limited; Linux and ns-3 count so.
        misbehaviour: What the endpoint does that it must not. Source: RFC 5681 §5.
        misbehaviour_degree: Into how many pieces ACKs are divided, how many segments ahead they run, or
            how often they are repeated. Source: Savage et al. 1999. 1 to 1000 (each segment makes so
            many ACKs).
        handshake: How a connection is opened. Source: RFC 9293 §3.5.
        persist_timeout: First interval of window probes; `"auto"` is the RTO. Source: RFC 9293
            §3.8.6.1. 1 ms to 1000 h (each probe is an event).
        time_wait: How long a closed connection lingers in TIME-WAIT. Source: Linux TCP_TIMEWAIT_LEN. 0
            s to 1000 h (sockets are kept so long).
        cc: Congestion control: a coupled one, or one of TCP's for each subflow by itself. Default: of
            the profile: lia, ns3 linked_increases, linux cubic.
        header: Bytes of headers that each packet counts beside its payload; "auto" is the real size.
            Default: the real headers (ns2: 40 B).
        path_manager: Which subflows there are. Default: of the profile: fullmesh, linux linux.
        profile: Whose behaviour the connection has: defaults of the other keys and of all parameters.
            Default: rfc.
        scheduler: Which subflow carries what. Default: of the profile: lowest_rtt, ns3 round_robin,
            linux linux.
    """

    _kind: ClassVar[str] = "mptcp"
    _forms: ClassVar[Mapping[str, str]] = {
        "cc": "coupled cc",
        "path_manager": "path_manager",
        "scheduler": "scheduler",
    }

    _: KW_ONLY
    checksum: bool | None = None
    wide_data_ack: bool | None = None
    answer_wide_dsn: bool | None = None
    wide_dsn: bool | None = None
    counts_memory: bool | None = None
    send_buffer_of: Literal["largest", "sum"] | None = None
    first_window: types.Size | Literal["auto"] | None = None
    window_share: float | Literal["auto"] | None = None
    capable_syns: int | None = None
    join_syn_retries: int | None = None
    max_subflows: int | None = None
    reinject_on_timeout: bool | None = None
    avoid_failed: bool | None = None
    opportunistic_retransmission: bool | None = None
    penalisation: Literal["none", "linux", "nsdi2012"] | None = None
    data_timer: Literal["doubled", "subflows"] | None = None
    data_rtx_bytes: types.Size | None = None
    min_data_rto: types.Duration | None = None
    stale_loss_cnt: int | None = None
    reinject_all: bool | None = None
    speaker: Literal["fastest", "first"] | None = None
    add_addr_retries: int | Literal["auto"] | None = None
    add_addr_timeout: types.Duration | None = None
    add_addr_echo: bool | None = None
    new_address_ids: bool | None = None
    close_timeout: types.Duration | None = None
    mss: types.Size | None = None
    iw: int | Literal["auto"] | None = None
    initial_ssthresh: int | Literal["auto"] | None = None
    window: int | Literal["auto"] | None = None
    sack: bool | None = None
    timestamps: bool | None = None
    paws: Literal["all", "lets_acks_pass"] | None = None
    window_scale: bool | None = None
    ecn: bool | None = None
    ecn_echo: Literal["auto", "classic", "dctcp", "accurate"] | None = None
    send_buffer: types.Size | Literal["auto"] | None = None
    receive_buffer: types.Size | None = None
    tcp_rmem: str | None = None
    tcp_window_share: float | Literal["auto"] | None = None
    tcp_wmem: str | None = None
    packet_overhead: types.Size | None = None
    min_rto: types.Duration | None = None
    rto_floor: Literal["rto", "variance"] | None = None
    initial_rto: types.Duration | None = None
    max_rto: types.Duration | None = None
    clock_granularity: types.Duration | None = None
    rtt_tick: types.Duration | None = None
    rtt_sampling: Literal["every_ack", "ack_or_sack", "one_per_rtt"] | None = None
    rtt_variance: Literal["mean", "peak"] | None = None
    rto_restart: bool | None = None
    delayed_ack: int | None = None
    delayed_ack_timeout: types.Duration | None = None
    ack_delay: Literal["fixed", "adaptive"] | None = None
    jiffy: types.Duration | None = None
    handshake_ack: bool | None = None
    push_acks: bool | None = None
    ack_compression: types.Duration | None = None
    quick_acks: int | None = None
    quick_ecn: bool | None = None
    limited_transmit: bool | None = None
    limited_after_rto: bool | None = None
    sack_rescue: bool | None = None
    repair_holes: bool | None = None
    pipe: Literal["rfc6675", "ns2"] | None = None
    sack_after_rto: bool | None = None
    ecn_fallback: bool | None = None
    dup_thresh: int | None = None
    halve_base: Literal["window", "flight"] | None = None
    repeated_rto_ssthresh: Literal["again", "once", "window"] | None = None
    rto_window: Literal["one", "flight_and_one"] | None = None
    rto_after_mark: Literal["lower", "keep"] | None = None
    ecn_least: Literal["two", "one_then_wait"] | None = None
    window_unit: Literal["bytes", "packets", "ns2"] | None = None
    increase: Literal["bytes", "acks", "delivered"] | None = None
    abc_limit: int | None = None
    cwnd_validation: bool | None = None
    lasting_limit: bool | None = None
    recovery_exit: Literal["flight", "ssthresh"] | None = None
    impatient: bool | None = None
    idle_restart: Literal["off", "restart", "decay"] | None = None
    data_retries: int | Literal["auto"] | None = None
    syn_retries: int | Literal["auto"] | None = None
    max_burst: int | None = None
    pacing: Literal["auto", "on", "off"] | None = None
    tso: bool | None = None
    nagle: Literal["off", "rfc896", "minshall"] | None = None
    rack: bool | None = None
    tlp: bool | None = None
    prr: Literal["off", "crb", "ssrb", "linux"] | None = None
    frto: bool | None = None
    eifel: bool | None = None
    dsack_undo: bool | None = None
    undo_response: Literal["restore", "eifel"] | None = None
    max_dup_thresh: int | None = None
    door: bool | None = None
    door_disable: float | None = None
    door_revert: float | None = None
    dup_limit: Literal["outstanding", "flight"] | None = None
    misbehaviour: (
        Literal["none", "ack_division", "optimistic_acks", "repeated_acks", "ignores_congestion"] | None
    ) = None
    misbehaviour_degree: int | None = None
    handshake: Literal["three_way", "ns2_syn"] | None = None
    persist_timeout: types.Duration | Literal["auto"] | None = None
    time_wait: types.Duration | None = None
    cc: types.MultipathControl | None = None
    header: types.Size | Literal["auto"] | None = None
    path_manager: types.PathManager | None = None
    profile: Literal["rfc", "ns2", "ns3", "linux", "linux_6_1", "linux_6_12", "mptcp_0_94"] | None = None
    scheduler: types.Scheduler | None = None


@dataclass(eq=False, repr=False, slots=True)
class Udp(Table):
    """UDP.

    Args:
        ecn: Whether packets are ECN-capable (and marks ignored). Default: false.
        header: Bytes of headers that each packet counts beside its payload. Default: 28 B.
    """

    _kind: ClassVar[str] = "udp"

    _: KW_ONLY
    ecn: bool | None = None
    header: types.Size | None = None

"""A transport: a class for each kind. Written by `make classes`, from the schema."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from tailrace.scenario.objects import Table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tailrace.build import types


@dataclass(eq=False, repr=False, slots=True)
class Tcp(Table):
    """TCP. In addition to these keys, any parameter of a TCP endpoint can be set.

    Args:
        mss: How many bytes of payload a full segment has; TCP options are added to it. The smaller
            value of both ends is used. Source: Ethernet MTU less 40 bytes of headers. Allowed: 1 B to
            65475 B (a packet of at most 65535 B leaves 65475 B beside the headers).
        iw: The initial window, in packets. A large one loses packets where queues are short. `"auto"`
            is min(10 MSS, max(2 MSS, 14600 B)). Source: RFC 6928 §2. Allowed: 1 to 1000000 (so many
            packets are sent at once).
        initial_ssthresh: The slow-start threshold at the beginning, in packets. `"auto"` is unlimited.
            Source: RFC 5681 §3.1. Allowed: 1 to 1000000000 (no window is larger or smaller).
        window: The largest window that the sender uses, in packets (ns-2's `window_`), in addition to
            cwnd and the receiver's window. `"auto"` is no such limit. Source: RFC 9293. Allowed: 1 to
            1000000000 (no window is larger or smaller).
        sack: Whether selective acknowledgments (SACK) are used; both ends must have them on. Source:
            RFC 2018.
        sack_reports: Which ranges a receiver reports by SACK if there are many. Source: RFC 2018 §4.
        timestamps: Whether TCP timestamps are used; both ends must have them on. They take 12 bytes in
            each segment, allow PAWS, and allow round-trip samples from retransmissions. Source: RFC
            7323.
        paws: Which segments are refused because their timestamp is older than one that has arrived. If
            ACKs are reordered, the overtaken ones are refused, and what they say is lost. Source: RFC
            7323 §5.3.
        window_scale: Whether window scaling is used. Without it the receive window is at most 65535
            bytes. Source: RFC 7323 §2.
        ecn: Whether explicit congestion notification is used; both ends must have it on. Source: RFC
            3168.
        ecn_echo: How a receiver tells the sender of ECN marks. A sender that expects another way
            misjudges how many there were. Source: as the congestion control asks.
        send_buffer: How much data may be sent and not yet acknowledged; further data waits in the
            application. `"auto"` is unlimited. Source: unlimited, so that the network is what limits.
        receive_buffer: The size of the receive buffer, which limits the advertised window. If it is
            smaller than the bandwidth-delay product, it limits throughput. If you set it, its size is
            fixed, and `tcp_rmem` has no effect. Source: Linux tcp_rmem maximum.
        tcp_rmem: The smallest, initial and largest memory of a receive buffer that grows with what the
            application reads in a round trip, instead of `receive_buffer`. At most half of the memory
            is advertised as window. `"auto"` turns this off. Source: off; Linux tcp_rmem,
            tcp_rcv_space_adjust.
        tcp_window_share: The share of such a receive buffer that is advertised, once a full segment has
            arrived: its payload over the memory that it takes. `"auto"` is half, whatever arrives.
            Source: Linux 6.1 tcp_adv_win_scale; 6.12: 170/256, scaling_ratio as it was measured.
            Allowed: 0.01 to 1.0 (it is a share of a whole).
        tcp_wmem: The smallest, initial and largest memory of a send buffer that grows with the window,
            unless `send_buffer` is set. `"auto"` turns this off. Source: off; Linux tcp_wmem,
            tcp_sndbuf_expand.
        packet_overhead: How much memory a packet takes in a receive buffer that grows, beyond the
            payload of a full one; a short one takes as much. If it is large, windows are smaller while
            packets wait. Source: Linux with wireless: tcp_stream_alloc_skb with MAX_TCP_HEADER, on 64
            bits; linux: 728 B, as it was measured.
        send_overhead: How much memory a packet takes in a send buffer that grows, beyond its payload.
            If it is large, less waits there. Source: Linux with wireless: tcp_stream_alloc_skb with
            MAX_TCP_HEADER, on 64 bits; without, as traces say: 6.12 832 B, 6.1 768 B.
        segment_memory: The memory for each segment of the congestion window, of which a tuned send
            buffer has twice as much. Source: Linux tcp_sndbuf_expand: 1460 B and 640 B for headers and
            bookkeeping, rounded up to 4096, and 256; in kernels without wireless, as in User-Mode
            Linux, 2304 B. Allowed: 1 B to 1 MB (buffers are multiples of it).
        min_rto: The smallest retransmission timeout (RTO). If it is small, there are timeouts without a
            loss; if it is large, a sender stalls for long after one. Source: RFC 6298 §2.4. Allowed: 10
            us to 1000 h (each timeout takes computing time).
        rto_floor: What `min_rto` limits. Source: RFC 6298 §2.4.
        initial_rto: The retransmission timeout before the first round-trip sample. Source: RFC 6298
            §2.1. Allowed: 10 us to 1000 h (each timeout takes computing time).
        max_rto: The largest retransmission timeout, doubled ones included. Source: RFC 6298 §2.5.
            Allowed: 10 us to 1000 h (each timeout takes computing time).
        clock_granularity: G, the granularity of the clock: at least so much is added to the smoothed
            round-trip time to give the timeout. Source: RFC 6298 §2. Allowed: 0 s to 1 h (timeouts add
            it).
        rtt_tick: Round-trip times and timeouts are counted in ticks of this length. Zero means exact
            nanoseconds. Source: exact. Allowed: 0 s to 1 h (timeouts are multiples of it).
        rtt_sampling: Which segments give samples of the round-trip time. Source: RFC 6298 §3.
        rtt_variance: How the variance of round-trip times enters the timeout. With `peak`, queues that
            build up cause fewer timeouts. Source: RFC 6298 §2.
        rto_restart: Whether the retransmission timer also restarts when the oldest segment is sent
            again, and at a SACK of data that was sent before that. If false, it may expire while a lost
            retransmission is being repaired. Source: RFC 6298 §5.3: at ACKs of new data; Linux
            tcp_xmit_retransmit_queue, tcp_clean_rtx_queue.
        delayed_ack: After how many segments an ACK is sent at the latest; 0 or 1 acknowledges each one.
            Source: RFC 5681 §4.2.
        delayed_ack_timeout: How long an ACK is delayed at most. If it is longer than the sender's RTO,
            it causes timeouts without a loss. Source: RFC 1122 §4.2.3.2: at most 500 ms. Allowed: 0 s
            to 1 h (senders wait for it).
        ack_delay: Whether the delay of ACKs adapts to the time between segments. Source: RFC 1122
            §4.2.3.2.
        jiffy: The tick of the clock that timers use. They expire with a tick, up to an eighth of the
            wait late; those for loss probes and reordering two ticks later. Zero is exact. Source:
            exact; Linux kernel/time/timer.c, with CONFIG_HZ=1000. Allowed: 0 s to 100 ms (timers would
            be seconds late).
        handshake_ack: Whether the ACK that ends the handshake is sent by itself even if data is
            waiting. Source: RFC 9293 §3.5: it may carry data; Linux tcp_rcv_synsent_state_process.
        spared_syns: How often a SYN or SYN-ACK may be sent again without the initial window being one
            packet for that. Source: RFC 5681 §3.1; Linux tcp_init_transfer: once.
        push_acks: Whether segments with PSH, and those below full size, are acknowledged at once if the
            application has read everything, since the sender may have no more to send. If false, a
            single segment waits for `delayed_ack_timeout` or for another segment. Source: RFC 5681
            §4.2; Linux tcp_measure_rcv_mss, tcp_cleanup_rbuf.
        ack_compression: For how long ACKs are put together while a segment is missing, from the fourth
            on, but for a twentieth of the round-trip time at most. The sender then learns of several
            SACKed segments at a time. With zero, each is acknowledged at once. Needs SACK. Source: RFC
            5681 §4.2: at once; Linux tcp_comp_sack_delay_ns is 1 ms. Allowed: 0 s to 1 h (senders wait
            for it).
        quick_acks: So many segments at the start, and as many after a duplicate, are acknowledged at
            once, whatever `delayed_ack` says. Source: RFC 5681.
        quick_ecn: Whether further segments are acknowledged at once, because the sender's window may be
            very small: the first mark after a CWR, a CWR itself, and packets that cannot be marked
            though others can. Source: RFC 3168; Linux tcp_ecn_check_ce, tcp_ecn_accept_cwr.
        limited_transmit: Whether the first two duplicate ACKs each let out a segment of new data.
            Source: RFC 3042.
        limited_after_rto: Whether duplicate ACKs also let out segments while a timeout is repaired
            without SACK: the next segment, even if it was sent before. Many of these are needless.
            Source: RFC 3042: new data only; ns-2 NewRenoTcpAgent::recv, send_one.
        sack_rescue: Whether in fast recovery, with nothing new to send, data is sent again that may be
            lost: rules 3 and 4 of NextSeg. Source: RFC 6675 §4.
        repair_holes: Whether fast recovery repairs every hole below the highest SACK before new data is
            sent, even if too little above it was SACKed to call it lost. Reordered packets then cause
            needless retransmissions. Source: RFC 6675 §4: IsLost first; ns-2 tcp-sack1.cc repairs all.
        pipe: How a sender with SACK counts what is in the network. ns-2's count sends less where
            several segments of a small window are lost at once. With `rack` it is always RFC 6675's.
            Source: RFC 6675 §4; ns-2 Sack1TcpAgent::recv.
        sack_after_rto: Whether a timeout keeps what was SACKed, and SACKs count while it is repaired.
            If false, everything from the oldest segment on is sent again. Source: RFC 6675 §5.1; ns-2
            clears its scoreboard.
        ecn_fallback: Whether a SYN that is sent again no longer asks for ECN, so that a network that
            drops SYNs with ECN does not block connections. Source: RFC 3168 §6.1.1.1: a host may; Linux
            tcp_ecn_fallback.
        dup_thresh: How many duplicate ACKs mean that a segment is lost. With more, reordering is
            tolerated better, but losses are noticed later. Source: RFC 5681 §3.2. Allowed: 1 to 255
            (without a duplicate ACK there is no sign of a loss).
        halve_base: What is halved when a loss is found. Source: RFC 5681 equation 4.
        repeated_rto_ssthresh: Whether a second timeout of the same segment lowers ssthresh again.
            Source: RFC 5681 §3.1.
        rto_window: The window at the beginning of the repair after a timeout. Source: RFC 5681 §3.1.
        rto_after_mark: Whether a timeout lowers ssthresh if the last reduction was for an ECN mark.
            Source: RFC 5681 §3.1; ns-2 TcpAgent::timeout.
        ecn_least: The smallest window to which ECN marks can reduce a sender. With two segments, marks
            cannot slow down many flows with small windows. Source: RFC 3168 §6.1.2; ns-2 TcpAgent::ecn.
        window_unit: The unit in which windows are counted. Source: RFC 5681.
        increase: How the growth of the window is counted. Source: RFC 3465.
        abc_limit: L: by how many MSS slow start grows at most for each ACK; after a timeout it is 1.
            Source: RFC 5681 §3.1.
        cwnd_validation: Whether cwnd grows only while it is what limits the sender. Source: RFC 2861,
            RFC 9002 §7.8.
        lasting_limit: Whether a window that was full at some time in a round trip counts as full for
            all of it, and slow start may go on to twice what was in flight. If false, a sender with
            little data hardly grows. Works only with one of `rack`, `tlp`, `prr`. Source: RFC 2861
            §3.1: when full; Linux tcp_cwnd_validate, tcp_is_cwnd_limited.
        recovery_exit: The window at the end of a recovery without SACK. Source: RFC 6582 §3.2.
        impatient: Whether the retransmission timer is restarted only at the first partial ACK
            (impatient), or, if false, at each. Source: RFC 6582 §4.
        idle_restart: What happens to cwnd after an idle period longer than the RTO. Source: RFC 5681
            §4.1.
        data_retries: After how many timeouts in a row without an ACK of new data the connection gives
            up. `"auto"` is never. Source: RFC 1122 §4.2.3.5: R2 at least 100 s.
        syn_retries: After how many retransmissions of a SYN the connection gives up. `"auto"` is never.
            Source: RFC 1122 §4.2.3.5: R2 for SYN at least 3 minutes.
        max_burst: How many new segments may be sent in answer to one ACK; 0 is no limit. Source: off.
        pacing: Whether data is sent evenly spaced, by a timer, instead of in bursts after each ACK.
            Source: Linux: with fq, or where the algorithm asks; tcp_pacing_ss_ratio,
            tcp_pacing_ca_ratio.
        tso: Whether data is sent in packets of several segments (as many as take a millisecond, at
            least two), which are divided below TCP. If the window has room for fewer, they wait for the
            next ACK if that is expected soon. Such bursts make queues longer. Paced data is sent
            segment by segment, and so is that of Multipath TCP unless its scheduler fills queues.
            Source: off: each segment by itself; Linux tcp_tso_autosize, tcp_tso_should_defer.
        fills_short_packets: With `tso`: whether a packet that ends early, as it ends what was written
            into it, takes what it lacks from the next one. If not, a packet may have fewer segments
            than the window has room for. Source: Linux 6.12 tcp_grow_skb; 6.1: off.
        nagle: When a small segment waits for acknowledgments. If it does, the end of each message takes
            a round trip longer. Source: off, as simulated applications write in bulk.
        rack: Whether a segment counts as lost once a segment sent sufficiently later was delivered,
            instead of by counting what was SACKed above it. This repairs lost retransmissions and
            tolerates reordering. Needs SACK. Source: RFC 8985 §6; off: RFC 6675.
        tlp: Whether, after two round trips without an ACK, a segment is sent to provoke one, so that
            losses at the end of a flight need no timeout. Needs SACK; `rack` then finds what the ACK
            shows to be lost. Source: RFC 8985 §7.
        prr: How much may be sent for each ACK of a fast recovery (proportional rate reduction), and
            what bounds it once less than ssthresh is in flight (RFC 6937 §3). Source: RFC 6937.
        frto: Whether a timeout is first tested: new data is sent before anything is repaired, and if
            data that was not sent again is then acknowledged, nothing was lost and the timeout is
            undone. Source: RFC 5682.
        eifel: Whether a recovery is undone if its first ACK carries a timestamp from before the
            retransmission. Needs timestamps. Source: RFC 3522.
        dsack_undo: Whether a recovery is undone once D-SACK has reported each of its retransmissions as
            a duplicate. Source: RFC 3708 §3.
        heeds_local_drops: Of a subflow of Multipath TCP: whether what this host's own interface drops
            because it is down counts as congestion. The window is then lowered as for a mark, and no
            timeout is undone in a way that gives it back. Source: Linux: a packet that a queue drops,
            tcp_enter_cwr.
        undo_response: What undoing a reduction does. Source: Linux; RFC 4015 for eifel.
        max_dup_thresh: Up to how many segments observed reordering may raise `dup_thresh`; 0 leaves it
            as it is. If it is large, losses in small windows must wait for the timeout. Source: off;
            Linux tcp_max_reordering is 300.
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
        dup_limit: How many segments duplicate ACKs may let out in a fast recovery without SACK.
            `"flight"` takes from receivers that repeat ACKs (`misbehaviour`) what they gain, but also
            takes part of the window from honest ones if a recovery takes several round trips. Source:
            RFC 5681 §3.2: may be limited; Linux and ns-3 count so.
        misbehaviour: What this endpoint does although it must not, for studies of attacks (Savage et
            al., CCR 29(5), 1999). Source: RFC 5681 §5.
        misbehaviour_degree: Into how many pieces ACKs are divided, how many segments ahead they are, or
            how often they are repeated. Source: Savage et al. 1999. Allowed: 1 to 1000 (each segment
            causes so many ACKs, which takes computing time).
        handshake: How a connection is opened. Source: RFC 9293 §3.5.
        persist_timeout: The time to the first probe of a closed receive window. `"auto"` is the RTO.
            Source: RFC 9293 §3.8.6.1. Allowed: 1 ms to 1000 h (each probe takes computing time).
        time_wait: For how long a closed connection stays in the state TIME-WAIT. Source: Linux
            TCP_TIMEWAIT_LEN. Allowed: 0 s to 1000 h (closed sockets are kept for so long).
        cc: The congestion control: how fast the sender sends. Default: cubic.
        header: How many bytes of headers each packet has in addition to its payload. "auto" is the real
            size. Default: the real headers (ns2: 40 B).
        profile: The implementation whose defaults all parameters have: the RFCs, Linux, ns-2 or ns-3.
            Default: rfc.
    """

    _kind: ClassVar[str] = "tcp"
    _forms: ClassVar[Mapping[str, str]] = {"cc": "cc"}

    _: KW_ONLY
    mss: types.Size | None = None
    iw: int | Literal["auto"] | None = None
    initial_ssthresh: int | Literal["auto"] | None = None
    window: int | Literal["auto"] | None = None
    sack: bool | None = None
    sack_reports: Literal["ranges", "remembered"] | None = None
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
    send_overhead: types.Size | None = None
    segment_memory: types.Size | None = None
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
    spared_syns: int | None = None
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
    fills_short_packets: bool | None = None
    nagle: Literal["off", "rfc896", "minshall"] | None = None
    rack: bool | None = None
    tlp: bool | None = None
    prr: Literal["off", "crb", "ssrb", "linux"] | None = None
    frto: bool | None = None
    eifel: bool | None = None
    dsack_undo: bool | None = None
    heeds_local_drops: bool | None = None
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
    """Multipath TCP. In addition to these keys, any parameter of a connection can be set, and any of TCP,
    which holds for each subflow.

    Args:
        checksum: Whether segments carry checksums over data and mappings; it is enough if either end
            asks for them. Source: RFC 8684 §3.3; Linux checksum_enabled.
        wide_data_ack: Whether data-level acknowledgments take 8 bytes on the wire instead of 4. Source:
            RFC 8684 §3.3.1.
        answer_wide_dsn: Whether data-level acknowledgments take 8 bytes once the other end's data
            sequence numbers do. Source: RFC 8684 §3.3.1; Linux use_64bit_ack.
        wide_dsn: Whether data sequence numbers take 8 bytes on the wire instead of 4. Source: RFC 8684
            §3.3.1.
        counts_memory: Whether buffers are counted as memory, as in a kernel, instead of bytes of data.
            What waits at the receiver then reduces the window by the memory of its packets. A buffer
            that you set is doubled and half of it advertised; one that you do not set grows with what
            goes through it. The send buffer counts memory only if the scheduler fills queues. Source:
            bytes; Linux __mptcp_space, mptcp_rcv_space_adjust, mptcp_propagate_sndbuf.
        send_buffer_of: With `counts_memory`: how large the send buffer of the connection is. Bytes
            beyond the windows of the subflows wait in the subflows' queues, and arrive out of order if
            one of them falls silent. Source: Linux 6.1 mptcp_propagate_sndbuf; linux_6_12: sum,
            __mptcp_sync_sndbuf.
        hands_out: With a scheduler that fills queues: how much one of its choices is good for. Source:
            Linux 6.12 __subflow_push_pending; linux_6_1: packets, mptcp_subflow_get_send.
        first_window: With `counts_memory`: the largest first window that a receiver advertises; it
            grows with the segments that arrive. `"auto"` is the window of the whole buffer; if that is
            large, all waiting data goes to the first subflow. Source: Linux 6.1
            tcp_select_initial_window; linux_6_12: auto.
        window_share: With `counts_memory`: which share of a receiver's memory is advertised as window.
            If it is too large, waiting packets overflow the memory. `"auto"` is half of it, and a
            buffer that grows has whole segments. Source: Linux 6.1 tcp_adv_win_scale; linux_6_12:
            167/256, scaling_ratio as it was measured. Allowed: 0.01 to 1.0 (it is a share of a whole).
        acks_after_reading: With `counts_memory`: whether an ACK of data that the application can read
            leaves only once it has, if nothing hurries that ACK and the window before reading is
            smaller than the last one. Source: Linux 6.1: sk_rcvlowat of a subflow is 1; linux_6_12: 0,
            mptcp_sockopt_sync_locked, __tcp_ack_snd_check.
        sizes_from_first_read: With `counts_memory`: whether the end that a connection comes to counts
            the round trips by which its receive buffer grows from the application's first read on,
            instead of from the connection's beginning. Source: Linux 6.12 mptcp_stamp; linux_6_1: on,
            mptcp_rcv_space_init with a tcp_mstamp of zero.
        keeps_larger_window: Whether the window of a subflow stays as it was if an ACK that is no news
            to that subflow shows a smaller one. With the data that the same ACK acknowledges, the
            sender then goes beyond the window that its peer advertised, and the peer may discard what
            arrives there. Source: not in RFC 8684; Linux tcp_may_update_window, ack_update_msk.
        capable_syns: How many SYNs ask for Multipath TCP (MP_CAPABLE) before the connection falls back
            to plain TCP. Source: Linux syn_retrans_before_tcp_fallback: 2 retransmissions; mptcp_0_94:
            mptcp_syn_retries 3. Allowed: 1 to 1000 (at least one SYN asks for Multipath TCP; with none,
            use transport kind = "tcp").
        join_syn_retries: How often the SYN of a further subflow (MP_JOIN) is sent again before that
            subflow is given up. Source: multipath-tcp/mptcp, mptcp_syn_retries; linux: tcp_syn_retries
            6. Allowed: 0 to 1000 (each one takes computing time).
        max_subflows: How many subflows a connection may have at a time, at most 32. Source: multipath-
            tcp/mptcp has 31. Allowed: 1 to 32 (a connection has room for 32, its own among them).
        reinject_on_timeout: Whether data that a subflow holds when its timer expires is also given to
            other subflows. Source: multipath-tcp/mptcp; RFC 8684 §3.3.6.
        avoid_failed: Whether a subflow whose timer has expired gets no new data until something arrives
            on it. Source: multipath-tcp/mptcp (pf).
        opportunistic_retransmission: Whether data that blocks the receive window is sent once more, on
            a subflow that has room. Source: Raiciu et al., NSDI 2012 §4.2.
        penalisation: What is done to a subflow that blocks the receive window. Source: Raiciu et al.,
            NSDI 2012 §4.2.
        data_timer: When data is sent again because nothing was acknowledged at the data level for too
            long, and on which subflow. Source: multipath-tcp/mptcp, mptcp_set_rto; linux:
            mptcp_set_timeout, __mptcp_retrans.
        data_rtx_bytes: With `data_timer = "subflows"`: how long the fragments are in which the send
            queue keeps the stream. When the timer expires, the rest of the oldest fragment is sent
            again, in whole segments. Where queues are filled and count as memory, fragments are as the
            application has written them instead. Source: one segment; linux: a page fragment of 32 KiB
            without its head, 32728 B. Allowed: 1 B to 1 GB (so much is sent at once).
        min_data_rto: The shortest timeout of the data level. Source: Linux TCP_RTO_MIN. Allowed: 100 us
            to 1000 h (each timeout takes computing time).
        stale_loss_cnt: After more timeouts of the data level than this without a sign of life, a
            subflow counts as stale if another one is better off: it is not used until something arrives
            on it. 0 is never. Source: off; Linux stale_loss_cnt: 4.
        reinject_all: What is sent again because a subflow is stale or lost. If true, everything that is
            not acknowledged at the data level, whichever subflow carries it; if false, what that
            subflow held. Source: Linux, __mptcp_retransmit_pending_data.
        closes_in_order: Whether the subflows of an address that is gone are closed in order, and those
            on which the other end sends a FIN: each still sends what it holds, then its own FIN, and
            takes up capacity with that if the address returns, though others have sent the same data by
            then. If false, they are reset. Source: RFC 8684 §3.4.2 leaves it open; Linux
            __mptcp_close_ssk.
        takes_after_close: With `closes_in_order`: whether data is still taken that comes on the
            connection's first subflow after its address is gone. If false, it is acknowledged there and
            thrown away; what no other subflow brings is missing until the other end has found that out.
            Source: linux_6_12: false, mptcp_data_ready.
        speaker: On which usable subflow an ACK with news of addresses is sent, if no other packet can
            carry it. If several paths fail at once, REMOVE_ADDR may be lost on one of them. Source: not
            in RFC 8684; linux: first, mptcp_pm_nl_addr_send_ack.
        add_addr_retries: How often ADD_ADDR is repeated if it is not echoed. `"auto"` is until it is
            echoed. Source: RFC 8684 §3.4.1; Linux ADD_ADDR_RETRANS_MAX: 3; mptcp_0_94: 0.
        add_addr_wait: How long that echo is waited for. A short wait repeats what only waits in a
            queue. Source: RFC 8684 §3.4.1 leaves it open; Linux 6.1 and 6.12: timeout,
            mptcp_pm_add_timer.
        add_addr_timeout: The longest wait. Source: Linux add_addr_timeout. Allowed: 1 ms to 1000 h
            (each repetition takes computing time).
        add_addr_echo: Whether a received ADD_ADDR is echoed. Source: RFC 8684 §3.4.1; not in RFC 6824,
            which mptcp_0_94 speaks.
        new_address_ids: Whether an address that comes back after it was withdrawn gets a new id.
            Source: off; multipath-tcp/mptcp, mptcp_fullmesh.c: the next free slot.
        close_timeout: For how long a connection that has lost all its subflows waits for a new one.
            Source: Linux close_timeout. Allowed: 0 s to 1000 h (closed sockets are kept for so long).
        mss: How many bytes of payload a full segment has; TCP options are added to it. The smaller
            value of both ends is used. Source: Ethernet MTU less 40 bytes of headers. Allowed: 1 B to
            65475 B (a packet of at most 65535 B leaves 65475 B beside the headers).
        iw: The initial window, in packets. A large one loses packets where queues are short. `"auto"`
            is min(10 MSS, max(2 MSS, 14600 B)). Source: RFC 6928 §2. Allowed: 1 to 1000000 (so many
            packets are sent at once).
        initial_ssthresh: The slow-start threshold at the beginning, in packets. `"auto"` is unlimited.
            Source: RFC 5681 §3.1. Allowed: 1 to 1000000000 (no window is larger or smaller).
        window: The largest window that the sender uses, in packets (ns-2's `window_`), in addition to
            cwnd and the receiver's window. `"auto"` is no such limit. Source: RFC 9293. Allowed: 1 to
            1000000000 (no window is larger or smaller).
        sack: Whether selective acknowledgments (SACK) are used; both ends must have them on. Source:
            RFC 2018.
        sack_reports: Which ranges a receiver reports by SACK if there are many. Source: RFC 2018 §4.
        timestamps: Whether TCP timestamps are used; both ends must have them on. They take 12 bytes in
            each segment, allow PAWS, and allow round-trip samples from retransmissions. Source: RFC
            7323.
        paws: Which segments are refused because their timestamp is older than one that has arrived. If
            ACKs are reordered, the overtaken ones are refused, and what they say is lost. Source: RFC
            7323 §5.3.
        window_scale: Whether window scaling is used. Without it the receive window is at most 65535
            bytes. Source: RFC 7323 §2.
        ecn: Whether explicit congestion notification is used; both ends must have it on. Source: RFC
            3168.
        ecn_echo: How a receiver tells the sender of ECN marks. A sender that expects another way
            misjudges how many there were. Source: as the congestion control asks.
        send_buffer: How much data may be sent and not yet acknowledged; further data waits in the
            application. `"auto"` is unlimited. Source: unlimited, so that the network is what limits.
        receive_buffer: The size of the receive buffer, which limits the advertised window. If it is
            smaller than the bandwidth-delay product, it limits throughput. If you set it, its size is
            fixed, and `tcp_rmem` has no effect. Source: Linux tcp_rmem maximum.
        tcp_rmem: The smallest, initial and largest memory of a receive buffer that grows with what the
            application reads in a round trip, instead of `receive_buffer`. At most half of the memory
            is advertised as window. `"auto"` turns this off. Source: off; Linux tcp_rmem,
            tcp_rcv_space_adjust.
        tcp_window_share: The share of such a receive buffer that is advertised, once a full segment has
            arrived: its payload over the memory that it takes. `"auto"` is half, whatever arrives.
            Source: Linux 6.1 tcp_adv_win_scale; 6.12: 170/256, scaling_ratio as it was measured.
            Allowed: 0.01 to 1.0 (it is a share of a whole).
        tcp_wmem: The smallest, initial and largest memory of a send buffer that grows with the window,
            unless `send_buffer` is set. `"auto"` turns this off. Source: off; Linux tcp_wmem,
            tcp_sndbuf_expand.
        packet_overhead: How much memory a packet takes in a receive buffer that grows, beyond the
            payload of a full one; a short one takes as much. If it is large, windows are smaller while
            packets wait. Source: Linux with wireless: tcp_stream_alloc_skb with MAX_TCP_HEADER, on 64
            bits; linux: 728 B, as it was measured.
        send_overhead: How much memory a packet takes in a send buffer that grows, beyond its payload.
            If it is large, less waits there. Source: Linux with wireless: tcp_stream_alloc_skb with
            MAX_TCP_HEADER, on 64 bits; without, as traces say: 6.12 832 B, 6.1 768 B.
        segment_memory: The memory for each segment of the congestion window, of which a tuned send
            buffer has twice as much. Source: Linux tcp_sndbuf_expand: 1460 B and 640 B for headers and
            bookkeeping, rounded up to 4096, and 256; in kernels without wireless, as in User-Mode
            Linux, 2304 B. Allowed: 1 B to 1 MB (buffers are multiples of it).
        min_rto: The smallest retransmission timeout (RTO). If it is small, there are timeouts without a
            loss; if it is large, a sender stalls for long after one. Source: RFC 6298 §2.4. Allowed: 10
            us to 1000 h (each timeout takes computing time).
        rto_floor: What `min_rto` limits. Source: RFC 6298 §2.4.
        initial_rto: The retransmission timeout before the first round-trip sample. Source: RFC 6298
            §2.1. Allowed: 10 us to 1000 h (each timeout takes computing time).
        max_rto: The largest retransmission timeout, doubled ones included. Source: RFC 6298 §2.5.
            Allowed: 10 us to 1000 h (each timeout takes computing time).
        clock_granularity: G, the granularity of the clock: at least so much is added to the smoothed
            round-trip time to give the timeout. Source: RFC 6298 §2. Allowed: 0 s to 1 h (timeouts add
            it).
        rtt_tick: Round-trip times and timeouts are counted in ticks of this length. Zero means exact
            nanoseconds. Source: exact. Allowed: 0 s to 1 h (timeouts are multiples of it).
        rtt_sampling: Which segments give samples of the round-trip time. Source: RFC 6298 §3.
        rtt_variance: How the variance of round-trip times enters the timeout. With `peak`, queues that
            build up cause fewer timeouts. Source: RFC 6298 §2.
        rto_restart: Whether the retransmission timer also restarts when the oldest segment is sent
            again, and at a SACK of data that was sent before that. If false, it may expire while a lost
            retransmission is being repaired. Source: RFC 6298 §5.3: at ACKs of new data; Linux
            tcp_xmit_retransmit_queue, tcp_clean_rtx_queue.
        delayed_ack: After how many segments an ACK is sent at the latest; 0 or 1 acknowledges each one.
            Source: RFC 5681 §4.2.
        delayed_ack_timeout: How long an ACK is delayed at most. If it is longer than the sender's RTO,
            it causes timeouts without a loss. Source: RFC 1122 §4.2.3.2: at most 500 ms. Allowed: 0 s
            to 1 h (senders wait for it).
        ack_delay: Whether the delay of ACKs adapts to the time between segments. Source: RFC 1122
            §4.2.3.2.
        jiffy: The tick of the clock that timers use. They expire with a tick, up to an eighth of the
            wait late; those for loss probes and reordering two ticks later. Zero is exact. Source:
            exact; Linux kernel/time/timer.c, with CONFIG_HZ=1000. Allowed: 0 s to 100 ms (timers would
            be seconds late).
        handshake_ack: Whether the ACK that ends the handshake is sent by itself even if data is
            waiting. Source: RFC 9293 §3.5: it may carry data; Linux tcp_rcv_synsent_state_process.
        spared_syns: How often a SYN or SYN-ACK may be sent again without the initial window being one
            packet for that. Source: RFC 5681 §3.1; Linux tcp_init_transfer: once.
        push_acks: Whether segments with PSH, and those below full size, are acknowledged at once if the
            application has read everything, since the sender may have no more to send. If false, a
            single segment waits for `delayed_ack_timeout` or for another segment. Source: RFC 5681
            §4.2; Linux tcp_measure_rcv_mss, tcp_cleanup_rbuf.
        ack_compression: For how long ACKs are put together while a segment is missing, from the fourth
            on, but for a twentieth of the round-trip time at most. The sender then learns of several
            SACKed segments at a time. With zero, each is acknowledged at once. Needs SACK. Source: RFC
            5681 §4.2: at once; Linux tcp_comp_sack_delay_ns is 1 ms. Allowed: 0 s to 1 h (senders wait
            for it).
        quick_acks: So many segments at the start, and as many after a duplicate, are acknowledged at
            once, whatever `delayed_ack` says. Source: RFC 5681.
        quick_ecn: Whether further segments are acknowledged at once, because the sender's window may be
            very small: the first mark after a CWR, a CWR itself, and packets that cannot be marked
            though others can. Source: RFC 3168; Linux tcp_ecn_check_ce, tcp_ecn_accept_cwr.
        limited_transmit: Whether the first two duplicate ACKs each let out a segment of new data.
            Source: RFC 3042.
        limited_after_rto: Whether duplicate ACKs also let out segments while a timeout is repaired
            without SACK: the next segment, even if it was sent before. Many of these are needless.
            Source: RFC 3042: new data only; ns-2 NewRenoTcpAgent::recv, send_one.
        sack_rescue: Whether in fast recovery, with nothing new to send, data is sent again that may be
            lost: rules 3 and 4 of NextSeg. Source: RFC 6675 §4.
        repair_holes: Whether fast recovery repairs every hole below the highest SACK before new data is
            sent, even if too little above it was SACKed to call it lost. Reordered packets then cause
            needless retransmissions. Source: RFC 6675 §4: IsLost first; ns-2 tcp-sack1.cc repairs all.
        pipe: How a sender with SACK counts what is in the network. ns-2's count sends less where
            several segments of a small window are lost at once. With `rack` it is always RFC 6675's.
            Source: RFC 6675 §4; ns-2 Sack1TcpAgent::recv.
        sack_after_rto: Whether a timeout keeps what was SACKed, and SACKs count while it is repaired.
            If false, everything from the oldest segment on is sent again. Source: RFC 6675 §5.1; ns-2
            clears its scoreboard.
        ecn_fallback: Whether a SYN that is sent again no longer asks for ECN, so that a network that
            drops SYNs with ECN does not block connections. Source: RFC 3168 §6.1.1.1: a host may; Linux
            tcp_ecn_fallback.
        dup_thresh: How many duplicate ACKs mean that a segment is lost. With more, reordering is
            tolerated better, but losses are noticed later. Source: RFC 5681 §3.2. Allowed: 1 to 255
            (without a duplicate ACK there is no sign of a loss).
        halve_base: What is halved when a loss is found. Source: RFC 5681 equation 4.
        repeated_rto_ssthresh: Whether a second timeout of the same segment lowers ssthresh again.
            Source: RFC 5681 §3.1.
        rto_window: The window at the beginning of the repair after a timeout. Source: RFC 5681 §3.1.
        rto_after_mark: Whether a timeout lowers ssthresh if the last reduction was for an ECN mark.
            Source: RFC 5681 §3.1; ns-2 TcpAgent::timeout.
        ecn_least: The smallest window to which ECN marks can reduce a sender. With two segments, marks
            cannot slow down many flows with small windows. Source: RFC 3168 §6.1.2; ns-2 TcpAgent::ecn.
        window_unit: The unit in which windows are counted. Source: RFC 5681.
        increase: How the growth of the window is counted. Source: RFC 3465.
        abc_limit: L: by how many MSS slow start grows at most for each ACK; after a timeout it is 1.
            Source: RFC 5681 §3.1.
        cwnd_validation: Whether cwnd grows only while it is what limits the sender. Source: RFC 2861,
            RFC 9002 §7.8.
        lasting_limit: Whether a window that was full at some time in a round trip counts as full for
            all of it, and slow start may go on to twice what was in flight. If false, a sender with
            little data hardly grows. Works only with one of `rack`, `tlp`, `prr`. Source: RFC 2861
            §3.1: when full; Linux tcp_cwnd_validate, tcp_is_cwnd_limited.
        recovery_exit: The window at the end of a recovery without SACK. Source: RFC 6582 §3.2.
        impatient: Whether the retransmission timer is restarted only at the first partial ACK
            (impatient), or, if false, at each. Source: RFC 6582 §4.
        idle_restart: What happens to cwnd after an idle period longer than the RTO. Source: RFC 5681
            §4.1.
        data_retries: After how many timeouts in a row without an ACK of new data the connection gives
            up. `"auto"` is never. Source: RFC 1122 §4.2.3.5: R2 at least 100 s.
        syn_retries: After how many retransmissions of a SYN the connection gives up. `"auto"` is never.
            Source: RFC 1122 §4.2.3.5: R2 for SYN at least 3 minutes.
        max_burst: How many new segments may be sent in answer to one ACK; 0 is no limit. Source: off.
        pacing: Whether data is sent evenly spaced, by a timer, instead of in bursts after each ACK.
            Source: Linux: with fq, or where the algorithm asks; tcp_pacing_ss_ratio,
            tcp_pacing_ca_ratio.
        tso: Whether data is sent in packets of several segments (as many as take a millisecond, at
            least two), which are divided below TCP. If the window has room for fewer, they wait for the
            next ACK if that is expected soon. Such bursts make queues longer. Paced data is sent
            segment by segment, and so is that of Multipath TCP unless its scheduler fills queues.
            Source: off: each segment by itself; Linux tcp_tso_autosize, tcp_tso_should_defer.
        fills_short_packets: With `tso`: whether a packet that ends early, as it ends what was written
            into it, takes what it lacks from the next one. If not, a packet may have fewer segments
            than the window has room for. Source: Linux 6.12 tcp_grow_skb; 6.1: off.
        nagle: When a small segment waits for acknowledgments. If it does, the end of each message takes
            a round trip longer. Source: off, as simulated applications write in bulk.
        rack: Whether a segment counts as lost once a segment sent sufficiently later was delivered,
            instead of by counting what was SACKed above it. This repairs lost retransmissions and
            tolerates reordering. Needs SACK. Source: RFC 8985 §6; off: RFC 6675.
        tlp: Whether, after two round trips without an ACK, a segment is sent to provoke one, so that
            losses at the end of a flight need no timeout. Needs SACK; `rack` then finds what the ACK
            shows to be lost. Source: RFC 8985 §7.
        prr: How much may be sent for each ACK of a fast recovery (proportional rate reduction), and
            what bounds it once less than ssthresh is in flight (RFC 6937 §3). Source: RFC 6937.
        frto: Whether a timeout is first tested: new data is sent before anything is repaired, and if
            data that was not sent again is then acknowledged, nothing was lost and the timeout is
            undone. Source: RFC 5682.
        eifel: Whether a recovery is undone if its first ACK carries a timestamp from before the
            retransmission. Needs timestamps. Source: RFC 3522.
        dsack_undo: Whether a recovery is undone once D-SACK has reported each of its retransmissions as
            a duplicate. Source: RFC 3708 §3.
        heeds_local_drops: Of a subflow of Multipath TCP: whether what this host's own interface drops
            because it is down counts as congestion. The window is then lowered as for a mark, and no
            timeout is undone in a way that gives it back. Source: Linux: a packet that a queue drops,
            tcp_enter_cwr.
        undo_response: What undoing a reduction does. Source: Linux; RFC 4015 for eifel.
        max_dup_thresh: Up to how many segments observed reordering may raise `dup_thresh`; 0 leaves it
            as it is. If it is large, losses in small windows must wait for the timeout. Source: off;
            Linux tcp_max_reordering is 300.
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
        dup_limit: How many segments duplicate ACKs may let out in a fast recovery without SACK.
            `"flight"` takes from receivers that repeat ACKs (`misbehaviour`) what they gain, but also
            takes part of the window from honest ones if a recovery takes several round trips. Source:
            RFC 5681 §3.2: may be limited; Linux and ns-3 count so.
        misbehaviour: What this endpoint does although it must not, for studies of attacks (Savage et
            al., CCR 29(5), 1999). Source: RFC 5681 §5.
        misbehaviour_degree: Into how many pieces ACKs are divided, how many segments ahead they are, or
            how often they are repeated. Source: Savage et al. 1999. Allowed: 1 to 1000 (each segment
            causes so many ACKs, which takes computing time).
        handshake: How a connection is opened. Source: RFC 9293 §3.5.
        persist_timeout: The time to the first probe of a closed receive window. `"auto"` is the RTO.
            Source: RFC 9293 §3.8.6.1. Allowed: 1 ms to 1000 h (each probe takes computing time).
        time_wait: For how long a closed connection stays in the state TIME-WAIT. Source: Linux
            TCP_TIMEWAIT_LEN. Allowed: 0 s to 1000 h (closed sockets are kept for so long).
        cc: The congestion control: a coupled one, for all subflows together, or one of TCP's, for each
            subflow by itself. Default: of the profile: lia, ns3 linked_increases, linux cubic.
        header: How many bytes of headers each packet has in addition to its payload. "auto" is the real
            size. Default: the real headers (ns2: 40 B).
        path_manager: The path manager: which subflows are opened and closed. Default: of the profile:
            fullmesh, linux linux.
        profile: The implementation that the connection behaves like. It sets the defaults of the other
            keys and of all parameters. Default: rfc.
        scheduler: The scheduler: which subflow carries which data. Default: of the profile: lowest_rtt,
            ns3 round_robin, linux linux.
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
    hands_out: Literal["packets", "fragments"] | None = None
    first_window: types.Size | Literal["auto"] | None = None
    window_share: float | Literal["auto"] | None = None
    acks_after_reading: bool | None = None
    sizes_from_first_read: bool | None = None
    keeps_larger_window: bool | None = None
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
    closes_in_order: bool | None = None
    takes_after_close: bool | None = None
    speaker: Literal["fastest", "first"] | None = None
    add_addr_retries: int | Literal["auto"] | None = None
    add_addr_wait: Literal["rto", "timeout"] | None = None
    add_addr_timeout: types.Duration | None = None
    add_addr_echo: bool | None = None
    new_address_ids: bool | None = None
    close_timeout: types.Duration | None = None
    mss: types.Size | None = None
    iw: int | Literal["auto"] | None = None
    initial_ssthresh: int | Literal["auto"] | None = None
    window: int | Literal["auto"] | None = None
    sack: bool | None = None
    sack_reports: Literal["ranges", "remembered"] | None = None
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
    send_overhead: types.Size | None = None
    segment_memory: types.Size | None = None
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
    spared_syns: int | None = None
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
    fills_short_packets: bool | None = None
    nagle: Literal["off", "rfc896", "minshall"] | None = None
    rack: bool | None = None
    tlp: bool | None = None
    prr: Literal["off", "crb", "ssrb", "linux"] | None = None
    frto: bool | None = None
    eifel: bool | None = None
    dsack_undo: bool | None = None
    heeds_local_drops: bool | None = None
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
    """UDP. It sends without regard to losses and marks.

    Args:
        ecn: Whether packets are ECN-capable. Queues then mark them instead of dropping them; the sender
            ignores the marks. Default: false.
        header: How many bytes of headers each packet has in addition to its payload. Default: 28 B.
    """

    _kind: ClassVar[str] = "udp"

    _: KW_ONLY
    ecn: bool | None = None
    header: types.Size | None = None

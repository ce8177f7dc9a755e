//! Behaviour of TCP implementations where RFCs leave a choice, or where an implementation departs from them.

use super::choices::{
    AckDelay, DupLimit, EcnEcho, EcnLeast, HalveBase, Handshake, IdleRestart, Increase, Paws, Pipe, Prr,
    RecoveryExit, RepeatedRto, RtoAfterMark, RtoFloor, RtoWindow, RttSampling, RttVariance, SackReports,
    UndoResponse, WindowUnit,
};
use tailrace_core::{Bytes, Duration, parameters};

parameters! {
    /// Behaviour of a TCP implementation. A profile is a value of it; single parameters can be overridden.
    pub struct TcpBehaviour = RFC {
        /// Choice of the ranges that a receiver reports by SACK if there are many.
        sack_reports: SackReports = SackReports::Ranges, "RFC 2018 §4";
        /// Segments that are refused because their timestamp is older than one that has arrived. If ACKs are reordered, the
        /// overtaken ones are refused, and the news in them is lost.
        paws: Paws = Paws::All, "RFC 7323 §5.3";
        /// Signal by which a receiver tells the sender of ECN marks. A sender that expects another signal misjudges the number of
        /// marks.
        ecn_echo: EcnEcho = EcnEcho::Auto, "as the congestion control asks";
        /// The share of such a receive buffer that is advertised, once a full segment has arrived: its payload over the
        /// memory that it takes. `"auto"` is half, whatever arrives.
        tcp_window_share: Option<f64> = None, "Linux 6.1 tcp_adv_win_scale; 6.12: 170/256, scaling_ratio as it was measured", in 0.01..=1.0: "so small a share leaves no window | it is a share of a whole";
        /// Memory of a packet in a receive buffer that grows, beyond the payload of a full packet; a short one takes as much. If it
        /// is large, windows are smaller while packets wait.
        packet_overhead: Bytes = Bytes(1280), "Linux with wireless: tcp_stream_alloc_skb with MAX_TCP_HEADER, on 64 bits; linux: 728 B, as it was measured";
        /// Memory of a packet in a send buffer that grows, beyond its payload. If it is large, less data waits there.
        send_overhead: Bytes = Bytes(1280), "Linux with wireless: tcp_stream_alloc_skb with MAX_TCP_HEADER, on 64 bits; without, as traces say: 6.12 832 B, 6.1 768 B";
        /// The memory for each segment of the congestion window, of which a tuned send buffer has twice as much.
        segment_memory: Bytes = Bytes(4352), "Linux tcp_sndbuf_expand: 1460 B and 640 B for headers and bookkeeping, rounded up to 4096, and 256; in kernels without wireless, as in User-Mode Linux, 2304 B", in "1 B"..="1 MB": "a segment takes some memory | no segment takes so much";
        /// Quantity that `min_rto` limits.
        rto_floor: RtoFloor = RtoFloor::Rto, "RFC 6298 §2.4";
        /// G, the granularity of the clock: at least so much is added to the smoothed round-trip time to give the
        /// timeout.
        clock_granularity: Duration = Duration::from_millis(1), "RFC 6298 §2", in "0 s"..="1 h": "timeouts add it";
        /// Round-trip times and timeouts are counted in ticks of this length. Zero means exact nanoseconds.
        rtt_tick: Duration = Duration::ZERO, "exact", in "0 s"..="1 h": "timeouts are multiples of it";
        /// Segments that give samples of the round-trip time.
        rtt_sampling: RttSampling = RttSampling::EveryAck, "RFC 6298 §3";
        /// Estimate of the variance of round-trip times in the timeout. With `peak`, queues that build up cause fewer timeouts.
        rtt_variance: RttVariance = RttVariance::Mean, "RFC 6298 §2";
        /// Whether the retransmission timer also restarts when the oldest segment is sent again, and at a SACK of
        /// data that was sent before that. If false, it may expire while a lost retransmission is being repaired.
        rto_restart: bool = false, "RFC 6298 §5.3: at ACKs of new data; Linux tcp_xmit_retransmit_queue, tcp_clean_rtx_queue";
        /// Longest delay of an ACK. If it is longer than the sender's RTO, it causes timeouts without a loss.
        delayed_ack_timeout: Duration = Duration::from_millis(200), "RFC 1122 §4.2.3.2: at most 500 ms", in "0 s"..="1 h": "senders wait for it";
        /// Whether the delay of ACKs adapts to the time between segments.
        ack_delay: AckDelay = AckDelay::Fixed, "RFC 1122 §4.2.3.2";
        /// The tick of the clock that timers use. They expire with a tick, up to an eighth of the wait late; those
        /// for loss probes and reordering two ticks later. Zero is exact.
        jiffy: Duration = Duration::ZERO, "exact; Linux kernel/time/timer.c, with CONFIG_HZ=1000", in "0 s"..="100 ms": "timers would be seconds late";
        /// Whether the ACK that ends the handshake is sent by itself even if data is waiting.
        handshake_ack: bool = false, "RFC 9293 §3.5: it may carry data; Linux tcp_rcv_synsent_state_process";
        /// Number of retransmissions of a SYN or SYN-ACK that leave the initial window as it is. After more, it is one packet.
        spared_syns: u8 = 0, "RFC 5681 §3.1; Linux tcp_init_transfer: once";
        /// Whether segments with PSH, and those below full size, are acknowledged at once if the application has read
        /// everything, since the sender may have no more to send. If false, a single segment waits for
        /// `delayed_ack_timeout` or for another segment.
        push_acks: bool = false, "RFC 5681 §4.2; Linux tcp_measure_rcv_mss, tcp_cleanup_rbuf";
        /// For how long ACKs are put together while a segment is missing, from the fourth on, but for a twentieth of
        /// the round-trip time at most. The sender then learns of several SACKed segments at a time. With zero, each
        /// is acknowledged at once. Needs SACK.
        ack_compression: Duration = Duration::ZERO, "RFC 5681 §4.2: at once; Linux tcp_comp_sack_delay_ns is 1 ms", in "0 s"..="1 h": "senders wait for it";
        /// Number of segments at the start, and again after a duplicate, that are acknowledged at once, whatever `delayed_ack` says.
        quick_acks: u16 = 0, "RFC 5681";
        /// Whether further segments are acknowledged at once, because the sender's window may be very small: the
        /// first mark after a CWR, a CWR itself, and packets that cannot be marked though others can.
        quick_ecn: bool = false, "RFC 3168; Linux tcp_ecn_check_ce, tcp_ecn_accept_cwr";
        /// Whether duplicate ACKs also let out segments while a timeout is repaired without SACK: the next segment,
        /// even if it was sent before. Many of these are needless.
        limited_after_rto: bool = false, "RFC 3042: new data only; ns-2 NewRenoTcpAgent::recv, send_one";
        /// Whether in fast recovery, with nothing new to send, data is sent again that may be lost: rules 3 and 4 of
        /// NextSeg.
        sack_rescue: bool = true, "RFC 6675 §4";
        /// Whether fast recovery repairs every hole below the highest SACK before new data is sent, even if too
        /// little above it was SACKed to call it lost. Reordered packets then cause needless retransmissions.
        repair_holes: bool = false, "RFC 6675 §4: IsLost first; ns-2 tcp-sack1.cc repairs all";
        /// Estimate of the data in the network by a sender with SACK. ns-2's sends less if several segments of a small window are
        /// lost at once. With `rack` it is always RFC 6675's.
        pipe: Pipe = Pipe::Rfc6675, "RFC 6675 §4; ns-2 Sack1TcpAgent::recv";
        /// Whether a timeout keeps what was SACKed, and SACKs count while it is repaired. If false, everything from
        /// the oldest segment on is sent again.
        sack_after_rto: bool = true, "RFC 6675 §5.1; ns-2 clears its scoreboard";
        /// Whether a SYN that is sent again no longer asks for ECN, so that a network that drops SYNs with ECN does
        /// not block connections.
        ecn_fallback: bool = false, "RFC 3168 §6.1.1.1: a host may; Linux tcp_ecn_fallback";
        /// Quantity that is halved when a loss is found.
        halve_base: HalveBase = HalveBase::Flight, "RFC 5681 equation 4";
        /// Whether a second timeout of the same segment lowers ssthresh again.
        repeated_rto_ssthresh: RepeatedRto = RepeatedRto::Once, "RFC 5681 §3.1";
        /// The window at the beginning of the repair after a timeout.
        rto_window: RtoWindow = RtoWindow::One, "RFC 5681 §3.1";
        /// Whether a timeout lowers ssthresh if the last reduction was for an ECN mark.
        rto_after_mark: RtoAfterMark = RtoAfterMark::Lower, "RFC 5681 §3.1; ns-2 TcpAgent::timeout";
        /// The smallest window to which ECN marks can reduce a sender. With two segments, marks cannot slow down many
        /// flows with small windows.
        ecn_least: EcnLeast = EcnLeast::OneThenWait, "RFC 3168 §6.1.2; ns-2 TcpAgent::ecn";
        /// The unit in which windows are counted.
        window_unit: WindowUnit = WindowUnit::Bytes, "RFC 5681";
        /// Unit in which the growth of the window is counted.
        increase: Increase = Increase::Bytes, "RFC 3465";
        /// L: by how many MSS slow start grows at most for each ACK; after a timeout it is 1.
        abc_limit: u8 = 1, "RFC 5681 §3.1";
        /// Whether cwnd grows only while it is what limits the sender.
        cwnd_validation: bool = true, "RFC 2861, RFC 9002 §7.8";
        /// Whether a window that was full at some time in a round trip counts as full for all of it, and slow start
        /// may go on to twice what was in flight. If false, a sender with little data hardly grows. Works only with
        /// one of `rack`, `tlp`, `prr`.
        lasting_limit: bool = false, "RFC 2861 §3.1: when full; Linux tcp_cwnd_validate, tcp_is_cwnd_limited";
        /// The window at the end of a recovery without SACK.
        recovery_exit: RecoveryExit = RecoveryExit::Flight, "RFC 6582 §3.2";
        /// Whether the retransmission timer is restarted only at the first partial ACK (impatient), or, if false, at
        /// each.
        impatient: bool = true, "RFC 6582 §4";
        /// Change of cwnd after an idle period longer than the RTO.
        idle_restart: IdleRestart = IdleRestart::Restart, "RFC 5681 §4.1";
        /// Largest number of new segments that one ACK lets out; 0 is no limit.
        max_burst: u64 = 0, "off";
        /// Whether data is sent in packets of several segments (as many as take a millisecond, at least two), which are divided below TCP.
        /// If the window has room for fewer, they wait for the next ACK if that is expected soon. Bursts make queues longer. Paced data is
        /// sent segment by segment, and so is that of Multipath TCP unless its scheduler fills queues.
        tso: bool = false, "off: each segment by itself; Linux tcp_tso_autosize, tcp_tso_should_defer";
        /// With `tso`: whether a packet that ends early, as it ends what was written into it, takes what it lacks from the next one. If
        /// not, a packet may have fewer segments than the window has room for.
        fills_short_packets: bool = true, "Linux 6.12 tcp_grow_skb; 6.1: off";
        /// Amount that each ACK of a fast recovery lets out (proportional rate reduction), and its bound once less than ssthresh is
        /// in flight (RFC 6937 §3).
        prr: Prr = Prr::Off, "RFC 6937";
        /// Whether a timeout is first tested: new data is sent before anything is repaired, and if data that was not
        /// sent again is then acknowledged, nothing was lost and the timeout is undone.
        frto: bool = false, "RFC 5682";
        /// Whether a recovery is undone if its first ACK carries a timestamp from before the retransmission. Needs
        /// timestamps.
        eifel: bool = false, "RFC 3522";
        /// Whether a recovery is undone once D-SACK has reported each of its retransmissions as a duplicate.
        dsack_undo: bool = false, "RFC 3708 §3";
        /// Whether packets that this host's own interface drops because it is down count as congestion, of plain TCP and of each
        /// subflow of Multipath TCP. The window is then lowered as for a mark, and no timeout is undone in a way that restores it.
        heeds_local_drops: bool = false, "Linux: a packet that a queue drops, tcp_enter_cwr";
        /// Effect of undoing a reduction.
        undo_response: UndoResponse = UndoResponse::Restore, "Linux; RFC 4015 for eifel";
        /// Up to how many segments observed reordering may raise `dup_thresh`; 0 leaves it as it is. If it is large,
        /// losses in small windows must wait for the timeout.
        max_dup_thresh: u16 = 0, "off; Linux tcp_max_reordering is 300";
        /// Whether packets out of order suspend congestion control and undo what it did just before (TCP-DOOR). This
        /// is for mobile ad-hoc networks, where reordering means a changed route. It is noticed from ACKs that fall
        /// back and from SACK, without options of its own.
        door: bool = false, "Wang and Zhang 2002, TCP-DOOR";
        /// T1, for how many smoothed round-trip times `door` suspends congestion control.
        door_disable: f64 = 1.0, "a reading: Wang and Zhang 2002 give the order of a round trip", in 0.0..=1000000.0: "it is a number of round trips, not negative | no run has so many";
        /// T2, how many smoothed round-trip times old a reduction may be for `door` to undo it.
        door_revert: f64 = 1.0, "a reading: Wang and Zhang 2002 give the order of a round trip", in 0.0..=1000000.0: "it is a number of round trips, not negative | no run has so many";
        /// Largest number of segments that duplicate ACKs let out in a fast recovery without SACK. `"flight"` denies receivers that
        /// repeat ACKs (`misbehaviour`) their gain, but also takes part of the window from honest ones if a recovery takes several
        /// round trips.
        dup_limit: DupLimit = DupLimit::Outstanding, "RFC 5681 §3.2: may be limited; Linux and ns-3 count so";
        /// Handshake that opens a connection.
        handshake: Handshake = Handshake::ThreeWay, "RFC 9293 §3.5";
        /// The time to the first probe of a closed receive window. `"auto"` is the RTO.
        persist_timeout: Option<Duration> = None, "RFC 9293 §3.8.6.1", in "1 ms"..="1000 h": "each probe takes computing time | no run waits that long";
        /// For how long a closed connection stays in the state TIME-WAIT.
        time_wait: Duration = Duration::from_secs(60), "Linux TCP_TIMEWAIT_LEN", in "0 s"..="1000 h": "closed sockets are kept for so long";
    }
}

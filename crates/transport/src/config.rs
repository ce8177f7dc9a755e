//! What can be set on a TCP endpoint, and the four endpoint profiles that fill it in.
//!
//! A profile is a set of defaults, no more: every difference between ns-2, ns-3, Linux and the RFCs that changes
//! results is a field of [`TcpConfig`], so each can be overridden by itself and no code asks for the profile.

use crate::buffer_sizes::BufferSizes;
use tailrace_core::{Bytes, Duration, choices, parameters};

choices! {
    /// Whose defaults an endpoint has.
    pub enum Profile {
        /// The standards as they stand: RFC 5681, 6298, 6582, 6675, 6928.
        Rfc = "rfc",
        /// ns-2's one-way agents (`Agent/TCP` family with `TCPSink`).
        Ns2 = "ns2",
        /// ns-3's `TcpSocketBase`.
        Ns3 = "ns3",
        /// Linux. Multipath TCP's kernels differ: this is the newest that is here.
        Linux = "linux",
        /// Multipath TCP of Linux 6.1.
        Linux61 = "linux_6_1",
        /// Multipath TCP of Linux 6.12.
        Linux612 = "linux_6_12",
        /// Out-of-tree Multipath TCP for Linux, 0.94; its TCP is Linux's.
        Mptcp094 = "mptcp_0_94",
    }
}

choices! {
    /// When a small segment is held back.
    pub enum Nagle {
        /// Never.
        Off = "off",
        /// While any data is unacknowledged (RFC 896; RFC 9293 §3.7.4).
        Rfc896 = "rfc896",
        /// While an earlier small segment is unacknowledged (draft-minshall-nagle-01; Linux, `tcp_minshall_check`): the end
        /// of a message that fills segments before it leaves at once.
        Minshall = "minshall",
    }
}

choices! {
    /// What `min_rto` bounds.
    pub enum RtoFloor {
        /// The whole timeout: RTO >= min_rto.
        Rto = "rto",
        /// Its variance term: RTO >= SRTT + min_rto.
        Variance = "variance",
    }
}

choices! {
    /// What is halved when a loss is found.
    pub enum HalveBase {
        /// The window in use: min(cwnd, `window`).
        Window = "window",
        /// The data in flight (RFC 5681 equation 4).
        Flight = "flight",
    }
}

choices! {
    /// Whether a second timeout of the same segment lowers ssthresh again.
    pub enum RepeatedRto {
        /// Each timeout lowers it.
        Again = "again",
        /// Only the first does (RFC 5681 §3.1).
        Once = "once",
        /// None does while what was sent at the last reduction, for a loss or a mark, is not acknowledged (Linux,
        /// `tcp_enter_loss`).
        Window = "window",
    }
}

choices! {
    /// What a timeout makes of ssthresh where the last reduction was for a congestion mark.
    pub enum RtoAfterMark {
        /// It is lowered, as by every timeout.
        Lower = "lower",
        /// It stays: the mark has lowered it.
        Keep = "keep",
    }
}

choices! {
    /// How long an ACK may be delayed.
    pub enum AckDelay {
        /// `delayed_ack_timeout`.
        Fixed = "fixed",
        /// At least that; longer where segments come further apart or the last delay was in vain, up to the round trip.
        /// After a pause longer than the timeout, and in the beginning, segments are acknowledged at once (Linux,
        /// `tcp_event_data_recv`, `tcp_send_delayed_ack`).
        Adaptive = "adaptive",
    }
}

choices! {
    /// What of the segments that carry an older timestamp than one that has come is refused.
    pub enum Paws {
        /// All but resets (RFC 7323 §5.3 R1, which makes no exception for segments without data).
        All = "all",
        /// Not those older by one tick of the clock, nor ACKs without data that change neither SND.UNA nor the window and
        /// are no older than a timeout: what such an ACK says of SACKs and marks is heard (Linux, `tcp_disordered_ack`).
        LetsAcksPass = "lets_acks_pass",
    }
}

choices! {
    /// The window with which the repair of a timeout begins.
    pub enum RtoWindow {
        /// One segment (RFC 5681 equation 4).
        One = "one",
        /// What is in flight still, as it was sent too recently to count as lost, and one segment (Linux).
        FlightAndOne = "flight_and_one",
    }
}

choices! {
    /// How the variance of round trips becomes the timeout's.
    pub enum RttVariance {
        /// A mean deviation that each sample moves by a quarter (RFC 6298).
        Mean = "mean",
        /// The largest within a round trip, which falls by a quarter of the difference in each that was calmer; shorter
        /// round trips than usual count for little (Linux, `tcp_rtt_estimator`).
        Peak = "peak",
    }
}

choices! {
    /// What a sender with SACK takes to be in the network.
    pub enum Pipe {
        /// What is outstanding but for what is SACKed or lost, and what was sent again (RFC 6675 §4).
        Rfc6675 = "rfc6675",
        /// A count: in fast recovery each ACK takes a segment off and a partial one two, each sent adds one, and lost ones
        /// stay in; every hole below the highest SACK is repaired. Nothing SACKed is remembered outside fast recovery.
        Ns2 = "ns2",
    }
}

choices! {
    /// The least window that congestion marks leave.
    pub enum EcnLeast {
        /// Two segments, as losses do.
        Two = "two",
        /// One segment; a mark at one makes the sender wait for its retransmission timer before it sends the next, and
        /// further ones in a row double that.
        OneThenWait = "one_then_wait",
    }
}

choices! {
    /// The unit in which windows are counted.
    pub enum WindowUnit {
        /// Bytes.
        Bytes = "bytes",
        /// Whole packets: ssthresh, and a cwnd that was lowered to it, is truncated to a multiple of the MSS.
        Packets = "packets",
        /// ns-2's: ssthresh in whole packets; a lowered cwnd keeps its fraction.
        Ns2 = "ns2",
    }
}

choices! {
    /// What the window grows by.
    pub enum Increase {
        /// Bytes acknowledged (RFC 3465).
        Bytes = "bytes",
        /// ACKs counted, however much each acknowledges.
        Acks = "acks",
        /// Bytes that an advancing ACK reports for the first time: what was SACKed before does not count again, and the
        /// ACK that ends a recovery does (Linux, `tcp_newly_delivered`).
        Delivered = "delivered",
    }
}

choices! {
    /// The window with which a NewReno recovery without SACK ends (RFC 6582 §3.2 step 3).
    pub enum RecoveryExit {
        /// min(ssthresh, max(flight, MSS) + MSS): no burst.
        Flight = "flight",
        /// ssthresh.
        Ssthresh = "ssthresh",
    }
}

choices! {
    /// What becomes of cwnd after an idle period longer than the RTO.
    pub enum IdleRestart {
        /// Nothing.
        Off = "off",
        /// It falls to the restart window at once (RFC 5681 §4.1).
        Restart = "restart",
        /// It halves for each RTO that passed, and ssthresh remembers it (RFC 2861).
        Decay = "decay",
    }
}

choices! {
    /// How a connection is opened.
    pub enum Handshake {
        /// SYN, SYN-ACK, ACK.
        ThreeWay = "three_way",
        /// ns-2's: one SYN and its ACK; the first data follows at once and no third segment is sent for its own sake.
        Ns2Syn = "ns2_syn",
    }
}

choices! {
    /// Which segments give round-trip samples.
    pub enum RttSampling {
        /// Every ACK of new data (Karn's rule and timestamps permitting).
        EveryAck = "every_ack",
        /// These, and SACKs of segments that were sent once (Linux).
        AckOrSack = "ack_or_sack",
        /// One timed segment at a time.
        OnePerRtt = "one_per_rtt",
    }
}

choices! {
    /// How a receiver tells of congestion marks.
    pub enum EcnEcho {
        /// As the congestion control asks; both ends of a flow have the same.
        Auto = "auto",
        /// ECE on every ACK from a mark until the sender says that it has reduced its window (RFC 3168 §6.1.3).
        Classic = "classic",
        /// ECE tells whether the segments that the ACK covers were marked; a change is acknowledged at once
        /// (RFC 8257 §3.2).
        Dctcp = "dctcp",
        /// A count of marked packets, modulo eight, in the flags AE, CWR and ECE (RFC 9768), where both ends agree on
        /// it; otherwise as `classic`.
        Accurate = "accurate",
    }
}

choices! {
    /// Whether data leaves evenly spaced.
    pub enum Pacing {
        /// As the congestion control asks.
        Auto = "auto",
        /// Always: at the congestion control's rate, or at 2 cwnd / SRTT in slow start and 1.2 cwnd / SRTT after it.
        On = "on",
        /// Never: as much at once as the window allows.
        Off = "off",
    }
}

choices! {
    /// Proportional rate reduction: how much may be sent for each ACK of a fast recovery, and what bounds it once less
    /// than ssthresh is in flight (RFC 6937 §3).
    pub enum Prr {
        /// None: as much as the lowered window allows.
        Off = "off",
        /// The conservative bound: no more than was delivered.
        Crb = "crb",
        /// The slow-start bound: one segment an ACK more.
        Ssrb = "ssrb",
        /// Linux's: the slow-start bound for ACKs that advance and find no further loss, else the conservative one. What
        /// a mark takes is spread in the same way, over the round trip after it.
        Linux = "linux",
    }
}

choices! {
    /// What follows when a loss turns out to have been none.
    pub enum UndoResponse {
        /// The window is what it was (Linux).
        Restore = "restore",
        /// The same, but without a burst: no larger than the flight and what the ACK covered, at most the initial
        /// window; the timeout becomes more patient (RFC 4015).
        Eifel = "eifel",
    }
}

choices! {
    /// How many segments duplicate ACKs may let out in a fast recovery without SACK.
    pub enum DupLimit {
        /// As many as are out at the time, but for the missing one: each that is let out makes room for another (Linux
        /// `tcp_limit_reno_sacked`, ns-3 `TcpTxBuffer::AddRenoSack`).
        Outstanding = "outstanding",
        /// As many as were out when the recovery began, but for the missing one (the note to RFC 5681 §3.2 step 4).
        Flight = "flight",
    }
}

choices! {
    /// What an endpoint does that it must not, for studies of attacks (Savage et al., CCR 29(5), 1999).
    pub enum Misbehaviour {
        /// Nothing.
        None = "none",
        /// Acknowledges each segment in `misbehaviour_degree` pieces, so that a sender that counts ACKs grows faster.
        AckDivision = "ack_division",
        /// Acknowledges `misbehaviour_degree` segments ahead of what came, and what was lost, so that round trips look
        /// shorter and no loss shows. What its application is given has holes.
        OptimisticAcks = "optimistic_acks",
        /// Repeats ACKs, `misbehaviour_degree` times one that tells what has come and then for each segment until the repair
        /// comes, so that a sender without SACK has about so many segments in flight whatever its window.
        RepeatedAcks = "repeated_acks",
        /// A sender whose window falls neither for losses nor for marks nor for timeouts.
        IgnoresCongestion = "ignores_congestion",
    }
}

parameters! {
    /// Parameters of a TCP endpoint. Counts of packets are in segments of `mss` bytes.
    pub struct TcpConfig {
        /// Payload bytes of a full segment; TCP options come on top. The smaller of both ends' values is used.
        mss: Bytes = Bytes(1460), "Ethernet MTU less 40 bytes of headers", in "1 B"..="65475 B": "a packet of at most 65535 B leaves 65475 B beside the headers";
        /// Initial window in packets; `"auto"` is min(10 MSS, max(2 MSS, 14600 B)). Large ones lose packets at shallow queues.
        iw: Option<u64> = None, "RFC 6928 §2", in 1..=1000000: "so many packets leave at once";
        /// Initial slow-start threshold in packets; `"auto"` is unlimited.
        initial_ssthresh: Option<u64> = None, "RFC 5681 §3.1", in 1..=1000000000: "windows have such sizes";
        /// Largest window the sender uses, in packets (ns-2's `window_`), beside cwnd and the peer's; `"auto"` is none.
        window: Option<u64> = None, "RFC 9293", in 1..=1000000000: "windows have such sizes";
        /// Selective acknowledgments, used where both ends have them on.
        sack: bool = true, "RFC 2018";
        /// Timestamps, used where both ends have them on: 12 bytes a segment, PAWS, samples from retransmissions.
        timestamps: bool = true, "RFC 7323";
        /// What with an older timestamp than has come is refused. With reordering on the way back, ACKs that others overtake
        /// are lost with what they say.
        paws: Paws = Paws::All, "RFC 7323 §5.3";
        /// Window scaling; without it a receive window ends at 65535 bytes.
        window_scale: bool = true, "RFC 7323 §2";
        /// Explicit congestion notification, used where both ends have it on.
        ecn: bool = false, "RFC 3168";
        /// How a receiver tells of congestion marks. A sender of the other kind misreads how many there were.
        ecn_echo: EcnEcho = EcnEcho::Auto, "as the congestion control asks";
        /// How much may be unacknowledged, as what is beyond waits in the application; `"auto"` is unlimited.
        send_buffer: Option<Bytes> = None, "unlimited, so that the network is what limits";
        /// Receive buffer, which bounds the advertised window. Below the bandwidth-delay product it limits throughput. Set by
        /// itself, it is of that size, and `tcp_rmem` does nothing.
        receive_buffer: Bytes = Bytes(6_291_456), "Linux tcp_rmem maximum";
        /// Least, initial and largest memory of a receive buffer that grows with what the application takes in a round
        /// trip, instead of `receive_buffer`; half of it at most is advertised. `"auto"` is none.
        tcp_rmem: Option<BufferSizes> = None, "off; Linux tcp_rmem, tcp_rcv_space_adjust";
        /// Share of such a receive buffer that is advertised, from the first full segment on: its payload over the memory that it
        /// takes. `"auto"` is half, whatever comes.
        tcp_window_share: Option<f64> = None, "Linux 6.1 tcp_adv_win_scale; 6.12: 170/256, scaling_ratio as it was measured", in 0.01..=1.0: "it is a share";
        /// Least, initial and largest memory of a send buffer that grows with the window, unless `send_buffer` is set.
        /// `"auto"` is none.
        tcp_wmem: Option<BufferSizes> = None, "off; Linux tcp_wmem, tcp_sndbuf_expand";
        /// Memory that a packet takes in such a buffer beyond its payload. Large, it makes windows smaller while packets
        /// wait for others.
        packet_overhead: Bytes = Bytes(1280), "Linux 6.1: tcp_stream_alloc_skb with MAX_TCP_HEADER, on 64 bits; 6.12: 728 B, as it was measured";
        /// Smallest retransmission timeout. Small ones cause spurious timeouts, large ones long stalls.
        min_rto: Duration = Duration::from_secs(1), "RFC 6298 §2.4", in "10 us"..="1000 h": "each timeout is an event";
        /// What `min_rto` bounds.
        rto_floor: RtoFloor = RtoFloor::Rto, "RFC 6298 §2.4";
        /// Timeout before the first sample.
        initial_rto: Duration = Duration::from_secs(1), "RFC 6298 §2.1", in "10 us"..="1000 h": "each timeout is an event";
        /// Largest timeout, backoff included.
        max_rto: Duration = Duration::from_secs(60), "RFC 6298 §2.5", in "10 us"..="1000 h": "each timeout is an event";
        /// Clock granularity G: the least that the variance term adds.
        clock_granularity: Duration = Duration::from_millis(1), "RFC 6298 §2", in "0 s"..="1 h": "timeouts add it";
        /// Ticks in which round trips and timeouts are counted; zero means exact nanoseconds.
        rtt_tick: Duration = Duration::ZERO, "exact", in "0 s"..="1 h": "timeouts are multiples of it";
        /// Which segments give round-trip samples.
        rtt_sampling: RttSampling = RttSampling::EveryAck, "RFC 6298 §3";
        /// How the variance of round trips becomes the timeout's. By peaks, queues that build up cause fewer timeouts.
        rtt_variance: RttVariance = RttVariance::Mean, "RFC 6298 §2";
        /// The retransmission timer restarts, too, when the oldest segment is sent again, and at a SACK of what was sent
        /// before that. Otherwise it may expire while a lost retransmission is being repaired.
        rto_restart: bool = false, "RFC 6298 §5.3: at ACKs of new data; Linux tcp_xmit_retransmit_queue, tcp_clean_rtx_queue";
        /// An ACK is sent at the latest for every so many segments; 0 or 1 acknowledges each.
        delayed_ack: u8 = 2, "RFC 5681 §4.2";
        /// Longest delay of an ACK. Above the sender's RTO it causes spurious timeouts.
        delayed_ack_timeout: Duration = Duration::from_millis(200), "RFC 1122 §4.2.3.2: at most 500 ms", in "0 s"..="1 h": "senders wait for it";
        /// Whether the delay follows the distance of segments.
        ack_delay: AckDelay = AckDelay::Fixed, "RFC 1122 §4.2.3.2";
        /// Tick of the clock that timers go by: they expire with one, up to an eighth of the wait late, and those for loss
        /// probes and reordering two ticks later. Zero is exact.
        jiffy: Duration = Duration::ZERO, "exact; Linux kernel/time/timer.c, with CONFIG_HZ=1000", in "0 s"..="100 ms": "timers would be seconds late";
        /// The ACK that ends the handshake leaves by itself, though data waits to be sent.
        handshake_ack: bool = false, "RFC 9293 §3.5: it may carry data; Linux tcp_rcv_synsent_state_process";
        /// Acknowledges at once, too, what the peer has pushed (PSH) or what is less than a full segment, where the application
        /// has read everything: the peer may have no more to send. A lone segment that is not acknowledged waits for the
        /// delay, or for another.
        push_acks: bool = false, "RFC 5681 §4.2; Linux tcp_measure_rcv_mss, tcp_cleanup_rbuf";
        /// While segments wait for one that is missing, ACKs after the third are put together for so long, or a twentieth of the
        /// round trip. The sender hears of several SACKed segments at a time then; zero tells each at once. Needs SACK.
        ack_compression: Duration = Duration::ZERO, "RFC 5681 §4.2: at once; Linux tcp_comp_sack_delay_ns is 1 ms", in "0 s"..="1 h": "senders wait for it";
        /// So many first segments, and as many after a duplicate, are acknowledged at once, delayed ACKs or not.
        quick_acks: u16 = 0, "RFC 5681";
        /// Acknowledges at once, too, what follows the first mark after a CWR, a CWR, and what cannot be marked though others
        /// can: the sender's window may be very small.
        quick_ecn: bool = false, "RFC 3168; Linux tcp_ecn_check_ce, tcp_ecn_accept_cwr";
        /// New data on the first two duplicate ACKs.
        limited_transmit: bool = true, "RFC 3042";
        /// So, too, while a timeout is repaired without SACK: the next segment, be it one sent before. Many of these are
        /// needless.
        limited_after_rto: bool = false, "RFC 3042: new data only; ns-2 NewRenoTcpAgent::recv, send_one";
        /// In fast recovery with nothing new to send, send again what may be lost: NextSeg's rules 3 and 4.
        sack_rescue: bool = true, "RFC 6675 §4";
        /// In fast recovery every hole below the highest SACK is repaired before new data is sent, whether enough is
        /// SACKed above it or not. Reordering costs retransmissions then.
        repair_holes: bool = false, "RFC 6675 §4: IsLost first; ns-2 tcp-sack1.cc repairs all";
        /// What a sender with SACK takes to be in the network. ns-2's counting sends less where several segments of a small
        /// window are lost at once. With `rack` it is RFC 6675's.
        pipe: Pipe = Pipe::Rfc6675, "RFC 6675 §4; ns-2 Sack1TcpAgent::recv";
        /// A timeout keeps what was SACKed, and SACKs count while it is repaired. Otherwise everything from the oldest
        /// segment on is sent again.
        sack_after_rto: bool = true, "RFC 6675 §5.1; ns-2 clears its scoreboard";
        /// A SYN that is sent again no longer asks for ECN, so that a drop of ECN set-ups does not block a connection.
        ecn_fallback: bool = false, "RFC 3168 §6.1.1.1: a host may; Linux tcp_ecn_fallback";
        /// Duplicate ACKs that mean a loss.
        dup_thresh: u8 = 3, "RFC 5681 §3.2", in 1..=255: "a loss needs a sign";
        /// What is halved when a loss is found.
        halve_base: HalveBase = HalveBase::Flight, "RFC 5681 equation 4";
        /// Whether a second timeout of the same segment lowers ssthresh again.
        repeated_rto_ssthresh: RepeatedRto = RepeatedRto::Once, "RFC 5681 §3.1";
        /// The window with which the repair of a timeout begins.
        rto_window: RtoWindow = RtoWindow::One, "RFC 5681 §3.1";
        /// What a timeout makes of ssthresh where the last reduction was for a congestion mark.
        rto_after_mark: RtoAfterMark = RtoAfterMark::Lower, "RFC 5681 §3.1; ns-2 TcpAgent::timeout";
        /// The least window that congestion marks leave. With two, many flows of small windows cannot be slowed by marks.
        ecn_least: EcnLeast = EcnLeast::OneThenWait, "RFC 3168 §6.1.2; ns-2 TcpAgent::ecn";
        /// The unit in which windows are counted.
        window_unit: WindowUnit = WindowUnit::Bytes, "RFC 5681";
        /// What the window grows by.
        increase: Increase = Increase::Bytes, "RFC 3465";
        /// Slow start grows by at most so many MSS an ACK (L); 1 after a timeout.
        abc_limit: u8 = 1, "RFC 5681 §3.1";
        /// cwnd grows only while it is what limits the sender.
        cwnd_validation: bool = true, "RFC 2861, RFC 9002 §7.8";
        /// A window that was full at some time in a round trip counts as full for all of it, and slow start goes on up to
        /// twice the largest flight. Otherwise a sender short of data hardly grows. Only with one of `rack`, `tlp`, `prr`.
        lasting_limit: bool = false, "RFC 2861 §3.1: when full; Linux tcp_cwnd_validate, tcp_is_cwnd_limited";
        /// The window with which a recovery without SACK ends.
        recovery_exit: RecoveryExit = RecoveryExit::Flight, "RFC 6582 §3.2";
        /// Rearm the timer on the first partial ACK only (impatient) or on each.
        impatient: bool = true, "RFC 6582 §4";
        /// What becomes of cwnd after an idle period.
        idle_restart: IdleRestart = IdleRestart::Restart, "RFC 5681 §4.1";
        /// Timeouts in a row without an ACK of new data before giving up; `"auto"` is never.
        data_retries: Option<u64> = Some(15), "RFC 1122 §4.2.3.5: R2 at least 100 s";
        /// Retransmissions of a SYN before giving up; `"auto"` is never.
        syn_retries: Option<u64> = Some(7), "RFC 1122 §4.2.3.5: R2 for SYN at least 3 minutes";
        /// Most new segments sent in answer to one ACK; 0 is no limit.
        max_burst: u64 = 0, "off";
        /// Whether data leaves evenly spaced, by a timer of the endpoint, rather than in bursts after each ACK.
        pacing: Pacing = Pacing::Auto, "Linux: with fq, or where the algorithm asks; tcp_pacing_ss_ratio, tcp_pacing_ca_ratio";
        /// Data leaves in packets of several segments, which are cut up below TCP: a millisecond's worth, at least two. Where the
        /// window has room for fewer they wait for the next ACK, if that is about to come. Bursts make queues longer. Data
        /// that is paced, and that of Multipath TCP, leaves segment by segment.
        tso: bool = false, "off: each segment by itself; Linux tcp_tso_autosize, tcp_tso_should_defer";
        /// Whether a small segment waits for acknowledgments. Held back, the end of each message costs a round trip.
        nagle: Nagle = Nagle::Off, "off, as simulated applications write in bulk";
        /// A segment is lost once one sent sufficiently later was delivered, rather than by counting what was SACKed
        /// above it: repairs lost retransmissions, bears reordering. Needs SACK.
        rack: bool = false, "RFC 8985 §6; off: RFC 6675";
        /// After two round trips without an ACK one segment is sent to provoke one, so that losses at the end of a flight
        /// need no timeout. Needs SACK; what the answer shows to be lost is found by `rack`.
        tlp: bool = false, "RFC 8985 §7";
        /// Fast recovery sends in proportion to what is delivered.
        prr: Prr = Prr::Off, "RFC 6937";
        /// After a timeout new data is sent before anything else is repaired: if data never sent again is acknowledged
        /// then, the timeout was spurious and is undone.
        frto: bool = false, "RFC 5682";
        /// A recovery is undone if its first ACK echoes a timestamp from before the retransmission. Needs timestamps.
        eifel: bool = false, "RFC 3522";
        /// A recovery is undone once D-SACK has reported each of its retransmissions as a duplicate.
        dsack_undo: bool = false, "RFC 3708 §3";
        /// What undoing does.
        undo_response: UndoResponse = UndoResponse::Restore, "Linux; RFC 4015 for eifel";
        /// Reordering that was seen raises `dup_thresh` up to so many segments; 0 leaves it. Large values make losses in
        /// small windows wait for the timeout.
        max_dup_thresh: u16 = 0, "off; Linux tcp_max_reordering is 300";
        /// Arrivals out of order hold congestion control off and undo what it did just before: for mobile ad-hoc networks
        /// where reordering means a changed route. Found by ACKs that fall back and by SACK, without options of its own.
        door: bool = false, "Wang and Zhang 2002, TCP-DOOR";
        /// For how many smoothed round trips congestion control is held off (T1).
        door_disable: f64 = 1.0, "a reading: Wang and Zhang 2002 give the order of a round trip", in 0.0..=1000000.0: "it is a number of round trips";
        /// How many smoothed round trips old a reduction may be to be undone (T2).
        door_revert: f64 = 1.0, "a reading: Wang and Zhang 2002 give the order of a round trip", in 0.0..=1000000.0: "it is a number of round trips";
        /// How many segments duplicate ACKs may let out in a fast recovery without SACK. `"flight"` takes from receivers that
        /// repeat ACKs (`misbehaviour`) what they gain, and from honest ones part of the window in a recovery that takes
        /// several round trips.
        dup_limit: DupLimit = DupLimit::Outstanding, "RFC 5681 §3.2: may be limited; Linux and ns-3 count so";
        /// What the endpoint does that it must not.
        misbehaviour: Misbehaviour = Misbehaviour::None, "RFC 5681 §5";
        /// Into how many pieces ACKs are divided, how many segments ahead they run, or how often they are repeated.
        misbehaviour_degree: u16 = 10, "Savage et al. 1999", in 1..=1000: "each segment makes so many ACKs";
        /// How a connection is opened.
        handshake: Handshake = Handshake::ThreeWay, "RFC 9293 §3.5";
        /// First interval of window probes; `"auto"` is the RTO.
        persist_timeout: Option<Duration> = None, "RFC 9293 §3.8.6.1", in "1 ms"..="1000 h": "each probe is an event";
        /// How long a closed connection lingers in TIME-WAIT.
        time_wait: Duration = Duration::from_secs(60), "Linux TCP_TIMEWAIT_LEN", in "0 s"..="1000 h": "sockets are kept so long";
    }
}

impl Profile {
    /// Upstream Linux, of whatever version.
    pub const fn is_linux(self) -> bool {
        matches!(self, Self::Linux | Self::Linux61 | Self::Linux612)
    }
}

impl TcpConfig {
    /// The defaults of a profile.
    pub fn for_profile(profile: Profile) -> Self {
        match profile {
            Profile::Rfc => Self::default(),
            Profile::Ns2 => Self::ns2(),
            Profile::Ns3 => Self::ns3(),
            Profile::Linux | Profile::Linux612 => Self::linux(),
            Profile::Linux61 => Self::linux_6_1(),
            // Linux 4.14, which has neither.
            Profile::Mptcp094 => {
                Self { push_acks: false, ack_compression: Duration::ZERO, ..Self::linux_6_1() }
            }
        }
    }

    /// ns-2 2.35, `tcl/lib/ns-default.tcl` and `tcp/tcp.cc`.
    fn ns2() -> Self {
        Self {
            mss: Bytes(1000),
            iw: Some(2),
            initial_ssthresh: Some(20),
            window: Some(20),
            timestamps: false,
            receive_buffer: Bytes(1_000_000_000),
            min_rto: Duration::from_millis(200),
            initial_rto: Duration::from_secs(3),
            clock_granularity: Duration::from_millis(10),
            rtt_tick: Duration::from_millis(10),
            rtt_sampling: RttSampling::OnePerRtt,
            delayed_ack: 1,
            delayed_ack_timeout: Duration::from_millis(100),
            halve_base: HalveBase::Window,
            repeated_rto_ssthresh: RepeatedRto::Again,
            rto_after_mark: RtoAfterMark::Keep,
            window_unit: WindowUnit::Ns2,
            increase: Increase::Acks,
            cwnd_validation: false,
            sack_rescue: false,
            limited_after_rto: true,
            repair_holes: true,
            pipe: Pipe::Ns2,
            sack_after_rto: false,
            recovery_exit: RecoveryExit::Ssthresh,
            idle_restart: IdleRestart::Off,
            data_retries: None,
            syn_retries: None,
            handshake: Handshake::Ns2Syn,
            ..Self::default()
        }
    }

    /// ns-3-dev, `src/internet/model/tcp-socket-base.cc` and `tcp-socket.cc`.
    fn ns3() -> Self {
        Self {
            mss: Bytes(536),
            iw: Some(10),
            send_buffer: Some(Bytes(131_072)),
            receive_buffer: Bytes(131_072),
            min_rto: Duration::from_secs(1),
            rtt_tick: Duration::ZERO,
            clock_granularity: Duration::from_millis(1),
            delayed_ack_timeout: Duration::from_millis(200),
            recovery_exit: RecoveryExit::Ssthresh,
            ecn_least: EcnLeast::Two,
            idle_restart: IdleRestart::Off,
            data_retries: Some(6),
            syn_retries: Some(6),
            persist_timeout: Some(Duration::from_secs(6)),
            ..Self::default()
        }
    }

    /// Linux 6.12, `net/ipv4/tcp_{input,output,timer}.c` and `ip-sysctl`.
    fn linux() -> Self {
        Self {
            mss: Bytes(1448),
            iw: Some(10),
            tcp_rmem: Some(BufferSizes { least: 4096, initial: 131_072, most: 6_291_456 }),
            tcp_wmem: Some(BufferSizes { least: 4096, initial: 16_384, most: 4_194_304 }),
            tcp_window_share: Some(170.0 / 256.0),
            packet_overhead: Bytes(728),
            min_rto: Duration::from_millis(200),
            rto_floor: RtoFloor::Variance,
            max_rto: Duration::from_secs(120),
            clock_granularity: Duration::from_micros(1),
            delayed_ack_timeout: Duration::from_millis(40),
            paws: Paws::LetsAcksPass,
            ack_delay: AckDelay::Adaptive,
            jiffy: Duration::from_millis(1),
            handshake_ack: true,
            push_acks: true,
            ack_compression: Duration::from_millis(1),
            quick_acks: 16,
            quick_ecn: true,
            rtt_sampling: RttSampling::AckOrSack,
            rtt_variance: RttVariance::Peak,
            rto_restart: true,
            rto_window: RtoWindow::FlightAndOne,
            repeated_rto_ssthresh: RepeatedRto::Window,
            halve_base: HalveBase::Window,
            window_unit: WindowUnit::Packets,
            increase: Increase::Delivered,
            abc_limit: u8::MAX,
            recovery_exit: RecoveryExit::Ssthresh,
            tso: true,
            nagle: Nagle::Minshall,
            sack_rescue: false,
            ecn_least: EcnLeast::Two,
            ecn_fallback: true,
            rack: true,
            tlp: true,
            prr: Prr::Linux,
            frto: true,
            eifel: true,
            dsack_undo: true,
            max_dup_thresh: 300,
            idle_restart: IdleRestart::Decay,
            syn_retries: Some(6),
            ..Self::default()
        }
    }

    /// What differs in 6.1: `tcp_adv_win_scale`, and how the memory of packets is allotted.
    fn linux_6_1() -> Self {
        Self { tcp_window_share: None, packet_overhead: Bytes(1280), ..Self::linux() }
    }

    /// Initial window for segments of `mss` bytes.
    pub(crate) fn initial_window(&self, mss: u64) -> u64 {
        // RFC 6928 §2 equation 1.
        self.iw.map_or_else(|| (10 * mss).min((2 * mss).max(14_600)), |n| n.max(1).saturating_mul(mss))
    }

    /// The largest window that this end may ever advertise.
    pub fn largest_window(&self) -> u64 {
        let share = self.tcp_window_share.unwrap_or(0.5);
        self.tcp_rmem.map_or(self.receive_buffer.get(), |sizes| (sizes.most as f64 * share) as u64)
    }

    /// The window scale shift this end asks for: the least with which the whole buffer can be advertised.
    pub(crate) fn scale_shift(&self) -> u8 {
        let buffer = self.tcp_rmem.map_or(self.receive_buffer.get(), |sizes| sizes.most);
        (0..14).find(|s| buffer >> s <= 65_535).unwrap_or(14)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tailrace_core::params::Parameters;

    #[test]
    fn initial_window_follows_rfc_6928() {
        // RFC 6928 §2: 10 segments up to 1460 bytes, 14600 bytes up to 7300, 2 segments above.
        let c = TcpConfig::default();
        assert_eq!([536, 1460, 3000, 9000].map(|m| c.initial_window(m)), [5_360, 14_600, 14_600, 18_000]);
    }

    #[test]
    fn every_profile_survives_being_written_and_read_back() {
        for profile in [Profile::Rfc, Profile::Ns2, Profile::Ns3, Profile::Linux] {
            let config = TcpConfig::for_profile(profile);
            let mut copy = TcpConfig::default();
            for p in TcpConfig::params() {
                copy.set(p.name, &config.get(p.name).unwrap()).unwrap();
            }
            assert_eq!(copy, config);
        }
    }

    #[test]
    fn scale_is_the_least_that_covers_the_buffer() {
        let shift = |b| TcpConfig { receive_buffer: Bytes(b), ..TcpConfig::default() }.scale_shift();
        assert_eq!([65_535, 65_536, 131_072, 6_291_456, u64::MAX].map(shift), [0, 1, 2, 7, 14]);
    }
}

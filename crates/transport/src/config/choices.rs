//! The words that parameters of a TCP endpoint take, where they take words.

use tailrace_core::choices;

choices! {
    /// When a small segment is held back.
    pub enum Nagle {
        /// Never.
        Off = "off",
        /// While any data is not yet acknowledged (RFC 896; RFC 9293 §3.7.4).
        Rfc896 = "rfc896",
        /// While an earlier small segment is not yet acknowledged (draft-minshall-nagle-01; Linux,
        /// `tcp_minshall_check`). The end of a message whose other segments are full leaves at once.
        Minshall = "minshall",
    }
}

choices! {
    /// Quantity that `min_rto` limits.
    pub enum RtoFloor {
        /// The whole timeout: RTO >= min_rto.
        Rto = "rto",
        /// Only the part that comes from the variance: RTO >= SRTT + min_rto.
        Variance = "variance",
    }
}

choices! {
    /// Quantity that is halved when a loss is found.
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
        /// Only the first timeout lowers it (RFC 5681 §3.1).
        Once = "once",
        /// No timeout lowers it until all is acknowledged that was sent before the last reduction, for a loss or a
        /// mark (Linux, `tcp_enter_loss`).
        Window = "window",
    }
}

choices! {
    /// Effect of a timeout on ssthresh if the last reduction was for a congestion mark.
    pub enum RtoAfterMark {
        /// It is lowered, as by every timeout.
        Lower = "lower",
        /// It stays, since the mark has lowered it.
        Keep = "keep",
    }
}

choices! {
    /// Delay of ACKs.
    pub enum AckDelay {
        /// Always `delayed_ack_timeout`.
        Fixed = "fixed",
        /// At least that; longer where segments are further apart or the last delay was in vain, up to the round-trip
        /// time. At the beginning, and after a pause longer than the timeout, segments are acknowledged at once. Several
        /// short segments wait as long as they are no more than a full one (Linux, `tcp_event_data_recv`,
        /// `tcp_send_delayed_ack`, `__tcp_ack_snd_check`).
        Adaptive = "adaptive",
    }
}

choices! {
    /// Segments with an older timestamp than one that has arrived, which are refused (PAWS).
    pub enum Paws {
        /// All except resets (RFC 7323 §5.3 R1, which makes no exception for segments without data).
        All = "all",
        /// Some ACKs without data are accepted: those older by one tick of the clock, and those that change neither
        /// SND.UNA nor the window and are no older than a timeout. What such an ACK says about SACKs and marks is
        /// then used (Linux, `tcp_disordered_ack`).
        LetsAcksPass = "lets_acks_pass",
    }
}

choices! {
    /// The window with which the repair of a timeout begins.
    pub enum RtoWindow {
        /// A single segment (RFC 5681 equation 4).
        One = "one",
        /// The segments in flight that were sent too recently to count as lost, and one more (Linux).
        FlightAndOne = "flight_and_one",
    }
}

choices! {
    /// Estimate of the variance of round-trip times.
    pub enum RttVariance {
        /// The mean deviation, which each sample changes by a quarter (RFC 6298).
        Mean = "mean",
        /// The largest deviation within a round trip; after each calmer round trip it falls by a quarter of the
        /// difference. Unusually short round trips count little (Linux, `tcp_rtt_estimator`).
        Peak = "peak",
    }
}

choices! {
    /// Estimate of the data in the network by a sender with SACK.
    pub enum Pipe {
        /// Data that was sent and is neither acknowledged, SACKed nor lost, plus retransmissions (RFC 6675 §4).
        Rfc6675 = "rfc6675",
        /// A count: in fast recovery each ACK subtracts one segment and a partial ACK two, and each segment sent adds
        /// one. Lost segments stay in the count, and every hole below the highest SACK is repaired. Outside of fast
        /// recovery SACKs are forgotten.
        Ns2 = "ns2",
    }
}

choices! {
    /// The least window that congestion marks leave.
    pub enum EcnLeast {
        /// Two segments, as for losses.
        Two = "two",
        /// A single segment. A mark at that window makes the sender wait for its retransmission timer before it sends the
        /// next one; further marks in a row double the wait.
        OneThenWait = "one_then_wait",
    }
}

choices! {
    /// The unit in which windows are counted.
    pub enum WindowUnit {
        /// Bytes.
        Bytes = "bytes",
        /// Whole packets: ssthresh, and a cwnd that was lowered to it, is rounded down to a multiple of the MSS.
        Packets = "packets",
        /// ns-2's unit: ssthresh is in whole packets, and a lowered cwnd keeps its fraction.
        Ns2 = "ns2",
    }
}

choices! {
    /// Unit in which the growth of the window is counted.
    pub enum Increase {
        /// By the bytes that ACKs acknowledge (RFC 3465).
        Bytes = "bytes",
        /// By the number of ACKs, however much each acknowledges.
        Acks = "acks",
        /// By the bytes that an ACK reports for the first time. What was SACKed before does not count again, and the
        /// ACK that ends a recovery counts (Linux, `tcp_newly_delivered`).
        Delivered = "delivered",
    }
}

choices! {
    /// The window with which a NewReno recovery without SACK ends (RFC 6582 §3.2 step 3).
    pub enum RecoveryExit {
        /// min(ssthresh, max(flight, MSS) + MSS), which avoids a burst.
        Flight = "flight",
        /// ssthresh.
        Ssthresh = "ssthresh",
    }
}

choices! {
    /// Change of cwnd after an idle period longer than the RTO.
    pub enum IdleRestart {
        /// Nothing.
        Off = "off",
        /// It falls to the restart window at once (RFC 5681 §4.1).
        Restart = "restart",
        /// It halves for each RTO that has passed, and ssthresh remembers it (RFC 2861).
        Decay = "decay",
    }
}

choices! {
    /// Handshake that opens a connection.
    pub enum Handshake {
        /// SYN, SYN-ACK, ACK.
        ThreeWay = "three_way",
        /// ns-2's: a SYN and its ACK; data follows at once, and there is no third segment for the handshake
        /// alone.
        Ns2Syn = "ns2_syn",
    }
}

choices! {
    /// Choice of the ranges above a gap that a receiver reports by SACK.
    pub enum SackReports {
        /// Ranges in the order of their last growth, latest first, each to its full extent (RFC 2018 §4).
        Ranges = "ranges",
        /// The last four that have grown. What is forgotten of one is not reported again (Linux,
        /// `tcp_sack_new_ofo_skb`).
        Remembered = "remembered",
    }
}

choices! {
    /// Segments that give round-trip samples.
    pub enum RttSampling {
        /// Every ACK of new data (where Karn's rule and timestamps permit).
        EveryAck = "every_ack",
        /// The same, and SACKs of segments that were sent once (Linux).
        AckOrSack = "ack_or_sack",
        /// A single segment is timed at a time.
        OnePerRtt = "one_per_rtt",
    }
}

choices! {
    /// Signal by which a receiver tells of congestion marks.
    pub enum EcnEcho {
        /// The signal that the congestion control asks for; both ends of a flow have the same control.
        Auto = "auto",
        /// With the flag ECE on every ACK after a mark, until the sender says that it has reduced its window (RFC
        /// 3168 §6.1.3).
        Classic = "classic",
        /// ECE says whether the segments that the ACK covers were marked; a change is acknowledged at once (RFC 8257
        /// §3.2).
        Dctcp = "dctcp",
        /// By a count of marked packets, modulo eight, in the flags AE, CWR and ECE (RFC 9768), if both ends agree on
        /// it; otherwise as `classic`.
        Accurate = "accurate",
    }
}

choices! {
    /// Whether data leaves evenly spaced.
    pub enum Pacing {
        /// Pacing if the congestion control asks for it.
        Auto = "auto",
        /// Always: at the congestion control's rate; if it has none, at 2 cwnd / SRTT in slow start and 1.2 cwnd /
        /// SRTT after it.
        On = "on",
        /// Never: as much at once as the window allows.
        Off = "off",
    }
}

choices! {
    /// Proportional rate reduction: how much may be sent for each ACK of a fast recovery, and what bounds it once less
    /// than ssthresh is in flight (RFC 6937 §3).
    pub enum Prr {
        /// No such reduction: as much may be sent as the lowered window allows.
        Off = "off",
        /// The conservative bound: no more than was delivered.
        Crb = "crb",
        /// The slow-start bound: one segment more for each ACK.
        Ssrb = "ssrb",
        /// Linux's bound: the slow-start bound for ACKs that advance and report no further loss, otherwise the
        /// conservative bound. A reduction for a mark is spread over the next round trip in the same way.
        Linux = "linux",
    }
}

choices! {
    /// Effect of undoing a reduction, when a loss turns out to have been none.
    pub enum UndoResponse {
        /// The window is set back to what it was (Linux).
        Restore = "restore",
        /// The same, but without a burst: the window is no larger than what is in flight and what the ACK covered, at
        /// most the initial window, and timeouts become longer (RFC 4015).
        Eifel = "eifel",
    }
}

choices! {
    /// Limit of the segments that duplicate ACKs let out in a fast recovery without SACK.
    pub enum DupLimit {
        /// The number outstanding at the time, without the missing one; each new segment makes room for another
        /// (Linux `tcp_limit_reno_sacked`, ns-3 `TcpTxBuffer::AddRenoSack`).
        Outstanding = "outstanding",
        /// The number outstanding when the recovery began, without the missing one (the note to RFC 5681 §3.2
        /// step 4).
        Flight = "flight",
    }
}

choices! {
    /// Forbidden behaviour of an endpoint, for studies of attacks (Savage et al., CCR 29(5), 1999).
    pub enum Misbehaviour {
        /// None.
        None = "none",
        /// It acknowledges each segment in `misbehaviour_degree` pieces, so that a sender that counts ACKs grows
        /// faster.
        AckDivision = "ack_division",
        /// It acknowledges `misbehaviour_degree` segments that have not arrived yet, and lost ones, so that round
        /// trips look shorter and no loss is seen. Its application gets data with holes.
        OptimisticAcks = "optimistic_acks",
        /// It repeats an ACK of new data `misbehaviour_degree` times, and then one for each segment until a repair
        /// arrives, so that a sender without SACK has about so many segments in flight whatever its window.
        RepeatedAcks = "repeated_acks",
        /// A sender that reduces its window neither for losses nor for marks nor for timeouts.
        IgnoresCongestion = "ignores_congestion",
    }
}

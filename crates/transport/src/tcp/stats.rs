//! Counters of an endpoint, and a view of its state.

use super::State;
use tailrace_core::{Bytes, Duration};

/// Counters of one endpoint. "Segments" are all kinds, "data" those with payload.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TcpStats {
    /// Segments received.
    pub segments_received: u64,
    /// Segments sent, ACKs and SYNs included.
    pub segments_sent: u64,
    /// Payload bytes handed to the application, in order, once.
    pub bytes_delivered: u64,
    /// Data segments sent, retransmissions included.
    pub data_segments_sent: u64,
    /// Payload bytes sent, retransmissions included.
    pub bytes_sent: u64,
    /// Payload bytes acknowledged cumulatively.
    pub bytes_acked: u64,
    /// Data segments sent again.
    pub retransmitted_segments: u64,
    /// Payload bytes sent again.
    pub retransmitted_bytes: u64,
    /// Expiries of the retransmission timer, the handshake's included.
    pub timeouts: u32,
    /// Fast recoveries entered.
    pub fast_retransmits: u32,
    /// Duplicate ACKs received.
    pub dup_acks: u32,
    /// Window reductions because of echoed marks.
    pub ecn_reductions: u32,
    /// Segments received with a congestion mark.
    pub ce_received: u32,
    /// Segments received that brought nothing new (reported by D-SACK).
    pub duplicates_received: u32,
    /// D-SACK reports received: retransmissions that were not needed, or duplication by the network.
    pub dsacks: u32,
    /// Data segments that arrived above a gap.
    pub out_of_order_received: u32,
    /// Window probes sent.
    pub window_probes: u32,
    /// Window reductions after idleness.
    pub idle_restarts: u32,
    /// Tail loss probes sent.
    pub loss_probes: u32,
    /// Recoveries that turned out to be needless and were undone.
    pub spurious_recoveries: u32,
}

impl TcpStats {
    /// Adds another endpoint's counters.
    pub fn add(&mut self, other: &Self) {
        self.segments_sent += other.segments_sent;
        self.segments_received += other.segments_received;
        self.data_segments_sent += other.data_segments_sent;
        self.bytes_sent += other.bytes_sent;
        self.retransmitted_segments += other.retransmitted_segments;
        self.retransmitted_bytes += other.retransmitted_bytes;
        self.bytes_acked += other.bytes_acked;
        self.bytes_delivered += other.bytes_delivered;
        self.timeouts += other.timeouts;
        self.fast_retransmits += other.fast_retransmits;
        self.dup_acks += other.dup_acks;
        self.ecn_reductions += other.ecn_reductions;
        self.ce_received += other.ce_received;
        self.duplicates_received += other.duplicates_received;
        self.dsacks += other.dsacks;
        self.out_of_order_received += other.out_of_order_received;
        self.window_probes += other.window_probes;
        self.idle_restarts += other.idle_restarts;
        self.loss_probes += other.loss_probes;
        self.spurious_recoveries += other.spurious_recoveries;
    }
}

/// State of the data that an endpoint has to send: what it waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SendState {
    /// Everything that was written, and the end of the data after a close, is acknowledged; or the connection is over.
    Idle,
    /// Segments are on their way, and no timer has expired for them.
    InFlight,
    /// The handshake is unanswered after at least one timeout.
    Connecting,
    /// The retransmission timer has expired at least once since the last acknowledgment of new data.
    Retransmitting,
    /// The peer's window has no room.
    PeerWindow,
    /// A connection of Multipath TCP has no subflow.
    NoSubflow,
    /// Data may be sent, and neither an acknowledgment nor a timer is awaited: an endpoint never stays in this state.
    Stalled,
}

/// A read-only picture of an endpoint, for series and decisions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TcpView {
    /// Connection state.
    pub state: State,
    /// Congestion window.
    pub cwnd: Bytes,
    /// Slow-start threshold, once there is one.
    pub ssthresh: Option<Bytes>,
    /// Bytes estimated in the network (RFC 6675 pipe). Where windows count packets, a short segment weighs as much as a full one.
    pub in_flight: Bytes,
    /// Smoothed round-trip time; zero before the first sample.
    pub smoothed_rtt: Duration,
    /// Its variation.
    pub rtt_var: Duration,
    /// Smallest sample.
    pub min_rtt: Duration,
    /// Latest sample.
    pub latest_rtt: Duration,
    /// Number of samples so far: where it has grown, `latest_rtt` is new.
    pub rtt_samples: u64,
    /// Retransmission timeout in force, backoff included.
    pub rto: Duration,
    /// The window the peer advertised.
    pub snd_wnd: Bytes,
    /// The window last advertised to the peer.
    pub rcv_wnd: Bytes,
    /// Whether a loss is being repaired.
    pub in_recovery: bool,
}

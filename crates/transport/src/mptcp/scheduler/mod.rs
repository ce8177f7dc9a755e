//! Schedulers: which subflow carries the next bytes (RFC 8684 §3.3.5 leaves it open).
//!
//! A scheduler is asked whenever there are bytes that may be sent; it names a subflow with room, or says to wait. To
//! add one takes a file and a line in the table below.

mod registry;

pub use weighted::Weight;

use super::chunk::DataChunk;
use tailrace_core::params::{Invalid, Parameters};
use tailrace_core::{Bytes, Duration, Instant};

registry::schedulers! {
    "lowest_rtt" => lowest_rtt::LowestRtt(LowestRttConfig),
    "round_robin" => round_robin::RoundRobin(RoundRobinConfig),
    "redundant" => redundant::Redundant(RedundantConfig),
    "blest" => blest::Blest(BlestConfig),
    "ecf" => ecf::Ecf(EcfConfig),
    "lamps" => lamps::Lamps(LampsConfig),
    "weighted" => weighted::Weighted(WeightedConfig),
    "linux" => linux::LinuxScheduler(LinuxSchedulerConfig),
}

/// A subflow as a scheduler sees it.
#[derive(Clone, Copy, Debug)]
pub struct SubflowView {
    /// May carry data: established, not thought dead. The others do not exist for a scheduler.
    pub usable: bool,
    /// Only for when no other can be used (either end may have said so).
    pub backup: bool,
    /// A full segment would leave at once; with a scheduler that fills queues, its send buffer has room for one.
    pub room: bool,
    /// Whether a timeout is being repaired.
    pub in_loss: bool,
    /// Whether any loss is being repaired.
    pub in_recovery: bool,
    /// Smoothed round-trip time; zero before the first sample.
    pub srtt: Duration,
    /// Its mean deviation.
    pub rtt_var: Duration,
    /// Smallest round-trip time; zero before the first sample.
    pub min_rtt: Duration,
    /// Retransmission timeout, without backoff.
    pub rto: Duration,
    /// Congestion window.
    pub cwnd: Bytes,
    /// Slow-start threshold, if there is one yet.
    pub ssthresh: Option<Bytes>,
    /// Bytes in the network.
    pub in_flight: Bytes,
    /// Segments sent and not acknowledged, each as a full one, those that are lost or SACKed included.
    pub outstanding: Bytes,
    /// Its pacing rate when an ACK was dealt with last, bytes a second, where that is noted (Linux `sk_pacing_rate`).
    pub noted_rate: Option<u64>,
    /// Bytes that were handed to it and are not acknowledged, sent or not, with what their packets take beside them.
    pub queued: Bytes,
    /// Segment size.
    pub mss: u32,
    /// Segments retransmitted and sent in all: what a loss-aware scheduler goes by.
    pub retransmitted: u64,
    /// Data segments sent.
    pub sent: u64,
}

impl SubflowView {
    /// A place without a subflow.
    pub const VACANT: Self = Self {
        usable: false,
        backup: false,
        room: false,
        in_loss: false,
        in_recovery: false,
        srtt: Duration::ZERO,
        rtt_var: Duration::ZERO,
        min_rtt: Duration::ZERO,
        rto: Duration::ZERO,
        cwnd: Bytes(0),
        ssthresh: None,
        in_flight: Bytes(0),
        outstanding: Bytes(0),
        noted_rate: None,
        queued: Bytes(0),
        mss: 1,
        retransmitted: 0,
        sent: 0,
    };

    /// The rate at which it can send, in bytes a second: window over round trip.
    #[inline]
    pub fn rate(&self) -> f64 {
        self.cwnd.as_f64() / self.srtt.as_secs_f64().max(1e-6)
    }
}

/// A connection as a scheduler sees it.
#[derive(Clone, Copy, Debug)]
pub struct ConnectionView {
    /// Time.
    pub now: Instant,
    /// Written and not yet handed to a subflow, as far as the send buffer goes.
    pub unassigned: Bytes,
    /// Free part of the peer's window.
    pub window: Bytes,
    /// Sent and not acknowledged at the data level.
    pub outstanding: Bytes,
    /// The next byte goes on with a fragment that was written as one, of which a part was just handed out, for the first time or again.
    pub within: bool,
    /// Others were handed out just before, in the same go.
    pub goes_on: bool,
    /// The subflows that are usable and have room, a bit each.
    pub open: u32,
    /// Times that the peer's window has kept a subflow with room from sending.
    pub blocked: u64,
}

/// Data that may be sent next, and data in flight.
pub trait Pieces {
    /// First chunk to reinject.
    fn reinjection(&mut self) -> Option<DataChunk>;
    /// New bytes within the peer's window.
    fn fresh(&self) -> Option<DataChunk>;
    /// The piece that begins at `dsn`, of those on their way; the oldest for a number acknowledged already.
    fn sent_at(&self, dsn: u64) -> Option<DataChunk>;
}

/// Decides which subflow carries what.
pub trait Scheduler {
    /// The subflow for `chunk`; `None` is to wait. `subflows` is indexed by subflow; only one with
    /// [`SubflowView::usable`] and [`SubflowView::room`] may be named.
    fn select(&mut self, chunk: &DataChunk, conn: &ConnectionView, subflows: &[SubflowView])
    -> Option<usize>;

    /// Whether bytes are handed out ahead of the windows of subflows, as far as their send buffers go.
    #[inline]
    fn fills_queues(&self) -> bool {
        false
    }

    /// Whether it goes by the windows of subflows, what is in them or how much was sent, from [`SubflowView::cwnd`] on.
    #[inline]
    fn looks_at_windows(&self) -> bool {
        true
    }

    /// Next chunk and its subflow. Reinjections come before new data unless a scheduler has its own order.
    #[inline]
    fn next<P: Pieces>(
        &mut self,
        pieces: &mut P,
        conn: &ConnectionView,
        subflows: &[SubflowView],
    ) -> Option<(DataChunk, usize)> {
        if let Some(chunk) = pieces.reinjection()
            && let Some(subflow) = self.select(&chunk, conn, subflows)
        {
            return Some((chunk, subflow));
        }
        let chunk = pieces.fresh()?;
        let subflow = self.select(&chunk, conn, subflows)?;
        Some((chunk, subflow))
    }
}

/// A scheduler that can stand in the registry.
pub trait SchedulerKind: Scheduler + Sized {
    /// Its parameters.
    type Config: Parameters;
    /// Summary for `tailrace list`, a line long.
    const SUMMARY: &'static str;
    /// Where it is defined.
    const CITATION: &'static str;
    /// Whether the parameters fit together.
    ///
    /// # Errors
    /// The name of one that does not, and why.
    fn validate(_config: &Self::Config) -> Result<(), Invalid> {
        Ok(())
    }
    /// A fresh instance.
    fn build(config: &Self::Config) -> Self;
}

/// Whether subflow `id` is among those in `set`.
#[inline]
pub(crate) const fn is_in(set: u32, id: usize) -> bool {
    set >> id & 1 == 1
}

/// Views for the tests of schedulers.
#[cfg(test)]
pub(crate) mod testing {
    use super::{ConnectionView, DataChunk, SubflowView};
    use tailrace_core::{Bytes, Duration, Instant};

    pub(crate) fn chunk(carriers: u32) -> DataChunk {
        DataChunk { dsn: 0, len: 1000, carriers }
    }
    pub(crate) fn conn() -> ConnectionView {
        ConnectionView {
            now: Instant::ZERO,
            unassigned: Bytes(1_000_000),
            window: Bytes(1_000_000),
            outstanding: Bytes(0),
            within: false,
            goes_on: true,
            open: u32::MAX,
            blocked: 0,
        }
    }
    /// A usable subflow with room and a round trip of `ms`.
    pub(crate) fn subflow(ms: u64) -> SubflowView {
        SubflowView {
            usable: true,
            room: true,
            srtt: Duration::from_millis(ms),
            min_rtt: Duration::from_millis(ms),
            cwnd: Bytes(10_000),
            mss: 1000,
            ..SubflowView::VACANT
        }
    }
}

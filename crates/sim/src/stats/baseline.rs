//! Counters of a flow at the start of a window, and corrections for packets that cross its start.
//!
//! Differences of counters give the events within a window, with two exceptions. Losses and marks are charged to the window in
//! which the packet was sent, and goodput is limited to bytes that arrived in the window. A window therefore never loses more
//! than it sends, and its goodput never exceeds its throughput.

use crate::stats::flow_stats::FlowStats;
use crate::stats::loss_counters::LossCounters;

/// Counters of a flow when a window began.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FlowBaseline {
    pub(crate) at: FlowStats,
    /// Losses and marks within the window of packets sent before it.
    pub(crate) before: LossCounters,
    /// Bytes that arrived before the window and were delivered in it, at sockets that are closed.
    pub(crate) delivered_before: u64,
}

impl FlowBaseline {
    /// Counters of the window, given the present ones.
    pub(crate) fn window(&self, now: &FlowStats) -> FlowStats {
        let mut stats = now.since(&self.at);
        stats.lost_packets -= self.before.lost;
        stats.marked_packets -= self.before.marked;
        stats
    }
}

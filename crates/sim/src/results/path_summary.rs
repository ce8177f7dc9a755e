//! Traffic of MPTCP flows on each path, in the summary of the run and of windows.

use crate::ground::distribution::Distribution;
use crate::ground::keys::keys;
use crate::ground::rate::loss_ratio;
use crate::ground::scope::Scope;
use crate::stats::loss_counters::LossCounters;
use crate::stats::paths::PathDirection;
use tailrace_core::Duration;

keys! {
    /// A direction of a path of a flow in a window.
    #[derive(Clone, Debug)]
    pub(crate) struct FlowPathSummary {
        /// The rate of the data that reached the receiving connection first by this path.
        goodput_bps: f64, "bit/s";
        /// The rate of all data packets that arrived by this path, in bytes of IP packets.
        throughput_bps: f64, "bit/s";
        /// Data packets sent, retransmissions included.
        sent_packets: u64, "packets";
        /// Bytes of IP packets of the data packets sent.
        sent_bytes: u64, "bytes";
        /// Packets sent that were retransmissions of the subflow's TCP.
        retransmitted_packets: u64, "packets";
        /// Packets sent that were dropped on the way by the end of the run, at any place and for any reason.
        lost_packets: u64, "packets";
        /// `lost_packets` divided by `sent_packets`; null if none was sent.
        loss_ratio: f64, "ratio";
        /// Packets sent that were marked CE (ECN) by queues.
        marked_packets: u64, "packets";
        /// Data packets that arrived.
        received_packets: u64, "packets";
        /// Bytes of IP packets of the data packets that arrived.
        received_bytes: u64, "bytes";
        /// The payload behind `goodput_bps`. Summed over all paths, each byte counts once.
        new_bytes: u64, "bytes";
        /// The one-way delay of data packets that arrived, as a distribution; percentiles are within 3 %.
        one_way_delay_s: Distribution, "s";
    }
}

impl FlowPathSummary {
    pub(crate) fn of(lane: &PathDirection, scope: Scope, span: Duration) -> Self {
        let t = lane.window_counters(scope);
        Self {
            goodput_bps: t.goodput_bps(span),
            throughput_bps: t.throughput_bps(span),
            sent_packets: t.sent_packets,
            sent_bytes: t.sent_bytes,
            retransmitted_packets: t.retransmitted_packets,
            lost_packets: t.losses.lost,
            loss_ratio: t.loss_ratio(),
            marked_packets: t.losses.marked,
            received_packets: t.received_packets,
            received_bytes: t.received_bytes,
            new_bytes: t.new_bytes,
            one_way_delay_s: Distribution::of(&lane.delays(scope)),
        }
    }

    /// Adds losses that happened after the window in which the packets were sent.
    pub(crate) fn add_late_losses(&mut self, late: LossCounters) {
        self.lost_packets += late.lost;
        self.marked_packets += late.marked;
        self.loss_ratio = loss_ratio(self.lost_packets, self.sent_packets);
    }
}

//! Counters of flows.

use crate::ground::counters::counters;
use crate::ground::rate::{loss_ratio, rate_bps};
use crate::stats::loss_counters::LossCounters;
use tailrace_core::Duration;

counters! {
    /// Counters of one flow since the start of the run. Packets are those with payload, in either direction. Counters of
    /// arrivals come first, those of departures second: each group is one cache line.
    pub(crate) struct FlowStats {
        /// Data packets that arrived.
        received_packets: u64, "packets";
        /// Bytes of IP packets of the data packets that arrived.
        received_bytes: u64, "bytes";
        /// Sum of one-way delays of packets from the host that opens the flow to the other.
        delay_sum: Duration;
        /// Bytes delivered to applications, in order and once.
        delivered_bytes: u64, "bytes";
        /// Sum of |D| over deliveries (see `jitter`).
        jitter_sum: Duration;
        /// Number of these deliveries.
        jitter_samples: u64;
        /// Data packets sent, retransmissions included.
        sent_packets: u64, "packets";
        /// Bytes of IP packets of the data packets sent.
        sent_bytes: u64, "bytes";
        /// Sum of round-trip time samples.
        rtt_sum: Duration;
        /// Number of these samples.
        rtt_samples: u64;
        /// Packets received in the opposite direction.
        reverse_packets: u64;
        /// Sum of their one-way delays.
        reverse_delay_sum: Duration;
        /// Delivered bytes that a middlebox had changed (`rewrite` of a link).
        altered_bytes: u64, "bytes";
        /// Packets sent that were dropped on the way by the end of the run.
        lost_packets: u64, "packets";
        /// Packets sent that were marked CE (ECN) by queues.
        marked_packets: u64, "packets";
        /// Data packets that arrived after three or more packets in a row that were sent later (RFC 4737, n-reordering with n = 3).
        reordered_packets: u64, "packets";
        /// Segments sent again (TCP).
        retransmitted_packets: u64, "packets";
        /// Number of expirations of the retransmission timer (TCP); null with a kernel that does not count that (before 6.7).
        timeouts: u64, "";
        /// Number of transfers (`transfer`, `sequence`) or exchanges (`request_response`) completed.
        completed: u64, "";
        /// Bytes of completed transfers.
        completed_bytes: u64;
        /// Sum of their completion times.
        completion_sum: Duration;
        /// Packets that arrived too late for the playout buffer.
        late_packets: u64;
        /// Packets of voice that were heard.
        heard_packets: u64;
        /// Sum of the times from sending to hearing them.
        playout_sum: Duration;
    }
}

impl FlowStats {
    /// Adds losses and marks.
    pub(crate) fn add_losses(&mut self, losses: LossCounters) {
        self.lost_packets += losses.lost;
        self.marked_packets += losses.marked;
    }

    /// Counts a completed transfer or exchange of this many bytes.
    pub(crate) fn completed(&mut self, bytes: u64, took: Duration) {
        self.completed += 1;
        self.completed_bytes = self.completed_bytes.saturating_add(bytes);
        self.completion_sum += took;
    }

    /// Counts a packet of voice that is heard this long after it was sent.
    pub(crate) fn heard(&mut self, delay: Duration) {
        self.heard_packets += 1;
        self.playout_sum += delay;
    }

    /// Mean time from sending to hearing of packets of voice, seconds; NaN without any.
    pub(crate) fn mean_playout_delay_s(&self) -> f64 {
        self.playout_sum.as_secs_f64() / self.heard_packets as f64
    }

    /// Mean one-way delay of packets in the forward direction, seconds; NaN without any.
    pub(crate) fn mean_delay_s(&self) -> f64 {
        self.delay_sum.as_secs_f64() / (self.received_packets - self.reverse_packets) as f64
    }

    /// Mean one-way delay of packets in the reverse direction, seconds; NaN without any.
    pub(crate) fn mean_reverse_delay_s(&self) -> f64 {
        self.reverse_delay_sum.as_secs_f64() / self.reverse_packets as f64
    }

    /// Mean round-trip sample, seconds; NaN without any.
    pub(crate) fn mean_rtt_s(&self) -> f64 {
        self.rtt_sum.as_secs_f64() / self.rtt_samples as f64
    }

    /// Mean rate of completed transfers while under way, bit/s; NaN without any.
    pub(crate) fn completion_goodput_bps(&self) -> f64 {
        if self.completed == 0 { f64::NAN } else { rate_bps(self.completed_bytes, self.completion_sum) }
    }

    /// Mean difference between the transit times of one delivery and the next, seconds; NaN without any.
    pub(crate) fn mean_jitter_s(&self) -> f64 {
        self.jitter_sum.as_secs_f64() / self.jitter_samples as f64
    }

    /// Share lost of the packets that were lost or arrived; NaN without any.
    pub(crate) fn outcome_loss_ratio(&self) -> f64 {
        loss_ratio(self.lost_packets, self.lost_packets + self.received_packets)
    }

    /// Share of the packets sent that were lost, up to now; NaN if none was sent.
    pub(crate) fn loss_ratio(&self) -> f64 {
        loss_ratio(self.lost_packets, self.sent_packets)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn completion_goodput_is_bytes_over_completion_time() {
        let mut flow = FlowStats::default();
        assert!(flow.completion_goodput_bps().is_nan());
        // 1 MB in 2 s and 2 MB in 1 s: 24 Mbit in 3 s.
        for (bytes, took) in [(1_000_000, 2), (2_000_000, 1)] {
            flow.completed(bytes, Duration::from_secs(took));
        }
        assert_eq!(flow.completion_goodput_bps(), 8e6);
        let mut later = flow;
        later.completed(500_000, Duration::from_secs(4));
        assert_eq!(later.since(&flow).completion_goodput_bps(), 1e6);
    }
}

//! What is counted for flows and groups of flows.

use crate::ground::rate::{loss_ratio, rate_bps};
use crate::stats::loss_counters::LossCounters;
use tailrace_core::Duration;

/// Counters of one flow since the start of the run. Packets are those that carry payload, in either direction. What a packet counts
/// for comes first, arrivals before departures: it is one line of the processor's cache each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct FlowStats {
    pub(crate) received_packets: u64,
    /// IP bytes of those: throughput.
    pub(crate) received_bytes: u64,
    /// Sum of the one-way delays of what came forward, from the host that opens the flow to the other.
    pub(crate) delay_sum: Duration,
    /// Bytes handed to the application, in order and once: goodput.
    pub(crate) delivered_bytes: u64,
    /// Sum of |D| over deliveries (`delivery`), and how many they were.
    pub(crate) jitter_sum: Duration,
    pub(crate) jitter_samples: u64,
    pub(crate) sent_packets: u64,
    pub(crate) sent_bytes: u64,
    pub(crate) rtt_sum: Duration,
    pub(crate) rtt_samples: u64,
    /// Packets of those received that came the other way, and the sum of their delays.
    pub(crate) reverse_packets: u64,
    pub(crate) reverse_delay_sum: Duration,
    /// Of the bytes delivered those that a middlebox had changed.
    pub(crate) altered_bytes: u64,
    pub(crate) lost_packets: u64,
    pub(crate) marked_packets: u64,
    pub(crate) retransmitted_packets: u64,
    pub(crate) timeouts: u64,
    pub(crate) completed: u64,
    /// Bytes of what completed, and the sum of the times that it took.
    pub(crate) completed_bytes: u64,
    pub(crate) completion_sum: Duration,
    /// Packets that came too late for the application.
    pub(crate) late_packets: u64,
}

impl FlowStats {
    /// The counts since an earlier copy.
    pub(crate) fn since(&self, earlier: &Self) -> Self {
        Self {
            sent_packets: self.sent_packets - earlier.sent_packets,
            sent_bytes: self.sent_bytes - earlier.sent_bytes,
            received_packets: self.received_packets - earlier.received_packets,
            received_bytes: self.received_bytes - earlier.received_bytes,
            delivered_bytes: self.delivered_bytes - earlier.delivered_bytes,
            altered_bytes: self.altered_bytes - earlier.altered_bytes,
            lost_packets: self.lost_packets - earlier.lost_packets,
            marked_packets: self.marked_packets - earlier.marked_packets,
            retransmitted_packets: self.retransmitted_packets - earlier.retransmitted_packets,
            timeouts: self.timeouts - earlier.timeouts,
            delay_sum: self.delay_sum - earlier.delay_sum,
            reverse_packets: self.reverse_packets - earlier.reverse_packets,
            reverse_delay_sum: self.reverse_delay_sum - earlier.reverse_delay_sum,
            rtt_sum: self.rtt_sum - earlier.rtt_sum,
            rtt_samples: self.rtt_samples - earlier.rtt_samples,
            completed: self.completed - earlier.completed,
            completed_bytes: self.completed_bytes - earlier.completed_bytes,
            completion_sum: self.completion_sum - earlier.completion_sum,
            late_packets: self.late_packets - earlier.late_packets,
            jitter_sum: self.jitter_sum - earlier.jitter_sum,
            jitter_samples: self.jitter_samples - earlier.jitter_samples,
        }
    }

    /// Adds losses and marks.
    pub(crate) fn add_losses(&mut self, losses: LossCounters) {
        self.lost_packets += losses.lost;
        self.marked_packets += losses.marked;
    }

    /// A transfer or exchange of so many bytes is complete.
    pub(crate) fn completed(&mut self, bytes: u64, took: Duration) {
        self.completed += 1;
        self.completed_bytes = self.completed_bytes.saturating_add(bytes);
        self.completion_sum += took;
    }

    /// Adds another flow's counts.
    pub(crate) fn add(&mut self, o: &Self) {
        self.sent_packets += o.sent_packets;
        self.sent_bytes += o.sent_bytes;
        self.received_packets += o.received_packets;
        self.received_bytes += o.received_bytes;
        self.delivered_bytes += o.delivered_bytes;
        self.altered_bytes += o.altered_bytes;
        self.lost_packets += o.lost_packets;
        self.marked_packets += o.marked_packets;
        self.retransmitted_packets += o.retransmitted_packets;
        self.timeouts += o.timeouts;
        self.delay_sum += o.delay_sum;
        self.reverse_packets += o.reverse_packets;
        self.reverse_delay_sum += o.reverse_delay_sum;
        self.rtt_sum += o.rtt_sum;
        self.rtt_samples += o.rtt_samples;
        self.completed += o.completed;
        self.completed_bytes = self.completed_bytes.saturating_add(o.completed_bytes);
        self.completion_sum += o.completion_sum;
        self.late_packets += o.late_packets;
        self.jitter_sum += o.jitter_sum;
        self.jitter_samples += o.jitter_samples;
    }

    /// Mean one-way delay of the packets that came forward, seconds; NaN without any.
    pub(crate) fn mean_delay_s(&self) -> f64 {
        self.delay_sum.as_secs_f64() / (self.received_packets - self.reverse_packets) as f64
    }

    /// Mean one-way delay of the packets that came back, seconds; NaN without any.
    pub(crate) fn mean_reverse_delay_s(&self) -> f64 {
        self.reverse_delay_sum.as_secs_f64() / self.reverse_packets as f64
    }

    /// Mean round-trip sample, seconds; NaN without any.
    pub(crate) fn mean_rtt_s(&self) -> f64 {
        self.rtt_sum.as_secs_f64() / self.rtt_samples as f64
    }

    /// Mean rate of what completed while it was under way, bit/s; NaN where nothing did.
    pub(crate) fn completion_goodput_bps(&self) -> f64 {
        if self.completed == 0 { f64::NAN } else { rate_bps(self.completed_bytes, self.completion_sum) }
    }

    /// Mean difference between the transit times of one delivery and the next, seconds; NaN without any.
    pub(crate) fn mean_jitter_s(&self) -> f64 {
        self.jitter_sum.as_secs_f64() / self.jitter_samples as f64
    }

    /// Of the packets that were lost or arrived, the share lost; NaN without any.
    pub(crate) fn fate_loss_ratio(&self) -> f64 {
        loss_ratio(self.lost_packets, self.lost_packets + self.received_packets)
    }

    /// Share of the packets sent that were lost, up to now; NaN when none was sent.
    pub(crate) fn loss_ratio(&self) -> f64 {
        loss_ratio(self.lost_packets, self.sent_packets)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_completed_has_a_rate_while_it_lasts() {
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

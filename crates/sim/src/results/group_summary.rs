//! Summary of a flow group.

use crate::ground::activity::Activity;
use crate::ground::distribution::{Distribution, Spread};
use crate::ground::keys::keys;
use crate::ground::ordered_map::OrderedMap;
use crate::ground::rate::rate_bps;
use crate::results::counter_values::CounterValues;
use crate::stats::intervals::Smoothness;
use crate::stats::loss_counters::LossCounters;
use std::collections::BTreeMap;
use tailrace_core::{Duration, Instant};

keys! {
    /// A group of flows in a window.
    #[derive(Clone, Debug)]
    pub(crate) struct GroupSummary {
        /// The number of flows in the group.
        flows: usize, "";
        /// `"normal"` or `"attack"`, as the scenario says.
        role: &'static str, "";
        /// The goodput of the flows: data that reached the application, once and in order, per second.
        goodput_bps: Spread, "bit/s";
        /// The throughput of the flows: all that arrived per second, with headers and retransmissions.
        throughput_bps: Spread, "bit/s";
        /// Jain's fairness index of the flows' goodput: 1 if all are equal, 1/n if one flow has all; null if none has
        /// any.
        jain: f64, "0 to 1";
        /// Counters, as sums over the flows.
        #[serde(flatten)]
        counters: CounterValues, "" of CounterValues;
        /// `lost_packets` divided by `sent_packets`; null if none was sent.
        loss_ratio: f64, "ratio";
        /// Number of transfers or exchanges in the whole run, by outcome. Null for applications without any.
        transfers: Option<TransferCounts>, "" of TransferCounts;
        /// The connections of the whole run; null for UDP.
        connections: Option<ConnectionCounts>, "" of ConnectionCounts;
        /// Counters from time zero, warm-up included. Left out of windows.
        #[serde(skip_serializing_if = "Option::is_none")]
        whole_run: Option<WholeRunCounters>, "" of WholeRunCounters;
        /// The one-way delay of data packets that arrived, in the direction of `from` to `to`, as a distribution.
        one_way_delay_s: Distribution, "s";
        /// The one-way delay of data packets in the opposite direction, as a distribution; nulls if there were none.
        reverse_one_way_delay_s: Distribution, "s";
        /// The round-trip times that TCP or an application such as `ping` measured, as a distribution.
        rtt_s: Distribution, "s";
        /// Completion times of transfers or exchanges, as a distribution: from the opening of the connection, or from the sending
        /// of the request, to the arrival of the last byte.
        completion_s: Distribution, "s";
        /// The rate of transfers while they were under way: for each flow, the bytes of completed transfers or exchanges divided
        /// by their completion times (see `completion_s`). Over the flows that completed any; null if none did.
        completion_goodput_bps: Option<Spread>, "bit/s";
        /// Completion time divided by the ideal one, as a distribution over transfers with a connection of their own (TCP). The
        /// ideal time is a round trip of propagation, all bytes at the rate of the slowest link, and the one-way propagation
        /// delay.
        slowdown: Distribution, "ratio";
        /// Completion times and slowdowns by size, for transfers of different sizes, under `below_10kB`, `below_100kB`,
        /// `below_1MB`, `below_10MB`, `larger`. Left out of other groups.
        #[serde(skip_serializing_if = "OrderedMap::is_empty")]
        completion_by_size: OrderedMap<SizeSummary>, "";
        /// Voice quality (application `voip`). Left out of other groups.
        #[serde(skip_serializing_if = "Option::is_none")]
        voice: Option<VoiceSummary>, "" of VoiceSummary;
        /// Web pages (application `web`); their objects are the `transfers`. Left out of other groups.
        #[serde(skip_serializing_if = "Option::is_none")]
        pages: Option<PagesSummary>, "" of PagesSummary;
        /// Playback quality of videos (application `video`); their segments are the `transfers`. Left out of other groups.
        #[serde(skip_serializing_if = "Option::is_none")]
        video: Option<VideoSummary>, "" of VideoSummary;
        /// Difference between the transit times of consecutive deliveries, as a distribution.
        jitter_s: Distribution, "s";
        /// The longest time in which the application of an open flow got no byte, in either direction; the maximum over the flows
        /// of the group, null if none was open. Over TCP a flow is open while it has a connection, over UDP from its `start` to
        /// its `stop`.
        longest_silence_s: f64, "s";
        /// Flows of the group that ought to send and were [silent](#silent-flows) at the end. Left out of windows.
        #[serde(skip_serializing_if = "Option::is_none")]
        silent: Option<SilentFlows>, "" of SilentFlows;
        /// Smoothness of the group's goodput over the intervals of `[record] interval`. Left out if no intervals are recorded.
        #[serde(skip_serializing_if = "Option::is_none")]
        bins: Option<IntervalsSummary>, "" of IntervalsSummary;
    }
}

impl GroupSummary {
    /// Adds losses that happened after the window in which the packets were sent.
    pub(crate) fn add_late_losses(&mut self, late: LossCounters) {
        self.counters.stats.add_losses(late);
        self.loss_ratio = self.counters.stats.loss_ratio();
    }
}

keys! {
    /// Intervals within the time covered.
    #[derive(Clone, Debug)]
    pub(crate) struct IntervalsSummary {
        /// Start of the times to reach a rate: the start of the group's first flow, even during the warm-up; in a window, the
        /// window's start if that is later.
        start_s: f64, "s";
        /// The end of the run, or of the window.
        end_s: f64, "s";
        /// The length of an interval.
        interval_s: f64, "s";
        /// Number of intervals that count for goodput: those at whose start and end a flow of the group was open (see
        /// `longest_silence_s`).
        count: u64, "";
        /// Coefficient of variation of goodput: its standard deviation over these intervals, divided by its mean. 0 is perfectly
        /// even. Null with fewer than two intervals, or without a byte.
        goodput_cv: f64, "";
        /// Goodput of all flows together in the interval with the least; null if there is no interval.
        goodput_min_bps: Option<f64>, "bit/s";
        /// Goodput of all flows together in the interval with the most.
        goodput_max_bps: Option<f64>, "bit/s";
        /// The largest loss ratio of an interval: packets dropped in it, divided by packets dropped in it or arrived
        /// in it. Null if there were none.
        loss_max_ratio: f64, "ratio";
    }
}

impl IntervalsSummary {
    /// Summary of intervals of that length, between these times.
    pub(crate) fn of((start, end): (Instant, Instant), interval: Duration, smoothness: &Smoothness) -> Self {
        let rate = |bytes| rate_bps(bytes, interval);
        Self {
            start_s: start.as_secs_f64(),
            end_s: end.as_secs_f64(),
            interval_s: interval.as_secs_f64(),
            count: smoothness.count,
            goodput_cv: smoothness.goodput_cv(),
            goodput_min_bps: smoothness.min().map(rate),
            goodput_max_bps: smoothness.max().map(rate),
            loss_max_ratio: smoothness.loss_max_ratio(),
        }
    }
}

keys! {
    /// Voice quality of a group's flows.
    #[derive(Clone, Debug)]
    pub(crate) struct VoiceSummary {
        /// The rating R of the E-model for the flows, 0 to 94; above 80 users are satisfied.
        r_factor: Spread, "";
        /// The mean opinion score of the flows, 1 (bad) to 4.5 (excellent).
        mos: Spread, "";
        /// Packets that arrived too late for the listener's playout buffer, and so were not heard.
        late_packets: u64, "packets";
        /// Packets that were heard.
        heard_packets: u64, "packets";
        /// The mean time of each flow from the sending of a packet to the time at which it is heard: network and playout buffer.
        playout_delay_s: Spread, "s";
    }
}

keys! {
    /// Web pages of a group's flows.
    #[derive(Clone, Debug)]
    pub(crate) struct PagesSummary {
        /// Number of pages that arrived with all their objects.
        loaded: u64, "";
        /// Page load time, as a distribution: from the opening of the first connection to the arrival of the last byte.
        load_s: Distribution, "s";
    }
}

keys! {
    /// Playback of a group's flows.
    #[derive(Clone, Debug)]
    pub(crate) struct VideoSummary {
        /// The mean rate of the segments that arrived, for each flow that has any.
        rate_bps: Spread, "bit/s";
        /// Number of times, in each flow, that a segment had another rate than the one before.
        switches: Spread, "";
        /// Number of times, in each flow, that the player stalled because its buffer was empty.
        stalls: Spread, "";
        /// Total duration of stalls in each flow; a stall that lasts until the end counts.
        stalled_s: Spread, "s";
        /// Time from the first request until playback began, for each flow in which it did.
        startup_s: Spread, "s";
        /// Number of segments that arrived.
        segments: u64, "";
    }
}

keys! {
    /// Transfers of a group whose sizes lie in a bin.
    #[derive(Clone, Debug)]
    pub(crate) struct SizeSummary {
        /// Number of completed transfers of this size.
        completed: u64, "";
        /// Completion times as for the group.
        completion_s: Distribution, "s";
        /// Slowdowns as for the group.
        slowdown: Distribution, "ratio";
    }
}

keys! {
    /// Transfers, or exchanges, of a group's flows over the whole run, or in a part of it.
    #[derive(Clone, Copy, Debug, Default)]
    pub(crate) struct TransferCounts {
        /// Number of transfers to be made; null without a `count`.
        asked: Option<u64>, "";
        /// Number of transfers begun.
        started: u64, "";
        /// Number of transfers that arrived with all their bytes.
        completed: u64, "";
        /// Number of transfers that ended early because their connection broke.
        failed: u64, "";
        /// Number of transfers neither completed nor failed at the end.
        under_way: u64, "";
        /// Number of transfers to be made but not begun; null without a `count`.
        not_begun: Option<u64>, "";
    }
}

impl TransferCounts {
    /// Difference from an earlier state; `under_way` and `not_begun` are the present ones.
    pub(crate) fn since(self, earlier: &Self) -> Self {
        Self {
            started: self.started - earlier.started,
            completed: self.completed - earlier.completed,
            // Data that was in flight when the client's connection broke may still arrive and complete a transfer counted as
            // failed.
            failed: self.failed.saturating_sub(earlier.failed),
            ..self
        }
    }
}

keys! {
    /// Connections of a group's flows over the whole run, or in a part of it.
    #[derive(Clone, Debug, Default)]
    pub(crate) struct ConnectionCounts {
        /// Number of connections opened.
        opened: u64, "";
        /// Number of connections still open at the end, as the client sees it.
        open: u64, "";
        /// Number of connections that broke, by the cause that one of the ends reported first: `refused`, `reset` by the other
        /// end, `timed_out` (no answer to any retry), `interface_down` (the last subflow lost its address; counted from then on,
        /// unless another joins), `aborted`.
        broken: BTreeMap<&'static str, u64>, "";
    }
}

keys! {
    /// Flows that ought to send and delivered nothing in the last third of their time, or stopped for good.
    #[derive(Clone, Debug)]
    pub(crate) struct SilentFlows {
        /// Number of these flows.
        flows: u64, "";
        /// Number of them that never delivered anything.
        never: u64, "";
        /// Time of the last delivery to the one of them that fell silent first; null if none has delivered anything.
        since_s: f64, "s";
        /// Number of them by what they waited for, with the words of `activity` of the table [`flows`](#flows-a-row-for-each-flow-and-run): `foreign_stack`,
        /// `lost`, `peer_window`, `handshake`, `retransmitting`, `closing`, `broken`, `no_subflow`, `no_route`, `link_down`,
        /// `unexplained`.
        reasons: BTreeMap<&'static str, u64>, "";
    }
}

impl Default for SilentFlows {
    fn default() -> Self {
        let reasons = Activity::REASONS.iter().map(|reason| (reason.word(), 0)).collect();
        Self { flows: 0, never: 0, since_s: f64::NAN, reasons }
    }
}

impl ConnectionCounts {
    /// Difference from an earlier state; `open` is the present number.
    pub(crate) fn since(mut self, earlier: &Self) -> Self {
        self.opened -= earlier.opened;
        for (cause, count) in &mut self.broken {
            // A connection whose addresses were gone then may have been joined again.
            *count = count.saturating_sub(earlier.broken.get(cause).copied().unwrap_or_default());
        }
        self
    }
}

keys! {
    /// A group's counters from the start of the run.
    #[derive(Clone, Debug, Default)]
    pub(crate) struct WholeRunCounters {
        /// Counters, as sums over the flows.
        #[serde(flatten)]
        counters: CounterValues, "" of CounterValues;
        /// Data packets sent that had neither arrived nor been lost by the end.
        under_way_packets: u64, "packets";
        /// Delivered bytes that differ from those written by the other end, if both are known: over TCP with a Linux kernel at an
        /// end. Left out of other groups.
        #[serde(skip_serializing_if = "Option::is_none")]
        wrong_bytes: Option<u64>, "bytes";
    }
}

impl WholeRunCounters {
    /// Counters of a group since the start.
    pub(crate) fn of(counters: CounterValues, wrong_bytes: Option<u64>) -> Self {
        let CounterValues { stats, .. } = counters;
        let under_way_packets = stats.sent_packets - stats.received_packets - stats.lost_packets;
        Self { counters, under_way_packets, wrong_bytes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_of_silence_are_documented() {
        let described = SilentFlows::KEYS.iter().find(|key| key.name == "reasons").unwrap();
        for reason in Activity::REASONS {
            assert!(described.doc.contains(&format!("`{}`", reason.word())), "{}", reason.word());
        }
    }

    #[test]
    fn reset_causes_are_documented() {
        let described = ConnectionCounts::KEYS.iter().find(|key| key.name == "broken").unwrap();
        for (_, cause) in crate::ground::reset_causes::CAUSES {
            assert!(described.doc.contains(&format!("`{cause}`")), "{cause}");
        }
    }

    #[test]
    fn failed_count_may_fall_in_a_window() {
        let earlier =
            TransferCounts { started: 7, completed: 4, failed: 2, under_way: 1, ..TransferCounts::default() };
        let now =
            TransferCounts { started: 9, completed: 6, failed: 1, under_way: 2, ..TransferCounts::default() };
        let window = now.since(&earlier);
        assert_eq!((window.started, window.completed, window.failed, window.under_way), (2, 2, 0, 2));
    }
}

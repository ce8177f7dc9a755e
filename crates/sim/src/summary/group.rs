//! What is said of a group of flows.

use super::InOrder;
use super::spread::{Distribution, Spread};
use crate::bins::Evenness;
use crate::keys::keys;
use crate::tally::{FlowTally, loss_ratio, rate_bps};
use crate::window::Fates;
use std::collections::BTreeMap;
use tailrace_core::{Duration, Instant};

keys! {
    /// A group of flows in a window.
    #[derive(Clone, Debug)]
    pub(crate) struct GroupSummary {
        /// Number of flows.
        flows: usize, "";
        /// `"normal"` or `"attack"`, as the scenario says.
        role: &'static str, "";
        /// Spread of goodput over the flows.
        goodput_bps: Spread, "bit/s";
        /// Spread of throughput over the flows.
        throughput_bps: Spread, "bit/s";
        /// Jain's fairness index over the flows' goodput: 1 when all are equal, 1/n when one has all; null when all have
        /// none.
        jain: f64, "0 to 1";
        /// Bytes that applications got and that a middlebox had changed (`rewrite` of a link).
        altered_bytes: u64, "bytes";
        /// Data packets sent, retransmissions included; sum over the flows, as all counts here.
        sent_packets: u64, "packets";
        /// Of those, dropped on the way by the end of the run.
        lost_packets: u64, "packets";
        /// `lost_packets` / `sent_packets`; null when none was sent.
        loss_ratio: f64, "ratio";
        /// Of those sent, marked CE by queues.
        marked_packets: u64, "packets";
        /// Segments sent again (TCP).
        retransmitted_packets: u64, "packets";
        /// Expiries of the retransmission timer (TCP).
        timeouts: u64, "";
        /// Transfers (`transfer`, `sequence`) or exchanges (`request_response`) completed.
        completed: u64, "";
        /// Of the whole run: what applications were asked for and what came of it; null for applications that have no
        /// transfers or exchanges.
        transfers: Option<Transfers>, "" of Transfers;
        /// Connections of the whole run; null for UDP.
        connections: Option<Connections>, "" of Connections;
        /// Counters from time zero, warm-up included; left out of a window.
        #[serde(skip_serializing_if = "Option::is_none")]
        whole_run: Option<WholeRun>, "" of WholeRun;
        /// Distribution over data packets that arrived, forward.
        one_way_delay_s: Distribution, "s";
        /// The same over those that came back; nulls where none did.
        reverse_one_way_delay_s: Distribution, "s";
        /// Distribution over round-trip samples (TCP, and the application `ping`).
        rtt_s: Distribution, "s";
        /// Distribution over what completed: from the opening of the connection, or the sending of the request, to the
        /// arrival of the last byte.
        completion_s: Distribution, "s";
        /// Spread of goodput until completion: of each flow the bytes of its transfers or exchanges that completed over the time
        /// that they took, as of `completion_s`; over the flows that completed any, null without one.
        completion_goodput_bps: Option<Spread>, "bit/s";
        /// Distribution over transfers on connections of their own (TCP): how many times as long they took as they take at least:
        /// a round trip of propagation, the bytes at the rate of the slowest link of the path, and the way there.
        slowdown: Distribution, "ratio";
        /// Of transfers whose sizes differ: by size, under `below_10kB`, `below_100kB`, `below_1MB`, `below_10MB`, `larger`. Left
        /// out of other groups.
        #[serde(skip_serializing_if = "InOrder::is_empty")]
        completion_by_size: InOrder<BySize>, "";
        /// How good conversations were (`voip`); left out of other groups.
        #[serde(skip_serializing_if = "Option::is_none")]
        voice: Option<VoiceSummary>, "" of VoiceSummary;
        /// Web pages (`web`), whose objects are the `transfers`; left out of other groups.
        #[serde(skip_serializing_if = "Option::is_none")]
        pages: Option<PagesSummary>, "" of PagesSummary;
        /// What was played (`video`), whose segments are the `transfers`; left out of other groups.
        #[serde(skip_serializing_if = "Option::is_none")]
        video: Option<VideoSummary>, "" of VideoSummary;
        /// Distribution of the differences between the transit times of one delivery and the next.
        jitter_s: Distribution, "s";
        /// Longest time without a byte for any application of a flow that was open, in either direction; the longest of the
        /// group's flows, null where none was open. Over TCP a flow is open while it has a connection, over UDP from its `start` to
        /// its `stop`.
        longest_silence_s: f64, "s";
        /// How even its flows together were, from one interval of `[record] interval` to the next; left out where none are
        /// recorded.
        #[serde(skip_serializing_if = "Option::is_none")]
        bins: Option<BinsSummary>, "" of BinsSummary;
    }
}

impl GroupSummary {
    /// What befell packets sent in a window after it was over.
    pub(crate) fn befell(&mut self, late: Fates) {
        self.lost_packets += late.lost;
        self.marked_packets += late.marked;
        self.loss_ratio = loss_ratio(self.lost_packets, self.sent_packets);
    }
}

keys! {
    /// Intervals that lie within the time covered.
    #[derive(Clone, Debug)]
    pub(crate) struct BinsSummary {
        /// From when on times to reach a rate count: the start of the group's first flow, warm-up or not; of a window its own
        /// start, where that is later.
        start_s: f64, "s";
        /// The end of the run, or of the window.
        end_s: f64, "s";
        /// How long each is.
        interval_s: f64, "s";
        /// How many count for goodput: those at both ends of which a flow of the group was open, as for `longest_silence_s`.
        count: u64, "";
        /// Coefficient of variation of goodput within the run: its standard deviation over these intervals, by its mean; 0 is
        /// perfectly smooth. Null with fewer than two, or without a byte.
        goodput_cv: f64, "";
        /// Goodput in the interval that had least, sum over the flows; null without any.
        goodput_min_bps: Option<f64>, "bit/s";
        /// Goodput in the interval that had most.
        goodput_max_bps: Option<f64>, "bit/s";
        /// The largest share lost in any interval: of the packets that were dropped or arrived in it, those that were
        /// dropped. Null where there were none.
        loss_max_ratio: f64, "ratio";
    }
}

impl BinsSummary {
    /// Of intervals of that length, between these times.
    pub(crate) fn of((start, end): (Instant, Instant), interval: Duration, evenness: &Evenness) -> Self {
        let rate = |bytes| rate_bps(bytes, interval);
        Self {
            start_s: start.as_secs_f64(),
            end_s: end.as_secs_f64(),
            interval_s: interval.as_secs_f64(),
            count: evenness.count,
            goodput_cv: evenness.goodput_cv(),
            goodput_min_bps: evenness.min().map(rate),
            goodput_max_bps: evenness.max().map(rate),
            loss_max_ratio: evenness.loss_max_ratio(),
        }
    }
}

keys! {
    /// Voice of a group's flows.
    #[derive(Clone, Debug)]
    pub(crate) struct VoiceSummary {
        /// Spread over the flows of the E-model's rating R, 0 to 94; above 80 users are satisfied.
        r_factor: Spread, "";
        /// Spread over the flows of the mean opinion score, 1 (bad) to 4.5 (excellent).
        mos: Spread, "";
        /// Packets that came later than the playout buffer waits for them.
        late_packets: u64, "packets";
    }
}

keys! {
    /// Web pages of a group's flows.
    #[derive(Clone, Debug)]
    pub(crate) struct PagesSummary {
        /// Pages of which all objects have arrived.
        loaded: u64, "";
        /// Distribution of how long that took, from the opening of the first connection to the arrival of the last byte.
        load_s: Distribution, "s";
    }
}

keys! {
    /// What a group's flows played.
    #[derive(Clone, Debug)]
    pub(crate) struct VideoSummary {
        /// Spread over the flows of the mean rate of the segments that arrived; of flows that have any.
        rate_bps: Spread, "bit/s";
        /// Spread over the flows of how often a segment had another rate than the one before.
        switches: Spread, "";
        /// Spread over the flows of how often the buffer ran empty.
        stalls: Spread, "";
        /// Spread over the flows of how long it was empty in all, a stall under way included.
        stalled_s: Spread, "s";
        /// Spread of the time from the first request until playing began; of flows in which it began.
        startup_s: Spread, "s";
        /// Segments that arrived.
        segments: u64, "";
    }
}

keys! {
    /// Transfers of a group whose sizes lie in a bin.
    #[derive(Clone, Debug)]
    pub(crate) struct BySize {
        /// How many were completed.
        completed: u64, "";
        /// As of the group.
        completion_s: Distribution, "s";
        /// As of the group.
        slowdown: Distribution, "ratio";
    }
}

keys! {
    /// Transfers, or exchanges, of a group's flows over the whole run, or in a part of it.
    #[derive(Clone, Copy, Debug, Default)]
    pub(crate) struct Transfers {
        /// How many were asked for; null without a `count`.
        asked: Option<u64>, "";
        /// How many have begun.
        started: u64, "";
        /// How many have arrived with all their bytes.
        completed: u64, "";
        /// How many had their connection break before.
        failed: u64, "";
        /// How many are neither completed nor failed at the end.
        under_way: u64, "";
        /// How many were asked for and have not begun; null without a `count`.
        not_begun: Option<u64>, "";
    }
}

impl Transfers {
    /// What came about since; how many are under way, and have not begun, is of now.
    pub(crate) fn since(self, earlier: &Self) -> Self {
        Self {
            started: self.started - earlier.started,
            completed: self.completed - earlier.completed,
            failed: self.failed - earlier.failed,
            ..self
        }
    }
}

keys! {
    /// Connections of a group's flows over the whole run, or in a part of it.
    #[derive(Clone, Debug, Default)]
    pub(crate) struct Connections {
        /// How many were opened.
        opened: u64, "";
        /// How many were not over at the end, as the client sees it.
        open: u64, "";
        /// How many did not end in good order, by what one of the ends said first: `refused`, `reset` by the peer,
        /// `timed_out` (no answer to any retry), `interface_down` (the addresses of the last subflows went), `aborted`.
        broken: BTreeMap<&'static str, u64>, "";
    }
}

impl Connections {
    /// What came about since; how many are open is of now.
    pub(crate) fn since(mut self, earlier: &Self) -> Self {
        self.opened -= earlier.opened;
        for (cause, count) in &mut self.broken {
            *count -= earlier.broken.get(cause).copied().unwrap_or_default();
        }
        self
    }
}

keys! {
    /// A group's counters from the start of the run.
    #[derive(Clone, Debug, Default)]
    pub(crate) struct WholeRun {
        /// Data packets sent, retransmissions included.
        sent_packets: u64, "packets";
        /// Their IP bytes.
        sent_bytes: u64, "bytes";
        /// Data packets that arrived.
        received_packets: u64, "packets";
        /// Their IP bytes.
        received_bytes: u64, "bytes";
        /// Handed to applications, in order and once.
        delivered_bytes: u64, "bytes";
        /// Data packets dropped on the way.
        lost_packets: u64, "packets";
        /// Sent, and neither received nor lost by the end.
        under_way_packets: u64, "packets";
        /// Data packets marked CE by queues.
        marked_packets: u64, "packets";
        /// Segments sent again (TCP).
        retransmitted_packets: u64, "packets";
        /// Expiries of the retransmission timer (TCP).
        timeouts: u64, "";
        /// Transfers or exchanges completed.
        completed: u64, "";
        /// Of what was delivered, other bytes than the other end wrote, where both are known: over TCP with a Linux kernel at an
        /// end. Left out of other groups.
        #[serde(skip_serializing_if = "Option::is_none")]
        wrong_bytes: Option<u64>, "bytes";
    }
}

impl WholeRun {
    /// Of the counters of a group since the start.
    pub(crate) fn of(t: &FlowTally, wrong_bytes: Option<u64>) -> Self {
        Self {
            sent_packets: t.sent_packets,
            sent_bytes: t.sent_bytes,
            received_packets: t.received_packets,
            received_bytes: t.received_bytes,
            delivered_bytes: t.delivered_bytes,
            lost_packets: t.lost_packets,
            under_way_packets: t.sent_packets - t.received_packets - t.lost_packets,
            marked_packets: t.marked_packets,
            retransmitted_packets: t.retransmitted_packets,
            timeouts: t.timeouts,
            completed: t.completed,
            wrong_bytes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cause_that_may_stand_there_is_described() {
        let described = Connections::KEYS.iter().find(|key| key.name == "broken").unwrap();
        for (_, cause) in crate::flow::CAUSES {
            assert!(described.doc.contains(&format!("`{cause}`")), "{cause}");
        }
    }
}

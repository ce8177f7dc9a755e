//! What is said of a queue under study.

use super::spread::{Distribution, Level};
use crate::keys::keys;
use std::collections::BTreeMap;
use tailrace_core::DropReason;
use tailrace_net::LinkCounters;

keys! {
    /// A link direction with a queue under study, in a window.
    #[derive(Clone, Debug)]
    pub(crate) struct QueueSummary {
        /// The discipline.
        kind: &'static str, "";
        /// Whose form of it, where there are several (`rfc`, `linux`, `ns2`, ...); else left out.
        #[serde(skip_serializing_if = "Option::is_none")]
        form: Option<&'static str>, "";
        /// The most that may wait, as text: its `limit`, or where it has none its `memory_limit`; left out where it has
        /// neither.
        #[serde(skip_serializing_if = "Option::is_none")]
        limit: Option<String>, "";
        /// Distribution of the time packets waited, over packets whose transmission began; zero for those that found the
        /// transmitter free.
        sojourn_s: Distribution, "s";
        /// Level of what waits, time-weighted; the packet in transmission does not count.
        backlog_bytes: Level, "bytes";
        /// The same in packets.
        backlog_packets: Level, "packets";
        /// Bytes whose transmission began, link overhead included, over what the link's rate would carry in that time, as
        /// faults of kind `rate` made it; while it is down, too. With a trace or grants, over what these gave in that time.
        utilization: f64, "ratio";
        /// Packets that the queue took in, net of drops on arrival.
        enqueued_packets: u64, "packets";
        /// Transmissions begun.
        dequeued_packets: u64, "packets";
        /// Marked CE, data or not.
        marked_packets: u64, "packets";
        /// By reason: `overlimit` (queue full), `aqm` (the discipline decided so), `link_loss` (random loss after
        /// transmission), `link_down` (the link was taken down or was down), `too_big` (larger than the MTU).
        dropped_packets: BTreeMap<&'static str, u64>, "packets";
        /// What faults did to packets on the wire: `duplicated` (copies made), `corrupted` (bits damaged; the host that such a packet
        /// reaches drops it) and `held_back` (others could go past); left out where they did nothing.
        #[serde(skip_serializing_if = "BTreeMap::is_empty")]
        disturbed_packets: BTreeMap<&'static str, u64>, "packets";
        /// Counters from time zero, warm-up included; left out of a window.
        #[serde(skip_serializing_if = "Option::is_none")]
        whole_run: Option<WholeRunOfQueue>, "" of WholeRunOfQueue;
        /// How a discipline that singles out flows judged flows against their `role`: a flow is positive if it stood flagged
        /// at any time after the warm-up. Zeros and nulls for disciplines that do not classify.
        flagged: Flagged, "" of Flagged;
    }
}

keys! {
    /// A queue's counters from the start of the run.
    #[derive(Clone, Debug)]
    pub(crate) struct WholeRunOfQueue {
        /// Packets that the queue took in, net of drops on arrival.
        enqueued_packets: u64, "packets";
        /// Transmissions begun.
        dequeued_packets: u64, "packets";
        /// Bytes whose transmission began, link overhead excluded.
        sent_bytes: u64, "bytes";
        /// Marked CE, data or not.
        marked_packets: u64, "packets";
        /// By reason, as above.
        dropped_packets: BTreeMap<&'static str, u64>, "packets";
    }
}

impl WholeRunOfQueue {
    /// Of the counters of a link direction since the start.
    pub(crate) fn of(c: &LinkCounters) -> Self {
        Self {
            enqueued_packets: c.enqueued(),
            dequeued_packets: c.dequeued,
            sent_bytes: c.sent_bytes,
            marked_packets: c.marked,
            dropped_packets: by_reason(c),
        }
    }
}

/// Drops of a link direction; where there is no route is a matter of routers, and damage one of hosts.
pub(crate) fn by_reason(c: &LinkCounters) -> BTreeMap<&'static str, u64> {
    let elsewhere = [DropReason::NoRoute, DropReason::Corrupted];
    let reasons = DropReason::ALL.iter().filter(|r| !elsewhere.contains(r));
    reasons.map(|r| (r.name(), c.dropped[*r as usize])).collect()
}

/// What faults did to packets of a link direction on the wire, if anything.
pub(crate) fn disturbed(c: &LinkCounters) -> BTreeMap<&'static str, u64> {
    let all = [("duplicated", c.duplicated), ("corrupted", c.corrupted), ("held_back", c.held_back)];
    if all.iter().all(|(_, n)| *n == 0) { BTreeMap::new() } else { BTreeMap::from(all) }
}

keys! {
    /// How a classifier judged flows, against the scenario's roles.
    #[derive(Clone, Debug, Default)]
    pub(crate) struct Flagged {
        /// Attack flows that stood flagged.
        true_positive: u64, "flows";
        /// Normal flows that stood flagged.
        false_positive: u64, "flows";
        /// Attack flows that never did.
        false_negative: u64, "flows";
        /// Normal flows that never did.
        true_negative: u64, "flows";
        /// Mean time from an attack flow's start to its first flag; null without any.
        detection_s: Option<f64>, "s";
        /// Mean length of the flags that were cleared; null without any.
        rehabilitation_s: Option<f64>, "s";
        /// The flows of each group by themselves; left out for disciplines that do not classify.
        #[serde(skip_serializing_if = "BTreeMap::is_empty")]
        groups: BTreeMap<String, FlaggedGroup>, "";
    }
}

keys! {
    /// How a classifier judged the flows of a group.
    #[derive(Clone, Debug, Default)]
    pub(crate) struct FlaggedGroup {
        /// Flows that stood flagged at any time: right of an attack, false positives of others.
        flagged: u64, "flows";
        /// Mean time from a flow's start to its first flag; null without any.
        first_flag_s: Option<f64>, "s";
        /// Flags that were cleared.
        cleared: u64, "";
        /// Mean length of those; null without any.
        rehabilitation_s: Option<f64>, "s";
        /// Flags of flows that had been cleared before.
        flagged_again: u64, "";
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_that_may_stand_there_is_described() {
        let described = QueueSummary::KEYS.iter().find(|key| key.name == "dropped_packets").unwrap();
        for reason in by_reason(&LinkCounters::default()).keys() {
            assert!(described.doc.contains(&format!("`{reason}`")), "{reason}");
        }
    }
}

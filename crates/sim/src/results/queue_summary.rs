//! Summary of a queue under study.

use crate::ground::distribution::{Distribution, TimeLevel};
use crate::ground::keys::keys;
use crate::results::classifier_summary::ClassifierSummary;
use std::collections::BTreeMap;
use tailrace_core::DropReason;
use tailrace_net::LinkCounters;

keys! {
    /// A link direction with a queue under study, in a window.
    #[derive(Clone, Debug)]
    pub(crate) struct QueueSummary {
        /// The queue discipline.
        kind: &'static str, "";
        /// The version of the discipline, if there are several (`rfc`, `linux`, `ns2`, ...); otherwise left out.
        #[serde(skip_serializing_if = "Option::is_none")]
        form: Option<&'static str>, "";
        /// The largest queue length, as text: its `limit`, or without one its `memory_limit`. Left out if it has neither.
        #[serde(skip_serializing_if = "Option::is_none")]
        limit: Option<String>, "";
        /// Time that packets waited in the queue, as a distribution over packets that began to be sent. Packets that could be
        /// sent at once count as zero.
        sojourn_s: Distribution, "s";
        /// Bytes that wait in the queue, as a level over time. The packet that is being sent does not count.
        backlog_bytes: TimeLevel, "bytes";
        /// Packets that wait in the queue, as a level over time. The packet that is being sent does not count.
        backlog_packets: TimeLevel, "packets";
        /// The share of the link's capacity that was used: bytes that were sent, link overhead included, divided by what the
        /// link's rate would carry in that time. Faults of kind `rate` change that rate; time in which the link is down counts.
        /// With a trace or grants, divided by what these offered.
        utilization: f64, "ratio";
        /// Packets that the queue accepted.
        enqueued_packets: u64, "packets";
        /// Packets that began to be sent.
        dequeued_packets: u64, "packets";
        /// Packets that were marked CE (ECN), whether they carry data or not.
        marked_packets: u64, "packets";
        /// Packets dropped, by reason: `overlimit` (the queue was full), `aqm` (the discipline decided so), `link_loss` (random
        /// loss on the link), `link_down` (the link was down or went down), `too_big` (larger than the MTU), `policed` (a policer
        /// found that the packet exceeds its rate).
        dropped_packets: BTreeMap<&'static str, u64>, "packets";
        /// ACKs that an ACK filter took out of the queue (`cake` with `ack_filter`), since a later one says all that they said:
        /// Linux's `ack_drop`. No drops, and in none of the reasons above.
        ack_filtered_packets: u64, "packets";
        /// Packets on the link that faults changed: `duplicated` (copies made), `corrupted` (bits damaged; the receiving host
        /// drops such a packet) and `held_back` (others could overtake). Left out if there are none.
        #[serde(skip_serializing_if = "BTreeMap::is_empty")]
        disturbed_packets: BTreeMap<&'static str, u64>, "packets";
        /// Counters from time zero, warm-up included. Left out of windows.
        #[serde(skip_serializing_if = "Option::is_none")]
        whole_run: Option<WholeRunQueueCounters>, "" of WholeRunQueueCounters;
        /// Accuracy of a discipline that flags flows, compared with the `role` of flows. A flow counts as flagged if it was
        /// flagged at any time after the warm-up. Zeros and nulls for other disciplines.
        flagged: ClassifierSummary, "" of ClassifierSummary;
    }
}

keys! {
    /// A queue's counters from the start of the run.
    #[derive(Clone, Debug)]
    pub(crate) struct WholeRunQueueCounters {
        /// Packets that the queue accepted.
        enqueued_packets: u64, "packets";
        /// Packets that began to be sent.
        dequeued_packets: u64, "packets";
        /// Bytes of the packets that began to be sent, without link overhead.
        sent_bytes: u64, "bytes";
        /// Packets that were marked CE (ECN), whether they carry data or not.
        marked_packets: u64, "packets";
        /// Packets dropped, by the same reasons as above.
        dropped_packets: BTreeMap<&'static str, u64>, "packets";
        /// ACKs that an ACK filter took out of the queue.
        ack_filtered_packets: u64, "packets";
    }
}

impl WholeRunQueueCounters {
    /// Counters of a link direction since the start.
    pub(crate) fn of(c: &LinkCounters) -> Self {
        Self {
            enqueued_packets: c.enqueued(),
            dequeued_packets: c.dequeued,
            sent_bytes: c.sent_bytes,
            marked_packets: c.marked,
            dropped_packets: by_reason(c),
            ack_filtered_packets: c.ack_filtered(),
        }
    }
}

/// Drops of a link direction by reason. Missing routes are counted at routers, damage at hosts; filtered ACKs are no
/// drops.
pub(crate) fn by_reason(c: &LinkCounters) -> BTreeMap<&'static str, u64> {
    let elsewhere = [DropReason::NoRoute, DropReason::Corrupted];
    let reasons = DropReason::ALL.iter().filter(|r| r.is_loss() && !elsewhere.contains(r));
    reasons.map(|r| (r.name(), c.dropped[*r as usize])).collect()
}

/// Packets of a link direction that faults changed on the wire; empty if there are none.
pub(crate) fn disturbed(c: &LinkCounters) -> BTreeMap<&'static str, u64> {
    let all = [("duplicated", c.duplicated), ("corrupted", c.corrupted), ("held_back", c.held_back)];
    if all.iter().all(|(_, n)| *n == 0) { BTreeMap::new() } else { BTreeMap::from(all) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drop_reasons_are_documented() {
        let described = QueueSummary::KEYS.iter().find(|key| key.name == "dropped_packets").unwrap();
        for reason in by_reason(&LinkCounters::default()).keys() {
            assert!(described.doc.contains(&format!("`{reason}`")), "{reason}");
        }
    }
}

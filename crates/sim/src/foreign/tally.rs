//! What foreign hosts send and receive.

use crate::keys::keys;

keys! {
    /// Counters of one foreign host, from the start of the run, as they stand in the results. Packets of flows are the flows'.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub(crate) struct ForeignTally {
        /// Packets sent that are of no flow of the scenario: those are the flow's.
        sent_packets: u64, "packets";
        /// Their IP bytes.
        sent_bytes: u64, "bytes";
        /// Of those sent, dropped on the way.
        lost_packets: u64, "packets";
        /// Of those sent, marked CE by queues.
        marked_packets: u64, "packets";
        /// Packets that have reached it, flows', too.
        received_packets: u64, "packets";
        /// The IP bytes of that.
        received_bytes: u64, "bytes";
        /// What it gave out and was no IPv4 packet.
        malformed_packets: u64, "packets";
    }
}

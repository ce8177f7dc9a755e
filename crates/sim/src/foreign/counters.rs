//! What foreign hosts send and receive.

use crate::ground::keys::keys;

keys! {
    /// Counters of one foreign host, from the start of the run, as they stand in the results. Packets of flows are the flows'.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub(crate) struct ForeignCounters {
        /// Packets sent that belong to no flow of the scenario; others count for their flow.
        sent_packets: u64, "packets";
        /// Their size in bytes of IP packets.
        sent_bytes: u64, "bytes";
        /// How many of these were dropped on the way.
        lost_packets: u64, "packets";
        /// How many of these were marked CE (ECN) by queues.
        marked_packets: u64, "packets";
        /// Packets that reached the host, those of flows included.
        received_packets: u64, "packets";
        /// Their size in bytes of IP packets.
        received_bytes: u64, "bytes";
        /// What the host sent that was no IPv4 packet.
        malformed_packets: u64, "packets";
    }
}

//! Counters of the packets that foreign hosts send and receive.

use crate::ground::keys::keys;

keys! {
    /// Counters of one foreign host since the start of the run, for the results. Packets of flows are counted for the flow, not
    /// here.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub(crate) struct ForeignCounters {
        /// Packets sent that belong to no flow of the scenario. Packets of flows are counted for the flow.
        sent_packets: u64, "packets";
        /// Bytes of IP packets sent that belong to no flow.
        sent_bytes: u64, "bytes";
        /// Packets lost on the way, of those that belong to no flow.
        lost_packets: u64, "packets";
        /// Packets marked CE (ECN) by queues, of those that belong to no flow.
        marked_packets: u64, "packets";
        /// Packets that reached the host, those of flows included.
        received_packets: u64, "packets";
        /// Bytes of IP packets that reached the host.
        received_bytes: u64, "bytes";
        /// Packets sent that were not valid IPv4 and were discarded.
        malformed_packets: u64, "packets";
    }
}

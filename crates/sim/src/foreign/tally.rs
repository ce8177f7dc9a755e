//! What foreign hosts send and receive.

use serde::Serialize;

/// Counters of one foreign host, from the start of the run, as they stand in the results. Packets of flows are the flows'.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct ForeignTally {
    pub(crate) sent_packets: u64,
    pub(crate) sent_bytes: u64,
    /// Of what it has sent.
    pub(crate) lost_packets: u64,
    /// Of what it has sent.
    pub(crate) marked_packets: u64,
    /// All that has reached it, flows' packets, too.
    pub(crate) received_packets: u64,
    pub(crate) received_bytes: u64,
    /// What it gave out and was no IPv4 packet.
    pub(crate) malformed_packets: u64,
}

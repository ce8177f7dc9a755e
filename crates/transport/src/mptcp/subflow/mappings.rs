//! DSS mappings of a subflow in both directions (RFC 8684 §3.3.1).

use crate::mptcp::chunk::DataChunk;

/// A mapping announced for bytes that were handed to the subflow.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SentMapping {
    /// Relative subflow number after the last byte.
    pub(crate) ssn_end: u64,
    pub(crate) dsn: u64,
    /// The number of its piece, of one that is new (see [`DataSender::hand_out`](crate::mptcp::data::sender::DataSender::hand_out)).
    pub(crate) piece: u32,
    pub(crate) len: u16,
    /// Handed to the connection for others to carry.
    pub(crate) reinjected: bool,
    /// Others had carried these bytes before.
    pub(crate) again: bool,
}

impl SentMapping {
    /// Whether `dsn` goes on with it, in segments of `most` bytes. The first data stays as it is where it is shorter, since the option
    /// beside it is longer.
    #[inline]
    pub(super) fn continues_at(&self, dsn: u64, most: u32) -> bool {
        self.dsn + u64::from(self.len) == dsn && (self.dsn > 1 || u32::from(self.len) == most)
    }
}

/// What a subflow takes of some bytes at once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FittedChunk {
    pub(crate) chunk: DataChunk,
    /// They go on with the data that it was handed last.
    pub(crate) goes_on: bool,
    /// They become part of the segment that waits as the last.
    pub(crate) joins: bool,
}

/// A mapping that the peer has announced for bytes that are not taken yet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReceivedMapping {
    pub(crate) dsn: u64,
    /// Relative subflow number of the first byte.
    pub(crate) ssn: u64,
    pub(crate) len: u64,
}

//! The unit of scheduling: consecutive bytes of the data stream that one subflow carries in one segment.

/// Bytes for one segment: new data, or a candidate for reinjection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DataChunk {
    /// Data sequence number of the first byte.
    pub dsn: u64,
    /// Length, bytes.
    pub len: u32,
    /// The subflows that have carried it, one bit each.
    pub carriers: u32,
}

impl DataChunk {
    /// Data sequence number after the last byte.
    #[inline]
    pub const fn end(&self) -> u64 {
        self.dsn + self.len as u64
    }
}

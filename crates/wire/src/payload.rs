//! Payload as a transport header needs it: length and share of the checksum.

use crate::checksum::InternetChecksum;

/// The payload of a packet, as far as its headers depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Payload<'a> {
    /// A number of zero bytes. They add nothing to a ones' complement sum, so they need not exist.
    Zeros(usize),
    /// These bytes.
    Bytes(&'a [u8]),
}

impl Payload<'_> {
    /// Length in bytes.
    pub const fn len(&self) -> usize {
        match self {
            Self::Zeros(n) => *n,
            Self::Bytes(bytes) => bytes.len(),
        }
    }
    /// Whether there is no payload.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// `sum` with the payload added.
    pub(crate) fn add_to(&self, sum: InternetChecksum) -> InternetChecksum {
        match self {
            Self::Zeros(_) => sum,
            Self::Bytes(bytes) => sum.bytes(bytes),
        }
    }
}

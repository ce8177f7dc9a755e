//! What can be wrong with bytes, or with a request to write them.

use core::fmt;

/// Why bytes are not the header they should be, or a header cannot be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WireError {
    /// The bytes end before the header, or the packet it announces, does.
    Truncated {
        /// Which header.
        header: &'static str,
        /// Bytes it takes.
        needed: usize,
        /// Bytes there are.
        available: usize,
    },
    /// A field holds a value that the standard does not allow.
    Malformed {
        /// Which header.
        header: &'static str,
        /// Which field.
        field: &'static str,
    },
    /// The checksum does not match the bytes.
    Checksum {
        /// Which header.
        header: &'static str,
    },
    /// What should be written is longer than its length field, or the space for it, allows.
    TooLong {
        /// What is too long.
        what: &'static str,
        /// Its length in bytes.
        length: usize,
        /// The most that fits.
        limit: usize,
    },
}

impl fmt::Display for WireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Truncated { header, needed, available } => {
                write!(f, "{header}: {needed} bytes needed, {available} available")
            }
            Self::Malformed { header, field } => write!(f, "{header}: invalid {field}"),
            Self::Checksum { header } => write!(f, "{header}: wrong checksum"),
            Self::TooLong { what, length, limit } => {
                write!(f, "{what}: {length} bytes, at most {limit} fit")
            }
        }
    }
}

impl core::error::Error for WireError {}

/// Fails unless `available` reaches `needed`.
pub(crate) fn require(header: &'static str, needed: usize, available: usize) -> Result<(), WireError> {
    if available < needed { Err(WireError::Truncated { header, needed, available }) } else { Ok(()) }
}

/// Fails if `length` exceeds `limit`.
pub(crate) fn at_most(what: &'static str, length: usize, limit: usize) -> Result<(), WireError> {
    if length > limit { Err(WireError::TooLong { what, length, limit }) } else { Ok(()) }
}

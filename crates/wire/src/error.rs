//! Errors of parsing and writing headers.

use core::fmt;

/// Reason why bytes are not the expected header, or why a header cannot be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WireError {
    /// The bytes end before the header, or the packet it announces, does.
    Truncated {
        /// Name of the header.
        header: &'static str,
        /// Bytes it takes.
        needed: usize,
        /// Bytes there are.
        available: usize,
    },
    /// A field holds a value that the standard does not allow.
    Malformed {
        /// Name of the header.
        header: &'static str,
        /// Name of the field.
        field: &'static str,
    },
    /// The checksum does not match the bytes.
    Checksum {
        /// Name of the header.
        header: &'static str,
    },
    /// The content exceeds its length field, or the space for it.
    TooLong {
        /// Name of the content.
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

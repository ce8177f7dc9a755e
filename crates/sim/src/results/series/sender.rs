//! Sender columns shared by rows of connections, subflows and paths.

use tailrace_core::Instant;

/// A sending end at a sample: columns shared by its rows and those of its subflows.
pub(crate) struct SendingEnd<'a> {
    pub(crate) run: u32,
    pub(crate) now: Instant,
    pub(crate) group: &'a str,
    pub(crate) member: u32,
    pub(crate) end: &'static str,
}

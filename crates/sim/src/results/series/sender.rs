//! Sender columns that rows of connections, subflows and paths share.

use tailrace_core::Instant;

/// An end that sends at a sample: what rows of it and of its subflows have in common.
pub(crate) struct SendingEnd<'a> {
    pub(crate) run: u32,
    pub(crate) now: Instant,
    pub(crate) group: &'a str,
    pub(crate) member: u32,
    pub(crate) end: &'static str,
}

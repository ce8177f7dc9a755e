//! State of the transfer or exchange on a connection.

use tailrace_app::ConnectionData;
use tailrace_core::Instant;
use tailrace_transport::ResetCause;

/// Transfer or exchange under way on a client's connection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TransferState {
    /// Start time.
    pub(crate) began: Instant,
    /// Bytes still to arrive; `MAX` if none are awaited.
    pub(crate) awaited: u64,
    /// Size in bytes, both directions.
    pub(crate) size: u64,
    /// Whether the connection was opened for this transfer alone and all its data flows one way.
    pub(crate) is_transfer: bool,
    /// Whether the awaited bytes come from the server.
    pub(crate) responding: bool,
    /// Data that the server sends once it has heard from the client.
    pub(crate) owed: Option<ConnectionData>,
    /// Cause of the connection's break, if it broke.
    pub(crate) end: Option<ResetCause>,
}

impl Default for TransferState {
    fn default() -> Self {
        Self {
            began: Instant::ZERO,
            awaited: u64::MAX,
            size: 0,
            is_transfer: false,
            responding: false,
            owed: None,
            end: None,
        }
    }
}

impl TransferState {
    /// Begins an exchange of `bytes` from the client at `now`.
    pub(crate) fn begin(&mut self, bytes: u64, now: Instant) {
        (self.began, self.awaited, self.size, self.responding) = (now, bytes, bytes, false);
    }

    /// Whether the transfer or exchange is under way and can never complete.
    pub(crate) fn has_failed(&self) -> bool {
        self.awaited != u64::MAX && self.end.is_some()
    }
}

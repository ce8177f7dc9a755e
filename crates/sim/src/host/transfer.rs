//! State of the transfer or exchange on a connection.

use tailrace_app::ConnectionData;
use tailrace_core::Instant;
use tailrace_transport::ResetCause;

/// What the client of a connection wants of it: the transfer or exchange under way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TransferState {
    /// When it began.
    pub(crate) began: Instant,
    /// Bytes of it that still have to arrive; `MAX` where none are awaited.
    pub(crate) awaited: u64,
    /// Bytes of it, there and back.
    pub(crate) size: u64,
    /// Whether it is all that its connection was opened for, and all of it comes from one end.
    pub(crate) is_transfer: bool,
    /// Whether it is the server that the bytes are awaited from.
    pub(crate) responding: bool,
    /// What the server sends once it has heard from the client.
    pub(crate) owed: Option<ConnectionData>,
    /// Why the connection broke, if it did.
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
    /// `bytes` from the client are awaited from `now` on.
    pub(crate) fn begin(&mut self, bytes: u64, now: Instant) {
        (self.began, self.awaited, self.size, self.responding) = (now, bytes, bytes, false);
    }

    /// Whether a transfer or exchange is under way that never will come to its end.
    pub(crate) fn has_failed(&self) -> bool {
        self.awaited != u64::MAX && self.end.is_some()
    }
}

//! The timer that gives up a connection without subflows (Linux `close_timeout`).

use crate::tcp::ResetCause;
use tailrace_core::Instant;

/// When a connection without subflows is given up, and on account of what.
#[derive(Clone, Copy, Debug)]
pub(super) struct CloseTimer {
    /// `MAX` while there are subflows.
    at: Instant,
    cause: ResetCause,
}

impl CloseTimer {
    pub(super) const OFF: Self = Self { at: Instant::MAX, cause: ResetCause::TimedOut };

    /// The last subflow is gone because of `cause`: the connection is given up at `at`.
    pub(super) const fn new(at: Instant, cause: ResetCause) -> Self {
        Self { at, cause }
    }
    /// When the connection is given up; `MAX` while there are subflows.
    pub(super) const fn at(&self) -> Instant {
        self.at
    }
    pub(super) fn runs(&self) -> bool {
        self.at != Instant::MAX
    }
    /// On account of what.
    pub(super) const fn cause(&self) -> ResetCause {
        self.cause
    }
    /// If it runs, it is for `cause`.
    pub(super) fn blame(&mut self, cause: ResetCause) {
        self.cause = cause;
    }
}

//! Timers at the end of a connection: without subflows it is given up, a DATA_FIN without an answer gives way to a FIN, and a subflow that
//! waits for the peer's FIN in vain is reset.

use crate::tcp::ResetCause;
use tailrace_core::{Duration, Instant};

/// Time that a subflow waits for the peer's FIN once all data is done: the peer may have lost it (Linux tcp_fin_timeout).
const FIN_TIMEOUT: Duration = Duration::from_secs(60);

/// Timers of the end.
#[derive(Clone, Copy, Debug)]
pub(super) struct CloseTimers {
    /// Time at which a connection without subflows is given up (Linux `close_timeout`); `MAX` while there are subflows.
    give_up: Instant,
    /// Reason that the application is told then.
    cause: ResetCause,
    /// Time from which a DATA_FIN counts as unanswered; `MAX` if none is under way.
    data_fin: Instant,
    /// Time at which subflows in FIN-WAIT-2 are reset.
    fin: Instant,
}

impl CloseTimers {
    pub(super) const OFF: Self = Self {
        give_up: Instant::MAX,
        cause: ResetCause::TimedOut,
        data_fin: Instant::MAX,
        fin: Instant::MAX,
    };

    /// The last subflow was lost because of `cause`: the connection is given up at `at`.
    pub(super) const fn start(&mut self, at: Instant, cause: ResetCause) {
        (self.give_up, self.cause) = (at, cause);
    }
    /// There is a subflow, or the connection is over.
    pub(super) const fn stop(&mut self) {
        (self.give_up, self.cause) = (Instant::MAX, ResetCause::TimedOut);
    }
    /// Time at which the connection is given up; `MAX` while there are subflows.
    #[inline]
    pub(super) const fn give_up(&self) -> Instant {
        self.give_up
    }
    /// Whether the connection has no subflows.
    pub(super) fn is_running(&self) -> bool {
        self.give_up != Instant::MAX
    }
    /// Reason that the application is told.
    pub(super) const fn cause(&self) -> ResetCause {
        self.cause
    }
    /// Whether the connection has no subflows because the addresses of the last ones are gone.
    pub(super) fn address_lost(&self) -> bool {
        self.is_running() && self.cause == ResetCause::AddressLost
    }
    /// Replaces that reason.
    pub(super) const fn set_cause(&mut self, cause: ResetCause) {
        self.cause = cause;
    }

    /// A DATA_FIN leaves: from `at` on it counts as unanswered. Repetitions change nothing.
    pub(super) fn start_data_fin(&mut self, at: Instant) {
        self.data_fin = self.data_fin.min(at);
    }
    /// Whether the peer has not answered a DATA_FIN in time.
    pub(super) fn is_data_fin_unanswered(&self, now: Instant) -> bool {
        self.data_fin <= now
    }

    /// Time at which subflows in FIN-WAIT-2 are reset.
    #[inline]
    pub(super) const fn fin(&self) -> Instant {
        self.fin
    }
    /// Starts the timer for the peer's FIN, unless it runs.
    pub(super) fn start_fin(&mut self, now: Instant) {
        if self.fin == Instant::MAX {
            self.fin = now.saturating_add(FIN_TIMEOUT);
        }
    }
    pub(super) const fn stop_fin(&mut self) {
        self.fin = Instant::MAX;
    }
}

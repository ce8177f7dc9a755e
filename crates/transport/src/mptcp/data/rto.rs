//! Retransmission timer of the data level (RFC 8684 §3.3.6).

use tailrace_core::{Duration, Instant};

/// Timer of data-level retransmissions, and of probes of a shut window.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DataRto {
    /// Time of expiry; `MAX` if it is off.
    at: Instant,
    /// Timeout as it was when data was assigned last, where subflows' timers govern it (Linux `timer_ival`).
    interval: Duration,
    /// Number of expiries in a row.
    backoff: u32,
}

impl DataRto {
    /// A timer that is off.
    pub(crate) const fn new(interval: Duration) -> Self {
        Self { at: Instant::MAX, interval, backoff: 0 }
    }
    /// Time of expiry; `MAX` if it is off.
    #[inline]
    pub(crate) const fn at(&self) -> Instant {
        self.at
    }
    #[inline]
    pub(crate) fn is_running(&self) -> bool {
        self.at != Instant::MAX
    }
    pub(crate) const fn stop(&mut self) {
        self.at = Instant::MAX;
    }
    pub(crate) const fn start(&mut self, at: Instant) {
        self.at = at;
    }
    /// Resets the backoff: new data is acknowledged at the data level.
    pub(crate) const fn on_progress(&mut self) {
        self.backoff = 0;
    }
    /// Backs off: the timer has expired.
    pub(crate) const fn on_expiry(&mut self) {
        self.backoff += 1;
    }
    /// `timeout`, doubled for each expiry in a row.
    pub(crate) fn backed_off(&self, timeout: Duration) -> Duration {
        timeout.saturating_mul(1 << self.backoff.min(16))
    }
    pub(crate) const fn interval(&self) -> Duration {
        self.interval
    }
    pub(crate) const fn set_interval(&mut self, interval: Duration) {
        self.interval = interval;
    }
}

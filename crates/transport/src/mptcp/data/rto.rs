//! The retransmission timer of the data level (RFC 8684 §3.3.6).

use tailrace_core::{Duration, Instant};

/// The timer of data-level retransmission (RFC 8684 §3.3.6).
#[derive(Clone, Copy, Debug)]
pub(in crate::mptcp) struct DataRto {
    /// When it expires; `MAX` where it does not run.
    pub(in crate::mptcp) at: Instant,
    /// After how long, where that was settled when data was handed out.
    pub(in crate::mptcp) interval: Duration,
    /// How often in a row it has expired.
    pub(in crate::mptcp) backoff: u32,
}

impl DataRto {
    /// It does not run.
    pub(in crate::mptcp) const fn new(interval: Duration) -> Self {
        Self { at: Instant::MAX, interval, backoff: 0 }
    }
    /// When it expires; `MAX` where it does not run.
    pub(in crate::mptcp) const fn at(&self) -> Instant {
        self.at
    }
    pub(in crate::mptcp) fn runs(&self) -> bool {
        self.at != Instant::MAX
    }
    pub(in crate::mptcp) fn stop(&mut self) {
        self.at = Instant::MAX;
    }
    /// New data is acknowledged at the data level.
    pub(in crate::mptcp) fn on_progress(&mut self) {
        self.backoff = 0;
    }
}

//! Progress and cancellation of a run from another thread.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use tailrace_core::Instant;

/// State shared between the thread that runs a simulation and the one that watches it.
#[derive(Debug, Default)]
pub struct Control {
    cancelled: AtomicBool,
    simulated_ns: AtomicU64,
}

impl Control {
    /// Asks the run to stop soon and return its partial results.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }
    /// Whether a stop was requested.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }
    /// Simulated time reached.
    pub fn simulated(&self) -> Instant {
        Instant::from_nanos(self.simulated_ns.load(Ordering::Relaxed))
    }
    /// Publishes the simulated time reached.
    pub(crate) fn publish(&self, now: Instant) {
        self.simulated_ns.store(now.as_nanos(), Ordering::Relaxed);
    }
}

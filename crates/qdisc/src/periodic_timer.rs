//! Periodic timer of controllers and of hash perturbation.

use tailrace_core::{Duration, Instant};

/// Timer that runs freely, also while the queue is empty. The next period begins when an expiry is handled: missed
/// expiries are not made up for.
#[derive(Clone, Debug)]
pub(crate) struct PeriodicTimer {
    interval: Duration,
    deadline: Instant,
}

impl PeriodicTimer {
    /// Timer that expires at time `first` and then every `interval`.
    pub(crate) fn new(first: Duration, interval: Duration) -> Self {
        Self { interval, deadline: Instant::ZERO.saturating_add(first) }
    }

    /// Time between expiries.
    pub(crate) fn interval(&self) -> Duration {
        self.interval
    }

    /// Time of the next expiry.
    #[inline]
    pub(crate) fn deadline(&self) -> Instant {
        self.deadline
    }

    /// Returns whether the timer has expired at `now`, and if so starts the next period at `now`.
    #[inline]
    pub(crate) fn restart_if_expired(&mut self, now: Instant) -> bool {
        let expired = now >= self.deadline;
        if expired {
            self.deadline = now.saturating_add(self.interval);
        }
        expired
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn periodic_timer_does_not_make_up_for_missed_expiries() {
        let mut timer = PeriodicTimer::new(Duration::from_millis(500), Duration::from_millis(15));
        assert!(!timer.restart_if_expired(Instant::from_millis(499)));
        assert!(timer.restart_if_expired(Instant::from_millis(600)));
        assert_eq!(timer.deadline(), Instant::from_millis(615));
    }
}

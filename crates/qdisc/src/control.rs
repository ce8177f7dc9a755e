//! Parts shared by the controllers with a timer (`pie`, `pi2`, `pi`): the proportional-integral step, the timer, and
//! the delay that departures show.

use tailrace_core::{Duration, Instant};

/// A proportional-integral controller in its incremental form: `alpha (x - reference) + beta (x - old)` a step.
#[derive(Clone, Debug)]
pub(crate) struct Controller {
    /// Gain of the error.
    pub(crate) alpha: f64,
    /// Gain of the trend.
    pub(crate) beta: f64,
    /// Where `x` is to be.
    pub(crate) reference: f64,
    /// `x` at the last step.
    pub(crate) old: f64,
}

impl Controller {
    /// The change that `sample` asks for. `old` is still the one before; see [`Controller::remember`].
    #[inline]
    pub(crate) fn change(&self, sample: f64) -> f64 {
        self.alpha * (sample - self.reference) + self.beta * (sample - self.old)
    }

    /// Ends the step.
    #[inline]
    pub(crate) fn remember(&mut self, sample: f64) {
        self.old = sample;
    }
}

/// A timer that runs freely, also while the queue is empty.
#[derive(Clone, Debug)]
pub(crate) struct Ticker {
    interval: Duration,
    next: Instant,
}

impl Ticker {
    /// The first tick after `first`, the others `interval` apart.
    pub(crate) fn new(first: Duration, interval: Duration) -> Self {
        Self { interval, next: Instant::ZERO.saturating_add(first) }
    }

    /// Time between ticks.
    pub(crate) fn interval(&self) -> Duration {
        self.interval
    }

    /// When the next tick is due.
    #[inline]
    pub(crate) fn next(&self) -> Instant {
        self.next
    }

    /// Whether a tick is due at `now`, which then passes.
    #[inline]
    pub(crate) fn ticks(&mut self, now: Instant) -> bool {
        let due = now >= self.next;
        if due {
            self.next = now.saturating_add(self.interval);
        }
        due
    }
}

/// Sojourn of the packet that left last, seconds; zero where it left the queue empty.
#[inline]
pub(crate) fn delay_shown(sojourn: Duration, left: u64) -> f64 {
    if left == 0 { 0.0 } else { sojourn.as_secs_f64() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn late_ticks_are_not_made_up_for() {
        let mut ticker = Ticker::new(Duration::from_millis(500), Duration::from_millis(15));
        assert!(!ticker.ticks(Instant::from_millis(499)));
        assert!(ticker.ticks(Instant::from_millis(600)));
        assert_eq!(ticker.next(), Instant::from_millis(615));
    }
}

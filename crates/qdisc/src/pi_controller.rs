//! Proportional-integral controller of the queueing delay or length, shared by `pie`, `pi2`, `pi` and `dualpi2`.

use tailrace_core::Duration;

/// PI controller in incremental form (Hollot et al., INFOCOM 2001; RFC 8033 §4.2): each update adds
/// `alpha (x - reference) + beta (x - previous)` to the control variable, a probability or its square root.
/// `x` is the delay in seconds or the queue length, and gains have the inverse unit.
#[derive(Clone, Debug)]
pub(crate) struct PiController {
    /// Integral gain, of the error `x - reference`.
    pub(crate) alpha: f64,
    /// Proportional gain, of the change of `x` since the last update.
    pub(crate) beta: f64,
    /// Set point of `x`.
    pub(crate) reference: f64,
    /// `x` at the last update.
    pub(crate) previous: f64,
}

impl PiController {
    /// Increment of the control variable for the new `sample` of `x`. The caller ends the update with
    /// [`PiController::store_sample`].
    #[inline]
    pub(crate) fn increment(&self, sample: f64) -> f64 {
        self.alpha * (sample - self.reference) + self.beta * (sample - self.previous)
    }

    /// Keeps the sample as `previous` of the next update.
    #[inline]
    pub(crate) fn store_sample(&mut self, sample: f64) {
        self.previous = sample;
    }
}

/// Queueing delay in seconds by the timestamp of a departing packet: its sojourn time, or zero if it left the queue
/// empty (`backlog` is the number of packets behind it).
#[inline]
pub(crate) fn departure_delay(sojourn: Duration, backlog: u64) -> f64 {
    if backlog == 0 { 0.0 } else { sojourn.as_secs_f64() }
}

//! The queueing delay, from timestamps or from a measured rate of departure (RFC 8033 §5.2).

use super::config::{DelayFrom, Form, PieConfig};
use crate::discipline::Backlog;
use crate::pi_controller::departure_delay;
use tailrace_core::{Bytes, Duration, Instant};

/// Estimates the queueing delay.
#[derive(Clone, Debug)]
pub(super) struct Estimate {
    from: DelayFrom,
    form: Form,
    threshold: u64,
    /// Delay that the last departure showed, seconds.
    shown: f64,
    /// Since when, and what has left since.
    measuring: Option<(Instant, u64)>,
    /// Seconds a byte, averaged; `None` before the first measurement.
    seconds_per_byte: Option<f64>,
}

impl Estimate {
    pub(super) fn new(config: &PieConfig) -> Self {
        Self {
            from: config.delay_from,
            form: config.form,
            threshold: config.dq_threshold.get(),
            shown: 0.0,
            measuring: None,
            seconds_per_byte: None,
        }
    }

    /// The present delay, seconds.
    #[inline]
    pub(super) fn delay(&self, backlog: Backlog) -> f64 {
        match self.from {
            DelayFrom::Timestamps => self.shown,
            DelayFrom::Rate => backlog.bytes.as_f64() * self.seconds_per_byte.unwrap_or(0.0),
        }
    }

    /// A packet left. Returns how long the measurement took that it ended.
    #[inline]
    pub(super) fn on_departure(
        &mut self,
        size: Bytes,
        sojourn: Duration,
        backlog: Backlog,
        now: Instant,
    ) -> Option<Duration> {
        if self.from == DelayFrom::Timestamps {
            self.shown = departure_delay(sojourn, backlog.packets);
            return None;
        }
        let enough = backlog.bytes.get() >= self.threshold;
        // Linux counts the packet that starts the measurement, RFC 8033 the one after it.
        if self.form == Form::Linux && enough && self.measuring.is_none() {
            self.measuring = Some((now, 0));
        }
        let mut took = None;
        if let Some((start, count)) = &mut self.measuring {
            *count = count.saturating_add(size.get());
            let (elapsed, count) = (now.saturating_since(*start), *count);
            // Linux goes on where no time has passed.
            if count >= self.threshold && (self.form != Form::Linux || elapsed > Duration::ZERO) {
                self.average(elapsed.as_secs_f64(), count as f64);
                self.measuring = None;
                took = Some(elapsed);
            }
        }
        if enough && self.measuring.is_none() {
            self.measuring = Some((now, 0));
        }
        took
    }

    /// RFC 8033 averages the time of `threshold` bytes with weight `threshold / 2^16`, Linux the rate with 1/8.
    fn average(&mut self, seconds: f64, count: f64) {
        self.seconds_per_byte = Some(match (self.form, self.seconds_per_byte) {
            (Form::Rfc | Form::Docsis, old) => {
                let (sample, weight) = (seconds / self.threshold as f64, self.threshold as f64 / 65_536.0);
                // The pseudo-code takes an average of zero for none.
                old.filter(|&old| old > 0.0).map_or(sample, |old| old + weight.min(1.0) * (sample - old))
            }
            (Form::Linux, None) => seconds / count,
            (Form::Linux, Some(old)) => 1.0 / (1.0 / old + (count / seconds - 1.0 / old) / 8.0),
        });
    }

    /// Whether the delay is known.
    pub(super) fn is_known(&self) -> bool {
        self.from == DelayFrom::Timestamps || self.seconds_per_byte.is_some()
    }

    /// Linux: measurements start anew after congestion.
    pub(super) fn reset(&mut self) {
        self.measuring = None;
        self.seconds_per_byte = None;
    }
}

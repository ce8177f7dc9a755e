//! The law of PIE.

use super::burst::Activity;
use super::config::{DelayFrom, Form, PieConfig};
use super::estimate::Estimate;
use crate::control::{Controller, Ticker};
use crate::discipline::{Aqm, Backlog, Verdict};
use tailrace_core::{Bytes, Duration, Instant, Limit, Rng};

/// The law. Delays are in seconds.
#[derive(Clone, Debug)]
pub struct Pie {
    limit: Limit,
    form: Form,
    mark_ecnth: f64,
    /// Backlog up to which nothing is signalled.
    floor: u64,
    /// Mean packet size where the probability scales with size.
    scale: Option<f64>,
    derandomize: bool,
    max_step: f64,
    max_burst: Duration,
    hold_in_burst: bool,
    /// Whether the safeguard looks at the latest delay instead of that of the last update.
    live: bool,

    /// RFC 8034's burst machine, in the place of RFC 8033's rule.
    activity: Option<Activity>,
    /// Largest probability; above 1 it reaches small packets.
    most: f64,

    controller: Controller,
    ticker: Ticker,
    estimate: Estimate,
    probability: f64,
    /// Sum of the probabilities since the last drop.
    accumulated: f64,
    burst_allowance: Duration,
    /// Linux: the last departure.
    last_departure: Option<Instant>,
    /// The delay at the last update, for the series.
    delay: f64,
}

/// Bounds of the accumulated probability (RFC 8033 §5.4).
const LOW: f64 = 0.85;
const HIGH: f64 = 8.5;
/// Linux counts probabilities in parts of 2^56 in 64 bits, and stops at one only when these run over.
const LINUX_OVERFLOW: f64 = 256.0;
/// MIN_PKTSIZE of RFC 8034, bytes.
const SMALLEST: f64 = 64.0;

impl Pie {
    /// The law with the parameters of `config`.
    pub fn new(config: &PieConfig) -> Self {
        let (first, interval) = match config.form {
            Form::Rfc | Form::Docsis => (config.tupdate, config.tupdate),
            Form::Linux => (Duration::from_millis(500), linux_timer(config.tupdate)),
        };
        let is_docsis = config.form == Form::Docsis;
        let activity = Activity::new(config);
        Self {
            limit: config.limit,
            form: config.form,
            mark_ecnth: config.mark_ecnth.get(),
            floor: config.mean_pktsize().get().saturating_mul(2),
            scale: (config.bytemode || is_docsis).then(|| config.mean_pktsize().as_f64()),
            derandomize: config.derandomize,
            max_step: config.max_step.get(),
            max_burst: config.max_burst,
            hold_in_burst: config.hold_in_burst || activity.is_some(),
            live: config.form == Form::Linux && config.delay_from == DelayFrom::Timestamps,
            controller: Controller {
                alpha: config.alpha,
                beta: config.beta,
                reference: config.target.as_secs_f64(),
                old: 0.0,
            },
            ticker: Ticker::new(first, interval),
            estimate: Estimate::new(config),
            probability: 0.0,
            accumulated: 0.0,
            burst_allowance: if activity.is_some() { Duration::ZERO } else { config.max_burst },
            last_departure: None,
            delay: 0.0,
            activity,
            most: match config.form {
                Form::Rfc => 1.0,
                Form::Docsis => LOW * config.mean_pktsize().as_f64() / SMALLEST,
                Form::Linux => f64::INFINITY,
            },
        }
    }

    /// Whether the arrival is to be signalled (`drop_early` of RFC 8033).
    #[inline]
    fn signals(&mut self, size: Bytes, backlog: Backlog, rng: &mut Rng) -> bool {
        if self.activity.as_mut().is_some_and(|activity| activity.sleeps(backlog)) {
            return false;
        }
        let p = self.scale.map_or(self.probability, |mean| self.scaled(size, mean));
        // RFC 8034 counts packets that are spared, too.
        let counts_all = self.form == Form::Docsis;
        if counts_all {
            self.accumulate(p);
        }
        // Linux sees the delay of the last departure here, the RFC that of the last update.
        let delay = if self.live { self.estimate.delay(backlog) } else { self.controller.old };
        let uncongested = delay < self.controller.reference / 2.0 && self.probability < 0.2;
        let short = match self.form {
            Form::Rfc | Form::Docsis => backlog.bytes.get() <= self.floor,
            Form::Linux => backlog.bytes.get() < self.floor,
        };
        if uncongested || short {
            return false;
        }
        if !self.derandomize {
            return rng.bernoulli(p);
        }
        if !counts_all {
            self.accumulate(p);
        }
        if self.accumulated < LOW {
            return false;
        }
        if self.accumulated >= HIGH {
            return true;
        }
        let signal = rng.bernoulli(p);
        if signal && self.form == Form::Linux {
            self.accumulated = 0.0;
        }
        signal
    }

    #[inline]
    fn accumulate(&mut self, p: f64) {
        self.accumulated = if p == 0.0 { 0.0 } else { self.accumulated + p };
    }

    /// The probability of a packet of `size`. Linux does not scale what is larger than the MTU.
    fn scaled(&self, size: Bytes, mean: f64) -> f64 {
        let relative = size.as_f64() / mean;
        if self.form == Form::Linux && relative > 1.0 {
            return self.probability;
        }
        (self.probability * relative).min(match self.form {
            Form::Rfc => 1.0,
            Form::Docsis => LOW,
            Form::Linux => f64::INFINITY,
        })
    }

    /// Update of the probability (`calculate_drop_prob` of RFC 8033).
    fn update(&mut self, backlog: Backlog) {
        let delay = self.estimate.delay(backlog);
        let old = self.controller.old;
        let mut change = self.controller.change(delay) * auto_tune(self.probability);
        if self.form == Form::Docsis {
            change *= beyond_one(self.probability);
        }
        if self.probability >= 0.1 && change > self.max_step {
            change = self.max_step;
        }
        if self.form == Form::Linux && delay > 0.25 {
            change += 0.02;
        }
        if self.form == Form::Docsis && delay > 0.2 {
            change += 0.02;
        }
        self.probability = (self.probability + change).clamp(0.0, self.most);
        if self.form == Form::Linux && self.probability >= LINUX_OVERFLOW {
            self.probability = 1.0;
        }
        if self.form == Form::Docsis {
            if delay < 0.005 && old < 0.005 {
                self.probability *= 0.98;
            }
        } else if delay == 0.0 && old == 0.0 {
            self.probability *= match self.form {
                Form::Rfc | Form::Docsis => 0.98,
                // Waiting packets have not shown a delay yet.
                Form::Linux if backlog.packets > 0 => 1.0,
                Form::Linux => 1.0 - 1.0 / 64.0,
            };
        }
        if self.hold_in_burst && self.burst_allowance > Duration::ZERO {
            self.probability = 0.0;
        }
        self.controller.remember(delay);
        self.delay = delay;
        let half = self.controller.reference / 2.0;
        self.renew_burst(self.probability == 0.0 && delay < half && old < half);
    }

    /// The burst allowance runs down with updates (Linux: with departures), and is full again once `uncongested`.
    fn renew_burst(&mut self, uncongested: bool) {
        if self.form != Form::Linux || self.activity.is_some() {
            self.burst_allowance = self.burst_allowance.saturating_sub(self.ticker.interval());
        }
        if let Some(activity) = &mut self.activity {
            let quiet = uncongested && self.burst_allowance == Duration::ZERO;
            return activity.on_update(quiet, self.ticker.interval());
        }
        if !uncongested || (self.form == Form::Linux && !self.estimate.is_known()) {
            return;
        }
        self.burst_allowance = self.max_burst;
        if self.form == Form::Linux {
            self.accumulated = 0.0;
            self.last_departure = None;
            self.estimate.reset();
        }
    }
}

/// After how long a timer of Linux fires that is set to `time`, at 1000 ticks a second: in whole ticks, and one later, or
/// else it could come early.
fn linux_timer(time: Duration) -> Duration {
    Duration::from_nanos((time.as_nanos().div_ceil(1_000_000)).saturating_add(1).saturating_mul(1_000_000))
}

/// Where size scales the probability it has further to go (RFC 8034 Appendix A).
fn beyond_one(p: f64) -> f64 {
    match p {
        p if p < 0.1 => 1.0,
        p if p < 1.0 => 2.0,
        p if p < 10.0 => 8.0,
        _ => 32.0,
    }
}

/// The smaller the probability, the smaller its steps (RFC 8033 §4.2).
fn auto_tune(p: f64) -> f64 {
    const SCALE: [(f64, f64); 6] =
        [(1e-6, 2048.0), (1e-5, 512.0), (1e-4, 128.0), (1e-3, 32.0), (1e-2, 8.0), (1e-1, 2.0)];
    SCALE.iter().find(|(below, _)| p < *below).map_or(1.0, |(_, divisor)| 1.0 / divisor)
}

impl Aqm for Pie {
    #[inline]
    fn on_enqueue(&mut self, size: Bytes, backlog: Backlog, _now: Instant, rng: &mut Rng) -> Verdict {
        // The hard limit comes first, and resets (`on_overlimit`).
        if !backlog.has_room(self.limit, size)
            || self.burst_allowance > Duration::ZERO
            || !self.signals(size, backlog, rng)
        {
            return Verdict::Pass;
        }
        if self.activity.as_mut().is_some_and(Activity::on_drop) {
            self.burst_allowance = self.max_burst;
        }
        if self.probability > self.mark_ecnth {
            self.accumulated = 0.0;
            return Verdict::Drop;
        }
        Verdict::Signal
    }

    #[inline]
    fn on_dequeue(
        &mut self,
        size: Bytes,
        sojourn: Duration,
        backlog: Backlog,
        now: Instant,
        _rng: &mut Rng,
    ) -> Verdict {
        let measured = self.estimate.on_departure(size, sojourn, backlog, now);
        if self.form == Form::Linux && self.activity.is_none() {
            let since = self.last_departure.replace(now).map(|last| now.saturating_since(last));
            let spent = if self.live { since } else { measured };
            self.burst_allowance = self.burst_allowance.saturating_sub(spent.unwrap_or(Duration::ZERO));
        }
        Verdict::Pass
    }

    #[inline]
    fn on_signalled(&mut self, marked: bool, _now: Instant) {
        if !marked {
            self.accumulated = 0.0;
        }
    }

    fn on_overlimit(&mut self, _now: Instant) {
        self.accumulated = 0.0;
    }

    fn poll_timeout(&self) -> Option<Instant> {
        Some(self.ticker.next())
    }

    fn handle_timeout(&mut self, backlog: Backlog, now: Instant) {
        if self.ticker.ticks(now) {
            self.update(backlog);
        }
    }

    fn state_names() -> &'static [&'static str] {
        &["drop_probability", "queue_delay_s", "burst_allowance_s"]
    }

    fn state(&self, out: &mut [f64]) {
        out.copy_from_slice(&[self.probability, self.delay, self.burst_allowance.as_secs_f64()]);
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;

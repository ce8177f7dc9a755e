//! Estimates of CSFQ: the rate of each flow, and the fair share of the link.

use super::{CsfqConfig, bits};
use crate::classifier::salted;
use crate::discipline::LinkView;
use crate::flow_hash::FlowBy;
use crate::sets::Sets;
use tailrace_core::math::exp;
use tailrace_core::{Bytes, Duration, FlowKey, Instant, Rng};

/// A rate averaged with weights that depend on the time between packets, bit/s (Stoica et al. 1998, equation 3).
#[derive(Clone, Copy, Debug)]
pub(super) struct Average {
    /// bit/s.
    pub(super) rate: f64,
    since: Instant,
}

impl Average {
    /// No packet so far.
    pub(super) const fn new(now: Instant) -> Self {
        Self { rate: 0.0, since: now }
    }

    /// A packet arrives: `(1 - e^(-T/K)) l/T + e^(-T/K) r`, and its limit where no time has passed.
    #[inline]
    pub(super) fn count(&mut self, size: Bytes, decay: &mut Decay, now: Instant) {
        let time = now.saturating_since(self.since);
        self.since = self.since.max(now);
        if time.is_zero() {
            self.rate += bits(size) / decay.k;
        } else {
            let (seconds, kept) = decay.after(time);
            self.rate = (1.0 - kept) * bits(size) / seconds + kept * self.rate;
        }
    }
}

/// Decay of an average over time. The last decay is remembered: all averages of a link see the same times, and packets
/// of one size follow one another at equal distances.
#[derive(Clone, Debug)]
pub(super) struct Decay {
    /// Seconds.
    k: f64,
    time: Duration,
    seconds: f64,
    kept: f64,
}

impl Decay {
    pub(super) fn new(k: Duration) -> Self {
        Self { k: k.as_secs_f64(), time: Duration::ZERO, seconds: 0.0, kept: 1.0 }
    }

    /// `time` in seconds, and `e^(-T/K)`.
    #[inline]
    fn after(&mut self, time: Duration) -> (f64, f64) {
        if time != self.time {
            self.time = time;
            self.seconds = time.as_secs_f64();
            self.kept = exp(-self.seconds / self.k);
        }
        (self.seconds, self.kept)
    }
}

/// Rates of the flows at an edge.
#[derive(Debug)]
pub(super) struct Edge {
    flows: Sets<FlowKey, Average>,
    by: FlowBy,
    decay: Decay,
    weight: f64,
    /// Drawn with the first packet.
    salt: Option<u64>,
}

impl Edge {
    pub(super) fn new(config: &CsfqConfig) -> Self {
        Self {
            flows: Sets::new(config.flows),
            by: config.flow,
            decay: Decay::new(config.k),
            weight: config.weight,
            salt: None,
        }
    }

    /// The rate of `flow` with this packet, over its weight.
    #[inline]
    pub(super) fn normalised_rate(&mut self, flow: FlowKey, size: Bytes, now: Instant, rng: &mut Rng) -> f64 {
        let salt = *self.salt.get_or_insert_with(|| rng.next_u64());
        let key = self.by.key(flow);
        let fresh = |_| Average::new(now);
        let average = self.flows.entry((key, salted(key, salt)), now, |_| true, fresh);
        let average = average.expect("every flow may make room");
        average.count(size, &mut self.decay, now);
        average.rate / self.weight
    }

    /// Flows known.
    pub(super) fn flows(&self) -> usize {
        self.flows.len()
    }
}

/// The fair share of a link, and what it follows from.
#[derive(Debug)]
pub(super) struct FairShare {
    /// bit/s.
    capacity: f64,
    decay: Decay,
    k_c: Duration,
    /// Part of the share that remains after an overflow.
    kept: f64,
    /// Share that remains at least until the next update.
    floor: f64,

    /// bit/s for each unit of weight; `None` passes everything.
    alpha: Option<f64>,
    /// The least that overflows may make of it before the next update.
    least: f64,
    arriving: Average,
    accepted: Average,
    congested: bool,
    window: Instant,
    /// Largest label seen while the link was not congested.
    largest: f64,
}

impl FairShare {
    pub(super) fn new(config: &CsfqConfig, link: &LinkView) -> Self {
        Self {
            capacity: link.rate.as_bps() as f64,
            decay: Decay::new(config.k_alpha),
            k_c: config.k_c,
            kept: 1.0 - config.overflow_step.get(),
            floor: 1.0 - config.overflow_most.get(),
            alpha: None,
            least: 0.0,
            arriving: Average::new(Instant::ZERO),
            accepted: Average::new(Instant::ZERO),
            congested: false,
            window: Instant::ZERO,
            largest: 0.0,
        }
    }

    /// The share follows as it follows any change, by its updates.
    pub(super) fn link_changed(&mut self, link: &LinkView) {
        self.capacity = link.rate.as_bps() as f64;
    }

    /// Probability that a packet with this label is dropped.
    #[inline]
    pub(super) fn drop_probability(&self, label: f64) -> f64 {
        match self.alpha {
            Some(alpha) if label > alpha => 1.0 - alpha / label,
            _ => 0.0,
        }
    }

    /// The label of a packet that goes on.
    #[inline]
    pub(super) fn relabelled(&self, label: f64) -> f64 {
        self.alpha.map_or(label, |alpha| label.min(alpha))
    }

    /// A packet arrives and is `accepted` by the law or not, where the buffer is `filled` to the low-water mark.
    #[inline]
    pub(super) fn observe(
        &mut self,
        (size, label): (Bytes, f64),
        accepted: bool,
        filled: bool,
        now: Instant,
    ) {
        self.arriving.count(size, &mut self.decay, now);
        if accepted {
            self.accepted.count(size, &mut self.decay, now);
        }
        if self.alpha.is_none() {
            self.largest = self.largest.max(label);
            if !filled {
                return;
            }
            let start = if self.largest > 0.0 { self.largest } else { self.capacity / 2.0 };
            self.set(start);
            self.largest = 0.0;
        }
        let over = now.saturating_since(self.window) > self.k_c;
        if self.arriving.rate >= self.capacity {
            if !self.congested {
                self.congested = true;
                self.window = now;
                self.least = self.alpha.unwrap_or(0.0) * self.floor;
            } else if over {
                self.window = now;
                let alpha = self.alpha.unwrap_or(self.capacity) * self.capacity
                    / self.accepted.rate.max(f64::MIN_POSITIVE);
                self.set(alpha);
            }
        } else if self.congested {
            self.congested = false;
            self.window = now;
            self.largest = 0.0;
        } else if over {
            self.window = now;
            if filled && self.largest > 0.0 {
                self.set(self.largest);
                self.largest = 0.0;
            } else {
                self.alpha = None; // The largest label counts on.
            }
        } else {
            self.largest = self.largest.max(label);
        }
    }

    /// An update; no share is larger than the link.
    fn set(&mut self, alpha: f64) {
        let alpha = alpha.clamp(f64::MIN_POSITIVE, self.capacity.max(f64::MIN_POSITIVE));
        self.alpha = Some(alpha);
        self.least = alpha * self.floor;
    }

    /// The buffer had no room for a packet that the law let in.
    pub(super) fn overflow(&mut self) {
        if let Some(alpha) = &mut self.alpha {
            *alpha = (*alpha * self.kept).max(self.least).max(f64::MIN_POSITIVE);
        }
    }

    /// Share (zero where everything passes), rates of arrival and acceptance, bit/s.
    pub(super) fn state(&self) -> [f64; 3] {
        [self.alpha.unwrap_or(0.0), self.arriving.rate, self.accepted.rate]
    }
}

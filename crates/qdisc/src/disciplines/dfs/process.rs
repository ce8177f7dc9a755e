//! Algorithm 3 of the paper, `ProcessPacketAndDecide`: a flow's course between innocent, trending and malicious.
//!
//! Numbers in brackets are the lines of the algorithm. Its indentation is lost in print; lines 11 and 16 are read as
//!
//! ```text
//! if p_m <= min_th + tolerance            [4]
//!     if sz > EWMA(wfs) ...               [5]
//!     else if sz = 0 ...                  [11]
//! else ...                                [16]
//! ```
//!
//! for with line 16 under line 5 a flow within its share would be marked or dropped, and one above the tolerance would
//! never come to line 18; with line 11 under line 7 it could not be reached.

use super::record::{Bitrate, Record};
use tailrace_core::{Duration, Instant};

/// The thresholds and steps.
#[derive(Clone, Debug)]
pub(super) struct Rules {
    pub(super) min_th: f64,
    pub(super) max_th: f64,
    pub(super) delta_i: f64,
    pub(super) delta_d: f64,
    /// `tolerance_factor` times `delta_i`.
    pub(super) tolerance: f64,
    pub(super) freeze_time: Duration,
    pub(super) bitrate_window: Duration,
}

/// Measures of an arrival.
#[derive(Clone, Copy, Debug)]
pub(super) struct Measure {
    /// EWMA(wfs), bytes.
    pub(super) share: f64,
    /// `C / n`, bit/s.
    pub(super) fair_rate: f64,
    pub(super) now: Instant,
}

/// Fate of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Decision {
    /// It is let in.
    Allow,
    /// It is let in, with a congestion signal.
    Signal,
    /// Its flow is malicious.
    Drop,
}

/// Steps of 0.04 are not exact in binary: thresholds are reached to within this part of a step.
const SLACK: f64 = 1e-6;

impl Rules {
    /// Decides about an arrival of `flow` that has a record, and moves the record on. `flow.waiting` is without it.
    #[inline]
    pub(super) fn process(&self, flow: &mut Record, at: &Measure) -> Decision {
        if flow.unfairness <= self.min_th + self.tolerance + SLACK * self.delta_i {
            self.process_responsive(flow, at) // [4]
        } else {
            self.process_trending(flow, at) // [16]
        }
    }

    #[inline]
    fn process_responsive(&self, flow: &mut Record, at: &Measure) -> Decision {
        if flow.waiting as f64 > at.share {
            if self.has_thawed(flow, at.now) {
                flow.rate.get_or_insert_with(|| Bitrate::new(at.now)); // [8]
                self.set(flow, flow.unfairness + self.delta_i, at.now); // [9, 10]
            }
            return Decision::Signal; // [6]
        }
        if flow.waiting == 0 {
            self.set(flow, flow.unfairness - self.delta_d, at.now); // [12, 13]
            if flow.unfairness <= self.min_th + SLACK * self.delta_d {
                (flow.unfairness, flow.rate, flow.marked) = (self.min_th, None, false); // [15]
            }
        }
        Decision::Allow
    }

    fn process_trending(&self, flow: &mut Record, at: &Measure) -> Decision {
        let decision = if flow.marked { Decision::Drop } else { Decision::Signal }; // [17 to 19]
        let mut unfairness = flow.unfairness;
        if self.has_thawed(flow, at.now)
            && let Some(bps) = flow.rate.as_ref().and_then(Bitrate::bps)
        {
            unfairness += self.step(bps, at); // [20 to 26]
            self.set(flow, unfairness, at.now); // [27]
        }
        // [28, 29], by the value before it is bounded.
        flow.marked |= unfairness >= self.max_th;
        decision
    }

    /// Moves p_m by a rate of `bps`. A step down has no bound, as printed: a flow that was silent for long is cleared
    /// at once, and so is a TCP flow that lost everything and comes back with one segment after its timeout.
    fn step(&self, bps: f64, at: &Measure) -> f64 {
        if bps > at.fair_rate {
            return bps / at.fair_rate * self.delta_i;
        }
        let factor = if bps > 0.0 { at.fair_rate / bps } else { 1.0 };
        -factor * self.delta_d
    }

    /// [7, 20]
    #[inline]
    fn has_thawed(&self, flow: &Record, now: Instant) -> bool {
        now.saturating_since(flow.changed) > self.freeze_time
    }

    #[inline]
    fn set(&self, flow: &mut Record, unfairness: f64, now: Instant) {
        flow.unfairness = unfairness.clamp(self.min_th, self.max_th);
        flow.changed = now;
    }
}

//! The virtual clock, and the fluid system whose round it shows.

use super::flows::{Flow, Flows};
use super::key::Key;
use super::line::Ahead;
use tailrace_core::Instant;

/// Flows whose last tag is ahead of the clock are in the fluid system.
#[derive(Debug)]
pub(super) struct Fluid {
    /// Reading of the clock.
    pub(super) clock: f64,
    /// When the system was last looked at.
    seen: Instant,
    ahead: Ahead,
    /// Sum of the weights of the flows in the system.
    active_weight: f64,
}

impl Fluid {
    pub(super) fn new() -> Self {
        Self { clock: 0.0, seen: Instant::ZERO, ahead: Ahead::new(), active_weight: 0.0 }
    }

    /// Sets the last tag of flow `index`, and with it whether it is ahead of the clock.
    #[inline(always)]
    pub(super) fn set_last(&mut self, flows: &mut [Flow], index: u32, last: f64) {
        let flow = &mut flows[index as usize];
        flow.last = last;
        if last > self.clock {
            if !flow.is_ahead {
                flow.is_ahead = true;
                self.active_weight += flow.weight;
            }
            self.ahead.set(flows, index, Key::new(last, u64::from(index)));
        } else if flow.is_ahead {
            self.leave(flows, index);
        }
    }

    /// Takes flow `index` out of the system.
    #[inline(always)]
    fn leave(&mut self, flows: &mut [Flow], index: u32) {
        self.ahead.remove(flows, index);
        let flow = &mut flows[index as usize];
        flow.is_ahead = false;
        self.active_weight -= flow.weight;
        if self.ahead.is_empty() {
            // Remainder of rounding.
            self.active_weight = 0.0;
        }
    }

    /// Brings the clock to `now`, over a link of so many bytes a second: flows that finish on the way leave, in the order of
    /// their tags.
    #[inline]
    pub(super) fn advance(&mut self, flows: &mut Flows, now: Instant, bytes_per_sec: f64) {
        if now > self.seen {
            let seconds = now.saturating_since(self.seen).as_secs_f64();
            self.seen = now;
            self.serve(flows, seconds * bytes_per_sec);
        }
    }

    #[inline(never)]
    fn serve(&mut self, flows: &mut Flows, mut bytes: f64) {
        while let Some((index, key)) = self.ahead.first(flows.all()) {
            let first = key.tag();
            let needed = (first - self.clock) * self.active_weight;
            if needed > bytes {
                self.clock += bytes / self.active_weight;
                break;
            }
            bytes -= needed.max(0.0);
            self.clock = later(self.clock, first);
            self.leave(flows.all_mut(), index);
            flows.forget_if_over(index);
        }
    }

    /// Flows that the clock has caught up with are not ahead any more; nor are the next ones while there are `too_many`.
    #[inline]
    pub(super) fn expire(&mut self, flows: &mut Flows, too_many: impl Fn(&Flows) -> bool) {
        while let Some((index, key)) = self.ahead.first(flows.all()) {
            if key.tag() > self.clock && !too_many(flows) {
                break;
            }
            self.leave(flows.all_mut(), index);
            flows.forget_if_over(index);
        }
    }

    /// The clock starts anew.
    pub(super) fn reset(&mut self, flows: &mut Flows) {
        self.expire(flows, |_| true);
        self.clock = 0.0;
    }

    #[cfg(test)]
    pub(super) fn active_weight(&self) -> f64 {
        self.active_weight
    }
}

/// The larger of two tags. Unlike `f64::max` it need not ask whether either is no number.
#[inline]
pub(super) fn later(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

//! Copies, damage and packets that are held back: what a link draws for each packet while it is disturbed.

use tailrace_core::{Instant, Rng};
use tailrace_impair::{NetemConfig, Reordering};

/// The disturbance of one link direction, with its own random stream, and how far it is with it.
#[derive(Clone, Debug)]
pub(crate) struct Netem {
    of: NetemConfig,
    rng: Rng,
    /// Packets since the last one that was held back.
    since_held: u32,
    /// When the last packet arrives of those that were not held back, which keep their order; none before the first.
    in_order: Option<Instant>,
}

impl Netem {
    pub(crate) fn new(of: NetemConfig, rng: Rng) -> Self {
        Self { of, rng, since_held: 0, in_order: None }
    }

    /// Goes on with other probabilities.
    pub(crate) fn change(&mut self, of: NetemConfig) {
        self.of = of;
    }

    /// Whether packets go past others, or went: then those that are held back may still be under way.
    pub(crate) fn reorders(&self) -> bool {
        self.in_order.is_some() || self.of.reordering != Reordering::default()
    }

    /// When a packet arrives that would at `arrives`, and whether it is held back. The others keep their order, and come after
    /// what arrives at `last` before any was held back; without that they are in no order anyway.
    pub(crate) fn hold(&mut self, arrives: Instant, last: Option<Instant>) -> (Instant, bool) {
        let held = self.holds();
        let arrives = match (last, self.in_order) {
            (Some(last), before) => arrives.max(before.unwrap_or(last)),
            (None, _) => arrives,
        };
        if held {
            self.in_order = self.in_order.or(last);
            return (arrives.saturating_add(self.of.reordering.hold), true);
        }
        self.in_order = last.map(|_| arrives);
        (arrives, false)
    }

    fn holds(&mut self) -> bool {
        let Reordering { probability, gap, .. } = self.of.reordering;
        self.since_held = self.since_held.saturating_add(1);
        let p = probability.get();
        let held = p > 0.0 && self.since_held >= gap && self.rng.bernoulli(p);
        if held {
            self.since_held = 0;
        }
        held
    }

    /// Whether packets may be other at their arrival than when they were sent.
    pub(crate) fn touches_arrivals(&self) -> bool {
        self.of.duplication.get() > 0.0 || self.of.corruption.get() > 0.0
    }

    /// Whether the packet that arrives now arrives twice.
    pub(crate) fn duplicates(&mut self) -> bool {
        let p = self.of.duplication.get();
        p > 0.0 && self.rng.bernoulli(p)
    }

    /// Whether the packet that arrives now is damaged.
    pub(crate) fn corrupts(&mut self) -> bool {
        let p = self.of.corruption.get();
        p > 0.0 && self.rng.bernoulli(p)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tailrace_core::{Duration, Probability};

    #[test]
    fn packets_that_are_not_held_back_keep_their_order_and_the_others_come_later() {
        let reordering =
            Reordering { probability: Probability::ONE, hold: Duration::from_millis(10), gap: 3 };
        let of = NetemConfig { reordering, ..NetemConfig::default() };
        let mut netem = Netem::new(of, Rng::new(1));
        let at = Instant::from_millis;
        // The last before arrives at 2 ms: the first cannot be earlier. Each third is held back by 10 ms.
        let mut due = |ms| netem.hold(at(ms), Some(at(2)));
        assert_eq!([1, 3, 4, 5, 6].map(|ms| due(ms).0), [2, 3, 14, 5, 6].map(at));
        assert_eq!(due(7), (at(17), true));
        // It is over: nothing is held back, and nothing waits for what was.
        netem.change(NetemConfig::default());
        assert_eq!([8, 9].map(|ms| netem.hold(at(ms), Some(at(17)))), [8, 9].map(|ms| (at(ms), false)));
        assert!(netem.reorders());
    }
}

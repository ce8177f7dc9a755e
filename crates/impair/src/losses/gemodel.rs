//! Loss in bursts (Gilbert, "Capacity of a burst-noise channel", BSTJ 39, 1960; Elliott, "Estimates of error rates for codes on
//! burst-noise channels", BSTJ 42, 1963).
//!
//! A link is in one of two states, changes it by chance with each packet, and loses the packet with the state's probability, as
//! `loss gemodel` of tc-netem(8) does. Between packets the state stays, whatever time that takes.

use crate::loss::{LossBurst, LossKind, LossProcess};
use tailrace_core::{Instant, Probability, Rng};

tailrace_core::parameters! {
    /// Keys of `gemodel`.
    pub struct GemodelConfig {
        /// The probability, at each packet, that the link goes from its good state to the bad one.
        p: Probability, required;
        /// The probability, at each packet, that the link goes from its bad state to the good one. A smaller one
        /// makes bursts of losses longer: 1/r packets on average.
        r: Probability, required;
        /// The probability that a packet is lost in the good state.
        good: Probability = Probability::ZERO, "Gilbert 1960";
        /// The probability that a packet is lost in the bad state.
        bad: Probability = Probability::ONE, "own choice";
    }
}

impl LossKind for GemodelConfig {
    const SUMMARY: &'static str = "Losses in bursts that are counted in packets, as `loss gemodel` of tc-netem(8): a good and a bad state, which may change at each packet and at no other time. Of all packets, p / (p + r) meet the bad state. A sender that waits, such as TCP after timeouts, meets the same state again, however long it waits: where time goes on, use `gilbert_elliott`.";
    type Process = Gemodel;

    fn build(&self, _own: Rng) -> Gemodel {
        let Self { p, r, good, bad } = self;
        Gemodel { turns: [p.get(), r.get()], loses: [good.get(), bad.get()], bad: false }
    }
    fn burst(&self) -> Option<LossBurst> {
        Some(LossBurst::Packets { leaves: self.r, loses: self.bad })
    }
}

/// The process, in the good state at first.
#[derive(Clone, Debug)]
pub struct Gemodel {
    /// Probability of leaving the good state, and the bad one.
    turns: [f64; 2],
    /// Probability of loss in the good state, and in the bad one.
    loses: [f64; 2],
    bad: bool,
}

impl LossProcess for Gemodel {
    #[inline]
    fn loses(&mut self, _nth: u64, _at: Instant, rng: &mut Rng) -> bool {
        self.bad ^= rng.bernoulli(self.turns[usize::from(self.bad)]);
        rng.bernoulli(self.loses[usize::from(self.bad)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_run_loss_matches_the_chain() {
        // Steady state: p/(p+r) = 0.01/0.11 in bad, which loses half: 1/22.
        let p = |x| Probability::new(x).unwrap();
        let config = GemodelConfig { p: p(0.01), r: p(0.1), good: p(0.0), bad: p(0.5) };
        let (mut loss, mut rng) = (config.build(Rng::new(2)), Rng::new(1));
        let n = 1_000_000;
        let lost = (1..=n).filter(|nth| loss.loses(*nth, Instant::ZERO, &mut rng)).count() as f64 / n as f64;
        assert!((lost - 1.0 / 22.0).abs() < 0.002, "{lost}");
    }
}

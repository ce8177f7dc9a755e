//! What a link does to packets by chance: loss and jitter.

use tailrace_core::{Duration, DurationDist, Probability, Rng};

/// Random loss.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Loss {
    /// None.
    None,
    /// Each packet independently.
    Bernoulli(Probability),
    /// Every n-th packet that the link carries.
    Periodic(u64),
    /// Two-state Markov chain, stepped once a packet, then lost by the state's probability (Gilbert 1960, Elliott 1963).
    GilbertElliott {
        /// Good to bad.
        p: Probability,
        /// Bad to good.
        r: Probability,
        /// Loss in the good state.
        good: Probability,
        /// Loss in the bad state.
        bad: Probability,
    },
}

/// Loss and jitter of one link direction, with its own random stream.
#[derive(Clone, Debug)]
pub struct Impairment {
    loss: Loss,
    jitter: Option<DurationDist>,
    reorder: bool,
    rng: Rng,
    bad: bool,
    carried: u64,
}

impl Impairment {
    /// Loss and jitter; `reorder` lets a packet with little jitter overtake one with much.
    pub fn new(loss: Loss, jitter: Option<DurationDist>, reorder: bool, rng: Rng) -> Self {
        Self { loss, jitter, reorder: reorder && jitter.is_some(), rng, bad: false, carried: 0 }
    }

    /// The same impairment with another loss.
    #[must_use]
    pub fn with_loss(mut self, loss: Loss) -> Self {
        self.loss = loss;
        self
    }

    pub(crate) fn jitters(&self) -> bool {
        self.jitter.is_some()
    }

    pub(crate) fn may_reorder(&self) -> bool {
        self.reorder
    }

    pub(crate) fn jitter(&mut self) -> Duration {
        self.jitter.map_or(Duration::ZERO, |j| j.draw(&mut self.rng))
    }

    /// Whether the packet that arrives now is lost.
    pub(crate) fn loses(&mut self) -> bool {
        self.carried += 1;
        match self.loss {
            Loss::None => false,
            Loss::Bernoulli(p) => self.rng.bernoulli(p.get()),
            Loss::Periodic(n) => self.carried.is_multiple_of(n.max(1)),
            Loss::GilbertElliott { p, r, good, bad } => {
                let flips = self.rng.bernoulli(if self.bad { r.get() } else { p.get() });
                self.bad ^= flips;
                self.rng.bernoulli(if self.bad { bad.get() } else { good.get() })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn p(x: f64) -> Probability {
        Probability::new(x).unwrap()
    }

    #[test]
    fn long_run_loss_matches_the_chain() {
        // Steady state: p/(p+r) = 0.01/0.11 in bad, which loses half: 1/22.
        let loss = Loss::GilbertElliott { p: p(0.01), r: p(0.1), good: p(0.0), bad: p(0.5) };
        let mut i = Impairment::new(loss, None, false, Rng::new(1));
        let n = 1_000_000;
        let lost = (0..n).filter(|_| i.loses()).count() as f64 / f64::from(n);
        assert!((lost - 1.0 / 22.0).abs() < 0.002, "{lost}");
    }

    #[test]
    fn periodic_loss_takes_every_nth() {
        let mut i = Impairment::new(Loss::Periodic(4), None, false, Rng::new(1));
        let lost: Vec<bool> = (0..8).map(|_| i.loses()).collect();
        assert_eq!(lost, [false, false, false, true, false, false, false, true]);
    }
}

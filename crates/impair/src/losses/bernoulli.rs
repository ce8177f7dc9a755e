//! Independent loss.

use crate::loss::{LossKind, LossProcess};
use tailrace_core::{Instant, Probability, Rng};

tailrace_core::parameters! {
    /// Keys of `bernoulli`.
    pub struct BernoulliConfig {
        /// The probability that a packet is lost. Each packet is drawn by itself.
        p: Probability, required;
    }
}

impl LossKind for BernoulliConfig {
    const SUMMARY: &'static str =
        "Each packet is lost with the same probability, independently of the others.";
    type Process = Bernoulli;

    fn build(&self, _own: Rng) -> Bernoulli {
        Bernoulli { p: self.p.get() }
    }
    fn is_none(&self) -> bool {
        self.p == Probability::ZERO
    }
    fn is_random(&self) -> bool {
        !self.is_none()
    }
}

/// The process.
#[derive(Clone, Debug)]
pub struct Bernoulli {
    p: f64,
}

impl LossProcess for Bernoulli {
    #[inline]
    fn loses(&mut self, _nth: u64, _at: Instant, rng: &mut Rng) -> bool {
        // No loss draws nothing: what else draws from the stream is as without the key.
        self.p > 0.0 && rng.bernoulli(self.p)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_loss_draws_nothing() {
        let mut rng = Rng::new(1);
        assert!(!BernoulliConfig::default().build(Rng::new(2)).loses(1, Instant::ZERO, &mut rng));
        assert_eq!(rng, Rng::new(1));
        assert!(BernoulliConfig { p: Probability::ONE }.build(Rng::new(2)).loses(1, Instant::ZERO, &mut rng));
    }
}

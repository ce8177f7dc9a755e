//! Loss that is no chance, for checks against theory.

use crate::loss::{LossKind, LossProcess};
use tailrace_core::{Instant, Rng};

tailrace_core::parameters! {
    /// Keys of `periodic`.
    pub struct PeriodicConfig {
        /// The period in packets: 100 loses every hundredth packet.
        every: u64, required, in "1"..="1000000000000": "packets are counted from 1 | no run has so many packets";
    }
}

impl LossKind for PeriodicConfig {
    const SUMMARY: &'static str = "Exactly every n-th packet in a direction is lost.";
    type Process = Periodic;

    fn build(&self, _own: Rng) -> Periodic {
        Periodic { every: self.every.max(1) }
    }
    fn is_random(&self) -> bool {
        false
    }
}

/// The process.
#[derive(Clone, Debug)]
pub struct Periodic {
    every: u64,
}

impl LossProcess for Periodic {
    #[inline]
    fn loses(&mut self, nth: u64, _at: Instant, _rng: &mut Rng) -> bool {
        nth.is_multiple_of(self.every)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn periodic_loss_takes_every_nth() {
        let (mut loss, mut rng) = (PeriodicConfig { every: 4 }.build(Rng::new(2)), Rng::new(1));
        let lost: Vec<u64> = (1..=9).filter(|nth| loss.loses(*nth, Instant::ZERO, &mut rng)).collect();
        assert_eq!(lost, [4, 8]);
    }
}

//! A rate that is drawn anew again and again, as of a radio link in motion.

use crate::condition::LinkCondition;
use crate::fault::FaultKind;
use crate::profile::{FaultProfile, FaultStage};
use crate::rate_dist::RateDist;
use tailrace_core::params::Invalid;
use tailrace_core::{Duration, DurationDist, Rng};

tailrace_core::parameters! {
    /// Keys of `random_rate`.
    pub struct RandomRateConfig {
        /// The distribution from which each new rate of the link is drawn: `uniform(A, B)`, `log_uniform(A, B)`, or
        /// `markov(P, A, B, C)`. The last is a chain over a list of rates, which with probability P moves to the rate
        /// before or after.
        value: RateDist, required;
        /// The time for which each value holds before the next one is drawn; a duration or a distribution.
        hold: DurationDist, required;
    }
}

impl FaultKind for RandomRateConfig {
    const SUMMARY: &'static str =
        "The link's rate is drawn again and again, for each link and run by itself; otherwise as `rate`.";

    fn validate(&self) -> Result<(), Invalid> {
        if self.hold.mean() < Duration::from_micros(100) {
            return Err(("hold", "must be 100 us or more on average".into()));
        }
        if self.value.largest() == tailrace_core::Rate::default() {
            return Err(("value", "must be stated".into()));
        }
        Ok(())
    }
    fn apply(&self, link: &mut LinkCondition) {
        link.set_rate(self.value.largest());
    }
    fn profile(&self) -> Option<Box<dyn FaultProfile>> {
        Some(Box::new(Drawing { config: self.clone(), state: None }))
    }
    fn is_random(&self) -> bool {
        true
    }
}

#[derive(Debug)]
struct Drawing {
    config: RandomRateConfig,
    state: Option<usize>,
}

impl FaultProfile for Drawing {
    fn next(&mut self, rng: &mut Rng) -> (FaultStage, Option<Duration>) {
        let rate = self.config.value.draw(&mut self.state, rng);
        (FaultStage { rate: Some(rate), ..FaultStage::default() }, Some(self.config.hold.draw(rng)))
    }
}

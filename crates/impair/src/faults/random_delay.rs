//! A delay that is drawn anew again and again, as of routes that change below the network's layer.

use crate::condition::LinkCondition;
use crate::fault::FaultKind;
use crate::profile::{FaultProfile, FaultStage};
use tailrace_core::params::Invalid;
use tailrace_core::{Duration, DurationDist, Rng};

tailrace_core::parameters! {
    /// Keys of `random_delay`.
    pub struct RandomDelayConfig {
        /// The distribution from which each new delay of the link is drawn.
        value: DurationDist, required;
        /// The time for which each value holds before the next one is drawn; a duration or a distribution.
        hold: DurationDist, required;
    }
}

impl FaultKind for RandomDelayConfig {
    const SUMMARY: &'static str = "The link's delay is drawn again and again, for each link and run by itself; otherwise as `delay`. Unlike `jitter`, it is the same for all packets until the next draw.";

    fn validate(&self) -> Result<(), Invalid> {
        if self.hold.mean() < Duration::from_micros(100) {
            return Err(("hold", "must be 100 us or more on average".into()));
        }
        Ok(())
    }
    fn apply(&self, link: &mut LinkCondition) {
        link.set_delay(self.value.mean());
    }
    fn profile(&self) -> Option<Box<dyn FaultProfile>> {
        Some(Box::new(Drawing(self.clone())))
    }
    fn is_random(&self) -> bool {
        !(self.value.is_constant() && self.hold.is_constant())
    }
}

#[derive(Debug)]
struct Drawing(RandomDelayConfig);

impl FaultProfile for Drawing {
    fn next(&mut self, rng: &mut Rng) -> (FaultStage, Option<Duration>) {
        let delay = self.0.value.draw(rng);
        (FaultStage { delay: Some(delay), ..FaultStage::default() }, Some(self.0.hold.draw(rng)))
    }
}

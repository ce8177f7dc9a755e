//! A delay that is drawn anew again and again, as of routes that change below the network's layer.

use crate::condition::Condition;
use crate::course::{Course, Stage};
use crate::fault::FaultKind;
use tailrace_core::params::Invalid;
use tailrace_core::{Duration, DurationDist, Rng};

tailrace_core::parameters! {
    /// Keys of `random_delay`.
    pub struct RandomDelayConfig {
        /// The distribution from which each new delay of the link is drawn.
        value: DurationDist, required;
        /// How long each value holds before the next one is drawn; a duration or a distribution.
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
    fn shape(&self, link: &mut Condition) {
        link.set_delay(self.value.mean());
    }
    fn course(&self) -> Option<Box<dyn Course>> {
        Some(Box::new(Drawing(self.clone())))
    }
    fn is_random(&self) -> bool {
        !(self.value.is_constant() && self.hold.is_constant())
    }
}

#[derive(Debug)]
struct Drawing(RandomDelayConfig);

impl Course for Drawing {
    fn next(&mut self, rng: &mut Rng) -> (Stage, Option<Duration>) {
        let delay = self.0.value.draw(rng);
        (Stage { delay: Some(delay), ..Stage::default() }, Some(self.0.hold.draw(rng)))
    }
}

//! A link that goes down and up again and again, as one with a bad plug.

use crate::condition::{LinkCondition, LinkState};
use crate::fault::FaultKind;
use crate::profile::{FaultProfile, FaultStage};
use tailrace_core::params::Invalid;
use tailrace_core::{Duration, DurationDist, Rng};

tailrace_core::parameters! {
    /// Keys of `flap`.
    pub struct FlapConfig {
        /// For how long the link is down each time; a duration or a distribution.
        down: DurationDist, required;
        /// For how long the link is up in between; a duration or a distribution.
        up: DurationDist, required;
        /// Whether hosts and routes notice that the link is down, as with the fault `down`. If false, packets vanish
        /// unnoticed, as with the fault `blackhole`.
        seen: bool = true, "own choice";
    }
}

impl FlapConfig {
    const fn state(&self) -> LinkState {
        if self.seen { LinkState::Down } else { LinkState::Blackhole }
    }
}

impl FaultKind for FlapConfig {
    const SUMMARY: &'static str = "The link is down and up in turn, beginning with down. Times are drawn for each link and run. What is lost is as with `down` or `blackhole`.";

    fn validate(&self) -> Result<(), Invalid> {
        for (key, times) in [("down", &self.down), ("up", &self.up)] {
            if times.mean() < Duration::from_micros(100) {
                return Err((key, "must be 100 us or more on average".into()));
            }
        }
        Ok(())
    }
    fn apply(&self, link: &mut LinkCondition) {
        link.lower_to(self.state());
    }
    fn profile(&self) -> Option<Box<dyn FaultProfile>> {
        Some(Box::new(FlapProfile { config: self.clone(), is_down: false }))
    }
    fn is_random(&self) -> bool {
        !(self.down.is_constant() && self.up.is_constant())
    }
}

#[derive(Debug)]
struct FlapProfile {
    config: FlapConfig,
    is_down: bool,
}

impl FaultProfile for FlapProfile {
    fn next(&mut self, rng: &mut Rng) -> (FaultStage, Option<Duration>) {
        self.is_down = !self.is_down;
        let (times, state) = match self.is_down {
            true => (&self.config.down, self.config.state()),
            false => (&self.config.up, LinkState::Up),
        };
        (FaultStage { state: Some(state), ..FaultStage::default() }, Some(times.draw(rng)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn down_and_up_take_turns() {
        let constant = |ms| DurationDist::Constant(Duration::from_millis(ms));
        let config = FlapConfig { down: constant(2), up: constant(5), seen: false };
        let mut profile = config.profile().unwrap();
        let mut rng = Rng::new(1);
        let stages: Vec<_> = (0..3)
            .map(|_| profile.next(&mut rng))
            .map(|(s, t)| (s.state.unwrap(), t.unwrap().as_millis()))
            .collect();
        assert_eq!(stages, [(LinkState::Blackhole, 2), (LinkState::Up, 5), (LinkState::Blackhole, 2)]);
        assert!(!config.is_random() && rng == Rng::new(1));
    }
}

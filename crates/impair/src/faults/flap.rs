//! A link that goes down and up again and again, as one with a bad plug.

use crate::condition::{Condition, Passage};
use crate::course::{Course, Stage};
use crate::fault::FaultKind;
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
    const fn passage(&self) -> Passage {
        if self.seen { Passage::Down } else { Passage::Silent }
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
    fn shape(&self, link: &mut Condition) {
        link.close(self.passage());
    }
    fn course(&self) -> Option<Box<dyn Course>> {
        Some(Box::new(Flapping { config: self.clone(), is_down: false }))
    }
    fn is_random(&self) -> bool {
        !(self.down.is_constant() && self.up.is_constant())
    }
}

#[derive(Debug)]
struct Flapping {
    config: FlapConfig,
    is_down: bool,
}

impl Course for Flapping {
    fn next(&mut self, rng: &mut Rng) -> (Stage, Option<Duration>) {
        self.is_down = !self.is_down;
        let (times, passage) = match self.is_down {
            true => (&self.config.down, self.config.passage()),
            false => (&self.config.up, Passage::Open),
        };
        (Stage { passage: Some(passage), ..Stage::default() }, Some(times.draw(rng)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn down_and_up_take_turns() {
        let constant = |ms| DurationDist::Constant(Duration::from_millis(ms));
        let config = FlapConfig { down: constant(2), up: constant(5), seen: false };
        let mut course = config.course().unwrap();
        let mut rng = Rng::new(1);
        let stages: Vec<_> = (0..3)
            .map(|_| course.next(&mut rng))
            .map(|(s, t)| (s.passage.unwrap(), t.unwrap().as_millis()))
            .collect();
        assert_eq!(stages, [(Passage::Silent, 2), (Passage::Open, 5), (Passage::Silent, 2)]);
        assert!(!config.is_random() && rng == Rng::new(1));
    }
}

//! Faults that change while they last: what they are at present, and for how long.

use crate::condition::{LinkCondition, LinkState};
use crate::queue_line::QueueLine;
use core::fmt::Debug;
use tailrace_core::{Duration, Probability, Rate, Rng};

/// Effect of a fault on a link during one stage of its profile.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FaultStage {
    /// Whether it carries packets.
    pub state: Option<LinkState>,
    /// Its rate.
    pub rate: Option<Rate>,
    /// Its delay.
    pub delay: Option<Duration>,
    /// Its random loss.
    pub loss: Option<Probability>,
    /// Its queue discipline, which is a new one only where the stage before had another.
    pub queue: Option<QueueLine>,
}

impl FaultStage {
    /// Changes a direction of a link into what it is in this stage.
    pub fn apply(&self, link: &mut LinkCondition) {
        if let Some(state) = self.state {
            link.lower_to(state);
        }
        if let Some(rate) = self.rate {
            link.set_rate(rate);
        }
        if let Some(delay) = self.delay {
            link.set_delay(delay);
        }
        if let Some(loss) = self.loss {
            link.set_loss(loss.into());
        }
        if let Some(queue) = &self.queue {
            link.set_queue(Box::new(queue.config().clone()));
        }
    }
}

/// The stages of a fault, one after the other.
pub trait FaultProfile: Debug + Send {
    /// The stage that begins now, and how long it lasts: to the end of the fault where that is not said.
    fn next(&mut self, rng: &mut Rng) -> (FaultStage, Option<Duration>);
}

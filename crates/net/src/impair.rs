//! What a link does to packets by chance: loss and jitter.

use tailrace_core::{Duration, DurationDist, Rng};
use tailrace_impair::{Loss, LossConfig, LossProcess as _};

/// Loss and jitter of one link direction, with its own random stream.
#[derive(Clone, Debug)]
pub struct Impairment {
    loss: Loss,
    jitter: Option<DurationDist>,
    reorder: bool,
    rng: Rng,
    carried: u64,
}

impl Impairment {
    /// Loss and jitter; `reorder` lets a packet with little jitter overtake one with much.
    pub fn new(loss: &LossConfig, jitter: Option<DurationDist>, reorder: bool, rng: Rng) -> Self {
        Self { loss: loss.build(), jitter, reorder: reorder && jitter.is_some(), rng, carried: 0 }
    }

    /// The same impairment with another loss, which begins anew; packets are counted on.
    #[must_use]
    pub fn with_loss(mut self, loss: &LossConfig) -> Self {
        self.loss = loss.build();
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
        self.loss.loses(self.carried, &mut self.rng)
    }
}

//! Random effects of a link on packets: loss, jitter, and netem's (duplication, corruption, reordering).

use crate::netem::Netem;
use tailrace_core::{Duration, DurationDist, Instant, Rng};
use tailrace_impair::{AnyLoss, LossConfig, LossProcess as _, NetemConfig};

/// Loss, jitter and disturbance of one link direction, with their own random streams.
#[derive(Clone, Debug)]
pub struct Impairment {
    loss: AnyLoss,
    jitter: Option<DurationDist>,
    reorder: bool,
    rng: Rng,
    carried: u64,
    netem: Option<Box<Netem>>,
}

impl Impairment {
    /// Loss and jitter; `reorder` lets a packet with little jitter overtake one with much.
    pub fn new(loss: &LossConfig, jitter: Option<DurationDist>, reorder: bool, rng: Rng) -> Self {
        Self {
            loss: loss.build(),
            jitter,
            reorder: reorder && jitter.is_some(),
            rng,
            carried: 0,
            netem: None,
        }
    }

    /// The same impairment with another loss, which begins anew; packets are counted on.
    #[must_use]
    pub fn with_loss(mut self, loss: &LossConfig) -> Self {
        self.loss = loss.build();
        self
    }

    /// The same impairment with this disturbance, whose draws go on where there was one, and else come from `rng`.
    #[must_use]
    pub fn with_disturbance(mut self, of: NetemConfig, rng: Rng) -> Self {
        match &mut self.netem {
            Some(netem) => netem.change(of),
            None if of.is_none() => {}
            None => self.netem = Some(Box::new(Netem::new(of, rng))),
        }
        self
    }

    /// Whether packets take other times than the link's delay.
    pub(crate) fn varies_delay(&self) -> bool {
        self.jitter.is_some() || self.holds_back()
    }

    /// Whether a packet may arrive before one that was sent before it.
    pub(crate) fn may_reorder(&self) -> bool {
        self.reorder || self.holds_back()
    }

    fn holds_back(&self) -> bool {
        self.netem.as_ref().is_some_and(|d| d.reorders())
    }

    /// When a packet arrives that would at `arrives` but for this, and whether it is held back; `last` is the last arrival on
    /// the wire.
    pub(crate) fn arrival(&mut self, arrives: Instant, last: Instant) -> (Instant, bool) {
        let arrives = arrives.saturating_add(self.jitter.map_or(Duration::ZERO, |j| j.draw(&mut self.rng)));
        let Some(netem) = self.netem.as_mut().filter(|d| d.reorders()) else {
            return (if self.reorder { arrives } else { arrives.max(last) }, false);
        };
        netem.hold(arrives, (!self.reorder).then_some(last))
    }

    /// Netem, where it touches packets as they arrive.
    pub(crate) fn disturbs_arrivals(&mut self) -> Option<&mut Netem> {
        self.netem.as_deref_mut().filter(|d| d.touches_arrivals())
    }

    /// Whether the packet that arrives now is lost.
    pub(crate) fn loses(&mut self) -> bool {
        self.carried += 1;
        self.loss.loses(self.carried, &mut self.rng)
    }
}

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
    /// Seeds of the streams that loss processes have for themselves.
    loss_seeds: Rng,
    carried: u64,
    netem: Option<Box<Netem>>,
}

impl Impairment {
    /// Loss and jitter; `reorder` lets a packet with little jitter overtake one with much.
    pub fn new(loss: &LossConfig, jitter: Option<DurationDist>, reorder: bool, rng: Rng) -> Self {
        // Another stream than that of the draws, from which nothing is taken for it.
        let mut loss_seeds = Rng::new(rng.clone().next_u64());
        Self {
            loss: loss.build(Rng::new(loss_seeds.next_u64())),
            jitter,
            reorder: reorder && jitter.is_some(),
            rng,
            loss_seeds,
            carried: 0,
            netem: None,
        }
    }

    /// The same impairment with another loss, which begins anew; packets are counted on.
    #[must_use]
    pub fn with_loss(mut self, loss: &LossConfig) -> Self {
        self.loss = loss.build(Rng::new(self.loss_seeds.next_u64()));
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

    /// Whether the packet that arrives `at` is lost.
    pub(crate) fn loses(&mut self, at: Instant) -> bool {
        self.carried += 1;
        self.loss.loses(self.carried, at, &mut self.rng)
    }
}

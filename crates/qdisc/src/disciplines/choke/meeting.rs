//! Draws of waiting packets that an arrival meets, and the comparison of their flows.

use super::red_fifo::RedFifo;
use crate::flow_hash::FlowBy;
use tailrace_core::{FlowKey, Packet, Rng};

tailrace_core::choices! {
    /// Where the candidates are.
    pub enum Draw {
        /// Random ones, each at most once.
        Random = "random",
        /// Random ones; the same one may be taken several times.
        Repeated = "repeated",
        /// The oldest ones (front CHOKe).
        Front = "front",
        /// The newest ones (back CHOKe).
        Back = "back",
    }
}

/// Most candidates: each costs a look at a packet somewhere in memory, for every arrival.
pub(crate) const MOST_CANDIDATES: u32 = 64;

/// Rule for drawing candidates.
#[derive(Debug)]
pub(crate) struct Meeting {
    by: FlowBy,
    draw: Draw,
    /// Places of the candidates of the present arrival.
    picks: Vec<usize>,
}

impl Meeting {
    pub(crate) fn new(by: FlowBy, draw: Draw) -> Self {
        Self { by, draw, picks: Vec::with_capacity(MOST_CANDIDATES as usize) }
    }

    /// Places, ascending, of those among up to `m` candidates that are of `flow`.
    #[inline]
    pub(crate) fn matches<P: Packet>(
        &mut self,
        queue: &RedFifo<P>,
        flow: FlowKey,
        m: usize,
        rng: &mut Rng,
    ) -> &[usize] {
        self.pick(queue.len(), m, rng);
        let by = self.by;
        let flow = by.key(flow);
        self.picks.retain(|place| queue.packet(*place).is_some_and(|p| by.key(p.flow()) == flow));
        self.picks.sort_unstable();
        &self.picks
    }

    /// Chooses up to `m` places of a queue of `waiting` packets.
    #[inline]
    fn pick(&mut self, waiting: usize, m: usize, rng: &mut Rng) {
        let distinct = m.min(waiting);
        let picks = &mut self.picks;
        picks.clear();
        match self.draw {
            // Floyd's sampling: every set of `distinct` places is equally likely, with as many draws.
            Draw::Random => {
                for last in waiting - distinct..waiting {
                    let place = rng.below(last as u64 + 1) as usize;
                    picks.push(if picks.contains(&place) { last } else { place });
                }
            }
            Draw::Repeated => {
                for _ in 0..m {
                    let place = rng.below(waiting as u64) as usize;
                    if !picks.contains(&place) {
                        picks.push(place);
                    }
                }
            }
            Draw::Front => picks.extend(0..distinct),
            Draw::Back => picks.extend(waiting - distinct..waiting),
        }
    }
}

//! The channel's quality: a birth-death chain, stepped by the subframe.
//!
//! A state lasts a geometric number of subframes, then one of its neighbours follows, either alike, at the ends the only one. So
//! over a long time the states at the ends have half the weight of the others.

use super::{SUBFRAME, at_subframe, begins};
use tailrace_core::{Duration, Instant, Rate, Rng, math};

/// The chain, which is asked about subframes in their order.
#[derive(Debug)]
pub(super) struct RateChain {
    rates: Box<[u64]>,
    place: usize,
    /// The first subframe of the next state.
    until: u64,
    /// Logarithm of the probability that a subframe is not the last one of its state.
    stays: f64,
    rng: Rng,
}

/// The mean over a long time, rounded down.
pub(super) fn mean(rates: &[Rate]) -> Rate {
    let weight = |i: usize| if i == 0 || i + 1 == rates.len() { 1 } else { 2 };
    let of = |f: &dyn Fn(usize) -> u128| (0..rates.len()).map(f).sum::<u128>();
    let all = of(&|i| weight(i) * u128::from(rates[i].as_bps()));
    Rate::from_bps((all / of(&weight).max(1)) as u64)
}

impl RateChain {
    /// In one of its states, drawn as the chain has them over a long time.
    pub(super) fn new(rates: &[Rate], dwell: Duration, mut rng: Rng) -> Self {
        let ends = 2 * (rates.len() as u64).saturating_sub(1);
        let place = if ends == 0 { 0 } else { rng.below(ends).div_ceil(2) as usize };
        let subframes = (dwell.as_nanos() as f64 / SUBFRAME as f64).max(1.0);
        let rates = rates.iter().map(|rate| rate.as_bps()).collect();
        let mut new = Self { rates, place, until: u64::MAX, stays: math::ln(1.0 - 1.0 / subframes), rng };
        if ends > 0 {
            new.until = new.lasts();
        }
        new
    }

    /// Bits a second in a subframe.
    pub(super) fn rate(&mut self, subframe: u64) -> u64 {
        while self.until <= subframe {
            self.step();
        }
        self.rates[self.place]
    }

    /// Bits after one time, up to another.
    pub(super) fn bits(mut self, from: Instant, to: Instant) -> f64 {
        let (mut sum, mut since) = (0.0, from);
        let mut rate = self.rate(at_subframe(from));
        while begins(self.until) < to {
            let next = begins(self.until);
            sum += rate as f64 * next.saturating_since(since).as_secs_f64();
            since = next;
            rate = self.rate(self.until);
        }
        sum + rate as f64 * to.saturating_since(since).as_secs_f64()
    }

    fn step(&mut self) {
        let last = self.rates.len() - 1;
        self.place = match self.place {
            0 => 1,
            place if place == last => last - 1,
            place => place - 1 + 2 * usize::from(self.rng.bernoulli(0.5)),
        };
        self.until = self.until.saturating_add(self.lasts());
    }

    /// Duration of a state in subframes, at least one.
    fn lasts(&mut self) -> u64 {
        1 + (math::ln(self.rng.uniform_positive()) / self.stays) as u64
    }
}

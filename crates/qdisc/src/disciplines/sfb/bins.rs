//! The bins of SFB: several levels of them, for one hash.

use super::bin_layout::BinLayout;
use super::hash::BinHash;
use core::num::NonZeroU32;
use tailrace_core::{Duration, FlowKey, Instant};

/// Probabilities are whole parts of this.
pub(super) const PARTS: u32 = 1_000_000_000;
/// Most bins of a level: more are a mistake.
pub(super) const MOST_BINS: u32 = 1 << 14;

/// Parameters of the bins.
#[derive(Clone, Debug)]
pub(super) struct Rules {
    pub(super) hash: BinHash,
    pub(super) levels: u32,
    pub(super) bins: u32,
    pub(super) shape: BinLayout,
    /// Packets in a bin from which its probability rises.
    pub(super) target: u32,
    /// Packets in a bin from which it is full.
    pub(super) max: u32,
    pub(super) increment: u32,
    pub(super) decrement: u32,
    /// Least time between changes of a bin.
    pub(super) freeze: Duration,
    /// Probability of bins that learn from all packets, when they start.
    pub(super) initial: u32,
    /// A bin with probability zero and fewer packets than this has nothing to learn from an arrival.
    pub(super) calm: u32,
    /// Lower a bin when it runs empty, not when an arrival finds it empty.
    pub(super) lower_at_departure: bool,
}

/// Two words, since every packet reads and writes one at each level.
#[derive(Clone, Copy, Debug, Default)]
struct Bin {
    packets: u32,
    p: u32,
}

impl Bin {
    /// Whether it has nothing to learn from an arrival, nor a probability.
    #[inline]
    fn is_calm(self, rules: &Rules) -> bool {
        (u64::from(self.p) << 32 | u64::from(self.packets)) < u64::from(rules.calm)
    }

    /// A packet arrives.
    #[inline]
    fn learn(&mut self, thaws: &mut Instant, rules: &Rules, now: Instant) {
        // Empty or long: of nothing the predecessor is the largest number.
        if self.packets.wrapping_sub(1) < rules.target - 1 || now < *thaws {
            return;
        }
        if self.packets >= rules.target {
            self.raise(thaws, rules, now);
        } else if !rules.lower_at_departure {
            self.lower(thaws, rules, now);
        }
    }

    fn raise(&mut self, thaws: &mut Instant, rules: &Rules, now: Instant) {
        self.p = self.p.saturating_add(rules.increment).min(PARTS);
        *thaws = now.saturating_add(rules.freeze);
    }

    fn lower(&mut self, thaws: &mut Instant, rules: &Rules, now: Instant) {
        self.p = self.p.saturating_sub(rules.decrement);
        *thaws = now.saturating_add(rules.freeze);
    }
}

/// Token of a packet that is counted: its bins follow from the hash.
#[derive(Clone, Copy, Debug)]
pub(super) struct Count {
    hash: u64,
    /// Generation of the bins that counted it.
    generation: NonZeroU32,
}

/// State of an arrival's bins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Seen {
    /// Least probability of its bins.
    pub(super) least_p: u32,
    /// Number of its bins that are full.
    pub(super) full: u32,
}

/// The bins of one hash, level after level.
#[derive(Clone, Debug)]
pub(super) struct Bank {
    kind: BinHash,
    seed: u64,
    generation: NonZeroU32,
    bins: Vec<Bin>,
    /// When the probability of each bin may change again.
    thaws: Vec<Instant>,
}

impl Bank {
    pub(super) fn new(rules: &Rules, p: u32) -> Self {
        let bins = (rules.levels * rules.bins) as usize;
        Self {
            kind: rules.hash,
            seed: 0,
            generation: NonZeroU32::MIN,
            bins: vec![Bin { packets: 0, p }; bins],
            thaws: vec![Instant::ZERO; bins],
        }
    }

    pub(super) fn reseed(&mut self, seed: u64) {
        self.seed = seed;
    }

    /// Empties all bins; packets counted before will not be taken out again.
    pub(super) fn restart(&mut self, p: u32) {
        self.generation = self.generation.checked_add(1).unwrap_or(NonZeroU32::MIN);
        self.bins.fill(Bin { packets: 0, p });
        self.thaws.fill(Instant::ZERO);
    }

    fn hash(&self, flow: FlowKey) -> u64 {
        self.kind.of(flow, self.seed)
    }

    pub(super) fn least_p(&mut self, flow: FlowKey, rules: &Rules) -> u32 {
        let mut least = PARTS;
        let hash = self.hash(flow);
        rules.shape.each(&mut self.bins, hash, |_, bin| least = least.min(bin.p));
        least
    }

    /// A packet of `flow` arrives: its bins learn, it sees them, and they count it.
    #[inline]
    pub(super) fn arrive(&mut self, flow: FlowKey, rules: &Rules, now: Instant) -> (Seen, Count) {
        let count = Count { hash: self.hash(flow), generation: self.generation };
        (self.meet(count.hash, rules, now), count)
    }

    fn meet(&mut self, hash: u64, rules: &Rules, now: Instant) -> Seen {
        if !rules.shape.all(&mut self.bins, hash, |_, bin| bin.is_calm(rules)) {
            return self.teach(hash, rules, now);
        }
        rules.shape.each(&mut self.bins, hash, |_, bin| bin.packets += 1);
        Seen { least_p: 0, full: 0 }
    }

    /// Variant of [`Bank::meet`], where bins may have something to learn.
    #[inline(never)]
    fn teach(&mut self, hash: u64, rules: &Rules, now: Instant) -> Seen {
        let mut seen = Seen { least_p: PARTS, full: 0 };
        rules.shape.each(&mut self.bins, hash, |place, bin| {
            bin.learn(&mut self.thaws[place], rules, now);
            seen.least_p = seen.least_p.min(bin.p);
            seen.full += u32::from(bin.packets >= rules.max);
            bin.packets += 1;
        });
        seen
    }

    /// A packet that has just arrived is not let in: its bins count it no more.
    pub(super) fn take_back(&mut self, count: Count, rules: &Rules) {
        rules.shape.each(&mut self.bins, count.hash, |_, bin| bin.packets -= 1);
    }

    /// The penalty box refused a packet of `flow`: its bins rise, frozen or not.
    pub(super) fn punish(&mut self, flow: FlowKey, rules: &Rules, now: Instant) {
        let hash = self.hash(flow);
        rules.shape.each(&mut self.bins, hash, |place, bin| bin.raise(&mut self.thaws[place], rules, now));
    }

    /// A packet leaves, which these bins or others before them have counted.
    #[inline]
    pub(super) fn remove(&mut self, count: Count, rules: &Rules, now: Instant) {
        if count.generation != self.generation {
            return;
        }
        if rules.lower_at_departure {
            self.take_back_and_lower(count, rules, now);
        } else {
            self.take_back(count, rules);
        }
    }

    /// Same as [`Bank::take_back`]; what it leaves empty is lowered.
    #[inline(never)]
    fn take_back_and_lower(&mut self, count: Count, rules: &Rules, now: Instant) {
        rules.shape.each(&mut self.bins, count.hash, |place, bin| {
            let thaws = &mut self.thaws[place];
            bin.packets -= 1;
            if bin.packets == 0 && now >= *thaws {
                bin.lower(thaws, rules, now);
            }
        });
    }

    /// Most packets in a bin, largest and mean probability.
    pub(super) fn summary(&self) -> (f64, f64, f64) {
        let parts = f64::from(PARTS);
        let packets = self.bins.iter().map(|b| b.packets).max().unwrap_or(0);
        let max = self.bins.iter().map(|b| b.p).max().unwrap_or(0);
        let sum: u64 = self.bins.iter().map(|b| u64::from(b.p)).sum();
        (f64::from(packets), f64::from(max) / parts, sum as f64 / (parts * self.bins.len() as f64))
    }

    #[cfg(test)]
    pub(super) fn packets(&self) -> u32 {
        self.bins.iter().map(|b| b.packets).sum()
    }

    #[cfg(test)]
    pub(super) fn set_all(&mut self, p: u32) {
        self.bins.iter_mut().for_each(|b| b.p = p);
    }

    #[cfg(test)]
    pub(super) fn bins_of(&self, flow: FlowKey, rules: &Rules) -> Vec<u32> {
        let mut places = Vec::new();
        rules
            .shape
            .each(&mut self.bins.clone(), self.hash(flow), |place, _| places.push(place as u32 % rules.bins));
        places
    }

    #[cfg(test)]
    pub(super) fn set(&mut self, flow: FlowKey, rules: &Rules, p: u32) {
        let hash = self.hash(flow);
        rules.shape.each(&mut self.bins, hash, |_, bin| bin.p = p);
    }
}

//! The bins of SFB: several levels of them, for one hash.

use super::hash::BinHash;
use core::num::NonZeroU32;
use tailrace_core::{Duration, FlowKey, Instant};

/// Probabilities are whole parts of this.
pub(super) const PARTS: u32 = 1_000_000_000;
/// Most levels.
pub(super) const MOST_LEVELS: u32 = 16;
/// Most bins of a level: more are a mistake.
pub(super) const MOST_BINS: u32 = 1 << 14;

/// What bins go by.
#[derive(Clone, Debug)]
pub(super) struct Rules {
    pub(super) hash: BinHash,
    pub(super) levels: u32,
    pub(super) bins: u32,
    /// Levels whose bins are taken of one hash.
    pub(super) digits: u32,
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
    /// Lower a bin when it runs empty, not when an arrival finds it empty.
    pub(super) lower_at_departure: bool,
}

impl Rules {
    /// The bins of a flow with `hash`, level after level. In line, so that what a visit sums up stays in registers.
    #[inline(always)]
    fn each_place(&self, hash: u64, mut visit: impl FnMut(usize)) {
        let (mut level, mut first) = (0, 0);
        while level < self.levels {
            let mut rest = self.hash.hash_at(hash, level);
            for _ in level..self.levels.min(level + self.digits) {
                let (bin, next) = self.hash.next_bin(rest, self.bins);
                visit((first + bin) as usize);
                (rest, first) = (next, first + self.bins);
            }
            level += self.digits;
        }
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Bin {
    packets: u32,
    p: u32,
    /// When its probability may change again.
    thaws: Instant,
}

impl Bin {
    /// An arrival found it empty or long.
    #[inline]
    fn learn(&mut self, rules: &Rules, now: Instant) {
        if now < self.thaws {
            return;
        }
        if self.packets >= rules.target {
            self.raise(rules, now);
        } else if !rules.lower_at_departure {
            self.lower(rules, now);
        }
    }

    fn raise(&mut self, rules: &Rules, now: Instant) {
        self.p = self.p.saturating_add(rules.increment).min(PARTS);
        self.thaws = now.saturating_add(rules.freeze);
    }

    fn lower(&mut self, rules: &Rules, now: Instant) {
        self.p = self.p.saturating_sub(rules.decrement);
        self.thaws = now.saturating_add(rules.freeze);
    }
}

/// That a packet is counted: its bins follow from the hash.
#[derive(Clone, Copy, Debug)]
pub(super) struct Count {
    hash: u64,
    /// Of the bins that counted it.
    generation: NonZeroU32,
}

/// What an arrival finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Seen {
    /// Least probability of its bins.
    pub(super) least_p: u32,
    /// How many of its bins are full.
    pub(super) full: u32,
}

/// The bins of one hash, level after level.
#[derive(Clone, Debug)]
pub(super) struct Bank {
    kind: BinHash,
    seed: u64,
    generation: NonZeroU32,
    bins: Vec<Bin>,
}

impl Bank {
    pub(super) fn new(rules: &Rules, p: u32) -> Self {
        let bin = Bin { p, ..Bin::default() };
        Self {
            kind: rules.hash,
            seed: 0,
            generation: NonZeroU32::MIN,
            bins: vec![bin; (rules.levels * rules.bins) as usize],
        }
    }

    pub(super) fn reseed(&mut self, seed: u64) {
        self.seed = seed;
    }

    /// Empties all bins; packets counted before will not be taken out again.
    pub(super) fn restart(&mut self, p: u32) {
        self.generation = self.generation.checked_add(1).unwrap_or(NonZeroU32::MIN);
        self.bins.fill(Bin { p, ..Bin::default() });
    }

    fn hash(&self, flow: FlowKey) -> u64 {
        self.kind.of(flow, self.seed)
    }

    pub(super) fn least_p(&self, flow: FlowKey, rules: &Rules) -> u32 {
        let mut least = PARTS;
        rules.each_place(self.hash(flow), |place| least = least.min(self.bins[place].p));
        least
    }

    /// A packet of `flow` arrives: its bins learn, it sees them, and they count it.
    #[inline]
    pub(super) fn arrive(&mut self, flow: FlowKey, rules: &Rules, now: Instant) -> (Seen, Count) {
        let mut seen = Seen { least_p: PARTS, full: 0 };
        let (hash, generation) = (self.hash(flow), self.generation);
        let (bins, long, max) = (self.bins.as_mut_slice(), rules.target - 1, rules.max);
        rules.each_place(hash, |place| {
            let bin = &mut bins[place];
            // Empty or long: of nothing the predecessor is the largest number.
            if bin.packets.wrapping_sub(1) >= long {
                bin.learn(rules, now);
            }
            seen.least_p = seen.least_p.min(bin.p);
            seen.full += u32::from(bin.packets >= max);
            bin.packets += 1;
        });
        (seen, Count { hash, generation })
    }

    /// A packet that has just arrived is not let in: its bins count it no more.
    pub(super) fn take_back(&mut self, count: Count, rules: &Rules) {
        rules.each_place(count.hash, |place| self.bins[place].packets -= 1);
    }

    /// The penalty box refused a packet of `flow`: its bins rise, frozen or not.
    pub(super) fn punish(&mut self, flow: FlowKey, rules: &Rules, now: Instant) {
        rules.each_place(self.hash(flow), |place| self.bins[place].raise(rules, now));
    }

    /// A packet leaves, which these bins or others before them have counted.
    #[inline]
    pub(super) fn remove(&mut self, count: Count, rules: &Rules, now: Instant) {
        if count.generation != self.generation {
            return;
        }
        let bins = self.bins.as_mut_slice();
        rules.each_place(count.hash, |place| {
            let bin = &mut bins[place];
            bin.packets -= 1;
            if bin.packets == 0 && rules.lower_at_departure && now >= bin.thaws {
                bin.lower(rules, now);
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
        rules.each_place(self.hash(flow), |place| places.push(place as u32 % rules.bins));
        places
    }

    #[cfg(test)]
    pub(super) fn set(&mut self, flow: FlowKey, rules: &Rules, p: u32) {
        rules.each_place(self.hash(flow), |place| self.bins[place].p = p);
    }
}
